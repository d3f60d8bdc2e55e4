// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/auth/gate.hh>
#include <isoplane/link/link.hh>
#include <isoplane/nal/over_niu.hh>
#include <isoplane/niu/dispatcher.hh>
#include <isoplane/noniso/barrier.hh>
#include <memory>
#include <vector>

#include "logical_time.hh"

namespace isoplane::job {

/// What the NIU of a link has to know of it.
niu::Options on_link(niu::Options options, const link::Link& link, unsigned mtu, bool authenticated);

/// A link with what authenticates all that passes it, if the job has a key.
class GatedLink {
  public:
    GatedLink(std::unique_ptr<link::Link> link, const std::optional<auth::Key>& key,
              const niu::Options& options, runtime::Pool& pool);

    runtime::Input& input() noexcept { return gate_ ? gate_->input() : link_->input(); }
    runtime::Output& output() noexcept { return gate_ ? gate_->output() : link_->output(); }
    link::Link& link() noexcept { return *link_; }
    const auth::Gate* gate() const noexcept { return gate_.get(); }

  private:
    std::unique_ptr<link::Link> link_;
    std::unique_ptr<auth::Gate> gate_;
};

/// A further port of a program that speaks Portals, with all that it has of its own.
class Plane final : public runtime::Stage {
  public:
    Plane(const std::string& number, const std::string& spec, unsigned packets, unsigned mtu,
          const std::optional<auth::Key>& key, niu::Options options);
    ~Plane() override;

    niu::Niu& niu() noexcept { return niu_; }
    const niu::Niu& niu() const noexcept { return niu_; }
    niu::Dispatcher& dispatcher() noexcept { return dispatcher_; }

    unsigned poll(runtime::Time now) override { return niu_.poll(now) + dispatcher_.dispatch(); }
    void set_quiet(bool quiet) override { niu_.set_quiet(quiet); }
    std::size_t held() const override { return niu_.held(); }
    std::size_t discard() override { return niu_.discard(); }
    void describe(nlohmann::json& out) const override;
    void clear_counters() override { niu_.clear_counters(); }

  private:
    runtime::Pool pool_;
    GatedLink link_;
    niu::Niu niu_;
    niu::Dispatcher dispatcher_;
};

/// The NIU of a program and what takes its messages.
struct Network {
    Network(GatedLink& link, runtime::Pool& pool, niu::Options options, noniso::Loss loss)
        : gate(link.gate()),
          niu("niu", link.input(), link.output(), pool, std::move(options)),
          dispatcher(niu),
          barrier(niu, loss) {
        dispatcher.attach(wire::Protocol::kControl, &barrier);
        barrier.count_as_lost([this](niu::NodeId host) { return time && time->has_left(host); });
    }

    /// What the NIU has counted, and what did not come so far.
    void describe(nlohmann::json& out) const;

    const auth::Gate* gate;  ///< if frames are authenticated
    niu::Niu niu;
    niu::Dispatcher dispatcher;
    noniso::Barrier barrier;
    std::unique_ptr<LogicalTime> time;           ///< if the program wants it
    std::vector<std::unique_ptr<Plane>> planes;  ///< beside it, of Portals
    std::unique_ptr<nal::OverNiu> portals;       ///< the same
};

}  // namespace isoplane::job
