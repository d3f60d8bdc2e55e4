// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// A client of a shared node that does nothing but send, as fast as it can, until it is killed:
/// hammer SOCKET NODE KEY flood|forge|mad. It needs no EAL: so it is there in a millisecond.
///
/// - flood: to the next node of its job, to all, and out of the port;
/// - forge: the same in the name of node 0 of job 7;
/// - mad: the same, and writes over its rings now and then.

#include <sched.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <isoplane/share/attachment.hh>
#include <isoplane/wire/frame.hh>
#include <random>
#include <string>

namespace {

using namespace isoplane;

constexpr std::uint32_t kEach = 2048;
constexpr std::uint32_t kPackets = 512;

share::Identity identity(std::uint16_t node, std::uint32_t key) {
    return {.mac = {2, 0, 0x66, static_cast<std::uint8_t>(key), 0, static_cast<std::uint8_t>(node)},
            .job_key = key,
            .node = node};
}

void write(std::byte* at, const share::Identity& from, const wire::MacAddress& to, std::uint16_t node) {
    wire::encode_ethernet(std::span<std::byte, wire::kEthernetSize>(at, wire::kEthernetSize), to, from.mac,
                          wire::kDefaultEtherType);
    wire::Header header{.kind = wire::Kind::kAck,
                        .job_key = from.job_key,
                        .source = from.node,
                        .destination = node,
                        .epoch = 1};
    wire::encode_frame(std::span<std::byte, wire::kHeaderSize>(at + wire::kEthernetSize, wire::kHeaderSize),
                       header, {});
}

[[noreturn]] void hammer(share::Area& area, bool mad) {
    std::mt19937 random(std::random_device{}());
    std::uint32_t sent = 0;
    std::uint32_t given = 0;
    for (;;) {
        while (sent - area.out.done.load(std::memory_order_acquire) < share::kSlots) {
            const std::uint32_t size = 62 + static_cast<std::uint32_t>(random()) % 1400;
            area.out.put(sent, {sent % kPackets * kEach, size});
            ++sent;
        }
        area.out.posted.store(sent, std::memory_order_release);
        while (given - area.in.done.load(std::memory_order_acquire) < share::kSlots) {
            area.in.put(given, {(kPackets + given % kPackets) * kEach, kEach});
            ++given;
        }
        area.in.posted.store(given, std::memory_order_release);
        if (mad && random() % 1000 == 0)
            area.out.put(static_cast<std::uint32_t>(random()), share::Descriptor(random() * random()));
        sched_yield();
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) return 2;
    const auto node = static_cast<std::uint16_t>(std::atoi(argv[2]));
    const auto key = static_cast<std::uint32_t>(std::atoi(argv[3]));
    const std::string mode = argv[4];
    try {
        const share::Identity self = identity(node, key);
        const share::Identity name = mode == "forge" ? identity(0, 7) : self;
        const runtime::SharedMemory memory("hammer", 2 * kPackets * kEach);
        for (std::uint32_t i = 0; i < kPackets; ++i) {
            std::byte* at = memory.bytes().data() + i * kEach;
            const auto next = static_cast<std::uint16_t>(node + i % 4);
            if (i % 16 == 0)
                write(at, name, wire::kBroadcastMac, wire::kBroadcast);
            else
                write(at, name, identity(next, key).mac, next);
        }
        share::Attachment attachment(argv[1], self, memory, std::chrono::seconds(10));
        hammer(attachment.area(), mode == "mad");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "hammer: %s\n", error.what());
        return 1;
    }
}
