// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/niu/niu.hh>
#include <nlohmann/json.hpp>

namespace isoplane::niu {

namespace {

const char* word(PeerState state) {
    switch (state) {
        case PeerState::kUnknown:
            return "unknown";
        case PeerState::kHeard:
            return "heard";
        case PeerState::kUp:
            return "up";
        case PeerState::kDead:
            return "dead";
    }
    return "";
}

/// Each counter with its name: what is shown, and what is cleared.
template <typename Each>
void for_each_counter(auto& counters, Each&& each) {
    each("messages_sent", counters.messages_sent);
    each("messages_received", counters.messages_received);
    each("frames_sent", counters.frames_sent);
    each("frames_received", counters.frames_received);
    each("resent_overtaken", counters.resent_overtaken);
    each("resent_timeout", counters.resent_timeout);
    each("copied_bytes", counters.copied_bytes);
    each("acks_sent", counters.acks_sent);
    each("requests_sent", counters.requests_sent);
    each("duplicates", counters.duplicates);
    each("early", counters.early);
    each("beyond_credit", counters.beyond_credit);
    each("stale_epoch", counters.stale_epoch);
    each("doubted", counters.doubted);
    each("impossible_ack", counters.impossible_ack);
    each("broken_message", counters.broken_message);
    each("no_packets", counters.no_packets);
    each("peers_lost", counters.peers_lost);
}

}  // namespace

std::size_t Niu::held() const {
    std::size_t frames = to_.size() + out_count_ + frames_.in_use();
    for (const Peer& peer : peers_)
        frames += peer.out.size() + peer.in.early() + (peer.open.packet != nullptr ? 1U : 0U);
    return frames;
}

std::size_t Niu::discard() {
    std::size_t freed = to_.discard() + out_count_;
    rte_pktmbuf_free_bulk(out_.data(), std::exchange(out_count_, std::uint16_t{0}));
    for (Peer& peer : peers_)
        freed += forget(peer);
    lent_.give_up();
    while (ReceivedFrame* const frame = frames_.front()) {
        freed += frame->begun ? 0 : 1;
        frames_.pop();
        release_hold(*frame);
    }
    frames_.flush();
    parting_.give_up();
    stock_.give_back();
    return freed;
}

void Niu::describe(nlohmann::json& out) const {
    for_each_counter(counters_,
                     [&](const char* key, const runtime::Counter& counter) { out[key] = counter.get(); });
    for (std::size_t i = 0; i < wire::kRejectCount; ++i) {
        if (counters_.rejected[i].get() != 0)
            out["rejected"][std::string(wire::name(static_cast<wire::Reject>(i)))] =
                counters_.rejected[i].get();
    }
    for (const Peer& peer : peers_) {
        if (!is_peer(peer)) continue;
        out["peers"][options_.nodes[peer.node]] = {
            {"state", word(peer.state)},
            {"epoch", peer.epoch},
            {"in_flight", peer.out.size()},
            {"credit", distance(peer.out.next(), peer.allowance.limit())},
            {"held", peer.held},
            {"round_trip_ns", peer.rtt.smoothed().count()},
        };
    }
}

void Niu::clear_counters() {
    for_each_counter(counters_, [](const char*, runtime::Counter& counter) { counter.set(0); });
    for (runtime::Counter& counter : counters_.rejected)
        counter.set(0);
}

}  // namespace isoplane::niu
