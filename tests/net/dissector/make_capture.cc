// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Writes the capture that the dissector is tested on: the samples of every kind over Ethernet and over UDP,
/// then packets that are wrong in one way each. Prints the name of each packet, in order, for the test to
/// find them by.
#include <pcap/pcap.h>

#include <cstdio>
#include <memory>

#include <isoplane/wire/token.hh>

#include <isoplane/wire/trailer.hh>

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
        token_of("empty_group_word", {.source = 3, .destination = kEveryHost, .value = 0})};

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
