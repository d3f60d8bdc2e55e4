// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cassert>

#include <isoplane/wire/view.hh>

namespace isoplane::wire {

namespace {

bool is_member(const Member& member, const Member* before, std::uint16_t node_count) {
    return member.node < node_count && member.played_by < node_count && member.epoch != 0 &&
           (before == nullptr || before->node < member.node);
}

/// With so many nodes in it. There are no more parts than nodes that they can name.
bool is_part(const ViewMessage& message, std::size_t nodes, std::uint16_t node_count) {
    if (message.last_part == 0) return message.part == 0 && message.digest == 0;
    return message.part <= message.last_part && nodes != 0 && message.last_part < 2 * node_count;
}

}  // namespace

std::size_t encode_view(std::span<std::byte> out, const ViewMessage& message) {
    assert(out.size() >= view_size(message.doubts.size(), message.next.members.size()));
    std::byte* at = out.data();
    view_layout::Step::put(at, static_cast<std::uint8_t>(message.step));
    view_layout::Reserved::put(at, 0);
    view_layout::Doubts::put(at, static_cast<std::uint16_t>(message.doubts.size()));
    view_layout::Members::put(at, static_cast<std::uint16_t>(message.next.members.size()));
    view_layout::Plays::put(at, message.plays);
    view_layout::View::put(at, message.view);
    view_layout::Ballot::put(at, message.ballot);
    view_layout::Held::put(at, message.held);
    view_layout::Last::put(at, message.last);
    view_layout::Accepted::put(at, message.accepted);
    view_layout::Number::put(at, message.next.number);
    view_layout::Cut::put(at, message.next.cut);
    view_layout::Base::put(at, message.next.base);
    view_layout::Digest::put(at, message.digest);
    view_layout::Part::put(at, message.part);
    view_layout::LastPart::put(at, message.last_part);
    at += kViewSize;
    for (const std::uint16_t node : message.doubts) {
        Field<std::uint16_t, 0>::put(at, node);
        at += kDoubtSize;
    }
    for (const Member& member : message.next.members) {
        member_layout::Node::put(at, member.node);
        member_layout::PlayedBy::put(at, member.played_by);
        member_layout::Epoch::put(at, member.epoch);
        at += kMemberSize;
    }
    return static_cast<std::size_t>(at - out.data());
}

std::optional<ViewMessage> decode_view(std::span<const std::byte> payload, std::uint16_t node_count) {
    if (payload.size() < kViewSize) return std::nullopt;
    const std::byte* at = payload.data();
    const std::size_t doubts = view_layout::Doubts::get(at);
    const std::size_t members = view_layout::Members::get(at);
    const auto step = static_cast<ViewStep>(view_layout::Step::get(at));
    if (step < ViewStep::kPrepare || step > ViewStep::kAsk || view_layout::Reserved::get(at) != 0 ||
        payload.size() != view_size(doubts, members))
        return std::nullopt;
    ViewMessage message{.step = step,
                        .plays = view_layout::Plays::get(at),
                        .view = view_layout::View::get(at),
                        .ballot = view_layout::Ballot::get(at),
                        .held = view_layout::Held::get(at),
                        .last = view_layout::Last::get(at),
                        .accepted = view_layout::Accepted::get(at),
                        .next = {.number = view_layout::Number::get(at),
                                 .cut = view_layout::Cut::get(at),
                                 .base = view_layout::Base::get(at)},
                        .digest = view_layout::Digest::get(at),
                        .part = view_layout::Part::get(at),
                        .last_part = view_layout::LastPart::get(at)};
    if (!is_part(message, doubts + members, node_count)) return std::nullopt;
    if (message.plays != kNoNode && message.plays >= node_count) return std::nullopt;
    at += kViewSize;
    for (std::size_t i = 0; i < doubts; ++i, at += kDoubtSize) {
        const auto doubt = Field<std::uint16_t, 0>::get(at);
        if (doubt >= node_count || (i != 0 && doubt <= message.doubts.back())) return std::nullopt;
        message.doubts.push_back(doubt);
    }
    for (std::size_t i = 0; i < members; ++i, at += kMemberSize) {
        const Member member{member_layout::Node::get(at), member_layout::PlayedBy::get(at),
                            member_layout::Epoch::get(at)};
        const Member* before = i == 0 ? nullptr : &message.next.members.back();
        if (!is_member(member, before, node_count)) return std::nullopt;
        message.next.members.push_back(member);
    }
    return message;
}

}  // namespace isoplane::wire
