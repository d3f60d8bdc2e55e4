// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "capture/pcapng.hh"
#include "made_frames.hh"
#include "replay/trace.hh"

namespace isoplane::test {
namespace {

using namespace std::chrono_literals;
using replay::Trace;
using replay::TraceFrame;

/// A file that goes with the test.
class TraceFile : public ::testing::Test {
  protected:
    ~TraceFile() override {
        std::error_code none;
        std::filesystem::remove(path_, none);
    }

    /// Classic pcap with microseconds, of that link type.
    void write_pcap(int type, const std::vector<Bytes>& frames, std::uint32_t more_on_the_wire = 0) {
        pcap_t* const dead = pcap_open_dead(type, 65535);
        pcap_dumper_t* const out = pcap_dump_open(dead, path_.c_str());
        ASSERT_NE(out, nullptr);
        for (std::size_t i = 0; i < frames.size(); ++i) {
            const auto size = static_cast<bpf_u_int32>(frames[i].size());
            const pcap_pkthdr header{.ts = {.tv_sec = 1000, .tv_usec = static_cast<suseconds_t>(20 * i)},
                                     .caplen = size,
                                     .len = size + more_on_the_wire};
            pcap_dump(reinterpret_cast<u_char*>(out), &header,
                      reinterpret_cast<const u_char*>(frames[i].data()));
        }
        pcap_dump_close(out);
        pcap_close(dead);
    }

