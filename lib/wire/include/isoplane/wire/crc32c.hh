// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// CRC32C (Castagnoli): the checksum of frame headers and payloads.
///
/// - reflected polynomial 0x82F63B78, initial value and final exclusive-or of all ones, as in iSCSI and SCTP;
///   the checksum of nothing is 0;
/// - computed by the CPU's instruction where it has one (SSE4.2, found at start-up unless compiled in; ARMv8
///   CRC when compiled for it), three streams at a time for long inputs, else by eight tables of 256 entries;
/// - from 256 bytes on by carry-less multiplication of 256 or 512 bits, where the CPU has that, too
/// (VPCLMULQDQ);
/// - the implementations give equal results and differ in speed only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace isoplane::wire {

/// Checksum of a concatenation: `crc` is the checksum of what came before (0 for nothing), the result that of
/// both.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t crc = 0);

/// The same, and copies the bytes to `to` on the way, which costs no more: a word is stored while the next is
/// added. The two places do not overlap.
[[gnu::hot]] std::uint32_t copy_crc32c(std::byte* to, std::span<const std::byte> bytes,
                                       std::uint32_t crc = 0);

/// The table-driven implementation, whatever the CPU can do.
std::uint32_t crc32c_software(std::span<const std::byte> bytes, std::uint32_t crc = 0);

/// Whether this CPU, and this build, have the instruction.
bool crc32c_has_hardware();

/// The implementation by instruction. Only to be called when crc32c_has_hardware().
[[gnu::hot]] std::uint32_t crc32c_hardware(std::span<const std::byte> bytes, std::uint32_t crc = 0);

}  // namespace isoplane::wire
