// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Agrees with the other members of logical time on who they are (doc/membership.md): one view after the
/// other, each decided by a majority of the one before.
///
/// A node has one; everything is called by the thread that polls its NIU.
#pragma once

#include <algorithm>
#include <isoplane/isotach/survival.hh>
#include <isoplane/membership/choice.hh>
#include <isoplane/niu/niu.hh>
#include <isoplane/runtime/poll_watch.hh>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace isoplane::membership {

using runtime::Duration;
using runtime::Time;

/// After which an NIU is to give a peer up: what was on its way is lost then, and the two cannot be in one
/// view any more. So members have time to find out by themselves, and a cut that is mended soon costs
/// nothing.
constexpr Duration silence_for(Duration limit) {
    return 4 * limit;
}

/// Defects that tests plant to see that they would be found.
struct Planted {
    bool no_majority = false;  ///< a view is decided by whoever proposes it
};

struct Options {
    Duration limit = std::chrono::seconds{30};  ///< after which a member that is not heard is doubted
    NodeId plays = wire::kNoNode;               ///< the token manager in this process
    Planted planted{};

    /// Between two times that the same is said.
    Duration every() const noexcept {
        return std::clamp<Duration>(limit / 64, std::chrono::microseconds{200},
                                    std::chrono::milliseconds{20});
    }
    /// How long to wait for those who are not doubted.
    Duration grace() const noexcept { return limit / 4; }
    /// Between two polls: who was not polled for longer did not run, and could hear nobody.
    Duration pause() const noexcept { return limit / 8; }
};

/// What takes part: a host, or a token manager on its own.
class Body {
  public:
    virtual ~Body() = default;
    /// From here on nothing moves before begin() or stop(). Called more than once.
    virtual isotach::Standing freeze() noexcept = 0;
    /// The next view has been decided, and this node is in it.
    virtual void begin(const wire::View& view) = 0;
    /// It has been decided without this node.
    virtual void stop() noexcept = 0;
    /// Adds those whose tokens have not come for the limit.
    virtual void add_silent(std::vector<NodeId>& nodes) const = 0;
    /// How many tokens it has sent.
    virtual std::uint64_t clock() const noexcept = 0;
};

class Agreement final : public niu::ViewReceiver {
  public:
    /// `niu`, `topology` and `body` outlive it.
    Agreement(niu::Niu& niu, const topology::Topology& topology, Body& body, Options options);
    ~Agreement() override;
    Agreement(const Agreement&) = delete;
    Agreement& operator=(const Agreement&) = delete;

    /// After each poll of the NIU and its dispatcher.
    void poll(Time now);
    void on_view(NodeId from, std::uint32_t epoch, const wire::ViewMessage& message) noexcept override;

    const wire::View& view() const noexcept { return view_; }
    bool is_member(NodeId node) const noexcept { return find(view_, node) != nullptr; }
    /// The others have gone on without this node.
    bool given_up() const noexcept { return given_up_; }
    /// Members of this view that this node cannot hear: token managers by who plays them.
    std::vector<NodeId> doubts() const;
    /// A sentence when this node does not take part in logical time any more, or nobody does; empty else.
    std::string trouble() const;
    void describe(nlohmann::json& out) const;
    const Options& options() const noexcept { return options_; }

  private:
    enum class Phase : std::uint8_t { kNone, kPreparing, kAccepting };

    /// Ballots of one round differ by who proposes. The last round is nobody's: none would be above it.
    static constexpr std::uint32_t kRound = 1U << 16;
    static constexpr std::uint32_t kLastRound = UINT32_MAX / kRound;

