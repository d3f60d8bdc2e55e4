// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <isoplane/isotach/isotach.hh>
#include <isoplane/niu/dispatcher.hh>
#include <isoplane/runtime/time.hh>
#include <isoplane/siu/siu.hh>
#include <string>

namespace isoplane::perf {

/// Two hosts and a token manager.
class TwoHosts {
  public:
    TwoHosts() : topology_(switches(), "pair"), paths_(topology_) {}
    TwoHosts(const TwoHosts&) = delete;
    TwoHosts& operator=(const TwoHosts&) = delete;

    const topology::Topology& topology() const noexcept { return topology_; }
    const topology::Paths& paths() const noexcept { return paths_; }
    /// For niu::Options: token managers have no NIU.
    static std::vector<std::string> nodes() { return {"a", "b", ""}; }

  private:
    static std::vector<topology::SwitchSpec> switches() {
        return {{.number = 1,
                 .ports = {{topology::PortKind::kHost, "a", 0, {}}, {topology::PortKind::kHost, "b", 0, {}}},
                 .at = {}}};
    }

    topology::Topology topology_;
    topology::Paths paths_;
};

/// One end of a pair in logical time, as a program that polls for itself uses it: each message is an isochron
/// of its own. One end may be the token manager.
class IsotachEnd {
  public:
    static constexpr bool kKeepsContent = true;

    IsotachEnd(runtime::Input& from, runtime::Output& to, runtime::Pool& pool, niu::Options options,
               const siu::SiuOptions& siu)
        : peer_(static_cast<niu::NodeId>(1 - options.node)),
          niu_("niu", from, to, pool, std::move(options)),
          dispatcher_(niu_),
          siu_(niu_, hosts_.paths(), siu),
          isotach_(niu_, siu_, pool) {
        isotach_.attach_to(dispatcher_);
    }

    bool ready() noexcept {
        poll();
        return niu_.all_up() && siu_.started();
    }
    void begin(std::size_t /*size*/) noexcept {
        for (isotach::Delivery delivery; isotach_.receive(delivery);)
            isotach_.release(delivery);
    }

    bool send(std::span<const std::byte> message) noexcept { return isotach_.send(peer_, message); }

    bool poll() noexcept {
        const runtime::Time now = clock_.now();
        const bool moved = niu_.poll(now) > 0;
        dispatcher_.dispatch();
        isotach_.poll(now);
        return moved;
    }

    bool receive(std::span<std::byte> room) noexcept {
        isotach::Delivery delivery;
        if (!isotach_.receive(delivery)) return false;
        std::copy_n(delivery.data.begin(), std::min(delivery.data.size(), room.size()), room.begin());
        isotach_.release(delivery);
        return true;
    }

    /// What has come and waits for its pulse would be a message of the next measurement, of another size.
    bool settled() noexcept { return niu_.peer(peer_).sent_all() && isotach_.settled(); }

    const siu::Siu& siu() const noexcept { return siu_; }
    const isotach::Isotach& isotach() const noexcept { return isotach_; }

  private:
    niu::NodeId peer_;
    TwoHosts hosts_;
    runtime::TscClock clock_;
    niu::Niu niu_;
    niu::Dispatcher dispatcher_;
    siu::Siu siu_;
    isotach::Isotach isotach_;
};

}  // namespace isoplane::perf
