// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// How an isochron of shared memory leaves its host.

#include <algorithm>
#include <isoplane/shmem/memory.hh>
#include <mutex>

namespace isoplane::shmem {

using wire::Access;
using wire::AccessCursor;
using wire::Operation;

namespace {

/// Of the accesses in front, as many bytes as fit.
std::size_t whole_accesses(std::span<const std::byte> accesses, std::size_t most) {
    std::size_t size = 0;
    AccessCursor cursor(accesses);
    for (Access access; cursor.next(access);) {
        const std::size_t next = wire::access_size(access.code, access.words);
        if (size + next > most) break;
        size += next;
    }
    return size;
}

}  // namespace

std::uint32_t Memory::most_words(const Pages::Page& page, bool at_nearest) const noexcept {
    constexpr std::size_t kInFront = wire::access_size(wire::AccessCode::kAssign, 0);
    std::size_t room = kInFront + 4 * wire::kMostAccessWords;
    const auto heed = [&](NodeId host) {
        if (host != here()) room = std::min(room, endpoint_.max_message(host));
    };
    if (at_nearest) {
        heed(page.nearest);
    } else {
        for (const NodeId host : page.others)
            if (!pages_.is_lost(host)) heed(host);
    }
    // Of a host that is not up, nothing is known; nor can anything go there.
    return room < kInFront + 4 ? 1 : static_cast<std::uint32_t>((room - kInFront) / 4);
}

bool Memory::issue(Isochron& isochron) {
    if (isochron.empty()) return true;
    const std::lock_guard turn(turn_);
    if (hits_.size() >= options_.most_waiting) return false;
    const bool abroad = isochron.used_ != 0 || !isochron.messages_.empty();
    const bool at_once = !abroad && (hits_.empty() || options_.planted.local_at_once);
    if (abroad && !send(isochron)) return false;
    for (const Reads::Ticket ticket : isochron.opened_)
        reads_.issue(ticket);
    ++issued_;
    counters_.isochrons.add();
    if (at_once) counters_.at_once.add();
    if (at_once || options_.planted.hits_at_once) {
        execute(here(), isochron.here_.bytes());
        fill_reads();
    }
    if (!at_once)
        hits_.push(options_.planted.hits_at_once ? std::span<const std::byte>{} : isochron.here_.bytes(),
                   abroad);
    isochron.issued();
    return true;
}

bool Memory::fits(Isochron& isochron) {
    const bool abroad = isochron.used_ != 0 || !isochron.messages_.empty();
    return !abroad || (put_on_wire(isochron) && endpoint_.fits(isochron.wire_));
}

/// Most isochrons have few accesses, to the copies of one other host.
bool Memory::send(Isochron& isochron) {
    if (isochron.used_ == 1 && isochron.messages_.empty() && isochron.wire_.empty()) [[likely]] {
        const Isochron::Part& part = isochron.parts_.front();
        if (endpoint_.send_marked(part.to, part.bytes.bytes())) return true;
    }
    if (put_on_wire(isochron) && endpoint_.send(isochron.wire_)) return true;
    endpoint_.forget_lost(isochron.wire_);
    return false;
}

/// Accesses come before messages, so that who receives one finds done what its isochron does; and the marker
/// before both.
bool Memory::put_on_wire(Isochron& isochron) {
    if (!isochron.wire_.empty()) return true;
    bool whole = isochron.wire_.add(here(), 0, Operation::kMarker).has_value();
    for (std::size_t i = 0; whole && i < isochron.used_; ++i)
        whole = put_part(isochron, isochron.parts_[i]);
    for (const Isochron::Message& message : isochron.messages_)
        whole =
            whole && isochron.wire_.add(message.to,
                                        std::span(isochron.message_bytes_).subspan(message.at, message.size));
    if (!whole) isochron.wire_.clear();
    return whole;
}

/// In as many messages as it takes.
bool Memory::put_part(Isochron& isochron, const Isochron::Part& part) {
    // A host that has left may be back when the isochron goes.
    constexpr std::size_t kOneAccess = wire::access_size(wire::AccessCode::kAssign, wire::kMostAccessWords);
    std::size_t most = endpoint_.max_message(part.to);
    if (most == 0 && pages_.is_lost(part.to)) most = kOneAccess;
    std::span<const std::byte> rest = part.bytes.bytes();
    while (!rest.empty()) {
        const std::size_t size = rest.size() <= most ? rest.size() : whole_accesses(rest, most);
        if (size == 0) return false;
        const auto operation = size == rest.size() ? Operation::kAccesses : Operation::kMoreAccesses;
        const auto room = isochron.wire_.add(part.to, size, operation);
        if (!room) return false;
        std::copy_n(rest.begin(), size, room->begin());
        rest = rest.subspan(size);
    }
    return true;
}

}  // namespace isoplane::shmem
