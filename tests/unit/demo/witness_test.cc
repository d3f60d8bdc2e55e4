// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "demo/witness.hh"

namespace isoplane::demo {
namespace {

constexpr unsigned kHosts = 3;
constexpr std::uint32_t kIsochrons = 40;  // of each host

/// A message on its way to one host, with its bytes.
struct Sent {
    isotach::LogicalTime time;
    std::uint32_t isochron = 0;
    std::vector<std::byte> data;

    isotach::Delivery delivery() const { return {.isochron = isochron, .time = time, .data = data}; }
};

using Sequence = std::vector<Sent>;

/// What each host executes when all goes well: isochron n of all hosts in pulse n + 1.
std::vector<Sequence> good_run() {
    std::vector<Sequence> run(kHosts);
    for (std::uint32_t number = 0; number < kIsochrons; ++number) {
        for (std::uint16_t issuer = 0; issuer < kHosts; ++issuer) {
            const Script script(kHosts, issuer, number);
            for (unsigned part = 0; part < script.messages().size(); ++part) {
                const Message& message = script.messages()[part];
                Sent sent{{.pulse = number + 1, .host = issuer, .rank = part}, number, {}};
                sent.data.resize(message.size);
                Note{.sent_at = 0, .seen = number}.write(sent.data);
                script.write(part, std::span(sent.data).subspan(Script::kNote));
                run[message.to].push_back(std::move(sent));
            }
        }
    }
    return run;
}

/// All that is wrong with the run, as one text.
std::string judge(const std::vector<Sequence>& run) {
    std::vector<Witness> witnesses;
    for (std::uint16_t host = 0; host < kHosts; ++host) {
        witnesses.emplace_back(kHosts, host);
        for (const Sent& sent : run[host])
            witnesses.back().see(sent.delivery());
    }
    std::string text;
    for (const std::string& complaint :
         compare({&witnesses[0], &witnesses[1], &witnesses[2]}, std::vector(kHosts, kIsochrons)))
        text += complaint + '\n';
    return text;
}

bool says(const std::string& text, const std::string& what) {
    return text.find(what) != std::string::npos;
}

/// The first message at `sequence` of an isochron with just so many messages for that host.
std::size_t find_isochron(const Sequence& sequence, std::size_t messages) {
    std::map<std::pair<std::uint16_t, std::uint32_t>, std::size_t> count;
    for (const Sent& sent : sequence)
        ++count[{sent.time.host, sent.isochron}];
    for (std::size_t i = 0; i < sequence.size(); ++i)
        if (count[{sequence[i].time.host, sequence[i].isochron}] == messages) return i;
    ADD_FAILURE() << "the script has no such isochron";
    return 0;
}

TEST(Witness, has_nothing_to_say_of_a_good_run) {
    EXPECT_EQ(judge(good_run()), "");
}

TEST(Witness, sees_a_message_that_is_missing) {
    auto run = good_run();
    run[1].erase(run[1].begin() + static_cast<std::ptrdiff_t>(find_isochron(run[1], 1)));
    EXPECT_TRUE(says(judge(run), "should have come"));
    run = good_run();
    run[1].pop_back();
    EXPECT_TRUE(says(judge(run), "host 1 did not get isochron"));
}

TEST(Witness, sees_a_message_that_comes_twice) {
    auto run = good_run();
    run[1].insert(run[1].begin() + 5, run[1][5]);
    EXPECT_TRUE(says(judge(run), "host 1 executed something at"));
}

TEST(Witness, sees_a_byte_that_has_changed) {
    auto run = good_run();
    Sent& sent = *std::ranges::find_if(run[2], [](const Sent& s) { return s.data.size() > Script::kNote; });
    sent.data.back() ^= std::byte{1};
    EXPECT_TRUE(says(judge(run), "with other contents"));
}

TEST(Witness, sees_time_go_backwards) {
    auto run = good_run();
    run[0].back().time.pulse = 1;
    EXPECT_TRUE(says(judge(run), "host 0 executed something at pulse 1,"));
}

TEST(Witness, sees_an_isochron_that_is_not_whole) {
    auto run = good_run();
    Sequence& sequence = run[0];
    const std::size_t first = find_isochron(sequence, 2);
    const std::uint16_t issuer = sequence[first].time.host;
    const auto stranger = std::find_if(sequence.begin() + static_cast<std::ptrdiff_t>(first) + 2,
                                       sequence.end(), [&](const Sent& s) { return s.time.host != issuer; });
    const Sent moved = *stranger;
    sequence.erase(stranger);
    sequence.insert(sequence.begin() + static_cast<std::ptrdiff_t>(first) + 1, moved);
    EXPECT_TRUE(says(judge(run), "in the middle of an isochron of host"));
}

TEST(Witness, sees_hosts_that_differ_in_the_time_of_an_isochron) {
    auto run = good_run();
    // At its own place in the sequence of this host nothing is amiss: only the others have it at another
    // time.
    for (Sent& sent : run[2])
        sent.time.pulse += 1000;
    const std::string text = judge(run);
    EXPECT_TRUE(says(text, "host 2 and host 0 executed what reaches both in different orders"));
    EXPECT_TRUE(says(text, "host 2 and host 1"));
    EXPECT_FALSE(says(text, "host 1 and host 0"));
}

TEST(Witness, sees_an_effect_before_its_cause) {
    auto run = good_run();
    Note{.sent_at = 0, .seen = 1000}.write(run[1][3].data);
    EXPECT_TRUE(says(judge(run), "before what had led to it"));
}

TEST(Witness, sees_a_barrier_before_what_was_issued_before_it) {
    Witness witness(kHosts, 0);
    witness.see({.kind = isotach::DeliveryKind::kBarrier,
                 .time = {.pulse = 1, .place = isotach::Place::kEnd, .host = 0, .rank = 0}});
    EXPECT_TRUE(says(witness.complaint(), "host 0 got barrier 1 before isochron"));
}

TEST(Witness, sees_hosts_that_notice_a_signal_at_different_times) {
    std::vector<Witness> witnesses{{2, 0}, {2, 1}};
    for (std::uint64_t host = 0; host < 2; ++host)
        witnesses[host].see(
            {.kind = isotach::DeliveryKind::kSignal,
             .channel = 1,
             .time = {.pulse = 7 + host, .place = isotach::Place::kEnd, .host = 0, .rank = 0}});
    const auto complaints = compare({&witnesses[0], &witnesses[1]}, {0, 0});
    ASSERT_EQ(complaints.size(), 1U);
    EXPECT_EQ(complaints[0], "host 1 noticed other signals and barriers than host 0");
}

}  // namespace
}  // namespace isoplane::demo
