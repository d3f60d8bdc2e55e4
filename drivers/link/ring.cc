// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_errno.h>
#include <rte_eth_ring.h>

#include <array>
#include <isoplane/runtime/ring.hh>
#include <mutex>
#include <stdexcept>

#include "port_link.hh"

namespace isoplane::link {

namespace {

/// The two rings between the ends of a link, or the one that leads a single end back to itself. Lives as long
/// as an end does, and frees what nobody took.
struct Wire {
    Wire(unsigned size, bool looped) : first(Device::unused_name("link_ring"), size) {
        if (!looped) second.emplace(Device::unused_name("link_ring"), size);
    }

    runtime::Ring first;                  ///< into end a
    std::optional<runtime::Ring> second;  ///< into end b; none when the wire is looped
    bool a_taken = false;
    bool b_taken = false;
};

/// The wires of this process, by name, while an end of them is open.
class Wires {
  public:
    static Wires& all() {
        // Never destroyed: a job that ends with the program still has its ends.
        static Wires* const wires = new Wires;
        return *wires;
    }

    /// Takes one end of the wire: "a", "b", or "" for both in one. It is free again when the last copy of the
    /// result goes.
    std::shared_ptr<Wire> take(const LinkSpec& spec, const std::string& end, unsigned size) {
        const std::lock_guard guard(lock_);
        std::unique_ptr<Wire>& wire = wires_[spec.target];
        if (wire == nullptr) wire = std::make_unique<Wire>(size, end.empty());
        const bool wants_a = end != "b";
        const bool wants_b = end != "a";
        if ((wants_a && wire->a_taken) || (wants_b && wire->b_taken)) {
            throw std::runtime_error("'" + spec.text + "': the ring '" + spec.target +
                                     "' is in use; a ring joins two links of one process, so give a third "
                                     "another name");
        }
        wire->a_taken |= wants_a;
        wire->b_taken |= wants_b;
        return {wire.get(), [this, name = spec.target, wants_a, wants_b](Wire* taken) {
                    const std::lock_guard give_back(lock_);
                    taken->a_taken &= !wants_a;
                    taken->b_taken &= !wants_b;
                    if (!taken->a_taken && !taken->b_taken) wires_.erase(name);
                }};
    }

  private:
    std::mutex lock_;
    std::map<std::string, std::unique_ptr<Wire>> wires_;
};

std::unique_ptr<Link> open_ring(const LinkSpec& spec, const std::string& name, const LinkOptions& options) {
    const std::string end = spec.option("end");
    if (!end.empty() && end != "a" && end != "b")
        throw std::invalid_argument("'" + spec.text + "': end=" + end + " is neither a nor b");
    std::shared_ptr<Wire> wire = Wires::all().take(spec, end, options.tx_descriptors);
    rte_ring* into_a = wire->first.raw();
    rte_ring* into_b = wire->second ? wire->second->raw() : into_a;
    std::array<rte_ring*, 1> rx{end == "b" ? into_b : into_a};
    std::array<rte_ring*, 1> tx{end == "b" ? into_a : into_b};

    const std::string port_name = Device::unused_name("link");
    const int port = rte_eth_from_rings(port_name.c_str(), rx.data(), 1, tx.data(), 1, 0);
    if (port < 0) {
        throw std::runtime_error("the link '" + spec.text +
                                 "' did not come up: DPDK made no port of its rings (" +
                                 rte_strerror(rte_errno) + ")");
    }
    return std::make_unique<PortLink>(
        spec, name, options, Device(static_cast<std::uint16_t>(port), "net_ring_" + port_name, wire),
        PortTraits{.backlog = rx[0], .mac = mac_option(spec), .bytes = ByteCount::kNobody});
}

}  // namespace

Driver ring_driver() {
    return {
        .kind = {.name = "ring",
                 .summary = "joins two links of one process, or leads one back to itself",
                 .target = "NAME",
                 .options = {{"end", "a|b", "which end this is, for links opened one by one"}, kMacOption},
                 .root = false,
                 .multi_segment = true,
                 .max_mtu = kAnyMtu,
                 .queues = 1,
                 .zero_copy = true,
                 .in_process = true,
                 .rate = "100 M/s",
                 .needs = "nothing"},
        .open = open_ring};
}

}  // namespace isoplane::link
