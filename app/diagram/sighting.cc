// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "diagram/sighting.hh"

#include <algorithm>
#include <isoplane/wire/hello.hh>
#include <isoplane/wire/message.hh>
#include <isoplane/wire/run.hh>
#include <isoplane/wire/token.hh>
#include <utility>

#include "capture/any_frame.hh"

namespace isoplane::diagram {

namespace {

std::vector<Message> read_messages(const wire::Decoded& decoded) {
    std::vector<Message> messages;
    wire::MessageCursor cursor(decoded.payload);
    wire::OrderedReader reader;
    for (wire::Message message; cursor.next_valid(message);) {
        if (!wire::is_ordered(message.header.protocol)) continue;
        const auto [place, data] = reader.read(message);
        messages.push_back({.issuer = place.host,
                            .isochron = place.isochron,
                            .pulse = place.pulse,
                            .rank = place.rank,
                            .size = static_cast<std::uint32_t>(data.size())});
    }
    return messages;
}

/// Tokens in short in front of a whole one, each seen on a few links.
constexpr std::size_t kMostUnread = 64 * wire::kWholeEvery;

std::optional<TokenPart> read_token(std::span<const std::byte> payload, NodeId from) {
    const auto view = wire::TokenView::parse(payload, capture::kAnyNode);
    if (!view) return std::nullopt;
    const wire::Token token = view->token();
    TokenPart part{
        .number = token.number, .part = token.part, .last_part = token.last_part, .further = token.further};
    for (std::size_t i = 0; i < view->size(); ++i) {
        const wire::TokenEntry entry = view->entry(i);
        if (entry.destination == wire::kEveryHost && entry.source == from) part.group_word = entry.value;
    }
    return part;
}

}  // namespace

void Observer::see(const capture::Frame& frame) {
    first_ = frames_ == 0 ? frame.when : std::min(first_, frame.when);
    ++frames_;
    const capture::AnyFrame any = capture::read_any(frame.bytes);
    if (any.decoded.reason == wire::Reject::kNotOurs || frame.bytes.empty()) return;
    if (!any.decoded) {
        ++damaged_;
    } else if (job_key_.value_or(any.job_key) != any.job_key) {
        ++foreign_;
    } else {
        job_key_ = any.job_key;
        ++ours_;
        take(frame, any.header_crc, any.decoded);
    }
}

void Observer::take(const capture::Frame& frame, std::uint32_t header_crc, const wire::Decoded& decoded) {
    const wire::Header& header = decoded.header;
    if (header.kind == wire::Kind::kHello || header.kind == wire::Kind::kHelloAck)
        nodes_[header.source] = wire::decode_hello(decoded.payload)->name;
    Sighting sighting{.when = frame.when,
                      .interface = frame.interface,
                      .direction = frame.direction,
                      .key = {.from = header.source,
                              .to = header.destination,
                              .epoch = header.epoch,
                              .sequence = header.sequence,
                              .header_crc = header_crc,
                              .payload_crc = header.payload_crc},
                      .messages = {}};
    if (header.destination == wire::kBroadcast) return;
    if (header.kind == wire::Kind::kToken) sighting.token = read_token(decoded.payload, header.source);
    if (header.kind == wire::Kind::kData) {
        sighting.messages = read_messages(decoded);
        keep_tokens(sighting, decoded.payload);
    }
    if (!sighting.messages.empty() || sighting.token) keep(std::move(sighting));
}

/// Those that go along with the messages of a frame, each as if it were in a frame of its own.
void Observer::keep_tokens(const Sighting& frame, std::span<const std::byte> payload) {
    Stream& stream = streams_[{frame.key.from, frame.key.to, frame.key.epoch}];
    wire::MessageCursor cursor(payload);
    for (wire::Message message; cursor.next_valid(message);) {
        if (message.header.protocol != wire::Protocol::kToken) continue;
        if (const auto along = stream.reader.read(message.body)) {
            keep_token(frame, *along);
            for (const Stream::Unread& earlier : std::exchange(stream.unread, {}))
                keep_token(earlier.frame, *stream.reader.read(earlier.message));
        } else if (message.body.size() == wire::kShortTokenSize && stream.unread.size() < kMostUnread) {
            Stream::Unread& unread =
                stream.unread.emplace_back(Stream::Unread{.frame = frame, .message = {}});
            std::ranges::copy(message.body, unread.message.begin());
        }
    }
}

void Observer::keep_token(Sighting sighting, const wire::AlongReader::Along& along) {
    sighting.token = read_token(along.token, along.origin.from);
    if (!sighting.token) return;
    sighting.messages.clear();
    sighting.key.from = along.origin.from;
    sighting.key.to = along.origin.to;
    sighting.key.epoch = along.origin.epoch;
    sighting.key.sequence = static_cast<std::uint32_t>(sighting.token->number);
    keep(std::move(sighting));
}

void Observer::keep(Sighting sighting) {
    nodes_[sighting.key.from];
    nodes_[sighting.key.to];
    sightings_.push_back(std::move(sighting));
}

std::vector<Sighting> Observer::sightings() && {
    std::stable_sort(sightings_.begin(), sightings_.end(),
                     [](const Sighting& a, const Sighting& b) { return a.when < b.when; });
    return std::move(sightings_);
}

}  // namespace isoplane::diagram
