// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sink.hh"

#include <isoplane/wire/probe.hh>
#include <nlohmann/json.hpp>
#include <numeric>

namespace isoplane::traffic {

namespace {

/// Older than an hour means that another machine's clock stamped it.
constexpr std::uint64_t kOldest = 3'600'000'000'000;

}  // namespace

Sink::Sink(std::string name, runtime::Input& from, const wire::Expect& expect)
    : Stage(std::move(name)), from_(takes_from(from)), expect_(expect) {}

unsigned Sink::poll(runtime::Time now) {
    runtime::Burst burst;
    const std::uint16_t n = from_.receive(burst);
    for (std::uint16_t i = 0; i < n; ++i)
        check(burst[i], now);
    rte_pktmbuf_free_bulk(burst.data(), n);
    taken_.add(n);
    return n;
}

void Sink::check(rte_mbuf* m, runtime::Time now) {
    if (rte_pktmbuf_linearize(m) != 0) {
        rejects_[static_cast<std::size_t>(wire::Reject::kShortFrame)].add();
        return;
    }
    const auto frame = wire::decode(runtime::Packet::bytes_of(m), expect_);
    if (!frame) {
        rejects_[static_cast<std::size_t>(frame.reason)].add();
        return;
    }
    if (frame.header.kind != wire::Kind::kProbe) {
        not_probes_.add();
        return;
    }
    if (frame.payload.size() >= wire::kProbeSize && !wire::probe_intact(frame.payload)) {
        mangled_.add();
        return;
    }
    auto& sender = senders_[frame.header.source];
    if (!sender) sender = std::make_unique<SequenceCheck>();
    switch (sender->note(frame.header.sequence)) {
        case SequenceCheck::Verdict::kDuplicate:
            duplicates_.add();
            return;
        case SequenceCheck::Verdict::kLate:
            late_.add();
            break;
        case SequenceCheck::Verdict::kInOrder:
            break;
    }
    good_.add();
    if (const auto probe = wire::decode_probe(frame.payload)) {
        const auto age = static_cast<std::uint64_t>(now.time_since_epoch().count()) - probe->sent_ns;
        if (age < kOldest) latency_.record(age);
    }
}

std::uint64_t Sink::refused() const noexcept {
    std::uint64_t sum = not_probes_.get() + mangled_.get();
    for (std::size_t reason = 0; reason < rejects_.size(); ++reason) {
        const auto why = static_cast<wire::Reject>(reason);
        if (why != wire::Reject::kNotOurs && why != wire::Reject::kBadDestination)
            sum += rejects_[reason].get();
    }
    return sum;
}

std::uint64_t Sink::missing() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& [node, sender] : senders_)
        sum += sender->missing();
    return sum;
}

void Sink::describe(nlohmann::json& out) const {
    out = {{"good", good_.get() - cleared_good_},
           {"duplicates", duplicates_.get()},
           {"late", late_.get()},
           {"missing", missing()},
           {"not_probes", not_probes_.get()},
           {"mangled", mangled_.get()},
           {"senders", senders_.size()}};
    if (latency_.count() > 0) {
        out["latency_ns"] = {{"p50", latency_.quantile(0.5)},
                             {"p99", latency_.quantile(0.99)},
                             {"p999", latency_.quantile(0.999)}};
    }
    nlohmann::json refused = nlohmann::json::object();
    for (std::size_t reason = 1; reason < rejects_.size(); ++reason) {
        const std::uint64_t n = rejects_[reason].get();
        if (n > 0) refused[std::string(wire::name(static_cast<wire::Reject>(reason)))] = n;
    }
    if (!refused.empty()) out["refused"] = std::move(refused);
}

void Sink::clear_counters() {
    for (runtime::Counter* c : {&duplicates_, &late_, &not_probes_, &mangled_})
        c->set(0);
    for (runtime::Counter& c : rejects_)
        c.set(0);
    latency_.clear();
    cleared_good_ = good_.get();
    for (auto& [node, sender] : senders_)
        sender->forget_missing();
}

}  // namespace isoplane::traffic
