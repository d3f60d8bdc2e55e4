// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "replay/rewrite.hh"

#include <algorithm>
#include <charconv>
#include <isoplane/wire/frame.hh>
#include <isoplane/wire/trailer.hh>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "capture/any_frame.hh"

namespace isoplane::replay {

namespace {

std::optional<std::uint16_t> read_node(std::string_view text) {
    std::uint16_t node = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), node);
    if (error != std::errc{} || end != text.data() + text.size() || node >= capture::kAnyNode) return {};
    return node;
}

}  // namespace

void Rewrite::add_node(const std::string& pair) {
    const std::string_view text = pair;
    const std::size_t sign = text.find('=');
    const auto from = read_node(text.substr(0, sign));
    const auto to = sign == std::string_view::npos ? std::nullopt : read_node(text.substr(sign + 1));
    if (!from || !to)
        throw std::invalid_argument("--map-node " + pair +
                                    " names no two nodes: write 3=7 to make node 3 node 7");
    for (const auto& [other, number] : nodes)
        if (other != *from && number == *to)
            throw std::invalid_argument("--map-node makes one node, " + std::to_string(number) +
                                        ", of nodes " + std::to_string(other) + " and " +
                                        std::to_string(*from));
    if (!nodes.emplace(*from, *to).second)
        throw std::invalid_argument("--map-node gives node " + std::to_string(*from) + " two new numbers");
}

Numbers Rewrite::apply(std::span<std::byte> frame) const {
    if (frame.size() < wire::kEthernetSize) return Numbers::kChanged;
    if (destination) std::ranges::copy(std::as_bytes(std::span(*destination)), frame.begin());
    if (source)
        std::ranges::copy(std::as_bytes(std::span(*source)), frame.begin() + wire::ethernet_layout::kSource);
    return nodes.empty() ? Numbers::kChanged : renumber_frame(frame);
}

/// On a copy, as what comes of it may be no frame: where two nodes become one.
Numbers Rewrite::renumber_frame(std::span<std::byte> frame) const {
    const capture::AnyFrame any = capture::read_any(frame);
    if (!any.decoded) return Numbers::kChanged;
    wire::Header header = any.decoded.header;
    const std::size_t whole = wire::kHeaderSize + header.payload_length;
    if (wire::may_be_trailer(any.raw.subspan(whole), frame.size())) return Numbers::kSealed;
    std::vector<std::byte> changed(any.raw.begin(), any.raw.begin() + static_cast<std::ptrdiff_t>(whole));
    header.source = renamed(nodes, header.source);
    header.destination = renamed(nodes, header.destination);
    const auto payload = std::span(changed).subspan(wire::kHeaderSize);
    if (!renumber(nodes, header.kind, payload)) return Numbers::kKept;
    wire::encode_frame(std::span(changed).first<wire::kHeaderSize>(), header, payload);
    if (!wire::decode_frame(changed, {.encapsulation = {},
                                      .job_key = any.job_key,
                                      .node = wire::kBroadcast,
                                      .node_count = capture::kAnyNode}))
        return Numbers::kKept;
    std::ranges::copy(changed, frame.begin() + (any.raw.data() - frame.data()));
    return Numbers::kChanged;
}

}  // namespace isoplane::replay
