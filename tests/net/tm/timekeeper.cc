// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// A host of a job that keeps logical time, and does nothing else: timekeeper [PULSES].
//
// It says on standard output which pulse has ended last, as a line of JSON: when it is there, for each
// SIGUSR1, and at its end. That comes with SIGTERM, or when so many pulses have ended; then it leaves
// together with all others.

#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <isoplane/job/settings.hh>
#include <isoplane/link/link.hh>
#include <isoplane/niu/epoch.hh>
#include <isoplane/niu/niu.hh>
#include <isoplane/runtime/eal.hh>
#include <isoplane/runtime/idle.hh>
#include <isoplane/runtime/pool.hh>
#include <isoplane/runtime/time.hh>
#include <isoplane/siu/siu.hh>
#include <isoplane/topology/paths.hh>

namespace isoplane {

namespace {

volatile std::sig_atomic_t report_wanted = 0;
volatile std::sig_atomic_t end_wanted = 0;

niu::Options niu_options(const job::Settings& settings) {
    std::vector<std::string> names = settings.hosts();
    names.resize(settings.network.topology->node_count());
    niu::Options options{.node = settings.node(),
                         .nodes = std::move(names),
                         .job_key = settings.network.conf.job_key.value_or(0),
                         .epoch = niu::epoch_now(),
                         .mac = settings.network.mac(settings.node())};
    options.manages = !settings.token_manager.empty();
    return options;
}

void report(const siu::Siu& siu) {
    std::printf("{\"ended\": %llu}\n", static_cast<unsigned long long>(siu.ended()));
    std::fflush(stdout);
}

void keep_time(const job::Settings& settings, std::uint64_t pulses) {
    const runtime::Eal eal({.workers = 0, .memory_mb = 64});
    runtime::Pool pool("packets", 4095, runtime::Pool::room_for(settings.mtu));
    const auto link = link::open_link(link::LinkSpec::parse(settings.link), "link0", {.pool = &pool});
    link->start();
    {
        const topology::Paths paths(*settings.network.topology);
        niu::Niu niu("niu", link->input(), link->output(), pool, niu_options(settings));
        siu::Siu siu(niu, paths,
                     {.exchange = {.epoch = niu.options().epoch,
                                   .ahead = settings.network.conf.tokens_ahead.value_or(1)}});
        siu.want(true);
        report(siu);
        const runtime::TscClock clock;
        runtime::Idler idler(runtime::IdlePolicy::kYield);
        while (!niu.closed()) {
            idler.step(niu.poll(clock.now()) != 0);
            if (report_wanted != 0) {
                report_wanted = 0;
                report(siu);
            }
            if (end_wanted != 0 || (siu.ended() >= pulses && niu.all_up())) niu.close();
        }
        report(siu);
    }
    link->stop();
}

int run(int argc, char** argv) {
    std::signal(SIGUSR1, [](int) { report_wanted = 1; });
    std::signal(SIGTERM, [](int) { end_wanted = 1; });
    std::uint64_t pulses = UINT64_MAX;
    if (argc > 1) std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), pulses);
    try {
        keep_time(job::settings_from_environment(), pulses);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}

}  // namespace

}  // namespace isoplane

int main(int argc, char** argv) {
    return isoplane::run(argc, argv);
}
