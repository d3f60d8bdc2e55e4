// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "replay/check.hh"

#include <algorithm>
#include <isoplane/wire/hello.hh>
#include <isoplane/wire/message.hh>
#include <isoplane/wire/probe.hh>
#include <isoplane/wire/token.hh>
#include <utility>

#include "replay/check_body.hh"
#include "replay/words.hh"

namespace isoplane::replay {

namespace {

using wire::Kind;

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
    jobs_.insert(any.job_key);
    const wire::Header& header = any.decoded.header;
    switch (header.kind) {
        case Kind::kData:
            if (const std::string fault = fault_of_messages(any.decoded); !fault.empty())
                return violated(frames_, fault);
            see_stream(any, frame.when);
            break;
        case Kind::kAck:
        case Kind::kCredit:
        case Kind::kCreditRequest:
            see_stream(any, frame.when);
            break;
        case Kind::kHello:
        case Kind::kHelloAck:
            see_hello(any);
            break;
        case Kind::kToken:
            see_token(
                {frames_, any.job_key, header.epoch, header.source, header.destination, header.peer_epoch},
                any.decoded.payload);
            break;
        case Kind::kBye:
            if (header.sequence > 1)
                violated(frames_,
                         "a bye has number " + std::to_string(header.sequence) + ": 0 asks, 1 answers");
            break;
        case Kind::kProbe:
            if (any.decoded.payload.size() >= wire::kProbeSize && !wire::probe_intact(any.decoded.payload))
                violated(frames_, "the pattern of a probe is not that of its number");
            break;
        case Kind::kView:
            see_view(any);
            break;
    }
}

void Checker::finish() {
    for (auto& [key, stream] : streams_)
        stream.expire(~std::uint64_t{0});
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

StreamChecker& Checker::stream(const StreamKey& key) {
    const auto found =
        streams_
            .try_emplace(
                key, [this](std::uint64_t frame, const std::string& sentence) { violated(frame, sentence); },
                pair(std::get<1>(key), std::get<2>(key)))
            .first;
    StreamChecker& stream = found->second;
    if (!stream.knows_first_grant())
        if (const auto credit = granted_at_first(key)) stream.granted_at_first(*credit);
    return stream;
}

/// Other planes have a key that follows from that of the first (lib/job/job.cc).
bool Checker::has_one_plane(std::uint32_t job) const {
    constexpr std::uint32_t kPlanesApart = 0x9e3779b9;
    constexpr std::uint32_t kMostPlanes = 4;
    return std::ranges::none_of(jobs_, [job](std::uint32_t other) {
        for (std::uint32_t planes = 1; planes < kMostPlanes; ++planes)
            if (other - job == planes * kPlanesApart || job - other == planes * kPlanesApart) return true;
        return false;
    });
}

void Checker::see_stream(const capture::AnyFrame& any, Time when) {
    const wire::Header& header = any.decoded.header;
    const auto epoch = static_cast<std::uint16_t>(header.epoch);
    const bool copy = headers_.add(any.header_crc);
    if (header.peer_epoch == 0 && header.kind != Kind::kData) return;
    StreamChecker& of = stream({any.job_key, header.source, header.destination, epoch, header.peer_epoch});
    of.hear_sender(when);
    if (header.kind == Kind::kData &&
        of.see_data({frames_, when}, header, any.decoded.payload, has_one_plane(any.job_key)))
        see_messages(any);
    of.expire(frames_);
    if (header.peer_epoch == 0) return;
    // What it says of the stream the other way.
    StreamChecker& back = stream({any.job_key, header.destination, header.source, header.peer_epoch, epoch});
    back.hear_receiver(when);
    back.see_told({frames_, when}, header, copy);
    back.expire(frames_);
}

/// What is wrong with a message of a data frame.
std::string Checker::fault_of_messages(const wire::Decoded& frame) {
    wire::MessageCursor cursor(frame.payload);
    wire::OrderedReader ordered;
    std::string fault;
    for (wire::Message message; fault.empty() && cursor.next_valid(message);)
        fault = fault_in(message, frame.header.source, ordered);
    return fault;
}

void Checker::see_messages(const capture::AnyFrame& any) {
    wire::MessageCursor cursor(any.decoded.payload);
    wire::OrderedReader ordered;
    std::optional<wire::IsotachHeader> before;
    for (wire::Message message; cursor.next_valid(message);) {
        ++messages_;
        if (message.header.protocol == wire::Protocol::kToken)
            see_along(any, {frames_, {message.body.begin(), message.body.end()}, before});
        before.reset();
        if (!wire::is_ordered(message.header.protocol)) continue;
        const wire::OrderedMessage part = ordered.read(message);
        see_isotach(any, part);
        before = part.header;
    }
}

void Checker::see_along(const capture::AnyFrame& any, Along token) {
    const wire::Header& header = any.decoded.header;
    AlongStream& stream = along_[{any.job_key, header.source, header.destination,
                                  static_cast<std::uint16_t>(header.epoch), header.peer_epoch}];
    if (!read_along(any, stream.reader, token)) {
        if (stream.unread.size() < wire::kWholeEvery) stream.unread.push_back(std::move(token));
        return;
    }
    for (const Along& earlier : std::exchange(stream.unread, {}))
        read_along(any, stream.reader, earlier);
}

bool Checker::read_along(const capture::AnyFrame& any, wire::AlongReader& reader, const Along& token) {
    const auto along = reader.read(token.message, token.before, any.decoded.header.destination);
    if (!along) return false;
    see_token({token.frame, any.job_key, along->origin.epoch, along->origin.from, along->origin.to},
              along->token);
    return true;
}

void Checker::see_isotach(const capture::AnyFrame& any, const wire::OrderedMessage& message) {
    const wire::Header& header = any.decoded.header;
    const wire::IsotachHeader& part = message.header;
    // Neither is a message of an isochron.
    if ((part.flags & (wire::kIsotachFlush | wire::kIsotachHandover)) != 0) return;
    std::optional<std::uint64_t> clock;
    if ((part.flags & wire::kIsotachClocked) != 0 && message.data.size() >= wire::kIsotachClockSize)
        clock = wire::IsotachClock::get(message.data.data());
    time_.see_message(
        {frames_, any.job_key, header.epoch, header.source, header.destination, header.peer_epoch}, part,
        clock);
}

void Checker::see_token(const TimeChecker::Where& where, std::span<const std::byte> payload) {
    if (const auto view = wire::TokenView::parse(payload, capture::kAnyNode)) time_.see_token(where, *view);
}

/// The views of a job that starts again have no member in common with those before.
void Checker::see_view(const capture::AnyFrame& any) {
    auto part = wire::decode_view(any.decoded.payload, capture::kAnyNode);
    if (!part) return;
    const wire::Header& header = any.decoded.header;
    const auto message =
        view_parts_[{any.job_key, header.source, header.destination}].add(header.epoch, std::move(*part));
    if (!message || message->step != wire::ViewStep::kDecided) return;
    const wire::View& view = message->next;
    wire::View& decided = views_[{any.job_key, view.number}];
    const bool same_job = std::ranges::any_of(view.members, [&](const wire::Member& member) {
        return std::ranges::find(decided.members, member) != decided.members.end();
    });
    if (same_job && decided != view)
        violated(frames_, "view " + std::to_string(view.number) + " is decided in two ways");
    decided = view;
}

}  // namespace isoplane::replay
