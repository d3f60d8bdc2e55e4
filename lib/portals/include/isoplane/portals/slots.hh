// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <vector>

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
///
/// An object that goes is told to clear() what it holds.
template <typename T>
class Slots {
  public:
    /// `generation` is that of every place at first.
    Slots(Kind kind, unsigned interface, unsigned limit, std::uint32_t generation = 0)
        : kind_(kind),
          interface_(interface),
          generation_(generation),
          limit_(std::min(limit, kMostObjects)),
          places_((limit_ + kBlock - 1) / kBlock) {}

    /// nullptr when there are as many as there may be.
    T* take() {
        if (is_full()) [[unlikely]]
            return nullptr;
        std::uint32_t index = first_free_;
        if (free_ > 0) [[likely]] {
            first_free_ = place(index)->next_free;
            --free_;
        } else {
            index = made_;
            make();
        }
        T& object = *place(index);
        object.live = true;
        object.handle = HandleParts{kind_, interface_, index, object.generation}.pack();
        ++live_;
        ++taken_;
        most_ = std::max(most_, live_);
        return &object;
    }

    void give_back(T& object) noexcept {
        const std::uint32_t index = HandleParts::unpack(object.handle).index;
        const std::uint32_t generation = object.generation + 1;
        object.clear();
        object.live = false;
        object.handle = kInvalid;
        object.generation = generation;
        if (free_ == 0)
            first_free_ = index;
        else
            place(last_free_)->next_free = index;
        last_free_ = index;
        ++free_;
        --live_;
    }

    T* find(Handle handle) noexcept {
        T* const found = place(HandleParts::unpack(handle).index);
        return found != nullptr && found->live && found->handle == handle ? found : nullptr;
    }

    /// The place that a handle names, whatever is there now; nullptr when there never was anything. May be
    /// called at any time.
    T* place_of(Handle handle) noexcept { return place(HandleParts::unpack(handle).index); }

    template <typename Each>
    void for_each(Each&& each) {
        for (std::uint32_t index = 0; index < made_; ++index) {
            if (T& object = *place(index); object.live) each(object);
        }
    }
    void clear() {
        for_each([this](T& object) { give_back(object); });
    }

    /// No handle of these has it, or a later one.
    std::uint32_t next_generation() const noexcept {
        std::uint32_t latest = generation_;
        for (std::uint32_t index = 0; index < made_; ++index)
            latest = std::max(latest, place(index)->generation);
        return latest + 1;
    }

    bool is_full() const noexcept { return live_ >= limit_; }
    std::uint64_t taken() const noexcept { return taken_; }
    std::uint64_t live() const noexcept { return live_; }
    std::uint64_t most() const noexcept { return most_; }

  private:
    static constexpr std::uint32_t kBlock = 64;  ///< places that are made at once

    T* place(std::uint32_t index) const noexcept {
        if (index / kBlock >= places_.size()) [[unlikely]]
            return nullptr;
        T* const block = places_[index / kBlock].load(std::memory_order_acquire);
        return block != nullptr ? block + index % kBlock : nullptr;
    }
    void make() {
        if (made_ % kBlock == 0) {
            T* const block = blocks_.emplace_back(std::make_unique<T[]>(kBlock)).get();
            for (T& object : std::span(block, kBlock))
                object.generation = generation_;
            places_[made_ / kBlock].store(block, std::memory_order_release);
        }
        ++made_;
    }

    Kind kind_;
    unsigned interface_;
    std::uint32_t generation_;
    unsigned limit_;
    std::vector<std::unique_ptr<T[]>> blocks_{};
    std::vector<std::atomic<T*>> places_;  ///< the same, of all that there may be: it never moves
    std::uint32_t made_ = 0;
    std::uint32_t first_free_ = 0;
    std::uint32_t last_free_ = 0;
    std::uint64_t free_ = 0;
    std::uint64_t live_ = 0;
    std::uint64_t taken_ = 0;
    std::uint64_t most_ = 0;
};

}  // namespace isoplane::portals
