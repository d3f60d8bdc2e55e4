// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <cstdint>
#include <isoplane/fabric/random.hh>
#include <isoplane/niu/niu.hh>
#include <string>
#include <vector>

namespace isoplane::test {

/// The content of message `number` from one node to another: both ends know it without being told.
class Script {
  public:
    Script(std::uint64_t seed, unsigned from, unsigned to) : draws_(seed, 1000 + 64 * from + to) {}

    /// Mostly small, seldom large.
    std::size_t size(std::uint64_t number) const {
        const std::uint64_t kind = fabric::Draws::below(draws_.at(2 * number), 200);
        const std::uint64_t most = kind == 0 ? 1 << 20 : kind < 4 ? 1 << 16 : kind < 30 ? 8192 : 256;
        return fabric::Draws::below(draws_.at(2 * number + 1), most + 1);
    }
    void write(std::uint64_t number, std::span<std::byte> out) const {
        const std::uint64_t base = draws_.at(2 * number + 1);
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = byte_at(base, i);
    }
    bool matches(std::uint64_t number, std::size_t offset, std::span<const std::byte> data) const {
        const std::uint64_t base = draws_.at(2 * number + 1);
        for (std::size_t i = 0; i < data.size(); ++i) {
            if (data[i] != byte_at(base, offset + i)) return false;
        }
        return true;
    }

  private:
    static std::byte byte_at(std::uint64_t base, std::size_t i) {
        return static_cast<std::byte>((base + i) * 0x9e3779b97f4a7c15 >> 56);
    }
    fabric::Draws draws_;
};

/// A user of an NIU: sends messages to every other node as fast as it may, keeps what it receives for a
/// while, and checks when it lets go that each message is the next of its sender and still intact.
class Talker final : public runtime::Stage {
  public:
    Talker(niu::Niu& niu, unsigned node, unsigned nodes, std::uint64_t seed, std::uint64_t messages)
        : Stage("talker" + std::to_string(node)),
          niu_(niu),
          node_(node),
          messages_(messages),
          random_(seed, 500 + node) {
        for (unsigned i = 0; i < nodes; ++i)
            pairs_.push_back({Script(seed, node, i), Script(seed, i, node)});
    }
    ~Talker() override { release(kept_.size()); }

    unsigned poll(runtime::Time /*now*/) override { return receive() + send(); }

    bool finished() const {
        for (unsigned i = 0; i < pairs_.size(); ++i) {
            if (i != node_ && (pairs_[i].sent != messages_ || pairs_[i].received != messages_)) return false;
        }
        return kept_.empty();
    }
    void say_more(std::uint64_t messages) { messages_ += messages; }

    /// The first thing that was not as it has to be; empty while all is well.
    const std::string& complaint() const { return complaint_; }

  private:
    struct Pair {
        Script outgoing;
        Script incoming;
        std::uint64_t sent = 0;
        std::uint64_t received = 0;
        std::vector<std::byte> large{};  ///< under way, if the NIU still reads it
    };

    unsigned receive() {
        niu::Received message;
        unsigned n = 0;
        for (; n < 32 && niu_.receive(message); ++n) {
            check(message);
            kept_.push_back({message, pairs_[message.source].received});
            if (message.offset + message.data.size() == message.size) ++pairs_[message.source].received;
        }
        if (n == 0 || kept_.size() > 16) release(n == 0 ? kept_.size() : random_.below(kept_.size() + 1));
        return n;
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

    unsigned send() {
        unsigned n = 0;
        for (std::uint64_t most = random_.below(8); n < most; ++n) {
            const auto to = static_cast<niu::NodeId>(random_.below(pairs_.size()));
            Pair& pair = pairs_[to];
            if (to == node_ || pair.sent == messages_ || !send_next(to, pair)) continue;
            ++pair.sent;
        }
        return n;
    }

    bool send_next(niu::NodeId to, Pair& pair) {
        const std::size_t size = pair.outgoing.size(pair.sent);
        if (size > niu_.max_message(to)) {
            if (niu_.transferring(to)) return false;
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
    fabric::Random random_;
    std::vector<Pair> pairs_;
    std::vector<Kept> kept_;
    std::string complaint_;
};

}  // namespace isoplane::test
