// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <pcap/pcap.h>
#include <rte_ether.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <isoplane/runtime/capture.hh>
#include <set>
#include <stdexcept>

#include "bench.hh"
#include "capture_tap.hh"

namespace isoplane::runtime {
namespace {

class CaptureTest : public RuntimeTest {
  protected:
    void SetUp() override {
        directory_ = testing::TempDir() + "isoplane-capture-" + std::to_string(getpid());
        std::filesystem::create_directory(directory_);
        file_ = directory_ + "/file.pcapng";
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    Tap& tap_of(Capture& capture) {
        return capture.tap(capture.add_interface("drain", ""), Capture::Direction::kOut);
    }

    /// Sends one packet whose bytes are all `fill`.
    void send(Output& output, char fill, std::uint16_t size) {
        rte_mbuf* m = make(size);
        std::memset(rte_pktmbuf_mtod(m, char*), fill, size);
        ASSERT_EQ(output.send(&m, 1), 1);
    }

    /// Reads the file back; it must be whole to its end.
    template <typename See>
    void for_each_in_file(See see) {
        char error[PCAP_ERRBUF_SIZE];
        pcap_t* read = pcap_open_offline(file_.c_str(), error);
        ASSERT_NE(read, nullptr) << error;
        pcap_pkthdr* header = nullptr;
        const u_char* bytes = nullptr;
        int result = 0;
        while ((result = pcap_next_ex(read, &header, &bytes)) == 1)
            see(*header, bytes);
        EXPECT_EQ(result, PCAP_ERROR_BREAK) << pcap_geterr(read);
        pcap_close(read);
    }
    std::uint64_t packets_in_file() {
        std::uint64_t n = 0;
        for_each_in_file([&n](const pcap_pkthdr&, const u_char*) { ++n; });
        return n;
    }

    std::string directory_;
    std::string file_;
    Drain drain_;
};

TEST_F(CaptureTest, writes_what_passed_byte_by_byte) {
    Capture capture({.file = file_});
    drain_.set_tap(&tap_of(capture));
    for (int i = 0; i < 100; ++i)
        send(drain_, static_cast<char>(i), static_cast<std::uint16_t>(60 + i));
    drain_.set_tap(nullptr);
    const auto figures = capture.finish();
    EXPECT_EQ(figures.written, 100U);
    EXPECT_EQ(figures.missed, 0U);
    EXPECT_EQ(figures.error, "");

    int n = 0;
    for_each_in_file([&n](const pcap_pkthdr& header, const u_char* bytes) {
        ASSERT_EQ(header.caplen, static_cast<unsigned>(60 + n));
        for (unsigned i = 0; i < header.caplen; ++i)
            ASSERT_EQ(bytes[i], n);
        ++n;
    });
    EXPECT_EQ(n, 100);
}

TEST_F(CaptureTest, keeps_only_what_the_output_took) {
    Capture capture({.file = file_});
    drain_.set_tap(&tap_of(capture));
    drain_.room = 1;
    Burst burst{make(), make()};
    ASSERT_EQ(drain_.send(burst.data(), 2), 1);
    drain_.set_tap(nullptr);
    rte_pktmbuf_free(burst[1]);
    EXPECT_EQ(capture.finish().written, 1U);
}

TEST_F(CaptureTest, the_largest_frame_is_whole_in_the_file) {
    static constexpr auto kLargest = static_cast<std::uint16_t>(kMaxMtu + RTE_ETHER_HDR_LEN + RTE_VLAN_HLEN);
    Pool large("large", 3, Pool::room_for(kMaxMtu), 0);
    Capture capture({.file = file_});
    drain_.set_tap(&tap_of(capture));
    rte_mbuf* m = large.packet().release();
    std::memset(rte_pktmbuf_append(m, kLargest), 'x', kLargest);
    ASSERT_EQ(drain_.send(&m, 1), 1);
    drain_.set_tap(nullptr);
    EXPECT_EQ(capture.finish().written, 1U);
    for_each_in_file([](const pcap_pkthdr& header, const u_char* bytes) {
        EXPECT_EQ(header.len, kLargest);
        ASSERT_EQ(header.caplen, kLargest);
        EXPECT_EQ(bytes[kLargest - 1], 'x');
    });
}

TEST_F(CaptureTest, goes_on_when_it_has_written_more_than_its_pool_holds) {
    Capture capture({.file = file_});
    drain_.set_tap(&tap_of(capture));
    constexpr std::uint64_t kMany = 10'000;
    for (std::uint64_t i = 1; i <= kMany; ++i) {
        send(drain_, 'x', 100);
        while (capture.figures().written + capture.figures().missed + kBurst < i)
            std::this_thread::yield();
    }
    drain_.set_tap(nullptr);
    EXPECT_EQ(capture.finish().written, kMany);
}

TEST_F(CaptureTest, a_filter_leaves_out_what_it_does_not_mean) {
    Capture capture({.file = file_, .filter = "greater 100"});
    drain_.set_tap(&tap_of(capture));
    for (int i = 0; i < 80; ++i)
        send(drain_, 'x', static_cast<std::uint16_t>(60 + i));
    drain_.set_tap(nullptr);
    const auto figures = capture.finish();
    EXPECT_EQ(figures.written, 40U);
    EXPECT_EQ(figures.missed, 0U);
    for_each_in_file([](const pcap_pkthdr& header, const u_char*) { EXPECT_GE(header.len, 100U); });
}

TEST_F(CaptureTest, of_many_files_the_newest_stay_and_each_is_whole) {
    constexpr std::uint64_t kMany = 400;
    constexpr std::uint64_t kSize = 8192;
    Capture capture({.file = file_, .file_size = kSize, .files = 3});
    drain_.set_tap(&tap_of(capture));
    for (std::uint64_t i = 0; i < kMany; ++i)
        send(drain_, static_cast<char>(i % 100), 1000);
    drain_.set_tap(nullptr);
    const auto figures = capture.finish();
    EXPECT_EQ(figures.written, kMany);
    EXPECT_GT(figures.files, 5U);

    std::set<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(directory_))
        files.insert(entry.path());
    ASSERT_EQ(files.size(), 3U);
    EXPECT_EQ(*files.rbegin(), figures.file);
    std::uint64_t last = 0;
    for (const std::string& file : files) {
        file_ = file;
        EXPECT_GT(packets_in_file(), 0U) << file;
        EXPECT_LE(std::filesystem::file_size(file), kSize) << file;
        for_each_in_file([&last](const pcap_pkthdr&, const u_char* bytes) { last = bytes[0]; });
    }
    EXPECT_EQ(last, (kMany - 1) % 100);
}

TEST_F(CaptureTest, what_finds_no_room_is_counted_and_the_next_packet_says_so) {
    // Its writer is not there yet: nobody takes what is handed over.
    const PacketFilter all("");
    Pool pool("few", 3, RTE_PKTMBUF_HEADROOM + CaptureTap::kSnapLength, 0);
    {
        CaptureTap tap("tapped", 0, pcapng::Direction::kOut, pool, all);
        drain_.set_tap(&tap);
        for (int i = 0; i < 10; ++i)
            send(drain_, 'x', 100);
        Burst burst;
        ASSERT_EQ(tap.handed_over().receive(burst), 3);
        rte_pktmbuf_free_bulk(burst.data(), 3);
        send(drain_, 'y', 100);
        drain_.set_tap(nullptr);
        const pcapng::Counts counts = tap.counts();
        EXPECT_EQ(counts.passed, 11U);
        EXPECT_EQ(counts.missed, 7U);
        ASSERT_EQ(tap.handed_over().receive(burst), 1);
        EXPECT_EQ(rte_pktmbuf_mtod(burst[0], const CaptureTap::Mark*)->missed, 7U);
        rte_pktmbuf_free(burst[0]);
    }
    EXPECT_EQ(pool.in_use(), 0U);
}

TEST_F(CaptureTest, cannot_begin_where_no_file_can_be) {
    EXPECT_THROW(Capture({.file = "/nonexistent/file"}), std::runtime_error);
    EXPECT_THROW(Capture({.file = "/dev/full"}), std::runtime_error);
    EXPECT_THROW(Capture({.file = file_, .filter = "no such"}), std::invalid_argument);
}

TEST_F(CaptureTest, tells_of_a_disk_that_fills_up_and_counts_what_it_cost) {
    // A file size limit stands in for the disk.
    signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit small = before;
    small.rlim_cur = 8192;
    setrlimit(RLIMIT_FSIZE, &small);
    Capture capture({.file = file_});
    drain_.set_tap(&tap_of(capture));
    for (int i = 0; i < 50; ++i)
        send(drain_, 'x', 1000);
    drain_.set_tap(nullptr);
    const auto figures = capture.finish();
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_NE(figures.error.find(file_), std::string::npos) << figures.error;
    EXPECT_EQ(figures.written + figures.missed, 50U);
    EXPECT_GT(figures.missed, 0U);
    EXPECT_EQ(packets_in_file(), figures.written);
}

}  // namespace
}  // namespace isoplane::runtime
