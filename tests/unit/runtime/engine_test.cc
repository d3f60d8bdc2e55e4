// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_lcore.h>

#include <atomic>
#include <isoplane/runtime/backlog.hh>
#include <isoplane/runtime/engine.hh>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench.hh"

namespace isoplane::runtime {
namespace {

using namespace std::chrono_literals;

/// Makes packets until told to be quiet.
class Source final : public Stage {
  public:
    Source(std::string name, Output& to, Pool& pool)
        : Stage(std::move(name)), to_(gives_to(to)), pool_(pool) {}

    unsigned poll(Time) override {
        if (!to_.flush() || quiet_) return 0;
        Burst burst;
        if (rte_pktmbuf_alloc_bulk(pool_.raw(), burst.data(), kBurst) != 0) return 0;
        for (rte_mbuf* m : burst)
            rte_pktmbuf_append(m, 60);
        to_.send(burst.data(), kBurst);
        made.add(kBurst);
        return kBurst;
    }
    void set_quiet(bool quiet) override { quiet_ = quiet; }
    std::size_t held() const override { return to_.size(); }
    std::size_t discard() override { return to_.discard(); }

    Counter made;

  private:
    Backlog to_;
    Pool& pool_;
    bool quiet_ = false;
};

/// Frees what comes.
class Swallow final : public Stage {
  public:
    Swallow(std::string name, Input& from) : Stage(std::move(name)), from_(takes_from(from)) {}

    unsigned poll(Time) override {
        Burst burst;
        const std::uint16_t n = from_.receive(burst);
        rte_pktmbuf_free_bulk(burst.data(), n);
        got.add(n);
        return n;
    }
    Counter got;

  private:
    Input& from_;
};

/// Takes its time to discard, and notices who looks at it meanwhile.
class Hoarder final : public Stage {
  public:
    Hoarder() : Stage("hoarder") {}

    unsigned poll(Time) override { return 0; }
    std::size_t discard() override {
        discarding_ = true;
        std::this_thread::sleep_for(10ms);
        ++discarded_;
        discarding_ = false;
        return 0;
    }
    void describe(nlohmann::json& out) const override {
        if (discarding_) disturbed = true;
        out["discarded"] = discarded_;
        ++described;
    }

    mutable std::atomic<bool> disturbed{false};
    mutable std::atomic<unsigned> described{0};

