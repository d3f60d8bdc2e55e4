// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <isoplane/channel/channels.hh>
#include <isoplane/sim/world.hh>
#include <memory>
#include <string>
#include <vector>

#include "parts.hh"
#include "vanish.hh"
#include "weather.hh"

namespace isoplane::test {

/// What goes over which channel.
enum ChannelUse : channel::ChannelId {
    kLossy,    ///< datagrams, to whoever reads in time
    kSafe,     ///< reliable messages
    kToRelay,  ///< the same, to be sent on as they are
    kRelayed,  ///< those
    kUses,
};

struct ChannelPlan {
    std::uint64_t seed = 0;
    niu::NodeId hosts = 0;
    std::uint32_t messages = 0;  ///< from each host, to all others and itself
    niu::Options niu{};
    channel::Options channels{};
};

/// Hands on copies of what comes, as a link does that leaves the process.
class CopyingInput final : public runtime::Input {
  public:
    explicit CopyingInput(runtime::Input& from) : Input("copies"), from_(from) {}
    unsigned waiting() const noexcept override { return from_.waiting(); }

  private:
    std::uint16_t do_receive(rte_mbuf** packets, std::uint16_t /*room*/) noexcept override {
        runtime::Burst burst;
        const std::uint16_t n = from_.receive(burst);
        for (std::uint16_t i = 0; i < n; ++i) {
            packets[i] = rte_pktmbuf_copy(burst[i], burst[i]->pool, 0, UINT32_MAX);
            rte_pktmbuf_free(burst[i]);
        }
        return n;
    }
    runtime::Input& from_;
};

/// A message says what it is, and the rest of it follows from that.
struct Letter {
    std::uint32_t origin = 0;
    std::uint32_t use = 0;
    std::uint32_t number = 0;  ///< of those from there to whom it is for first, in that use
    std::uint32_t size = 0;

    static void write(std::span<std::byte> out, Letter letter) {
        letter.size = static_cast<std::uint32_t>(out.size());
        std::memcpy(out.data(), &letter, sizeof letter);
        for (std::size_t i = sizeof letter; i < out.size(); ++i)
            out[i] = filler(letter, i);
    }
    static Letter read(std::span<const std::byte> in) {
        Letter letter;
        if (in.size() >= sizeof letter) std::memcpy(&letter, in.data(), sizeof letter);
        return letter;
    }
    bool is_intact(std::span<const std::byte> in) const {
        if (in.size() != size || size < sizeof(Letter)) return false;
        for (std::size_t i = sizeof(Letter); i < in.size(); ++i)
            if (in[i] != filler(*this, i)) return false;
        return true;
    }

  private:
    static std::byte filler(const Letter& letter, std::size_t at) {
        return static_cast<std::byte>(letter.number * 7 + letter.origin * 31 + at * (2 * letter.use + 1));
    }
};

/// A program: sends messages of all uses to all, receives some of what comes, holds buffers for a while, and
/// sends on what it is to. Now and then it looks at none of a channel for some time.
class ChannelHost final : public runtime::Stage {
  public:
    ChannelHost(niu::NodeId node, sim::Link::End end, const ChannelPlan& plan)
        : Stage("host" + std::to_string(node)),
          node_(node),
          plan_(plan),
          random_(plan.seed, 900 + node),
          in_(takes_from(end.input)),
          ways_(plan.hosts) {
        gives_to(end.output);
        niu::Options options = plan.niu;
        options.node = node;
        options.mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(node)};
        channel::Options channels_options = plan.channels;
        channels_options.copy_below = random_.below(1400);
        parts_ = std::make_unique<Channelled>(end, options, channels_options, random_.below(2) == 0);
        for (channel::ChannelId use = 0; use < kUses; ++use)
            channels().open(use);
    }
    ~ChannelHost() override { die(); }

    void die() {
        sent_.clear();
        received_.clear();
        to_relay_.clear();
        parts_.reset();
    }
    std::size_t discard() override { return parts_ ? parts_->below.niu.discard() : 0; }

