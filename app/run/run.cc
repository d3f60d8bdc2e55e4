// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "run.hh"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string_view>

#include "../command.hh"
#include "job_directory.hh"
#include "options.hh"
#include "supervisor.hh"

namespace isoplane::run {

namespace {

/// Descriptors 0 to 2 are taken, so that none of ours becomes one of them.
void fill_standard_descriptors() {
    int fd = 0;
    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO) close(fd);
}

/// Our own environment without what we say in it ourselves.
std::vector<std::string> environment_without(std::initializer_list<std::string_view> names) {
    std::vector<std::string> kept;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view word = *entry;
        const std::string_view name = word.substr(0, word.find('='));
        if (std::find(names.begin(), names.end(), name) == names.end()) kept.emplace_back(word);
    }
    return kept;
}

/// What ranks and the fabric have in common. DPDK keeps its run-time files in the job's directory: those of a
/// process that is killed go with it.
std::vector<std::string> common_environment(const JobDirectory& directory) {
    auto environment =
        environment_without({"ISOPLANE_CONFIG", "ISOPLANE_RANK", "ISOPLANE_SIZE", "RUNTIME_DIRECTORY"});
    environment.push_back("RUNTIME_DIRECTORY=" + directory.path());
    return environment;
}

void add_ranks(Job& job, const RunCommand& command, const JobDirectory& directory,
               const std::vector<RankLink>& links) {
    const topology::Topology topology = command.topology ? *command.topology : plain_topology(command.ranks);
    directory.write_topology(topology);
    const JobConf conf{std::random_device{}(), command.progress, command.fabric.mtu};
    for (const Part& part : command.parts) {
        for (unsigned i = 0; i < part.ranks; ++i) {
            const auto rank = static_cast<unsigned>(job.ranks.size());
            Launch launch{part.path, part.words, job.environment};
            for (const std::string& entry :
                 {"ISOPLANE_CONFIG=" + directory.write_node_conf(conf, topology, rank, links[rank].rank),
                  "ISOPLANE_RANK=" + std::to_string(rank), "ISOPLANE_SIZE=" + std::to_string(command.ranks)})
                launch.environment.push_back(entry);
            job.ranks.push_back(
                {part.words[0], command.labels ? rank_label(rank, command.ranks) : "", std::move(launch)});
        }
    }
}

bool run_job(const RunCommand& command) {
    fill_standard_descriptors();
    const JobDirectory directory;
    Guard guard(directory.path());
    const std::vector<RankLink> links = rank_links(command.link, command.ranks, directory.path());
    if (command.link == LinkKind::kAfpacket)
        make_interfaces(command.ranks, command.fabric.mtu, directory.path(), guard);
    Job job;
    job.environment = common_environment(directory);
    job.fabric = plan_fabric(links, directory.path());
    job.fabric_options = command.fabric;
    add_ranks(job, command, directory, links);
    job.grace = command.grace;
    job.timeout = command.timeout;
    job.statistics = command.statistics;
    return Supervisor(job, guard).run();
}

}  // namespace

int run(int argc, char** argv) {
    auto parsed = parse_run_command(argc, argv);
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    try {
        return run_job(std::get<RunCommand>(parsed)) ? app::kSuccess : app::kRunFailed;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "isoplane run: %s\n", error.what());
        return app::kRunFailed;
    }
}

}  // namespace isoplane::run
