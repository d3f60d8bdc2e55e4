// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/membership/agreement.hh>
#include <nlohmann/json.hpp>

namespace isoplane::membership {

namespace {

/// The epoch alone does not tell: that of a token manager which is played is its player's, and both may have
/// started in the same moment.
bool is_in(const wire::View& view, NodeId node, std::uint32_t epoch) noexcept {
    const wire::Member* member = find(view, node);
    return member != nullptr && member->played_by == node && member->epoch == epoch;
}

}  // namespace

Agreement::Agreement(niu::Niu& niu, const topology::Topology& topology, Body& body, Options options)
    : niu_(niu),
      topology_(topology),
      body_(body),
      options_(options),
      here_(niu.options().node),
      epoch_(niu.options().epoch),
      watch_(options_.pause()),
      promises_(topology.node_count()),
      accepts_(topology.node_count()) {
    niu_.attach(static_cast<niu::ViewReceiver*>(this));
}

Agreement::~Agreement() {
    niu_.attach(static_cast<niu::ViewReceiver*>(nullptr));
}

void Agreement::poll(Time now) {
    now_ = now;
    if (const Duration excess = watch_.excess(now); excess != Duration{0}) not_polled(excess);
    if (phase_ != Phase::kNone && decided_.number <= view_.number) {
        say_again();
        return conclude();
    }
    if (given_up_) return;
    if (decided_.number > view_.number) adopt(wire::View(decided_));
    if (now_ < look_at_) return;
    look_at_ = now_ + options_.every() / 2;
    if (!has_reason()) {
        due_at_ = Time::max();
        return;
    }
    if (due_at_ == Time::max()) give_way();
    if (now_ >= due_at_) return propose();
    // Whoever it has promised may have gone on meanwhile, to the first view as well; and who is in a view may
    // let a stranger in.
    if ((frozen_ || stranger_) && now_ - asked_at_ >= 4 * options_.every()) {
        asked_at_ = now_;
        for_each_voice([this](NodeId node) { post(node, {.step = wire::ViewStep::kAsk}); });
    }
}

/// That says nothing of others, and what they are waited for is as long as before. But one that is never
/// polled more often is to propose in the end, too, and to say that it is alone.
void Agreement::not_polled(Duration excess) noexcept {
    const Duration missed = excess + options_.pause();
    for (Time* const then : {&began_at_, &returned_at_, &majority_at_, &promised_at_})
        runtime::put_off(*then, missed, now_);
    runtime::put_off(alone_since_, excess, now_);
    if (due_at_ != Time::max()) due_at_ += excess;
}

void Agreement::post(NodeId to, const wire::ViewMessage& message) {
    wire::ViewMessage all = message;
    all.plays = options_.plays;
    all.view = view_.number;
    niu_.send_view(to, all);
}

/// Whether that life of the node has a voice in this view. In the first all have.
bool Agreement::speaks(NodeId node, std::uint32_t epoch) const noexcept {
    return view_.number == 0 || is_in(view_, node, epoch);
}

void Agreement::on_view(NodeId from, std::uint32_t epoch, const wire::ViewMessage& message) noexcept {
    now_ = niu_.now();
    if (given_up_ || from == here_) return;
    if (view_.number == 0 && message.view != 0 && message.step == wire::ViewStep::kRefused &&
        is_in(message.next, here_, epoch_))
        return stop();
    if (message.step == wire::ViewStep::kDecided) {
        if (message.next.number <= view_.number || message.next.number <= decided_.number) return;
        if (!may_be(message.next)) return impossible_.add();
        // What others are in is not in the way of the first view, which has a lower number.
        if (view_.number == 0 && !is_in(message.next, here_, epoch_)) {
            post(from, {.step = wire::ViewStep::kAsk, .next = {.number = message.next.number}});
            return be_stranger();
        }
        decided_ = message.next;
        return;
    }
    if (message.view < view_.number) {
        if (message.view == 0 && is_over(from, epoch)) return refuse_life(from, epoch);
        if (asks_to_join(message) && !speaks(from, epoch)) return note_joiner(from, epoch, message.plays);
        return tell_decided(from);
    }
    if (message.view > view_.number) return post(from, {.step = wire::ViewStep::kAsk});
    if (!speaks(from, epoch)) return;
    if (message.ballot / kRound >= kLastRound) return impossible_.add();
    switch (message.step) {
        case wire::ViewStep::kPrepare:
            return promise(from, message);
        case wire::ViewStep::kPromise:
            return take_promise(from, epoch, message);
        case wire::ViewStep::kAccept:
            return accept(from, message);
        case wire::ViewStep::kAccepted:
            if (phase_ != Phase::kAccepting || message.ballot != ballot_) return;
            accepts_[from] = true;
            return;
        case wire::ViewStep::kRefused:
            highest_ = std::max(highest_, message.ballot);
            if (phase_ != Phase::kNone && message.ballot > ballot_) give_way();
            return;
        case wire::ViewStep::kDecided:
        case wire::ViewStep::kAsk:
            return;
    }
}

/// As one who has been told of this view, and so has lived since: what comes late of a life that is over, or
/// that was let in already, names an earlier one, or none.
bool Agreement::asks_to_join(const wire::ViewMessage& message) const noexcept {
    return message.view == 0 && message.step == wire::ViewStep::kAsk && message.next.number == view_.number;
}

/// Nobody is far ahead of another: a member that went to a base beyond that would execute pulses for ages in
/// which there is nothing. Who says such things is no node of ours, or has been taken over.
bool Agreement::may_be(const wire::View& next) const noexcept {
    constexpr std::uint64_t kFarthest = 1 << 16;
    constexpr std::uint64_t kEver = std::uint64_t{1} << 62;
    if (next.cut > next.base || next.base > kEver) return false;
    if (view_.number == 0) return true;
    if (names_earlier(next)) return false;
    return !is_in(next, here_, epoch_) || next.base <= body_.clock() + kFarthest;
}

/// A life of this node or of a host that is before the one in this view. Those who come after this view are
/// the same or later: it is of an earlier run, of which a node is left that was stopped meanwhile. Each view
/// has a host, and the first one has all; a token manager may have been let in by a word of a past life.
bool Agreement::names_earlier(const wire::View& next) const noexcept {
    return std::ranges::any_of(next.members, [this](const wire::Member& there) {
        if (there.played_by != there.node || (there.node != here_ && !topology_.is_host(there.node)))
            return false;
        const wire::Member* here = find(view_, there.node);
        return here != nullptr && static_cast<std::int32_t>(there.epoch - here->epoch) < 0;
    });
}

/// That life of a host has been lost here: what was on its way to it or from it is, too, so it cannot take
/// part.
bool Agreement::is_over(NodeId node, std::uint32_t epoch) const {
    if (!topology_.is_host(node) || speaks(node, epoch)) return false;
    const std::uint32_t ended = niu_.peer(node).ended;
    return ended != 0 && static_cast<std::int32_t>(epoch - ended) <= 0;
}

/// How this node stands; from here on it stays so.
Promise Agreement::own_promise() {
    if (!frozen_) frozen_at_ = alone_since_ = now_;
    frozen_ = true;
    const isotach::Standing standing = body_.freeze();
    return {.epoch = epoch_,
            .plays = options_.plays,
            .held = standing.held,
            .last = standing.last,
            .doubts = doubts(),
            .accepted = accepted_,
            .next = accepted_ != 0 ? next_ : wire::View{}};
}

void Agreement::promise(NodeId to, const wire::ViewMessage& message) {
    highest_ = std::max(highest_, message.ballot);
    if (message.ballot < promised_) return post(to, {.step = wire::ViewStep::kRefused, .ballot = promised_});
    const Promise own = own_promise();
    give_way_to(message.ballot);
    post(to, {.step = wire::ViewStep::kPromise,
              .ballot = message.ballot,
              .held = own.held,
              .last = own.last,
              .accepted = own.accepted,
              .doubts = own.doubts,
              .next = own.next});
}

void Agreement::accept(NodeId to, const wire::ViewMessage& message) {
    highest_ = std::max(highest_, message.ballot);
    if (message.ballot < promised_) return post(to, {.step = wire::ViewStep::kRefused, .ballot = promised_});
    if (message.next.number != view_.number + 1) return;
    if (!may_be(message.next)) return impossible_.add();
    accepted_ = message.ballot;
    next_ = message.next;
    own_promise();
    give_way_to(message.ballot);
    post(to, {.step = wire::ViewStep::kAccepted, .ballot = message.ballot});
}

std::vector<NodeId> Agreement::doubts() const {
    std::vector<NodeId> silent;
    body_.add_silent(silent);
    std::vector<NodeId> nodes;
    for (const NodeId node : silent)
        if (const wire::Member* member = find(view_, node)) nodes.push_back(member->played_by);
    for (const wire::Member& member : view_.members) {
        if (!topology_.is_host(member.node) || niu_.options().nodes[member.node].empty()) continue;
        const niu::Peer& peer = niu_.peer(member.node);
        const bool later = peer.epoch != 0 && static_cast<std::int32_t>(peer.epoch - member.epoch) > 0;
        if (peer.ended == member.epoch || later) nodes.push_back(member.node);
    }
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    std::erase(nodes, here_);
    return nodes;
}

void Agreement::note_joiner(NodeId node, std::uint32_t epoch, NodeId plays) {
    const wire::Member* member = find(view_, node);
    if (member != nullptr && member->played_by == node &&
        static_cast<std::int32_t>(epoch - member->epoch) <= 0)
        return;
    for (Joiner& joiner : joiners_) {
        if (joiner.node != node) continue;
        if (static_cast<std::int32_t>(epoch - joiner.epoch) > 0) joiner = {node, epoch, plays};
        return;
    }
    joiners_.push_back({node, epoch, plays});
}

/// The life is named: what came late of an earlier one is answered to that which the node is in now.
void Agreement::refuse_life(NodeId node, std::uint32_t epoch) {
    post(node, {.step = wire::ViewStep::kRefused,
                .next = {.members = {{.node = node, .played_by = node, .epoch = epoch}}}});
}

void Agreement::tell_decided(NodeId to) {
    post(to, {.step = wire::ViewStep::kDecided, .next = view_});
}

/// There is a view, and it may be let in. But who is in it may be gone by now, all of them, and then the
/// first view is to be agreed on anew: so it goes on promising and accepting as one that has not been told,
/// which is no more than if that had been lost, and keeps what it has promised and accepted. While it is told
/// again it leaves proposing to others.
void Agreement::be_stranger() {
    stranger_ = true;
    give_way();
}

/// A node that has been nowhere yet asks to be let in; one that was in the last view stops when it is not in
/// the next.
void Agreement::adopt(const wire::View& next) {
    const bool has_us = is_in(next, here_, epoch_);
    if (!has_us && view_.number == 0) return be_stranger();
    stranger_ = frozen_ = false;
    promised_ = accepted_ = ballot_ = highest_ = 0;
    phase_ = Phase::kNone;
    due_at_ = Time::max();
    next_ = {};
    // Others may have let them in meanwhile, and given them up again.
    if (next.number != view_.number + 1) joiners_.clear();
    std::erase_if(joiners_, [&](const Joiner& joiner) {
        const wire::Member* member = find(next, joiner.node);
        return member != nullptr && static_cast<std::int32_t>(joiner.epoch - member->epoch) <= 0;
    });
    view_ = next;
    if (!has_us) return stop();
    for (const wire::Member& member : view_.members)
        if (!topology_.is_host(member.node)) niu_.set_player(member.node, member.played_by);
    body_.begin(view_);
}

/// The others go on without this life of the node.
void Agreement::stop() {
    given_up_ = true;
    phase_ = Phase::kNone;
    body_.freeze();
    body_.stop();
}

/// The order in which members propose: token managers on their own, then hosts.
std::size_t Agreement::rank() const {
    std::size_t before = 0;
    const bool is_host = topology_.is_host(here_);
    const auto count = [&](NodeId node) {
        const bool first = topology_.is_host(node) == is_host ? node < here_ : is_host;
        if (first && std::ranges::find(suspects_, node) == suspects_.end()) ++before;
    };
    for_each_voice(count);
    return before;
}

std::string Agreement::trouble() const {
    if (given_up_)
        return "the others have gone on in logical time without this node, of which they had heard nothing "
               "for too long; start it again, and it takes part again";
    if (view_.number != 0 && frozen_ && now_ - alone_since_ > 2 * options_.limit)
        return "logical time stands still: a majority of its members, as of view " +
               std::to_string(view_.number) + ", cannot be heard; it goes on when enough of them can be";
    return {};
}

void Agreement::describe(nlohmann::json& out) const {
    out["view"] = view_.number;
    out["base"] = view_.base;
    out["cut"] = view_.cut;
    out["frozen"] = frozen_;
    out["given_up"] = given_up_;
    if (const std::string sentence = trouble(); !sentence.empty()) out["trouble"] = sentence;
    out["proposals"] = proposals_.get();
    out["impossible"] = impossible_.get();
    nlohmann::json& members = out["members"] = nlohmann::json::array();
    for (const wire::Member& member : view_.members)
        members.push_back(
            {{"node", topology_.name(member.node)}, {"played_by", topology_.name(member.played_by)}});
}

}  // namespace isoplane::membership
