// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "counter.hh"

#include <chrono>

#include "domain.hh"

namespace isoplane::fi {

namespace {

void progress(Counter& counter) {
    bool moved = false;
    {
        const Network::Guard guard(counter.domain().network().lock());
        moved = counter.domain().network().progress();
    }
    Network::rest(moved);
}

std::uint64_t read(fid_cntr* its) {
    Counter& counter = object<Counter>(its);
    progress(counter);
    return counter.value;
}

std::uint64_t read_errors(fid_cntr* its) {
    return object<Counter>(its).errors;
}

int add(fid_cntr* its, std::uint64_t value) {
    object<Counter>(its).value += value;
    return 0;
}
int set(fid_cntr* its, std::uint64_t value) {
    object<Counter>(its).value = value;
    return 0;
}
int add_errors(fid_cntr* its, std::uint64_t value) {
    object<Counter>(its).errors += value;
    return 0;
}
int set_errors(fid_cntr* its, std::uint64_t value) {
    object<Counter>(its).errors = value;
    return 0;
}

int wait(fid_cntr* its, std::uint64_t threshold, int milliseconds) {
    Counter& counter = object<Counter>(its);
    const std::uint64_t errors = counter.errors;
    const auto limit = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    while (counter.value < threshold) {
        if (counter.errors != errors) return -FI_EAVAIL;
        if (milliseconds >= 0 && std::chrono::steady_clock::now() >= limit) return -FI_ETIMEDOUT;
        progress(counter);
    }
    return 0;
}

int close(fid* its) {
    Counter& counter = object<Counter>(its);
    if (counter.is_held()) return -FI_EBUSY;
    counter.domain().release();
    delete &counter;
    return 0;
}

fi_ops kFidOps = fid_ops(close);
fi_ops_cntr kOps{.size = sizeof(fi_ops_cntr),
                 .read = read,
                 .readerr = read_errors,
                 .add = add,
                 .set = set,
                 .wait = wait,
                 .adderr = add_errors,
                 .seterr = set_errors};

}  // namespace

int open_counter(fid_domain* its, fi_cntr_attr* attributes, fid_cntr** opened, void* context) {
    if (attributes != nullptr &&
        (attributes->events != FI_CNTR_EVENTS_COMP || attributes->flags != 0 ||
         (attributes->wait_obj != FI_WAIT_NONE && attributes->wait_obj != FI_WAIT_UNSPEC &&
          attributes->wait_obj != FI_WAIT_YIELD)))
        return -FI_ENOSYS;
    Domain& domain = object<Domain>(its);
    return guarded([&] {
        auto* const counter = new Counter(domain);
        counter->fid = {FI_CLASS_CNTR, context, &kFidOps};
        counter->ops = &kOps;
        domain.hold();
        *opened = counter;
        return 0;
    });
}

}  // namespace isoplane::fi
