// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "replay/survey.hh"

#include <algorithm>
#include <isoplane/wire/hello.hh>
#include <stdexcept>
#include <tuple>

namespace isoplane::replay {

Survey::Survey(const std::string& file, ProgressBar& bar) {
    capture::Reader reader(file);
    std::uint64_t bytes = 0;
    for (capture::Frame frame; reader.next(frame);) {
        ++frames;
        bytes += frame.bytes.size();
        if (bar.due()) bar.show({}, frames, bytes);
        const capture::AnyFrame any = capture::read_any(frame.bytes);
        if (!any.decoded || frame.bytes.empty()) continue;
        if (any.raw.data() != frame.bytes.data() + wire::kEthernetSize)
            throw std::runtime_error(
                "the frames in '" + file +
                "' travel in UDP or in a VLAN; only those in plain Ethernet can be fed to a stage.");
        if (nodes.empty()) job_key = any.job_key;
        if (any.job_key == job_key) see(frame, any);
    }
    if (nodes.empty())
        throw std::runtime_error("'" + file + "' has no frames of isoplane; capture on the links of a job.");
}

void Survey::see(const capture::Frame& frame, const capture::AnyFrame& any) {
    const wire::Header& header = any.decoded.header;
    Node& node = nodes[header.source];
    if (node.epoch == 0) {
        node.epoch = header.epoch;
        std::copy_n(frame.bytes.begin() + sizeof(wire::MacAddress), node.mac.size(),
                    reinterpret_cast<std::byte*>(node.mac.data()));
    }
    if (const bool presents = header.kind == wire::Kind::kHello || header.kind == wire::Kind::kHelloAck;
        presents && !node.hello) {
        const auto hello = wire::decode_hello(any.decoded.payload);
        node.hello = true;
        node.name = hello->name;
        node.credit = hello->credit;
        node.mtu = hello->mtu;
    }
    Passage& passage = passages_[{frame.interface, frame.direction}];
    ++passage.sources[header.source];
    passage.first.try_emplace(header.source, frame.when);
}

/// Its frames pass its own port before others, and that way few of others pass: none, unless there is a token
/// manager beside it.
std::optional<Survey::Port> Survey::port_of(std::uint16_t node) const {
    const auto rank = [node](const auto& passage) {
        return std::tuple(passage.second.sources.size(), passage.second.first.at(node));
    };
    auto best = passages_.end();
    for (auto it = passages_.begin(); it != passages_.end(); ++it) {
        if (it->first.second == capture::Direction::kUnknown || !it->second.sources.contains(node)) continue;
        if (best == passages_.end() || rank(*it) < rank(*best)) best = it;
    }
    if (best == passages_.end()) return std::nullopt;
    const auto [interface, outward] = best->first;
    return Port{interface,
                outward == capture::Direction::kIn ? capture::Direction::kOut : capture::Direction::kIn};
}

}  // namespace isoplane::replay
