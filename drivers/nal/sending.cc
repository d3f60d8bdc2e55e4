// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// From this node to others.
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <isoplane/nal/over_niu.hh>

#include "encoding.hh"

namespace isoplane::nal {

using namespace portals;
using wire::Protocol;

namespace {

/// As much of the beginning as lies in one piece.
std::span<const std::byte> first_piece(const Pieces& data) {
    std::span<const std::byte> first;
    data.for_each([&first](std::span<std::byte> piece) {
        if (first.empty()) first = piece;
    });
    return first;
}

}  // namespace

/// All that can go to that node now. Nothing may come between the beginning of a message and the rest that
/// follows it.
unsigned OverNiu::pump(Peer& peer) {
    if (!alive(peer)) return 0;
    if (peer.left) {
        leave(peer);
        return 1;
    }
    follow_up(peer);
    unsigned n = read_memory(peer);
    n += send_rest(peer);
    peer.kept = 0;
    for (; !peer.unheard.empty() && send_unheard(peer); ++n)
        peer.unheard.pop_front();
    if (!peer.unheard.empty()) {
        settle(peer);
        return n;
    }
    for (; !peer.rest.due && !peer.done.empty() && send_done(peer); ++n)
        peer.done.pop();
    if (peer.done.empty()) n += send_messages(peer);
    n += send_rest(peer);
    for (std::size_t plane = 0; plane < planes_.size(); ++plane) {
        if (!peer.lanes[plane].open) continue;
        n += send_pulls(peer, plane);
        n += send_slices(peer, plane);
    }
    settle(peer);
    return n;
}

/// Answers first. But who is asked all the time asks something itself now and then, when those before it have
/// gone, and may have to wait for credit, of which answers leave nothing: for as long as those took that went
/// before.
unsigned OverNiu::send_messages(Peer& peer) {
    constexpr unsigned kAnswersInTurn = 16;
    constexpr runtime::Duration kLongestTurn = std::chrono::milliseconds{1};
    unsigned n = 0;
    Turn& turn = peer.turn;
    while (!peer.answers.empty()) {
        const bool has_gone = turn.answers >= kAnswersInTurn;
        const bool asks = !peer.waiting.empty() && peer.waiting.front().number < peer.answers.front().number;
        if (!has_gone || !asks) {
            const unsigned sent = send_from(peer, peer.answers, has_gone ? 1 : kAnswersInTurn - turn.answers);
            if (sent == 0) return n;
            n += sent;
            turn.answers += sent;
            turn.until = now_ + std::min(now_ - turn.since, kLongestTurn);
            continue;
        }
        const unsigned sent = send_from(peer, peer.waiting, 1);
        n += sent;
        // Answers would wait for the rest of a message, too.
        if (sent == 0 && (peer.rest.due || now_ < turn.until)) return n;
        turn = {.since = now_};
    }
    turn.since = now_;
    return n + send_from(peer, peer.waiting, UINT_MAX);
}

unsigned OverNiu::send_from(Peer& peer, Fifo<Message>& messages, unsigned most) {
    unsigned n = 0;
    for (; n < most && !peer.rest.due && !messages.empty(); messages.pop(), ++n) {
        const Message& next = messages.front();
        if (!begin(peer, next.from, next.header, next.data, next.operation)) break;
    }
    return n;
}

bool OverNiu::has_work(const Peer& peer) const noexcept {
    if (peer.rest.due || !peer.unheard.empty() || !peer.leaving.empty() || !peer.done.empty() ||
        !peer.answers.empty() || !peer.waiting.empty() || !peer.withheld.empty())
        return true;
    return std::any_of(peer.lanes.begin(), peer.lanes.begin() + planes_.size(), [&](const Lane& lane) {
        return !lane.slices.empty() || (!peer.unanswered.empty() && lane.open) ||
               (!peer.sinks.empty() && lane.open && lane.pulls.size() < options_.ahead);
    });
}

/// False: it has to wait.
bool OverNiu::begin(Peer& peer, Interface* from, const Header& header, const Pieces& data,
                    Operation operation) {
    const Size payload = header.payload();
    const auto type = static_cast<std::uint8_t>(header.type);
    const std::size_t most = planes_[peer.lead].niu->max_message(id_of(peer));
    if (wire::portals_begin_size(type, 0) + payload <= most) [[likely]] {
        if (!put_frame(peer, from, header, {}, data)) return false;
        if (operation != kNone) from->sent(operation);
        return true;
    }
    const std::span<const std::byte> first = first_piece(data);
    constexpr std::uint8_t kInMemory = wire::kPortalsRestWaits | wire::kPortalsInMemory;
    const bool in_memory =
        options_.reads_memory && first.size() == payload && most >= wire::portals_begin_size(type, kInMemory);
    const std::size_t followed =
        in_memory && !peer.pulls ? std::min(options_.read_from, options_.followed) : options_.followed;
    const bool follows = payload <= followed && planes_.size() == 1 && region_of(first) == nullptr;
    const std::uint8_t waits = in_memory ? kInMemory : wire::kPortalsRestWaits;
    const std::uint8_t flags = follows ? wire::kPortalsRestFollows : waits;
    const Size here = most - wire::portals_begin_size(type, flags);
    if (follows) {
        if (!put_frame(peer, from, header, {.flags = flags}, data.sub(0, here))) return false;
        peer.rest = {from, operation, data.sub(here, payload - here), true};
        send_rest(peer);
        return true;
    }
    Source* const source = sources_.take();
    if (source == nullptr) return false;
    Beginning beginning{.flags = flags, .source = source->handle};
    if (flags == kInMemory) {
        last_seal_ += 2;
        source->seal.store(last_seal_, std::memory_order_release);
        beginning.place = {.process = static_cast<std::uint32_t>(getpid()),
                           .address = reinterpret_cast<std::uintptr_t>(first.data()),
                           .seal_at = reinterpret_cast<std::uintptr_t>(&source->seal),
                           .seal = last_seal_};
    }
    if (!put_frame(peer, from, header, beginning, data.sub(0, here))) {
        source->withdraw();
        sources_.give_back(*source);
        return false;
    }
    source->to = id_of(peer);
    source->from = from;
    source->operation = operation;
    source->data = data;
    source->asked_for = false;
    return true;
}

/// The first of a message, or all of it.
bool OverNiu::put_frame(Peer& peer, Interface* from, const Header& header, const Beginning& beginning,
                        const Pieces& data) {
    const std::size_t size = beginning.size(header.type);
    niu::Niu& niu = *planes_[peer.lead].niu;
    const niu::SendBuffer room =
        niu.buffer(id_of(peer), Protocol::kPortals, size + static_cast<std::size_t>(data.length),
                   header.is_answer() ? niu::Urgency::kUrgent : niu::Urgency::kOrdinary);
    if (!room) return false;
    encode(room.data.data(), beginning, peer.begun, header);
    std::byte* at = room.data.data() + size;
    std::span<const std::byte> last{};
    data.for_each([&](std::span<const std::byte> piece) {
        at = std::copy(last.begin(), last.end(), at);
        last = piece;
    });
    niu.send(room, last);
    ++peer.begun;
    counters_.begun.add();
    counters_.copied_out.add(data.length);
    if (from != nullptr && Unanswered::wants_answer(header))
        peer.asked.add(*from, header, beginning.flags == 0);
    return true;
}

/// What has been handed over and is in frames now. They get there in order.
void OverNiu::follow_up(Peer& peer) noexcept {
    while (!peer.leaving.empty()) {
        const Leaving leaving = peer.leaving.front();
        if (planes_[leaving.plane].niu->state(leaving.ticket) == niu::TransferState::kWaiting) return;
        peer.leaving.pop();
        if (leaving.from != nullptr && leaving.operation != kNone) leaving.from->sent(leaving.operation);
    }
}

bool OverNiu::send_done(Peer& peer) {
    using namespace wire::portals_done_layout;
    niu::Niu& niu = *planes_[peer.lead].niu;
    const niu::SendBuffer room =
        niu.buffer(id_of(peer), Protocol::kPortals, wire::kPortalsDoneSize, niu::Urgency::kUrgent);
    if (!room) return false;
    std::byte* const at = room.data.data();
    wire::portals_layout::Kind::put(at, static_cast<std::uint8_t>(wire::PortalsKind::kDone));
    Reserved::put(at, 0);
    Reserved2::put(at, 0);
    wire::portals_done_layout::Source::put(at, peer.done.front());
    niu.send(room);
    return true;
}

unsigned OverNiu::send_rest(Peer& peer) {
    if (!peer.rest.due) return 0;
    Rest& rest = peer.rest;
    if (rest.from == nullptr) {
        rest.due = !planes_[peer.lead].niu->send(id_of(peer), Protocol::kPortals, {});
        return rest.due ? 0 : 1;
    }
    const bool any = hand_over(peer, peer.lead, Protocol::kPortals, rest.from, rest.data);
    if (rest.data.length != 0) return any ? 1 : 0;
    rest.due = false;
    peer.leaving.back().operation = rest.operation;
    follow_up(peer);
    return 1;
}

bool OverNiu::send_unheard(Peer& peer) {
    return planes_[peer.lead].niu->send(id_of(peer), Protocol::kPortals, peer.unheard.front());
}

bool OverNiu::send_pull(Peer& peer, std::size_t plane, const Pull& pull) {
    using namespace wire::portals_pull_layout;
    niu::Niu& niu = *planes_[plane].niu;
    const niu::SendBuffer room =
        niu.buffer(id_of(peer), Protocol::kPortals, wire::kPortalsPullSize, niu::Urgency::kUrgent);
    if (!room) return false;
    std::byte* const at = room.data.data();
    wire::portals_layout::Kind::put(at, static_cast<std::uint8_t>(wire::PortalsKind::kPull));
    Reserved::put(at, 0);
    Reserved2::put(at, 0);
    wire::portals_pull_layout::Source::put(at, pull.sink->source);
    Offset::put(at, pull.offset);
    Length::put(at, pull.length);
    Reserved3::put(at, 0);
    niu.send(room);
    peer.lanes[plane].pulls.push(pull);
    counters_.pulls.add();
    return true;
}

/// Asks for what a plane that died did not bring, and for what comes next, the oldest message first.
unsigned OverNiu::send_pulls(Peer& peer, std::size_t plane) {
    const Lane& lane = peer.lanes[plane];
    unsigned n = 0;
    if (peer.rest.due && plane == peer.lead) return n;
    for (; !peer.unanswered.empty() && lane.pulls.size() < options_.ahead; ++n) {
        Pull pull = peer.unanswered.front();
        pull.got = 0;
        if (!send_pull(peer, plane, pull)) return n;
        peer.unanswered.pop();
    }
    for (; !peer.sinks.empty() && lane.pulls.size() < options_.ahead; ++n) {
        Sink& sink = *peer.sinks.front();
        if (sink.is_wanted()) {
            if (sink.place) break;
            const auto length =
                static_cast<std::uint32_t>(std::min<Size>(options_.slice, sink.where.length - sink.pulled));
            if (!send_pull(peer, plane, {&sink, sink.pulled, length, 0})) return n;
            sink.pulled += length;
            ++sink.under_way;
            if (sink.pulled < sink.where.length) continue;
        }
        drop_front(peer);
    }
    return n;
}

/// All of that message has been asked for, or read, or is not wanted.
void OverNiu::drop_front(Peer& peer) {
    Sink& sink = *peer.sinks.front();
    peer.sinks.pop();
    sink.queued = false;
    finish_if_done(sink);
}

unsigned OverNiu::send_slices(Peer& peer, std::size_t plane) {
    const NodeId to = id_of(peer);
    niu::Niu& niu = *planes_[plane].niu;
    unsigned n = 0;
    for (Fifo<Slice>& slices = peer.lanes[plane].slices; !slices.empty(); slices.pop(), ++n) {
        Slice& slice = slices.front();
        const Source* const source = sources_.find(slice.source);
        if (source == nullptr || source->from == nullptr) {
            if (!niu.send(to, Protocol::kPortalsData, {})) break;
            continue;
        }
        const Size before = slice.rest.length;
        hand_over(peer, plane, Protocol::kPortalsData, source->from, slice.rest, slice.source);
        plane_counters_[plane].sent.add(before - slice.rest.length);
        if (slice.rest.length != 0) break;
    }
    return n;
}

/// Piece by piece, as far as it goes; the rest stays. Returns whether any has gone.
bool OverNiu::hand_over(Peer& peer, std::size_t plane, Protocol protocol, Interface* from, Pieces& rest,
                        Handle source) {
    niu::Niu& niu = *planes_[plane].niu;
    bool any = false;
    for (; rest.length != 0; any = true) {
        const std::span<const std::byte> piece = first_piece(rest);
        niu::Memory::Region* const region = region_of(piece);
        const niu::Ticket ticket = niu.transfer(id_of(peer), protocol, piece, region);
        if (!ticket) break;
        peer.leaving.push({from, kNone, plane, ticket, source});
        rest = rest.sub(piece.size(), rest.length - piece.size());
        (region != nullptr ? counters_.referred : counters_.copied_out).add(piece.size());
    }
    return any;
}

/// The registered memory that they lie in; nullptr when they do not.
niu::Memory::Region* OverNiu::region_of(std::span<const std::byte> bytes) const noexcept {
    const auto found = std::find_if(memory_.begin(), memory_.end(), [bytes](const niu::Memory* memory) {
        return memory->region()->contains(bytes);
    });
    return found != memory_.end() ? (*found)->region() : nullptr;
}

}  // namespace isoplane::nal
