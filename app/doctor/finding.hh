// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>
#include <vector>

namespace isoplane::doctor {

/// What a finding means for `isoplane demo`, the default that needs no hugepages, no privilege and no NIC.
enum class Status {
    kOk,    ///< as it should be
    kWarn,  ///< the default runs; something else would not, or would be slow
    kFail,  ///< the default would not run
};

/// One thing looked at. `area` and `check` are stable names that scripts may rely on.
struct Finding {
    std::string area;
    std::string check;
    Status status = Status::kOk;
    std::string text;  ///< one sentence
    std::string mend;  ///< the command that mends it; empty when there is nothing to mend
};

using Findings = std::vector<Finding>;

}  // namespace isoplane::doctor
