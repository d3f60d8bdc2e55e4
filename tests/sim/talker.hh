// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <cstdint>
#include <isoplane/fabric/random.hh>
#include <isoplane/niu/niu.hh>
#include <string>
#include <vector>

#include "script.hh"

namespace isoplane::test {

/// A user of an NIU: sends messages to every other node as fast as it may, keeps what it receives for a
/// while, and checks when it lets go that each message is the next of its sender and still intact.
class Talker final : public runtime::Stage {
  public:
    Talker(niu::Niu& niu, unsigned node, unsigned nodes, std::uint64_t seed, const Traffic& traffic)
        : Stage("talker" + std::to_string(node)),
          niu_(niu),
          node_(node),
          messages_(traffic.messages),
          open_(2 * (nodes - 1) * traffic.messages),
          random_(seed, 500 + node) {
        for (unsigned i = 0; i < nodes; ++i)
            pairs_.push_back({Script(traffic, seed, node, i), Script(traffic, seed, i, node)});
    }
    ~Talker() override { release(kept_.size()); }

    unsigned poll(runtime::Time /*now*/) override { return receive() + send(); }

    bool finished() const { return open_ == 0 && kept_.empty(); }
    void say_more(std::uint64_t messages) {
        messages_ += messages;
        open_ += 2 * (pairs_.size() - 1) * messages;
    }

    std::uint64_t bytes_received() const { return bytes_received_; }
    std::uint64_t messages_received() const { return messages_received_; }
    std::uint64_t largest() const { return largest_; }

    /// The first thing that was not as it has to be; empty while all is well.
    const std::string& complaint() const { return complaint_; }

  private:
    struct Pair {
        Script outgoing;
        Script incoming;
        std::uint64_t sent = 0;
        std::uint64_t received = 0;
        std::vector<std::byte> large{};  ///< under way, if the NIU still reads it
        niu::Memory registered{};        ///< the same for every second large message
    };

    unsigned receive() {
        niu::Received message;
        unsigned n = 0;
        for (; n < 32 && niu_.receive(message); ++n) {
            check(message);
            kept_.push_back({message, pairs_[message.source].received});
            if (message.offset + message.data.size() == message.size) note_end(message);
        }
        if (n == 0 || kept_.size() > 16) release(n == 0 ? kept_.size() : random_.below(kept_.size() + 1));
        return n;
    }

    void note_end(const niu::Received& message) {
        ++pairs_[message.source].received;
        --open_;
        ++messages_received_;
        bytes_received_ += message.size;
        largest_ = std::max<std::uint64_t>(largest_, message.size);
    }

    void check(const niu::Received& message) {
        const Pair& pair = pairs_[message.source];
        if (pair.received >= messages_) return complain(message.source, "a message too many");
        if (message.size != pair.incoming.size(pair.received))
            complain(message.source, "another message's size");
    }

    void release(std::size_t n) {
        for (; n > 0; --n) {
            const std::size_t i = random_.below(kept_.size());
            const Kept kept = kept_[i];
            kept_[i] = kept_.back();
            kept_.pop_back();
            const Pair& pair = pairs_[kept.message.source];
            if (!pair.incoming.matches(kept.number, kept.message.offset, kept.message.data))
                complain(kept.message.source, "another message's content");
            niu_.release(kept.message);
        }
    }

    /// Tries a few times. Says only what was sent: who claims to have moved something is polled again at
    /// once.
    unsigned send() {
        unsigned sent = 0;
        for (std::uint64_t tries = random_.below(8); tries > 0; --tries) {
            const auto to = static_cast<niu::NodeId>(random_.below(pairs_.size()));
            Pair& pair = pairs_[to];
            if (to == node_ || pair.sent == messages_ || !send_next(to, pair)) continue;
            ++pair.sent;
            --open_;
            ++sent;
        }
        return sent;
    }

    bool send_next(niu::NodeId to, Pair& pair) {
        const std::size_t size = pair.outgoing.size(pair.sent);
        if (size > niu_.max_message(to)) {
            if (niu_.transferring(to)) return false;
            if (pair.sent % 2 == 0) return transfer_registered(to, pair, size);
            pair.large.resize(size);
            pair.outgoing.write(pair.sent, pair.large);
            return niu_.transfer(to, wire::Protocol::kNoniso, pair.large);
        }
        const niu::SendBuffer room = niu_.buffer(to, wire::Protocol::kNoniso, size);
        if (!room) return false;
        pair.outgoing.write(pair.sent, room.data);
        niu_.send(room);
        return true;
    }

    bool transfer_registered(niu::NodeId to, Pair& pair, std::size_t size) {
        if (pair.registered.busy()) return false;
        if (pair.registered.bytes().size() < size) pair.registered = niu::Memory::allocate(size);
        const auto message = pair.registered.bytes().first(size);
        pair.outgoing.write(pair.sent, message);
        return niu_.transfer(to, wire::Protocol::kNoniso, message, pair.registered);
    }

    void complain(unsigned source, const std::string& what) {
        if (complaint_.empty()) complaint_ = name() + " got from " + std::to_string(source) + " " + what;
    }

    struct Kept {
        niu::Received message;
        std::uint64_t number;
    };

    niu::Niu& niu_;
    unsigned node_;
    std::uint64_t messages_;
    std::uint64_t open_;  ///< messages, both ways, that have not been sent or have not come
    std::uint64_t messages_received_ = 0;
    std::uint64_t bytes_received_ = 0;
    std::uint64_t largest_ = 0;
    fabric::Random random_;
    std::vector<Pair> pairs_;
    std::vector<Kept> kept_;
    std::string complaint_;
};

}  // namespace isoplane::test
