// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_prefetch.h>

#include <algorithm>
#include <isoplane/share/exchange.hh>
#include <isoplane/wire/frame.hh>
#include <nlohmann/json.hpp>

namespace isoplane::share {

namespace {

/// What a client may send before it is another's turn. A packet counts for as much more as handling it costs.
constexpr std::int32_t kTurn = 16384;
constexpr std::int32_t kHandling = 128;

/// Packets that come in are of a few segments at the most, with jumbo frames.
constexpr std::size_t kMostSegments = 8;

bool is_group(const std::byte* mac) noexcept {
    return (mac[0] & std::byte{1}) != std::byte{};
}

bool same_job(const Guest& a, const Guest& b) noexcept {
    return a.identity().job_key == b.identity().job_key;
}

}  // namespace

Exchange::Exchange(std::string name, runtime::Input* from, runtime::Output* to, runtime::Pool& pool,
                   unsigned longest)
    : Stage(std::move(name)), from_(from), pool_(pool), longest_(longest) {
    guests_.reserve(kMaxClients);
    farewells_.reserve(kMaxClients);
    if (from != nullptr) takes_from(*from);
    if (to != nullptr) to_.emplace(gives_to(*to));
}

unsigned Exchange::poll(runtime::Time /*now*/) {
    if (to_) to_->flush();
    if (!farewells_.empty()) [[unlikely]]
        send_farewells();
    unsigned moved = from_ != nullptr ? receive() : 0;
    const std::size_t all = quiet_ ? 0 : guests_.size();
    std::size_t waits = all;  // the first whose turn is not over
    for (std::size_t i = 0; i < all; ++i) {
        Guest& guest = *guests_[(next_ + i) % all];
        moved += serve(guest);
        if (guest.in_turn && waits == all) waits = i;
    }
    if (all != 0) next_ = (next_ + (waits == all ? 1 : waits)) % all;
    push_out();
    for (Guest* guest : guests_)
        guest->publish();
    return moved;
}

unsigned Exchange::receive() noexcept {
    runtime::Burst burst;
    const std::uint16_t n = from_->receive(burst);
    for (std::uint16_t i = 0; i < n; ++i)
        rte_prefetch0(rte_pktmbuf_mtod(burst[i], void*));
    for (std::uint16_t i = 0; i < n; ++i)
        receive(burst[i]);
    rte_pktmbuf_free_bulk(burst.data(), n);
    return n;
}

void Exchange::receive(rte_mbuf* packet) noexcept {
    std::array<std::byte, kHeadSize> room;
    const std::size_t size = std::min<std::size_t>(packet->pkt_len, kHeadSize);
    const auto* at = static_cast<const std::byte*>(
        rte_pktmbuf_read(packet, 0, static_cast<std::uint32_t>(size), room.data()));
    if (packet->nb_segs > kMostSegments || packet->pkt_len > longest_ || size < wire::kEthernetSize)
        return oversized_.add();
    const std::span<const std::byte> head(at, size);
    const std::size_t apart = packet->pkt_len - size;
    std::array<std::span<const std::byte>, kMostSegments> pieces;
    std::size_t n = 0;
    for (const rte_mbuf* part = packet; part != nullptr; part = part->next)
        pieces[n++] = runtime::Packet::bytes_of(const_cast<rte_mbuf*>(part));
    const Pieces whole(pieces.data(), n);
    if (is_group(at)) {
        for (Guest* guest : guests_)
            if (concerns(guest->identity(), head, apart)) guest->put(whole, packet->pkt_len);
        return;
    }
    Guest* guest = find(at);
    if (guest == nullptr) return elsewhere_.add();
    if (!concerns(guest->identity(), head, apart)) return foreign_.add();
    guest->put(whole, packet->pkt_len);
}

/// A turn, or what is left of it.
unsigned Exchange::serve(Guest& guest) noexcept {
    std::uint32_t waiting = guest.outgoing();
    if (waiting == 0) {
        guest.in_turn = false;
        guest.allowance = 0;
        return 0;
    }
    if (!guest.in_turn) guest.allowance += kTurn;
    guest.in_turn = true;
    unsigned taken = 0;
    while (waiting != 0 && guest.allowance > 0) {
        const std::span<const std::byte> packet = guest.front();
        if (packet.empty() || forward(guest, packet) == Fate::kBlocked) return taken;
        guest.pop();
        guest.allowance -= static_cast<std::int32_t>(std::min(packet.size(), longest_)) + kHandling;
        --waiting;
        ++taken;
    }
    guest.in_turn = false;
    if (waiting == 0) guest.allowance = 0;
    return taken;
}

/// What is decided is decided on a copy of its head: the client could change the packet meanwhile.
Exchange::Fate Exchange::forward(Guest& from, std::span<const std::byte> packet) noexcept {
    alignas(64) std::array<std::byte, kHeadSize> copy;
    const std::size_t size = std::min(packet.size(), kHeadSize);
    std::copy_n(packet.begin(), size, copy.begin());
    const std::span<const std::byte> head(copy.data(), size);
    const std::size_t apart = packet.size() - size;
    if (packet.size() > longest_ || !may_send(from.identity(), head, apart)) {
        from.counters().refused.add();
        return Fate::kTaken;
    }
    const std::array<std::span<const std::byte>, 2> pieces{head, packet.subspan(size)};
    if (is_group(head.data())) {
        if (flood(from, pieces, packet.size()) == Fate::kBlocked) return Fate::kBlocked;
    } else if (Guest* to = find(head.data()); to != nullptr) {
        if (!same_job(from, *to)) {
            from.counters().misaddressed.add();
            return Fate::kTaken;
        }
        to->put(pieces, packet.size());
    } else if (!to_) {
        from.counters().misaddressed.add();
        return Fate::kTaken;
    } else if (!port_is_free() || !send_out(pieces, packet.size())) {
        return Fate::kBlocked;
    }
    if (const std::byte* header = frame_header(head, apart, from.identity().encapsulation)) from.note(header);
    from.counters().sent.add();
    from.counters().sent_bytes.add(packet.size());
    return Fate::kTaken;
}

/// To all of its job, or to none of them yet.
Exchange::Fate Exchange::flood(Guest& from, Pieces packet, std::size_t length) noexcept {
    if (to_ && (!port_is_free() || !send_out(packet, length))) return Fate::kBlocked;
    for (Guest* guest : guests_)
        if (guest != &from && same_job(*guest, from)) guest->put(packet, length);
    return Fate::kTaken;
}

bool Exchange::port_is_free() noexcept {
    if (out_count_ == runtime::kBurst) push_out();
    return to_->size() == 0;
}

bool Exchange::send_out(Pieces packet, std::size_t length) noexcept {
    rte_mbuf* copy = pool_.packet().release();
    if (copy == nullptr) {
        no_packets_.add();
        return false;
    }
    auto* at = reinterpret_cast<std::byte*>(rte_pktmbuf_append(copy, static_cast<std::uint16_t>(length)));
    for (const std::span<const std::byte> piece : packet)
        at = std::copy(piece.begin(), piece.end(), at);
    out_[out_count_++] = copy;
    return true;
}

/// Only when nothing is left of the burst before: port_is_free() says so to whoever adds to this one.
void Exchange::push_out() noexcept {
    if (out_count_ == 0) return;
    to_->send(out_.data(), std::exchange(out_count_, std::uint16_t{0}));
}

/// But farewells: those are for when it goes on.
std::size_t Exchange::discard() {
    rte_pktmbuf_free_bulk(out_.data(), out_count_);
    return std::exchange(out_count_, std::uint16_t{0}) + (to_ ? to_->discard() : 0);
}

bool Exchange::attach(Guest& guest) {
    const Identity& who = guest.identity();
    const bool taken = std::any_of(guests_.begin(), guests_.end(), [&](const Guest* other) {
        const Identity& theirs = other->identity();
        return theirs.mac == who.mac || (theirs.job_key == who.job_key && theirs.node == who.node);
    });
    if (taken || guests_.size() == kMaxClients) return false;
    guests_.push_back(&guest);
    index_addresses();
    return true;
}

void Exchange::detach(Guest& guest) {
    const auto at = std::find(guests_.begin(), guests_.end(), &guest);
    if (at == guests_.end()) return;
    // The turn stays where it is: who comes and goes takes it from nobody.
    if (static_cast<std::size_t>(at - guests_.begin()) < next_) --next_;
    guests_.erase(at);
    if (next_ >= guests_.size()) next_ = 0;
    index_addresses();
}

void Exchange::announce(const Identity& who, std::span<const std::byte> frame) {
    if (to_ && farewells_.size() == kMaxClients) {
        untold_.add();
    } else if (to_) {
        std::copy(frame.begin(), frame.end(),
                  farewells_.emplace_back(Farewell{.size = frame.size()}).frame.begin());
        if (!quiet_) send_farewells();
    }
    const std::array<std::span<const std::byte>, 1> pieces{frame};
    for (Guest* guest : guests_)
        if (guest->identity().job_key == who.job_key) guest->put(pieces, frame.size());
}

/// Before anything that who comes in the same name may send; behind all that the client has sent.
void Exchange::send_farewells() noexcept {
    std::size_t sent = 0;
    for (; sent < farewells_.size(); ++sent) {
        const Farewell& next = farewells_[sent];
        const std::array<std::span<const std::byte>, 1> pieces{std::span(next.frame).first(next.size)};
        if (!port_is_free() || !send_out(pieces, next.size)) break;
    }
    farewells_.erase(farewells_.begin(), farewells_.begin() + static_cast<std::ptrdiff_t>(sent));
}

std::uint64_t Exchange::key_of(const std::byte* mac) noexcept {
    std::uint64_t key = 0;
    std::copy_n(mac, sizeof(wire::MacAddress), reinterpret_cast<std::byte*>(&key));
    return key;
}

std::size_t Exchange::slot_of(std::uint64_t key) noexcept {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 54) % kAddresses;
}

