// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <iostream>
#include <isoplane/runtime/eal.hh>

/// The main() of test programs that need mbufs: an EAL without huge pages, root or a place on disk.
int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    try {
        isoplane::runtime::EalOptions options;
        options.memory_mb = 256;
        options.hugepages = isoplane::runtime::Hugepages::kNever;
        options.telemetry = false;
        const isoplane::runtime::Eal eal(options);
        return RUN_ALL_TESTS();
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
