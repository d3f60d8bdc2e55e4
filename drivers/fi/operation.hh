// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <sys/uio.h>

#include <array>
#include <isoplane/portals/interface.hh>
#include <span>

#include "info.hh"

namespace isoplane::fi {

/// What the portals of an endpoint are for.
enum Portal : portals::Index {
    kMessages,
    kTagged,
    kOffers,    ///< long messages that found no buffer, for who has one then
    kMemory,    ///< regions, by their keys
    kRequests,  ///< of atomic operations
    kResults,   ///< of the same
};

/// Whose a memory descriptor is stands in its user pointer, so that events name it; and not by its address,
/// as an event may come when its owner is gone.
enum class Owner : std::uint32_t { kNobody, kOperation, kReceive, kShelf, kRegion };

inline void* mark(Owner owner, std::uint32_t which) {
    return reinterpret_cast<void*>(std::uintptr_t{static_cast<std::uint32_t>(owner)} << 32 | which);
}
inline Owner owner_of(const portals::Event& event) {
    return static_cast<Owner>(reinterpret_cast<std::uintptr_t>(event.spec.user_ptr) >> 32);
}
inline std::uint32_t which_of(const portals::Event& event) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(event.spec.user_ptr));
}

/// What goes with a message beside its data: remote CQ data, and the name of the offer that a long one is.
struct Extra {
    bool has_data = false;
    std::uint32_t data = 0;
    portals::Handle offer = portals::kNone;

    static constexpr std::uint64_t kHasData = std::uint64_t{1} << 31;
    /// In the name of an offer: who offers it waits until it has been received, and told so by a request for
    /// nothing. The handles that they are named by, of the kind kInterface, do not have it.
    static constexpr portals::Handle kAwaited =
        portals::HandleParts{portals::Kind::kDescriptor, 0, 0, 0}.pack();

    bool is_awaited() const { return offer != portals::kNone && (offer & kAwaited) != 0; }

    std::uint64_t pack() const {
        return std::uint64_t{data} << 32 | (has_data ? kHasData : 0) | (offer & ~std::uint32_t{kHasData});
    }
    static Extra unpack(std::uint64_t word) {
        return {.has_data = (word & kHasData) != 0,
                .data = static_cast<std::uint32_t>(word >> 32),
                .offer = static_cast<std::uint32_t>(word & (kHasData - 1))};
    }
};

/// Why nothing more of an offer is asked for: the offset of the request for nothing that says so.
enum class Refusal : portals::Size {
    kEnough,  ///< it has been received, or is not wanted
    kGone,    ///< the endpoint that it was for is closed
};

/// The segments of an operation, as Portals have them.
struct Segments {
    explicit Segments(std::span<const iovec> from) : count(std::min(from.size(), kSegments)) {
        for (std::size_t i = 0; i < count; ++i) {
            all[i] = {from[i].iov_base, from[i].iov_len};
            length += from[i].iov_len;
        }
    }

    std::size_t count;
    std::size_t length = 0;  ///< bytes
    std::array<portals::Segment, kSegments> all{};

    portals::Pieces pieces() { return {{all.data(), count}, 0, length}; }
    void fill(portals::MdSpec& spec) {
        if (count == 1) {
            spec.start = all[0].base;
            spec.length = all[0].length;
        } else {
            spec.start = all.data();
            spec.length = count;
            spec.options |= portals::kIovec;
        }
    }
};

/// What a call says of what it could not have.
inline int error_of(portals::Status status) {
    using portals::Status;
    if (status == Status::kOk) return 0;
    return status == Status::kNoSpace || status == Status::kMeListTooLong ? -FI_EAGAIN : -FI_EINVAL;
}

/// The job id of answers for an endpoint that is closed. All others have 0.
inline constexpr portals::Jid kClosed = 1;

/// A flag of ours, which none of libfabric's has: the call tells of success by nothing.
inline constexpr std::uint64_t kSilent = std::uint64_t{1} << 61;

/// Something that this endpoint asks of another.
struct Operation : portals::Slot {
    enum class Kind : std::uint8_t {
        kSend,   ///< short enough to be kept by a receiver that does not wait for it
        kOffer,  ///< a longer message
        kWrite,
        kRead,
        kAtomic,
        kAnswer,  ///< to an atomic operation of the other
    };
    static constexpr std::size_t kRoom = 1152;

    void clear() noexcept {}

    Kind kind{};
    bool reports = false;     ///< its user wants a completion
    bool awaits_ack = false;  ///< and not only to be sent
    bool has_left = false;    ///< SEND_END is there
    bool is_doomed = false;   ///< the other has died
    void* context = nullptr;
    std::uint64_t flags = 0;  ///< of its completion
    portals::Nid to = 0;
    portals::Handle md = portals::kInvalid;  ///< its own, if it has one
    /// Data that its user may change at once, requests, and answers.
    alignas(16) std::byte room[kRoom];
};

/// Somewhere that a message may go.
struct Receive : portals::Slot {
    void clear() noexcept {}

    void* context = nullptr;
    std::uint64_t flags = 0;  ///< of its completion
    bool reports = false;
    bool is_multi = false;                      ///< takes messages until it is full
    bool is_fetching = false;                   ///< asks for a message that was there before it
    bool is_full = false;                       ///< of those that take several: no more will come
    int error = 0;                              ///< why it is to end as soon as nothing is written to it
    unsigned parts = 0;                         ///< messages that are being fetched into it
    portals::Handle whole = portals::kInvalid;  ///< of which this is a part
    portals::ProcessId from = portals::kAnyone;
    portals::Handle md = portals::kInvalid;
    void* buffer = nullptr;
    // Of the message that is fetched.
    portals::Bits bits = 0;
    std::uint64_t extra = 0;
    portals::Size length = 0;
};

}  // namespace isoplane::fi
