// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "world.hh"

namespace isoplane::fi_test {
namespace {

TEST(FiEndpoint, does_nothing_before_it_is_enabled) {
    World world;
    const Owned<fid_ep> owned = world.endpoint();
    fid_ep* const endpoint = owned.get();
    char byte = 0;
    std::size_t size = 1;
    EXPECT_EQ(fi_enable(endpoint), -FI_ENOAV);
    EXPECT_EQ(fi_getname(&endpoint->fid, &byte, &size), -FI_EOPBADSTATE);
    EXPECT_EQ(fi_send(endpoint, &byte, 1, nullptr, world.b.address, nullptr), -FI_EOPBADSTATE);
    EXPECT_EQ(fi_recv(endpoint, &byte, 1, nullptr, FI_ADDR_UNSPEC, nullptr), -FI_EOPBADSTATE);
    EXPECT_EQ(fi_cancel(&endpoint->fid, nullptr), -FI_EOPBADSTATE);
    EXPECT_EQ(fi_write(endpoint, &byte, 1, nullptr, world.b.address, 0, 1, nullptr), -FI_EOPBADSTATE);
    EXPECT_EQ(fi_read(endpoint, &byte, 1, nullptr, world.b.address, 0, 1, nullptr), -FI_EOPBADSTATE);
    EXPECT_EQ(fi_atomic(endpoint, &byte, 1, nullptr, world.b.address, 0, 1, FI_UINT8, FI_SUM, nullptr),
              -FI_EOPBADSTATE);
}

TEST(FiEndpoint, takes_what_may_be_bound_to_it_until_it_is_enabled) {
    World world;
    const Owned<fid_ep> endpoint = world.endpoint();
    EXPECT_EQ(fi_ep_bind(endpoint.get(), &world.domain->fid, 0), -FI_EINVAL);
    EXPECT_EQ(fi_ep_bind(endpoint.get(), &world.a.queue->fid, 0), -FI_EINVAL) << "neither sends nor receives";
    EXPECT_EQ(fi_ep_bind(endpoint.get(), &world.vector->fid, 0), 0);
    EXPECT_EQ(fi_enable(endpoint.get()), 0);
    EXPECT_EQ(fi_enable(endpoint.get()), 0) << "it is already";
    EXPECT_EQ(fi_ep_bind(endpoint.get(), &world.a.queue->fid, FI_RECV), -FI_EOPBADSTATE);
}

TEST(FiEndpoint, sends_without_a_queue_to_tell) {
    World world;
    const Owned<fid_ep> endpoint = world.endpoint();
    ASSERT_EQ(fi_ep_bind(endpoint.get(), &world.vector->fid, 0), 0);
    ASSERT_EQ(fi_enable(endpoint.get()), 0);
    char got = 0;
    ASSERT_EQ(fi_recv(world.b.endpoint.get(), &got, 1, nullptr, FI_ADDR_UNSPEC, nullptr), 0);
    ASSERT_EQ(fi_send(endpoint.get(), "x", 1, nullptr, world.b.address, nullptr), 0);
    world.b.next();
    EXPECT_EQ(got, 'x');
}

TEST(FiEndpoint, there_are_as_many_as_it_says) {
    World world;
    std::vector<Owned<fid_ep>> more;
    const std::size_t most = world.info->domain_attr->ep_cnt;
    for (std::size_t i = 2; i <= most; ++i) {
        more.push_back(world.endpoint());
        ASSERT_EQ(fi_ep_bind(more.back().get(), &world.vector->fid, 0), 0);
        EXPECT_EQ(fi_enable(more.back().get()), i < most ? 0 : -FI_ENOSPC) << i;
    }
    more.erase(more.begin());
    EXPECT_EQ(fi_enable(more.back().get()), 0) << "one has made room";
}

TEST(FiEndpoint, has_the_option_of_how_little_room_ends_a_buffer) {
    World world;
    fid* const its = &world.a.endpoint->fid;
    const std::size_t room = 77;
    std::size_t got = 0;
    std::size_t size = sizeof got;
    ASSERT_EQ(fi_setopt(its, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &room, sizeof room), 0);
    ASSERT_EQ(fi_getopt(its, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &got, &size), 0);
    EXPECT_EQ(got, room);
    EXPECT_EQ(size, sizeof room);
    EXPECT_EQ(fi_setopt(its, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &room, 4), -FI_EINVAL);
    size = 4;
    EXPECT_EQ(fi_getopt(its, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &got, &size), -FI_ETOOSMALL);
    EXPECT_EQ(fi_setopt(its, FI_OPT_ENDPOINT, FI_OPT_CM_DATA_SIZE, &room, sizeof room), -FI_ENOPROTOOPT);
    EXPECT_EQ(fi_getopt(its, FI_OPT_ENDPOINT, FI_OPT_CM_DATA_SIZE, &got, &size), -FI_ENOPROTOOPT);
}

TEST(FiEndpoint, says_how_long_its_name_is_to_who_has_no_room_for_it) {
    World world;
    std::uint8_t name[8]{};
    std::size_t size = 3;
    EXPECT_EQ(fi_getname(&world.a.endpoint->fid, name, &size), -FI_ETOOSMALL);
    EXPECT_EQ(size, 8U);
    EXPECT_EQ(name[3], 0);
}

TEST(FiEndpoint, sends_nothing_to_where_nobody_can_be) {
    World world;
    fi_addr_t nobody = FI_ADDR_UNSPEC;
    ASSERT_EQ(fi_av_insertsvc(world.vector.get(), "3", "1", &nobody, 0, nullptr), 1);
    fid_ep* const from = world.a.endpoint.get();
    EXPECT_EQ(fi_send(from, "x", 1, nullptr, nobody, nullptr), -FI_EINVAL);
    EXPECT_EQ(fi_write(from, "x", 1, nullptr, nobody, 0, 1, nullptr), -FI_EINVAL);
    const std::vector<iovec> pieces(world.info->tx_attr->iov_limit + 1);
    EXPECT_EQ(fi_sendv(from, pieces.data(), nullptr, pieces.size(), world.b.address, nullptr), -FI_EINVAL);
    EXPECT_EQ(fi_recvv(from, pieces.data(), nullptr, pieces.size(), FI_ADDR_UNSPEC, nullptr), -FI_EINVAL);
}

TEST(FiEndpoint, is_of_the_only_kind_that_there_is) {
    World world;
    const Info other(fi_dupinfo(world.info.get()));
    other->ep_attr->type = FI_EP_MSG;
    fid_ep* made = nullptr;
    EXPECT_EQ(fi_endpoint(world.domain.get(), other.get(), &made, nullptr), -FI_EINVAL);
    EXPECT_EQ(fi_listen(reinterpret_cast<fid_pep*>(world.a.endpoint.get())), -FI_ENOSYS);
}

}  // namespace
}  // namespace isoplane::fi_test
