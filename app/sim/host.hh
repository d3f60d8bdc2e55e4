// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/isotach/isotach.hh>
#include <isoplane/membership/host.hh>
#include <isoplane/membership/manager.hh>
#include <isoplane/niu/dispatcher.hh>
#include <isoplane/niu/niu.hh>
#include <isoplane/sim/link.hh>
#include <isoplane/siu/siu.hh>
#include <isoplane/tm/token_manager.hh>
#include <memory>
#include <string>

#include "sim/clock.hh"
#include "sim/program.hh"

namespace isoplane::sim {

/// What is at one end of a link, in one life after the other: dead, it frees what comes for it.
template <typename Life>
class Mortal : public runtime::Stage {
  public:
    Mortal(const std::string& name, const Link::End& end, const Clock& clock = {})
        : Stage(name), in_(end.input), out_(end.output), clock_(clock) {
        takes_from(end.input);
        gives_to(end.output);
    }

    unsigned poll(runtime::Time now) final {
        if (!dead_) {
            const std::optional<runtime::Time> shown = clock_.read(now);
            return shown ? life_->poll(*shown) : 0;
        }
        runtime::Burst burst;
        const std::uint16_t n = in_.receive(burst);
        rte_pktmbuf_free_bulk(burst.data(), n);
        return n;
    }
    void set_quiet(bool quiet) final { life_->set_quiet(quiet); }
    /// From here on it does nothing any more, unless it starts again.
    void die() {
        dead_ = true;
        discard();
    }
    bool dead() const noexcept { return dead_; }
    const Clock& clock() const noexcept { return clock_; }
    std::size_t held() const final { return life_->niu().held(); }
    std::size_t discard() final { return life_->discard(); }

    niu::Niu& niu() noexcept { return life_->niu(); }
    const niu::Niu& niu() const noexcept { return life_->niu(); }

  protected:
    template <typename... Arguments>
    void begin(Arguments&&... arguments) {
        life_.reset();
        life_ = std::make_unique<Life>(name(), in_, out_, std::forward<Arguments>(arguments)...);
        dead_ = false;
    }
    Life& life() const noexcept { return *life_; }

  private:
    runtime::Input& in_;
    runtime::Output& out_;
    Clock clock_;
    std::unique_ptr<Life> life_;
    bool dead_ = false;
};

/// From a start of a host to its end: with its program, and perhaps a token manager beside it; polled as one,
/// as a program that polls for itself does.
class HostLife {
  public:
    HostLife(const std::string& name, runtime::Input& in, runtime::Output& out, runtime::Pool& pool,
             const niu::Options& options, const siu::SiuOptions& siu_options,
             const isotach::Options& isotach_options, const topology::Paths& paths, const Scenario& scenario,
             std::vector<Event>& events)
        : niu_(name, in, out, pool, options),
          dispatcher_(niu_),
          siu_(niu_, paths, siu_options),
          isotach_(niu_, siu_, pool, isotach_options),
          program_(isotach_, options, scenario, events) {
        isotach_.attach_to(dispatcher_);
    }

    void survive(const topology::Paths& paths, const tm::ExchangeOptions& exchange,
                 const membership::Options& options) {
        membership_ = std::make_unique<membership::Host>(niu_, siu_, isotach_, paths, exchange, options);
    }
    void put_beside(const topology::Paths& paths, niu::NodeId node, tm::ExchangeOptions options) {
        options.epoch = niu_.options().epoch;
        manager_ = std::make_unique<tm::TokenManager>(niu_, paths, node, std::move(options));
    }

    unsigned poll(runtime::Time now) {
        unsigned moved = niu_.poll(now);
        moved += dispatcher_.dispatch();
        moved += isotach_.poll(now);
        if (membership_) membership_->poll(now);
        return moved + program_.poll(now);
    }
    void set_quiet(bool quiet) {
        niu_.set_quiet(quiet);
        siu_.be_quiet(quiet);
        if (manager_) manager_->be_quiet(quiet);
        if (membership_) membership_->be_quiet(quiet);
    }
    std::size_t discard() { return isotach_.discard() + niu_.discard(); }

