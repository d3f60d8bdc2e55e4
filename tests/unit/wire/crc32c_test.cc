// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string_view>
#include <vector>

#include <isoplane/wire/crc32c.hh>

#include "../../../lib/wire/crc_fold.hh"

namespace isoplane::wire {
namespace {

std::span<const std::byte> bytes(std::string_view text) {
    return std::as_bytes(std::span(text));
}

std::vector<std::byte> random_bytes(std::size_t size) {
    std::mt19937 random(1);
    std::vector<std::byte> out(size);
    for (std::byte& byte : out)
        byte = static_cast<std::byte>(random());
    return out;
}

/// A bit at a time, straight from the definition.
std::uint32_t crc_by_definition(std::span<const std::byte> input) {
    std::uint32_t state = 0xffffffff;
    for (const std::byte byte : input) {
        state ^= std::to_integer<std::uint32_t>(byte);
        for (int bit = 0; bit < 8; ++bit)
            state = (state & 1) != 0 ? (state >> 1) ^ 0x82F63B78 : state >> 1;
    }
    return ~state;
}

struct Vector {
    std::vector<std::byte> input;
    std::uint32_t crc;
};

/// RFC 3720, appendix B.4, and the check value of the CRC catalogues.
std::vector<Vector> published_vectors() {
    std::vector<std::byte> up(32);
    std::vector<std::byte> down(32);
    for (std::size_t i = 0; i < 32; ++i) {
        up[i] = static_cast<std::byte>(i);
        down[i] = static_cast<std::byte>(31 - i);
    }
    const auto check = bytes("123456789");
    return {{std::vector<std::byte>(32, std::byte{0}), 0x8a9136aa},
            {std::vector<std::byte>(32, std::byte{0xff}), 0x62a8ab43},
            {up, 0x46dd794e},
            {down, 0x113fdb5c},
            {{check.begin(), check.end()}, 0xe3069283},
            {{}, 0}};
}

TEST(Crc32c, software_gives_the_published_values) {
    for (const Vector& vector : published_vectors())
        EXPECT_EQ(crc32c_software(vector.input), vector.crc) << vector.input.size() << " bytes";
}

TEST(Crc32c, hardware_gives_the_published_values) {
    if (!crc32c_has_hardware()) GTEST_SKIP() << "no CRC32C instruction on this CPU";
    for (const Vector& vector : published_vectors())
        EXPECT_EQ(crc32c_hardware(vector.input), vector.crc) << vector.input.size() << " bytes";
}

TEST(Crc32c, the_chosen_implementation_gives_the_published_values) {
    for (const Vector& vector : published_vectors())
        EXPECT_EQ(crc32c(vector.input), vector.crc) << vector.input.size() << " bytes";
}

TEST(Crc32c, implementations_agree_at_every_length_and_alignment) {
    const auto input = random_bytes(1300);
    for (std::size_t size = 0; size + 8 <= input.size(); ++size)
        for (const std::size_t offset : {std::size_t{0}, size % 8}) {
            const auto part = std::span(input).subspan(offset, size);
            const std::uint32_t expected = crc_by_definition(part);
            ASSERT_EQ(crc32c_software(part), expected) << size << " bytes at " << offset;
            ASSERT_EQ(crc32c(part), expected) << size << " bytes at " << offset;
        }
}

TEST(Crc32c, a_copy_has_the_checksum_and_the_bytes_at_every_length) {
    const auto input = random_bytes(3100);
    for (std::size_t size = 0; size < input.size(); size += size < 1500 ? 1 : 37) {
        const auto part = std::span(input).subspan(size % 7, size - size % 7);
        std::vector<std::byte> copy(part.size() + 1, std::byte{0xee});
        ASSERT_EQ(copy_crc32c(copy.data(), part, 5), crc32c_software(part, 5)) << part.size() << " bytes";
        ASSERT_EQ(crc32c(part, 5), crc32c_software(part, 5)) << part.size() << " bytes";
        ASSERT_TRUE(std::equal(part.begin(), part.end(), copy.begin()));
        ASSERT_EQ(copy.back(), std::byte{0xee}) << "wrote behind its end";
    }
}

TEST(Crc32c, each_way_of_folding_that_the_cpu_has_gives_the_same) {
    if (foldings().empty()) GTEST_SKIP() << "no carry-less multiplication on this CPU";
    const auto input = random_bytes(3100);
    for (const Folding& folding : foldings()) {
        for (std::size_t size = kLeastFolded; size < input.size(); size += folding.stride) {
            const auto part = std::span(input).subspan(size % 7 % (input.size() - size), size);
            const std::uint32_t expected = ~crc32c_software(part, 5);
            std::vector<std::byte> copy(part.size() + 1, std::byte{0xee});
            ASSERT_EQ(folding.advance(~5U, part.data(), nullptr, size), expected) << size << " bytes";
            ASSERT_EQ(folding.advance(~5U, part.data(), copy.data(), size), expected) << size << " bytes";
            ASSERT_TRUE(std::equal(part.begin(), part.end(), copy.begin()));
            ASSERT_EQ(copy.back(), std::byte{0xee}) << "wrote behind its end";
        }
    }
}

TEST(Crc32c, a_checksum_continues_that_of_what_came_before) {
    const auto input = random_bytes(1000);
    const std::uint32_t whole = crc_by_definition(input);
    for (std::size_t cut = 0; cut <= input.size(); ++cut) {
        const auto head = std::span(input).first(cut);
        const auto tail = std::span(input).subspan(cut);
        ASSERT_EQ(crc32c(tail, crc32c(head)), whole) << "cut at " << cut;
        ASSERT_EQ(crc32c_software(tail, crc32c_software(head)), whole) << "cut at " << cut;
    }
}

}  // namespace
}  // namespace isoplane::wire
