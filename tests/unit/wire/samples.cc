// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "samples.hh"

#include <algorithm>
#include <array>
#include <initializer_list>

#include <isoplane/wire/access.hh>
#include <isoplane/wire/active.hh>
#include <isoplane/wire/along.hh>
#include <isoplane/wire/control.hh>
#include <isoplane/wire/crc32c.hh>
#include <isoplane/wire/hello.hh>
#include <isoplane/wire/portals.hh>
#include <isoplane/wire/probe.hh>
#include <isoplane/wire/run.hh>
#include <isoplane/wire/token.hh>
#include <isoplane/wire/view.hh>

namespace isoplane::wire::samples {
namespace {

constexpr MacAddress kSourceMac = {0x02, 0, 0, 0, 0, kSource};
constexpr MacAddress kDestinationMac = {0x02, 0, 0, 0, 0, kDestination};

Bytes join(std::initializer_list<Bytes> parts) {
    Bytes all;
    for (const Bytes& part : parts)
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

const UdpPath kPath{.source_address = 0x0a000003,
                    .destination_address = 0x0a000005,
                    .source_port = udp_source_port(kSource, kDestination),
                    .destination_port = kDefaultUdpPort};

/// Field by field.
Bytes written_envelope(Transport transport, std::size_t frame_size) {
    if (transport == Transport::kEthernet) {
        Bytes out(kEthernetSize);
        encode_ethernet(std::span(out).first<kEthernetSize>(), kDestinationMac, kSourceMac,
                        kDefaultEtherType);
        return out;
    }
    Bytes out(kUdpEnvelopeSize);
    encode_udp(std::span(out).first<kUdpEnvelopeSize>(), kDestinationMac, kSourceMac, kPath, frame_size);
    return out;
}

Bytes hello_payload() {
    Bytes out(kHelloSize + kMaxNameSize);
    out.resize(encode_hello(out, {.roles = kRoleHost | kRoleTokenManager,
                                  .features = kFeatureNoPayloadCrc,
                                  .mtu = 1500,
                                  .credit = 64,
                                  .build_id = 0x0123456789abcdef,
                                  .name = "host-3"}));
    return out;
}

Bytes token_payload() {
    const std::uint32_t group_word =
        group_signal(0) | group_signal(2) | group_join(1) | group_enter(1) | group_leave(0);
    const std::array<TokenEntry, 3> entries = {
        TokenEntry{.source = 3, .destination = 5, .value = 1000},
        TokenEntry{.source = 3, .destination = 1, .value = 7},
        TokenEntry{.source = 2, .destination = kEveryHost, .value = group_word}};
    Bytes out(token_size(entries.size()));
    encode_token(out, {.number = 0x100000002, .wanted = 12, .further = 4, .part = 1, .last_part = 2},
                 entries);
    return out;
}

Bytes quiet_token_payload() {
    Bytes out(kTokenSize);
    encode_token(out, {.number = 42}, {});
    return out;
}

Bytes view_payload() {
    const ViewMessage promise{
        .step = ViewStep::kPromise,
        .view = 2,
        .ballot = 7,
        .held = 100,
        .last = 104,
        .accepted = 5,
        .doubts = {1},
        .next = {.number = 3, .cut = 98, .base = 120, .members = {{0, 0, 9}, {2, 2, 4}}}};
    Bytes out(view_size(1, 2));
    encode_view(out, promise);
    return out;
}

Bytes view_part_payload() {
    const ViewMessage part{.step = ViewStep::kDecided,
                           .view = 3,
                           .next = {.number = 3, .cut = 98, .base = 120, .members = {{4, 4, 9}}},
                           .digest = 0x1995,
                           .part = 1,
                           .last_part = 2};
    Bytes out(view_size(0, 1));
    encode_view(out, part);
    return out;
}

Bytes probe_payload(std::size_t size) {
    Bytes out(size);
    encode_probe(out, {.stream = 9, .number = 123456789, .sent_ns = 1700000000000000000});
    return out;
}

Bytes barrier_body() {
    Bytes out(kBarrierSize);
    encode_barrier(std::span<std::byte, kBarrierSize>(out), 7);
    return out;
}

Bytes coalesced_payload() {
    return join({message(Protocol::kControl, barrier_body()),
                 message(Protocol::kIsotach, isotach_body(counting(16))),
                 message(Protocol::kPortals, counting(33)), message(Protocol::kActive, counting(8))});
}

/// A token of the token manager 6 as a whole, and one in short that announces the message before it.
Bytes along_payload() {
    const TokenEntry entry{.source = 3, .destination = 5, .value = 999};
    Bytes whole(kTokenOriginSize + token_size(1));
    encode_token_origin(std::span(whole).first<kTokenOriginSize>(), {.epoch = 65539, .from = 6, .to = 5});
    encode_token(std::span(whole).subspan(kTokenOriginSize), {.number = 0x10000fffe, .further = 1},
                 {&entry, 1});
    Bytes in_short(kShortTokenSize);
    encode_short_token(in_short.data(), {.number = 0x100010000, .wanted = 2});
    return join({message(Protocol::kToken, whole), message(Protocol::kIsotach, isotach_body(counting(8))),
                 message(Protocol::kToken, in_short)});
}

/// An isotach message and two that follow it in a run.
Bytes run_payload() {
    Bytes first = message(Protocol::kIsotach, isotach_body(counting(8)));
    isotach_layout::Flags::put(first.data() + kMessageHeaderSize, 0);
    const auto following = [](std::uint32_t ranks) {
        return message({.protocol = Protocol::kIsotach,
                        .fragment = kInRun,
                        .size_or_offset = run_step::of(Operation::kMessage, 2, ranks)},
                       counting(12));
    };
    return join({first, following(1), following(300)});
}

/// One of each code, and what a read has found.
Bytes accesses_payload() {
    Bytes accesses(kIsotachSize);
    IsotachHeader header = isotach_header();
    header.operation = Operation::kAccesses;
    encode_isotach(std::span(accesses).first<kIsotachSize>(), header);
    for (const AccessCode code :
         {AccessCode::kRead, AccessCode::kWrite, AccessCode::kSched, AccessCode::kAssign, AccessCode::kAdd,
          AccessCode::kSwap, AccessCode::kCompareSwap}) {
        const std::size_t at = accesses.size();
        accesses.resize(at + access_layout::kSize);
        encode_access(std::span(accesses).subspan(at).first<access_layout::kSize>(),
                      {.code = code, .words = 2, .address = 2050, .ticket = yields(code) ? 9U : 0U});
        const Bytes operands = counting(4 * operand_words(code, 2));
        accesses.insert(accesses.end(), operands.begin(), operands.end());
    }
    const Answer answer{.ticket = 9, .offset = 1, .words = 2, .values = {7, 8}};
    Bytes answered(answer_size(answer.words));
    encode_answer(answered, answer);
    return join({message(Protocol::kIsotach, accesses), message(Protocol::kShmem, answered)});
}

/// An access in paranoid mode: the clock of its issuer is in front of it.
Bytes clocked_payload() {
    Bytes body(kIsotachSize + kIsotachClockSize + access_size(AccessCode::kWrite, 1));
    IsotachHeader header = isotach_header();
    header.flags = kIsotachClocked;
    header.operation = Operation::kAccesses;
    encode_isotach(std::span(body).first<kIsotachSize>(), header);
    const auto clocked = std::span(body).subspan(kIsotachSize);
    IsotachClock::put(clocked.data(), std::uint64_t{4294967290});
    encode_access(clocked.subspan(kIsotachClockSize).first<access_layout::kSize + 4>(),
                  {.code = AccessCode::kWrite, .words = 1, .address = 2050}, 7);
    return message(Protocol::kIsotach, body);
}

/// A request of words, a part of a reply with data, and a refusal.
Bytes active_payload() {
    ActiveHeader header{.convention = 2,
                        .slot = 5,
                        .program = 6,
                        .number = 7,
                        .life = 65539,
                        .handler = {.image = 0x01234567, .offset = 0x89ab}};
    Bytes request(kActiveHeaderSize + kActiveWordsSize);
    encode_active(std::span(request).first<kActiveHeaderSize>(), header);
    encode_active_words(std::span(request).last<kActiveWordsSize>(), {1, 2, 3, 0xfedcba9876543210});
    Bytes reply(kActiveHeaderSize + kActiveTransferSize);
    header.type = ActiveType::kReplyTransfer;
    encode_active(std::span(reply).first<kActiveHeaderSize>(), header);
    encode_active_transfer(std::span(reply).last<kActiveTransferSize>(),
                           {.argument = 8, .address = 0x7fff00001000, .size = 5000, .at = 1400});
    Bytes refusal(kActiveHeaderSize);
    header.type = ActiveType::kRefusal;
    header.reason = 3;
    encode_active(std::span(refusal).first<kActiveHeaderSize>(), header);
    return join({message(Protocol::kActive, request), message(Protocol::kActive, join({reply, counting(20)})),
                 message(Protocol::kActive, refusal)});
}

/// What every begin of a sample says.
void put_begin(std::byte* at, std::uint8_t type, std::uint8_t flags, std::uint64_t length) {
    using namespace portals_begin_layout;
    portals_layout::Kind::put(at, static_cast<std::uint8_t>(PortalsKind::kBegin));
    Type::put(at, type);
    Flags::put(at, flags);
    Number::put(at, 41U);
    TargetPid::put(at, 5U);
    InitiatorPid::put(at, 6U);
    Uid::put(at, 1000U);
    Jid::put(at, 77U);
    Portal::put(at, 4U);
    Cookie::put(at, 1U);
    MatchBits::put(at, 0x0123456789abcdefU);
    RemoteOffset::put(at, 4096U);
    Extra::put(at, 0xfedcU);
    Length::put(at, length);
    Md::put(at, 0x00180003U);
    MdGeneration::put(at, 2U);
}

/// A put that is whole, the reply to a get, puts whose rest waits, there and in memory, a pull for it and its
/// end.
Bytes portals_payload() {
    constexpr std::uint8_t kPut = 1;
    constexpr std::uint8_t kReply = 3;
    constexpr std::uint32_t kSource = 0x00200001;
    const Bytes data = counting(8);
    Bytes put(kPortalsBeginSize);
    put_begin(put.data(), kPut, 0, data.size());
    Bytes reply(kPortalsBeginSize + kPortalsMoreSize);
    put_begin(reply.data(), kReply, 0, 100);
    portals_more_layout::Moved::put(reply.data() + kPortalsBeginSize, std::uint64_t{data.size()});
    Bytes begin(kPortalsBeginSize + kPortalsMoreSize);
    put_begin(begin.data(), kPut, kPortalsRestWaits, 1000000);
    portals_more_layout::Source::put(begin.data() + kPortalsBeginSize, kSource);
    Bytes pull(kPortalsPullSize);
    portals_layout::Kind::put(pull.data(), static_cast<std::uint8_t>(PortalsKind::kPull));
    portals_pull_layout::Source::put(pull.data(), kSource);
    portals_pull_layout::Offset::put(pull.data(), std::uint64_t{65544});
    portals_pull_layout::Length::put(pull.data(), std::uint32_t{65536});
    Bytes done(kPortalsDoneSize);
    portals_layout::Kind::put(done.data(), static_cast<std::uint8_t>(PortalsKind::kDone));
    portals_done_layout::Source::put(done.data(), kSource);
    Bytes all;
    Bytes in_memory(portals_begin_size(kPut, kPortalsRestWaits | kPortalsInMemory));
    put_begin(in_memory.data(), kPut, kPortalsRestWaits | kPortalsInMemory, 1000000);
    std::byte* const more = in_memory.data() + kPortalsBeginSize;
    portals_more_layout::Source::put(more, kSource);
    portals_memory_layout::Process::put(more + kPortalsMoreSize, std::uint32_t{4711});
    portals_memory_layout::Address::put(more + kPortalsMoreSize, std::uint64_t{0x7f0012340000});
    portals_memory_layout::SealAt::put(more + kPortalsMoreSize, std::uint64_t{0x7f0056780008});
    portals_memory_layout::Seal::put(more + kPortalsMoreSize, std::uint64_t{0x1122334455667789});
    for (const Bytes& one :
         {join({put, data}), join({reply, data}), join({begin, data}), join({in_memory, data}), pull, done})
        all = join({all, message(Protocol::kPortals, one)});
    return all;
}

Bytes fragment_payload() {
    const MessageHeader middle{.protocol = Protocol::kIsotach, .fragment = 0, .size_or_offset = 4096};
    return message(middle, isotach_body(counting(200)));
}

}  // namespace

Expect expect(Transport transport) {
    return {.encapsulation = {.transport = transport},
            .job_key = kJobKey,
            .node = kDestination,
            .node_count = kNodeCount};
}

Header header(Kind kind) {
    return {.kind = kind,
            .job_key = kJobKey,
            .source = kSource,
            .destination = kDestination,
            .epoch = 0x00010002,
            .sequence = 1001,
            .ack = 2002,
            .credit = 3003,
            .selective = 0x8000000000000005,
            .peer_epoch = 0x0007};
}

StreamHeader stream(Transport transport) {
    const std::uint16_t ethertype = transport == Transport::kUdp ? kIpv4EtherType : kDefaultEtherType;
    return {kDestinationMac, kSourceMac, ethertype, header(Kind::kData)};
}

Datagram datagram() {
    return Datagram(kPath);
}

Bytes packet(Header header, std::span<const std::byte> payload, Transport transport) {
    Bytes out = written_envelope(transport, kHeaderSize + payload.size());
    const std::size_t start = out.size();
    out.resize(start + kHeaderSize);
    encode_frame(std::span(out).subspan(start).first<kHeaderSize>(), header, payload);
    out.insert(out.end(), payload.begin(), payload.end());
    out.resize(std::max(out.size(), kMinEthernetFrame));
    return out;
}

Bytes message(MessageHeader header, std::span<const std::byte> body) {
    header.length = static_cast<std::uint16_t>(body.size());
    Bytes out(kMessageHeaderSize + body.size());
    encode_message(std::span(out).first<kMessageHeaderSize>(), header);
    std::copy(body.begin(), body.end(), out.begin() + kMessageHeaderSize);
    return out;
}

Bytes message(Protocol protocol, std::span<const std::byte> body) {
    const std::size_t extension = is_ordered(protocol) ? kIsotachSize : 0;
    return message(
        {.protocol = protocol, .size_or_offset = static_cast<std::uint32_t>(body.size() - extension)}, body);
}

IsotachHeader isotach_header() {
    return {.pulse = 0x100000003,
            .host = kSource,
            .flags = 0x01,
            .operation = Operation{0x12},
            .rank = 4,
            .isochron = 17,
            .count = 1000};
}

Bytes isotach_body(std::span<const std::byte> data) {
    Bytes out(kIsotachSize + data.size());
    encode_isotach(std::span(out).first<kIsotachSize>(), isotach_header());
    std::copy(data.begin(), data.end(), out.begin() + kIsotachSize);
    return out;
}

Bytes counting(std::size_t size) {
    Bytes out(size);
    for (std::size_t i = 0; i < size; ++i)
        out[i] = static_cast<std::byte>(i);
    return out;
}

std::vector<Sample> all(Transport transport) {
    std::vector<Sample> samples;
    const auto add = [&](std::string name, Header header, const Bytes& payload) {
        samples.push_back({std::move(name), header.kind, packet(header, payload, transport)});
    };
    add("data", header(Kind::kData), coalesced_payload());
    add("data_accesses", header(Kind::kData), accesses_payload());
    add("data_clocked", header(Kind::kData), clocked_payload());
    add("data_active", header(Kind::kData), active_payload());
    add("data_portals", header(Kind::kData), portals_payload());
    add("data_run", header(Kind::kData), run_payload());
    add("data_along", header(Kind::kData), along_payload());
    add("data_fragment", header(Kind::kData), fragment_payload());
    Header trusting = header(Kind::kData);
    trusting.flags = kFlagNoPayloadCrc;
    add("data_no_crc", trusting, message(Protocol::kChannel, counting(100)));
    for (const Kind kind : {Kind::kAck, Kind::kCredit, Kind::kCreditRequest, Kind::kBye})
        add(std::string(wire::name(kind)), header(kind), {});
    Header everybody = header(Kind::kHello);
    everybody.destination = kBroadcast;
    add("hello", everybody, hello_payload());
    add("hello_ack", header(Kind::kHelloAck), hello_payload());
    add("token", header(Kind::kToken), token_payload());
    add("quiet_token", header(Kind::kToken), quiet_token_payload());
    add("view", header(Kind::kView), view_payload());
    add("view_part", header(Kind::kView), view_part_payload());
    add("probe", header(Kind::kProbe), probe_payload(64));
    add("smallest_probe", header(Kind::kProbe), counting(2));
    add("empty_probe", header(Kind::kProbe), {});
    return samples;
}

void reseal(std::span<std::byte> frame) {
    if (frame.size() < kHeaderSize) return;
    const auto rest = frame.subspan(kHeaderSize);
    const bool has_crc = (frame_layout::Flags::get(frame.data()) & kFlagNoPayloadCrc) == 0;
    const std::size_t length =
        std::min<std::size_t>(frame_layout::PayloadLength::get(frame.data()), rest.size());
    frame_layout::PayloadCrc::put(frame.data(), has_crc ? crc32c(rest.first(length)) : 0);
    frame_layout::HeaderCrc::put(frame.data(), crc32c(frame.first<frame_layout::HeaderCrc::kOffset>()));
}

}  // namespace isoplane::wire::samples
