// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <fcntl.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <sched.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <isoplane/runtime/eal.hh>
#include <memory>
#include <stdexcept>
#include <thread>

#include "runtime_directory.hh"

namespace isoplane::runtime {

namespace {

constexpr const char* kMemoryFigures = "/proc/meminfo";

/// Between finding enough huge pages and taking them another process can find the same ones: processes of
/// ours take turns. A lock on a file that is always there, and anybody may open.
class HugepageTurn {
  public:
    HugepageTurn() = default;
    ~HugepageTurn() { end(); }
    /// False when it does not come: anybody may hold the lock for ever, or be stopped in the midst of a turn.
    bool await() {
        file_ = open(kMemoryFigures, O_RDONLY | O_CLOEXEC);
        const auto limit = std::chrono::steady_clock::now() + kLongestWait;
        while (flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            if (std::chrono::steady_clock::now() >= limit) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return true;
    }
    void end() {
        if (file_ >= 0) close(file_);
        file_ = -1;
    }
    HugepageTurn(const HugepageTurn&) = delete;
    HugepageTurn& operator=(const HugepageTurn&) = delete;

  private:
    static constexpr auto kLongestWait = std::chrono::seconds(5);

    int file_ = -1;
};

/// Megabytes of huge pages of the kernel's default size that are neither in use nor promised.
unsigned free_hugepage_mb() {
    std::ifstream meminfo(kMemoryFigures);
    unsigned long free = 0;
    unsigned long reserved = 0;
    unsigned long size_kb = 0;
    for (std::string line; std::getline(meminfo, line);) {
        if (line.starts_with("HugePages_Free:")) free = std::stoul(line.substr(15));
        if (line.starts_with("HugePages_Rsvd:")) reserved = std::stoul(line.substr(15));
        if (line.starts_with("Hugepagesize:")) size_kb = std::stoul(line.substr(13));
    }
    return static_cast<unsigned>((free - std::min(free, reserved)) * size_kb / 1024);
}

bool choose_hugepages(const EalOptions& options) {
    if (options.hugepages == Hugepages::kNever) return false;
    const unsigned available = free_hugepage_mb();
    if (options.hugepages == Hugepages::kAuto) return available >= options.memory_mb;
    if (available < options.memory_mb) {
        throw std::runtime_error(
            "huge pages were asked for, but only " + std::to_string(available) + " MB of the " +
            std::to_string(options.memory_mb) + " MB needed are free; reserve them (echo " +
            std::to_string(options.memory_mb / 2) +
            " > /proc/sys/vm/nr_hugepages), or use --hugepages off or a smaller --memory");
    }
    return true;
}

/// Who cannot have any waits for no turn. Without one they may be gone before they are taken: then only who
/// insists tries, and who has a NIC, which most drivers of the kernel give to nobody without them.
bool choose_in_turn(const EalOptions& options, HugepageTurn& turn) {
    if (!choose_hugepages(options)) return false;
    const bool is_ours = turn.await();
    const bool tries = is_ours || options.hugepages == Hugepages::kAlways || !options.pci.empty();
    return choose_hugepages(options) && tries;
}

constexpr std::string_view kPrefix = "isoplane-";

/// One prefix a process: pids do not repeat among the living.
std::string file_prefix() {
    return std::string(kPrefix) + std::to_string(getpid());
}

std::string lcore_map(const EalOptions& options) {
    std::string all;
    for (unsigned cpu : allowed_cpus())
        all += (all.empty() ? "(" : ",") + std::to_string(cpu);
    all += ")";
    std::string map = "0@" + all;
    for (unsigned worker = 1; worker <= options.workers; ++worker) {
        const bool pinned = !options.cpus.empty();
        map += "," + std::to_string(worker) + "@" +
               (pinned ? std::to_string(options.cpus[(worker - 1) % options.cpus.size()]) : all);
    }
    return map;
}

}  // namespace

Hugepages parse_hugepages(std::string_view word) {
    if (word == "auto") return Hugepages::kAuto;
    if (word == "off") return Hugepages::kNever;
    if (word == "on") return Hugepages::kAlways;
    throw std::invalid_argument("'" + std::string(word) +
                                "' does not say whether to use huge pages: auto, on or off");
}

std::vector<unsigned> allowed_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<unsigned> cpus;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return {0};
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
    }
    return cpus;
}

std::vector<std::string> Eal::arguments(const EalOptions& options, bool hugepages) {
    std::vector<std::string> args{"isoplane", "--file-prefix", file_prefix(), "--lcores", lcore_map(options)};
    if (hugepages) {
        // vhost hands memory to its peer by file descriptor: one file for all of it keeps within its limit.
        args.insert(args.end(), {"--in-memory", "--single-file-segments"});
    } else {
        args.insert(args.end(), {"--no-huge", "--no-shconf"});
    }
    args.insert(args.end(), {"-m", std::to_string(options.memory_mb), "--log-level", options.log_level});
    if (!options.telemetry) args.emplace_back("--no-telemetry");
    if (options.pci.empty()) args.emplace_back("--no-pci");
    for (const std::string& device : options.pci)
        args.insert(args.end(), {"-a", device});
    args.insert(args.end(), options.extra.begin(), options.extra.end());
    return args;
}

Eal::Eal(const EalOptions& options) : own_directory_(std::make_unique<RuntimeDirectory>(file_prefix())) {
    own_directory_->sweep(std::string(kPrefix));
    HugepageTurn turn;
    hugepages_ = choose_in_turn(options, turn);
    if (!hugepages_) turn.end();
    std::vector<std::string> args = arguments(options, hugepages_);
    std::vector<char*> argv;
    for (std::string& arg : args)
        argv.push_back(arg.data());
    argv.push_back(nullptr);
    if (rte_eal_init(static_cast<int>(args.size()), argv.data()) < 0) {
        const int problem = rte_errno;
        std::string line;
        for (const std::string& arg : args)
            line += " " + arg;
        throw std::runtime_error("the DPDK environment did not start (" + std::string(rte_strerror(problem)) +
                                 "); `isoplane doctor` finds out why. It was given:" + line);
    }
    // Further arguments may have chosen another.
    runtime_dir_ = rte_eal_get_runtime_dir();
}

// Not rte_eal_cleanup(): it unmaps memory that the EAL's own interrupt and telemetry threads still read, and
// now and then one of them dies of it. The kernel takes memory back with the process; only the directory
// would stay.
Eal::~Eal() = default;

}  // namespace isoplane::runtime
