// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstring>
#include <isoplane/channel/channels.hh>

#include "part.hh"

namespace isoplane::soak {

/// Messages on a channel of their own, in the packets that carry them: reliable ones, or datagrams, which are
/// dropped, and counted, where their channel is full.
class ChannelMessages final : public Part {
  public:
    ChannelMessages(job::Job& job, channel::Channels& channels, channel::Mode mode)
        : Part(job, mode == channel::Mode::kReliable ? "channels" : "datagrams"),
          channels_(channels),
          mode_(mode),
          channel_(mode == channel::Mode::kReliable ? 1 : 2) {
        if (channels_.open(channel_) != channel::Status::kOk)
            throw Wrong(std::string(name()) + ": cannot be opened");
    }

    void act(NodeId to, Random& random) override {
        const std::size_t most = std::min<std::size_t>(channels_.max_size(to), 1024);
        if (most < kHead) return;
        const channel::Buffer buffer = channels_.buffer();
        if (!buffer) return;
        const std::size_t size = kHead + random() % (most - kHead + 1);
        const std::uint64_t number = next(to);
        std::memcpy(buffer.data().data(), &number, kHead);
        fill(buffer.data().first(size).subspan(kHead), here(), to, number);
        if (channels_.send(to, channel_, buffer, size, mode_) == channel::Status::kOk) went(to);
    }
    void poll() override {
        channels_.poll();
        while (const channel::Buffer buffer = channels_.receive(channel_)) {
            std::uint64_t number = 0;
            if (buffer.data().size() < kHead) throw Wrong(std::string(name()) + ": no number");
            std::memcpy(&number, buffer.data().data(), kHead);
            if (mode_ == channel::Mode::kReliable)
                take_in_order(buffer.source(), number);
            else
                take_later(buffer.source(), number);
            check(buffer.data().subspan(kHead), buffer.source(), here(), number, name());
        }
    }
    bool settled() const override { return channels_.pending() == 0; }
    std::uint64_t dropped() const override {
        if (mode_ == channel::Mode::kReliable) return 0;
        return channels_.counters().drops(channel::Drop::kFull);
    }

  private:
    static constexpr std::size_t kHead = sizeof(std::uint64_t);

    channel::Channels& channels_;
    channel::Mode mode_;
    channel::ChannelId channel_;
};

}  // namespace isoplane::soak
