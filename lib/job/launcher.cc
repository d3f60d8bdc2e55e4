// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "launcher.hh"

#include <charconv>
#include <stdexcept>
#include <string_view>

#include "environment.hh"

namespace isoplane::job {

namespace {

/// How a kind of launcher calls rank and size, and the job, which may take two names.
struct Dialect {
    const char* rank;
    const char* size;
    const char* job;
    const char* step;
};

constexpr Dialect kDialects[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE", ""},
    {"PMIX_RANK", "SLURM_NTASKS", "PMIX_NAMESPACE", ""},
    {"PMI_RANK", "PMI_SIZE", "PMI_JOBID", ""},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_JOB_ID", "SLURM_STEP_ID"},
};

std::uint32_t number(const char* name) {
    const std::string_view text = variable(name);
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size()) return value;
    throw std::runtime_error("the launcher says " + std::string(name) + "=" + std::string(text) +
                             ", which is no number; start the program by `isoplane run` instead");
}

/// FNV-1a: the same in every process, whatever built it.
std::uint32_t hash(std::string_view first, std::string_view second) {
    std::uint32_t value = 2166136261U;
    for (const std::string_view text : {first, std::string_view("."), second}) {
        for (const char c : text)
            value = (value ^ static_cast<unsigned char>(c)) * 16777619U;
    }
    return value;
}

}  // namespace

std::optional<LauncherPlace> launcher_place() {
    for (const Dialect& dialect : kDialects) {
        if (variable(dialect.rank).empty() || variable(dialect.size).empty()) continue;
        const LauncherPlace place{number(dialect.rank), number(dialect.size),
                                  hash(variable(dialect.job), variable(dialect.step))};
        if (place.rank < place.size) return place;
        throw std::runtime_error("the launcher says this is rank " + std::to_string(place.rank) + " of " +
                                 std::to_string(place.size) +
                                 ", which cannot be; start the program by `isoplane run` "
                                 "instead");
    }
    return std::nullopt;
}

std::string for_rank(std::string spec, std::uint32_t rank) {
    for (std::size_t at = spec.find("%r"); at != std::string::npos; at = spec.find("%r", at))
        spec.replace(at, 2, std::to_string(rank));
    return spec;
}

}  // namespace isoplane::job
