// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

namespace isoplane::shmem {

/// Accesses as they go on the wire. Grows to the most it ever held; what is added is not cleared first, as a
/// vector would.
class AccessBytes {
  public:
    /// Room for so many more bytes, which the caller writes.
    std::byte* add(std::size_t size) {
        if (size_ + size > room_) [[unlikely]]
            grow(size_ + size);
        std::byte* const at = bytes_.get() + size_;
        size_ += size;
        return at;
    }
    void clear() noexcept { size_ = 0; }

    std::span<const std::byte> bytes() const noexcept { return {bytes_.get(), size_}; }

  private:
    void grow(std::size_t least) {
        room_ = std::max({least, 2 * room_, std::size_t{256}});
        auto larger = std::make_unique_for_overwrite<std::byte[]>(room_);
        std::copy_n(bytes_.get(), size_, larger.get());
        bytes_ = std::move(larger);
    }

    std::unique_ptr<std::byte[]> bytes_{};
    std::size_t size_ = 0;
    std::size_t room_ = 0;
};

}  // namespace isoplane::shmem
