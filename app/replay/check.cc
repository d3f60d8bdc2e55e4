// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "replay/check.hh"

#include <isoplane/wire/crc32c.hh>
#include <isoplane/wire/hello.hh>
#include <isoplane/wire/isotach.hh>
#include <isoplane/wire/message.hh>
#include <isoplane/wire/token.hh>

namespace isoplane::replay {

namespace {

using wire::Kind;

/// What stands for a content. Never that of an empty slot by its number alone.
std::uint64_t both(std::uint32_t a, std::uint32_t b) {
    return std::uint64_t{a} << 32 | b;
}

/// Whether a number modulo 2^32 comes before another.
bool before(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a - b) < 0;
}

std::string pair(std::uint16_t from, std::uint16_t to) {
    return "from node " + std::to_string(from) + " to node " + std::to_string(to);
}

std::uint32_t crc_of_entries(const wire::TokenView& view) {
    std::uint32_t crc = 0;
    for (std::size_t i = 0; i < view.size(); ++i) {
        const wire::TokenEntry entry = view.entry(i);
        crc = wire::crc32c(std::as_bytes(std::span(&entry, 1)), crc);
    }
    return crc;
}

}  // namespace

bool Checker::Recent::add(std::uint64_t number, std::uint64_t content) {
    Slot& slot = slots_[number % kSlots];
    if (slot.number == number) return slot.content == content;
    slot = {number, content};
    return true;
}

void Checker::violated(std::uint64_t frame, const std::string& sentence) {
    if (!violation_ || frame < violation_->frame) violation_ = {frame, sentence};
}

void Checker::see(const TraceFrame& frame) {
    ++frames_;
    const capture::AnyFrame any = capture::read_any(frame.bytes);
    if (any.decoded.reason == wire::Reject::kNotOurs) return;
    if (!any.decoded) {
        const std::string why = frame.bytes.size() < frame.length
                                    ? "cut by the capture"
                                    : std::string(wire::name(any.decoded.reason));
        return violated(frames_, "it is refused: " + why);
    }
    ++ours_;
    const wire::Header& header = any.decoded.header;
    switch (header.kind) {
        case Kind::kData:
        case Kind::kAck:
        case Kind::kCredit:
        case Kind::kCreditRequest:
            see_stream(any);
            break;
        case Kind::kHello:
        case Kind::kHelloAck:
            see_hello(any);
            break;
        case Kind::kToken:
            see_token(any, header.epoch, header.source, header.destination, any.decoded.payload);
            break;
        case Kind::kBye:
        case Kind::kProbe:
            break;
    }
}

void Checker::finish() {
    for (auto& [key, stream] : streams_)
        expire(stream, key, ~std::uint64_t{0});
}

void Checker::see_hello(const capture::AnyFrame& any) {
    const wire::Header& header = any.decoded.header;
    const auto hello = wire::decode_hello(any.decoded.payload);
    if (!hello) return;
    hellos_[{any.job_key, header.source, static_cast<std::uint16_t>(header.epoch), header.destination}] =
        hello->credit;
}

std::optional<std::uint32_t> Checker::granted_at_first(const StreamKey& key) const {
    const auto [job, from, to, from_epoch, to_epoch] = key;
    for (const Node told : {from, wire::kBroadcast})
        if (const auto found = hellos_.find({job, to, to_epoch, told}); found != hellos_.end())
            return found->second;
    return std::nullopt;
}

void Checker::see_stream(const capture::AnyFrame& any) {
    const wire::Header& header = any.decoded.header;
    const auto epoch = static_cast<std::uint16_t>(header.epoch);
    if (header.kind == Kind::kData) {
        const StreamKey key{any.job_key, header.source, header.destination, epoch, header.peer_epoch};
        Stream& stream = streams_[key];
        if (!stream.limit) stream.limit = granted_at_first(key);
        see_data(stream, any);
        expire(stream, key, frames_);
    }
    // What it says of the stream the other way.
    const StreamKey key{any.job_key, header.destination, header.source, header.peer_epoch, epoch};
    const auto found = streams_.find(key);
    if (found == streams_.end()) return;
    Stream& stream = found->second;
    if (!stream.limit || before(*stream.limit, header.credit)) {
        stream.limit = header.credit;
        std::erase_if(stream.ungranted, [&](const Due& due) { return before(due.before, *stream.limit); });
    }
    if (before(stream.next, header.ack)) stream.unseen.push_back({frames_, header.ack});
    expire(stream, key, frames_);
}

