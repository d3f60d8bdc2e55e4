// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "capture/pcapng.hh"

namespace isoplane::capture {

namespace {

std::runtime_error failure(const std::string& what, const std::string& file) {
    return std::runtime_error("cannot " + what + " '" + file + "': " + std::strerror(errno) +
                              "; name a file in a directory you may write to, with room on its disk.");
}

}  // namespace

Writer::Writer(const std::string& file) : file_(file), out_(file, std::ios::binary) {
    if (!out_) throw failure("capture to", file_);
    runtime::pcapng::put_section(block_, {});
    write_block();
}

void Writer::write_block() {
    out_.write(block_.data(), static_cast<std::streamsize>(block_.size()));
    block_.clear();
}

std::uint32_t Writer::add_interface(const std::string& name) {
    runtime::pcapng::put_interface(block_, {.name = name});
    write_block();
    return interfaces_++;
}

void Writer::add(std::uint32_t interface, Direction direction, Time when, std::span<const std::byte> frame) {
    runtime::pcapng::put_packet(block_, {.interface = interface,
                                         .direction = direction,
                                         .when = static_cast<std::uint64_t>(when.count()),
                                         .bytes = frame,
                                         .length = static_cast<std::uint32_t>(frame.size())});
    write_block();
}

void Writer::finish() {
    out_.flush();
    if (!out_) throw failure("write", file_);
}

}  // namespace isoplane::capture
