// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/shmem/isochron.hh>

#include <algorithm>
#include <isoplane/shmem/memory.hh>
#include <string>

namespace isoplane::shmem {

namespace {

using wire::Access;
using wire::AccessCode;
using Words = std::span<const std::uint32_t>;

std::string name(Address at) {
    return "shared address " + std::to_string(at);
}

}  // namespace

Isochron::Isochron(Memory& memory)
    : memory_(&memory), pages_(memory.pages_), wire_(memory.endpoint_.isochron()) {}

Reads& Isochron::reads() noexcept {
    return memory_->reads_;
}

void Isochron::check(Address at, std::uint32_t words, bool is_variable) const {
    if (is_variable && words == 2 && at % 2 != 0) [[unlikely]]
        throw Misuse(name(at) + " is odd, but is used for a variable of 64 bits: give it an even one");
    const std::uint64_t end = std::uint64_t{at} + words;
    for (std::uint64_t next = at; next < end; next += pages_.left_in_page(static_cast<Address>(next))) {
        const auto word = static_cast<Address>(next);
        if (next <= UINT32_MAX && pages_.exists(word) && pages_.page(word).mapped) [[likely]]
            continue;
        const std::string page = std::to_string(next / pages_.extent().page_words);
        throw Misuse(name(word) + " is on page " + page + ", " +
                     (next <= UINT32_MAX && pages_.exists(word)
                          ? "of which no host has a copy, or has one any more: give that page a copyset in "
                            "shmem_map, or a larger one"
                          : "beyond the last of " + std::to_string(pages_.extent().pages) +
                                " pages: use a lower one, or raise pages"));
    }
}

Reads::Ticket Isochron::open(std::uint32_t words) {
    const Reads::Ticket ticket = reads().open(words);
    if (ticket == 0) [[unlikely]]
        throw Misuse(std::to_string(Reads::kMost) +
                     " values that were read are held or awaited: let go of some before the next is read");
    opened_.push_back(ticket);
    return ticket;
}

inline void Isochron::add_to(NodeId host, const Access& access, Words first, Words second) {
    unwire();
    ++accesses_;
    constexpr std::size_t kSize = wire::access_layout::kSize;
    std::byte* out = bytes_for(host).add(kSize + 4 * (first.size() + second.size()));
    if (first.size() == 1 && second.empty()) [[likely]]
        return wire::encode_access(std::span<std::byte, kSize + 4>(out, kSize + 4), access, first.front());
    wire::encode_access(std::span<std::byte, kSize>(out, kSize), access);
    out += kSize;
    for (const Words words : {first, second}) {
        for (const std::uint32_t word : words) {
            wire::Field<std::uint32_t, 0>::put(out, word);
            out += 4;
        }
    }
}

/// What it reads is the same at all copies: the nearest one tells.
inline void Isochron::add_to_all(const Pages::Page& page, Access access, Words first, Words second) {
    if (page.others.empty()) return add_to(page.nearest, access, first, second);
    if (memory_->options_.planted.one_copy) [[unlikely]]
        return add_to(page.nearest, access, first, second);
    if (page.is_here()) add_to(page.nearest, access, first, second);
    const std::uint32_t ticket = access.ticket;
    for (const NodeId host : page.others) {
        access.ticket = host == page.nearest ? ticket : 0;
        add_to(host, access, first, second);
    }
}

Reads::Ticket Isochron::add_read(Address at, std::uint32_t words) {
    const NodeId nearest = page_of(at, words).nearest;
    const Reads::Ticket ticket = open(words);
    const std::uint32_t offset = 0;
    reads().ask(ticket, nearest);
    add_to(nearest,
           {.code = AccessCode::kRead,
            .words = static_cast<std::uint16_t>(words),
            .address = at,
            .ticket = reads().name(ticket)},
           {&offset, 1}, {});
    return ticket;
}

void Isochron::add_write(const Pages::Page& page, Address at, Words values) {
    add_to_all(
        page, {.code = AccessCode::kWrite, .words = static_cast<std::uint16_t>(values.size()), .address = at},
        values, {});
}

Scheduled Isochron::add_sched(Address at, std::uint16_t words) {
    Schedules& schedules = memory_->schedules_;
    if (schedules.has(at)) [[unlikely]]
        throw Misuse(
            name(at) +
            " is scheduled already by this host: assign it, or give that SCHED away, before the next");
    const Scheduled scheduled = schedules.open(at, words, memory_->here());
    scheduled_.emplace_back().at = at;
    add_to_all(pages_.page(at), {.code = AccessCode::kSched, .words = words, .address = at},
               {&scheduled.number, 1}, {});
    return scheduled;
}

void Isochron::add_assign(Address at, Words values) {
    if (const auto scheduled = memory_->schedules_.at(at)) {
        add_assign(*scheduled, values);
    } else {
        memory_->counters_.unscheduled.add();
    }
}

void Isochron::add_assign(const Scheduled& scheduled, Words values) {
    check(scheduled.at, static_cast<std::uint32_t>(values.size()), true);
    if (values.size() < scheduled.words) [[unlikely]]
        throw Misuse(name(scheduled.at) + " was scheduled as a variable of " +
                     std::to_string(32 * scheduled.words) + " bits, and is assigned " +
                     std::to_string(32 * values.size()) + ": assign what was scheduled");
    Schedules::Undo& undo = scheduled_.emplace_back();
    undo.at = scheduled.at;
    undo.before = memory_->schedules_.at(scheduled.at);
    memory_->schedules_.close(scheduled);
    const std::array<std::uint32_t, 2> which{scheduled.host, scheduled.number};
    add_to_all(pages_.page(scheduled.at),
               {.code = AccessCode::kAssign,
                .words = static_cast<std::uint16_t>(values.size()),
                .address = scheduled.at},
               which, values);
}

Reads::Ticket Isochron::add_change(AccessCode code, Address at, Words first, Words second) {
    const Pages::Page& page = pages_.page(at);
    const Reads::Ticket ticket = open(static_cast<std::uint32_t>(first.size()));
    reads().ask(ticket, page.nearest);
    add_to_all(page,
               {.code = code,
                .words = static_cast<std::uint16_t>(first.size()),
                .address = at,
                .ticket = reads().name(ticket)},
               first, second);
    return ticket;
}

/// Calls `each(piece, its place in the block)` for what one access can do: within a page, and a frame.
template <typename Each>
void Isochron::in_pieces(const Block& block, bool at_nearest, Each&& each) {
    for (std::uint32_t done = 0; done < block.words;) {
        const Address at = block.at + done;
        const std::uint32_t words = std::min(
            {block.words - done, pages_.left_in_page(at), memory_->most_words(pages_.page(at), at_nearest)});
        each(Block{at, words}, done);
        done += words;
    }
}

BlockFuture Isochron::read(const Block& block) {
    if (block.words == 0 || block.words > UINT16_MAX)
        throw Misuse("a block of " + std::to_string(block.words) + " words is read: read 1 to 65535 at once");
    check(block.at, block.words, false);
    const Reads::Ticket ticket = open(block.words);
    in_pieces(block, true, [&](const Block& piece, const std::uint32_t done) {
        reads().ask(ticket, pages_.page(piece.at).nearest);
        add_to(pages_.page(piece.at).nearest,
               {.code = AccessCode::kRead,
                .words = static_cast<std::uint16_t>(piece.words),
                .address = piece.at,
                .ticket = reads().name(ticket)},
               {&done, 1}, {});
    });
    return {reads(), ticket};
}

void Isochron::write(const Block& block, Words values) {
    if (values.size() != block.words)
        throw Misuse("a block of " + std::to_string(block.words) + " words is written with " +
                     std::to_string(values.size()) + ": give as many");
    check(block.at, block.words, false);
    in_pieces(block, false, [&](const Block& piece, std::uint32_t done) {
        add_write(pages_.page(piece.at), piece.at, values.subspan(done, piece.words));
    });
}

void Isochron::message(NodeId to, std::span<const std::byte> data) {
    unwire();
    messages_.push_back({to, message_bytes_.size(), data.size()});
    message_bytes_.insert(message_bytes_.end(), data.begin(), data.end());
}

AccessBytes& Isochron::bytes_of_another(NodeId host) {
    const auto end = parts_.begin() + static_cast<std::ptrdiff_t>(used_);
    const auto part = std::find_if(parts_.begin(), end, [host](const Part& p) { return p.to == host; });
    if (part != end) return part->bytes;
    if (used_ == parts_.size()) parts_.emplace_back();
    parts_[used_].to = host;
    return parts_[used_++].bytes;
}

void Isochron::issued() noexcept {
    unwire();
    here_.clear();
    for (; used_ != 0; --used_)
        parts_[used_ - 1].bytes.clear();
    messages_.clear();
    message_bytes_.clear();
    opened_.clear();
    scheduled_.clear();
    accesses_ = 0;
}

void Isochron::clear() noexcept {
    for (const Reads::Ticket ticket : opened_)
        reads().cancel(ticket);
    for (; !scheduled_.empty(); scheduled_.pop_back())
        memory_->schedules_.undo(scheduled_.back());
    issued();
}

}  // namespace isoplane::shmem
