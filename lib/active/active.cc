// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/active/active.hh>
#include <stdexcept>
#include <string>
#include <utility>

namespace isoplane::active {

namespace {

/// So that who polls comes back, however much comes.
constexpr unsigned kMostTaken = 64;

}  // namespace

Active::Active(noniso::Endpoint& endpoint, Images& images, const Options& options)
    : endpoint_(endpoint),
      images_(images),
      options_(options),
      peers_(options.nodes),
      watch_(options.limit / 8) {
    if (options.depth == 0 || options.depth > wire::kActiveSlots)
        throw std::invalid_argument("a depth of " + std::to_string(options.depth) +
                                    " requests to a node: it can be 1 to " +
                                    std::to_string(wire::kActiveSlots));
    if (options.node >= options.nodes)
        throw std::invalid_argument("node " + std::to_string(options.node) + " is none of the " +
                                    std::to_string(options.nodes) + " that there are");
    for (Peer& peer : peers_) {
        peer.slots.resize(options.depth);
        peer.answers.resize(wire::kActiveSlots);
    }
}

unsigned Active::poll(Time now) noexcept {
    if (running_ != Running::kNothing) return 0;
    skipped_ += watch_.excess(now);
    now_ = now - skipped_;
    unsigned moved = 0;
    for (niu::Received received; moved < kMostTaken && endpoint_.receive(received); ++moved) {
        taken_ = &received;
        take(received);
        taken_ = nullptr;
        endpoint_.release(received);
    }
    if (waiting_ != 0) moved += send_waiting();
    check_next();
    return moved;
}

void Active::end_handler() noexcept {
    const Running was = std::exchange(running_, Running::kNothing);
    if (was == Running::kNothing || taken_ == nullptr) return;
    if (was == Running::kRequest) handled();
    endpoint_.release(*std::exchange(taken_, nullptr));
}

RequestState Active::state(const Ticket& request) const noexcept {
    if (!request || request.to == options_.node) return RequestState::kOver;
    const Slot& slot = peers_[request.to].slots[request.slot];
    if (slot.message.header.number != request.number) return RequestState::kOver;
    switch (slot.state) {
        case SlotState::kSending:
            return RequestState::kSending;
        case SlotState::kOpen:
            return RequestState::kOpen;
        case SlotState::kFree:
        case SlotState::kGivenUp:
            break;
    }
    return RequestState::kOver;
}

bool Active::next_failure(Failure& failure) noexcept {
    if (failures_.empty()) return false;
    failure = failures_.front();
    failures_.pop();
    return true;
}

/// One slot a poll, in turn: requests that are lost are few, and nobody is in a hurry to hear of them. Their
/// time runs from the first look: of a program that has computed since it polled last, nobody knows how late
/// it was when it made them. Nor does it run on while nobody polls, and answers wait to be received; nor
/// while data moves, behind which it may have to wait.
void Active::check_next() noexcept {
    if (++check_slot_ == options_.depth) {
        check_slot_ = 0;
        if (++check_peer_ == peers_.size()) check_peer_ = 0;
    }
    Peer& peer = peers_[check_peer_];
    Slot& slot = peer.slots[check_slot_];
    if (slot.state == SlotState::kFree) [[likely]]
        return;
    const auto to = static_cast<NodeId>(check_peer_);
    const bool lost = is_lost(to, slot);
    if (slot.state == SlotState::kGivenUp) {
        if (lost) end(peer, slot, SlotState::kFree);
    } else if (lost) {
        fail(to, slot, Reason::kLost);
    } else if (slot.until == Time{}) {
        slot.until = now_ + options_.limit;
    } else if (now_ >= slot.until && now_ - peer.moved >= options_.limit) {
        fail(to, slot, Reason::kSilent);
    }
}

/// The life of the node is over in which it was sent.
bool Active::is_lost(NodeId to, const Slot& slot) const noexcept {
    return endpoint_.state(to) != noniso::PeerState::kUp || endpoint_.epoch(to) != slot.epoch;
}

void Active::end(Peer& peer, Slot& slot, SlotState state) noexcept {
    if (slot.state != SlotState::kGivenUp) --open_;
    slot.state = state;
    if (state == SlotState::kFree) peer.hint = static_cast<unsigned>(&slot - peer.slots.data());
}

/// One that is all sent, and may be answered yet, keeps its slot, as it does the place for its answer.
void Active::fail(NodeId to, Slot& slot, Reason reason) noexcept {
    const bool may_be_answered = reason == Reason::kSilent && slot.state == SlotState::kOpen;
    end(peers_[to], slot, may_be_answered ? SlotState::kGivenUp : SlotState::kFree);
    const wire::ActiveHeader& header = slot.message.header;
    failures_.push({{.slot = header.slot, .to = to, .number = header.number}, reason});
    counters_.failed.add();
}

}  // namespace isoplane::active
