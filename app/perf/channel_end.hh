// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <isoplane/channel/channels.hh>

#include "program_end.hh"

namespace isoplane::perf {

/// One end of a channel, as a program has it that makes progress itself. A message is written in a buffer,
/// and read in the one that comes; what is sent on is not.
class ChannelEnd : private ProgramEnd {
  public:
    static constexpr bool kKeepsContent = true;

    ChannelEnd(runtime::Input& from, runtime::Output& to, runtime::Pool& pool, niu::Options options,
               channel::Mode mode, const channel::Options& channel_options)
        : ProgramEnd(from, to, pool, std::move(options), wire::Protocol::kChannel),
          channels_(endpoint_, pool, here(), kNodes, channel_options),
          mode_(mode) {
        channels_.open(kChannel);
    }

    bool ready() noexcept {
        poll();
        return niu_.all_up();
    }
    void begin(std::size_t /*size*/) noexcept {
        written_.reset();
        held_.reset();
        while (channels_.receive(kChannel)) {
        }
    }

    bool send(std::span<const std::byte> message) noexcept {
        if (!written_) {
            written_ = channels_.buffer();
            if (!written_) return false;
            std::copy(message.begin(), message.end(), written_.data().begin());
        }
        return send_off(written_, message.size());
    }

    bool poll() noexcept {
        const bool moved = move();
        dispatcher_.dispatch();
        channels_.poll();
        return moved;
    }

    bool receive(std::span<std::byte> room) noexcept {
        held_.reset();
        const channel::Buffer message = channels_.receive(kChannel);
        if (!message) return false;
        std::copy(message.data().begin(), message.data().end(), room.begin());
        return true;
    }

    /// In the buffer that it came in.
    bool relay() noexcept {
        if (!held_) held_ = channels_.receive(kChannel);
        const std::size_t size = held_.data().size();
        if (!held_ || !send_off(held_, size)) return false;
        if (size >= channels_.options().copy_below) ++sent_on_;
        return true;
    }

    bool settled() noexcept { return channels_.pending() == 0 && all_sent(); }

    /// Of the messages sent on that were not too small for it, those that were not copied.
    double share_sent_on_as_is() const noexcept {
        if (sent_on_ == 0) return 0;
        return static_cast<double>(channels_.counters().sent_as_is.get()) / static_cast<double>(sent_on_);
    }

  private:
    static constexpr channel::ChannelId kChannel = 1;

    /// What cannot go now stays there for the next time.
    bool send_off(channel::Buffer& buffer, std::size_t size) noexcept {
        return channels_.send(peer_, kChannel, std::move(buffer), size, mode_) == channel::Status::kOk;
    }

    channel::Channels channels_;
    channel::Mode mode_;
    channel::Buffer written_;  ///< to be sent
    channel::Buffer held_;     ///< to be sent on
    std::uint64_t sent_on_ = 0;
};

}  // namespace isoplane::perf
