// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <chrono>
#include <isoplane/runtime/time.hh>
#include <isoplane/tm/token_exchange.hh>
#include <isoplane/topology/limits.hh>
#include <isoplane/topology/node_conf.hh>
#include <isoplane/topology/paths.hh>
#include <optional>
#include <utility>

namespace isoplane::node {

/// A topology and the ways through it, for all stages of a node that keep logical time.
struct Ways {
    explicit Ways(topology::Topology network) : topology(std::move(network)), paths(topology) {}
    Ways(const Ways&) = delete;
    Ways& operator=(const Ways&) = delete;

    topology::Topology topology;
    topology::Paths paths;
};

/// What all who keep logical time are told alike.
struct TimeOptions {
    std::uint32_t ahead = topology::kDefaultTokensAhead;
    std::optional<runtime::Duration> survive{};  ///< after how much silence of a node; nothing: never
    niu::TimeoutLimits timeout = tm::ExchangeOptions{}.timeout;  ///< for tokens that are sent again
};

inline TimeOptions time_options(const topology::NodeConf& conf) {
    TimeOptions options{.ahead = conf.tokens_ahead.value_or(topology::kDefaultTokensAhead)};
    if (conf.survive)
        options.survive =
            std::chrono::duration_cast<runtime::Duration>(std::chrono::duration<double>(*conf.survive));
    return options;
}

}  // namespace isoplane::node
