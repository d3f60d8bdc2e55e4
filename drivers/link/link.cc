// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_ether.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "driver.hh"

namespace isoplane::link {

void Link::describe(nlohmann::json& out) const {
    out["name"] = name();
    out["spec"] = spec().text;
    out["mac"] = to_text(mac());
    out["mtu"] = mtu();
    out["up"] = up();
    if (ended()) out["ended"] = true;
    if (std::string sentence = failure(); !sentence.empty()) out["failure"] = std::move(sentence);
    const LinkStats s = stats();
    out["stats"] = {{"ipackets", s.ipackets},  {"opackets", s.opackets},   {"ibytes", s.ibytes},
                    {"obytes", s.obytes},      {"imissed", s.imissed},     {"ierrors", s.ierrors},
                    {"oerrors", s.oerrors},    {"rx_nombuf", s.rx_nombuf}, {"linearised", s.linearised},
                    {"oversized", s.oversized}};
}

std::vector<std::unique_ptr<Link>> open_links(const std::vector<LinkSpec>& specs,
                                              const LinkOptions& options) {
    std::map<std::string, unsigned> named;  // how often each ring is
    for (const LinkSpec& spec : specs) {
        if (spec.kind == "ring") ++named[spec.target];
    }
    std::map<std::string, unsigned> opened;
    std::vector<std::unique_ptr<Link>> links;
    for (const LinkSpec& spec : specs) {
        LinkSpec exact = spec;
        if (spec.kind == "ring" && named[spec.target] > 1)
            exact.options.emplace("end", opened[spec.target]++ == 0 ? "a" : "b");
        links.push_back(open_link(exact, "link" + std::to_string(links.size()), options));
    }
    return links;
}

runtime::Pool::Place place_of_pool(const std::vector<LinkSpec>& specs) {
    for (const LinkSpec& spec : specs) {
        if (!find_kind(spec.kind)->shared_pool) continue;
        if (specs.size() == 1) return runtime::Pool::Place::kShared;
        throw std::invalid_argument("'" + spec.text +
                                    "' has to be the only link of its process: no other would reach packets "
                                    "that a shared node can read; start another process for the others");
    }
    return runtime::Pool::Place::kPrivate;
}

Mac mac_option(const LinkSpec& spec) {
    rte_ether_addr address{};
    const std::string text = spec.option("mac");
    if (!spec.options.contains("mac")) {
        rte_eth_random_addr(address.addr_bytes);
    } else if (rte_ether_unformat_addr(text.c_str(), &address) != 0 ||
               rte_is_valid_assigned_ether_addr(&address) == 0) {
        throw std::invalid_argument("'" + spec.text + "': mac=" + text +
                                    " is not the address of one station, such as 02:00:00:00:00:01");
    }
    Mac mac;
    std::ranges::copy(address.addr_bytes, mac.begin());
    return mac;
}

std::string to_text(const Mac& mac) {
    rte_ether_addr address{};
    std::ranges::copy(mac, address.addr_bytes);
    std::array<char, RTE_ETHER_ADDR_FMT_SIZE> text{};
    rte_ether_format_addr(text.data(), text.size(), &address);
    return text.data();
}

}  // namespace isoplane::link
