// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/niu/dispatcher.hh>
#include <isoplane/niu/niu.hh>
#include <isoplane/noniso/direct_endpoint.hh>
#include <isoplane/runtime/time.hh>
#include <utility>

namespace isoplane::perf {

/// What a protocol for programs stands on at one of two nodes: the NIU, and an endpoint that a program has
/// which polls for itself.
class ProgramEnd {
  public:
    ProgramEnd(runtime::Input& from, runtime::Output& to, runtime::Pool& pool, niu::Options options,
               wire::Protocol protocol)
        : peer_(static_cast<niu::NodeId>(1 - options.node)),
          niu_("niu", from, to, pool, std::move(options)),
          dispatcher_(niu_),
          barrier_(niu_),
          endpoint_(niu_, barrier_, protocol) {
        dispatcher_.attach(protocol, &endpoint_);
    }
    ProgramEnd(const ProgramEnd&) = delete;
    ProgramEnd& operator=(const ProgramEnd&) = delete;

  protected:
    static constexpr std::size_t kNodes = 2;

    niu::NodeId here() const noexcept { return static_cast<niu::NodeId>(1 - peer_); }

    bool move() noexcept { return niu_.poll(clock_.now()) > 0; }
    bool all_sent() const noexcept { return niu_.peer(peer_).sent_all(); }

    niu::NodeId peer_;
    runtime::TscClock clock_;
    niu::Niu niu_;
    niu::Dispatcher dispatcher_;
    noniso::Barrier barrier_;
    noniso::DirectEndpoint endpoint_;
};

}  // namespace isoplane::perf
