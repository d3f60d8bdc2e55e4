// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/runtime/fifo.hh>

namespace isoplane::runtime {

TEST(Fifo, gives_back_what_came_first_first) {
    Fifo<int> fifo;
    EXPECT_TRUE(fifo.empty());
    for (int i = 0; i < 10; ++i)
        fifo.push(i);
    for (int i = 0; i < 10; ++i, fifo.pop())
        EXPECT_EQ(fifo.front(), i);
    EXPECT_TRUE(fifo.empty());
}

TEST(Fifo, grows_wherever_its_ends_are) {
    Fifo<int> fifo;
    int in = 0;
    int out = 0;
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 100 * round; ++i)
            fifo.push(in++);
        for (int i = 0; i < 90 * round; ++i, fifo.pop())
            ASSERT_EQ(fifo.front(), out++);
    }
    EXPECT_EQ(fifo.size(), static_cast<std::size_t>(in - out));
    for (; !fifo.empty(); fifo.pop())
        ASSERT_EQ(fifo.front(), out++);
    EXPECT_EQ(in, out);
}

TEST(Fifo, changes_places_with_another) {
    Fifo<int> few;
    Fifo<int> many;
    few.push(-1);
    for (int i = 0; i < 100; ++i)
        many.push(i);
    few.swap(many);
    EXPECT_EQ(many.size(), 1U);
    EXPECT_EQ(many.front(), -1);
    EXPECT_EQ(few.size(), 100U);
    few.push(100);
    for (int i = 0; i <= 100; ++i, few.pop())
        ASSERT_EQ(few.front(), i);
    EXPECT_TRUE(few.empty());
}

}  // namespace isoplane::runtime
