// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// A member proposes the next view.

#include <algorithm>
#include <isoplane/membership/agreement.hh>
#include <utility>

namespace isoplane::membership {

bool Agreement::has_reason() {
    suspects_ = doubts();
    return view_.number == 0 || frozen_ || !suspects_.empty() || !joiners_.empty();
}

/// To whoever proposes, who is to have the time to hear all once this node is frozen; or would before it. The
/// more rounds there have been for this view the longer: where there is no majority for days, or nobody to
/// begin with, they must not run out.
void Agreement::give_way() {
    phase_ = Phase::kNone;
    constexpr std::uint32_t kQuickRounds = 64;
    const std::uint32_t slower = 1 + std::max(promised_, highest_) / kRound / kQuickRounds;
    const Duration turn = 8 * options_.every();
    const bool leads = !frozen_ && !stranger_;
    const Duration others = leads ? Duration{0} : view_.number == 0 ? turn : options_.grace();
    due_at_ = now_ + slower * (others + rank() * turn);
}

/// As long as its proposer may need when some come back late; but who hears no answers says the same for
/// ever.
void Agreement::give_way_to(std::uint32_t ballot) {
    if (std::exchange(promised_, ballot) != ballot) promised_at_ = now_;
    if (now_ - promised_at_ <= 2 * options_.limit) give_way();
}

void Agreement::propose() {
    const std::uint32_t round = std::max({promised_, highest_, ballot_}) / kRound + 1;
    if (round >= kLastRound) return give_way();
    proposals_.add();
    ballot_ = round * kRound + here_;
    promised_ = ballot_;
    phase_ = Phase::kPreparing;
    began_at_ = now_;
    returned_at_ = majority_at_ = Time::max();
    was_apart_ = false;
    said_at_ = now_ - options_.every();
    std::fill(promises_.begin(), promises_.end(), Promise{});
    promises_[here_] = own_promise();
    say_again();
}

/// To those who have not answered; and while it waits for long, to all: or one of them would take this node
/// for dead, and begin anew.
void Agreement::say_again() {
    if (now_ - said_at_ < options_.every()) return;
    said_at_ = now_;
    for_each_voice([this](NodeId node) {
        if (phase_ == Phase::kPreparing && (promises_[node].epoch == 0 || mends()))
            post(node, {.step = wire::ViewStep::kPrepare, .ballot = ballot_});
        if (phase_ == Phase::kAccepting && !accepts_[node])
            post(node, {.step = wire::ViewStep::kAccept, .ballot = ballot_, .next = next_});
    });
}

void Agreement::take_promise(NodeId from, std::uint32_t epoch, const wire::ViewMessage& message) {
    if (phase_ != Phase::kPreparing || message.ballot != ballot_) return;
    if (message.accepted != 0 && message.next.number != view_.number + 1) return impossible_.add();
    if (is_suspect(from) && returned_at_ == Time::max()) returned_at_ = now_;
    promises_[from] = {.epoch = epoch,
                       .plays = message.plays,
                       .held = message.held,
                       .last = message.last,
                       .doubts = message.doubts,
                       .accepted = message.accepted,
                       .next = message.next};
    if (majority_at_ == Time::max()) note_majority();
}

std::size_t Agreement::promise_count() const noexcept {
    return static_cast<std::size_t>(
        std::ranges::count_if(promises_, [](const Promise& promise) { return promise.epoch != 0; }));
}

void Agreement::note_majority() {
    if (view_.number == 0 || 2 * promise_count() <= voices(view_)) return;
    majority_at_ = now_;
    was_apart_ = now_ - frozen_at_ > options_.limit;
}

/// When enough have answered, and all who might. Who was not heard might: it may only wait, as all do, for
/// one who has died. When one of those has whom this node doubts, the others may be about to: what had cut
/// them off may be no more, and nobody is to be given up because another was faster.
void Agreement::conclude() {
    if (phase_ == Phase::kAccepting) return count_accepted();
    const bool any_returned = returned_at_ != Time::max();
    bool all = true;
    for_each_voice([&](NodeId node) {
        all = all && (promises_[node].epoch != 0 || (is_lost(node) && !any_returned && !mends()));
    });
    const Time since = mends() ? majority_at_ : any_returned ? returned_at_ : began_at_;
    const Duration patience = mends() ? options_.limit : options_.grace();
    if (!all && (view_.number == 0 || now_ - since < patience)) return;
    const bool enough = view_.number == 0 || 2 * promise_count() > voices(view_);
    if (!enough && !options_.planted.no_majority) return;
    promises_[here_] = own_promise();
    // What may have been decided already is.
    const auto latest = std::ranges::max_element(promises_, {}, &Promise::accepted);
    if (latest->accepted != 0 && enough) return begin_accepting(wire::View(latest->next));
    if (const auto next = choose(topology_, view_, promises_, joiners_)) return begin_accepting(*next);
    if (options_.planted.no_majority && view_.number != 0) {
        wire::View alone = view_;
        alone.members.clear();
        for (const wire::Member& member : view_.members)
            if (promises_[member.played_by].epoch != 0) alone.members.push_back(member);
        ++alone.number;
        alone.cut = promises_[here_].held;
        alone.base = std::max(promises_[here_].held, promises_[here_].last) + 1;
        begin_accepting(alone);
    }
}

void Agreement::begin_accepting(const wire::View& next) {
    if (!may_be(next)) {
        impossible_.add();
        return give_way();
    }
    phase_ = Phase::kAccepting;
    next_ = next;
    accepted_ = ballot_;
    std::fill(accepts_.begin(), accepts_.end(), false);
    accepts_[here_] = true;
    said_at_ = now_ - options_.every();
    say_again();
    count_accepted();
}

/// When a majority of this view has accepted, the next is decided. The first takes all.
void Agreement::count_accepted() {
    const auto n = static_cast<std::size_t>(std::ranges::count(accepts_, true));
    const bool enough = view_.number == 0 ? n == voices(next_) : 2 * n > voices(view_);
    if (!enough && !options_.planted.no_majority) return;
    const wire::View decided = next_;
    std::vector<NodeId> all;
    for_each_voice([&](NodeId node) { all.push_back(node); });
    for (const wire::Member& member : decided.members)
        if (member.node == member.played_by && member.node != here_ &&
            std::ranges::find(all, member.node) == all.end())
            all.push_back(member.node);
    adopt(decided);
    // Though this life may not be in it: what an earlier one has proposed, and others have accepted.
    for (const NodeId node : all)
        post(node, {.step = wire::ViewStep::kDecided, .next = decided});
}

}  // namespace isoplane::membership
