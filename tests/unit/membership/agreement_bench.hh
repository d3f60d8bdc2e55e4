// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/membership/agreement.hh>
#include <isoplane/runtime/ring.hh>
#include <isoplane/topology/builders.hh>
#include <nlohmann/json.hpp>

#include "pool_test.hh"

namespace isoplane::test {

using membership::Agreement;
using niu::NodeId;
using namespace std::chrono_literals;

inline constexpr runtime::Duration kLimit = 1s;

/// Goes where it is told to.
class FakeBody final : public membership::Body {
  public:
    std::uint64_t sent = 0;
    std::vector<std::uint32_t> begun;  ///< numbers of views
    wire::View view{};                 ///< the last
    std::vector<NodeId> silent;

    isotach::Standing freeze() noexcept override {
        frozen_ = true;
        return {.held = sent, .last = sent};
    }
    void begin(const wire::View& next) override {
        frozen_ = false;
        begun.push_back(next.number);
        view = next;
        sent = std::max(sent, next.base);
    }
    void stop() noexcept override {}
    void add_silent(std::vector<NodeId>& nodes) const override {
        if (!frozen_) nodes.insert(nodes.end(), silent.begin(), silent.end());
    }
    std::uint64_t clock() const noexcept override { return sent; }

  private:
    bool frozen_ = false;  ///< then nobody's tokens are missed
};

/// Host 0 of three around a switch, and what the others say.
class AgreementTest : public PoolTest {
  protected:
    void TearDown() override {
        niu.discard();
        out.drain();
        PoolTest::TearDown();
    }

    static wire::View view(std::uint32_t number, std::uint64_t cut, std::uint64_t base) {
        wire::View made{.number = number, .cut = cut, .base = base};
        for (NodeId node = 0; node < 4; ++node)
            made.members.push_back({.node = node, .played_by = node, .epoch = 10U + node});
        return made;
    }
    /// The second of them.
    static wire::View without(NodeId gone, std::uint64_t cut, std::uint64_t base) {
        wire::View made = view(2, cut, base);
        std::erase_if(made.members, [gone](const wire::Member& member) { return member.node == gone; });
        return made;
    }
    void decide(const wire::View& next) { hear({.step = wire::ViewStep::kDecided, .next = next}); }
    /// From a later view, to a life of host 0.
    static wire::ViewMessage refusal_of(std::uint32_t epoch) {
        return {.step = wire::ViewStep::kRefused,
                .view = 3,
                .next = {.members = {{.node = 0, .played_by = 0, .epoch = epoch}}}};
    }
    void hear(const wire::ViewMessage& message, NodeId from = 1) {
        niu.poll(now);
        agreement.on_view(from, 10U + from, message);
        agreement.poll(now);
    }
    /// Its promise in that ballot of host 0, when it has accepted a view before.
    void promise(NodeId from, std::uint32_t round, std::uint32_t accepted, const wire::View& next) {
        hear({.step = wire::ViewStep::kPromise,
              .view = 1,
              .ballot = round << 16,
              .held = 100,
              .last = 100,
              .accepted = accepted,
              .next = next},
             from);
    }
    /// Until it has proposed so often.
    void pass_until_proposed(unsigned times) {
        for (int i = 0; i < 5'000 && described()["proposals"] != times; ++i)
            pass(1ms);
        ASSERT_EQ(described()["proposals"], times);
    }
    void pass(runtime::Duration time) {
        now += time;
        agreement.poll(now);
    }
    void pass_slowly(runtime::Duration time) {
        for (const runtime::Time end = now + time; now < end;)
            pass(1ms);
    }
    /// What they say of a ballot of host 0.
    void answer(wire::ViewStep step, const std::vector<NodeId>& nodes, std::uint32_t round = 1) {
        niu.poll(now);
        for (const NodeId node : nodes)
            agreement.on_view(node, 10U + node,
                              {.step = step, .view = 1, .ballot = round << 16, .held = 100, .last = 100});
        pass(1ms);
    }
    nlohmann::json described() const {
        nlohmann::json said;
        agreement.describe(said);
        return said;
    }
    std::uint64_t impossible() const { return described()["impossible"].get<std::uint64_t>(); }

    runtime::Ring in{"unit_membership_in"};
    runtime::Ring out{"unit_membership_out"};
    topology::Topology topology = topology::single_switch(3);
    niu::Niu niu{"host0", in.input(), out.output(), niu_pool(),
                 niu::Options{.node = 0, .nodes = {"host0", "host1", "host2", "switch0"}, .epoch = 10}};
    FakeBody body;
    Agreement agreement{niu, topology, body, {.limit = kLimit}};
    runtime::Time now{1s};
};

}  // namespace isoplane::test
