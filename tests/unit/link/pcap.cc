// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gmock/gmock-matchers.h>
#include <gtest/gtest.h>
#include <pcap/pcap.h>

#include <fstream>

#include "link_test.hh"

namespace isoplane::link {
namespace {

using ::testing::HasSubstr;

class PcapLink : public LinkTest {
  protected:
    std::string in() const { return (dir / "in.pcap").string(); }
    std::string out() const { return (dir / "out.pcap").string(); }

    static void write(const std::string& path, const std::vector<Bytes>& frames, int type = DLT_EN10MB) {
        pcap_t* dead = pcap_open_dead(type, 65535);
        pcap_dumper_t* file = pcap_dump_open(dead, path.c_str());
        ASSERT_NE(file, nullptr);
        for (const Bytes& frame : frames) {
            const auto length = static_cast<bpf_u_int32>(frame.size());
            const pcap_pkthdr header{.ts = {}, .caplen = length, .len = length};
            pcap_dump(reinterpret_cast<u_char*>(file), &header, frame.data());
        }
        pcap_dump_close(file);
        pcap_close(dead);
    }

    static std::vector<Bytes> read(const std::string& path) {
        char reason[PCAP_ERRBUF_SIZE];
        pcap_t* file = pcap_open_offline(path.c_str(), reason);
        EXPECT_NE(file, nullptr) << reason;
        std::vector<Bytes> frames;
        pcap_pkthdr* header = nullptr;
        const u_char* bytes = nullptr;
        while (pcap_next_ex(file, &header, &bytes) == 1) {
            EXPECT_EQ(header->caplen, header->len);
            frames.emplace_back(bytes, bytes + header->caplen);
        }
        pcap_close(file);
        return frames;
    }

    static std::vector<Bytes> odd_frames() {
        std::vector<Bytes> frames;
        std::uint32_t number = 0;
        for (std::size_t length : {1U, 13U, 14U, 59U, 60U, 1514U, 2047U, 2048U, 2049U, 4095U, 9014U, 65535U})
            frames.push_back(frame_of(++number, length));
        for (int i = 0; i < 500; ++i)
            frames.push_back(frame_of(++number, 64));
        return frames;
    }

    std::string refusal(const std::string& text) {
        try {
            open(text);
        } catch (const std::exception& error) {
            return error.what();
        }
        return "opened";
    }

