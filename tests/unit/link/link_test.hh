// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_mbuf.h>

#include <unistd.h>
#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <functional>
#include <isoplane/link/link.hh>
#include <isoplane/runtime/pool.hh>
#include <string>
#include <thread>
#include <vector>

namespace isoplane::link {

using Bytes = std::vector<std::uint8_t>;

/// A frame of `length` bytes that no other number makes.
inline Bytes frame_of(std::uint32_t number, std::size_t length) {
    Bytes bytes(length);
    for (std::size_t i = 0; i < length; ++i)
        bytes[i] = static_cast<std::uint8_t>((number >> (8 * (i % 4))) + i / 4 * 31);
    return bytes;
}

/// A packet with these bytes, in segments of at most `segment` bytes.
inline rte_mbuf* packet_of(runtime::Pool& pool, const Bytes& bytes, std::size_t segment = 2048) {
    rte_mbuf* packet = nullptr;
    for (std::size_t done = 0; done < bytes.size() || packet == nullptr;) {
        rte_mbuf* part = pool.packet().release();
        const auto length = static_cast<std::uint16_t>(std::min(segment, bytes.size() - done));
        std::memcpy(rte_pktmbuf_append(part, length), bytes.data() + done, length);
        done += length;
        if (packet == nullptr)
            packet = part;
        else
            rte_pktmbuf_chain(packet, part);
    }
    return packet;
}

inline Bytes bytes_of(const rte_mbuf* packet) {
    Bytes bytes(packet->pkt_len);
    const void* at = rte_pktmbuf_read(packet, 0, packet->pkt_len, bytes.data());
    if (at != bytes.data()) std::memcpy(bytes.data(), at, bytes.size());
    return bytes;
}

/// Tries again until `done` says so. The bound only keeps a broken program from hanging.
inline bool eventually(const std::function<bool()>& done) {
    for (int tries = 0; tries < 200000; ++tries) {
        if (done()) return true;
        if (tries > 1000) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    return false;
}

/// Sends every frame through `from` while receiving from `to`; returns what arrived.
inline std::vector<Bytes> carry(Link& from, Link& to, runtime::Pool& pool, const std::vector<Bytes>& frames) {
    std::vector<Bytes> arrived;
    std::size_t sent = 0;
    rte_mbuf* waiting = nullptr;
    eventually([&] {
        if (waiting == nullptr && sent < frames.size()) waiting = packet_of(pool, frames[sent]);
        if (waiting != nullptr && from.output().send(&waiting, 1) == 1) {
            waiting = nullptr;
            ++sent;
        }
        runtime::Burst burst;
        const std::uint16_t n = to.input().receive(burst);
        for (std::uint16_t i = 0; i < n; ++i)
            arrived.push_back(bytes_of(burst[i]));
        rte_pktmbuf_free_bulk(burst.data(), n);
        return arrived.size() >= frames.size();
    });
    rte_pktmbuf_free(waiting);
    return arrived;
}

/// A pool that has to be full again at the end of the test, and a directory of its own.
class LinkTest : public ::testing::Test {
  protected:
    LinkTest() : pool("link_test", 8191) {
        std::string pattern = (std::filesystem::temp_directory_path() / "unit_link_XXXXXX").string();
        dir = mkdtemp(pattern.data());
    }
    ~LinkTest() override { std::filesystem::remove_all(dir); }
    void TearDown() override { EXPECT_EQ(pool.in_use(), 0U) << "packets that did not come back"; }

    virtual LinkOptions options() { return {.pool = &pool, .wait_seconds = 1}; }
    std::unique_ptr<Link> open(const std::string& text) {
        return open_link(LinkSpec::parse(text), "link0", options());
    }

    runtime::Pool pool;
    std::filesystem::path dir;
};

}  // namespace isoplane::link
