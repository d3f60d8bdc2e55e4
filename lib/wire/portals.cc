// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/wire/portals.hh>

namespace isoplane::wire {

namespace {

constexpr std::uint8_t kMostType = 4;

/// Bytes of data that belong to a begin.
std::uint64_t payload_of(const std::byte* begin, std::uint8_t type) {
    switch (type) {
        case 1:
        case 4:
            return portals_begin_layout::Length::get(begin);
        case 3:
            return portals_more_layout::Moved::get(begin + kPortalsBeginSize);
        default:
            return 0;
    }
}

constexpr bool are_flags(std::uint8_t flags) {
    return flags <= kPortalsRestWaits || flags == (kPortalsRestWaits | kPortalsInMemory);
}

bool is_begin(std::span<const std::byte> message) {
    using namespace portals_begin_layout;
    const std::byte* const at = message.data();
    if (message.size() < kPortalsBeginSize || Reserved::get(at) != 0) return false;
    const std::uint8_t type = Type::get(at);
    const std::uint8_t flags = Flags::get(at);
    if (type > kMostType || !are_flags(flags)) return false;
    const std::size_t size = portals_begin_size(type, flags);
    if (message.size() < size) return false;
    if (size > kPortalsBeginSize && portals_more_layout::Reserved::get(at + kPortalsBeginSize) != 0)
        return false;
    if ((flags & kPortalsInMemory) != 0 &&
        portals_memory_layout::Reserved::get(at + kPortalsBeginSize + kPortalsMoreSize) != 0)
        return false;
    const std::uint64_t payload = payload_of(at, type);
    const std::size_t here = message.size() - size;
    return flags == 0 ? here == payload : here < payload;
}

}  // namespace

bool is_portals_message(std::span<const std::byte> message) {
    const std::byte* const at = message.data();
    if (message.size() < kPortalsDoneSize) return false;
    switch (static_cast<PortalsKind>(portals_layout::Kind::get(at))) {
        case PortalsKind::kBegin:
            return is_begin(message);
        case PortalsKind::kPull: {
            using namespace portals_pull_layout;
            return message.size() == kPortalsPullSize && Reserved::get(at) == 0 && Reserved2::get(at) == 0 &&
                   Length::get(at) != 0 && Reserved3::get(at) == 0;
        }
        case PortalsKind::kDone: {
            using namespace portals_done_layout;
            return message.size() == kPortalsDoneSize && Reserved::get(at) == 0 && Reserved2::get(at) == 0;
        }
    }
    return false;
}

}  // namespace isoplane::wire
