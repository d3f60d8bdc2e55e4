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
    /// From the next one on that the NIU has for it, as many as it likes where they stand in their frames, by
    /// Niu::unread(). Returns how many; when it likes none, that one is taken by itself. Only of protocols
    /// for which that is worth asking, when unread() begins with one of these.
    virtual unsigned take_in_place() noexcept { return 0; }
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
        while (niu_.has_received()) {
            if (const unsigned taken = dispatch_in_place(); taken != 0) {
                n += taken;
                continue;
            }
            Received message;
            if (!niu_.receive(message)) break;
            dispatch(message);
            ++n;
        }
        return n;
    }

    /// Messages of protocols that nobody here speaks.
    std::uint64_t unclaimed() const noexcept { return unclaimed_.get(); }

  private:
    static bool is_read_in_place(wire::Protocol protocol) noexcept {
        return wire::is_ordered(protocol) || protocol == wire::Protocol::kToken;
    }
    unsigned dispatch_in_place() noexcept {
        const Unread unread = niu_.unread();
        if (unread.messages.empty()) return 0;
        const wire::Protocol protocol = wire::read_message_header(unread.messages.data()).protocol;
        Receiver* const receiver = of(protocol);
        return is_read_in_place(protocol) && receiver != nullptr ? receiver->take_in_place() : 0;
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
