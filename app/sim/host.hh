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

#include "sim/program.hh"

namespace isoplane::sim {

/// A host of the simulation, with its program, and perhaps a token manager beside it: polled as one, as a
/// program that polls for itself does.
class Host final : public runtime::Stage {
  public:
    Host(const std::string& name, const Link::End& end, runtime::Pool& pool, const niu::Options& options,
         const siu::SiuOptions& siu_options, const isotach::Options& isotach_options,
         const topology::Paths& paths, const Scenario& scenario, std::vector<Event>& events)
        : Stage(name),
          niu_(name, end.input, end.output, pool, options),
          dispatcher_(niu_),
          siu_(niu_, paths, siu_options),
          isotach_(niu_, siu_, pool, isotach_options),
          program_(isotach_, options.node, static_cast<std::uint16_t>(paths.topology().host_count()),
                   scenario, events),
          in_(end.input) {
        takes_from(end.input);
        gives_to(end.output);
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

    unsigned poll(runtime::Time now) override {
        if (dead_) return vanish();
        unsigned moved = niu_.poll(now);
        moved += dispatcher_.dispatch();
        moved += isotach_.poll(now);
        if (membership_) membership_->poll(now);
        return moved + program_.poll(now);
    }
    void set_quiet(bool quiet) override {
        niu_.set_quiet(quiet);
        siu_.be_quiet(quiet);
        if (manager_) manager_->be_quiet(quiet);
        if (membership_) membership_->be_quiet(quiet);
    }
    /// From here on it does nothing any more.
    void die() {
        dead_ = true;
        discard();
    }
    bool dead() const noexcept { return dead_; }
    std::size_t held() const override { return niu_.held(); }
    std::size_t discard() override { return isotach_.discard() + niu_.discard(); }

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
    /// Frees what has come for it.
    unsigned vanish() {
        runtime::Burst burst;
        const std::uint16_t n = in_.receive(burst);
        rte_pktmbuf_free_bulk(burst.data(), n);
        return n;
    }

    Program program_;
    std::unique_ptr<tm::TokenManager> manager_;
    std::unique_ptr<membership::Host> membership_;
    runtime::Input& in_;
    bool dead_ = false;
};

/// A token manager on a port of its own.
class Manager final : public runtime::Stage {
  public:
    Manager(const std::string& name, const Link::End& end, runtime::Pool& pool, const niu::Options& options,
            const topology::Paths& paths, tm::ExchangeOptions exchange)
        : Stage(name),
          niu_(name, end.input, end.output, pool, options),
          manager_(niu_, paths, options.node, with_epoch(std::move(exchange), options.epoch)),
          in_(end.input) {
        takes_from(end.input);
        gives_to(end.output);
    }

    void survive(const topology::Topology& topology, const membership::Options& options) {
        membership_ = std::make_unique<membership::Manager>(niu_, manager_, topology, options);
    }
    /// From here on it does nothing any more.
    void die() {
        dead_ = true;
        discard();
    }
    bool dead() const noexcept { return dead_; }
    const membership::Agreement* agreement() const noexcept {
        return membership_ ? &membership_->agreement() : nullptr;
    }

    unsigned poll(runtime::Time now) override {
        if (dead_) {
            runtime::Burst burst;
            const std::uint16_t n = in_.receive(burst);
            rte_pktmbuf_free_bulk(burst.data(), n);
            return n;
        }
        const unsigned moved = niu_.poll(now);
        if (membership_) membership_->poll(now);
        return moved;
    }
    void set_quiet(bool quiet) override {
        niu_.set_quiet(quiet);
        manager_.be_quiet(quiet);
    }
    std::size_t held() const override { return niu_.held(); }
    std::size_t discard() override { return niu_.discard(); }

    const tm::TokenManager& manager() const noexcept { return manager_; }

  private:
    static tm::ExchangeOptions with_epoch(tm::ExchangeOptions options, std::uint32_t epoch) {
        options.epoch = epoch;
        return options;
    }

    niu::Niu niu_;
    tm::TokenManager manager_;
    std::unique_ptr<membership::Manager> membership_;
    runtime::Input& in_;
    bool dead_ = false;
};

}  // namespace isoplane::sim
