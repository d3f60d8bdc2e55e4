// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/fabric/random.hh>
#include <isoplane/sim/world.hh>
#include <utility>
#include <vector>

#include "frames.hh"

namespace isoplane::test {

/// A station that sends numbered frames to peers and tallies what it receives, by sender.
class Host final : public runtime::Stage {
  public:
    Host(unsigned number, unsigned stations, const sim::Link::End& port, runtime::Pool& pool,
         std::uint64_t seed)
        : Stage("host" + std::to_string(number)),
          number_(number),
          in_(takes_from(port.input)),
          out_(gives_to(port.output)),
          pool_(pool),
          random_(seed, number),
          streams_(stations) {}
    ~Host() override { discard(); }

    /// Sends `frames` frames, each to one of the peers drawn at random.
    void talk_to(std::vector<unsigned> peers, std::uint64_t frames) {
        peers_ = std::move(peers);
        to_send_ = frames;
    }
    /// Lets the switch hear where this station is.
    void greet() { greeting_ = true; }

    bool has_finished() const { return to_send_ == 0 && !greeting_ && held_ == nullptr; }
    std::uint64_t sent() const { return sent_; }
    std::uint64_t received() const { return received_; }
    std::uint64_t damaged() const { return damaged_; }
    std::uint64_t foreign() const { return foreign_; }
    /// Of the frames that `from` has sent here.
    const Tally& stream(unsigned from) const { return streams_[from].tally; }
    std::uint64_t sent_to(unsigned to) const { return streams_[to].next; }

    unsigned poll(runtime::Time /*now*/) override { return receive() + send(); }
    void set_quiet(bool quiet) override { quiet_ = quiet; }
    std::size_t held() const override { return held_ != nullptr ? 1 : 0; }
    std::size_t discard() override {
        const std::size_t frames = held();
        rte_pktmbuf_free(std::exchange(held_, nullptr));
        return frames;
    }

  private:
    struct Stream {
        Tally tally;
        std::uint32_t next = 0;
    };

    unsigned receive() {
        runtime::Burst burst;
        const std::uint16_t n = in_.receive(burst);
        for (std::uint16_t i = 0; i < n; ++i)
            see(burst[i]);
        rte_pktmbuf_free_bulk(burst.data(), n);
        return n;
    }

    void see(const rte_mbuf* frame) {
        const auto* header = rte_pktmbuf_mtod(frame, const rte_ether_hdr*);
        if (rte_is_broadcast_ether_addr(&header->dst_addr)) return;
        ++received_;
        if (!intact(frame)) {
            ++damaged_;
        } else if (mark_of(frame).to != number_) {
            ++foreign_;
        } else {
            streams_[mark_of(frame).from].tally.see(frame);
        }
    }

    unsigned send() {
        unsigned n = 0;
        for (std::uint64_t most = random_.below(8) + 1; n < most; ++n) {
            if (held_ == nullptr) held_ = next_frame();
            if (held_ == nullptr || out_.send(&held_, 1) == 0) break;
            held_ = nullptr;
        }
        return n;
    }

    rte_mbuf* next_frame() {
        if (quiet_) return nullptr;
        if (std::exchange(greeting_, false)) return numbered_frame(pool_, number_, kBroadcast, number_, 0);
        if (to_send_ == 0) return nullptr;
        --to_send_;
        ++sent_;
        const unsigned to = peers_[random_.below(peers_.size())];
        const auto length = static_cast<std::uint16_t>(60 + random_.below(200));
        return numbered_frame(pool_, number_, to, streams_[to].next++, length);
    }

    unsigned number_;
    runtime::Input& in_;
    runtime::Output& out_;
    runtime::Pool& pool_;
    fabric::Random random_;
    std::vector<Stream> streams_;
    std::vector<unsigned> peers_;
    std::uint64_t to_send_ = 0;
    bool greeting_ = false;
    bool quiet_ = false;
    rte_mbuf* held_ = nullptr;  ///< refused by the link
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
    std::uint64_t damaged_ = 0;
    std::uint64_t foreign_ = 0;
};

}  // namespace isoplane::test
