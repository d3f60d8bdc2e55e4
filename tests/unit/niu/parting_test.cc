// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/niu/parting.hh>
#include <vector>

#include "pool_test.hh"

namespace isoplane::niu {
namespace {

class PartingTest : public test::PoolTest {
  protected:
    /// What somebody else has, too.
    rte_mbuf* shared() {
        rte_mbuf* const m = packet();
        rte_mbuf_refcnt_update(m, 1);
        others_.push_back(m);
        return m;
    }
    /// He gives up the one that he has had longest.
    void give_up() {
        rte_pktmbuf_free(others_.front());
        others_.erase(others_.begin());
    }
    static unsigned in_use() { return test::niu_pool().in_use(); }

  private:
    std::vector<rte_mbuf*> others_;
};

}  // namespace

TEST_F(PartingTest, keeps_what_its_receiver_has_where_packets_are_handed_over) {
    Parting parting(true, 16);
    parting.put(shared(), 64);
    parting.put(shared(), 64);
    parting.flush();
    give_up();
    EXPECT_EQ(in_use(), 2U) << "who gave it up last was the receiver";
    parting.flush();
    EXPECT_EQ(in_use(), 1U);
    give_up();
    parting.flush();
}

TEST_F(PartingTest, keeps_no_more_than_it_may) {
    Parting parting(true, 2);
    for (int i = 0; i < 3; ++i)
        parting.put(shared(), 64);
    give_up();
    EXPECT_EQ(in_use(), 2U) << "the first was given up to make room";
    give_up();
    give_up();
    EXPECT_EQ(in_use(), 2U);
    parting.flush();
}

TEST_F(PartingTest, does_not_wait_for_ever_for_what_somebody_keeps) {
    Parting parting(true, 16);
    rte_mbuf* const kept = shared();
    parting.put(kept, 64);
    parting.put(packet(), 64);
    parting.flush();
    EXPECT_EQ(in_use(), 2U);
    for (int i = 0; i < 2000; ++i)
        parting.flush();
    EXPECT_EQ(in_use(), 1U);
    EXPECT_EQ(runtime::references(kept), 1U);
    give_up();
}

TEST_F(PartingTest, keeps_nothing_that_a_user_has_given) {
    Parting parting(true, 16);
    rte_mbuf* const m = shared();
    parting.put(m, 64, true);
    EXPECT_EQ(runtime::references(m), 1U);
    give_up();
}

TEST_F(PartingTest, leaves_it_to_the_driver_elsewhere) {
    Parting parting(false, 16);
    parting.put(shared(), 64);
    parting.flush();
    give_up();
}

TEST_F(PartingTest, gives_everything_up_in_the_end) {
    Parting parting(true, 16);
    parting.put(shared(), 64);
    parting.put(packet(), 64);
    parting.give_up();
    EXPECT_EQ(in_use(), 1U);
    give_up();
}

TEST_F(PartingTest, gives_much_back_before_more_is_sent) {
    Parting parting(true, 16);
    parting.put(packet(), 1500);
    parting.flush_much();
    EXPECT_EQ(in_use(), 1U);
    for (int i = 0; i < 6; ++i)
        parting.put(packet(), 1500);
    parting.flush_much();
    EXPECT_EQ(in_use(), 0U);
}

}  // namespace isoplane::niu