    bool has_sent_all() { return said_ == plan_.messages && to_relay_.empty() && channels().pending() == 0; }
    /// Of each use, what has been sent by this host, and what has been received; and of what is reliable, to
    /// and from another, or itself.
    const std::array<std::uint64_t, kUses>& sent() const { return sent_of_; }
    const std::array<std::uint64_t, kUses>& received() const { return received_of_; }
    std::uint32_t sent_to(niu::NodeId to, ChannelUse use) const { return ways_[to].sent[use]; }
    std::uint32_t received_from(niu::NodeId from, ChannelUse use) const { return ways_[from].next[use]; }
    bool has_given_up(niu::NodeId other) const { return other != node_ && is_given_up(niu(), other); }
    std::uint64_t dropped() const {
        return channels().counters().drops(channel::Drop::kFull) +
               channels().counters().drops(channel::Drop::kClosed);
    }
    channel::Channels& channels() const { return parts_->channels; }
    const niu::Niu& niu() const { return parts_->below.niu; }
    const std::string& complaint() const { return complaint_; }

    unsigned poll(runtime::Time now) override {
        if (!parts_) return vanish(in_);
        unsigned moved = parts_->below.poll(now);
        moved += channels().poll() ? 1 : 0;
        if (random_.below(64) == 0) absent_until_[random_.below(kUses)] = now + some(random_, 300us);
        for (channel::ChannelId use = 0; use < kUses; ++use)
            moved += now < absent_until_[use] ? 0 : listen(use);
        if (random_.below(500) == 0 && channels().close(kLossy) == channel::Status::kOk)
            channels().open(kLossy);
        return moved + relay() + talk() + let_go();
    }

  private:
    /// What a host is made of, and its channels on top.
    struct Channelled {
        Channelled(sim::Link::End end, const niu::Options& options, const channel::Options& channels_options,
                   bool remote)
            : copies(end.input),
              below({options.in_process ? end.input : static_cast<runtime::Input&>(copies), end.output},
                    options, remote, wire::Protocol::kChannel),
              channels(below.endpoint(), pool(), options.node, static_cast<niu::NodeId>(options.nodes.size()),
                       channels_options) {}

        CopyingInput copies;
        Parts below;
        channel::Channels channels;
    };
    struct Next {
        niu::NodeId to;
        channel::ChannelId use;
        std::size_t share;  ///< of the largest size, in thousandths
    };
    /// What has gone to another host, and what has come from it.
    struct Way {
        std::array<std::uint32_t, kUses> sent{};
        std::array<std::uint32_t, kUses> next{};
        std::vector<std::uint32_t> relayed;  ///< of each origin
    };

    unsigned talk() {
        unsigned n = 0;
        for (std::uint64_t most = random_.below(5); n < most && say(); ++n) {
        }
        return n;
    }
    /// One at a time: who cannot send what is next sends nothing else.
    bool say() {
        if (said_ == plan_.messages) return false;
        if (!next_) next_ = something();
        const auto& [to, use, share] = *next_;
        if (has_given_up(to)) {
            ++said_;
            next_.reset();
            return true;
        }
        const std::size_t most = channels().max_size(to);
        if (most < sizeof(Letter)) return false;
        channel::Buffer buffer = channels().buffer();
        if (!buffer) return false;
        std::size_t size = sizeof(Letter) + (most - sizeof(Letter)) * share / 1000;
        // What is sent on though it is not alone in its packet makes a frame where it lies, which has to be
        // at an even address.
        if (plan_.channels.planted.overwrite_shared) size -= size % 2;
        std::uint32_t& number = ways_[to].sent[use];
        Letter::write(buffer.data().first(size), {node_, use, number, 0});
        const channel::Mode mode = use == kLossy ? channel::Mode::kDatagram : channel::Mode::kReliable;
        if (channels().send(to, use, buffer, size, mode) != channel::Status::kOk) return false;
        ++number;
        ++sent_of_[use];
        ++said_;
        next_.reset();
        // Some are freed at once.
        if (random_.below(2) == 0) sent_.push_back(std::move(buffer));
        return true;
    }
    Next something() {
        Next next{.to = static_cast<niu::NodeId>(random_.below(plan_.hosts)),
                  .use = static_cast<channel::ChannelId>(random_.below(kRelayed)),
                  .share = random_.below(random_.below(3) == 0 ? 1001 : 200)};
        if (next.to == node_ && next.use == kToRelay) next.use = kSafe;
        return next;
    }

