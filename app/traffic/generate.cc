// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "generate.hh"

#include <algorithm>
#include <isoplane/wire/probe.hh>
#include <nlohmann/json.hpp>

namespace isoplane::traffic {

Generate::Generate(std::string name, runtime::Output& to, runtime::Pool& pool, const GenerateOptions& options)
    : Stage(std::move(name)),
      to_(gives_to(to)),
      pool_(pool),
      options_(options),
      pacer_(options.rate, options.size) {}

void Generate::set_rate(const Rate& rate) {
    options_.rate = rate;
    pacer_ = Pacer(rate, options_.size);
}

void Generate::keep_under_way(std::uint32_t window, const Sink& sink) {
    window_ = window;
    returned_to_ = &sink;
}

std::uint64_t Generate::room_in_window() const noexcept {
    const std::uint64_t returned = returned_to_->taken();
    // More may come back than went out: a network can duplicate.
    const std::uint64_t under_way = made_ - std::min(made_, returned);
    return window_ - std::min<std::uint64_t>(window_, under_way);
}

std::uint16_t Generate::due(runtime::Time now) {
    if (quiet_) return 0;
    std::uint64_t n = runtime::kBurst;
    if (options_.count != 0) n = std::min(n, options_.count - made_);
    if (returned_to_ != nullptr) n = std::min(n, room_in_window());
    return pacer_.take(now, static_cast<std::uint16_t>(n));
}

unsigned Generate::poll(runtime::Time now) {
    if (!to_.flush()) [[unlikely]]
        return 0;
    sent_.set(made_);
    const std::uint16_t n = due(now);
    if (n == 0) return 0;
    runtime::Burst burst;
    if (rte_pktmbuf_alloc_bulk(pool_.raw(), burst.data(), n) != 0) {
        pacer_.give_back(n);
        no_packets_.add();
        return 0;
    }
    for (std::uint16_t i = 0; i < n; ++i)
        fill(burst[i], now);
    to_.send(burst.data(), n);
    sent_.set(made_ - to_.size());
    return n;
}

void Generate::fill(rte_mbuf* m, runtime::Time now) {
    auto* const bytes = reinterpret_cast<std::byte*>(rte_pktmbuf_append(m, options_.size));
    wire::encode_ethernet(std::span<std::byte, wire::kEthernetSize>(bytes, wire::kEthernetSize),
                          options_.destination_mac, options_.source_mac, wire::kDefaultEtherType);
    const std::span payload(bytes + kMinFrame, static_cast<std::size_t>(options_.size - kMinFrame));
    if (payload.size() >= wire::kProbeSize) {
        const auto since_start = static_cast<std::uint64_t>(now.time_since_epoch().count());
        wire::encode_probe(payload, {.stream = 0, .number = made_, .sent_ns = since_start});
    } else {
        std::fill(payload.begin(), payload.end(), std::byte{0});
    }
    wire::Header header;
    header.kind = wire::Kind::kProbe;
    header.job_key = options_.job_key;
    header.source = options_.source;
    header.destination = options_.destination;
    header.sequence = static_cast<std::uint32_t>(made_++);
    wire::encode_frame(
        std::span<std::byte, wire::kHeaderSize>(bytes + wire::kEthernetSize, wire::kHeaderSize), header,
        payload);
}

std::size_t Generate::discard() {
    const std::size_t freed = to_.discard();
    made_ -= freed;
    return freed;
}

void Generate::describe(nlohmann::json& out) const {
    out["sent"] = sent_.get() - cleared_sent_;
    out["count"] = options_.count;
    out["no_packets"] = no_packets_.get();
}

void Generate::clear_counters() {
    cleared_sent_ = sent_.get();
    no_packets_.set(0);
}

}  // namespace isoplane::traffic
