// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/shmem/layout.hh>
#include <isoplane/topology/fmconfig.hh>
#include <isoplane/topology/shmem_map.hh>

namespace isoplane::test {

using shmem::Layout;

class LayoutTest : public testing::Test {
  protected:
    static constexpr std::uint32_t kPages = 4;
    static constexpr std::uint32_t kWords = 64;

    Layout layout() const {
        return Layout(shmem::Pages(map_, paths_, 0, {.pages = kPages, .page_words = kWords}));
    }
    bool has_heard(const Layout& layout) const {
        return layout.unheard(2, [](topology::NodeId) { return false; }) == 2;
    }

  private:
    topology::Topology topology_ = topology::parse_fmconfig("0 a b\n");
    topology::Paths paths_{topology_};
    topology::ShmemMap map_ =
        topology::parse_shmem_map("0: 0;\n1: 1;\n", "map", {.pages = kPages, .topology = &topology_});
};

TEST_F(LayoutTest, is_known_of_who_has_the_same) {
    Layout here = layout();
    EXPECT_FALSE(has_heard(here));
    here.hear(1, layout().told());
    EXPECT_TRUE(has_heard(here));
    EXPECT_EQ(here.difference(), "");
}

TEST_F(LayoutTest, is_named_of_who_has_another) {
    Layout here = layout();
    wire::Answer told = layout().told();
    told.values[0] = 7;
    here.hear(1, told);
    EXPECT_FALSE(has_heard(here));
    EXPECT_NE(here.difference().find("pages=7"), std::string::npos) << here.difference();
    EXPECT_NE(here.difference().find("pages=4"), std::string::npos) << here.difference();
}

/// Whatever stands where its numbers would be.
TEST_F(LayoutTest, is_not_read_of_who_tells_something_else) {
    for (std::uint16_t words = 0; words < 4; ++words) {
        Layout here = layout();
        wire::Answer told = layout().told();
        told.words = words;
        told.values.fill(123);
        here.hear(1, told);
        EXPECT_FALSE(has_heard(here));
        EXPECT_NE(here.difference().find("same version"), std::string::npos) << here.difference();
        EXPECT_EQ(here.difference().find("123"), std::string::npos) << here.difference();
    }
}

}  // namespace isoplane::test
