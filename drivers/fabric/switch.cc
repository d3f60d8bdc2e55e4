// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_prefetch.h>

#include <algorithm>
#include <isoplane/fabric/switch.hh>
#include <stdexcept>

namespace isoplane::fabric {

void IngressCounters::clear() noexcept {
    for (runtime::Counter* counter : {&in, &flooded, &filtered, &runt, &cut})
        counter->set(0);
}

Switch::Switch(std::string name, const std::vector<Port>& ports, runtime::Pool& copies,
               const SwitchOptions& options)
    : Stage(std::move(name)), stations_(options.addresses, options.age), copies_(&copies) {
    if (ports.size() >= MacTable::kNoPort) {
        throw std::invalid_argument("the switch '" + this->name() + "' cannot have " +
                                    std::to_string(ports.size()) + " ports; fewer than " +
                                    std::to_string(MacTable::kNoPort) + " can be numbered");
    }
    for (const Port& port : ports) {
        takes_from(port.input);
        gives_to(port.output);
        ports_.push_back(std::make_unique<State>(port, this->ports(), copies, options));
    }
}

unsigned Switch::poll(runtime::Time now) {
    now_ = now;
    unsigned received = 0;
    unsigned sent = 0;
    for (const auto& port : ports_)
        received += receive(*port);
    for (const auto& port : ports_)
        sent += transmit(*port);
    return std::max(received, sent);
}

unsigned Switch::receive(State& from) noexcept {
    runtime::Burst burst;
    const std::uint16_t n = from.input.receive(burst);
    if (n == 0) return 0;
    from.counters.in.add(n);
    if (from.egress.settings().cut) [[unlikely]] {
        rte_pktmbuf_free_bulk(burst.data(), n);
        from.counters.cut.add(n);
        return n;
    }
    for (std::uint16_t i = 0; i < n; ++i)
        rte_prefetch0(rte_pktmbuf_mtod(burst[i], void*));
    for (std::uint16_t i = 0; i < n; ++i)
        forward(burst[i], from);
    return n;
}

void Switch::forward(rte_mbuf* frame, State& from) noexcept {
    if (frame->data_len < RTE_ETHER_HDR_LEN) [[unlikely]] {
        rte_pktmbuf_free(frame);
        from.counters.runt.add();
        return;
    }
    const auto* header = rte_pktmbuf_mtod(frame, const rte_ether_hdr*);
    stations_.learn(header->src_addr, from.number, now_);
    if (rte_is_multicast_ether_addr(&header->dst_addr)) [[unlikely]]
        return flood(frame, from);
    const std::uint16_t to = stations_.find(header->dst_addr, now_);
    if (to == MacTable::kNoPort) [[unlikely]]
        return flood(frame, from);
    if (to == from.number) [[unlikely]] {
        rte_pktmbuf_free(frame);
        from.counters.filtered.add();
        return;
    }
    pass(frame, from, *ports_[to]);
}

/// The last port gets the frame itself and the others copies: sharing one would let receivers on several
/// lcores move each other's data pointers.
void Switch::flood(rte_mbuf* frame, State& from) noexcept {
    from.counters.flooded.add();
    State* pending = nullptr;
    for (const auto& port : ports_) {
        if (port.get() == &from) continue;
        if (port->group != from.group) {
            port->egress.refuse();
            continue;
        }
        if (pending != nullptr) {
            rte_mbuf* copy = rte_pktmbuf_copy(frame, copies_->raw(), 0, UINT32_MAX);
            if (copy != nullptr) {
                pending->egress.offer(copy, now_);
            } else {
                pending->egress.starve();
            }
        }
        pending = port.get();
    }
    if (pending != nullptr) {
        pending->egress.offer(frame, now_);
    } else {
        rte_pktmbuf_free(frame);
    }
}

void Switch::pass(rte_mbuf* frame, const State& from, State& to) noexcept {
    if (to.group != from.group) [[unlikely]] {
        rte_pktmbuf_free(frame);
        to.egress.refuse();
        return;
    }
    to.egress.offer(frame, now_);
}

unsigned Switch::transmit(State& to) noexcept {
    unsigned sent = 0;
    // More than one view where the line wraps or several ports feed this one.
    for (auto ready = to.egress.ready(now_); !ready.empty(); ready = to.egress.ready(now_)) {
        const std::uint16_t n = to.output.send(ready.data(), static_cast<std::uint16_t>(ready.size()));
        to.egress.left(n);
        sent += n;
        if (n < ready.size()) break;
    }
    return sent;
}

std::size_t Switch::held() const {
    std::size_t frames = 0;
    for (const auto& port : ports_)
        frames += port->egress.held();
    return frames;
}

std::size_t Switch::discard() {
    std::size_t frames = 0;
    for (const auto& port : ports_)
        frames += port->egress.discard();
    return frames;
}

void Switch::set_partition(const Partition& groups) noexcept {
    for (const auto& port : ports_)
        port->group = groups[port->number];
}

void Switch::clear_counters() {
    for (const auto& port : ports_) {
        port->counters.clear();
        port->egress.clear_counters();
    }
}

}  // namespace isoplane::fabric
