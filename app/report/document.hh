// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Documents with tables and plots that benchmarks write: what is between two lines of a text, as
///
///     <!-- figures: isoplane perf pair --link virtio: round_trip message_rate -->
///     <!-- end of figures -->
///
/// is the named tables of that command, and the image of
///
///     <!-- plots: isoplane perf scale: latency pulses -->
///     ![What ordering adds](scale.svg)
///     <!-- end of plots -->
///
/// shows the named plots. All else stays as it is.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "record.hh"

namespace isoplane::report {

/// The commands that a document asks for, each once, in their order: "perf pair --link virtio" as
/// "pair --link virtio". Throws std::invalid_argument with a sentence, and its line, when a marker is not as
/// above.
std::vector<std::string> commands_in(const std::string& text);

/// The text with the tables of these runs; `run_of` has the record of a command, or nullptr when there is
/// none, whose tables stay as they are. Throws std::invalid_argument when a run has no table of that name.
std::string fill_in(const std::string& text, const std::function<const Record*(const std::string&)>& run_of);

/// A file beside the document, and what is to be in it.
struct Image {
    std::string file;
    std::string content;
};
/// Those with the plots of these runs. Throws std::invalid_argument when a run has no plot of that name.
std::vector<Image> images_of(const std::string& text,
                             const std::function<const Record*(const std::string&)>& run_of);

}  // namespace isoplane::report
