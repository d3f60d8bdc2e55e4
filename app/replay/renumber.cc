// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "replay/renumber.hh"

#include <algorithm>
#include <isoplane/wire/access.hh>
#include <isoplane/wire/along.hh>
#include <isoplane/wire/message.hh>
#include <isoplane/wire/page.hh>
#include <isoplane/wire/run.hh>
#include <isoplane/wire/token.hh>
#include <isoplane/wire/view.hh>
#include <vector>

#include "capture/any_frame.hh"

namespace isoplane::replay {

namespace {

/// What a reader has found, to be written.
std::span<std::byte> within(std::span<std::byte> whole, std::span<const std::byte> part) {
    return whole.subspan(static_cast<std::size_t>(part.data() - whole.data()), part.size());
}

void renumber_token(const NodeMap& nodes, std::span<std::byte> payload) {
    const auto view = wire::TokenView::parse(payload, capture::kAnyNode);
    if (!view) return;
    std::vector<wire::TokenEntry> entries;
    for (std::size_t i = 0; i < view->size(); ++i) {
        const wire::TokenEntry entry = view->entry(i);
        entries.push_back({renamed(nodes, entry.source), renamed(nodes, entry.destination), entry.value});
    }
    wire::encode_token(payload, view->token(), entries);
}

/// Whether it could be: a part is of a message whose checksum and order are those of all of it.
bool renumber_view(const NodeMap& nodes, std::span<std::byte> payload) {
    auto message = wire::decode_view(payload, capture::kAnyNode);
    if (!message) return true;
    if (message->last_part != 0) return false;
    message->plays = renamed(nodes, message->plays);
    for (std::uint16_t& node : message->doubts)
        node = renamed(nodes, node);
    std::ranges::sort(message->doubts);
    for (wire::Member& member : message->next.members)
        member = {renamed(nodes, member.node), renamed(nodes, member.played_by), member.epoch};
    std::ranges::sort(message->next.members, {}, &wire::Member::node);
    wire::encode_view(payload, *message);
    return true;
}

/// Who scheduled what is assigned.
void renumber_accesses(const NodeMap& nodes, std::span<std::byte> data) {
    wire::AccessCursor cursor(data);
    for (wire::Access access; cursor.next(access);)
        if (access.code == wire::AccessCode::kAssign)
            wire::Field<std::uint32_t, 0>::put(within(data, access.operands).data(),
                                               renamed(nodes, static_cast<std::uint16_t>(access.operand(0))));
}

/// One in a run has the host of the one in front of it.
bool renumber_isotach(const NodeMap& nodes, const wire::OrderedMessage& message, bool in_run,
                      std::span<std::byte> body) {
    const wire::IsotachHeader& header = message.header;
    if (!in_run) wire::isotach_layout::Host::put(body.data(), renamed(nodes, header.host));
    const std::size_t clock = (header.flags & wire::kIsotachClocked) != 0 ? wire::kIsotachClockSize : 0;
    const auto data = body.last(message.data.size());
    const bool here = (header.flags & wire::kIsotachPointer) == 0 && clock <= data.size();
    if (here && wire::is_of_copies(header.operation)) renumber_accesses(nodes, data.subspan(clock));
    return (header.flags & wire::kIsotachHandover) == 0;
}

void renumber_token_along(const NodeMap& nodes, std::span<std::byte> body) {
    if (body.size() < wire::kTokenOriginSize) return;
    const auto front = body.first<wire::kTokenOriginSize>();
    const wire::TokenOrigin origin = wire::decode_token_origin(front);
    wire::encode_token_origin(front, {origin.epoch, renamed(nodes, origin.from), renamed(nodes, origin.to)});
    renumber_token(nodes, body.subspan(wire::kTokenOriginSize));
}

bool renumber_messages(const NodeMap& nodes, std::span<std::byte> payload) {
    bool all = true;
    wire::MessageCursor cursor(payload);
    wire::OrderedReader ordered;
    for (wire::Message message; cursor.next_valid(message);) {
        const auto body = within(payload, message.body);
        if (wire::is_ordered(message.header.protocol)) {
            const bool in_run = message.header.fragment == wire::kInRun;
            all = renumber_isotach(nodes, ordered.read(message), in_run, body) && all;
        } else if (message.header.protocol == wire::Protocol::kToken) {
            renumber_token_along(nodes, body);
        } else if (message.header.protocol == wire::Protocol::kShmem) {
            const auto page = wire::decode_page_message(body);
            all = all && !(page && page->step == wire::PageStep::kOpen);
        }
    }
    return all;
}

}  // namespace

std::uint16_t renamed(const NodeMap& nodes, std::uint16_t node) {
    const auto found = nodes.find(node);
    return found != nodes.end() ? found->second : node;
}

bool renumber(const NodeMap& nodes, wire::Kind kind, std::span<std::byte> payload) {
    if (kind == wire::Kind::kData) return renumber_messages(nodes, payload);
    if (kind == wire::Kind::kView) return renumber_view(nodes, payload);
    if (kind == wire::Kind::kToken) renumber_token(nodes, payload);
    return true;
}

}  // namespace isoplane::replay
