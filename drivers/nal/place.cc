// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <sys/uio.h>

#include <array>
#include <isoplane/nal/place.hh>

namespace isoplane::nal {

using portals::Size;

namespace {

constexpr std::size_t kMostPieces = 16;

void* pointer(std::uint64_t address) {
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

}  // namespace

/// The seal comes last: if it is still there, so was all that was copied before it. It is also what tells the
/// process from another that has its number by now, or on another machine.
Size read(const Place& place, Size from, const portals::Pieces& to) noexcept {
    std::array<iovec, kMostPieces + 1> here;
    std::size_t pieces = 0;
    Size size = 0;
    to.for_each([&](std::span<std::byte> piece) {
        if (pieces == kMostPieces) return;
        here[pieces++] = {piece.data(), piece.size()};
        size += piece.size();
    });
    std::uint64_t seal = 0;
    here[pieces++] = {&seal, sizeof seal};
    const std::array<iovec, 2> there{iovec{pointer(place.address + from), static_cast<std::size_t>(size)},
                                     iovec{pointer(place.seal_at), sizeof seal}};
    const ssize_t copied = process_vm_readv(static_cast<pid_t>(place.process), here.data(), pieces,
                                            there.data(), there.size(), 0);
    const bool all = copied == static_cast<ssize_t>(size + sizeof seal);
    return all && seal == place.seal ? size : 0;
}

}  // namespace isoplane::nal
