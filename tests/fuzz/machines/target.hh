// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Makes a target of play(input), whose packets are of pool(): included last.
#pragma once

#include <cstdlib>
#include <isoplane/runtime/eal.hh>

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    static const isoplane::runtime::Eal eal({.workers = 0,
                                             .memory_mb = 64,
                                             .hugepages = isoplane::runtime::Hugepages::kNever,
                                             .telemetry = false});
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    isoplane::fuzz::play(std::as_bytes(std::span(data, size)));
    if (isoplane::fuzz::pool().in_use() != 0) std::abort();
    return 0;
}
