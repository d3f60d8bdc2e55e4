// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "replay/decode.hh"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <isoplane/wire/along.hh>
#include <isoplane/wire/hello.hh>
#include <isoplane/wire/message.hh>
#include <isoplane/wire/probe.hh>
#include <isoplane/wire/run.hh>
#include <isoplane/wire/token.hh>
#include <isoplane/wire/trailer.hh>
#include <nlohmann/json.hpp>

namespace isoplane::replay {

namespace {

using Json = nlohmann::ordered_json;
using wire::Kind;
using wire::Protocol;

std::string_view name_of(Protocol protocol) {
    switch (protocol) {
        case Protocol::kControl:
            return "control";
        case Protocol::kNoniso:
            return "noniso";
        case Protocol::kIsotach:
            return "isotach";
        case Protocol::kShmem:
            return "shmem";
        case Protocol::kPortals:
            return "portals";
        case Protocol::kActive:
            return "active";
        case Protocol::kChannel:
            return "channel";
        case Protocol::kPayload:
            return "payload";
        case Protocol::kToken:
            return "token";
        case Protocol::kPortalsData:
            return "portals_data";
    }
    return "unknown";
}

Json token_json(std::span<const std::byte> payload) {
    const auto view = wire::TokenView::parse(payload, capture::kAnyNode);
    if (!view) return {};
    const wire::Token token = view->token();
    Json out{{"number", token.number}, {"wanted", token.wanted}, {"further", token.further}};
    if (token.last_part != 0) out["part"] = token.part;
    for (std::size_t i = 0; i < view->size(); ++i) {
        const wire::TokenEntry entry = view->entry(i);
        Json of_entry{{"from", entry.source}};
        if (entry.destination == wire::kEveryHost) {
            of_entry["group"] = entry.value;
        } else {
            of_entry["to"] = entry.destination;
            of_entry["messages"] = entry.value;
        }
        out["entries"].push_back(std::move(of_entry));
    }
    return out;
}

/// The whole number is known from a token before it.
Json short_token_json(std::span<const std::byte, wire::kShortTokenSize> message) {
    const wire::Token token = wire::decode_short_token(message, 0, 0);
    return {{"number_end", static_cast<std::uint16_t>(token.number)},
            {"wanted", token.wanted},
            {"further", token.further}};
}

Json message_json(const wire::Message& message, wire::OrderedReader& ordered) {
    const bool first = (message.header.fragment & wire::kFirstFragment) != 0;
    Json out{{"protocol", name_of(message.header.protocol)}, {"bytes", message.header.length}};
    if (!wire::is_whole(message.header)) out[first ? "of" : "at"] = message.header.size_or_offset;
    if (wire::is_ordered(message.header.protocol)) {
        const auto [place, data] = ordered.read(message);
        out["bytes"] = data.size();
        out["host"] = place.host;
        out["isochron"] = place.isochron;
        out["pulse"] = place.pulse;
        out["rank"] = place.rank;
        out["count"] = place.count;
    } else if (message.header.protocol == Protocol::kToken && message.body.size() == wire::kShortTokenSize) {
        out["token"] = short_token_json(message.body.first<wire::kShortTokenSize>());
    } else if (message.header.protocol == Protocol::kToken && message.body.size() > wire::kTokenOriginSize) {
        const auto origin = wire::decode_token_origin(message.body.first<wire::kTokenOriginSize>());
        out["from"] = origin.from;
        out["to"] = origin.to;
        out["token"] = token_json(message.body.subspan(wire::kTokenOriginSize));
    }
    return out;
}

void add_payload(Json& out, const wire::Decoded& decoded) {
    switch (decoded.header.kind) {
        case Kind::kData: {
            wire::MessageCursor cursor(decoded.payload);
            wire::OrderedReader ordered;
            for (wire::Message message; cursor.next_valid(message);)
                out["messages"].push_back(message_json(message, ordered));
            break;
        }
        case Kind::kToken:
            out["token"] = token_json(decoded.payload);
            break;
        case Kind::kHello:
        case Kind::kHelloAck:
            if (const auto hello = wire::decode_hello(decoded.payload)) {
                out["name"] = hello->name;
                out["mtu"] = hello->mtu;
                out["granted"] = hello->credit;
            }
            break;
        case Kind::kProbe:
            if (const auto probe = wire::decode_probe(decoded.payload)) {
                out["stream"] = probe->stream;
                out["number"] = probe->number;
            }
            break;
        case Kind::kAck:
        case Kind::kCredit:
        case Kind::kCreditRequest:
        case Kind::kBye:
        case Kind::kView:
            break;
    }
}

bool is_of_stream(Kind kind) {
    return kind == Kind::kData || kind == Kind::kAck || kind == Kind::kCredit || kind == Kind::kCreditRequest;
}

double seconds(Time time) {
    return std::chrono::duration<double>(time).count();
}

/// The fields of an object as words: "pulse 12 rank 3".
std::string words(const Json& object) {
    std::string out;
    for (const auto& [key, value] : object.items()) {
        if (!out.empty()) out += ' ';
        if (key != "protocol") out += key + ' ';
        if (value.is_string()) {
            out += value.get<std::string>();
        } else if (value.is_array()) {
            for (const Json& each : value)
                out += (&each == &value.front() ? "(" : ", ") + words(each);
            out += ')';
        } else {
            out += value.is_object() ? '(' + words(value) + ')' : value.dump();
        }
    }
    return out;
}

}  // namespace

Json to_json(std::uint64_t number, const TraceFrame& frame) {
    Json out{{"frame", number}, {"seconds", seconds(frame.when)}, {"length", frame.length}};
    if (frame.bytes.size() < frame.length) out["captured"] = frame.bytes.size();
    const capture::AnyFrame any = capture::read_any(frame.bytes);
    if (!any.decoded) {
        out[any.decoded.reason == wire::Reject::kNotOurs ? "other" : "refused"] =
            wire::name(any.decoded.reason);
        return out;
    }
    const wire::Header& header = any.decoded.header;
    out["job"] = any.job_key;
    out["source"] = header.source;
    if (header.destination == wire::kBroadcast) {
        out["destination"] = "all";
    } else {
        out["destination"] = header.destination;
    }
    out["kind"] = wire::name(header.kind);
    out["epoch"] = header.epoch;
    if (is_of_stream(header.kind)) {
        if (header.kind == Kind::kData) out["sequence"] = header.sequence;
        out["ack"] = header.ack;
        out["credit"] = header.credit;
        if (header.kind == Kind::kData) out["payload_crc"] = (header.flags & wire::kFlagNoPayloadCrc) == 0;
        if (header.selective != 0) out["selective"] = header.selective;
    }
    add_payload(out, any.decoded);
    const auto behind = any.raw.subspan(wire::kHeaderSize + header.payload_length);
    if (wire::may_be_trailer(behind, frame.bytes.size())) {
        const wire::Trailer trailer = wire::read_trailer(behind.data());
        out["sealed"] = {{"by", trailer.station()}, {"number", trailer.number}, {"since", trailer.started()}};
    }
    return out;
}

std::string to_text(std::uint64_t number, const TraceFrame& frame) {
    Json fields = to_json(number, frame);
    char front[64];
    std::snprintf(front, sizeof front, "%7" PRIu64 "  %.9f  ", number, seconds(frame.when));
    std::string line = front;
    if (fields.contains("kind")) {
        line += words({{"", fields["source"]}}).substr(1) + " > ";
        line += fields["destination"].is_string() ? "all" : fields["destination"].dump();
        line += "  " + fields["kind"].get<std::string>();
    } else {
        line +=
            fields.contains("other") ? "not isoplane's" : "refused: " + fields["refused"].get<std::string>();
        line += ", " + std::to_string(frame.length) + " bytes";
    }
    for (const char* key :
         {"frame", "seconds", "length", "other", "refused", "source", "destination", "kind"})
        fields.erase(key);
    return fields.empty() ? line : line + "  " + words(fields);
}

}  // namespace isoplane::replay
