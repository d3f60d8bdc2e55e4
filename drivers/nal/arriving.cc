// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// From other nodes to this one.
#include <unistd.h>

#include <algorithm>
#include <isoplane/nal/over_niu.hh>

#include "encoding.hh"

namespace isoplane::nal {

using namespace portals;

namespace {

constexpr Size kReadAtOnce = Size{256} << 10;

}  // namespace

/// All of it is put in its place at once: nothing that comes is ever kept.
void OverNiu::take(std::size_t plane, const niu::Received& received) noexcept {
    niu::Niu& niu = *planes_[plane].niu;
    Peer& peer = peers_[received.source];
    if (peer.epoch != niu.peer(received.source).epoch || !peer.lanes[plane].open) [[unlikely]]
        alive(peer);
    const std::span<const std::byte> data = received.data;
    bool asks_too_much = false;
    if (!peer.lanes[plane].open) {
        // Of a life that is over.
    } else if (received.protocol == wire::Protocol::kPortalsData) {
        on_slice(peer, plane, data);
    } else if (peer.following.left != 0) {
        on_following(peer, data);
    } else {
        asks_too_much = on_message(peer, plane, data);
    }
    if (asks_too_much) [[unlikely]] {
        counters_.withheld.add();
        return peer.withheld.push({plane, received});
    }
    niu.release(received);
}

/// Returns whether it asks for something where too much is owed already.
bool OverNiu::on_message(Peer& peer, std::size_t plane, std::span<const std::byte> message) {
    if (!wire::is_portals_message(message)) {
        counters_.malformed.add();
        return false;
    }
    switch (static_cast<wire::PortalsKind>(wire::portals_layout::Kind::get(message.data()))) {
        case wire::PortalsKind::kBegin:
            on_begin(peer, message);
            return peer.answers.size() + peer.done.size() > options_.owed &&
                   !wire::is_portals_answer(wire::portals_begin_layout::Type::get(message.data()));
        case wire::PortalsKind::kPull:
            on_pull(peer, plane, message.data());
            return false;
        case wire::PortalsKind::kDone:
            on_done(peer, wire::portals_done_layout::Source::get(message.data()));
            return false;
    }
    return false;
}

/// As much of it as there is room for.
void OverNiu::land(const Pieces& where, Size at, std::span<const std::byte> data) {
    if (at >= where.length) return;
    const Size size = std::min<Size>(data.size(), where.length - at);
    copy(where.sub(at, size), data.first(static_cast<std::size_t>(size)));
    counters_.copied_in.add(size);
}

void OverNiu::on_begin(Peer& peer, std::span<const std::byte> message) {
    const Beginning begin = decode(message.data());
    if (begin.number != peer.arrived) {
        const bool had = static_cast<std::int32_t>(begin.number - peer.arrived) < 0;
        return (had ? counters_.repeated : counters_.malformed).add();
    }
    ++peer.arrived;
    counters_.arrived.add();
    const NodeId source = id_of(peer);
    const Header header = decode_header(message.data(), source, node_);
    if (header.is_answer()) peer.asked.answered(header);
    Interface* const to = find(header.target.pid);
    if (to == nullptr) counters_.nobody.add();
    // Of what answers, and those that follow it, the user is not to know before the memory of these is his.
    if (!peer.leaving.empty()) follow_up(peer);

    const std::span<const std::byte> data = message.subspan(begin.size(header.type));
    if (begin.flags == 0) [[likely]] {
        counters_.copied_in.add(data.size());
        if (to != nullptr) to->deliver(header, data);
        return;
    }
    const Landing landing = to != nullptr ? to->arrive(header) : Landing{};
    const Size rest = header.payload() - data.size();
    if (landing.operation != kNone) land(landing.where, 0, data);
    if (begin.flags == wire::kPortalsRestFollows) {
        peer.following = {landing.operation != kNone ? to : nullptr, landing.operation, landing.where,
                          data.size(), rest};
        return;
    }
    if ((begin.flags & wire::kPortalsRestWaits) != 0) {
        const bool wanted = landing.operation != kNone && landing.where.length > data.size();
        Sink* const sink = wanted ? sinks_.take() : nullptr;
        if (sink != nullptr) {
            sink->from = source;
            sink->to = to;
            sink->operation = landing.operation;
            sink->where = landing.where;
            sink->pulled = data.size();
            sink->source = begin.source;
            if (may_be_read(begin.place)) sink->place = begin.place;
            sink->queued = true;
            peer.sinks.push(sink);
            return wake(peer);
        }
        // The other side is told before anything that it may have to do with what comes of this. Unless it
        // takes nothing that it is told: no node has more sources.
        if (peer.done.size() >= kMostObjects) [[unlikely]] {
            counters_.malformed.add();
        } else {
            peer.done.push(begin.source);
            wake(peer);
        }
        if (wanted) return fail_landing(to, landing.operation);
    }
    if (landing.operation != kNone) to->landed(landing.operation);
}

void OverNiu::on_following(Peer& peer, std::span<const std::byte> data) {
    Following& following = peer.following;
    if (following.to != nullptr) land(following.where, following.at, data);
    following.at += data.size();
    following.left -= std::min<Size>(following.left, data.size());
    if (data.empty()) {
        following.left = 0;
        counters_.cut_short.add();
        fail_landing(following.to, following.operation);
    } else if (following.left == 0 && following.to != nullptr) {
        following.to->landed(following.operation);
    }
}

/// Is answered, whatever it asks for: answers have no names, but their order. Unless it is one too many,
/// which nobody sends who waits for the answers.
void OverNiu::on_pull(Peer& peer, std::size_t plane, const std::byte* message) {
    using namespace wire::portals_pull_layout;
    Fifo<Slice>& slices = peer.lanes[plane].slices;
    if (slices.size() >= options_.ahead) [[unlikely]]
        return counters_.malformed.add();
    const Size offset = Offset::get(message);
    const Size length = Length::get(message);
    Source* const source = sources_.find(wire::portals_pull_layout::Source::get(message));
    Slice slice;
    if (source != nullptr && source->to == id_of(peer) && offset <= source->data.length &&
        length <= source->data.length - offset) {
        slice = {source->handle, source->data.sub(offset, length)};
        source->asked_for = true;
    } else {
        counters_.malformed.add();
    }
    slices.push(slice);
    wake(peer);
}

/// The memory is its user's from here on, whatever of it the other side has asked for and does not wait for.
void OverNiu::on_done(Peer& peer, std::uint32_t handle) {
    Source* const source = sources_.find(handle);
    if (source == nullptr || source->to != id_of(peer)) return counters_.malformed.add();
    if (!peer.leaving.empty()) {
        peer.leaving.for_each([this, handle](const Leaving& leaving) {
            if (leaving.source == handle) keep_copy(leaving);
        });
    }
    if (source->seal.load(std::memory_order_relaxed) != 0) peer.pulls |= source->asked_for;
    source->withdraw();
    if (source->from != nullptr) source->from->sent(source->operation);
    sources_.give_back(*source);
}

void OverNiu::on_slice(Peer& peer, std::size_t plane, std::span<const std::byte> data) {
    Lane& lane = peer.lanes[plane];
    if (lane.pulls.empty()) return counters_.malformed.add();
    Pull& pull = lane.pulls.front();
    Sink& sink = *pull.sink;
    const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(data.size(), pull.length - pull.got));
    if (sink.to != nullptr) land(sink.where, pull.offset + pull.got, data.first(size));
    pull.got += size;
    plane_counters_[plane].received.add(size);
    if (data.empty()) {
        sink.broken = true;
        counters_.cut_short.add();
    } else if (pull.got < pull.length) {
        return;
    }
    lane.pulls.pop();
    --sink.under_way;
    finish_if_done(sink);
    wake(peer);
}

