// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace isoplane::job {

/// What an MPI launcher (mpirun, mpiexec, srun) tells a process by its environment.
struct LauncherPlace {
    std::uint32_t rank = 0;
    std::uint32_t size = 0;
    std::uint32_t job_key = 0;  ///< from the launcher's name for the job
};

/// Nothing when no such launcher started this process. Throws std::runtime_error when what it says is no
/// place.
std::optional<LauncherPlace> launcher_place();

/// `spec` with the rank for each "%r": the links of ranks differ in little else.
std::string for_rank(std::string spec, std::uint32_t rank);

}  // namespace isoplane::job
