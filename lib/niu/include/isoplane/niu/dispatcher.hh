// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <array>
#include <isoplane/runtime/counter.hh>
#include <isoplane/wire/message.hh>

#include <isoplane/niu/niu.hh>

namespace isoplane::niu {

/// Who takes the messages of a protocol.
class Receiver {
  public:
    virtual ~Receiver() = default;
    /// Has to release the message at the NIU, now or later.
    virtual void take(const Received& message) noexcept = 0;
};

/// Hands each message that an NIU has received to the receiver of its protocol, in order. Receivers always
/// take what comes, so that no protocol waits for the user of another.
class Dispatcher {
  public:
    explicit Dispatcher(Niu& niu) : niu_(niu) {}

    /// The receiver outlives the dispatcher, or is detached with nullptr.
    void attach(wire::Protocol protocol, Receiver* receiver) noexcept {
        receivers_[static_cast<std::size_t>(protocol)] = receiver;
    }

    /// Hands out what there is. Returns how many messages that were.
    unsigned dispatch() noexcept {
        unsigned n = 0;
        for (Received message; niu_.receive(message); ++n) {
            Receiver* receiver = receivers_[static_cast<std::size_t>(message.protocol)];
            if (receiver != nullptr) [[likely]] {
                receiver->take(message);
            } else {
                niu_.release(message);
                unclaimed_.add();
            }
        }
        return n;
    }

    /// Messages of protocols that nobody here speaks.
    std::uint64_t unclaimed() const noexcept { return unclaimed_.get(); }

  private:
    Niu& niu_;
    std::array<Receiver*, wire::kProtocolCount> receivers_{};
    runtime::Counter unclaimed_;
};

}  // namespace isoplane::niu
