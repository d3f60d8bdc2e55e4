// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/channel/channels.hh>
#include <isoplane/channel/routes.hh>
#include <vector>

#include "bytes.hh"
#include "strangers.hh"

namespace isoplane::fuzz {

/// A program of channels that does what it is told.
class ChannelUser {
  public:
    explicit ChannelUser(noniso::Endpoint& endpoint)
        : channels_(endpoint, pool(), kHere, kNodes,
                    {.channels = kChannels, .slots = 4, .held = 4, .send_buffers = 8, .copy_below = 64}),
          routes_(kHere, kNodes) {
        for (NodeId node = 0; node < kHosts; ++node)
            routes_.set(static_cast<channel::RouteId>(node + 1), node);
        channels_.open(0);
    }

    void act(Bytes& in) {
        const auto how = in.take<std::uint8_t>();
        const auto number = static_cast<channel::ChannelId>(how % (kChannels + 1));
        switch (how / 16) {
            case 0:
                channels_.open(number);
                break;
            case 1:
                channels_.open_any();
                break;
            case 2:
                channels_.close(number);
                break;
            case 3:
                if (routes_.find(how % 5)) routes_.set(5, static_cast<NodeId>(how % 5));
                break;
            case 4:
            case 5:
                let_go(in);
                break;
            case 6:
            case 7:
            case 8:
            case 9:
                if (number < kChannels) keep(channels_.receive(number));
                break;
            case 10:
                keep(channels_.buffer());
                send(number, in);
                break;
            default:
                send(number, in);
        }
    }

    void poll() { channels_.poll(); }

    static constexpr unsigned kChannels = 3;

  private:
    void keep(channel::Buffer buffer) {
        if (buffer) buffers_.push_back(std::move(buffer));
    }
    void let_go(Bytes& in) {
        if (buffers_.empty()) return;
        buffers_.erase(buffers_.begin() + in.take<std::uint8_t>() % static_cast<long>(buffers_.size()));
    }
    /// Received ones are sent on as they are; those that are not busy are written over first.
    void send(channel::ChannelId number, Bytes& in) {
        const auto to = routes_.find(in.take<std::uint8_t>() % 6U);
        if (!to || *to >= kHosts || buffers_.empty()) return;
        channel::Buffer& buffer = buffers_[in.take<std::uint8_t>() % buffers_.size()];
        const auto how = in.take<std::uint8_t>();
        if (!channels_.busy(buffer) && how % 4 == 0)
            std::fill(buffer.data().begin(), buffer.data().end(), std::byte{0xee});
        const std::size_t size = how % 16 < 4 ? how / 4U : how * 8U;
        const auto mode = how % 2 == 0 ? channel::Mode::kReliable : channel::Mode::kDatagram;
        // One that is refused asks for credit after a while, which is not waited for here.
        for (unsigned tries = how >= 128 ? 1100 : 1; tries > 0; --tries)
            if (channels_.send(*to, number, buffer, size, mode) != channel::Status::kFull) break;
    }

    channel::Channels channels_;
    channel::Routes routes_;
    std::vector<channel::Buffer> buffers_;
};

}  // namespace isoplane::fuzz
