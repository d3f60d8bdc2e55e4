// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>
#include <stdlib.h>

#include <isoplane/active/images.hh>

namespace isoplane::active {
namespace {

int global;
void function() {}

TEST(Images, a_function_is_found_by_its_name) {
    Images images;
    for (const void* at : {reinterpret_cast<const void*>(&function), reinterpret_cast<const void*>(&::strtol),
                           reinterpret_cast<const void*>(&image_id)}) {
        const auto name = images.name_of(at);
        ASSERT_TRUE(name);
        EXPECT_EQ(images.find(*name), at);
    }
}

TEST(Images, data_has_no_name) {
    Images images;
    int local = 0;
    EXPECT_FALSE(images.name_of(&global));
    EXPECT_FALSE(images.name_of(&local));
    EXPECT_FALSE(images.name_of(nullptr));
}

TEST(Images, a_name_is_of_the_file_and_not_of_where_it_is_loaded) {
    Images here({{.id = 5, .base = 0x1000, .begin = 0x2000, .end = 0x3000}});
    Images there({{.id = 4, .base = 0x700000, .begin = 0x701000, .end = 0x702000},
                  {.id = 5, .base = 0x501000, .begin = 0x502000, .end = 0x503000}});
    const auto name = here.name_of(reinterpret_cast<const void*>(0x2345));
    ASSERT_TRUE(name);
    EXPECT_EQ(there.find(*name), reinterpret_cast<const void*>(0x502345));
}

TEST(Images, nothing_is_found_outside_the_code_of_a_file_or_in_another_build_of_it) {
    Images images({{.id = 5, .base = 0x1000, .begin = 0x2000, .end = 0x3000}});
    EXPECT_EQ(images.find({5, 0x0fff}), nullptr);
    EXPECT_EQ(images.find({5, 0x2000}), nullptr);
    EXPECT_EQ(images.find({5, 0xffffffff}), nullptr);
    EXPECT_EQ(images.find({6, 0x1000}), nullptr);
    EXPECT_NE(images.find({5, 0x1000}), nullptr);
}

TEST(Images, functions_that_are_asked_for_in_turn_are_not_taken_for_each_other) {
    Images images({{.id = 5, .base = 0x10000, .begin = 0x10000, .end = 0x20000},
                   {.id = 6, .base = 0x30000, .begin = 0x30000, .end = 0x40000}});
    for (int again = 0; again < 2; ++again) {
        for (std::uint32_t offset = 0; offset < 0x10000; offset += 0x80) {
            for (const Image& image : {Image{.id = 5, .base = 0x10000}, Image{.id = 6, .base = 0x30000}}) {
                const auto* const at = reinterpret_cast<const void*>(image.base + offset);
                const auto name = images.name_of(at);
                ASSERT_TRUE(name);
                EXPECT_EQ(*name, (FunctionName{image.id, offset}));
                EXPECT_EQ(images.find(*name), at);
                EXPECT_EQ(images.find({7, offset}), nullptr);
            }
        }
    }
}

}  // namespace
}  // namespace isoplane::active
