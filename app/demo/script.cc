// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "script.hh"

#include <algorithm>
#include <cstring>
#include <isoplane/fabric/random.hh>

namespace isoplane::demo {

namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::uint64_t kShort = 100;  // bytes after the note
constexpr std::uint64_t kLong = 1000;

}  // namespace

Script::Script(unsigned hosts, std::uint16_t issuer, std::uint32_t number) {
    const fabric::Draws draws(kSeed, issuer);
    const std::uint64_t first = std::uint64_t{number} * (2 * kMost + 2);
    count_ = static_cast<unsigned>(1 + fabric::Draws::below(draws.at(first), kMost));
    base_ = static_cast<std::uint8_t>(draws.at(first + 1));
    for (unsigned i = 0; i < count_; ++i) {
        const std::uint64_t size = draws.at(first + 2 + 2 * i);
        const std::uint64_t most = size % 16 == 0 ? kLong : kShort;
        messages_[i] = {
            .to = static_cast<std::uint16_t>(fabric::Draws::below(draws.at(first + 3 + 2 * i), hosts)),
            .size = static_cast<std::uint16_t>(kNote + fabric::Draws::below(size, most + 1))};
    }
}

bool Script::reaches(std::uint16_t host) const noexcept {
    return std::ranges::any_of(messages(), [host](const Message& m) { return m.to == host; });
}

void Script::write(unsigned message, std::span<std::byte> out) const noexcept {
    for (std::size_t at = 0; at < out.size(); ++at)
        out[at] = byte(message, at);
}

bool Script::is_written(unsigned message, std::span<const std::byte> bytes) const noexcept {
    for (std::size_t at = 0; at < bytes.size(); ++at)
        if (bytes[at] != byte(message, at)) return false;
    return true;
}

void Note::write(std::span<std::byte> message) const noexcept {
    std::memcpy(message.data(), this, sizeof *this);
}

Note Note::read(std::span<const std::byte> message) noexcept {
    Note note;
    std::memcpy(&note, message.data(), sizeof note);
    return note;
}

}  // namespace isoplane::demo