  private:
    std::atomic<bool> discarding_{false};
    unsigned discarded_ = 0;  ///< not atomic, for the thread sanitizer to see
};

class EngineTest : public RuntimeTest {
  protected:
    template <typename Condition>
    static bool eventually(Condition condition) {
        const auto limit = std::chrono::steady_clock::now() + 20s;
        while (!condition()) {
            if (std::chrono::steady_clock::now() > limit) return false;
            std::this_thread::sleep_for(1ms);
        }
        return true;
    }
};

TEST_F(EngineTest, everything_made_arrives_before_it_has_stopped) {
    Engine engine(1, IdlePolicy::kYield);
    Ring& ring = engine.add_ring("engine0", 256);
    auto& source = engine.add(std::make_unique<Source>("source", ring.output(), pool_));
    auto& sink = engine.add(std::make_unique<Swallow>("sink", ring.input()));
    engine.place(Placement());
    for (int round = 0; round < 3; ++round) {
        const std::uint64_t before = sink.got.get();
        engine.start();
        EXPECT_TRUE(eventually([&] { return sink.got.get() > before + 1000; }));
        EXPECT_EQ(engine.stop(10s), 0U);
        EXPECT_EQ(source.made.get(), sink.got.get());
    }
}

TEST_F(EngineTest, what_nobody_takes_is_freed_and_counted_when_patience_ends) {
    Engine engine(1, IdlePolicy::kSpin);
    Drain stuck;
    stuck.room = 0;
    auto& source = engine.add(std::make_unique<Source>("source", stuck, pool_));
    engine.place(Placement());
    engine.start();
    EXPECT_TRUE(eventually([&] { return source.made.get() > 0; }));
    EXPECT_EQ(engine.stop(5ms), source.made.get());
}

TEST_F(EngineTest, calls_run_on_the_lcore_of_the_stage_while_it_runs_and_here_otherwise) {
    Engine engine(1, IdlePolicy::kDoze);
    Ring& ring = engine.add_ring("engine1", 8);
    auto& sink = engine.add(std::make_unique<Swallow>("sink", ring.input()));
    engine.place(Placement());
    unsigned ran_on = 99;
    const auto note = [&] { ran_on = rte_lcore_id(); };
    engine.call(sink, note);
    EXPECT_EQ(ran_on, rte_lcore_id());
    engine.start();
    engine.call(sink, note);
    EXPECT_EQ(ran_on, 1U);
    engine.stop(1s);
    engine.call(sink, note);
    EXPECT_EQ(ran_on, rte_lcore_id());
}

TEST_F(EngineTest, several_threads_may_ask_at_once) {
    Engine engine(1, IdlePolicy::kYield);
    Ring& ring = engine.add_ring("engine2", 8);
    auto& sink = engine.add(std::make_unique<Swallow>("sink", ring.input()));
    engine.place(Placement());
    engine.start();
    int count = 0;  // only ever touched on the lcore
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 50; ++i)
                engine.call(sink, [&] { ++count; });
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    engine.stop(1s);
    EXPECT_EQ(count, 200);
}

TEST_F(EngineTest, nobody_looks_at_a_stage_while_it_discards) {
    Engine engine(1, IdlePolicy::kYield);
    auto& hoarder = engine.add(std::make_unique<Hoarder>());
    engine.place(Placement());
    std::atomic<bool> over{false};
    std::thread asking([&] {
        while (!over) {
            engine.describe();
            std::this_thread::sleep_for(100us);  // or the other would seldom get its turn
        }
    });
    EXPECT_TRUE(eventually([&] { return hoarder.described > 0; }));
    for (int round = 0; round < 10; ++round) {
        engine.start();
        engine.stop(1s);
    }
    over = true;
    asking.join();
    EXPECT_FALSE(hoarder.disturbed);
}

TEST_F(EngineTest, report_names_each_stage_and_counts_its_edges) {
    Engine engine(1, IdlePolicy::kYield);
    Ring& ring = engine.add_ring("engine3", 256);
    engine.add(std::make_unique<Source>("source", ring.output(), pool_));
    auto& sink = engine.add(std::make_unique<Swallow>("sink", ring.input()));
    engine.place(Placement());
    engine.start();
    EXPECT_TRUE(eventually([&] { return sink.got.get() > 2000; }));
    engine.stop(10s);
    const auto report = engine.describe();
    ASSERT_EQ(report.size(), 2U);
    EXPECT_EQ(report[0]["name"], "source");
    EXPECT_EQ(report[0]["out"]["packets"], report[1]["in"]["packets"]);
    EXPECT_EQ(report[1]["in"]["packets"], sink.got.get());
    EXPECT_EQ(report[1]["in"]["bytes"], 60 * sink.got.get());
    EXPECT_GT(report[1]["polls"], 0);
    engine.clear_counters();
    EXPECT_EQ(engine.describe()[1]["in"]["packets"], 0);
}

TEST_F(EngineTest, names_of_stages_are_unique) {
    Engine engine(1, IdlePolicy::kYield);
    Drain drain;
    engine.add(std::make_unique<Source>("same", drain, pool_));
    EXPECT_THROW(engine.add(std::make_unique<Source>("same", drain, pool_)), std::logic_error);
}

TEST_F(EngineTest, worker_that_does_not_exist_is_a_sentence) {
    Lcore lcore(77, IdlePolicy::kSpin);
    EXPECT_THROW(lcore.start(), std::runtime_error);
}

}  // namespace
}  // namespace isoplane::runtime
