// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/share/guest.hh>
#include <isoplane/wire/frame.hh>
#include <stdexcept>
#include <utility>

namespace isoplane::share {

namespace {

/// The client has made it: zeroes, and what it has written since.
Area& area_in(const runtime::SharedMemory& memory) {
    if (memory.bytes().size() < sizeof(Area))
        throw std::runtime_error("the rings of the client have no room in " +
                                 std::to_string(memory.bytes().size()) + " bytes");
    return *reinterpret_cast<Area*>(memory.bytes().data());
}

}  // namespace

Guest::Guest(const Identity& identity, runtime::SharedMemory area, runtime::SharedMemory memory)
    : identity_(identity),
      area_memory_(std::move(area)),
      memory_(std::move(memory)),
      area_(area_in(area_memory_)) {}

std::uint32_t Guest::outgoing() noexcept {
    if (broken() != nullptr) [[unlikely]]
        return 0;
    const std::uint32_t waiting = area_.out.posted.load(std::memory_order_acquire) - taken_;
    if (waiting <= kSlots) [[likely]]
        return waiting;
    condemn("says that it has sent more packets than its ring can hold");
    return 0;
}

std::span<const std::byte> Guest::front() noexcept {
    return at(area_.out.at(taken_));
}

std::span<std::byte> Guest::at(Descriptor what) noexcept {
    const std::span<std::byte> all = memory_.bytes();
    if (std::uint64_t{what.offset()} + what.length() <= all.size() && what.length() != 0) [[likely]]
        return all.subspan(what.offset(), what.length());
    condemn("names bytes outside its memory");
    return {};
}

bool Guest::has_room() noexcept {
    if (filled_ != room_until_) [[likely]]
        return true;
    room_until_ = area_.in.posted.load(std::memory_order_acquire);
    if (room_until_ - filled_ > kSlots) [[unlikely]] {
        room_until_ = filled_;
        condemn("says that it has room for more packets than its ring can hold");
    }
    return filled_ != room_until_;
}

bool Guest::put(Pieces packet, std::size_t length) noexcept {
    if (broken() != nullptr || !has_room()) [[unlikely]] {
        counters_.missed.add();
        return false;
    }
    const Descriptor room = area_.in.at(filled_);
    std::span<std::byte> to = at(room);
    if (to.size() < length) [[unlikely]] {
        counters_.missed.add();
        return false;
    }
    for (const std::span<const std::byte> piece : packet) {
        std::copy(piece.begin(), piece.end(), to.begin());
        to = to.subspan(piece.size());
    }
    area_.in.put(filled_++, {room.offset(), static_cast<std::uint32_t>(length)});
    counters_.received.add();
    counters_.received_bytes.add(length);
    return true;
}

/// Tokens may be those of a token manager that it plays; nobody who sends but tokens or probes is up for
/// others.
void Guest::note(const std::byte* header) noexcept {
    const auto kind = static_cast<wire::Kind>(wire::frame_layout::Kind::get(header));
    if (kind > wire::Kind::kBye) return;
    const std::uint32_t now = wire::frame_layout::Epoch::get(header);
    if (std::exchange(epoch_, now) != now) closed_ = false;
    closed_ |= kind == wire::Kind::kBye;
}

void Guest::publish() noexcept {
    if (told_taken_ != taken_) area_.out.done.store(told_taken_ = taken_, std::memory_order_release);
    if (told_filled_ != filled_) area_.in.done.store(told_filled_ = filled_, std::memory_order_release);
}

}  // namespace isoplane::share
