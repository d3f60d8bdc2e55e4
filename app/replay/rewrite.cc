// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "replay/rewrite.hh"

#include <algorithm>
#include <charconv>
#include <isoplane/wire/frame.hh>
#include <stdexcept>
#include <string_view>

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
    if (!nodes.emplace(*from, *to).second)
        throw std::invalid_argument("--map-node gives node " + std::to_string(*from) + " two new numbers");
}

void Rewrite::apply(std::span<std::byte> frame) const {
    if (frame.size() < wire::kEthernetSize) return;
    if (destination) std::ranges::copy(std::as_bytes(std::span(*destination)), frame.begin());
    if (source)
        std::ranges::copy(std::as_bytes(std::span(*source)), frame.begin() + wire::ethernet_layout::kSource);
    if (nodes.empty()) return;
    const capture::AnyFrame any = capture::read_any(frame);
    if (!any.decoded) return;
    wire::Header header = any.decoded.header;
    const auto renumber = [this](std::uint16_t& node) {
        if (const auto found = nodes.find(node); found != nodes.end()) node = found->second;
    };
    renumber(header.source);
    renumber(header.destination);
    wire::encode_header(
        frame.subspan(static_cast<std::size_t>(any.raw.data() - frame.data())).first<wire::kHeaderSize>(),
        header);
}

}  // namespace isoplane::replay
