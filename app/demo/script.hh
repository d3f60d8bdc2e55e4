// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace isoplane::demo {

/// What goes to one host in an isochron.
struct Message {
    std::uint16_t to = 0;
    std::uint16_t size = 0;
};

/// The messages of an isochron. Whose isochron it is and its number tell what is in it, so every host knows
/// what is to come from every other, and who gets it too.
class Script {
  public:
    static constexpr unsigned kMost = 4;
    /// In front of every message.
    static constexpr std::size_t kNote = 16;

    Script(unsigned hosts, std::uint16_t issuer, std::uint32_t number);

    std::span<const Message> messages() const noexcept { return {messages_.data(), count_}; }
    bool reaches(std::uint16_t host) const noexcept;

    /// The bytes of a message after its note.
    void write(unsigned message, std::span<std::byte> out) const noexcept;
    bool is_written(unsigned message, std::span<const std::byte> bytes) const noexcept;

  private:
    std::byte byte(unsigned message, std::size_t at) const noexcept {
        return static_cast<std::byte>(base_ + 31 * message + at);
    }

    std::array<Message, kMost> messages_{};
    unsigned count_ = 0;
    std::uint8_t base_ = 0;
};

/// What its issuer tells of a message in its first bytes.
struct Note {
    std::int64_t sent_at = 0;  ///< nanoseconds, by the clock of all stages
    std::uint64_t seen = 0;    ///< the pulse of what the issuer had executed last

    void write(std::span<std::byte> message) const noexcept;
    static Note read(std::span<const std::byte> message) noexcept;
};
static_assert(sizeof(Note) == Script::kNote);

}  // namespace isoplane::demo
