// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "world.hh"

namespace isoplane::fi_test {
namespace {

TEST(FiInfo, says_what_there_is) {
    const Info info = get_info([](fi_info&) {});
    ASSERT_NE(info, nullptr);
    EXPECT_STREQ(info->fabric_attr->prov_name, "isoplane");
    EXPECT_EQ(info->ep_attr->type, FI_EP_RDM);
    EXPECT_EQ(info->mode, 0U);
    EXPECT_EQ(info->tx_attr->msg_order, FI_ORDER_SAS);
    EXPECT_EQ(info->next, nullptr);
}

TEST(FiInfo, what_there_is_not_is_not_offered) {
    EXPECT_EQ(get_info([](fi_info& hints) { hints.ep_attr->type = FI_EP_DGRAM; }), nullptr);
    EXPECT_EQ(get_info([](fi_info& hints) { hints.ep_attr->type = FI_EP_MSG; }), nullptr);
    EXPECT_EQ(get_info([](fi_info& hints) { hints.caps = FI_MSG | FI_MULTICAST; }), nullptr);
    EXPECT_EQ(get_info([](fi_info& hints) { hints.caps = FI_MSG | FI_TRIGGER; }), nullptr);
    EXPECT_EQ(get_info([](fi_info& hints) { hints.tx_attr->inject_size = 4096; }), nullptr);
    EXPECT_EQ(get_info([](fi_info& hints) { hints.tx_attr->msg_order = FI_ORDER_WAW; }), nullptr);
    EXPECT_EQ(get_info([](fi_info& hints) { hints.tx_attr->op_flags = FI_COMMIT_COMPLETE; }), nullptr);
    EXPECT_EQ(get_info([](fi_info& hints) { hints.domain_attr->cq_data_size = 8; }), nullptr);
    EXPECT_EQ(get_info([](fi_info& hints) { hints.addr_format = FI_SOCKADDR_IN; }), nullptr);
}

TEST(FiInfo, an_address_is_a_node_and_a_pid) {
    World world;
    fi_addr_t there = FI_ADDR_UNSPEC;
    ASSERT_EQ(fi_av_insertsvc(world.vector.get(), "0", "9", &there, 0, nullptr), 1);
    std::uint8_t name[8];
    std::size_t size = sizeof name;
    ASSERT_EQ(fi_av_lookup(world.vector.get(), there, name, &size), 0);
    EXPECT_EQ(size, 8U);
    char words[64];
    std::size_t room = sizeof words;
    EXPECT_STREQ(fi_av_straddr(world.vector.get(), name, words, &room), "isoplane://0:9");
    EXPECT_EQ(fi_av_insertsvc(world.vector.get(), "host", "9", &there, 0, nullptr), -FI_EINVAL);
    EXPECT_EQ(fi_av_remove(world.vector.get(), &there, 1, 0), 0);
}

TEST(FiInfo, a_domain_that_is_used_is_not_closed) {
    World world;
    EXPECT_EQ(fi_close(&world.domain->fid), -FI_EBUSY);
}

}  // namespace
}  // namespace isoplane::fi_test