    /// Takes everything the link has, and sends it back into it.
    void turn_around(Link& link) {
        link.start();
        EXPECT_TRUE(eventually([&] {
            runtime::Burst burst;
            const std::uint16_t n = link.input().receive(burst);
            EXPECT_EQ(link.output().send(burst.data(), n), n);
            return link.ended();
        }));
        link.stop();
    }
};

TEST_F(PcapLink, writes_every_byte_that_it_reads) {
    write(in(), odd_frames());
    {
        auto link = open("pcap:" + in() + "," + out());
        turn_around(*link);
        EXPECT_EQ(link->failure(), "");
        EXPECT_EQ(link->stats().ipackets, odd_frames().size());
        EXPECT_EQ(link->stats().opackets, odd_frames().size());
        EXPECT_EQ(link->port_id(), Link::kNoPort);
    }
    EXPECT_EQ(read(out()), odd_frames());
}

TEST_F(PcapLink, has_everything_in_the_file_once_it_is_stopped) {
    write(in(), odd_frames());
    auto link = open("pcap:" + in() + "," + out());
    turn_around(*link);
    EXPECT_EQ(read(out()), odd_frames());
}

TEST_F(PcapLink, without_an_input_yields_nothing_and_never_ends) {
    auto link = open("pcap:," + out());
    link->start();
    runtime::Burst burst;
    EXPECT_EQ(link->input().receive(burst), 0U);
    EXPECT_FALSE(link->ended());
}

TEST_F(PcapLink, without_an_output_frees_what_is_sent) {
    write(in(), odd_frames());
    auto link = open("pcap:" + in());
    turn_around(*link);
    EXPECT_EQ(link->stats().opackets, odd_frames().size());
}

TEST_F(PcapLink, loses_no_record_when_the_pool_is_empty) {
    write(in(), odd_frames());
    runtime::Pool small("small", 63, runtime::Pool::kDefaultRoom, 0);
    LinkOptions with = options();
    with.pool = &small;
    auto link = open_link(LinkSpec::parse("pcap:" + in() + "," + out()), "link0", with);
    std::vector<rte_mbuf*> kept(50);
    ASSERT_EQ(rte_pktmbuf_alloc_bulk(small.raw(), kept.data(), 50), 0);
    link->start();
    runtime::Burst burst;
    for (std::uint16_t n; (n = link->input().receive(burst)) != 0;)
        link->output().send(burst.data(), n);
    EXPECT_FALSE(link->ended());
    EXPECT_GT(link->stats().rx_nombuf, 0U);
    rte_pktmbuf_free_bulk(kept.data(), 50);
    turn_around(*link);
    EXPECT_EQ(read(out()), odd_frames());
    EXPECT_EQ(small.in_use(), 0U);
}

TEST_F(PcapLink, says_where_a_file_is_damaged_and_yields_what_stands_before) {
    write(in(), odd_frames());
    std::filesystem::resize_file(in(), std::filesystem::file_size(in()) - 3);
    auto link = open("pcap:" + in() + "," + out());
    turn_around(*link);
    EXPECT_THAT(link->failure(),
                HasSubstr("is damaged after packet " + std::to_string(odd_frames().size() - 1)));
    EXPECT_EQ(link->stats().ierrors, 1U);
    EXPECT_EQ(read(out()).size(), odd_frames().size() - 1);
}

TEST_F(PcapLink, says_that_a_file_could_not_be_written) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
    write(in(), odd_frames());
    auto link = open("pcap:" + in() + ",/dev/full");
    turn_around(*link);
    EXPECT_THAT(link->failure(), HasSubstr("'/dev/full' could not be written (No space left on device)"));
    EXPECT_GT(link->stats().oerrors, 0U);
}

TEST_F(PcapLink, notices_at_the_end_that_the_last_bytes_do_not_fit) {
    write(in(), {frame_of(1, 64)});
    auto link = open("pcap:" + in() + ",/dev/full");
    turn_around(*link);
    EXPECT_THAT(link->failure(), HasSubstr("could not be written (No space left on device)"));
}

TEST_F(PcapLink, refuses_files_that_it_cannot_read) {
    EXPECT_THAT(refusal("pcap:" + in()), HasSubstr("there is no capture file '" + in() + "'"));
    std::ofstream(dir / "text") << "this is not a capture, whatever its name may be";
    EXPECT_THAT(refusal("pcap:" + (dir / "text").string()),
                HasSubstr("cannot be read as a capture file: unknown"));
    std::ofstream(dir / "empty");
    EXPECT_THAT(refusal("pcap:" + (dir / "empty").string()),
                HasSubstr("cannot be read as a capture file: trunc"));
    EXPECT_THAT(refusal("pcap:" + dir.string()), HasSubstr("cannot be read as a capture file"));
    write(in(), {}, DLT_IEEE802_11);
    EXPECT_THAT(refusal("pcap:" + in()), HasSubstr("holds packets of type IEEE802_11, expected Ethernet"));
}

TEST_F(PcapLink, refuses_to_write_where_it_reads_and_where_it_cannot) {
    write(in(), odd_frames());
    EXPECT_THAT(refusal("pcap:" + in() + "," + (dir / "." / "in.pcap").string()),
                HasSubstr("would overwrite the file it reads"));
    EXPECT_EQ(read(in()), odd_frames());
    EXPECT_THAT(refusal("pcap:," + (dir / "missing" / "out.pcap").string()),
                HasSubstr("cannot create the capture file"));
}

}  // namespace
}  // namespace isoplane::link