    // agreement.cc: of any member.
    void not_polled(Duration excess) noexcept;
    void promise(NodeId to, const wire::ViewMessage& message);
    void accept(NodeId to, const wire::ViewMessage& message);
    void be_stranger();
    void adopt(const wire::View& next);
    void stop();
    bool is_over(NodeId node, std::uint32_t epoch) const;
    void refuse_life(NodeId node, std::uint32_t epoch);
    void tell_decided(NodeId to);
    void note_joiner(NodeId node, std::uint32_t epoch, NodeId plays);
    bool speaks(NodeId node, std::uint32_t epoch) const noexcept;
    bool asks_to_join(const wire::ViewMessage& message) const noexcept;
    bool may_be(const wire::View& next) const noexcept;
    bool names_earlier(const wire::View& next) const noexcept;
    Promise own_promise();
    void post(NodeId to, const wire::ViewMessage& message);
    std::size_t rank() const;

    // proposal.cc: of who proposes.
    bool has_reason();
    bool is_suspect(NodeId node) const noexcept {
        return std::ranges::find(suspects_, node) != suspects_.end();
    }
    /// For good, as of this node's promise: who is frozen misses nobody's tokens.
    bool is_lost(NodeId node) const noexcept {
        const std::vector<NodeId>& lost = promises_[here_].doubts;
        return std::ranges::find(lost, node) != lost.end();
    }
    /// There is a majority again, and was none for long: what had parted it may come back bit by bit.
    bool mends() const noexcept { return was_apart_; }
    std::size_t promise_count() const noexcept;  ///< how many have, this node included
    void note_majority();
    void propose();
    void say_again();
    void conclude();
    void take_promise(NodeId from, std::uint32_t epoch, const wire::ViewMessage& message);
    void begin_accepting(const wire::View& next);
    void count_accepted();
    void give_way();
    void give_way_to(std::uint32_t ballot);
    /// Each other member with a voice; before the first view each node, but for token managers that are known
    /// to be played.
    template <typename Visit>
    void for_each_voice(Visit&& visit) const {
        for (const wire::Member& member : view_.members)
            if (member.node == member.played_by && member.node != here_) visit(member.node);
        if (view_.number != 0) return;
        for (std::size_t i = 0; i < topology_.node_count(); ++i) {
            const auto node = static_cast<NodeId>(i);
            if (node != here_ && !is_played(node)) visit(node);
        }
    }
    bool is_played(NodeId manager) const noexcept {
        return manager == options_.plays ||
               std::ranges::find(promises_, manager, &Promise::plays) != promises_.end();
    }

    niu::Niu& niu_;
    const topology::Topology& topology_;
    Body& body_;
    Options options_;
    NodeId here_;
    std::uint32_t epoch_;
    runtime::PollWatch watch_;
    Time now_{};

    wire::View view_{};
    bool given_up_ = false;
    bool stranger_ = false;  ///< it is in no view, and has been told of one that it is not in
    bool frozen_ = false;
    Time frozen_at_{};
    Time alone_since_{};  ///< the same, but for what this node was not polled beyond the pause
    Time asked_at_{};
    Time look_at_{};
    std::uint32_t promised_ = 0;
    Time promised_at_{};          ///< when it was heard of first
    std::uint32_t accepted_ = 0;  ///< the ballot
    wire::View decided_{};        ///< heard of, to be adopted when what came before has been dispatched
    wire::View next_{};           ///< accepted, or proposed
    std::vector<Joiner> joiners_;

    Phase phase_ = Phase::kNone;
    std::uint32_t ballot_ = 0;
    std::uint32_t highest_ = 0;  ///< ballot heard of
    Time due_at_ = Time::max();
    Time began_at_{};
    Time returned_at_ = Time::max();  ///< when the first suspect has answered
    Time majority_at_ = Time::max();  ///< when a majority had
    bool was_apart_ = false;          ///< this node had been frozen for longer than the limit then
    Time said_at_{};
    std::vector<NodeId> suspects_;  ///< when it began
    std::vector<Promise> promises_;
    std::vector<bool> accepts_;
    runtime::Counter proposals_;
    runtime::Counter impossible_;  ///< views that cannot be
};

}  // namespace isoplane::membership
