// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <array>
#include <isoplane/channel/channels.hh>

namespace isoplane::channel {

/// Asks for credit when it is time to.
bool Channels::may_send(NodeId to, ChannelId channel) noexcept {
    Claim& claim = channels_[channel].claims[to];
    claim.is_to(endpoint_.epoch(to));
    if (claim.covers_next() || options_.planted.ignore_credit) [[likely]]
        return true;
    if (!claim.refused()) return false;
    const wire::ChannelHeader question{.subtype = wire::ChannelSubtype::kAsk,
                                       .channel = static_cast<std::uint8_t>(channel),
                                       .number = claim.next()};
    if (send_credit(to, question, options_.life)) claim.asked();
    return false;
}

/// One who asks again has missed the answer, or asks in another life; of which messages of the last may still
/// be here, and have their room.
void Channels::on_ask(NodeId from, const wire::ChannelHeader& header, std::uint32_t life) noexcept {
    Channel& channel = channels_[header.channel];
    Promise& promise = channel.promises[from];
    const bool asks_first = !promise.begun();
    if (!promise.is_of(life)) promise.begin(life, header.number);
    if (promise.reserved) return owe(header.channel, from, true);
    if (asks_first) channel.askers.push(from);
    reserve(header.channel);
}

void Channels::on_grant(NodeId from, const wire::ChannelHeader& header, std::uint32_t life) noexcept {
    if (life == options_.life) channels_[header.channel].claims[from].grant(header.number);
}

/// Room for those who have asked, as far as there is enough that no message is in.
void Channels::reserve(ChannelId number) noexcept {
    Channel& channel = channels_[number];
    while (!channel.askers.empty() && channel.datagrams + channel.reserved + window_ <= options_.capacity()) {
        const NodeId node = channel.askers.front();
        channel.askers.pop();
        channel.reserved += window_;
        channel.promises[node].reserved = true;
        owe(number, node);
    }
}

void Channels::owe(ChannelId number, NodeId node, bool again) noexcept {
    Promise& promise = channels_[number].promises[node];
    if (promise.owed || !(again || promise.worth_telling(window_)) || options_.planted.keep_credit) return;
    promise.owed = true;
    owed_.push({number, node});
}

/// What cannot be told now stays owed. Returns whether any was told.
bool Channels::tell() noexcept {
    bool told = false;
    for (std::size_t n = owed_.size(); n > 0; --n) {
        const Owed owed = owed_.front();
        owed_.pop();
        Promise& promise = channels_[owed.channel].promises[owed.node];
        const std::uint32_t limit = promise.limit(window_);
        const wire::ChannelHeader grant{.subtype = wire::ChannelSubtype::kGrant,
                                        .channel = static_cast<std::uint8_t>(owed.channel),
                                        .number = limit};
        if (send_credit(owed.node, grant, promise.life())) {
            promise.told(limit);
            promise.owed = false;
            told = true;
        } else {
            owed_.push(owed);
        }
    }
    return told;
}

bool Channels::send_credit(NodeId to, const wire::ChannelHeader& header, std::uint32_t life) noexcept {
    std::array<std::byte, wire::kChannelCreditSize> message;
    wire::encode_channel_credit(message, header, life);
    return endpoint_.send(to, message);
}

}  // namespace isoplane::channel
