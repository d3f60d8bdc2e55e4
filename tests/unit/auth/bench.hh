// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <isoplane/auth/opener.hh>
#include <isoplane/wire/frame.hh>
#include <map>
#include <string>
#include <vector>

namespace isoplane::auth {

inline Key key_of_test(Algorithm algorithm = Algorithm::kAesGmac, unsigned char first = 1) {
    Key key{algorithm, {}};
    for (std::size_t i = 0; i < key.secret.size(); ++i)
        key.secret[i] = static_cast<std::byte>(first + i);
    return key;
}

inline constexpr std::uint32_t kJob = 0xc0ffee;

/// A packet, with a frame and its trailer.
struct TestFrame {
    std::vector<std::byte> bytes;

    SealedFrame sealed() {
        return {bytes.data() + wire::kEthernetSize, bytes.data() + bytes.size() - wire::kTrailerSize};
    }
};

/// A sender and a receiver of one job.
class Station {
  public:
    static constexpr std::size_t kStations = 8;

    explicit Station(const Key& key, std::uint16_t node, std::uint64_t first = 0, std::uint32_t job = kJob)
        : Station(key, begin_life(node, job), first) {}
    Station(const Key& key, const Life& its_life, std::uint64_t first)
        : life(its_life),
          crypto(key, Opener::keys(kStations)),
          sealer(crypto, key.algorithm, life, first),
          opener(crypto, key.algorithm, life.job_key, static_cast<std::uint16_t>(life.born >> 48),
                 kStations) {}

    TestFrame seal(std::size_t payload = 16, unsigned char fill = 7) {
        TestFrame frame{std::vector<std::byte>(
            wire::kEthernetSize + wire::kHeaderSize + payload + wire::kTrailerSize, std::byte{fill})};
        const SealedFrame place = frame.sealed();
        EXPECT_EQ(sealer.seal({&place, 1}), 1U);
        return frame;
    }

    Verdict open(TestFrame& frame) {
        const SealedFrame sealed = frame.sealed();
        Verdict verdict = Verdict::kNotSealed;
        opener.open({&sealed, 1}, {&verdict, 1});
        return verdict;
    }
    Verdict open(TestFrame&& frame) { return open(frame); }

    Life life;
    Crypto crypto;
    Sealer sealer;
    Opener opener;
};

/// A life of the node that begins so much later.
inline Life later(const Life& life, std::uint64_t ms, std::uint64_t salt = 99) {
    return {life.job_key, life.born + ms, salt};
}

}  // namespace isoplane::auth