    unsigned listen(channel::ChannelId use) {
        unsigned n = 0;
        for (std::uint64_t most = random_.below(4); n < most; ++n) {
            const unsigned told = channels().waiting(use);
            channel::Buffer buffer = channels().receive(use);
            if (!buffer) {
                if (told != 0) complain("was told of messages that are not there");
                break;
            }
            look_at(use, buffer);
            ++received_of_[use];
            (use == kToRelay ? to_relay_ : received_).push_back(std::move(buffer));
        }
        return n;
    }

    void look_at(channel::ChannelId use, const channel::Buffer& buffer) {
        const Letter letter = Letter::read(buffer.data());
        if (!letter.is_intact(buffer.data()) || letter.origin >= plan_.hosts)
            return complain("got a message that nobody wrote");
        Way& way = ways_[buffer.source()];
        if (use == kRelayed) {
            ++way.next[kRelayed];
            way.relayed.resize(plan_.hosts);
            if (letter.number != way.relayed[letter.origin]++) complain("misses a message that was relayed");
            return;
        }
        std::uint32_t& next = way.next[use];
        if (letter.origin != buffer.source() || letter.use != use)
            return complain("got a message that is for another channel");
        if (letter.number < next) return complain("got a message twice, or out of its turn");
        if (letter.number != next && use != kLossy) complain("misses a reliable message");
        next = letter.number + 1;
    }

    /// As they are, and each sender's to the same host.
    unsigned relay() {
        constexpr auto kMode = channel::Mode::kReliable;
        unsigned n = 0;
        while (!to_relay_.empty()) {
            channel::Buffer& buffer = to_relay_.front();
            auto to = static_cast<niu::NodeId>((node_ + 1U) % plan_.hosts);
            if (to == buffer.source()) to = static_cast<niu::NodeId>((to + 1U) % plan_.hosts);
            const std::size_t size = buffer.data().size();
            const bool freed = random_.below(2) == 0;
            const auto status = freed ? channels().send(to, kRelayed, std::move(buffer), size, kMode)
                                      : channels().send(to, kRelayed, buffer, size, kMode);
            if (status != channel::Status::kOk && !has_given_up(to)) break;
            if (status == channel::Status::kOk) {
                ++sent_of_[kRelayed];
                ++ways_[to].sent[kRelayed];
            }
            ++n;
            if (!freed && random_.below(2) == 0) received_.push_back(std::move(buffer));
            to_relay_.erase(to_relay_.begin());
        }
        return n;
    }

    /// Some buffers: those that are idle are written over first.
    unsigned let_go() {
        unsigned n = 0;
        for (std::size_t i = sent_.size(); i-- > 0;) {
            if (channels().busy(sent_[i])) {
                if (channels().pending() == 0 && !niu().options().in_process)
                    complain("has a busy buffer though nothing is pending");
                continue;
            }
            if (random_.below(4) != 0) continue;
            std::fill_n(sent_[i].data().begin(), sent_[i].data().size(), std::byte{0xee});
            sent_.erase(sent_.begin() + static_cast<std::ptrdiff_t>(i));
            ++n;
        }
        for (std::size_t i = received_.size(); i-- > 0;) {
            if (random_.below(8) != 0) continue;
            if (!Letter::read(received_[i].data()).is_intact(received_[i].data()))
                complain("has a buffer that somebody else has written into");
            received_.erase(received_.begin() + static_cast<std::ptrdiff_t>(i));
            ++n;
        }
        return n;
    }

    void complain(const std::string& what) {
        if (complaint_.empty()) complaint_ = name() + " " + what;
    }

    niu::NodeId node_;
    const ChannelPlan& plan_;
    Random random_;
    runtime::Input& in_;
    std::vector<Way> ways_;
    std::uint32_t said_ = 0;
    std::optional<Next> next_;
    std::array<std::uint64_t, kUses> sent_of_{};
    std::array<std::uint64_t, kUses> received_of_{};
    std::array<runtime::Time, kUses> absent_until_{};
    std::string complaint_;
    std::unique_ptr<Channelled> parts_;
    std::vector<channel::Buffer> sent_;
    std::vector<channel::Buffer> received_;
    std::vector<channel::Buffer> to_relay_;
};

}  // namespace isoplane::test
