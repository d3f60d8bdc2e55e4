// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "bench.hh"

#include <isoplane/runtime/lcore.hh>

namespace isoplane::test {

using fabric::EgressCounters;
using fabric::parse_impairment;

/// What reaches a receiver, against what the port says that it did.
class Fates : public FabricTest {
  protected:
    static constexpr std::uint32_t kFrames = 5000;

    /// A stream through one impaired port, until all of it has arrived.
    void run(std::string_view impairment, std::uint64_t seed = 1) {
        bench_ = std::make_unique<Bench>(2, fabric::SwitchOptions{.seed = seed});
        bench_->introduce_all();
        bench_->fabric().set(1, parse_impairment(impairment));
        bench_->stream(kFrames);
        bench_->rest();
        bench_->poll(1ms);  // what was to come late, which rest() does not wait for
        bench_->rest();
        got_ = bench_->out(1).take();
    }
    const EgressCounters& said() { return bench_->fabric().egress(1); }

    void expect_exact_agreement() {
        EXPECT_EQ(said().offered.get(), kFrames);
        EXPECT_EQ(said().out.get(), got_.all);
        EXPECT_EQ(said().duplicated.get() + said().late.get(), got_.duplicates);
        EXPECT_EQ(said().corrupted.get(), got_.damaged);
        EXPECT_EQ(said().reordered.get(), got_.late);
        EXPECT_EQ(said().lost.get() + said().queue_full.get(), kFrames - got_.first - got_.damaged);
    }

    std::unique_ptr<Bench> bench_;
    Tally got_;
};

TEST_F(Fates, nothing_happens_by_default) {
    run("");
    expect_exact_agreement();
    EXPECT_EQ(got_.first, kFrames);
    EXPECT_EQ(got_.late + got_.duplicates + got_.damaged, 0U);
}

TEST_F(Fates, each_kind_is_counted_as_its_receiver_sees_it) {
    for (const char* impairment : {"loss=0.1", "dup=0.1", "reorder=0.1", "reorder=0.9,gap=1", "corrupt=0.1",
                                   "late=0.1,after=9us", "delay=7us", "delay=7us,jitter=5us", "rate=100Mbit",
                                   "delay=20us,queue=100", "rate=100Mbit,queue=100"}) {
        SCOPED_TRACE(impairment);
        run(impairment);
        expect_exact_agreement();
        const std::uint64_t happened = said().lost.get() + said().duplicated.get() + said().reordered.get() +
                                       said().corrupted.get() + said().delayed.get() + said().late.get();
        EXPECT_GT(happened, 0U);
    }
}

TEST_F(Fates, mixtures_are_counted_as_their_receiver_sees_them) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(seed);
        run("loss=0.1,dup=0.1,reorder=0.2,corrupt=0.1,late=0.1,after=1us..90us,delay=3us,jitter=3us,rate="
            "5Gbit,"
            "queue=64,gap=5,hold=20us",
            seed);
        expect_exact_agreement();
        EXPECT_GT(said().late.get(), 0U);
        EXPECT_GT(said().reordered.get(), 0U);
    }
}

TEST_F(Fates, certainty_is_certain) {
    run("loss=1");
    EXPECT_EQ(said().lost.get(), kFrames);
    run("dup=1");
    EXPECT_EQ(got_.duplicates, kFrames);
    run("corrupt=1");
    EXPECT_EQ(got_.damaged, kFrames);
}

TEST_F(Fates, probabilities_are_what_they_say) {
    // Six standard deviations of 5000 draws at one in ten: about 127.
    run("loss=0.1,dup=0.1,reorder=0.1,corrupt=0.1");
    EXPECT_NEAR(static_cast<double>(said().lost.get()), 0.1 * kFrames, 130);
    EXPECT_NEAR(static_cast<double>(said().corrupted.get()), 0.09 * kFrames, 130);
    EXPECT_NEAR(static_cast<double>(said().duplicated.get()), 0.081 * kFrames, 130);
    EXPECT_NEAR(static_cast<double>(said().reordered.get()), 0.081 * kFrames, 130);
}

TEST_F(Fates, jitter_never_reorders) {
    run("delay=5us,jitter=5us");
    EXPECT_EQ(got_.late, 0U);
    EXPECT_GT(said().delayed.get(), 0U);
}

