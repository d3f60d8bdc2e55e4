// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// From one view to the next: what of the last one is to be executed comes to all who are in the next.

#include <algorithm>
#include <isoplane/isotach/isotach.hh>
#include <isoplane/wire/isotach.hh>
#include <iterator>
#include <utility>

namespace isoplane::isotach {

bool Survival::change(Pulse pulse, Group& group) noexcept {
    due.clear();
    std::erase_if(changes, [&](const Change& change) {
        if (change.pulse != pulse) return false;
        if (!change.joined) group.remove(change.host);
        present[change.host] = change.joined;
        due.push_back(change);
        return true;
    });
    // Who leaves goes first: what it leaves behind is settled before anybody is told how things stand.
    std::ranges::stable_sort(due, {},
                             [](const Change& change) { return std::pair(change.joined, change.host); });
    return !due.empty();
}

void Survival::leaves(NodeId host, const wire::View& next) {
    const auto has_not_joined = std::erase_if(changes, [&](const Change& change) {
        return change.host == host && change.joined && change.pulse == next.base;
    });
    if (has_not_joined == 0) changes.push_back({next.base, host, false, next.number});
}

bool Survival::keep(Flush&& flush) {
    constexpr std::ptrdiff_t kMost = 64;
    if (std::ranges::count(early, flush.from, &Flush::from) >= kMost) return false;
    early.push_back(std::move(flush));
    return true;
}

/// Whoever lags behind hears of two views at once from one that is quick, and goes from one to the other.
std::vector<Flush> Survival::take_kept(std::uint32_t view_now) {
    const auto later = std::stable_partition(
        early.begin(), early.end(), [view_now](const Flush& flush) { return flush.view <= view_now; });
    std::vector<Flush> now(std::move_iterator(early.begin()), std::move_iterator(later));
    early.erase(early.begin(), later);
    return now;
}

void Isotach::deliver_changes(LogicalTime time) noexcept {
    for (const Change& change : survival_.due) {
        deliver({.kind = change.joined ? DeliveryKind::kJoined : DeliveryKind::kLeft,
                 .channel = change.host,
                 .isochron = change.view,
                 .time = time});
        ++time.rank;
    }
}

Standing Isotach::freeze() noexcept {
    siu_.freeze();
    end_run();
    // What others have done in the group behind the cut comes again with their flushes: those of them who
    // have died since may have said it to nobody.
    const Pulse held = survival_.flushing ? std::min(ordering_.held(), siu_.cut()) : ordering_.held();
    const Arrival& arrival = survival_.arrival;
    if (arrival.waits) return {.held = std::min(arrival.pulse, held), .last = kArrives};
    return {.held = held, .last = siu_.last()};
}

void Isotach::begin(const wire::View& view) {
    end_run();
    const bool has_past = survival_.view != 0;
    std::vector<std::uint32_t> epochs(survival_.epochs.size());
    for (const wire::Member& member : view.members)
        epochs[member.node] = member.epoch;
    // What all hold is executed when it would have been; what some may not hold, at the end of the next view.
    for (Change& change : survival_.changes)
        if (change.pulse > view.cut) change.pulse = view.base;
    survival_.out.clear();
    for (std::size_t i = 0; has_past && i < hosts(); ++i) {
        const auto host = static_cast<NodeId>(i);
        const std::uint32_t before = survival_.epochs[i];
        if (host == here_ || niu_.options().nodes[i].empty()) continue;
        if (before != 0 && before == epochs[i]) {
            survival_.out.push_back({.to = host});
            continue;
        }
        if (before != 0) {
            part_with(host, view.cut);
            survival_.leaves(host, view);
        }
        if (epochs[i] != 0) survival_.changes.push_back({view.base, host, true, view.number});
    }
    survival_.epochs = std::move(epochs);
    survival_.some_left = std::ranges::find(survival_.epochs, 0U) != survival_.epochs.end();
    const auto is_in = [&](NodeId node) { return survival_.epochs[node] != 0; };
    survival_.acts.clear();
    if (!has_past) begin_without_past(view);
    const Arrival& arrival = survival_.arrival;
    if (arrival.waits && view.cut < arrival.pulse) arrive_behind(view.base);
    siu_.begin_view(view.number, has_past ? view.cut : view.base, view.base, is_in);
    if (!survival_.changes.empty()) siu_.take_act({view.base, wire::kNoNode, 0});
    survival_.acts = siu_.own_acts();
    survival_.view = view.number;
    survival_.base = view.base;
    survival_.flushing = true;
    std::fill(survival_.awaited.begin(), survival_.awaited.end(), false);
    for (const FlushOut& out : survival_.out)
        survival_.awaited[out.to] = true;
    for (const Flush& flush : survival_.take_kept(view.number))
        apply_flush(flush);
    do_what_was_deferred();
}

void Isotach::begin_without_past(const wire::View& view) noexcept {
    ordering_.begin(view.base);
    if (view.number > 1) return arrive_behind(view.base);
    for (std::size_t host = 0; host < survival_.present.size(); ++host)
        survival_.present[host] = survival_.epochs[host] != 0;
}

void Isotach::do_what_was_deferred() noexcept {
    if (survival_.arrival.waits) return;
    for (; !survival_.deferred.empty(); survival_.deferred.pop())
        act(survival_.deferred.front());
}

/// Up to the cut, everybody has what it has sent.
void Isotach::part_with(NodeId host, Pulse cut) noexcept {
    if (options_.planted.no_cut) [[unlikely]]
        cut = UINT64_MAX;
    ordering_.cut_off(host, cut, [this](const Delivery& message) { release(message); });
    if (paranoid_) paranoid_->cut_off(host, cut);
    payloads_.forget(host);
    siu_.begin_count(host);
    if (niu_.peer(host).epoch == survival_.epochs[host]) niu_.give_up(host);
}

void Isotach::tend_survival() noexcept {
    tend_handovers();
    // It has promised how it stands: neither does it hold more, nor does it do what had to wait for a time.
    if (siu_.is_frozen()) return;
    // Whether or not all of the others have come: nobody goes on without it.
    for (FlushOut& out : survival_.out)
        while (!out.sent && send_flush(out)) {
        }
    if (!survival_.flushing) {
        if (survival_.arrival.waits) return tend_arrival();
        siu_.hold(ordering_.hold(payloads_.expected() == 0));
        return;
    }
    const bool all_here = std::ranges::find(survival_.awaited, true) == survival_.awaited.end();
    if ((!all_here || payloads_.expected() != 0) && !options_.planted.no_flush) return;
    survival_.flushing = false;
    ordering_.settle(survival_.base);
    if (survival_.arrival.anew) forget_what_was_before();
    if (!survival_.arrival.waits || survival_.arrival.pulse == survival_.base) siu_.hold(survival_.base);
}

/// Behind everything that has been sent there; as many acts as fit.
bool Isotach::send_flush(FlushOut& out) noexcept {
    const std::size_t most = niu_.max_message(out.to);
    const std::size_t front = wire::kIsotachSize;
    if (!reaches(out.to) || !payloads_.may_send(out.to) || most < front + wire::kFlushActSize) return false;
    const std::size_t n = std::min(survival_.acts.size() - out.next, (most - front) / wire::kFlushActSize);
    const bool last = out.next + n == survival_.acts.size();
    const niu::SendBuffer room =
        niu_.buffer(out.to, wire::Protocol::kIsotach, front + n * wire::kFlushActSize, niu::Urgency::kAhead);
    if (!room) return false;
    wire::encode_isotach(room.data.first<wire::kIsotachSize>(), {.pulse = survival_.base,
                                                                 .host = here_,
                                                                 .flags = wire::kIsotachFlush,
                                                                 .rank = last ? 0U : 1U,
                                                                 .isochron = survival_.view});
    std::byte* at = room.data.data() + front;
    for (std::size_t i = 0; i < n; ++i, at += wire::kFlushActSize) {
        const siu::GroupAct& act = survival_.acts[out.next + i];
        wire::FlushPulse::put(at, act.pulse);
        wire::FlushWord::put(at, act.word);
    }
    niu_.send(room);
    out.next += n;
    out.sent = last;
    return true;
}

void Isotach::take_flush(const niu::Received& message, const wire::IsotachHeader& header) noexcept {
    Flush flush{.from = message.source, .view = header.isochron, .whole = header.rank == 0};
    std::span<const std::byte> rest = message.data.subspan(wire::kIsotachSize);
    for (; rest.size() >= wire::kFlushActSize; rest = rest.subspan(wire::kFlushActSize))
        flush.acts.push_back({wire::FlushPulse::get(rest.data()), message.source,
                              wire::FlushWord::get(rest.data()) & wire::kKnownGroupBits});
    const bool whole = message.whole() && rest.empty();
    niu_.release(message);
    if (!whole || !siu_.survives()) return counters_.malformed.add();
    if (flush.view > survival_.view) {
        if (!survival_.keep(std::move(flush))) counters_.malformed.add();
    } else {
        apply_flush(flush);
    }
}

/// Those acts that everybody holds are here already.
void Isotach::apply_flush(const Flush& flush) noexcept {
    if (flush.view != survival_.view || !survival_.awaited[flush.from]) return;
    for (const siu::GroupAct& act : flush.acts)
        if (act.pulse > siu_.cut() && act.pulse <= survival_.base) siu_.take_act(act);
    if (flush.whole) survival_.awaited[flush.from] = false;
}

}  // namespace isoplane::isotach
