// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/wire/active.hh>

namespace isoplane::wire {

namespace {

using Word = std::uint64_t;

bool decode_header(std::span<const std::byte> message, ActiveHeader& header) {
    if (message.size() < kActiveHeaderSize) return false;
    const std::byte* at = message.data();
    const std::uint8_t type = active_layout::Type::get(at);
    if (type < static_cast<std::uint8_t>(ActiveType::kRequest) ||
        type > static_cast<std::uint8_t>(ActiveType::kRefusal))
        return false;
    header = {.type = static_cast<ActiveType>(type),
              .convention = active_layout::Convention::get(at),
              .slot = active_layout::Slot::get(at),
              .reason = active_layout::Reason::get(at),
              .program = active_layout::Program::get(at),
              .number = active_layout::Number::get(at),
              .life = active_layout::Life::get(at),
              .handler = {active_layout::Image::get(at), active_layout::Offset::get(at)}};
    return header.slot < kActiveSlots;
}

bool decode_words(std::span<const std::byte> body, ActiveMessage& message) {
    if (body.size() != kActiveWordsSize) return false;
    for (std::size_t i = 0; i < kActiveWords; ++i)
        message.words[i] = Field<Word, 0>::get(body.data() + i * sizeof(Word));
    return true;
}

bool decode_transfer(std::span<const std::byte> body, ActiveMessage& message) {
    if (body.size() < kActiveTransferSize) return false;
    const std::byte* at = body.data();
    message.transfer = {.argument = active_transfer_layout::Argument::get(at),
                        .address = active_transfer_layout::Address::get(at),
                        .size = active_transfer_layout::Size::get(at),
                        .at = active_transfer_layout::At::get(at)};
    message.data = body.subspan(kActiveTransferSize);
    return message.transfer.at <= message.transfer.size &&
           message.data.size() <= message.transfer.size - message.transfer.at;
}

}  // namespace

std::optional<ActiveMessage> decode_active(std::span<const std::byte> bytes) {
    std::optional<ActiveMessage> decoded(std::in_place);
    ActiveMessage& message = *decoded;
    if (!decode_header(bytes, message.header)) return std::nullopt;
    const std::span<const std::byte> body = bytes.subspan(kActiveHeaderSize);
    bool well_formed = false;
    switch (message.header.type) {
        case ActiveType::kRequest:
        case ActiveType::kGet:
        case ActiveType::kReply:
            well_formed = decode_words(body, message);
            break;
        case ActiveType::kRequestTransfer:
        case ActiveType::kReplyTransfer:
            well_formed = decode_transfer(body, message);
            break;
        case ActiveType::kAcknowledgement:
        case ActiveType::kRefusal:
            well_formed = body.empty();
            break;
    }
    if (!well_formed) decoded.reset();
    return decoded;
}

}  // namespace isoplane::wire
