// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// What libfabric finds when it loads this library.
#include <rdma/providers/fi_prov.h>

#include "fabric.hh"
#include "info.hh"

using namespace isoplane::fi;

fi_provider isoplane::fi::kProvider{.version = FI_VERSION(0, 1),
                                    .fi_version = FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION),
                                    .context = {},
                                    .name = kName,
                                    .getinfo = get_info,
                                    .fabric = open_fabric,
                                    .cleanup = [] {}};

extern "C" __attribute__((visibility("default"))) fi_provider* fi_prov_ini();

extern "C" fi_provider* fi_prov_ini() {
    return &kProvider;
}