/// None of ours: nodes of a job have processes of their own, and the kernel would not say no.
bool OverNiu::may_be_read(const Place& place) const noexcept {
    return options_.reads_memory &&
           (options_.in_one_process || place.process != static_cast<std::uint32_t>(getpid()));
}

/// A slice of what comes next, if it lies in memory of this machine; then others have their turn. What cannot
/// be read is pulled.
unsigned OverNiu::read_memory(Peer& peer) {
    if (peer.sinks.empty()) return 0;
    Sink& sink = *peer.sinks.front();
    if (!sink.place || !sink.is_wanted()) return 0;
    const Size length = std::min<Size>(kReadAtOnce, sink.where.length - sink.pulled);
    const Size got = nal::read(sink.place, sink.pulled, sink.where.sub(sink.pulled, length));
    if (got == 0) {
        counters_.unreadable.add();
        sink.place = {};
        return 1;
    }
    counters_.read.add(got);
    sink.pulled += got;
    if (sink.pulled == sink.where.length) drop_front(peer);
    return 1;
}

/// Everything that is to come has.
void OverNiu::finish_if_done(Sink& sink) {
    if (sink.queued || sink.under_way != 0) return;
    Peer& peer = peers_[sink.from];
    peer.done.push(sink.source);
    wake(peer);
    if (sink.broken)
        fail_landing(sink.to, sink.operation);
    else if (sink.to != nullptr)
        sink.to->landed(sink.operation);
    sinks_.give_back(sink);
}

}  // namespace isoplane::nal
