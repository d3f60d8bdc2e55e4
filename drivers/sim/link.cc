// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/sim/link.hh>

namespace isoplane::sim {

Channel::Channel(const std::string& name, std::uint32_t number, const Ground& ground, const LinkModel& model,
                 const fabric::Impairment& impairment)
    : number_(number),
      latency_(model.latency),
      scheduler_(ground.scheduler),
      trace_(ground.trace),
      egress_(ground.seed, number, model.capacity, ground.pool),
      input_(name, *this),
      output_(name, *this) {
    set(impairment);
}

void Channel::set(const fabric::Impairment& impairment) noexcept {
    fabric::Impairment with_latency = impairment;
    with_latency.delay += latency_;
    egress_.set(with_latency);
    wake_receiver();
}

std::uint16_t Channel::put(rte_mbuf** packets, std::uint16_t n) noexcept {
    std::uint16_t taken = 0;
    for (; taken < n && egress_.room() > 0; ++taken)
        egress_.offer(packets[taken], scheduler_.now());
    wake_receiver();
    return taken;
}

std::uint16_t Channel::take(rte_mbuf** packets, std::uint16_t room) noexcept {
    const runtime::Time now = scheduler_.now();
    std::uint16_t taken = 0;
    for (auto ready = egress_.ready(now); !ready.empty() && taken < room; ready = egress_.ready(now)) {
        const auto n = std::min<std::size_t>(ready.size(), std::size_t{room} - taken);
        for (rte_mbuf* frame : ready.first(n)) {
            trace_.deliver(number_, frame, now);
            packets[taken++] = frame;
        }
        egress_.left(static_cast<unsigned>(n));
    }
    return taken;
}

void Channel::wake_receiver() noexcept {
    if (receiver_ != Scheduler::kNobody) scheduler_.wake(receiver_, egress_.next_due());
}

}  // namespace isoplane::sim
