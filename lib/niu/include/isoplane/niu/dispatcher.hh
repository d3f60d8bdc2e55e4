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
    /// The same for all messages of a frame that begins with one of this receiver's. Returns how many they
    /// are, or 0: then they are taken one by one.
    virtual unsigned take_frame(const UnreadFrame& /*frame*/) noexcept { return 0; }
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
        Received message;
        for (;;) {
            UnreadFrame frame;
            while (niu_.next_frame(frame)) {
                const unsigned taken = dispatch(frame);
                if (taken == 0) break;
                niu_.take_frame(taken);
                n += taken;
            }
            if (!niu_.receive(message)) return n;
            dispatch(message);
            ++n;
        }
    }

    /// Messages of protocols that nobody here speaks.
    std::uint64_t unclaimed() const noexcept { return unclaimed_.get(); }

  private:
    unsigned dispatch(const UnreadFrame& frame) noexcept {
        Receiver* receiver = of(wire::read_message_header(frame.payload.data()).protocol);
        return receiver != nullptr ? receiver->take_frame(frame) : 0;
    }
    void dispatch(const Received& message) noexcept {
        if (Receiver* receiver = of(message.protocol); receiver != nullptr) [[likely]] {
            receiver->take(message);
        } else {
            niu_.release(message);
            unclaimed_.add();
        }
    }
    Receiver* of(wire::Protocol protocol) const noexcept {
        return receivers_[static_cast<std::size_t>(protocol)];
    }

    Niu& niu_;
    std::array<Receiver*, wire::kProtocolCount> receivers_{};
    runtime::Counter unclaimed_;
};

}  // namespace isoplane::niu
