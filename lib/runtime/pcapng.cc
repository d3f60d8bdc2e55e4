// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cstring>
#include <isoplane/runtime/pcapng.hh>

namespace isoplane::runtime::pcapng {

namespace {

constexpr std::string_view kProgram = "isoplane";
constexpr std::uint16_t kApplication = 4;
constexpr std::uint16_t kReceived = 4;
constexpr std::uint16_t kDropped = 5;
constexpr std::uint16_t kAccepted = 6;
constexpr std::size_t kLongestOption = 0xffff;

template <typename T>
void put(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_padded(std::string& out, const char* bytes, std::size_t size) {
    out.append(bytes, size);
    out.append(padded(size) - size, '\0');
}

void put_option(std::string& out, std::uint16_t code, std::string_view value) {
    value = value.substr(0, kLongestOption);
    put(out, code);
    put(out, static_cast<std::uint16_t>(value.size()));
    put_padded(out, value.data(), value.size());
}

void put_text(std::string& out, std::uint16_t code, std::string_view text) {
    if (!text.empty()) put_option(out, code, text);
}

template <typename T>
void put_number(std::string& out, std::uint16_t code, T value) {
    put_option(out, code, {reinterpret_cast<const char*>(&value), sizeof value});
}

void put_stamp(std::string& out, std::uint64_t when) {
    put(out, static_cast<std::uint32_t>(when >> 32));
    put(out, static_cast<std::uint32_t>(when));
}

/// A block around what `body` adds.
template <typename Body>
void put_block(std::string& out, std::uint32_t type, Body body) {
    const std::size_t begin = out.size();
    put(out, type);
    put(out, std::uint32_t{0});
    body();
    const auto length = static_cast<std::uint32_t>(out.size() - begin + sizeof(std::uint32_t));
    put(out, length);
    std::memcpy(out.data() + begin + sizeof type, &length, sizeof length);
}

}  // namespace

void put_section(std::string& out, std::string_view comment) {
    put_block(out, kSection, [&] {
        put(out, kByteOrder);
        put(out, std::uint16_t{1});  // version 1.0
        put(out, std::uint16_t{0});
        put(out, UINT64_MAX);  // of a length that is not known yet
        put_text(out, kComment, comment);
        put_option(out, kApplication, kProgram);
        put_option(out, kEndOfOptions, {});
    });
}

void put_interface(std::string& out, const Interface& interface) {
    put_block(out, kInterface, [&] {
        put(out, kEthernet);
        put(out, std::uint16_t{0});
        put(out, std::uint32_t{0});  // no limit to what is kept of a frame
        put_text(out, kInterfaceName, interface.name);
        put_text(out, kInterfaceDescription, interface.description);
        put_option(out, kResolution, "\x09");  // nanoseconds
        // Its first byte says that the filter is as tcpdump's.
        if (!interface.filter.empty())
            put_option(out, kInterfaceFilter, std::string(1, '\0') + interface.filter);
        put_option(out, kEndOfOptions, {});
    });
}

void put_packet(std::string& out, const Record& record) {
    const bool known = record.direction != Direction::kUnknown;
    put_block(out, kPacket, [&] {
        put(out, record.interface);
        put_stamp(out, record.when);
        put(out, static_cast<std::uint32_t>(record.bytes.size()));
        put(out, record.length);
        put_padded(out, reinterpret_cast<const char*>(record.bytes.data()), record.bytes.size());
        put_text(out, kComment, record.comment);
        if (known) put_number(out, kFlags, record.direction == Direction::kIn ? kInbound : kOutbound);
        if (known || !record.comment.empty()) put_option(out, kEndOfOptions, {});
    });
}

void put_statistics(std::string& out, std::uint32_t interface, std::uint64_t when, const Counts& counts) {
    put_block(out, kStatistics, [&] {
        put(out, interface);
        put_stamp(out, when);
        put_number(out, kReceived, counts.passed);
        put_number(out, kDropped, counts.missed);
        put_number(out, kAccepted, counts.accepted);
        put_option(out, kEndOfOptions, {});
    });
}

}  // namespace isoplane::runtime::pcapng
