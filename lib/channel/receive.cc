// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/channel/channels.hh>

namespace isoplane::channel {

/// Releases the message in any case: what a channel holds costs its sender no credit at the NIU.
void Channels::arrive(const niu::Received& message) noexcept {
    const auto header = message.whole() ? wire::decode_channel(message.data) : std::nullopt;
    if (!header) return drop(message, Drop::kMalformed);
    if (header->type != wire::kChannelType) return drop(message, Drop::kBadType);
    if (header->channel >= channels_.size()) return drop(message, Drop::kBadChannel);
    switch (header->subtype) {
        case wire::ChannelSubtype::kDatagram:
        case wire::ChannelSubtype::kReliable:
            return deliver(message, *header);
        case wire::ChannelSubtype::kAsk:
        case wire::ChannelSubtype::kGrant:
            break;
        default:
            return drop(message, Drop::kBadSubtype);
    }
    const auto life = wire::decode_channel_life(message.data);
    if (!life) return drop(message, Drop::kMalformed);
    if (header->subtype == wire::ChannelSubtype::kAsk) {
        on_ask(message.source, *header, *life);
    } else {
        on_grant(message.source, *header, *life);
    }
    endpoint_.release(message);
}

/// One with credit has room; any other takes what nobody has been promised.
void Channels::deliver(const niu::Received& message, const wire::ChannelHeader& header) noexcept {
    Channel& channel = channels_[header.channel];
    Promise& promise = channel.promises[message.source];
    const bool promised = header.subtype == wire::ChannelSubtype::kReliable && promise.expects(header.number);
    if (!promised && !has_room(channel)) return drop(message, Drop::kFull);
    Record& record = append(header.channel);
    record.packet = message.share();
    const auto data = message.data.subspan(wire::kChannelHeaderSize);
    record.data = {const_cast<std::byte*>(data.data()), data.size()};
    record.source = message.source;
    record.alone = message.alone;
    record.promised = promised;
    if (promised) {
        promise.arrived();
        owe(header.channel, message.source);
    } else {
        ++channel.datagrams;
    }
    endpoint_.release(message);
}

/// A message at the end of a channel's.
Channels::Record& Channels::append(ChannelId channel) noexcept {
    const Id id = new_record();
    records_[id].channel = channel;
    channels_[channel].ready.push(id);
    return records_[id];
}

void Channels::drop(const niu::Received& message, Drop why) noexcept {
    count_drop(why);
    endpoint_.release(message);
}

void Channels::count_drop(Drop why, std::uint64_t messages) noexcept {
    if (!options_.planted.forget_drops) counters_.dropped[static_cast<std::size_t>(why)].add(messages);
}

unsigned Channels::waiting(ChannelId channel) const noexcept {
    const Channel& from = channels_[channel];
    if (!from.open) return 0;
    return std::min(static_cast<unsigned>(from.ready.size()), options_.slots - from.in_hand);
}

Buffer Channels::receive(ChannelId channel) noexcept {
    if (waiting(channel) == 0) return {};
    Channel& from = channels_[channel];
    const Id id = from.ready.front();
    from.ready.pop();
    ++from.in_hand;
    Record& record = records_[id];
    record.received = record.in_hand = true;
    counters_.received.add();
    return Buffer(*this, id, record.source, record.data);
}

}  // namespace isoplane::channel
