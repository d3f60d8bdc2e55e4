// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <deque>

#include <isoplane/portals/handle.hh>

namespace isoplane::portals {

/// What every object that has a handle begins with.
struct Slot {
    Handle handle = kInvalid;
    std::uint32_t generation = 0;  ///< of this place; the handle has as much of it as fits
    std::uint32_t next_free = 0;
    bool live = false;
};

/// The objects of one kind of an interface. They stay where they are, and are found by their handles; a
/// handle whose object is gone finds nothing. Places are taken again in the order in which they became free,
/// so that it takes as long as can be until a handle comes again.
template <typename T>
class Slots {
  public:
    /// `generation` is that of every place at first.
    Slots(Kind kind, unsigned interface, unsigned limit, std::uint32_t generation = 0)
        : kind_(kind), interface_(interface), generation_(generation), limit_(limit) {}

    /// nullptr when there are as many as there may be.
    T* take() {
        if (live_ >= limit_) return nullptr;
        std::uint32_t index = first_free_;
        if (free_ > 0) {
            first_free_ = slots_[index].next_free;
            --free_;
        } else {
            index = static_cast<std::uint32_t>(slots_.size());
            slots_.emplace_back().generation = generation_;
        }
        T& object = slots_[index];
        object.live = true;
        object.handle = HandleParts{kind_, interface_, index, object.generation}.pack();
        ++live_;
        ++taken_;
        most_ = std::max(most_, live_);
        return &object;
    }

    void give_back(T& object) {
        const std::uint32_t index = HandleParts::unpack(object.handle).index;
        const std::uint32_t generation = object.generation + 1;
        object = T{};
        object.generation = generation;
        if (free_ == 0)
            first_free_ = index;
        else
            slots_[last_free_].next_free = index;
        last_free_ = index;
        ++free_;
        --live_;
    }

    T* find(Handle handle) noexcept {
        const HandleParts parts = HandleParts::unpack(handle);
        if (parts.index >= slots_.size()) return nullptr;
        T& object = slots_[parts.index];
        return object.live && object.handle == handle ? &object : nullptr;
    }

    template <typename Each>
    void for_each(Each&& each) {
        for (T& object : slots_) {
            if (object.live) each(object);
        }
    }
    void clear() {
        for_each([this](T& object) { give_back(object); });
    }

    std::uint64_t taken() const noexcept { return taken_; }
    std::uint64_t live() const noexcept { return live_; }
    std::uint64_t most() const noexcept { return most_; }

  private:
    Kind kind_;
    unsigned interface_;
    std::uint32_t generation_;
    std::uint64_t limit_;
    std::deque<T> slots_;
    std::uint32_t first_free_ = 0;
    std::uint32_t last_free_ = 0;
    std::uint64_t free_ = 0;
    std::uint64_t live_ = 0;
    std::uint64_t taken_ = 0;
    std::uint64_t most_ = 0;
};

}  // namespace isoplane::portals
