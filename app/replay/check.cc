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

std::string pair(std::uint16_t from, std::uint16_t to) {
    return "from node " + std::to_string(from) + " to node " + std::to_string(to);
}

}  // namespace

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
            see_token(any, {header.epoch, header.source, header.destination}, any.decoded.payload);
            break;
        case Kind::kBye:
        case Kind::kProbe:
        case Kind::kView:
            break;
    }
}

void Checker::finish() {
    for (auto& [key, stream] : streams_)
        expire(stream, key, ~std::uint64_t{0});
    time_.finish();
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
            see_token(any, wire::decode_token_origin(message.body.first<wire::kTokenOriginSize>()),
                      message.body.subspan(wire::kTokenOriginSize));
        }
    }
}

void Checker::see_isotach(const capture::AnyFrame& any, std::span<const std::byte> body) {
    const wire::Header& header = any.decoded.header;
    const wire::IsotachHeader part = wire::decode_isotach(body.first<wire::kIsotachSize>());
    const std::span<const std::byte> behind = body.subspan(wire::kIsotachSize);
    std::optional<std::uint64_t> clock;
    if ((part.flags & wire::kIsotachClocked) != 0 && behind.size() >= wire::kIsotachClockSize)
        clock = wire::IsotachClock::get(behind.data());
    time_.see_message({frames_, any.job_key, header.epoch, header.source, header.destination}, part, clock);
}

void Checker::see_token(const capture::AnyFrame& any, const wire::TokenOrigin& origin,
                        std::span<const std::byte> payload) {
    if (const auto view = wire::TokenView::parse(payload, capture::kAnyNode))
        time_.see_token({frames_, any.job_key, origin.epoch, origin.from, origin.to}, *view);
}

}  // namespace isoplane::replay
