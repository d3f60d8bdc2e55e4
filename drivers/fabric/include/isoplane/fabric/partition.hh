// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace isoplane::fabric {

/// The group of each port. Ports in different groups do not reach each other.
using Partition = std::vector<std::uint16_t>;

/// "0,1|2,3": two groups. Ports that are not named form one more group; the empty text puts all ports
/// together. Throws std::invalid_argument with a sentence for what is not a port, or is named twice.
Partition parse_partition(std::string_view text, unsigned ports);

}  // namespace isoplane::fabric
