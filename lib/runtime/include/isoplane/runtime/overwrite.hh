// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// That what is read is not written to: a file that is opened to be written is empty, and nothing is left to
/// read.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace isoplane::runtime {

/// Refuses, in the name of `who`, to write to the file it reads, whichever names and links lead there.
/// Devices and pipes lose nothing.
inline void refuse_to_overwrite(const std::string& who, const std::filesystem::path& read,
                                const std::filesystem::path& written) {
    std::error_code missing;  // then there is nothing to lose
    if (std::filesystem::is_regular_file(read, missing) &&
        std::filesystem::equivalent(read, written, missing))
        throw std::invalid_argument(who + " would overwrite the file it reads; name another to write to");
}

}  // namespace isoplane::runtime
