// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <random>

#include "bench.hh"

namespace isoplane::auth {
namespace {

class Authentication : public testing::TestWithParam<Algorithm> {
  protected:
    Key key_ = key_of_test(GetParam());
    Station alice_{key_, 1};
    Station bob_{key_, 2};
};

INSTANTIATE_TEST_SUITE_P(Of, Authentication,
                         testing::Values(Algorithm::kAesGmac, Algorithm::kChaCha20Poly1305),
                         [](const auto& of) {
                             return of.param == Algorithm::kAesGmac ? "aes_gmac" : "chacha20_poly1305";
                         });

TEST_P(Authentication, frame_of_a_station_is_opened_once) {
    TestFrame frame = alice_.seal();
    EXPECT_EQ(bob_.open(frame), Verdict::kAuthentic);
    EXPECT_EQ(bob_.open(frame), Verdict::kReplayed);
    EXPECT_EQ(bob_.open(alice_.seal()), Verdict::kAuthentic);
}

TEST_P(Authentication, no_bit_can_be_changed) {
    EXPECT_EQ(bob_.open(alice_.seal()), Verdict::kAuthentic);
    const TestFrame frame = alice_.seal();
    for (std::size_t bit = wire::kEthernetSize * 8; bit < frame.bytes.size() * 8; ++bit) {
        TestFrame changed = frame;
        changed.bytes[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
        EXPECT_NE(bob_.open(changed), Verdict::kAuthentic) << "bit " << bit;
    }
    TestFrame unchanged = frame;
    EXPECT_EQ(bob_.open(unchanged), Verdict::kAuthentic);
}

TEST_P(Authentication, first_frame_of_a_station_cannot_be_changed_either) {
    const TestFrame frame = alice_.seal();
    for (std::size_t bit = wire::kEthernetSize * 8; bit < frame.bytes.size() * 8; bit += 3) {
        Station fresh(key_, 3);
        TestFrame changed = frame;
        changed.bytes[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
        ASSERT_NE(fresh.open(changed), Verdict::kAuthentic) << "bit " << bit;
        TestFrame unchanged = frame;
        ASSERT_EQ(fresh.open(unchanged), Verdict::kAuthentic);
    }
}

TEST_P(Authentication, frame_of_other_length_is_forged) {
    EXPECT_EQ(bob_.open(alice_.seal()), Verdict::kAuthentic);
    TestFrame frame = alice_.seal(64);
    TestFrame shorter = frame;
    shorter.bytes.erase(shorter.bytes.begin() + 70, shorter.bytes.begin() + 74);
    EXPECT_EQ(bob_.open(shorter), Verdict::kForged);
    TestFrame longer = frame;
    longer.bytes.insert(longer.bytes.begin() + 70, std::byte{0});
    EXPECT_EQ(bob_.open(longer), Verdict::kForged);
    EXPECT_EQ(bob_.open(frame), Verdict::kAuthentic);
}

TEST_P(Authentication, frames_of_another_secret_or_job_or_algorithm_are_of_another_key) {
    Station stranger(key_of_test(GetParam(), 9), 1);
    EXPECT_EQ(bob_.open(stranger.seal()), Verdict::kOtherKey);
    Station other_job(key_, 1, 0, kJob + 1);
    EXPECT_EQ(bob_.open(other_job.seal()), Verdict::kOtherKey);
    const Algorithm other =
        GetParam() == Algorithm::kAesGmac ? Algorithm::kChaCha20Poly1305 : Algorithm::kAesGmac;
    Station other_algorithm(key_of_test(other), 1);
    EXPECT_EQ(bob_.open(other_algorithm.seal()), Verdict::kOtherKey);
    EXPECT_EQ(bob_.open(alice_.seal()), Verdict::kAuthentic);
}

TEST_P(Authentication, what_strangers_say_of_a_known_station_changes_nothing) {
    EXPECT_EQ(bob_.open(alice_.seal()), Verdict::kAuthentic);
    Station stranger(key_of_test(GetParam(), 9), later(alice_.life, 1000), 0);
    for (unsigned i = 0; i < 10; ++i)
        EXPECT_EQ(bob_.open(stranger.seal()), Verdict::kOtherKey);
    EXPECT_EQ(bob_.open(alice_.seal()), Verdict::kAuthentic);
}

TEST_P(Authentication, stations_that_there_are_not_and_oneself_are_refused) {
    Station beyond(key_, Station::kStations);
    EXPECT_EQ(bob_.open(beyond.seal()), Verdict::kNotSealed);
    EXPECT_EQ(bob_.open(bob_.seal()), Verdict::kReplayed);
}

TEST_P(Authentication, order_does_not_matter_within_the_window) {
    std::vector<TestFrame> frames;
    for (unsigned i = 0; i < 2000; ++i)
        frames.push_back(alice_.seal(i % 100));
    std::shuffle(frames.begin(), frames.end(), std::mt19937(5));
    for (TestFrame& frame : frames)
        ASSERT_EQ(bob_.open(frame), Verdict::kAuthentic);
    for (TestFrame& frame : frames)
        ASSERT_EQ(bob_.open(frame), Verdict::kReplayed);
}

TEST_P(Authentication, frame_that_is_too_late_is_outdated) {
    TestFrame late = alice_.seal();
    TestFrame just_in_time = alice_.seal();
    for (std::uint64_t i = 0; i < ReplayWindow::kNumbers; ++i) {
        TestFrame frame = alice_.seal();
        if (i + 1 == ReplayWindow::kNumbers) break;
        ASSERT_EQ(bob_.open(frame), Verdict::kAuthentic);
    }
    EXPECT_EQ(bob_.open(just_in_time), Verdict::kAuthentic);
    EXPECT_EQ(bob_.open(alice_.seal()), Verdict::kAuthentic);
    EXPECT_EQ(bob_.open(late), Verdict::kOutdated);
}

TEST_P(Authentication, forged_number_does_not_move_the_window) {
    TestFrame frame = alice_.seal();
    EXPECT_EQ(bob_.open(frame), Verdict::kAuthentic);
    TestFrame forged = frame;
    wire::trailer_layout::Number::put(forged.sealed().trailer, 1'000'000);
    EXPECT_EQ(bob_.open(forged), Verdict::kForged);
    EXPECT_EQ(bob_.open(alice_.seal()), Verdict::kAuthentic);
}

TEST_P(Authentication, same_frame_twice_in_a_burst_is_opened_once) {
    TestFrame one = alice_.seal();
    TestFrame two = alice_.seal();
    TestFrame again = one;
    const std::array frames{one.sealed(), two.sealed(), again.sealed()};
    std::array<Verdict, 3> verdicts{};
    bob_.opener.open(frames, verdicts);
    EXPECT_EQ(verdicts, (std::array{Verdict::kAuthentic, Verdict::kAuthentic, Verdict::kReplayed}));
}

TEST_P(Authentication, burst_may_be_of_many_stations_and_strangers) {
    std::vector<std::unique_ptr<Station>> stations;
    for (std::uint16_t node = 3; node < Station::kStations; ++node)
        stations.push_back(std::make_unique<Station>(key_, node));
    Station stranger(key_of_test(GetParam(), 9), 5);
    std::mt19937 dice(3);
    for (unsigned round = 0; round < 50; ++round) {
        std::vector<TestFrame> frames;
        std::vector<Verdict> expected;
        while (frames.size() < runtime::kBurst) {
            const std::size_t who = dice() % (stations.size() + 1);
            const bool known = who < stations.size();
            frames.push_back((known ? *stations[who] : stranger).seal(dice() % 200));
            expected.push_back(known ? Verdict::kAuthentic : Verdict::kOtherKey);
            if (known && dice() % 8 == 0) {
                frames.back().bytes[20] ^= std::byte{1};
                expected.back() = Verdict::kForged;
            }
        }
        std::vector<SealedFrame> sealed;
        for (TestFrame& frame : frames)
            sealed.push_back(frame.sealed());
        std::vector<Verdict> verdicts(frames.size());
        bob_.opener.open(sealed, verdicts);
        ASSERT_EQ(verdicts, expected) << round;
    }
}

/// Frames that are lost, repeated, reordered, damaged and played again in any mixture, by senders that start
/// again and change keys: each is opened once at most, and unless it was damaged or late, once.
TEST_P(Authentication, any_network_delivers_each_frame_at_most_once) {
    constexpr std::uint64_t kGenerationSpan = std::uint64_t{1} << 32;
    for (std::uint32_t seed = 1; seed <= 100; ++seed) {
        std::mt19937 dice(seed);
        const auto one_in = [&dice](unsigned n) { return dice() % n == 0; };
        Station receiver(key_, 2);
        std::uint64_t lives = 0;
        auto sender =
            std::make_unique<Station>(key_, later(alice_.life, ++lives), kGenerationSpan - dice() % 400);
        struct OnItsWay {
            TestFrame frame;
            std::size_t which;
        };
        std::vector<OnItsWay> network;
        std::vector<unsigned> opened;
        std::vector<std::uint64_t> life_of;
        std::uint64_t heard = 0;
        std::uint64_t seen = 0;
        for (unsigned step = 0; step < 1500; ++step) {
            if (one_in(300)) sender = std::make_unique<Station>(key_, later(alice_.life, ++lives), 0);
            if (network.size() < 64 && !one_in(3)) {
                OnItsWay next{sender->seal(dice() % 60), opened.size()};
                opened.push_back(0);
                life_of.push_back(lives);
                if (one_in(4)) network.push_back(next);
                if (!one_in(10)) network.push_back(std::move(next));
                continue;
            }
            if (network.empty()) continue;
            const std::size_t pick = dice() % network.size();
            TestFrame frame = network[pick].frame;
            const std::size_t which = network[pick].which;
            const bool damaged = one_in(10);
            if (damaged) {
                const std::size_t behind = frame.bytes.size() - wire::kEthernetSize;
                frame.bytes[wire::kEthernetSize + dice() % behind] ^=
                    static_cast<std::byte>(1U << dice() % 8);
            }
            const Verdict verdict = receiver.open(frame);
            if (damaged) {
                ASSERT_NE(verdict, Verdict::kAuthentic) << "seed " << seed << " step " << step;
            } else if (life_of[which] < heard) {
                ASSERT_EQ(verdict, Verdict::kOutdated) << "seed " << seed << " step " << step;
            } else if (verdict == Verdict::kOutdated) {
                // A damaged frame may have proven a later life; and of keys before the first that was heard,
                // nothing is opened.
                ASSERT_TRUE(life_of[which] < seen || life_of[which] == 1)
                    << "seed " << seed << " step " << step;
            } else {
                ASSERT_EQ(verdict, opened[which] == 0 ? Verdict::kAuthentic : Verdict::kReplayed)
                    << "seed " << seed << " step " << step;
            }
            seen = std::max(seen, life_of[which]);
            if (verdict == Verdict::kAuthentic) {
                ++opened[which];
                heard = life_of[which];
            }
            if (!one_in(5)) network.erase(network.begin() + static_cast<std::ptrdiff_t>(pick));
        }
    }
}

TEST_P(Authentication, restarted_sender_is_heard_at_once_and_its_earlier_life_never_again) {
    TestFrame seen = alice_.seal();
    TestFrame unseen = alice_.seal();
    EXPECT_EQ(bob_.open(seen), Verdict::kAuthentic);
    Station again(key_, later(alice_.life, 1), 0);
    EXPECT_EQ(bob_.open(again.seal()), Verdict::kAuthentic);
    EXPECT_EQ(bob_.open(seen), Verdict::kOutdated);
    EXPECT_EQ(bob_.open(unseen), Verdict::kOutdated);
    EXPECT_EQ(bob_.open(alice_.seal()), Verdict::kOutdated);
    EXPECT_EQ(bob_.open(again.seal()), Verdict::kAuthentic);
}

TEST_P(Authentication, lives_of_one_station_share_no_tag) {
    Station again(key_, later(alice_.life, 0), 0);
    const TestFrame one = alice_.seal();
    const TestFrame two = again.seal();
    EXPECT_FALSE(
        std::equal(one.bytes.end() - wire::kTagSize, one.bytes.end(), two.bytes.end() - wire::kTagSize));
}

TEST_P(Authentication, new_generation_is_taken_up_in_the_middle_of_reordered_frames) {
    constexpr std::uint64_t kBefore = 100;
    Station sender(key_, 1, (std::uint64_t{1} << 32) - kBefore);
    std::vector<TestFrame> frames;
    for (std::uint64_t i = 0; i < 2 * kBefore; ++i)
        frames.push_back(sender.seal());
    EXPECT_EQ(wire::read_trailer(frames.front().sealed().trailer).generation(), 0U);
    EXPECT_EQ(wire::read_trailer(frames.back().sealed().trailer).generation(), 1U);
    std::shuffle(frames.begin(), frames.end(), std::mt19937(11));
    // Who has heard the generation before opens frames of both.
    Station listener(key_, 3);
    EXPECT_EQ(listener.open(Station(key_, sender.life, (std::uint64_t{1} << 32) - 2 * kBefore).seal()),
              Verdict::kAuthentic);
    for (TestFrame& frame : frames)
        ASSERT_EQ(listener.open(frame), Verdict::kAuthentic);
    for (TestFrame& frame : frames)
        ASSERT_EQ(listener.open(frame), Verdict::kReplayed);
}

TEST_P(Authentication, burst_is_sealed_across_generations) {
    Station sender(key_, 1, (std::uint64_t{3} << 32) - 20);
    std::vector<TestFrame> frames(runtime::kBurst, TestFrame{std::vector<std::byte>(200)});
    std::vector<SealedFrame> places;
    for (TestFrame& frame : frames)
        places.push_back(frame.sealed());
    EXPECT_EQ(sender.sealer.seal(places), places.size());
    std::vector<Verdict> verdicts(frames.size());
    bob_.opener.open(places, verdicts);
    for (const Verdict verdict : verdicts)
        EXPECT_EQ(verdict, Verdict::kAuthentic);
}

TEST_P(Authentication, generations_may_be_missed_but_do_not_come_back) {
    constexpr std::uint64_t kGenerationSpan = std::uint64_t{1} << 32;
    Station first(key_, alice_.life, 0);
    Station fifth(key_, alice_.life, 5 * kGenerationSpan);
    Station third(key_, alice_.life, 3 * kGenerationSpan);
    EXPECT_EQ(bob_.open(first.seal()), Verdict::kAuthentic);
    EXPECT_EQ(bob_.open(fifth.seal()), Verdict::kAuthentic);
    EXPECT_EQ(bob_.open(third.seal()), Verdict::kOutdated);
    EXPECT_EQ(bob_.open(first.seal()), Verdict::kOutdated);
    EXPECT_EQ(bob_.open(fifth.seal()), Verdict::kAuthentic);
}

TEST_P(Authentication, keys_of_many_lives_are_given_back) {
    for (std::uint64_t life = 0; life < 100; ++life) {
        Station again(key_, later(alice_.life, life), (std::uint64_t{1} << 32) - 1);
        for (unsigned i = 0; i < 3; ++i)
            ASSERT_EQ(bob_.open(again.seal()), Verdict::kAuthentic) << life;
    }
}

}  // namespace
}  // namespace isoplane::auth
