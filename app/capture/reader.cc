// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <bit>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "capture/pcapng.hh"

namespace isoplane::capture {

using namespace runtime::pcapng;

namespace {

constexpr std::size_t kLongestBlock = std::size_t{1} << 20;  ///< of those that are read
constexpr std::uint64_t kNanoseconds = 1'000'000'000;
/// Of a frame's time from that of the first: differences of such times can be reckoned with.
constexpr Time kFarthest = std::chrono::hours{24 * 365 * 20};

std::uint32_t swapped(std::uint32_t value, bool yes) {
    return yes ? __builtin_bswap32(value) : value;
}

/// Classic pcap, in all its dialects.
bool is_pcap(std::uint32_t magic) {
    for (const std::uint32_t known : {0xa1b2c3d4U, 0xa1b23c4dU})
        if (magic == known || magic == __builtin_bswap32(known)) return true;
    return false;
}

/// What a time stamp counts: a second has a power of 10 of it, or with the highest bit a power of 2.
Resolution resolution_of(std::uint8_t option) {
    const bool binary = (option & 0x80U) != 0;
    const std::uint64_t base = binary ? 2 : 10;
    const std::uint64_t most = binary ? std::uint64_t{1} << 30 : kNanoseconds;
    Resolution resolution{.ticks = 1};
    for (unsigned i = 0; i < (option & 0x7fU); ++i) {
        std::uint64_t& scale = resolution.ticks < most ? resolution.ticks : resolution.parts;
        scale = scale > UINT64_MAX / base ? UINT64_MAX : scale * base;
    }
    return resolution;
}

std::uint64_t nanoseconds(std::uint64_t stamp, const Resolution& resolution) {
    const std::uint64_t at = stamp / resolution.parts;
    return at / resolution.ticks * kNanoseconds + at % resolution.ticks * kNanoseconds / resolution.ticks;
}

}  // namespace

Reader::Reader(const std::string& file) : file_("'" + file + "'"), in_(file, std::ios::binary) {
    std::uint32_t magic = 0;
    in_.read(reinterpret_cast<char*>(&magic), sizeof magic);
    if (!in_ && errno != 0 && in_.gcount() == 0 && !in_.eof())
        throw std::runtime_error("cannot read " + file_ + ": " + std::strerror(errno) +
                                 "; name a file that `capture start` or --pcap has written.");
    if (in_.gcount() == 0) throw std::runtime_error(file_ + " is empty: nothing has been captured into it.");
    if (is_pcap(magic))
        throw std::runtime_error(file_ +
                                 " is a capture in the older format, which does not say which way "
                                 "frames went. Convert it: editcap -F pcapng " +
                                 file + " NEW.pcapng");
    if (magic != kSection)
        throw std::runtime_error(file_ +
                                 " is no capture: a file of the format pcapng is expected, as `capture "
                                 "start` at a node's prompt, `isoplane run --pcap` and `isoplane sim "
                                 "--pcap` write them.");
    // What is in the stream's buffer can be put back, of a pipe too.
    for (std::size_t i = 0; i < sizeof magic; ++i)
        in_.unget();
}

bool Reader::damaged(const std::string& how) {
    damage_ = file_ + " is damaged after " + std::to_string(blocks_) + " blocks: " + how + ".";
    return false;
}

std::uint16_t Reader::half(std::size_t at) const {
    std::uint16_t value = 0;
    std::memcpy(&value, body_.data() + at, sizeof value);
    return foreign_ ? __builtin_bswap16(value) : value;
}

std::uint64_t Reader::wide(std::size_t at) const {
    std::uint64_t value = 0;
    std::memcpy(&value, body_.data() + at, sizeof value);
    return foreign_ ? __builtin_bswap64(value) : value;
}

std::uint32_t Reader::word(std::size_t at) const {
    std::uint32_t value = 0;
    std::memcpy(&value, body_.data() + at, sizeof value);
    return swapped(value, foreign_);
}

/// Reads the next block's type and body. A section says in its first word which byte order it has.
bool Reader::next_block() {
    std::uint32_t head[3] = {};
    in_.read(reinterpret_cast<char*>(head), sizeof head);
    if (in_.gcount() == 0) return false;
    if (!in_) return damaged("it ends within a block");
    if (head[0] == kSection) {
        foreign_ = head[2] != kByteOrder;
        if (foreign_ && head[2] != __builtin_bswap32(kByteOrder))
            return damaged("the byte order of a section is not one");
    }
    type_ = swapped(head[0], foreign_);
    const std::size_t length = swapped(head[1], foreign_);
    const bool is_read = type_ == kSection || type_ == kInterface || type_ == kPacket;
    if (length < kAround || length % 4 != 0 || (is_read && length > kLongestBlock))
        return damaged("a block of " + std::to_string(length) + " bytes");
    if (length > kLongestBlock) return skip_block(length);
    // The word behind the length is the first of the body; in a block without one, the length again.
    body_.resize(length - 8);
    std::memcpy(body_.data(), &head[2], sizeof head[2]);
    in_.read(reinterpret_cast<char*>(body_.data() + 4), static_cast<std::streamsize>(body_.size() - 4));
    if (!in_) return damaged("it ends within a block");
    if (word(body_.size() - 4) != length) return damaged("a block does not end as it begins");
    body_.resize(body_.size() - 4);
    ++blocks_;
    return true;
}

/// What follows the first word of its body.
bool Reader::skip_block(std::size_t length) {
    in_.ignore(static_cast<std::streamsize>(length - kAround - 4));
    body_.resize(4);
    in_.read(reinterpret_cast<char*>(body_.data()), 4);
    if (!in_) return damaged("it ends within a block");
    if (word(0) != length) return damaged("a block does not end as it begins");
    ++blocks_;
    return true;
}

template <typename Take>
void Reader::for_each_option(std::size_t at, Take take) const {
    while (at + 4 <= body_.size()) {
        const std::uint16_t code = half(at);
        const std::size_t size = half(at + 2);
        at += 4;
        if (code == kEndOfOptions || at + size > body_.size()) return;
        take(code, at, size);
        at += padded(size);
    }
}

bool Reader::add_interface() {
    if (body_.size() < 8) return damaged("an interface without its link type");
    Interface interface { .ethernet = half(0) == kEthernet };
    for_each_option(8, [&](std::uint16_t code, std::size_t at, std::size_t size) {
        if (code == kResolution && size == 1)
            interface.resolution = resolution_of(std::to_integer<std::uint8_t>(body_[at]));
        if (code == kTimeOffset && size == 8) interface.offset = wide(at) * kNanoseconds;
    });
    interfaces_.push_back(interface);
    return true;
}

bool Reader::read_packet(Frame& frame) {
    if (body_.size() < kPacketFixed) return damaged("a packet without its length");
    const std::uint32_t interface = word(0);
    const std::size_t captured = word(12);
    if (interface >= interfaces_.size()) return damaged("a packet of an interface that is not there");
    if (captured > body_.size() - kPacketFixed) return damaged("a packet longer than its block");
    const Interface& of = interfaces_[interface];
    const std::uint64_t when = of.offset + nanoseconds(std::uint64_t{word(4)} << 32 | word(8), of.resolution);
    // Some clocks are so far ahead that only differences fit a Time.
    frame.when = Time{static_cast<Time::rep>(when - first_.value_or(when))};
    if (frame.when > kFarthest || frame.when < -kFarthest) return damaged("a frame decades from the first");
    if (!first_) first_ = when;
    frame.interface = interface;
    frame.cut = captured < word(16);
    frame.direction = Direction::kUnknown;
    for_each_option(kPacketFixed + padded(captured),
                    [&](std::uint16_t code, std::size_t at, std::size_t size) {
                        if (code != kFlags || size != 4) return;
                        const std::uint32_t way = word(at) & kDirectionBits;
                        if (way == kInbound) frame.direction = Direction::kIn;
                        if (way == kOutbound) frame.direction = Direction::kOut;
                    });
    const auto* const bytes = body_.data() + kPacketFixed;
    frame.bytes.assign(bytes, bytes + captured);
    if (!of.ethernet) frame.bytes.clear();
    return true;
}

bool Reader::next(Frame& frame) {
    while (damage_.empty() && next_block()) {
        if (type_ == kSection) interfaces_.clear();
        if (type_ == kInterface && !add_interface()) return false;
        if (type_ == kPacket) return read_packet(frame);
    }
    return false;
}

}  // namespace isoplane::capture
