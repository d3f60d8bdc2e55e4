// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace isoplane::runtime {

/// For a Hash: spreads a number over all 64 bits.
constexpr std::uint64_t spread(std::uint64_t number) noexcept {
    return number * 0x9e3779b97f4a7c15;
}

/// A map for few entries that come and go: in one array, of which half is free, and that grows to the most it
/// ever held. Of what `Hash` returns the highest bits count. Pointers to values hold until the next change.
template <typename Key, typename T, typename Hash>
class FlatMap {
  public:
    bool empty() const noexcept { return size_ == 0; }
    std::size_t size() const noexcept { return size_; }

    /// nullptr where there is none.
    T* find(const Key& key) noexcept {
        const std::size_t at = place_of(key);
        return at == kNone ? nullptr : &slots_[at].value;
    }
    const T* find(const Key& key) const noexcept {
        const std::size_t at = place_of(key);
        return at == kNone ? nullptr : &slots_[at].value;
    }
    bool contains(const Key& key) const noexcept { return place_of(key) != kNone; }
    /// An empty one where there was none.
    T& operator[](const Key& key) {
        if (const std::size_t at = place_of(key); at != kNone) return slots_[at].value;
        if (2 * (size_ + 1) > slots_.size()) [[unlikely]]
            grow();
        ++size_;
        return put(key, T{});
    }
    void erase(const Key& key) noexcept {
        std::size_t free = place_of(key);
        if (free == kNone) return;
        // Whoever is behind, and would not be found any more, moves up.
        for (std::size_t at = after(free); slots_[at].used; at = after(at)) {
            if (((at - home(slots_[at].key)) & mask()) < ((at - free) & mask())) continue;
            std::swap(slots_[free], slots_[at]);
            free = at;
        }
        slots_[free].value = T{};
        slots_[free].used = false;
        --size_;
    }
    /// In no order; nothing may change meanwhile but values.
    template <typename Visit>
    void for_each(Visit&& visit) {
        for (Slot& slot : slots_)
            if (slot.used) visit(std::as_const(slot.key), slot.value);
    }
    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (const Slot& slot : slots_)
            if (slot.used) visit(slot.key, slot.value);
    }

  private:
    struct Slot {
        Key key{};
        T value{};
        bool used = false;
    };
    static constexpr std::size_t kNone = SIZE_MAX;
    static constexpr std::size_t kFirst = 16;

    std::size_t mask() const noexcept { return slots_.size() - 1; }
    std::size_t after(std::size_t at) const noexcept { return (at + 1) & mask(); }
    std::size_t home(const Key& key) const noexcept { return Hash{}(key) >> shift_; }
    std::size_t place_of(const Key& key) const noexcept {
        if (size_ == 0) return kNone;
        for (std::size_t at = home(key); slots_[at].used; at = after(at))
            if (slots_[at].key == key) return at;
        return kNone;
    }
    /// Where there is room, and no such key.
    T& put(const Key& key, T&& value) {
        std::size_t at = home(key);
        while (slots_[at].used)
            at = after(at);
        Slot& slot = slots_[at];
        slot.key = key;
        slot.value = std::move(value);
        slot.used = true;
        return slot.value;
    }
    void grow() {
        std::vector<Slot> before(slots_.empty() ? kFirst : 2 * slots_.size());
        before.swap(slots_);
        shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots_.size()));
        for (Slot& slot : before)
            if (slot.used) put(slot.key, std::move(slot.value));
    }

    std::vector<Slot> slots_{};  ///< as many as a power of two
    unsigned shift_ = 0;
    std::size_t size_ = 0;
};

}  // namespace isoplane::runtime
