// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_memory.h>
#include <unistd.h>

#include <isoplane/niu/memory.hh>
#include <memory>
#include <stdexcept>
#include <string>

namespace isoplane::niu {

namespace {

/// On whatever thread frees the last packet.
void last_reference_gone(void* /*address*/, void* region_of) {
    const std::unique_ptr<Memory::Region> region(static_cast<Memory::Region*>(region_of));
    if (!region->adopted) rte_free(region->bytes.data());
}

/// Where devices find the first byte, if all others are behind it.
rte_iova_t iova_of(std::span<std::byte> bytes) {
    const auto first = reinterpret_cast<std::uintptr_t>(bytes.data());
    if (rte_eal_iova_mode() == RTE_IOVA_VA) return first;
    const rte_iova_t iova = rte_mem_virt2iova(bytes.data());
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    for (std::size_t at = page - first % page; iova != RTE_BAD_IOVA && at < bytes.size(); at += page)
        if (rte_mem_virt2iova(bytes.data() + at) != iova + at) return RTE_BAD_IOVA;
    return iova;
}

Memory::Region* make_region(std::span<std::byte> bytes, bool adopted) {
    auto* region = new Memory::Region{.bytes = bytes, .iova = iova_of(bytes), .adopted = adopted};
    region->references.free_cb = last_reference_gone;
    region->references.fcb_opaque = region;
    rte_mbuf_ext_refcnt_set(&region->references, 1);
    return region;
}

}  // namespace

Memory Memory::allocate(std::size_t size) {
    void* at = rte_zmalloc("isoplane_memory", size, RTE_CACHE_LINE_SIZE);
    if (at == nullptr) {
        throw std::runtime_error("there are no " + std::to_string(size) +
                                 " bytes of memory for messages; give more with --memory MB");
    }
    return Memory(make_region({static_cast<std::byte*>(at), size}, false));
}

Memory Memory::adopt(std::span<std::byte> pages) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    if (pages.empty() || reinterpret_cast<std::uintptr_t>(pages.data()) % page != 0 ||
        pages.size() % page != 0) {
        throw std::invalid_argument("memory of " + std::to_string(pages.size()) +
                                    " bytes cannot be registered: it has to begin and end at a page of " +
                                    std::to_string(page) + " bytes; align it, or allocate it here");
    }
    if (rte_extmem_register(pages.data(), pages.size(), nullptr, 0, page) != 0) {
        throw std::runtime_error("the EAL does not take " + std::to_string(pages.size()) +
                                 " bytes of memory: " + rte_strerror(rte_errno) +
                                 "; see that no part of them is registered already");
    }
    return Memory(make_region(pages, true));
}

Memory::~Memory() {
    if (region_ == nullptr) return;
    if (region_->adopted) rte_extmem_unregister(region_->bytes.data(), region_->bytes.size());
    region_->let_go();
}

/// Atomic, though nobody else adds: those who have packets give back theirs at the same time.
void Memory::Region::refer() noexcept {
    __atomic_add_fetch(&references.refcnt, 1, __ATOMIC_RELAXED);
}

void Memory::Region::let_go() noexcept {
    if (__atomic_sub_fetch(&references.refcnt, 1, __ATOMIC_ACQ_REL) == 0) last_reference_gone(nullptr, this);
}

}  // namespace isoplane::niu
