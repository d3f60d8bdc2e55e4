// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/error.hh>

#include <utility>

namespace isoplane::topology {

namespace {

std::string where(const std::string& file, Position at) {
    std::string text = file;
    if (at.line != 0) text += ":" + std::to_string(at.line);
    if (at.line != 0 && at.column != 0) text += ":" + std::to_string(at.column);
    return text.empty() ? text : text + ": ";
}

}  // namespace

Error::Error(std::string file, Position at, std::string sentence)
    : std::runtime_error(where(file, at) + sentence),
      file_(std::move(file)),
      at_(at),
      sentence_(std::move(sentence)) {}

}  // namespace isoplane::topology
