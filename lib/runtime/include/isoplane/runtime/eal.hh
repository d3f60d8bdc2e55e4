// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace isoplane::runtime {

class RuntimeDirectory;

enum class Hugepages : std::uint8_t {
    kAuto,  ///< when enough of them are free, ordinary pages otherwise
    kNever,
    kAlways,
};
/// "auto", "off" or "on"; anything else throws std::invalid_argument.
Hugepages parse_hugepages(std::string_view word);

/// What the environment abstraction layer is started with, in our words.
struct EalOptions {
    unsigned workers = 1;        ///< worker lcores, numbered from 1; lcore 0 is the control thread
    std::vector<unsigned> cpus;  ///< a CPU for each worker, or empty: workers float over all CPUs we may use
    unsigned memory_mb = 512;    ///< address space for packets; only what is touched is used
    Hugepages hugepages = Hugepages::kAuto;
    std::vector<std::string>
        pci;                ///< NICs to probe, as BDF; none by default, so that no NIC is taken unasked
    bool telemetry = true;  ///< serve rte_telemetry on a socket in the run-time directory
    std::string log_level = "error";  ///< an EAL log level, or type:level
    std::vector<std::string> extra;   ///< further EAL arguments, last
};

/// The EAL, which a process can start once. Several processes run side by side: each has its own file prefix
/// and shares nothing. Ends with the ports closed; its run-time directory is removed.
class Eal {
  public:
    /// Throws std::runtime_error with what EAL could not do and what would help.
    explicit Eal(const EalOptions& options);
    ~Eal();
    Eal(const Eal&) = delete;
    Eal& operator=(const Eal&) = delete;

    bool hugepages() const noexcept { return hugepages_; }
    /// Where rte_telemetry listens and other run-time files are.
    const std::string& runtime_dir() const noexcept { return runtime_dir_; }

    /// The argument vector for `options`, without starting anything: what --eal users would have typed.
    static std::vector<std::string> arguments(const EalOptions& options, bool hugepages);

  private:
    bool hugepages_ = false;
    std::unique_ptr<RuntimeDirectory> own_directory_;
    std::string runtime_dir_;
};

/// CPUs that this process may run on.
std::vector<unsigned> allowed_cpus();

}  // namespace isoplane::runtime
