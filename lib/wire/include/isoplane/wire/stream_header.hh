// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// The headers of the data frames from one node to another: all but a few fields are the same in each of
/// them. So they are written from a template, and one that has come is compared with a template instead of
/// being taken apart. What does not fit it is not wrong, but for decode() to judge.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <isoplane/wire/byte_order.hh>
#include <isoplane/wire/crc_words.hh>
#include <isoplane/wire/ethernet.hh>
#include <isoplane/wire/frame.hh>

namespace isoplane::wire {

/// What differs between two frames of a stream; as in Header. Not initialised by itself: a burst of them is
/// made for each poll.
struct StreamFields {
    std::uint32_t sequence;
    std::uint32_t ack;
    std::uint64_t selective;
    std::uint32_t credit;
    std::uint16_t payload_length;
    std::uint32_t payload_crc;
};

class StreamHeader {
  public:
    /// Of a stream that no frame belongs to.
    StreamHeader() = default;

    /// Of data frames with the constant fields of `header`.
    StreamHeader(const MacAddress& destination, const MacAddress& source, std::uint16_t ethertype,
                 const Header& header);

    /// Writes Ethernet's header where a packet's data begins.
    void write_ethernet(std::byte* packet) const noexcept {
        std::memcpy(packet, envelope_.data(), envelope_.size());
    }

    /// Writes that, and the frame's header `Front` bytes behind the packet's beginning.
    template <std::size_t Front = kEthernetSize>
    void write(std::byte* packet, const StreamFields& fields) const noexcept {
        write_ethernet(packet);
        std::byte* const out = packet + Front;
        const std::uint64_t numbers = network_order(std::uint64_t{fields.sequence} << 32 | fields.ack);
        const std::uint64_t selective = network_order(fields.selective);
        const std::uint64_t rest = network_order(std::uint64_t{fields.credit} << 32 |
                                                 std::uint64_t{fields.payload_length} << 16 | peer_epoch_);
        const std::uint32_t payload_crc = network_order(fields.payload_crc);
        CrcOfWords crc(crc_);
        crc.add(numbers);
        crc.add(selective);
        crc.add(rest);
        crc.add(payload_crc);
        put<0>(out, first_);
        put<8>(out, second_);
        put<16>(out, numbers);
        put<24>(out, selective);
        put<32>(out, rest);
        put<40>(out, payload_crc);
        put<44>(out, network_order(crc.value()));
    }

    /// Whether what stands there, all of it readable, is of this stream and intact; then reads the fields.
    /// The payload is not looked at. Who sends is told by Ethernet's header where nothing else is in front of
    /// the frame.
    template <std::size_t Front = kEthernetSize>
    bool read(const std::byte* packet, StreamFields& fields) const noexcept {
        const std::byte* const in = packet + Front;
        if ((Front == kEthernetSize &&
             get<std::uint64_t, kSender>(packet) != get<std::uint64_t, kSender>(envelope_.data())) ||
            get<std::uint64_t, 0>(in) != first_ || get<std::uint64_t, 8>(in) != second_) [[unlikely]]
            return false;
        const auto numbers = get<std::uint64_t, 16>(in);
        const auto selective = get<std::uint64_t, 24>(in);
        const auto rest = get<std::uint64_t, 32>(in);
        const auto payload_crc = get<std::uint32_t, 40>(in);
        CrcOfWords crc(crc_);
        crc.add(numbers);
        crc.add(selective);
        crc.add(rest);
        crc.add(payload_crc);
        const std::uint64_t numbers_read = network_order(numbers);
        const std::uint64_t rest_read = network_order(rest);
        if (frame_layout::HeaderCrc::get(in) != crc.value() ||
            static_cast<std::uint16_t>(rest_read) != peer_epoch_) [[unlikely]]
            return false;
        fields = {.sequence = static_cast<std::uint32_t>(numbers_read >> 32),
                  .ack = static_cast<std::uint32_t>(numbers_read),
                  .selective = network_order(selective),
                  .credit = static_cast<std::uint32_t>(rest_read >> 32),
                  .payload_length = static_cast<std::uint16_t>(rest_read >> 16),
                  .payload_crc = network_order(payload_crc)};
        return true;
    }

  private:
    /// Where the sender's address and the EtherType stand, next to each other.
    static constexpr std::size_t kSender = ethernet_layout::kSource;
    static_assert(kSender + sizeof(std::uint64_t) == kEthernetSize);

    template <typename T, std::size_t Offset>
    static T get(const std::byte* base) noexcept {
        T word;
        std::memcpy(&word, base + Offset, sizeof word);
        return word;
    }

    /// A store of its own, never merged with its neighbours: what reads it back in words would otherwise wait
    /// until all stores before have left the core.
    template <std::size_t Offset, typename T>
    static void put(std::byte* base, T word) noexcept {
        using Unaligned [[gnu::may_alias, gnu::aligned(1)]] = T;
        *reinterpret_cast<volatile Unaligned*>(base + Offset) = word;
    }

    std::array<std::byte, kEthernetSize> envelope_{};
    std::uint16_t peer_epoch_ = 0;
    std::uint32_t crc_ = 0;    ///< of the first two words of the header
    std::uint64_t first_ = 0;  ///< as it stands in memory; no header begins with 0
    std::uint64_t second_ = 0;
};

}  // namespace isoplane::wire
