// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cstdlib>
#include <cstring>

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

TEST(FiInfo, a_table_of_addresses_is_filled_from_its_beginning) {
    World world({.vector = FI_AV_TABLE});
    fid_av* const its = world.vector.get();
    std::uint8_t name[8];
    std::size_t size = sizeof name;
    ASSERT_EQ(fi_av_lookup(its, world.b.address, name, &size), 0);
    fi_addr_t there[2]{};
    int errors[1]{7};
    for (fi_addr_t& place : there)
        ASSERT_EQ(fi_av_insert(its, name, 1, &place, FI_SYNC_ERR, errors), 1);
    EXPECT_EQ(errors[0], 0);
    EXPECT_EQ(there[0], 2U);
    EXPECT_EQ(there[1], 3U);
    // The endpoint has another name as long as there is one.
    ASSERT_EQ(fi_av_remove(its, &world.b.address, 1, 0), 0);
    char said = 0;
    fi_addr_t from = FI_ADDR_UNSPEC;
    ASSERT_EQ(fi_recv(world.a.endpoint.get(), &said, 1, nullptr, FI_ADDR_UNSPEC, nullptr), 0);
    ASSERT_EQ(fi_inject(world.b.endpoint.get(), "x", 1, world.a.address), 0);
    world.a.next(&from);
    EXPECT_EQ(from, 2U);
    fi_addr_t first_free = FI_ADDR_UNSPEC;
    ASSERT_EQ(fi_av_insertsvc(its, "0", "9", &first_free, 0, nullptr), 1);
    EXPECT_EQ(first_free, world.b.address);
}

TEST(FiInfo, an_address_that_is_asked_for_is_part_of_the_answer) {
    const Info base = get_info([](fi_info&) {});
    fi_info* found = nullptr;
    ASSERT_EQ(fi_getinfo(FI_VERSION(1, 17), "3", "4", 0, base.get(), &found), 0);
    const Info asked(found);
    ASSERT_EQ(asked->dest_addrlen, 8U);
    found = nullptr;
    ASSERT_EQ(fi_getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, asked.get(), &found), 0);
    const Info again(found);
    ASSERT_EQ(again->dest_addrlen, 8U);
    EXPECT_EQ(std::memcmp(again->dest_addr, asked->dest_addr, 8), 0);
    for (const auto& [node, service] : {std::pair("host", "4"), std::pair("3x", "4"), std::pair("3", "four")})
        EXPECT_EQ(fi_getinfo(FI_VERSION(1, 17), node, service, 0, base.get(), &found), -FI_ENODATA)
            << node << service;
}

TEST(FiInfo, what_is_left_open_is_chosen) {
    const Info info = get_info([](fi_info& hints) { hints.caps = FI_MSG | FI_RMA; });
    ASSERT_NE(info, nullptr);
    EXPECT_EQ(info->caps & (FI_SEND | FI_RECV), FI_SEND | FI_RECV);
    EXPECT_EQ(info->caps & (FI_READ | FI_REMOTE_WRITE), FI_READ | FI_REMOTE_WRITE);
    EXPECT_EQ(info->caps & FI_TAGGED, 0U);
    EXPECT_EQ(info->domain_attr->data_progress, FI_PROGRESS_MANUAL);
    EXPECT_EQ(info->domain_attr->threading, FI_THREAD_SAFE);
}

TEST(FiInfo, what_is_offered_can_all_be_had_at_once) {
    World world;
    const std::vector<std::uint8_t> said(kLong);
    std::uint8_t byte = 0;
    const auto all = [](std::size_t count, const auto& one) {
        for (std::size_t i = 0; i < count; ++i)
            ASSERT_EQ(one(), 0) << i << " of " << count;
    };
    std::vector<Owned<fid_mr>> regions;
    all(world.info->domain_attr->mr_cnt, [&] {
        fid_mr* made = nullptr;
        const int result =
            fi_mr_reg(world.domain.get(), &byte, 1, FI_REMOTE_READ, 0, regions.size(), 0, &made, nullptr);
        if (result == 0) regions.emplace_back(made);
        return result;
    });
    all(world.info->rx_attr->size,
        [&] { return fi_recv(world.a.endpoint.get(), &byte, 1, nullptr, FI_ADDR_UNSPEC, nullptr); });
    all(world.info->tx_attr->size, [&] {
        return fi_send(world.a.endpoint.get(), said.data(), said.size(), nullptr, world.b.address, nullptr);
    });
    while (!regions.empty())
        regions.pop_back();
}

/// Programs that know nothing of isoplane are to find what they have always found.
TEST(FiInfo, is_silent_outside_of_a_job_unless_it_is_asked_for_by_name) {
    static_cast<void>(get_info([](fi_info&) {}));
    const std::string place = getenv("ISOPLANE_CONFIG");
    unsetenv("ISOPLANE_CONFIG");
    const auto is_found = [] {
        const Info all(fi_allocinfo());
        all->ep_attr->type = FI_EP_RDM;
        fi_info* found = nullptr;
        if (fi_getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, all.get(), &found) != 0) return false;
        const Info list(found);
        for (const fi_info* one = found; one != nullptr; one = one->next)
            if (std::string(one->fabric_attr->prov_name) == "isoplane") return true;
        return false;
    };
    EXPECT_FALSE(is_found());
    setenv("OMPI_MCA_mtl_ofi_provider_include", "tcp,isoplane", 1);
    EXPECT_TRUE(is_found());
    unsetenv("OMPI_MCA_mtl_ofi_provider_include");
    EXPECT_NE(get_info([](fi_info&) {}), nullptr);
    setenv("ISOPLANE_CONFIG", place.c_str(), 1);
    EXPECT_TRUE(is_found());
}

TEST(FiInfo, a_domain_that_is_used_is_not_closed) {
    World world;
    EXPECT_EQ(fi_close(&world.domain->fid), -FI_EBUSY);
}

}  // namespace
}  // namespace isoplane::fi_test
