// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "capture/format.hh"
#include "capture/pcapng.hh"

namespace isoplane::capture {

namespace {

template <typename T>
void put(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_padded(std::string& out, const char* bytes, std::size_t size) {
    out.append(bytes, size);
    out.append(padded(size) - size, '\0');
}

void put_option(std::string& out, std::uint16_t code, std::string_view value) {
    put(out, code);
    put(out, static_cast<std::uint16_t>(value.size()));
    put_padded(out, value.data(), value.size());
}

std::runtime_error failure(const std::string& what, const std::string& file) {
    return std::runtime_error("cannot " + what + " '" + file + "': " + std::strerror(errno) +
                              "; name a file in a directory you may write to, with room on its disk.");
}

}  // namespace

Writer::Writer(const std::string& file) : file_(file), out_(file, std::ios::binary) {
    if (!out_) throw failure("capture to", file_);
    std::string body;
    put(body, kByteOrder);
    put(body, std::uint16_t{1});  // version 1.0
    put(body, std::uint16_t{0});
    put(body, UINT64_MAX);  // of a length that is not known yet
    block(kSection, body);
}

void Writer::block(std::uint32_t type, const std::string& body) {
    std::string all;
    const auto length = static_cast<std::uint32_t>(kAround + body.size());
    put(all, type);
    put(all, length);
    all += body;
    put(all, length);
    out_.write(all.data(), static_cast<std::streamsize>(all.size()));
}

std::uint32_t Writer::add_interface(const std::string& name) {
    std::string body;
    put(body, kEthernet);
    put(body, std::uint16_t{0});
    put(body, std::uint32_t{0});  // frames are never cut
    put_option(body, kInterfaceName, name);
    put_option(body, kResolution, "\x09");  // nanoseconds
    put_option(body, kEndOfOptions, {});
    block(kInterface, body);
    return interfaces_++;
}

void Writer::add(std::uint32_t interface, Direction direction, Time when, std::span<const std::byte> frame) {
    const auto stamp = static_cast<std::uint64_t>(when.count());
    const auto size = static_cast<std::uint32_t>(frame.size());
    std::string flags;
    put(flags, direction == Direction::kUnknown ? 0U : direction == Direction::kIn ? kInbound : kOutbound);
    std::string body;
    put(body, interface);
    put(body, static_cast<std::uint32_t>(stamp >> 32));
    put(body, static_cast<std::uint32_t>(stamp));
    put(body, size);
    put(body, size);
    put_padded(body, reinterpret_cast<const char*>(frame.data()), frame.size());
    put_option(body, kFlags, flags);
    put_option(body, kEndOfOptions, {});
    block(kPacket, body);
}

void Writer::finish() {
    out_.flush();
    if (!out_) throw failure("write", file_);
}

}  // namespace isoplane::capture
