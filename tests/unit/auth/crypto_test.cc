// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <numeric>

#include "bench.hh"

namespace isoplane::auth {
namespace {

std::string hex(std::span<const std::byte> bytes) {
    std::string text;
    for (const std::byte byte : bytes) {
        text += "0123456789abcdef"[std::to_integer<unsigned>(byte) >> 4];
        text += "0123456789abcdef"[std::to_integer<unsigned>(byte) & 15];
    }
    return text;
}

constexpr Life kLife{kJob, 0x0003'0000'0000'0005, 0x1122'3344'5566'7788};
constexpr std::uint32_t kGeneration = 9;
constexpr std::uint64_t kNumber = 0x9'0000'0007;

std::vector<std::byte> counting(std::size_t size) {
    std::vector<std::byte> data(size);
    for (std::size_t i = 0; i < size; ++i)
        data[i] = static_cast<std::byte>(i);
    return data;
}

/// Of the bytes 0 to 99.
std::string tag_of_counting(Algorithm algorithm) {
    Crypto crypto(key_of_test(algorithm), 1);
    const Crypto::Session session = crypto.open(key_of(crypto, algorithm, kLife, kGeneration));
    const std::vector<std::byte> data = counting(100);
    std::array<std::byte, wire::kTagSize> tag{};
    const Piece piece{data, kNumber, tag.data()};
    EXPECT_TRUE(crypto.tag(session, {&piece, 1}));
    EXPECT_EQ(data, counting(100));
    crypto.close(session);
    return hex(tag);
}

// What Python's hmac and cryptography make of the same.
TEST(Crypto, derives_keys_and_computes_tags_as_others_do) {
    Crypto crypto(key_of_test(), 1);
    EXPECT_EQ(hex(key_of(crypto, Algorithm::kAesGmac, kLife, kGeneration)),
              "6f8eb2d47b7350be2f5b6b7b0c0c4f3cd501ffcadb37e2382817c7e2a6fd92ac");
    EXPECT_EQ(tag_of_counting(Algorithm::kAesGmac), "f31034ca2703a5b32e6f14c35dbd70aa");
    EXPECT_EQ(tag_of_counting(Algorithm::kChaCha20Poly1305), "9aaf556597cdc53a3254bd9d66393cb7");
}

TEST(Crypto, keys_differ_in_everything_they_are_derived_from) {
    Crypto crypto(key_of_test(), 1);
    const auto key = [&](const Life& life, std::uint32_t generation) {
        return hex(key_of(crypto, Algorithm::kAesGmac, life, generation));
    };
    const std::string one = key(kLife, 1);
    EXPECT_NE(key({kLife.job_key + 1, kLife.born, kLife.salt}, 1), one);
    EXPECT_NE(key({kLife.job_key, kLife.born + 1, kLife.salt}, 1), one);
    EXPECT_NE(key({kLife.job_key, kLife.born, kLife.salt + 1}, 1), one);
    EXPECT_NE(key(kLife, 2), one);
    EXPECT_NE(hex(key_of(crypto, Algorithm::kChaCha20Poly1305, kLife, 1)), one);
}

TEST(Crypto, tags_of_a_burst_are_those_of_its_pieces) {
    for (const Algorithm algorithm : {Algorithm::kAesGmac, Algorithm::kChaCha20Poly1305}) {
        Crypto crypto(key_of_test(algorithm), 1);
        const Crypto::Session session = crypto.open(key_of(crypto, algorithm, kLife, 0));
        const std::vector<std::byte> data = counting(9000);
        std::array<std::array<std::byte, wire::kTagSize>, runtime::kBurst> together{};
        std::vector<Piece> pieces;
        for (std::size_t i = 0; i < runtime::kBurst; ++i)
            pieces.push_back({std::span(data).first(i * 141 + 1), i, together[i].data()});
        ASSERT_TRUE(crypto.tag(session, pieces));
        for (Piece piece : pieces) {
            std::array<std::byte, wire::kTagSize> alone{};
            const std::byte* const with_others = std::exchange(piece.tag, alone.data());
            ASSERT_TRUE(crypto.tag(session, {&piece, 1}));
            EXPECT_TRUE(std::equal(alone.begin(), alone.end(), with_others)) << piece.number;
        }
        crypto.close(session);
    }
}

TEST(Crypto, has_as_many_keys_as_were_asked_for_and_has_them_again) {
    Crypto crypto(key_of_test(), 2);
    for (unsigned round = 0; round < 3; ++round) {
        std::vector<Crypto::Session> sessions;
        while (Crypto::Session session = crypto.open({}))
            sessions.push_back(session);
        EXPECT_EQ(sessions.size(), 2U);
        for (const Crypto::Session session : sessions)
            crypto.close(session);
    }
}

}  // namespace
}  // namespace isoplane::auth
