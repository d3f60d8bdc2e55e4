// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Figures as a person reads them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace isoplane::report {

struct Table {
    std::string name;                               ///< by which a document asks for it, as "round_trip"
    std::string title;                              ///< with the unit
    std::vector<std::vector<std::string>> lines{};  ///< the first has the names of the columns
    std::string note{};                             ///< what is to be said below it; may be empty
};

/// As text: title, columns, note.
std::string to_text(const Table& table);

std::string fixed(double value, int digits);
/// Three digits or so, for a person; "-" for what was not measured.
std::string figure(double value);
std::string figure(std::optional<double> value);
/// "64", "8K", "1M".
std::string size_text(std::size_t size);

}  // namespace isoplane::report
