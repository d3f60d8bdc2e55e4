// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Functions by a name that means the same in other processes, wherever the files that they are in have been
/// loaded: the file, by its build id, and the offset in it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <isoplane/wire/active.hh>
#include <optional>
#include <span>
#include <vector>

namespace isoplane::active {

using wire::FunctionName;

/// An executable segment of a file that is loaded in this process.
struct Image {
    std::uint32_t id = 0;      ///< of the file: that of another build is another
    std::uintptr_t base = 0;   ///< where the file begins
    std::uintptr_t begin = 0;  ///< of the code
    std::uintptr_t end = 0;
};

/// What is loaded: the program, its libraries, and what it has opened since.
class Images {
  public:
    /// Those of this process.
    Images();
    /// A test's own.
    explicit Images(std::vector<Image> images) : images_(std::move(images)) {}

    /// Nothing when there is no code at that place.
    std::optional<FunctionName> name_of(const void* function) noexcept;
    /// nullptr when no such file is loaded, or it has no code there.
    const void* find(FunctionName name) noexcept;

  private:
    /// A function that has been asked for. A program has few handlers: most are found without a search.
    struct Known {
        FunctionName name;
        const void* at = nullptr;
    };
    static constexpr std::size_t kKnown = 32;

    template <typename Is>
    const Image* look_for(Is&& is_it) noexcept;

    std::vector<Image> images_;
    bool of_process_ = false;  ///< and so it may become more
    std::array<Known, kKnown> by_place_{};
    std::array<Known, kKnown> by_name_{};
};

/// What stands for a file with that build id.
std::uint32_t image_id(std::span<const std::byte> build_id) noexcept;

}  // namespace isoplane::active