void Checker::see_data(Stream& stream, const capture::AnyFrame& any) {
    const wire::Header& header = any.decoded.header;
    const std::uint32_t crc =
        header.payload_crc != 0 ? header.payload_crc : wire::crc32c(any.decoded.payload);
    if (!stream.contents.add(header.sequence, both(header.payload_length, crc)))
        violated(frames_, "frame " + std::to_string(header.sequence) + " " +
                              pair(header.source, header.destination) +
                              " has another content than the one of that number before");
    if (header.sequence == 0) stream.from_start = true;
    if (stream.limit && !before(header.sequence, *stream.limit))
        stream.ungranted.push_back({frames_, header.sequence});
    if (before(header.sequence, stream.next) || !stream.early.insert(header.sequence).second) return;
    while (!stream.early.empty() && *stream.early.begin() == stream.next) {
        stream.early.erase(stream.early.begin());
        ++stream.next;
    }
    constexpr std::size_t kMostEarly = 4096;
    if (stream.early.size() > kMostEarly) stream.early.clear();
    std::erase_if(stream.unseen, [&](const Due& due) { return !before(stream.next, due.before); });
    see_messages(any);
}

/// Whatever should have been there by now.
void Checker::expire(Stream& stream, const StreamKey& key, std::uint64_t since) {
    const auto [job, from, to, from_epoch, to_epoch] = key;
    const auto overdue = [since](const Due& due) {
        return since == ~std::uint64_t{0} || due.frame + kReordered < since;
    };
    for (; !stream.ungranted.empty() && overdue(stream.ungranted.front()); stream.ungranted.pop_front())
        violated(stream.ungranted.front().frame,
                 "frame " + std::to_string(stream.ungranted.front().before) + " " + pair(from, to) +
                     " is sent without credit: " + std::to_string(*stream.limit) + " frames were granted");
    for (; !stream.unseen.empty() && overdue(stream.unseen.front()); stream.unseen.pop_front())
        if (stream.from_start)
            violated(stream.unseen.front().frame, "frame " + std::to_string(stream.next) + " " +
                                                      pair(from, to) +
                                                      " is acknowledged, but not in the trace");
}

void Checker::see_messages(const capture::AnyFrame& any) {
    wire::MessageCursor cursor(any.decoded.payload);
    for (wire::Message message; cursor.next_valid(message);) {
        ++messages_;
        if (wire::is_ordered(message.header.protocol)) {
            see_isotach(any, message.body);
        } else if (message.header.protocol == wire::Protocol::kToken &&
                   message.body.size() > wire::kTokenOriginSize) {
            const auto origin = wire::decode_token_origin(message.body.first<wire::kTokenOriginSize>());
            see_token(any, origin.epoch, origin.from, origin.to,
                      message.body.subspan(wire::kTokenOriginSize));
        }
    }
}

void Checker::see_isotach(const capture::AnyFrame& any, std::span<const std::byte> body) {
    const wire::Header& header = any.decoded.header;
    const wire::IsotachHeader part = wire::decode_isotach(body.first<wire::kIsotachSize>());
    const std::string which =
        "isochron " + std::to_string(part.isochron) + " of host " + std::to_string(part.host);
    Issuer& issuer = issuers_[{any.job_key, header.epoch, part.host}];
    if (!issuer.pulses.add(part.isochron, part.pulse))
        violated(frames_, which + " has a message of pulse " + std::to_string(part.pulse) +
                              ", and others of another pulse");
    if (!issuer.isochron || before(*issuer.isochron, part.isochron)) {
        ++isochrons_;
        if (issuer.isochron && part.pulse < issuer.pulse)
            violated(frames_, which + " has pulse " + std::to_string(part.pulse) + ", isochron " +
                                  std::to_string(*issuer.isochron) + " before it " +
                                  std::to_string(issuer.pulse));
        issuer.isochron = part.isochron;
        issuer.pulse = part.pulse;
    }
    Recent& counts = counts_[{any.job_key, header.epoch, part.host, header.destination}];
    if (!counts.add(part.count, both(part.isochron, part.rank)))
        violated(frames_, which + ": its message " + std::to_string(part.count) + " to node " +
                              std::to_string(header.destination) + " is two different ones");
}

void Checker::see_token(const capture::AnyFrame& any, std::uint32_t epoch, Node from, Node to,
                        std::span<const std::byte> payload) {
    const auto view = wire::TokenView::parse(payload, capture::kAnyNode);
    if (!view) return;
    ++tokens_;
    const wire::Token token = view->token();
    const auto part = static_cast<std::uint16_t>(token.part << 8 | token.last_part);
    if (!tokens_sent_[{any.job_key, epoch, from, to, part}].add(token.number, crc_of_entries(*view)))
        violated(frames_, "token " + std::to_string(token.number) + " " + pair(from, to) +
                              " says something else than when it was sent before");
}

}  // namespace isoplane::replay
