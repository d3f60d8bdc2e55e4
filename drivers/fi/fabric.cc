// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "fabric.hh"

#include "completion_queue.hh"
#include "domain.hh"

namespace isoplane::fi {

namespace {

int close(fid* its) {
    Fabric& fabric = object<Fabric>(its);
    if (fabric.is_held()) return -FI_EBUSY;
    delete &fabric;
    return 0;
}

fi_ops kFidOps = fid_ops(close);

fi_ops_fabric kOps{.size = sizeof(fi_ops_fabric),
                   .domain = open_domain,
                   .passive_ep = kUnsupported,
                   .eq_open = open_event_queue,
                   .wait_open = kUnsupported,
                   .trywait = try_wait,
                   .domain2 = kUnsupported};

}  // namespace

fi_ops fid_ops(int (*close)(fid*), int (*bind)(fid*, fid*, std::uint64_t), int (*control)(fid*, int, void*)) {
    return {.size = sizeof(fi_ops),
            .close = close,
            .bind = bind,
            .control = control,
            .ops_open = kUnsupported,
            .tostr = kUnsupported,
            .ops_set = kUnsupported};
}

int open_fabric(fi_fabric_attr*, fid_fabric** opened, void* context) {
    return guarded([&] {
        auto* const fabric = new Fabric{};
        fabric->fid = {FI_CLASS_FABRIC, context, &kFidOps};
        fabric->ops = &kOps;
        *opened = fabric;
        return 0;
    });
}

}  // namespace isoplane::fi
