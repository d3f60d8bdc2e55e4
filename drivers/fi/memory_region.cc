// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "memory_region.hh"

#include <algorithm>
#include <chrono>
#include <isoplane/runtime/poll_watch.hh>

#include "domain.hh"
#include "endpoint.hh"

namespace isoplane::fi {

bool Regions::add(Region& region) {
    region.number = next_number();
    if (!keys_.try_emplace(region.key, &region).second) return false;
    if (region.number == numbered_.size()) numbered_.push_back(nullptr);
    numbered_[region.number] = &region;
    return true;
}

void Regions::remove(const Region& region) {
    keys_.erase(region.key);
    numbered_[region.number] = nullptr;
}

Region* Regions::find(std::uint64_t key) const noexcept {
    const auto at = keys_.find(key);
    return at != keys_.end() ? at->second : nullptr;
}

std::uint32_t Regions::next_number() const noexcept {
    const auto free = std::find(numbered_.begin(), numbered_.end(), nullptr);
    return static_cast<std::uint32_t>(free - numbered_.begin());
}

namespace {

/// What is on its way there has its time to land.
int close(fid* its) {
    Region& region = object<Region>(its);
    Network& network = region.domain.network();
    constexpr auto kLimit = std::chrono::seconds(1);
    runtime::Patience patience(kLimit);
    for (;;) {
        const Network::Guard guard(network.lock());
        const auto& endpoints = region.domain.endpoints();
        if (network.is_over() || std::all_of(endpoints.begin(), endpoints.end(), [&](Endpoint* endpoint) {
                return endpoint->withdraw(region);
            })) {
            region.domain.regions().remove(region);
            break;
        }
        if (patience.is_over()) return -FI_EBUSY;
        network.progress();
    }
    region.domain.release();
    delete &region;
    return 0;
}

int bind(fid* its, fid* other, std::uint64_t flags) {
    Region& region = object<Region>(its);
    if (other->fclass == FI_CLASS_EP) return 0;
    if (other->fclass != FI_CLASS_CNTR) return -FI_EINVAL;
    Counter& counter = object<Counter>(other);
    const Network::Guard guard(region.domain.network().lock());
    if ((flags & FI_REMOTE_WRITE) != 0) region.writes = &counter;
    if ((flags & FI_REMOTE_READ) != 0) region.reads = &counter;
    return 0;
}

int control(fid*, int command, void*) {
    return command == FI_ENABLE || command == FI_REFRESH ? 0 : -FI_ENOSYS;
}

fi_ops kFidOps = fid_ops(close, bind, control);

int offer(Domain& domain, const iovec& memory, std::uint64_t access, std::uint64_t wanted, fid_mr** made,
          void* context) {
    return guarded([&]() -> int {
        const Network::Guard guard(domain.network().lock());
        std::uint64_t key = wanted;
        if (domain.is_basic())
            key = std::uint64_t{domain.regions().next_number()} << kAddressBits |
                  base_of(reinterpret_cast<std::uintptr_t>(memory.iov_base));
        auto region = std::make_unique<Region>(domain, memory, access, key);
        region->fid = {FI_CLASS_MR, context, &kFidOps};
        if (!domain.regions().add(*region)) return -FI_ENOKEY;
        for (Endpoint* endpoint : domain.endpoints()) {
            if (endpoint->offer(*region)) continue;
            for (Endpoint* other : domain.endpoints())
                other->withdraw(*region);
            domain.regions().remove(*region);
            return -FI_ENOMEM;
        }
        domain.hold();
        *made = region.release();
        return 0;
    });
}

int reg(fid* its, const void* start, std::size_t length, std::uint64_t access, std::uint64_t offset,
        std::uint64_t key, std::uint64_t flags, fid_mr** made, void* context) {
    if (its->fclass != FI_CLASS_DOMAIN || offset != 0 || (flags & ~FI_RMA_EVENT) != 0) return -FI_EINVAL;
    // A descriptor has no place for the first byte there is, nor for the last.
    const bool is_there = start != nullptr && length <= UINTPTR_MAX - reinterpret_cast<std::uintptr_t>(start);
    if (length != 0 && !is_there) return -FI_EINVAL;
    return offer(object<Domain>(its), {const_cast<void*>(start), length}, access, key, made, context);
}

int reg_v(fid* its, const iovec* memory, std::size_t count, std::uint64_t access, std::uint64_t offset,
          std::uint64_t key, std::uint64_t flags, fid_mr** made, void* context) {
    if (count != 1) return -FI_EINVAL;
    return reg(its, memory->iov_base, memory->iov_len, access, offset, key, flags, made, context);
}

int reg_attr(fid* its, const fi_mr_attr* attributes, std::uint64_t flags, fid_mr** made) {
    return reg_v(its, attributes->mr_iov, attributes->iov_count, attributes->access, attributes->offset,
                 attributes->requested_key, flags, made, attributes->context);
}

fi_ops_mr kOps{.size = sizeof(fi_ops_mr), .reg = reg, .regv = reg_v, .regattr = reg_attr};

}  // namespace

fi_ops_mr* region_ops() {
    return &kOps;
}

}  // namespace isoplane::fi
