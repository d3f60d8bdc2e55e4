// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Credit of reliable messages, for one channel of one node and one sender: so many messages that the channel
/// has room for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <isoplane/niu/sequence.hh>

namespace isoplane::channel {

/// Credit at the sender, who asks for it when he first needs some. From then on it comes by itself; but the
/// receiver may have started again and know nothing of it, so who is refused for long asks again.
class Claim {
  public:
    /// What another life of the receiver has granted means nothing to this one.
    void is_to(std::uint32_t epoch) noexcept {
        if (epoch == epoch_) [[likely]]
            return;
        epoch_ = epoch;
        limit_ = sent_;
        refused_ = patience_ = 0;
    }
    /// Whether one more may be sent; it is number next().
    bool covers_next() const noexcept { return sent_ != limit_; }
    std::uint32_t next() const noexcept { return sent_; }
    void sent() noexcept { ++sent_; }

    /// A message was refused. Returns whether to ask.
    bool refused() noexcept { return ++refused_ > patience_; }
    void asked() noexcept {
        refused_ = 0;
        patience_ = std::clamp(2 * patience_, kLeast, kMost);
    }

    void grant(std::uint32_t limit) noexcept {
        if (!niu::before(limit_, limit)) return;
        limit_ = limit;
        refused_ = 0;
        patience_ = kLeast;
    }

  private:
    static constexpr std::uint32_t kLeast = 1024;
    static constexpr std::uint32_t kMost = 1 << 20;

    std::uint32_t epoch_ = 0;  ///< of the receiver
    std::uint32_t sent_ = 0;
    std::uint32_t limit_ = 0;
    std::uint32_t refused_ = 0;
    std::uint32_t patience_ = 0;  ///< refusals before it asks
};

/// Credit at the receiver: what is promised and not here yet, and what is here, are never more than the
/// window.
class Promise {
  public:
    /// The sender asks, in the life that he says: his next message has that number. Room has been reserved.
    void begin(std::uint32_t life, std::uint32_t number) noexcept {
        life_ = life;
        received_ = told_ = number;
        begun_ = true;
    }
    bool is_of(std::uint32_t life) const noexcept { return begun_ && life_ == life; }
    bool begun() const noexcept { return begun_; }
    std::uint32_t life() const noexcept { return life_; }

    /// Whether a message of that number has been promised room, and is the next.
    bool expects(std::uint32_t number) const noexcept { return number == received_ && received_ != told_; }
    void arrived() noexcept {
        ++received_;
        ++held_;
    }
    void released() noexcept { --held_; }

    std::uint32_t limit(std::uint32_t window) const noexcept { return received_ + window - held_; }
    /// Half of the window has come back, or the sender has nothing left.
    bool worth_telling(std::uint32_t window) const noexcept {
        const std::uint32_t more = limit(window) - told_;
        return begun_ && more != 0 && (more >= (window + 1) / 2 || told_ == received_);
    }
    void told(std::uint32_t limit) noexcept { told_ = limit; }

    bool reserved = false;  ///< room in the channel
    bool owed = false;      ///< it is to be told

  private:
    std::uint32_t life_ = 0;
    std::uint32_t received_ = 0;  ///< the number of the message that comes next
    std::uint32_t told_ = 0;      ///< the first number that has not been promised room
    std::uint32_t held_ = 0;      ///< messages that have not been released, in whichever life they came
    bool begun_ = false;
};

}  // namespace isoplane::channel
