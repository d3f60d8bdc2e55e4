// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <pcap/pcap.h>
#include <rte_bus_vdev.h>
#include <rte_dev.h>
#include <rte_ethdev.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <isoplane/runtime/capture.hh>
#include <stdexcept>

#include "bench.hh"

namespace isoplane::runtime {
namespace {

/// The capture's format describes packets by ethdev ports, so there has to be one.
class CaptureTest : public RuntimeTest {
  protected:
    void SetUp() override {
        ASSERT_EQ(rte_eal_hotplug_add("vdev", "net_null_capture", ""), 0);
        ASSERT_EQ(rte_eth_dev_get_port_by_name("net_null_capture", &port_), 0);
        file_ = testing::TempDir() + "isoplane-capture-" + std::to_string(getpid()) + ".pcapng";
    }
    void TearDown() override {
        rte_eal_hotplug_remove("vdev", "net_null_capture");
        std::filesystem::remove(file_);
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

    std::uint16_t port_ = 0;
    std::string file_;
    Drain drain_;
};

TEST_F(CaptureTest, writes_what_passed_byte_by_byte) {
    Capture capture(file_);
    drain_.set_tap(&capture.tap(port_, Capture::Direction::kSent));
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
    Capture capture(file_);
    drain_.set_tap(&capture.tap(port_, Capture::Direction::kSent));
    drain_.room = 1;
    Burst burst{make(), make()};
    ASSERT_EQ(drain_.send(burst.data(), 2), 1);
    drain_.set_tap(nullptr);
    rte_pktmbuf_free(burst[1]);
    EXPECT_EQ(capture.finish().written, 1U);
}

TEST_F(CaptureTest, goes_on_when_it_has_written_more_than_its_pool_holds) {
    Capture capture(file_);
    drain_.set_tap(&capture.tap(port_, Capture::Direction::kSent));
    constexpr std::uint64_t kMany = 10'000;
    for (std::uint64_t i = 1; i <= kMany; ++i) {
        send(drain_, 'x', 100);
        while (capture.figures().written + capture.figures().missed + kBurst < i)
            std::this_thread::yield();
    }
    drain_.set_tap(nullptr);
    EXPECT_EQ(capture.finish().written, kMany);
}

TEST_F(CaptureTest, cannot_begin_where_no_file_can_be) {
    EXPECT_THROW(Capture("/nonexistent/file"), std::runtime_error);
    EXPECT_THROW(Capture("/dev/full"), std::runtime_error);
}

TEST_F(CaptureTest, tells_of_a_disk_that_fills_up_and_counts_what_it_cost) {
    // A file size limit stands in for the disk.
    signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit small = before;
    small.rlim_cur = 8192;
    setrlimit(RLIMIT_FSIZE, &small);
    Capture capture(file_);
    drain_.set_tap(&capture.tap(port_, Capture::Direction::kSent));
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
