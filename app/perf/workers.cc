// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "workers.hh"

#include <rte_launch.h>
#include <rte_lcore.h>

#include <array>
#include <atomic>
#include <isoplane/runtime/handover.hh>
#include <latch>
#include <stdexcept>

namespace isoplane::perf {

namespace {

struct Job {
    const std::function<void()>& work;
    runtime::Idler idler;
    std::atomic<unsigned>& here;
    std::latch& done;
};

int do_job(void* argument) {
    runtime::take_over(argument);
    Job& job = *static_cast<Job*>(argument);
    job.here.fetch_add(1, std::memory_order_acq_rel);
    while (job.here.load(std::memory_order_acquire) < 2)
        job.idler.step(false);
    job.work();
    job.done.count_down();
    return 0;
}

}  // namespace

void Workers::run(const std::function<void()>& a, const std::function<void()>& b) {
    std::atomic<unsigned> here{0};
    std::latch done(2);
    std::array<Job, 2> jobs{Job{a, idler(), here, done}, Job{b, idler(), here, done}};
    for (unsigned worker = 1; worker <= jobs.size(); ++worker) {
        runtime::hand_over(&jobs[worker - 1]);
        if (rte_eal_remote_launch(do_job, &jobs[worker - 1], worker) != 0)
            throw std::runtime_error("worker " + std::to_string(worker) + " cannot be started: it is busy");
    }
    done.wait();
    // What is left of the jobs by now is a return; this waits for it without sleep.
    for (unsigned worker = 1; worker <= jobs.size(); ++worker)
        rte_eal_wait_lcore(worker);
}

}  // namespace isoplane::perf
