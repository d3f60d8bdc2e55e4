// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "shelf.hh"

#include <algorithm>

#include "operation.hh"

namespace isoplane::fi {

using namespace portals;

Status Shelf::open(Interface& interface, Index portal, Handle queue, std::size_t bytes, bool says_all) {
    buffers_.clear();  // of an interface that could not be had
    free_.clear();
    slabs_.clear();
    missing_ = 0;
    interface_ = &interface;
    portal_ = portal;
    queue_ = queue;
    silence_ = says_all ? 0U : kStartDisable | kAckDisable;
    static std::byte nothing;
    const MdSpec learns{.start = &nothing,
                        .length = 0,
                        .threshold = kInfinite,
                        .max_size = 0,
                        .options = kOpPut | kTruncate | silence_,
                        .user_ptr = mark(Owner::kNobody, 0),
                        .eq = queue};
    const MatchSpec all{.id = kAnyone, .bits = 0, .ignore = ~Bits{0}, .unlink = Unlink::kRetain};
    Handle md = kInvalid;
    // Without a descriptor, an entry matches nothing.
    if (const Status status = interface.attach_entry(portal, all, Position::kAfter, border_);
        status != Status::kOk)
        return status;
    if (const Status status = interface.attach_entry(portal, all, Position::kAfter, last_);
        status != Status::kOk)
        return status;
    if (const Status status = interface.attach(last_, learns, Unlink::kRetain, Unlink::kRetain, md);
        status != Status::kOk)
        return status;
    const std::size_t buffers = bytes / (kBuffer - kMost) + 2;
    grow(buffers);
    for (std::size_t i = 0; i < buffers; ++i)
        if (!attach_one()) return Status::kNoSpace;
    return Status::kOk;
}

/// Pages are the system's until they are written to.
void Shelf::grow(std::size_t buffers) {
    std::byte* const slab =
        slabs_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(buffers * kBuffer)).get();
    for (std::size_t i = buffers; i-- > 0;) {
        free_.push_back(static_cast<std::uint32_t>(buffers_.size() + i));
    }
    for (std::size_t i = 0; i < buffers; ++i)
        buffers_.push_back({.spec = spec(slab + i * kBuffer, buffers_.size())});
}

MdSpec Shelf::spec(std::byte* start, std::size_t number) const {
    return {.start = start,
            .length = kBuffer,
            .threshold = kInfinite,
            .max_size = kMost,
            .options = kOpPut | kMaxSize | silence_,
            .user_ptr = mark(Owner::kShelf, portal_ << kNumberBits | static_cast<std::uint32_t>(number)),
            .eq = queue_};
}

bool Shelf::attach_one() {
    constexpr std::size_t kMore = 32;
    if (free_.empty()) grow(kMore);
    const std::uint32_t number = free_.back();
    Handle entry = kInvalid;
    const MatchSpec all{.id = kAnyone, .bits = 0, .ignore = ~Bits{0}, .unlink = Unlink::kUnlink};
    const Status status = interface_->post(last_, all, Position::kBefore, buffers_[number].spec,
                                           Unlink::kUnlink, kNoQueue, entry, buffers_[number].md);
    if (status != Status::kOk) return false;
    free_.pop_back();
    buffers_[number].is_attached = true;
    return true;
}

const std::byte* Shelf::hold(const Event& event) noexcept {
    Buffer& buffer = find(which_of(event));
    ++buffer.users;
    return static_cast<const std::byte*>(buffer.spec.start) + event.offset;
}

/// One that is empty again begins at its first byte, which is in the cache, unless there are events yet that
/// tell of more in it.
void Shelf::release(std::uint32_t name) {
    Buffer& buffer = find(name);
    if (--buffer.users != 0) return;
    const auto number = static_cast<std::uint32_t>(&buffer - buffers_.data());
    if (!buffer.is_attached) return free_.push_back(number);
    interface_->update(buffer.md, nullptr, &buffer.spec, queue_);
}

bool Shelf::unlinked(std::uint32_t name) {
    Buffer& buffer = find(name);
    buffer.is_attached = false;
    const auto number = static_cast<std::uint32_t>(&buffer - buffers_.data());
    if (buffer.users == 0) free_.push_back(number);
    ++missing_;
    return refill();
}

bool Shelf::refill() {
    while (missing_ != 0) {
        if (!attach_one()) return false;
        --missing_;
    }
    return true;
}

}  // namespace isoplane::fi
