// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "port_link.hh"

#include <rte_errno.h>

#include <algorithm>
#include <stdexcept>

#include "interface.hh"

namespace isoplane::link {

namespace {

/// Throws unless `result` of an ethdev call is 0.
void demand(int result, const LinkSpec& spec, const std::string& what) {
    if (result == 0) return;
    throw std::runtime_error("the link '" + spec.text + "' cannot " + what + ": " + rte_strerror(-result));
}

rte_eth_conf port_configuration(const rte_eth_dev_info& info, unsigned mtu, unsigned room) {
    rte_eth_conf conf{};
    // Some drivers state a limit that they do not have; the kind's own limit has been checked before.
    const std::uint64_t most = info.max_rx_pktlen - std::min<std::uint64_t>(info.max_rx_pktlen, 18);
    conf.rxmode.mtu = static_cast<std::uint32_t>(std::min<std::uint64_t>({mtu, info.max_mtu, most}));
    if (mtu + RTE_ETHER_HDR_LEN > room)
        conf.rxmode.offloads = info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER;
    conf.txmode.offloads = info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
    return conf;
}

unsigned data_room(const LinkOptions& options) {
    return rte_pktmbuf_data_room_size(options.pool->raw()) - RTE_PKTMBUF_HEADROOM;
}

/// A port that wants packets in one piece gets none that one mbuf of our pool could not hold.
PortOutput::Limits within_room(PortOutput::Limits limits, const LinkOptions& options) {
    if (!limits.multi_segment && (limits.longest == 0 || limits.longest > data_room(options)))
        limits.longest = data_room(options);
    return limits;
}

}  // namespace

std::optional<std::uint64_t> PortInput::bytes() const {
    if (!driver_counts_) return Input::bytes();
    rte_eth_stats stats{};
    rte_eth_stats_get(port_, &stats);
    return stats.ibytes;
}

std::optional<std::uint64_t> PortOutput::bytes() const {
    if (!driver_counts_) return Output::bytes();
    rte_eth_stats stats{};
    rte_eth_stats_get(port_, &stats);
    return stats.obytes;
}

PortLink::PortLink(const LinkSpec& spec, const std::string& name, const LinkOptions& options, Device device,
                   PortTraits traits)
    : Link(name, spec),
      traits_(std::move(traits)),
      device_(std::move(device)),
      input_(name + ".rx", port_id(), traits_.bytes, traits_.backlog,
             traits_.own_pool ? options.pool->raw() : nullptr,
             traits_.apart ? &traits_.apart->burst() : nullptr),
      output_(name + ".tx", port_id(), traits_.bytes, within_room(traits_.limits, options),
              options.pool->raw(), traits_.apart ? &traits_.apart->burst() : nullptr) {
    mtu_ = options.mtu;
    if (traits_.apart) device_->close_on_interrupt_thread();
    configure(options);
    if (traits_.mac) {
        mac_ = *traits_.mac;
    } else {
        rte_ether_addr address{};
        demand(rte_eth_macaddr_get(port_id(), &address), spec, "say its address");
        std::ranges::copy(address.addr_bytes, mac_.begin());
    }
}

PortLink::~PortLink() {
    stop();
    const QuietDriver quiet(traits_.logs);
    device_.reset();
}

void PortLink::configure(const LinkOptions& options) {
    const std::uint16_t port = port_id();
    rte_eth_dev_info info{};
    demand(rte_eth_dev_info_get(port, &info), spec(), "say what it can do");
    const rte_eth_conf conf = port_configuration(info, options.mtu, data_room(options));
    auto rx = static_cast<std::uint16_t>(std::clamp(options.rx_descriptors, 1U, 32768U));
    auto tx = static_cast<std::uint16_t>(std::clamp(options.tx_descriptors, 1U, 32768U));
    demand(rte_eth_dev_configure(port, 1, 1, &conf), spec(),
           "be configured for an MTU of " + std::to_string(options.mtu));
    demand(rte_eth_dev_adjust_nb_rx_tx_desc(port, &rx, &tx), spec(), "adjust its descriptors");
    rte_eth_rxconf rxconf = info.default_rxconf;
    rxconf.offloads = conf.rxmode.offloads;
    rte_eth_txconf txconf = info.default_txconf;
    txconf.offloads = conf.txmode.offloads;
    const auto socket = static_cast<unsigned>(rte_eth_dev_socket_id(port));
    rte_mempool* pool = (traits_.own_pool ? traits_.own_pool.get() : options.pool)->raw();
    demand(rte_eth_rx_queue_setup(port, 0, rx, socket, &rxconf, pool), spec(),
           "set up a receive queue of " + std::to_string(rx) + " packets");
    demand(rte_eth_tx_queue_setup(port, 0, tx, socket, &txconf), spec(),
           "set up a transmit queue of " + std::to_string(tx) + " packets");
}

void PortLink::run(const std::function<void()>& what) {
    if (traits_.apart)
        on_interrupt_thread(what);
    else
        what();
}

void PortLink::start() {
    if (started_) return;
    const QuietDriver quiet(traits_.logs);
    run([this] { demand(rte_eth_dev_start(port_id()), spec(), "start"); });
    started_ = true;
    // Ports that have no filter cannot turn it off.
    const int promiscuous = rte_eth_promiscuous_enable(port_id());
    if (promiscuous != -ENOTSUP) demand(promiscuous, spec(), "receive frames for all addresses");
}

void PortLink::stop() {
    if (!started_) return;
    const QuietDriver quiet(traits_.logs);
    run([this] { rte_eth_dev_stop(port_id()); });
    started_ = false;
}

bool PortLink::up() const {
    if (!started_ || (!traits_.netdev.empty() && !interface_runs(traits_.netdev))) return false;
    rte_eth_link state{};
    return rte_eth_link_get_nowait(port_id(), &state) == 0 && state.link_status == RTE_ETH_LINK_UP;
}

LinkStats PortLink::stats() const {
    rte_eth_stats port{};
    rte_eth_stats_get(port_id(), &port);
    const bool counts = traits_.bytes == ByteCount::kDriver;
    return {.ipackets = counts ? port.ipackets : input_.packets().get(),
            .opackets = counts ? port.opackets : output_.packets().get(),
            .ibytes = counts ? port.ibytes : input_.bytes().value_or(0),
            .obytes = counts ? port.obytes : output_.bytes().value_or(0),
            .imissed = port.imissed,
            .ierrors = port.ierrors,
            .oerrors = port.oerrors,
            .rx_nombuf = port.rx_nombuf + input_.no_copy.get(),
            .linearised = output_.linearised.get(),
            .oversized = output_.oversized.get()};
}

void PortLink::clear_stats() {
    rte_eth_stats_reset(port_id());
    if (traits_.bytes != ByteCount::kDriver) {
        input_.clear_counters();
        output_.clear_counters();
    }
    input_.no_copy.set(0);
    output_.linearised.set(0);
    output_.oversized.set(0);
}

unsigned PortInput::waiting() const noexcept {
    if (backlog_ != nullptr) return rte_ring_count(backlog_);
    const int waiting = rte_eth_rx_queue_count(port_, 0);
    return waiting > 0 ? static_cast<unsigned>(waiting) : 0;
}

std::uint16_t PortInput::copy(rte_mbuf** packets, std::uint16_t n) noexcept {
    std::uint16_t copied = 0;
    for (std::uint16_t i = 0; i < n; ++i) {
        rte_mbuf* original = packets[i];
        rte_mbuf* mine = rte_pktmbuf_copy(original, copy_to_, 0, UINT32_MAX);
        rte_pktmbuf_free(original);
        if (mine == nullptr)
            no_copy.add(1);
        else
            packets[copied++] = mine;
    }
    return copied;
}

std::uint16_t PortOutput::send_carefully(rte_mbuf** packets, std::uint16_t n) noexcept {
    std::uint16_t done = 0;
    while (done < n) {
        std::uint16_t ready = done;
        while (ready < n && fits(packets[ready]) && linearise(packets[ready]))
            ++ready;
        const auto run = static_cast<std::uint16_t>(ready - done);
        if (run > 0) {
            const std::uint16_t sent = give(packets + done, run);
            done = static_cast<std::uint16_t>(done + sent);
            if (sent < run) return done;
        }
        if (done == n || fits(packets[done])) return done;  // the pool is empty: the rest has to wait
        rte_pktmbuf_free(packets[done]);
        oversized.add(1);
        ++done;
    }
    return done;
}

/// Makes a chained packet one piece if it has to be. Returns false when there is no mbuf for that now.
bool PortOutput::linearise(rte_mbuf*& packet) noexcept {
    if (limits_.multi_segment || packet->nb_segs == 1) return true;
    if (rte_pktmbuf_linearize(packet) != 0) {
        rte_mbuf* whole = rte_pktmbuf_copy(packet, pool_, 0, UINT32_MAX);
        if (whole == nullptr) return false;
        rte_pktmbuf_free(packet);
        packet = whole;
    }
    linearised.add(1);
    return true;
}

}  // namespace isoplane::link
