// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstring>
#include <isoplane/channel/channels.hh>

#include "part.hh"

namespace isoplane::soak {

/// Reliable messages on a channel, in the packets that carry them.
class ChannelMessages final : public Part {
  public:
    explicit ChannelMessages(job::Job& job)
        : Part(job, "channels"),
          channels_(job.messages(wire::Protocol::kChannel), job.pool(), job.node(), job.size()) {
        if (channels_.open(kChannel) != channel::Status::kOk) throw Wrong("channels: cannot be opened");
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
        if (channels_.send(to, kChannel, buffer, size, channel::Mode::kReliable) == channel::Status::kOk)
            went(to);
    }
    void poll() override {
        channels_.poll();
        while (const channel::Buffer buffer = channels_.receive(kChannel)) {
            std::uint64_t number = 0;
            if (buffer.data().size() < kHead) throw Wrong("channels: a message without a number");
            std::memcpy(&number, buffer.data().data(), kHead);
            take_in_order(buffer.source(), number);
            check(buffer.data().subspan(kHead), buffer.source(), here(), number, name());
        }
    }
    bool settled() const override { return const_cast<channel::Channels&>(channels_).pending() == 0; }

  private:
    static constexpr channel::ChannelId kChannel = 1;
    static constexpr std::size_t kHead = sizeof(std::uint64_t);

    channel::Channels channels_;
};

}  // namespace isoplane::soak
