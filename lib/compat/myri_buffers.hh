// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <bit>
#include <cstdint>
#include <isoplane/channel/channels.hh>
#include <utility>
#include <vector>

namespace isoplane::compat {

/// The buffers that a C program has in its hands, by their addresses. As many places as it can ever have
/// buffers, and twice that.
class MyriBuffers {
  public:
    struct Held {
        channel::Buffer buffer;
        int channel = kSend;  ///< that it came from
    };
    static constexpr int kSend = -1;

    explicit MyriBuffers(std::size_t most) : places_(std::bit_ceil(2 * most + 2)) {}

    /// Returns its address.
    void* add(channel::Buffer buffer, int channel) noexcept {
        void* const address = buffer.data().data();
        std::size_t at = home(address);
        while (places_[at].buffer)
            at = next(at);
        places_[at] = {std::move(buffer), channel};
        return address;
    }

    /// nullptr when there is none there.
    Held* find(const void* address) noexcept {
        for (std::size_t at = home(address); places_[at].buffer; at = next(at))
            if (address_at(at) == address) return &places_[at];
        return nullptr;
    }

    /// One that was found. Those behind it that would not be found any more move up.
    void remove(Held& held) noexcept {
        auto hole = static_cast<std::size_t>(&held - places_.data());
        held.buffer.reset();
        for (std::size_t at = next(hole); places_[at].buffer; at = next(at)) {
            if (distance(home(address_at(at)), at) < distance(hole, at)) continue;
            std::swap(places_[hole], places_[at]);
            hole = at;
        }
    }

    /// All that were received. After that nothing is looked up any more.
    void free_received() noexcept {
        for (Held& held : places_)
            if (held.channel != kSend) held.buffer.reset();
    }

  private:
    const void* address_at(std::size_t at) const noexcept { return places_[at].buffer.data().data(); }
    std::size_t home(const void* address) const noexcept {
        const auto bits = reinterpret_cast<std::uintptr_t>(address) * 0x9e3779b97f4a7c15;
        return static_cast<std::size_t>(bits >> 32) & (places_.size() - 1);
    }
    std::size_t next(std::size_t at) const noexcept { return (at + 1) & (places_.size() - 1); }
    std::size_t distance(std::size_t from, std::size_t to) const noexcept {
        return (to - from) & (places_.size() - 1);
    }

    std::vector<Held> places_;
};

}  // namespace isoplane::compat
