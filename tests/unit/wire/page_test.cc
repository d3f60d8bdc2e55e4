// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/wire/page.hh>
#include <vector>

namespace isoplane::wire {
namespace {

using Bytes = std::vector<std::byte>;

constexpr PageMessage kWords{.step = PageStep::kWords,
                             .words = 3,
                             .pulse = 0x0102030405060708,
                             .page = 0x11121314,
                             .offset = 0x21222324};

Bytes written(const PageMessage& message) {
    Bytes bytes(page_message_size(message.words));
    encode_page_message(bytes, message);
    return bytes;
}

TEST(PageMessage, is_read_as_it_was_written) {
    for (const PageStep step :
         {PageStep::kAsk, PageStep::kWords, PageStep::kOpen, PageStep::kWhole, PageStep::kNone}) {
        PageMessage message = kWords;
        message.step = step;
        const auto read = decode_page_message(written(message));
        ASSERT_TRUE(read);
        EXPECT_EQ(read->step, step);
        EXPECT_EQ(read->words, kWords.words);
        EXPECT_EQ(read->pulse, kWords.pulse);
        EXPECT_EQ(read->page, kWords.page);
        EXPECT_EQ(read->offset, kWords.offset);
    }
}

TEST(PageMessage, begins_with_a_ticket_that_no_answer_has) {
    Bytes bytes = written(kWords);
    EXPECT_TRUE(is_page_message(bytes));
    bytes[3] ^= std::byte{1};
    EXPECT_FALSE(is_page_message(bytes));
    EXPECT_FALSE(decode_page_message(bytes));
}

TEST(PageMessage, of_another_length_than_its_words_have_is_malformed) {
    const Bytes whole = written(kWords);
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_FALSE(decode_page_message(std::span(whole).first(size))) << size;
    Bytes longer = whole;
    longer.push_back(std::byte{0});
    EXPECT_FALSE(decode_page_message(longer));
}

TEST(PageMessage, of_a_step_that_there_is_not_is_malformed) {
    Bytes bytes = written(kWords);
    for (const int step : {0, 6, 255}) {
        bytes[4] = static_cast<std::byte>(step);
        EXPECT_TRUE(is_page_message(bytes));
        EXPECT_FALSE(decode_page_message(bytes)) << step;
    }
}

}  // namespace
}  // namespace isoplane::wire
