// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "network.hh"

#include <algorithm>
#include <isoplane/link/kind.hh>

namespace isoplane::job {

niu::Options on_link(niu::Options options, const link::Link& link, unsigned mtu) {
    const link::LinkKind& kind = *link::find_kind(link.spec().kind);
    options.mtu = static_cast<std::uint16_t>(std::min(mtu, link.mtu()));
    options.chains = kind.multi_segment;
    options.in_process = kind.in_process;
    return options;
}

Plane::Plane(const std::string& number, const std::string& spec, unsigned packets, unsigned mtu,
             niu::Options options)
    : Stage("plane" + number),
      pool_("packets" + number, packets, runtime::Pool::room_for(mtu)),
      link_(link::open_link(link::LinkSpec::parse(spec), "link" + number, {.pool = &pool_, .mtu = mtu})),
      niu_("niu" + number, link_->input(), link_->output(), pool_, on_link(std::move(options), *link_, mtu)),
      dispatcher_(niu_) {
    link_->start();
}

/// What has come and was not received goes with it.
Plane::~Plane() {
    niu_.discard();
    link_->stop();
}

}  // namespace isoplane::job
