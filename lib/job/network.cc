// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "network.hh"

#include <algorithm>
#include <isoplane/link/kind.hh>
#include <isoplane/niu/stations.hh>
#include <nlohmann/json.hpp>

namespace isoplane::job {

/// A trailer is behind its frame in one piece: where there is one, frames are not chained to begin with.
niu::Options on_link(niu::Options options, const link::Link& link, unsigned mtu, bool authenticated) {
    const link::LinkKind& kind = *link::find_kind(link.spec().kind);
    const std::size_t trailer = authenticated ? wire::kTrailerSize : 0;
    options.mtu = static_cast<std::uint16_t>(std::min(mtu, link.mtu()) - trailer);
    options.chains = kind.multi_segment && !authenticated;
    options.in_process = kind.in_process;
    return options;
}

GatedLink::GatedLink(std::unique_ptr<link::Link> link, const std::optional<auth::Key>& key,
                     const niu::Options& options, runtime::Pool& pool)
    : link_(std::move(link)) {
    if (!key) return;
    const auth::GateOptions its{.station = options.node,
                                .stations = options.nodes.size(),
                                .job_key = options.job_key,
                                .encapsulation = niu::Stations(options).encapsulation()};
    gate_ = std::make_unique<auth::Gate>(link_->name(), *key, its, link_->input(), link_->output(), pool);
}

namespace {

void describe_with(const niu::Niu& niu, const auth::Gate* gate, nlohmann::json& out) {
    niu.describe(out);
    if (gate != nullptr) gate->describe(out["authentication"]);
}

}  // namespace

void Network::describe(nlohmann::json& out) const {
    describe_with(niu, gate, out);
}

Plane::Plane(const std::string& number, const std::string& spec, unsigned packets, unsigned mtu,
             const std::optional<auth::Key>& key, niu::Options options)
    : Stage("plane" + number),
      pool_("packets" + number, packets, runtime::Pool::room_for(mtu)),
      link_(link::open_link(link::LinkSpec::parse(spec), "link" + number, {.pool = &pool_, .mtu = mtu}), key,
            options, pool_),
      niu_("niu" + number, link_.input(), link_.output(), pool_,
           on_link(std::move(options), link_.link(), mtu, key.has_value())),
      dispatcher_(niu_) {
    link_.link().start();
}

void Plane::describe(nlohmann::json& out) const {
    describe_with(niu_, link_.gate(), out);
}

/// What has come and was not received goes with it.
Plane::~Plane() {
    niu_.discard();
    link_.link().stop();
}

}  // namespace isoplane::job
