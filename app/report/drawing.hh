// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Plots as SVG, within HTML or in files of their own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plot.hh"

namespace isoplane::report {

/// How each series looks: the same in all plots of a run.
class Looks {
  public:
    /// "s0", "l0", "o0" …: the class of a series, whose colour the style sheet knows.
    const std::string& class_of(const Series& series);

  private:
    std::map<std::string, std::string> classes_{};
    unsigned next_[3]{};
};

/// A figure with its title, its legend, the drawing and its values as a table.
std::string draw(const Plot& plot, const std::string& id, Looks& looks);

/// A file with these plots, of lines or curves, two beside each other.
std::string draw_file(const std::vector<Plot>& plots);

}  // namespace isoplane::report
