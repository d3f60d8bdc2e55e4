// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Makes the ends of transports that run on a pair of links.
#pragma once

#include <isoplane/link/kind.hh>
#include <isoplane/topology/ip.hh>
#include <memory>
#include <utility>
#include <vector>

#include "frame_form.hh"
#include "niu_end.hh"
#include "raw.hh"
#include "results.hh"
#include "side.hh"

namespace isoplane::perf {

/// End 0 is that of side a, and its frames are for side b.
template <Content content>
std::unique_ptr<Raw<content>> make_raw(Sides& sides, unsigned end, runtime::Input& from,
                                       runtime::Output& to) {
    Side& side = sides[end];
    return std::make_unique<Raw<content>>(from, to, *side.pool, side.link->mac(), sides[1 - end].link->mac(),
                                          side.link->mtu());
}

/// Each pair of NIUs is a job of its own: what is late from one is none of the other's business.
inline niu::Options options_of(Side& side, unsigned end, std::vector<std::string> nodes) {
    static std::uint32_t jobs = 0;
    if (end == 0) ++jobs;
    const link::Link& link = *side.link;
    const link::LinkKind& kind = *link::find_kind(link.spec().kind);
    return {.node = static_cast<niu::NodeId>(end),
            .nodes = std::move(nodes),
            .job_key = jobs,
            .mac = link.mac(),
            .mtu = static_cast<std::uint16_t>(link.mtu()),
            .chains = kind.multi_segment,
            .in_process = kind.in_process};
}

/// Of one of two.
inline niu::Options pair_options(Sides& sides, unsigned end, const FrameForm& frames) {
    niu::Options options = options_of(sides[end], end, {"a", "b"});
    options.trust_fcs = frames.trust_fcs;
    if (frames.udp) options.udp = {.addresses = {topology::default_ip(0), topology::default_ip(1)}};
    return options;
}

inline std::unique_ptr<NiuEnd> behind_gate(Side& side, runtime::Input& from, runtime::Output& to,
                                           const auth::Key& key, niu::Options options) {
    const auth::GateOptions its{.station = options.node,
                                .stations = options.nodes.size(),
                                .job_key = options.job_key,
                                .encapsulation = niu::Stations(options).encapsulation()};
    auto gate = std::make_unique<auth::Gate>(side.link->name(), key, its, from, to, *side.pool);
    options.mtu = static_cast<std::uint16_t>(options.mtu - wire::kTrailerSize);
    options.chains = false;
    return std::make_unique<NiuEnd>(std::move(gate), *side.pool, std::move(options));
}

/// How an NIU is set up for `perf pair`.
struct NiuSetup {
    FrameForm frames{};
    bool coalesce = false;
};

inline std::unique_ptr<NiuEnd> make_niu(Sides& sides, unsigned end, runtime::Input& from, runtime::Output& to,
                                        const NiuSetup& setup) {
    niu::Options options = pair_options(sides, end, setup.frames);
    options.coalesce = setup.coalesce;
    if (setup.frames.key) return behind_gate(sides[end], from, to, *setup.frames.key, std::move(options));
    return std::make_unique<NiuEnd>(from, to, *sides[end].pool, std::move(options));
}

}  // namespace isoplane::perf