    std::string path_ =
        std::filesystem::temp_directory_path() / ("isoplane-trace-" + std::to_string(getpid()));
};

TEST_F(TraceFile, reads_pcap_with_times_since_its_first_frame) {
    const std::vector<Bytes> frames{data(0, 1, 0, words("a")), data(0, 1, 1, words("bcd"))};
    write_pcap(DLT_EN10MB, frames);
    Trace trace(path_, "");
    TraceFrame frame;
    ASSERT_TRUE(trace.next(frame));
    EXPECT_EQ(frame.when, 0ns);
    EXPECT_TRUE(std::ranges::equal(frame.bytes, frames[0]));
    ASSERT_TRUE(trace.next(frame));
    EXPECT_EQ(frame.when, 20us);
    EXPECT_EQ(frame.length, frames[1].size());
    EXPECT_FALSE(trace.next(frame));
    EXPECT_EQ(trace.damage(), "");
    EXPECT_EQ(trace.frames(), 2U);
    EXPECT_EQ(trace.bytes(), frames[0].size() + frames[1].size());
    EXPECT_EQ(trace.progress(), 1);
    trace.rewind();
    ASSERT_TRUE(trace.next(frame));
    EXPECT_EQ(frame.when, 0ns);
}

TEST_F(TraceFile, reads_pcapng_in_nanoseconds) {
    capture::Writer writer(path_);
    writer.add_interface("one");
    const Bytes bytes = data(0, 1, 0, words("a"));
    for (const auto when : {5s + 100ns, 5s + 107ns})
        writer.add(0, capture::Direction::kOut, when, bytes);
    writer.finish();
    Trace trace(path_, "");
    TraceFrame frame;
    ASSERT_TRUE(trace.next(frame) && trace.next(frame));
    EXPECT_EQ(frame.when, 7ns);
    EXPECT_TRUE(std::ranges::equal(frame.bytes, bytes));
}

TEST_F(TraceFile, takes_the_frames_that_pass_a_filter) {
    Bytes other(60);
    other[12] = std::byte{0x08};
    write_pcap(DLT_EN10MB, {other, data(0, 1, 0, words("a")), other});
    Trace trace(path_, "ether proto 0x88b5");
    TraceFrame frame;
    ASSERT_TRUE(trace.next(frame));
    EXPECT_EQ(frame.when, 0ns) << "of those that pass it is the first";
    EXPECT_FALSE(trace.next(frame));
    EXPECT_THROW(Trace(path_, "no such thing"), std::invalid_argument);
}

TEST_F(TraceFile, tells_what_was_cut_when_it_was_captured) {
    write_pcap(DLT_EN10MB, {Bytes(60)}, 40);
    Trace trace(path_, "");
    TraceFrame frame;
    ASSERT_TRUE(trace.next(frame));
    EXPECT_EQ(frame.bytes.size(), 60U);
    EXPECT_EQ(frame.length, 100U);
}

/// The next frame is a packet of IP with 40 bytes, behind a header of Ethernet that says which.
void expect_ip(Trace& trace, std::uint8_t type, std::uint8_t begin) {
    TraceFrame frame;
    ASSERT_TRUE(trace.next(frame));
    ASSERT_EQ(frame.bytes.size(), 54U);
    EXPECT_EQ(frame.length, 54U);
    EXPECT_EQ(frame.bytes[12], std::byte{type});
    EXPECT_EQ(frame.bytes[14], std::byte{begin});
}

TEST_F(TraceFile, gives_frames_without_a_link_header_one_of_ethernet) {
    Bytes ip4(40);
    ip4[0] = std::byte{0x45};
    Bytes ip6(40);
    ip6[0] = std::byte{0x60};
    write_pcap(DLT_RAW, {ip4, ip6});
    Trace trace(path_, "");
    expect_ip(trace, 0x08, 0x45);
    expect_ip(trace, 0x86, 0x60);
}

TEST_F(TraceFile, gives_frames_of_any_interface_a_header_of_ethernet) {
    Bytes cooked(16 + 20);
    cooked[14] = std::byte{0x88};
    cooked[15] = std::byte{0xb5};
    cooked[16] = std::byte{2};
    write_pcap(DLT_LINUX_SLL, {cooked});
    Trace trace(path_, "");
    TraceFrame frame;
    ASSERT_TRUE(trace.next(frame));
    ASSERT_EQ(frame.bytes.size(), 34U);
    EXPECT_EQ(frame.bytes[12], std::byte{0x88});
    EXPECT_EQ(frame.bytes[13], std::byte{0xb5});
    EXPECT_EQ(frame.bytes[14], std::byte{2});
}

TEST_F(TraceFile, gives_frames_of_a_loopback_a_header_of_ethernet) {
    for (const int type : {DLT_NULL, DLT_LOOP}) {
        Bytes ip4(4 + 40);
        ip4[type == DLT_NULL ? 0 : 3] = std::byte{2};  // the family, in either byte order
        ip4[4] = std::byte{0x45};
        Bytes ip6(4 + 40);
        ip6[4] = std::byte{0x60};
        write_pcap(type, {ip4, ip6, Bytes(4)});
        Trace trace(path_, "");
        expect_ip(trace, 0x08, 0x45);
        expect_ip(trace, 0x86, 0x60);
        TraceFrame frame;
        ASSERT_TRUE(trace.next(frame));
        EXPECT_TRUE(frame.bytes.empty());
    }
}

TEST_F(TraceFile, says_what_it_cannot_read) {
    EXPECT_THROW(Trace(path_ + ".nix", ""), std::runtime_error);
    std::ofstream(path_) << "this is no capture file at all";
    EXPECT_THROW(Trace(path_, ""), std::runtime_error);
    write_pcap(DLT_BLUETOOTH_HCI_H4, {Bytes(60)});
    EXPECT_THROW(Trace(path_, ""), std::runtime_error);
}

TEST_F(TraceFile, uses_what_stands_before_the_damage) {
    write_pcap(DLT_EN10MB, {Bytes(60), Bytes(60)});
    std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 10);
    Trace trace(path_, "");
    TraceFrame frame;
    EXPECT_TRUE(trace.next(frame));
    EXPECT_FALSE(trace.next(frame));
    EXPECT_NE(trace.damage().find("behind frame 1"), std::string::npos) << trace.damage();
}

TEST_F(TraceFile, takes_a_time_that_nanoseconds_cannot_count_for_damage) {
    capture::Writer writer(path_);
    writer.add_interface("one");
    writer.add(0, capture::Direction::kOut, 1s, Bytes(60));
    writer.add(0, capture::Direction::kOut, capture::Time::max(), Bytes(60));
    writer.finish();
    Trace trace(path_, "");
    TraceFrame frame;
    EXPECT_TRUE(trace.next(frame));
    EXPECT_FALSE(trace.next(frame));
    EXPECT_NE(trace.damage().find("behind frame 1"), std::string::npos) << trace.damage();
    EXPECT_NE(trace.damage().find("2262"), std::string::npos) << trace.damage();
}

TEST_F(TraceFile, says_that_a_file_has_several_link_types) {
    capture::Writer writer(path_);
    writer.add_interface("one");
    writer.add_interface("other");
    writer.add(0, capture::Direction::kOut, 1s, Bytes(60));
    writer.finish();
    // The link type of the second interface block, which is as long as the first but for its name.
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    const auto length_at = [&](std::streamoff at) {
        std::uint32_t length = 0;
        file.seekg(at + 4);
        file.read(reinterpret_cast<char*>(&length), sizeof length);
        return std::streamoff{length};
    };
    const std::streamoff first = length_at(0);
    const std::streamoff second = first + length_at(first);
    file.seekp(second + 8);
    file.put(static_cast<char>(DLT_LINUX_SLL));
    file.close();
    Trace trace(path_, "");
    TraceFrame frame;
    EXPECT_FALSE(trace.next(frame));
    EXPECT_NE(trace.damage().find("several link types"), std::string::npos) << trace.damage();
    EXPECT_EQ(trace.damage().find("damaged"), std::string::npos) << trace.damage();
}

}  // namespace
}  // namespace isoplane::test
