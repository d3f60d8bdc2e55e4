// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "objects.hh"

namespace isoplane::fi {

/// What domains and event queues belong to.
struct Fabric : fid_fabric, Shared {
    using Fid = fid_fabric;
};

int open_fabric(fi_fabric_attr* attributes, fid_fabric** opened, void* context);
int open_event_queue(fid_fabric* fabric, fi_eq_attr* attributes, fid_eq** opened, void* context);

}  // namespace isoplane::fi