Guest* Exchange::find(const std::byte* mac) const noexcept {
    const std::uint64_t key = key_of(mac);
    for (std::size_t slot = slot_of(key); addresses_[slot].key != 0; slot = (slot + 1) % kAddresses)
        if (addresses_[slot].key == key) return addresses_[slot].guest;
    return nullptr;
}

/// A quarter full at the most.
void Exchange::index_addresses() noexcept {
    addresses_.fill({});
    for (Guest* guest : guests_) {
        const std::uint64_t key = key_of(reinterpret_cast<const std::byte*>(guest->identity().mac.data()));
        std::size_t slot = slot_of(key);
        while (addresses_[slot].key != 0)
            slot = (slot + 1) % kAddresses;
        addresses_[slot] = {key, guest};
    }
}

void Exchange::describe(nlohmann::json& out) const {
    out["clients"] = guests_.size();
    out["elsewhere"] = elsewhere_.get();
    out["foreign"] = foreign_.get();
    out["oversized"] = oversized_.get();
    out["untold"] = untold_.get();
    out["no_packets"] = no_packets_.get();
}

void Exchange::clear_counters() {
    for (runtime::Counter* counter : {&elsewhere_, &foreign_, &oversized_, &untold_, &no_packets_})
        counter->set(0);
}

}  // namespace isoplane::share