TEST_F(Fates, a_held_back_frame_is_overtaken_by_as_many_as_gap_says) {
    Bench bench(2);
    bench.introduce_all();
    bench.fabric().set(1, parse_impairment("reorder=1,gap=3"));
    bench.in(0).put(numbered_frame(pool(), 0, 1, 0));
    bench.poll();
    EXPECT_EQ(bench.fabric().held(), 1U);
    // Frames pass although all are to be held back, because no more than so many can be.
    for (std::uint32_t i = 1; i < fabric::Egress::kMaxHeldBack + 3; ++i)
        bench.in(0).put(numbered_frame(pool(), 0, 1, i));
    bench.poll();
    bench.poll();
    const auto& frames = bench.out(1).frames();
    ASSERT_EQ(frames.size(), fabric::Egress::kMaxHeldBack + 3);
    for (std::uint32_t i = 0; i < 3; ++i)
        EXPECT_EQ(mark_of(frames[i]).number, fabric::Egress::kMaxHeldBack + i);
    for (std::uint32_t i = 3; i < frames.size(); ++i)
        EXPECT_EQ(mark_of(frames[i]).number, i - 3);
    EXPECT_EQ(bench.fabric().egress(1).reordered.get(), fabric::Egress::kMaxHeldBack);
}

TEST_F(Fates, a_held_back_frame_that_nothing_follows_goes_in_time_and_is_not_reordered) {
    Bench bench(2);
    bench.introduce_all();
    bench.fabric().set(1, parse_impairment("reorder=1,hold=100us"));
    bench.send(0, 1);
    bench.poll(98us);
    EXPECT_EQ(bench.out(1).frames().size(), 0U);
    bench.poll(2us);
    EXPECT_EQ(bench.out(1).frames().size(), 1U);
    EXPECT_EQ(bench.fabric().egress(1).reordered.get(), 0U);
}

TEST_F(Fates, a_delayed_frame_leaves_when_it_is_due_and_not_before) {
    Bench bench(2);
    bench.introduce_all();
    bench.fabric().set(1, parse_impairment("delay=50us"));
    bench.send(0, 1);
    bench.poll(49999ns);
    EXPECT_EQ(bench.out(1).frames().size(), 0U);
    bench.poll(1ns);
    EXPECT_EQ(bench.out(1).frames().size(), 1U);
}

TEST_F(Fates, the_rate_counts_the_bytes_an_ethernet_wire_carries) {
    Bench bench(2);
    bench.introduce_all();
    bench.fabric().set(1, parse_impairment("rate=1Gbit"));
    bench.stream(1000);
    const Time start = bench.now();
    // 64 bytes and 24 of overhead at 1 Gbit/s: 704 ns each, 704 us all; the first came 63 us before now.
    while (bench.out(1).frames().size() < 1000)
        bench.poll(1us);
    EXPECT_NEAR(static_cast<double>((bench.now() - start).count()), 704e3 - 62e3, 2e3);
}

TEST_F(Fates, the_same_seed_gives_the_same_fates_and_another_gives_others) {
    const auto numbers = [](std::uint64_t seed) {
        Bench bench(2, {.seed = seed});
        bench.introduce_all();
        bench.fabric().set(1, parse_impairment("loss=0.1,dup=0.1,reorder=0.1,corrupt=0.1"));
        bench.stream(1000);
        bench.rest();
        std::vector<std::uint32_t> all;
        for (const rte_mbuf* frame : bench.out(1).frames())
            all.push_back(crc_of(frame));
        return all;
    };
    EXPECT_EQ(numbers(1), numbers(1));
    EXPECT_NE(numbers(1), numbers(2));
}

TEST_F(Fates, what_is_switched_on_for_one_kind_changes_no_draw_of_another) {
    const auto lost = [this](std::string_view impairment) {
        run(impairment);
        return said().lost.get();
    };
    const std::uint64_t alone = lost("loss=0.2");
    EXPECT_EQ(lost("loss=0.2,dup=0.5"), alone);
    EXPECT_EQ(lost("loss=0.2,corrupt=0.5,reorder=0.5,jitter=1us"), alone);
    EXPECT_EQ(lost("loss=0.2,late=0.5,after=1us"), alone);
}

TEST_F(Fates, a_frame_has_its_fate_by_its_number_whatever_was_set_before) {
    const auto survivors = [](bool impaired_from_the_start) {
        Bench bench(2);
        bench.introduce_all();
        if (impaired_from_the_start) bench.fabric().set(1, parse_impairment("loss=0.3"));
        bench.stream(160);
        bench.out(1).take();
        bench.fabric().set(1, parse_impairment("loss=0.3"));
        bench.stream(160, 160);
        std::vector<std::uint32_t> numbers;
        for (const rte_mbuf* frame : bench.out(1).frames())
            numbers.push_back(mark_of(frame).number);
        return numbers;
    };
    EXPECT_EQ(survivors(true), survivors(false));
}

TEST_F(Fates, ports_have_fates_of_their_own) {
    Bench bench(3);
    bench.introduce_all();
    for (unsigned port : {1U, 2U})
        bench.fabric().set(port, parse_impairment("loss=0.5"));
    std::vector<std::uint32_t> arrived[2];
    for (std::uint32_t i = 0; i < 200; ++i) {
        bench.send(0, 1, i);
        bench.send(0, 2, i);
    }
    for (unsigned port : {1U, 2U}) {
        for (const rte_mbuf* frame : bench.out(port).frames())
            arrived[port - 1].push_back(mark_of(frame).number);
    }
    EXPECT_NE(arrived[0], arrived[1]);
}

