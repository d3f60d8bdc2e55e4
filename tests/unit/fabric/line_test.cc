// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "bench.hh"

#include <isoplane/fabric/line.hh>

namespace isoplane::test {

class Line : public FabricTest {};

TEST_F(Line, keeps_its_order_and_notes_around_its_end) {
    fabric::Line line(8);
    std::uint32_t in = 0;
    std::uint32_t out = 0;
    for (unsigned round = 0; round < 50; ++round) {
        while (line.size() < 7) {
            line.push(numbered_frame(pool(), 0, 1, in), Time{Duration{in}}, in % 3 == 0);
            ++in;
        }
        const Time until{Duration{out + 4}};  // five are due; a view ends where the memory does
        unsigned left = 0;
        for (auto due = line.due(until); !due.empty(); due = line.due(until)) {
            unsigned late = 0;
            for (rte_mbuf* frame : due) {
                ASSERT_EQ(mark_of(frame).number, out);
                late += out % 3 == 0 ? 1U : 0U;
                rte_pktmbuf_free(frame);
                ++out;
                ++left;
            }
            EXPECT_EQ(line.pop(static_cast<unsigned>(due.size())), late);
        }
        EXPECT_EQ(left, 5U);
        EXPECT_EQ(line.first_due(), Time{Duration{out}});
    }
}

TEST_F(Line, frees_what_is_left_in_it) {
    fabric::Line line(8);
    line.push(numbered_frame(pool(), 0, 1, 0), Time{}, false);
    line.push(numbered_frame(pool(), 0, 1, 1), Time{}, false);
    EXPECT_EQ(line.clear(), 2U);
    EXPECT_EQ(line.first_due(), Time::max());
    line.push(numbered_frame(pool(), 0, 1, 2), Time{}, false);  // TearDown sees whether the line frees it
}

}  // namespace isoplane::test
