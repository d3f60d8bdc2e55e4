// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Writes the capture that the dissector is tested on: the samples of every kind over Ethernet and over UDP,
/// then packets that are wrong in one way each. Prints the name of each packet, in order, for the test to
/// find them by.
#include <pcap/pcap.h>

#include <cstdio>
#include <memory>
#include <utility>

#include <isoplane/wire/hello.hh>
#include <isoplane/wire/page.hh>
#include <isoplane/wire/run.hh>
#include <isoplane/wire/token.hh>
#include <isoplane/wire/trailer.hh>
#include <isoplane/wire/view.hh>

#include "samples.hh"

namespace isoplane::wire {
namespace {

using samples::Sample;

std::span<std::byte> frame_of(Sample& sample) {
    return std::span(sample.packet).subspan(kEthernetSize);
}

/// An acknowledgement over Ethernet with one field changed and its CRCs right.
template <typename Field, typename Value>
Sample with(std::string name, Value value) {
    Sample sample{std::move(name), Kind::kAck, samples::packet(samples::header(Kind::kAck), {})};
    Field::put(frame_of(sample).data(), value);
    samples::reseal(frame_of(sample));
    return sample;
}

/// A token over Ethernet with one field of its payload changed and its CRCs right.
template <typename Field, typename Value>
Sample token_with(std::string name, Value value) {
    samples::Bytes payload(kTokenSize);
    encode_token(payload, {.number = 1}, {});
    Field::put(payload.data(), value);
    return {std::move(name), Kind::kToken, samples::packet(samples::header(Kind::kToken), payload)};
}

/// A token over Ethernet of this one entry.
Sample token_of(std::string name, const TokenEntry& entry) {
    samples::Bytes payload(token_size(1));
    encode_token(payload, {.number = 1}, {&entry, 1});
    return {std::move(name), Kind::kToken, samples::packet(samples::header(Kind::kToken), payload)};
}

/// A hello over Ethernet that says this.
Sample hello_of(std::string name, const Hello& hello) {
    samples::Bytes payload(kHelloSize + hello.name.size());
    encode_hello(payload, hello);
    return {std::move(name), Kind::kHello, samples::packet(samples::header(Kind::kHello), payload)};
}

/// A hello over Ethernet with a byte more in its name than there may be.
Sample hello_of_long_name() {
    samples::Bytes payload(kHelloSize + kMaxNameSize + 1, std::byte{'x'});
    encode_hello(payload, {.mtu = kMinMtu, .name = {}});
    hello_layout::NameSize::put(payload.data(), static_cast<std::uint8_t>(kMaxNameSize + 1));
    return {"hello_long_name", Kind::kHello, samples::packet(samples::header(Kind::kHello), payload)};
}

/// A message of eight bytes of data over Ethernet, which says this of its size or place.
Sample message_of(std::string name, std::uint8_t fragment, std::uint32_t size_or_offset) {
    const auto payload = samples::message(
        {.protocol = Protocol::kNoniso, .fragment = fragment, .size_or_offset = size_or_offset},
        samples::counting(8));
    return {std::move(name), Kind::kData, samples::packet(samples::header(Kind::kData), payload)};
}

Sample view_of_another_version() {
    samples::Bytes payload(view_size(0, 0));
    encode_view(payload, {.step = ViewStep::kAsk});
    view_layout::Reserved::put(payload.data(), std::uint8_t{1});
    return {"reserved_in_view", Kind::kView, samples::packet(samples::header(Kind::kView), payload)};
}

/// A message in a run that has the rank of the one before it.
samples::Bytes run_that_stays() {
    samples::Bytes all = samples::message(Protocol::kIsotach, samples::isotach_body({}));
    const samples::Bytes second = samples::message(
        {.protocol = Protocol::kIsotach, .fragment = kInRun, .size_or_offset = run_step::of({}, 1, 0)}, {});
    all.insert(all.end(), second.begin(), second.end());
    return all;
}

std::vector<Sample> wrong_ones() {
    std::vector<Sample> wrong = {
        with<frame_layout::Version>("bad_version", std::uint8_t{1}),
        with<frame_layout::Kind>("bad_kind", std::uint8_t{200}),
        with<frame_layout::Flags>("bad_flags", std::uint16_t{0x8000}),
        with<frame_layout::PayloadLength>("bad_length", std::uint16_t{1000}),
        with<frame_layout::Kind>("bad_body", static_cast<std::uint8_t>(Kind::kToken)),
        token_with<token_layout::Part>("bad_token_part", std::uint8_t{1}),
        token_of("bad_token_source", {.source = kEveryHost, .destination = 1, .value = 7}),
        token_of("bad_token_destination", {.source = 3, .destination = 3, .value = 7}),
        token_of("bad_group_word", {.source = 3,
                                    .destination = kEveryHost,
                                    .value = group_signal(0) | group_signal(kSignalChannels)}),
        token_of("empty_group_word", {.source = 3, .destination = kEveryHost, .value = 0}),
        with<frame_layout::Destination>("ack_to_all", kBroadcast),
        hello_of_long_name(),
        hello_of("hello_unknown_role", {.roles = 0x80, .mtu = kMinMtu, .name = {}}),
        hello_of("hello_unknown_feature", {.features = 0x80, .mtu = kMinMtu, .name = {}}),
        hello_of("hello_small_mtu", {.mtu = 10, .name = {}}),
        hello_of("hello_unprintable", {.mtu = kMinMtu, .name = "host\x1b[2J"}),
        message_of("whole_of_another_size", kWholeMessage, 9),
        message_of("first_that_is_all", kFirstFragment, 8),
        message_of("last_at_0", kLastFragment, 0),
        message_of("last_beyond_4_g", kLastFragment, 0xfffffff8),
        {"run_that_stays", Kind::kData, samples::packet(samples::header(Kind::kData), run_that_stays())},
        view_of_another_version()};

    Sample header{"bad_header_crc", Kind::kAck, samples::packet(samples::header(Kind::kAck), {})};
    frame_of(header)[frame_layout::Sequence::kOffset] ^= std::byte{1};
    wrong.push_back(header);

    const auto payload = samples::message(Protocol::kActive, samples::counting(64));
    Sample body{"bad_payload_crc", Kind::kData, samples::packet(samples::header(Kind::kData), payload)};
    body.packet.back() ^= std::byte{1};
    wrong.push_back(body);
    return wrong;
}

/// With a trailer behind it.
Sample sealed(Transport transport) {
    Sample sample{"ack_sealed", Kind::kAck, samples::packet(samples::header(Kind::kAck), {}, transport)};
    const std::size_t front = envelope_size(transport);
    sample.packet.resize(front + kHeaderSize + kTrailerSize, std::byte{0xaa});
    write_trailer(
        sample.packet.data() + front + kHeaderSize,
        {.born = std::uint64_t{3} << 48 | 1'700'000'000'123, .salt = 5, .number = 0x200000007, .proof = 9});
    if (transport == Transport::kUdp) stretch_datagram(sample.packet.data(), kHeaderSize + kTrailerSize);
    return sample;
}

/// Messages of logical time that are for no program: the end of a view, and how things stand.
samples::Bytes views_payload() {
    samples::Bytes all;
    for (const std::uint8_t flag : {kIsotachFlush, kIsotachHandover}) {
        samples::Bytes body = samples::isotach_body(samples::counting(kFlushActSize));
        isotach_layout::Flags::put(body.data(), flag);
        isotach_layout::Operation::put(body.data(), static_cast<std::uint8_t>(Operation::kMessage));
        const samples::Bytes message = samples::message(Protocol::kIsotach, body);
        all.insert(all.end(), message.begin(), message.end());
    }
    return all;
}

samples::Bytes page_payload() {
    samples::Bytes page = samples::counting(page_message_size(2));
    encode_page_message(page, {.step = PageStep::kWords, .words = 2, .pulse = 70, .page = 8, .offset = 9});
    return samples::message(Protocol::kShmem, page);
}

/// Data frames that no decoder of frames tells apart, only who knows what is in their messages.
std::vector<Sample> finer_ones(Transport transport) {
    const samples::Bytes rest = samples::message(Protocol::kPortals, samples::Bytes(200));
    std::vector<Sample> all;
    for (const auto& [name, payload] :
         {std::pair{"data_portals_rest", rest}, std::pair{"data_page", page_payload()},
          std::pair{"data_views", views_payload()}})
        all.push_back({name, Kind::kData, samples::packet(samples::header(Kind::kData), payload, transport)});
    return all;
}

std::vector<Sample> contents() {
    std::vector<Sample> all;
    const auto append = [&](const std::string& prefix, std::vector<Sample> more) {
        for (Sample& sample : more) {
            sample.name = prefix + sample.name;
            all.push_back(std::move(sample));
        }
    };
    append("eth_", samples::all(Transport::kEthernet));
    append("udp_", samples::all(Transport::kUdp));
    append("eth_", {sealed(Transport::kEthernet)});
    append("udp_", {sealed(Transport::kUdp)});
    append("eth_", finer_ones(Transport::kEthernet));
    append("udp_", finer_ones(Transport::kUdp));
    append("", wrong_ones());
    return all;
}

bool write(const char* path) {
    const std::unique_ptr<pcap_t, decltype(&pcap_close)> ethernet(pcap_open_dead(DLT_EN10MB, 65535),
                                                                  pcap_close);
    pcap_dumper_t* file = pcap_dump_open(ethernet.get(), path);
    if (file == nullptr) {
        std::fprintf(stderr, "cannot write the capture: %s\n", pcap_geterr(ethernet.get()));
        return false;
    }
    pcap_pkthdr header{};
    for (const Sample& sample : contents()) {
        header.ts.tv_usec += 10;
        header.len = header.caplen = static_cast<bpf_u_int32>(sample.packet.size());
        pcap_dump(reinterpret_cast<u_char*>(file), &header,
                  reinterpret_cast<const u_char*>(sample.packet.data()));
        std::printf("%s\n", sample.name.c_str());
    }
    const bool written = pcap_dump_flush(file) == 0;
    pcap_dump_close(file);
    return written;
}

}  // namespace
}  // namespace isoplane::wire

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: make_capture FILE\n");
        return 2;
    }
    return isoplane::wire::write(argv[1]) ? 0 : 1;
}
