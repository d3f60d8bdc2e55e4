// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "labels.hh"

#include <algorithm>

namespace isoplane::run {

std::string rank_label(unsigned rank, unsigned ranks) {
    const std::string number = std::to_string(rank);
    const std::size_t width = std::to_string(ranks - 1).size();
    return "[" + std::string(width - std::min(width, number.size()), ' ') + number + "] ";
}

void LineSplitter::take(std::string_view bytes, std::string& out) {
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        const std::size_t room = kLongestLine - begun_.size();
        if (std::min(end, bytes.size()) >= room) {
            emit(bytes.substr(0, room), out);
            bytes.remove_prefix(room);
        } else if (end == std::string_view::npos) {
            begun_ += bytes;
            return;
        } else {
            emit(bytes.substr(0, end), out);
            bytes.remove_prefix(end + 1);
        }
    }
}

void LineSplitter::finish(std::string& out) {
    if (!begun_.empty()) emit({}, out);
}

void LineSplitter::emit(std::string_view rest, std::string& out) {
    out += label_;
    out += begun_;
    out += rest;
    out += '\n';
    begun_.clear();
}

}  // namespace isoplane::run
