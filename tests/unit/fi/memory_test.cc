// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// There may be no memory for what is asked. Tests say when: operator new[] is replaced for it.
#include <cstdlib>
#include <new>

#include "world.hh"

namespace {

constexpr std::size_t kMuch = std::size_t{1} << 20;
/// For this thread there are only pieces that are smaller.
thread_local bool is_scarce = false;

}  // namespace

void* operator new[](std::size_t size) {
    void* const at = is_scarce && size >= kMuch ? nullptr : std::malloc(size);
    if (at == nullptr) throw std::bad_alloc();
    return at;
}
void operator delete[](void* at) noexcept {
    std::free(at);
}
void operator delete[](void* at, std::size_t /*size*/) noexcept {
    std::free(at);
}

namespace isoplane::fi_test {
namespace {

TEST(FiMemory, that_there_is_not_for_an_endpoint_costs_none_of_as_many_as_there_may_be) {
    World world;
    const Owned<fid_ep> endpoint = world.endpoint();
    ASSERT_EQ(fi_ep_bind(endpoint.get(), &world.vector->fid, 0), 0);
    is_scarce = true;
    for (std::size_t i = 0; i < world.info->domain_attr->ep_cnt; ++i)
        EXPECT_NE(fi_enable(endpoint.get()), 0) << i;
    is_scarce = false;
    EXPECT_EQ(fi_enable(endpoint.get()), 0);
}

}  // namespace
}  // namespace isoplane::fi_test
