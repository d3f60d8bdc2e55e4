// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/runtime/edge.hh>

namespace isoplane::runtime {

std::uint16_t Input::receive_with_care(rte_mbuf** packets, std::uint16_t room) noexcept {
    if (needs(kClosed)) return 0;
    const std::uint16_t n = do_receive(packets, room);
    if (n == 0) return 0;
    count(n);
    if (needs(kByteCount)) count_bytes(total_length(packets, n));
    if (needs(kTap)) {
        tap().see(packets, n);
        tap().settle(n);
    }
    return n;
}

std::uint16_t Output::send_with_care(rte_mbuf** packets, std::uint16_t n) noexcept {
    if (n == 0) return 0;
    // Looked at before they leave: afterwards they are no longer ours to read.
    if (needs(kTap)) tap().see(packets, n);
    const std::uint64_t offered = needs(kByteCount) ? total_length(packets, n) : 0;
    const std::uint16_t sent = do_send(packets, n);
    count(sent);
    if (needs(kByteCount)) {
        const auto kept = static_cast<std::uint16_t>(n - sent);
        count_bytes(offered - total_length(packets + sent, kept));
    }
    if (needs(kTap)) tap().settle(sent);
    return sent;
}

}  // namespace isoplane::runtime
