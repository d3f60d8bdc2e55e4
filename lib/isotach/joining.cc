// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// A host that joins a running time is told how things stand at the end of the pulse in which all learn that
/// it does. Nobody executes more before it knows: it sends no token that says that it holds more. So those
/// that tell it need not keep what was, and if one of them dies, it is another that has told, or will.

#include <algorithm>
#include <isoplane/isotach/isotach.hh>
#include <isoplane/wire/isotach.hh>

namespace isoplane::isotach {

void Isotach::arrive_behind(Pulse pulse) noexcept {
    survival_.arrival = {.waits = true,
                         .anew = true,
                         .pulse = pulse,
                         .epochs = survival_.epochs,
                         .told = std::vector<std::vector<std::byte>>(hosts())};
    most_outstanding_ = 0;
}

/// It is in what this host will be told.
void Isotach::forget_what_was_before() noexcept {
    survival_.arrival.anew = false;
    ordering_.pass_over(survival_.base, [this](const Delivery& message) {
        if (paranoid_) paranoid_->passed_over(message.time);
        release(message);
    });
    for (siu::GroupAct act; siu_.next_act(survival_.base, act);) {
    }
    std::erase_if(survival_.changes, [this](const Change& change) { return change.pulse <= survival_.base; });
    ordering_.begin(survival_.base);
}

void Isotach::tend_arrival() noexcept {
    Arrival& arrival = survival_.arrival;
    const bool has_all = arrival.has_group && (arrival.has_pages || !options_.with_pages);
    if (!has_all && !options_.planted.no_arrival) return;
    arrival.waits = false;
    most_outstanding_ = options_.most_outstanding;
    do_what_was_deferred();
}

/// All that were there before tell the same; the first of whom all parts have come counts.
void Isotach::take_handover(const niu::Received& message, const wire::IsotachHeader& header) noexcept {
    Arrival& arrival = survival_.arrival;
    const std::span<const std::byte> part = message.data.subspan(wire::kIsotachSize);
    const std::size_t most = hosts() * (1 + wire::kHandoverViewSize);
    bool well_formed = message.whole() && siu_.survives() && header.count <= most &&
                       header.rank <= header.count && part.size() <= header.count - header.rank;
    if (well_formed && arrival.waits && !arrival.has_group && header.pulse == arrival.pulse) {
        std::vector<std::byte>& told = arrival.told[message.source];
        if (header.rank == 0) told.clear();
        if (header.rank == told.size()) told.insert(told.end(), part.begin(), part.end());
        if (told.size() == header.count) well_formed = take_over(header, told);
    }
    if (!well_formed) counters_.malformed.add();
    niu_.release(message);
}

/// The program is told who does not take part, and who joins with it. False when that is not all that it
/// should be.
bool Isotach::take_over(const wire::IsotachHeader& header, std::span<const std::byte> standing) noexcept {
    const auto joining = static_cast<std::size_t>(std::ranges::count_if(
        standing.first(std::min(standing.size(), hosts())),
        [](std::byte bits) { return (std::to_integer<std::uint8_t>(bits) & wire::kHandoverJoins) != 0; }));
    if (standing.size() != hosts() + joining * wire::kHandoverViewSize) return false;
    LogicalTime time{header.pulse, Place::kEnd, 0, 0};
    survival_.due.clear();
    const std::byte* view = standing.data() + hosts();
    for (std::size_t i = 0; i < hosts(); ++i) {
        const auto host = static_cast<NodeId>(i);
        const auto bits = std::to_integer<std::uint8_t>(standing[i]);
        survival_.present[i] = (bits & wire::kHandoverPresent) != 0;
        if (!options_.planted.no_handover) group_.take_over(host, bits);
        if ((bits & wire::kHandoverJoins) != 0) {
            survival_.due.push_back({header.pulse, host, true, wire::Field<std::uint32_t, 0>::get(view)});
            view += wire::kHandoverViewSize;
        } else if (!survival_.present[i] && !niu_.options().nodes[i].empty()) {
            deliver(
                {.kind = DeliveryKind::kLeft, .channel = host, .isochron = header.isochron, .time = time});
            ++time.rank;
        }
    }
    deliver_changes(time);
    survival_.arrival.has_group = true;
    return true;
}

/// At the end of that pulse.
void Isotach::hand_over(Pulse pulse) {
    std::vector<std::byte> standing(hosts());
    std::vector<std::uint32_t> views(hosts());
    for (const Change& change : survival_.due)
        views[change.host] = change.joined ? change.view : 0;
    for (std::size_t i = 0; i < hosts(); ++i) {
        unsigned bits = group_.standing(static_cast<NodeId>(i));
        if (survival_.present[i]) bits |= wire::kHandoverPresent;
        if (views[i] != 0) bits |= wire::kHandoverJoins;
        standing[i] = static_cast<std::byte>(bits);
        if (views[i] == 0) continue;
        standing.resize(standing.size() + wire::kHandoverViewSize);
        wire::Field<std::uint32_t, 0>::put(standing.data() + standing.size() - wire::kHandoverViewSize,
                                           views[i]);
    }
    for (std::size_t i = 0; i < hosts(); ++i) {
        if (views[i] != 0)
            survival_.handovers.push_back(
                {static_cast<NodeId>(i), survival_.epochs[i], views[i], pulse, standing});
    }
}

void Isotach::tend_handovers() noexcept {
    std::erase_if(survival_.handovers, [this](Handover& out) { return send_handover(out); });
}

/// As much of it as can go now. Returns whether nothing is left to be sent.
bool Isotach::send_handover(Handover& out) noexcept {
    if (out.epoch == 0 || survival_.epochs[out.to] != out.epoch) return true;
    while (out.next < out.standing.size()) {
        const std::size_t most = niu_.max_message(out.to);
        if (!reaches(out.to) || !payloads_.may_send(out.to) || most <= wire::kIsotachSize) return false;
        const std::span part =
            std::span(out.standing)
                .subspan(out.next)
                .first(std::min(out.standing.size() - out.next, most - wire::kIsotachSize));
        const niu::SendBuffer room = niu_.buffer(out.to, wire::Protocol::kIsotach,
                                                 wire::kIsotachSize + part.size(), niu::Urgency::kAhead);
        if (!room) return false;
        wire::encode_isotach(room.data.first<wire::kIsotachSize>(),
                             {.pulse = out.pulse,
                              .host = here_,
                              .flags = wire::kIsotachHandover,
                              .rank = static_cast<std::uint32_t>(out.next),
                              .isochron = out.view,
                              .count = static_cast<std::uint32_t>(out.standing.size())});
        std::ranges::copy(part, room.data.begin() + wire::kIsotachSize);
        niu_.send(room);
        out.next += part.size();
    }
    return true;
}

}  // namespace isoplane::isotach