TEST_F(Fates, a_frame_its_sender_still_refers_to_is_never_written_to) {
    Bench bench(2);
    bench.introduce_all();
    bench.fabric().set(1, parse_impairment("corrupt=1"));
    rte_mbuf* kept = numbered_frame(pool(), 0, 1, 3);
    rte_mbuf_refcnt_update(kept, 1);
    bench.in(0).put(kept);
    bench.poll();
    EXPECT_TRUE(intact(kept));
    EXPECT_EQ(rte_mbuf_refcnt_read(kept), 1) << "the switch has let go of it";
    EXPECT_EQ(bench.out(1).take().damaged, 1U);
    rte_pktmbuf_free(kept);
}

TEST_F(Fates, a_clone_is_never_written_to_either) {
    Bench bench(2);
    bench.introduce_all();
    bench.fabric().set(1, parse_impairment("corrupt=1"));
    rte_mbuf* original = numbered_frame(pool(), 0, 1, 3);
    bench.in(0).put(rte_pktmbuf_clone(original, pool().raw()));
    bench.poll();
    EXPECT_TRUE(intact(original));
    EXPECT_EQ(bench.out(1).take().damaged, 1U);
    rte_pktmbuf_free(original);
}

TEST_F(Fates, without_memory_for_copies_frames_pass_as_they_are) {
    runtime::Pool tiny("tiny", 1, runtime::Pool::kDefaultRoom, 0);
    rte_mbuf* last = tiny.packet().release();
    {
        Bench bench(2, {}, tiny);
        bench.introduce_all();
        bench.fabric().set(1, parse_impairment("dup=1"));
        bench.send(0, 1, 0);
        bench.fabric().set(1, parse_impairment("corrupt=1"));
        rte_mbuf* kept = numbered_frame(pool(), 0, 1, 1);
        rte_mbuf_refcnt_update(kept, 1);
        bench.in(0).put(kept);
        bench.poll();
        EXPECT_EQ(bench.fabric().egress(1).no_memory.get(), 2U);
        EXPECT_EQ(bench.fabric().egress(1).duplicated.get() + bench.fabric().egress(1).corrupted.get(), 0U);
        EXPECT_EQ(bench.out(1).take().first, 2U);
        rte_pktmbuf_free(kept);
    }
    rte_pktmbuf_free(last);
}

TEST_F(Fates, a_bit_flips_after_the_ethernet_header_in_any_segment) {
    Bench bench(2);
    bench.introduce_all();
    bench.fabric().set(1, parse_impairment("corrupt=1"));
    unsigned in_second = 0;
    for (std::uint32_t i = 0; i < 200; ++i) {
        rte_mbuf* frame = numbered_frame(pool(), 0, 1, 0);
        rte_mbuf* tail = pool().packet().release();
        std::memset(rte_pktmbuf_append(tail, 100), 0, 100);
        rte_pktmbuf_chain(frame, tail);
        bench.in(0).put(frame);
        bench.poll();
        rte_mbuf* got = bench.out(1).frames().back();
        const auto* header = rte_pktmbuf_mtod(got, const rte_ether_hdr*);
        EXPECT_EQ(std::memcmp(&header->dst_addr, station(1).addr_bytes, 6), 0);
        unsigned ones = 0;
        for (unsigned byte = 0; byte < 100; ++byte)
            ones += static_cast<unsigned>(
                __builtin_popcount(*rte_pktmbuf_mtod_offset(got->next, std::uint8_t*, byte)));
        EXPECT_EQ(ones, intact(got) ? 1U : 0U) << "one bit, in one of the segments";
        in_second += ones;
    }
    EXPECT_NEAR(in_second, 200 * 100 / 150, 45);
}

TEST_F(Fates, settings_change_while_the_switch_runs_on_its_lcore) {
    Bench bench(2);
    bench.introduce_all();
    runtime::Lcore lcore(1, runtime::IdlePolicy::kYield);
    lcore.pipeline().add(bench.fabric());
    lcore.start();
    lcore.call([&] { bench.fabric().set(1, parse_impairment("loss=1")); });
    lcore.call([&] {
        for (std::uint32_t i = 0; i < 100; ++i)
            bench.in(0).put(numbered_frame(pool(), 0, 1, i));
    });
    while (bench.fabric().ingress(0).in.get() < 100)
        sched_yield();
    lcore.stop();
    EXPECT_EQ(bench.fabric().egress(1).lost.get(), 100U);
}

}  // namespace isoplane::test
