// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isoplane::doctor {

/// Capabilities a link may need, by their bit in the kernel's sets.
enum class Capability : unsigned {
    kNetAdmin = 12,
    kNetRaw = 13,
    kIpcLock = 14,
    kPerfmon = 38,
    kBpf = 39,
};

/// The machine as its files show it.
///
/// Everything is read below `root`, so that a test can plant a machine of its own. Paths are given absolute.
/// A file that is not there reads as empty: what a kernel does not have, it does not show.
struct System {
    std::filesystem::path root = "/";
    std::string plugin_dir;   ///< where DPDK looks for its drivers
    std::string executable;   ///< this program, for the commands that grant it something
    std::string runtime_dir;  ///< XDG_RUNTIME_DIR; empty when unset

    /// The machine this process runs on.
    static System here();

    std::filesystem::path at(std::string_view path) const;

    bool exists(std::string_view path) const;
    bool writable(std::string_view path) const;

    /// The content of a file without its trailing newline.
    std::string read(std::string_view path) const;
    std::vector<std::string> lines(std::string_view path) const;
    std::optional<uint64_t> number(std::string_view path) const;

    /// The names in a directory, sorted.
    std::vector<std::string> list(std::string_view path) const;

    /// The last part of what a symbolic link points to; empty when there is none.
    std::string link_name(std::string_view path) const;

    /// What follows "KEY:" or "KEY " at the start of a line of a /proc file, without blanks around it.
    std::string field(std::string_view path, std::string_view key) const;

    bool has(Capability capability) const;
    bool is_root() const;

    /// Bytes this process may lock; nothing when there is no limit.
    std::optional<uint64_t> lockable_bytes() const;
};

}  // namespace isoplane::doctor
