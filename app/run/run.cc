// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "run.hh"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <isoplane/topology/fmconfig.hh>
#include <random>
#include <stdexcept>
#include <string_view>

#include "../command.hh"
#include "job_conf.hh"
#include "job_directory.hh"
#include "options.hh"
#include "remote.hh"
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

/// The files of all ranks, as they are named where those of one rank are.
std::vector<File> common_files(const JobConf& conf) {
    std::vector<File> files{{"fmconfig", topology::write_fmconfig(conf.topology)}};
    if (!conf.shmem_map.empty()) files.push_back({"shmem_map", conf.shmem_map});
    if (!conf.key.empty()) files.push_back({"key", conf.key});
    return files;
}

/// How the ranks of a job are started, one after the other.
class Launches {
  public:
    Launches(const RunCommand& command, const JobDirectory& directory,
             const std::vector<std::string>& environment)
        : command_(command),
          directory_(directory),
          environment_(environment),
          files_(common_files(command.conf)) {
        for (const File& file : files_)
            directory_.write(file.name, file.text);
    }

    Launch local(const Part& part, unsigned rank, const std::vector<std::string>& links) const {
        const std::string name = std::to_string(rank) + "/node.conf";
        directory_.write(name, node_conf_text(command_.conf, rank, links, directory_.path() + "/"));
        Launch launch{part.path, part.words, environment_};
        launch.environment.push_back("ISOPLANE_CONFIG=" + directory_.file(name));
        for (const std::string& entry : numbers(rank))
            launch.environment.push_back(entry);
        return launch;
    }

    /// One that starts the ranks itself: each finds its file by its number.
    Launch launcher(const Part& part, const std::vector<std::vector<std::string>>& links) const {
        for (unsigned rank = 0; rank < links.size(); ++rank)
            directory_.write(std::to_string(rank) + "/node.conf",
                             node_conf_text(command_.conf, rank, links[rank], directory_.path() + "/"));
        Launch launch{part.path, part.words, environment_};
        launch.environment.push_back("ISOPLANE_CONFIG=" + directory_.file("%r/node.conf"));
        launch.environment.push_back("ISOPLANE_SIZE=" + std::to_string(command_.ranks));
        return launch;
    }

    Launch remote(const Part& part, unsigned rank, const topology::HostConf& host) const {
        RemoteRank there{host.ssh, files_, numbers(rank), part.words, kGraceThere};
        there.files.push_back({"node.conf", node_conf_text(command_.conf, rank, {host.link}, "")});
        Launch launch = remote_launch(there);
        launch.environment = environment_;
        return launch;
    }

  private:
    static constexpr unsigned kGraceThere = 5;

    std::vector<std::string> numbers(unsigned rank) const {
        return {"ISOPLANE_RANK=" + std::to_string(rank), "ISOPLANE_SIZE=" + std::to_string(command_.ranks)};
    }

    const RunCommand& command_;
    const JobDirectory& directory_;
    const std::vector<std::string>& environment_;
    std::vector<File> files_;
};

/// On all planes.
std::vector<std::string> of_rank(const std::vector<RankLink>& links, unsigned rank, unsigned ranks) {
    std::vector<std::string> its;
    for (std::size_t number = rank; number < links.size(); number += ranks)
        its.push_back(links[number].rank);
    return its;
}

void add_ranks(Job& job, const RunCommand& command, const JobDirectory& directory,
               const std::vector<RankLink>& links) {
    const Launches launches(command, directory, job.environment);
    if (command.launcher) {
        std::vector<std::vector<std::string>> its;
        for (unsigned rank = 0; rank < command.ranks; ++rank)
            its.push_back(of_rank(links, rank, command.ranks));
        const Part& part = command.parts.front();
        job.ranks.push_back({part.words[0], "", launches.launcher(part, its)});
        return;
    }
    for (const Part& part : command.parts) {
        for (unsigned i = 0; i < part.ranks; ++i) {
            const auto rank = static_cast<unsigned>(job.ranks.size());
            const topology::HostConf host = host_of(command.conf, rank);
            const std::string label = command.labels ? rank_label(rank, command.ranks) : "";
            if (!host.ssh.empty())
                job.ranks.push_back(
                    {part.words[0] + " on " + host.ssh, label, launches.remote(part, rank, host)});
            else
                job.ranks.push_back({part.words[0], label,
                                     launches.local(part, rank,
                                                    links.empty() ? std::vector{host.link}
                                                                  : of_rank(links, rank, command.ranks))});
        }
    }
}

bool run_job(RunCommand command) {
    if (!command.conf.base.job_key) command.conf.base.job_key = std::random_device{}();
    fill_standard_descriptors();
    Guard guard(JobDirectory::pattern());
    const JobDirectory directory(guard.directory());
    std::vector<RankLink> links;
    const unsigned count = command.ranks * command.planes;
    const bool is_direct = command.link == LinkKind::kDirect;
    const std::string clients = directory.file("clients.sock");
    if (command.shared)
        links.assign(command.ranks, {.fabric = "", .rank = "shared:" + clients});
    else if (command.has_fabric && is_direct)
        links = direct_links(directory.path());
    else if (command.has_fabric)
        links = rank_links(command.link, count, directory.path());
    if (command.has_fabric && !command.shared && command.link == LinkKind::kAfpacket)
        make_interfaces(count, command.fabric.mtu, directory.path(), guard);
    Job job;
    job.environment = common_environment(directory);
    if (command.shared)
        job.fabric.push_back({.first_rank = 0, .ranks = 0, .links = {}, .clients = clients});
    else if (!is_direct)
        job.fabric = plan_fabric(links, command.planes, directory.path());
    if (command.has_managers && !job.fabric.empty()) {
        directory.write("managers.conf", manager_conf_text(command.conf, directory.path() + "/"));
        job.fabric.front().manager_conf = directory.file("managers.conf");
        job.fabric.front().key_memory_mb = key_memory_mb(command.conf);
    }
    job.fabric_options = command.fabric;
    add_ranks(job, command, directory, links);
    job.grace = command.grace;
    job.keep_going = command.keep_going;
    job.timeout = command.timeout;
    job.statistics = command.statistics;
    return Supervisor(job, guard).run();
}

}  // namespace

int run(int argc, char** argv) {
    auto parsed = parse_run_command(argc, argv);
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    try {
        return run_job(std::get<RunCommand>(std::move(parsed))) ? app::kSuccess : app::kRunFailed;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "isoplane run: %s\n", error.what());
        return app::kRunFailed;
    }
}

}  // namespace isoplane::run
