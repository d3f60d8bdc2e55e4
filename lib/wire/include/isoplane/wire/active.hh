// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Active messages: requests to call a function at another node, and the replies to them.
///
/// All begin with the same header. Requests and replies of words have four words behind it; a transfer has
/// where its data goes, and a part of it; a get has four words that say what is wanted and where. What only
/// tells that a request is done with has nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <isoplane/wire/byte_order.hh>

namespace isoplane::wire {

inline constexpr std::size_t kActiveHeaderSize = 20;
inline constexpr std::size_t kActiveWords = 4;
inline constexpr std::size_t kActiveWordsSize = kActiveWords * sizeof(std::uint64_t);
inline constexpr std::size_t kActiveTransferSize = 24;
/// Requests of one node to another that may be without an answer at a time.
inline constexpr unsigned kActiveSlots = 64;

enum class ActiveType : std::uint8_t {
    kRequest = 1,      ///< of words
    kRequestTransfer,  ///< of data, which goes to the receiver's memory
    kGet,              ///< of data of the receiver's, with a reply that nobody has to write
    kReply,
    kReplyTransfer,
    kAcknowledgement,  ///< its handler has not replied
    kRefusal,          ///< it has not been handled
};
constexpr bool is_request(ActiveType type) {
    return type <= ActiveType::kGet;
}

namespace active_layout {
using Type = Field<std::uint8_t, 0>;
using Convention = Field<std::uint8_t, 1>;
using Slot = Field<std::uint8_t, 2>;
using Reason = Field<std::uint8_t, 3>;
using Program = Field<std::uint16_t, 4>;
using Number = Field<std::uint16_t, 6>;
using Life = Field<std::uint32_t, 8>;
using Image = Field<std::uint32_t, 12>;
using Offset = Field<std::uint32_t, 16>;
static_assert(Offset::kEnd == kActiveHeaderSize);
}  // namespace active_layout

namespace active_transfer_layout {
using Argument = Field<std::uint64_t, 0>;
using Address = Field<std::uint64_t, 8>;
using Size = Field<std::uint32_t, 16>;
using At = Field<std::uint32_t, 20>;
static_assert(At::kEnd == kActiveTransferSize);
}  // namespace active_transfer_layout

/// Where a function is: in which executable file or library, and how far from where that begins.
struct FunctionName {
    std::uint32_t image = 0;  ///< made from the build id of the file
    std::uint32_t offset = 0;

    bool operator==(const FunctionName&) const = default;
};

struct ActiveHeader {
    ActiveType type = ActiveType::kRequest;
    std::uint8_t convention = 0;  ///< how the function is called
    std::uint8_t slot = 0;        ///< of the requester's: the answer has it, the number and the life again
    std::uint8_t reason = 0;      ///< of a refusal
    std::uint16_t program = 0;    ///< that the message belongs to, among those of the job on a node
    std::uint16_t number = 0;     ///< of the request, among those of its slot
    std::uint32_t life = 0;       ///< of the requester
    FunctionName handler{};
};

struct ActiveTransfer {
    std::uint64_t argument = 0;
    std::uint64_t address = 0;  ///< of the whole, in the receiver's memory
    std::uint32_t size = 0;     ///< of the whole
    std::uint32_t at = 0;       ///< where this part of it begins
};

/// A message that came. Of words and transfer only what its type has is there.
struct ActiveMessage {
    ActiveHeader header;
    std::array<std::uint64_t, kActiveWords> words;
    ActiveTransfer transfer;
    std::span<const std::byte> data;  ///< of a transfer

    bool ends() const { return transfer.at + data.size() == transfer.size; }
};

inline void encode_active(std::span<std::byte, kActiveHeaderSize> out, const ActiveHeader& header) {
    std::byte* at = out.data();
    active_layout::Type::put(at, static_cast<std::uint8_t>(header.type));
    active_layout::Convention::put(at, header.convention);
    active_layout::Slot::put(at, header.slot);
    active_layout::Reason::put(at, header.reason);
    active_layout::Program::put(at, header.program);
    active_layout::Number::put(at, header.number);
    active_layout::Life::put(at, header.life);
    active_layout::Image::put(at, header.handler.image);
    active_layout::Offset::put(at, header.handler.offset);
}

inline void encode_active_words(std::span<std::byte, kActiveWordsSize> out,
                                const std::array<std::uint64_t, kActiveWords>& words) {
    for (std::size_t i = 0; i < kActiveWords; ++i)
        Field<std::uint64_t, 0>::put(out.data() + i * sizeof(std::uint64_t), words[i]);
}

inline void encode_active_transfer(std::span<std::byte, kActiveTransferSize> out,
                                   const ActiveTransfer& transfer) {
    std::byte* at = out.data();
    active_transfer_layout::Argument::put(at, transfer.argument);
    active_transfer_layout::Address::put(at, transfer.address);
    active_transfer_layout::Size::put(at, transfer.size);
    active_transfer_layout::At::put(at, transfer.at);
}

/// Nothing when it is malformed: unknown type, no such slot, too short or too long, or a part that is not
/// within its whole.
std::optional<ActiveMessage> decode_active(std::span<const std::byte> message);

}  // namespace isoplane::wire
