// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// The secret of a job, as its file holds it: one line, `ALGORITHM HEXDIGITS`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace isoplane::auth {

enum class Algorithm : std::uint8_t { kAesGmac = 1, kChaCha20Poly1305 };

/// "aes-gmac" or "chacha20-poly1305"; anything else throws std::invalid_argument.
Algorithm parse_algorithm(std::string_view word);
std::string_view name(Algorithm algorithm);

using Secret = std::array<std::byte, 32>;

struct Key {
    Algorithm algorithm{};
    Secret secret{};
};

/// Throws std::runtime_error with the kernel's reason when there is no randomness to be had.
Key random_key(Algorithm algorithm);

/// `file` stands in errors. Throws std::invalid_argument.
Key parse_key(std::string_view text, const std::string& file);
std::string key_text(const Key& key);

/// From a file that nobody but its owner may read. Throws std::invalid_argument.
Key load_key(const std::string& path);

}  // namespace isoplane::auth