    niu::Niu& niu() noexcept { return niu_; }
    siu::Siu& siu() noexcept { return siu_; }
    isotach::Isotach& isotach() noexcept { return isotach_; }
    const Program& program() const noexcept { return program_; }
    const tm::TokenManager* manager() const noexcept { return manager_.get(); }
    const membership::Agreement* agreement() const noexcept {
        return membership_ ? &membership_->agreement() : nullptr;
    }

    /// Nothing more will happen here of itself.
    bool rests() const {
        return program_.has_finished() && isotach_.settled() && isotach_.ordering().behind() == 0 &&
               !isotach_.waiting() && !siu_.acting() && !siu_.acts_waiting();
    }

  private:
    niu::Niu niu_;
    niu::Dispatcher dispatcher_;
    siu::Siu siu_;
    isotach::Isotach isotach_;
    Program program_;
    std::unique_ptr<tm::TokenManager> manager_;
    std::unique_ptr<membership::Host> membership_;
};

/// A host of the simulation.
class Host final : public Mortal<HostLife> {
  public:
    using Mortal::Mortal;

    template <typename... Arguments>
    void start(Arguments&&... arguments) {
        begin(std::forward<Arguments>(arguments)...);
    }
    void survive(const topology::Paths& paths, const tm::ExchangeOptions& exchange,
                 const membership::Options& options) {
        life().survive(paths, exchange, options);
    }
    void put_beside(const topology::Paths& paths, niu::NodeId node, tm::ExchangeOptions options) {
        life().put_beside(paths, node, std::move(options));
    }

    siu::Siu& siu() const noexcept { return life().siu(); }
    isotach::Isotach& isotach() const noexcept { return life().isotach(); }
    const Program& program() const noexcept { return life().program(); }
    const tm::TokenManager* manager() const noexcept { return life().manager(); }
    const membership::Agreement* agreement() const noexcept { return life().agreement(); }
    bool rests() const { return life().rests(); }
};

/// The same of a token manager on its own.
class ManagerLife {
  public:
    ManagerLife(const std::string& name, runtime::Input& in, runtime::Output& out, runtime::Pool& pool,
                const niu::Options& options, const topology::Paths& paths, tm::ExchangeOptions exchange)
        : niu_(name, in, out, pool, options),
          manager_(niu_, paths, options.node, with_epoch(std::move(exchange), options.epoch)) {}

    void survive(const topology::Topology& topology, const membership::Options& options) {
        membership_ = std::make_unique<membership::Manager>(niu_, manager_, topology, options);
    }
    unsigned poll(runtime::Time now) {
        const unsigned moved = niu_.poll(now);
        if (membership_) membership_->poll(now);
        return moved;
    }
    void set_quiet(bool quiet) {
        niu_.set_quiet(quiet);
        manager_.be_quiet(quiet);
    }
    std::size_t discard() { return niu_.discard(); }

    niu::Niu& niu() noexcept { return niu_; }
    const tm::TokenManager& manager() const noexcept { return manager_; }
    const membership::Agreement* agreement() const noexcept {
        return membership_ ? &membership_->agreement() : nullptr;
    }

  private:
    static tm::ExchangeOptions with_epoch(tm::ExchangeOptions options, std::uint32_t epoch) {
        options.epoch = epoch;
        return options;
    }

    niu::Niu niu_;
    tm::TokenManager manager_;
    std::unique_ptr<membership::Manager> membership_;
};

/// A token manager on a port of its own.
class Manager final : public Mortal<ManagerLife> {
  public:
    using Mortal::Mortal;

    template <typename... Arguments>
    void start(Arguments&&... arguments) {
        begin(std::forward<Arguments>(arguments)...);
    }
    void survive(const topology::Topology& topology, const membership::Options& options) {
        life().survive(topology, options);
    }

    const tm::TokenManager& manager() const noexcept { return life().manager(); }
    const membership::Agreement* agreement() const noexcept { return life().agreement(); }
};

}  // namespace isoplane::sim
