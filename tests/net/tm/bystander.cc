// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// A rank in logical time that does nothing, until it is stopped.

#include <cstdio>
#include <isoplane/job/job.hh>
#include <stdexcept>
#include <utility>

int main() {
    try {
        isoplane::job::Settings settings = isoplane::job::settings_from_environment();
        settings.logical_time = true;
        isoplane::job::Job job(std::move(settings));
        job.join();
        std::puts("there");
        std::fflush(stdout);
        for (;;)
            job.poll();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
