// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/wire/stream_header.hh>

namespace isoplane::wire {

StreamHeader::StreamHeader(const MacAddress& destination, const MacAddress& source, std::uint16_t ethertype,
                           const Header& header)
    : peer_epoch_(header.peer_epoch) {
    encode_ethernet(envelope_, destination, source, ethertype);
    std::array<std::byte, kHeaderSize> whole;
    encode_header(whole, header);
    first_ = get<std::uint64_t, 0>(whole.data());
    second_ = get<std::uint64_t, 8>(whole.data());
    static_assert(frame_layout::Epoch::kEnd == 16 && frame_layout::Sequence::kOffset == 16 &&
                  frame_layout::Ack::kOffset == 20 && frame_layout::Selective::kOffset == 24 &&
                  frame_layout::Credit::kOffset == 32 && frame_layout::PayloadLength::kOffset == 36 &&
                  frame_layout::PeerEpoch::kOffset == 38 && frame_layout::PayloadCrc::kOffset == 40 &&
                  frame_layout::HeaderCrc::kOffset == 44);
    CrcOfWords crc;
    crc.add(first_);
    crc.add(second_);
    crc_ = crc.value();
}

}  // namespace isoplane::wire
