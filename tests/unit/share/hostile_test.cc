// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <fcntl.h>
#include <rte_pause.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>
#include <thread>

#include "clients.hh"

namespace isoplane::test {

namespace {

/// Two clients that behave, and one whose memory a test writes to.
struct Hostile : testing::Test {
    Hostile() {
        for (Client* client : {&a, &b, &bad})
            EXPECT_TRUE(node.exchange.attach(client->guest));
    }
    void others_go_on() {
        a.take();
        b.take();
        ASSERT_EQ(a.send(identity(1), 100), 100U);
        ASSERT_EQ(b.send(identity(0), 50), 50U);
        node.poll(4);
        EXPECT_EQ(b.take(), 100U);
        EXPECT_EQ(a.take(), 50U);
    }

    SharedNode node;
    Client a{identity(0)};
    Client b{identity(1)};
    Client bad{identity(2)};
};

TEST_F(Hostile, more_posted_than_fits_is_the_end_of_it) {
    bad.area.out.posted.store(share::kSlots + 1);
    node.poll();
    EXPECT_NE(bad.guest.broken(), nullptr);
    others_go_on();
}

TEST_F(Hostile, less_posted_than_before_is_the_end_of_it) {
    bad.send(kFar, 10);
    node.poll();
    bad.area.out.posted.store(3);
    node.poll();
    EXPECT_NE(bad.guest.broken(), nullptr);
    others_go_on();
}

TEST_F(Hostile, bytes_outside_its_memory_are_the_end_of_it) {
    const auto size = static_cast<std::uint32_t>(bad.pool.shared()->bytes().size());
    for (const share::Descriptor wrong : {share::Descriptor{size, 64}, share::Descriptor{size - 63, 64},
                                          share::Descriptor{UINT32_MAX, UINT32_MAX},
                                          share::Descriptor{0, size + 1}, share::Descriptor{0, 0}}) {
        Client worse(identity(3));
        ASSERT_TRUE(node.exchange.attach(worse.guest));
        worse.area.out.put(0, wrong);
        worse.area.out.posted.store(1);
        node.poll();
        EXPECT_NE(worse.guest.broken(), nullptr) << wrong.offset() << ' ' << wrong.length();
        node.exchange.detach(worse.guest);
        EXPECT_EQ(worse.counters().sent.get(), 0U);
    }
    others_go_on();
}

TEST_F(Hostile, a_packet_of_all_its_memory_is_refused) {
    bad.area.out.put(0, {0, static_cast<std::uint32_t>(bad.pool.shared()->bytes().size())});
    bad.area.out.posted.store(1);
    node.poll();
    EXPECT_EQ(bad.counters().refused.get(), 1U);
    others_go_on();
}

TEST_F(Hostile, room_outside_its_memory_is_not_written_to) {
    const auto size = static_cast<std::uint32_t>(bad.pool.shared()->bytes().size());
    for (std::uint32_t i = 0; i < share::kSlots; ++i)
        bad.area.in.put(i, {size - 32, 2048});
    a.send(identity(2), 5);
    node.poll();
    EXPECT_EQ(bad.counters().received.get(), 0U);
    EXPECT_EQ(bad.counters().missed.get(), 5U);
    EXPECT_NE(bad.guest.broken(), nullptr);
    others_go_on();
}

TEST_F(Hostile, more_room_than_fits_is_the_end_of_it) {
    bad.area.in.posted.store(bad.area.in.posted.load() + share::kSlots);
    a.send(identity(2), 300);
    node.poll(10);
    EXPECT_NE(bad.guest.broken(), nullptr);
    others_go_on();
}

TEST_F(Hostile, too_little_room_is_missed) {
    for (std::uint32_t i = 0; i < share::kSlots; ++i)
        bad.area.in.put(i, {0, 10});
    a.send(identity(2), 3);
    node.poll();
    EXPECT_EQ(bad.counters().missed.get(), 3U);
    EXPECT_EQ(bad.guest.broken(), nullptr);
    others_go_on();
}

TEST_F(Hostile, what_the_node_says_is_not_read_back) {
    bad.area.out.done.store(77);
    bad.area.in.done.store(99);
    bad.send(identity(0), 5);
    node.poll();
    EXPECT_EQ(bad.area.out.done.load(), 5U);
    EXPECT_EQ(a.take(), 5U);
}

/// A client whose packets are bytes in its memory, and nothing more.
struct Noise {
    static constexpr std::uint32_t kEach = 2048;
    static constexpr std::uint32_t kPackets = 32;

    Noise(const Identity& who, runtime::Pool& pool)
        : guest(who, runtime::SharedMemory(dup(rings.descriptor()), sizeof(share::Area) * 2),
                runtime::SharedMemory(dup(memory.descriptor()), std::size_t{1} << 20)) {
        for (std::uint32_t i = 0; i < kPackets; ++i) {
            const runtime::Packet packet = frame(pool, who, identity(i % 2));
            std::ranges::copy(packet.data(), memory.bytes().begin() + i * kEach);
        }
        for (std::uint32_t i = 0; i < share::kSlots; ++i) {
            area.out.put(i, {i % kPackets * kEach, 64});
            area.in.put(i, {i % kPackets * kEach, kEach});
        }
    }

    runtime::SharedMemory rings{"rings", sizeof(share::Area)};
    runtime::SharedMemory memory{"noise", kEach* kPackets};
    share::Area& area = *reinterpret_cast<share::Area*>(rings.bytes().data());
    share::Guest guest;
};

/// Whatever stands there, whatever is written meanwhile: nobody else notices, and no packet is lost.
TEST_F(Hostile, random_memory_harms_nobody_else) {
    std::mt19937 random(1);
    const auto any = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random()) % below; };
    unsigned broke = 0;
    std::uint64_t got_out = 0;
    for (unsigned seed = 0; seed < 150; ++seed) {
        Noise noise(identity(3), node.pool);
        ASSERT_TRUE(node.exchange.attach(noise.guest));
        for (unsigned step = 0; step < 20; ++step) {
            for (std::uint32_t i = 0; i < 16; ++i) {
                // Mostly what could be a packet, so that it is not over at once.
                const bool wild = any(200) == 0;
                const share::Descriptor what(wild ? any(UINT32_MAX) : any(Noise::kPackets) * Noise::kEach,
                                             wild ? any(UINT32_MAX) : any(Noise::kEach) + 1);
                (any(2) == 0 ? noise.area.out : noise.area.in).put(any(share::kSlots), what);
            }
            if (any(4) == 0) noise.area.out.posted.fetch_add(any(64));
            if (any(4) == 0) noise.area.in.posted.fetch_add(any(64));
            if (any(500) == 0) noise.area.out.posted.store(any(UINT32_MAX));
            if (any(500) == 0) noise.area.in.posted.store(any(UINT32_MAX));
            noise.memory.bytes()[any(Noise::kEach * Noise::kPackets)] ^= std::byte{1};
            a.send(identity(3), 2);
            node.poll(2);
            others_go_on();
        }
        broke += noise.guest.broken() != nullptr ? 1 : 0;
        got_out += noise.guest.counters().sent.get();
        node.exchange.detach(noise.guest);
        node.port.out.clear();
    }
    EXPECT_GT(broke, 15U);
    EXPECT_LT(broke, 150U);
    EXPECT_GT(got_out, 0U);
}

/// Memory of 8192 bytes, all there.
int written(const char* name) {
    const int memory = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    const std::array<char, 8192> zeroes{};
    EXPECT_EQ(write(memory, zeroes.data(), zeroes.size()), static_cast<ssize_t>(zeroes.size()));
    return memory;
}

TEST(SharedMemory, what_can_shrink_is_not_taken) {
    const int open = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    ASSERT_EQ(ftruncate(open, 8192), 0);
    EXPECT_THROW(runtime::SharedMemory(open, 1 << 20), std::runtime_error);
    const int sealed = written("sealed");
    ASSERT_EQ(fcntl(sealed, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    EXPECT_EQ(runtime::SharedMemory(sealed, 1 << 20).bytes().size(), 8192U);
}

void punch(int memory) {
    fallocate(memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 4096, 4096);
}

/// Not by its descriptor, nor where it is mapped; but its owner still writes to it.
TEST(SharedMemory, nobody_makes_holes_in_what_has_been_taken) {
    const runtime::SharedMemory owners("owners", 8192);
    const runtime::SharedMemory taken(dup(owners.descriptor()), 8192);
    owners.bytes()[5000] = std::byte{7};
    punch(owners.descriptor());
    EXPECT_NE(madvise(owners.bytes().data() + 4096, 4096, MADV_REMOVE), 0);
    EXPECT_EQ(taken.bytes()[5000], std::byte{7});
    EXPECT_NE(ftruncate(owners.descriptor(), 0), 0);
    EXPECT_EQ(lseek(owners.descriptor(), 0, SEEK_HOLE), 8192);
}

/// What is taken is whole also when its owner makes holes meanwhile.
TEST(SharedMemory, what_has_holes_is_not_taken) {
    std::atomic<int> given{-1};
    std::atomic<bool> over{false};
    std::thread owner([&] {
        for (unsigned tries = 0; !over; ++tries) {
            const int memory = given;
            for (unsigned i = tries % 64; memory >= 0 && i > 0; --i)
                rte_pause();
            if (memory >= 0) punch(memory);
            given = -1;
        }
    });
    for (unsigned i = 0; i < 3000; ++i) {
        const int memory = written("punched");
        ASSERT_EQ(fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK), 0);
        const int look = dup(memory);
        given = look;
        try {
            const runtime::SharedMemory taken(memory, 8192);
            while (given >= 0)
                std::this_thread::yield();
            EXPECT_EQ(lseek(look, 0, SEEK_HOLE), 8192);
        } catch (const std::runtime_error&) {
            // It had one before.
        }
        while (given >= 0)
            std::this_thread::yield();
        close(look);
    }
    over = true;
    owner.join();
}

TEST(SharedMemory, what_cannot_be_kept_whole_is_not_taken) {
    const int closed = written("closed");
    ASSERT_EQ(fcntl(closed, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL), 0);
    EXPECT_THROW(runtime::SharedMemory(closed, 1 << 20), std::runtime_error);
}

/// It can grow, also while it is looked at.
TEST(SharedMemory, no_more_is_mapped_than_was_allowed) {
    constexpr std::size_t kMost = 8192;
    std::atomic<int> given{-1};
    std::atomic<bool> over{false};
    std::thread owner([&] {
        for (unsigned tries = 0; !over; ++tries) {
            const int memory = given.exchange(-1);
            if (memory < 0) {
                std::this_thread::yield();
                continue;
            }
            for (unsigned i = tries % 64; i > 0; --i)
                rte_pause();
            EXPECT_EQ(ftruncate(memory, std::size_t{1} << 20), 0);
            close(memory);
        }
    });
    for (unsigned i = 0; i < 3000; ++i) {
        const int memory = written("growing");
        ASSERT_EQ(fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK), 0);
        given = dup(memory);
        try {
            EXPECT_LE(runtime::SharedMemory(memory, kMost).bytes().size(), kMost);
        } catch (const std::runtime_error&) {
            // It had grown before.
        }
        while (given >= 0)
            std::this_thread::yield();
    }
    over = true;
    owner.join();
}

TEST(SharedMemory, what_is_no_memory_or_too_much_is_not_taken) {
    EXPECT_THROW(runtime::SharedMemory(open("/dev/null", O_RDWR | O_CLOEXEC), 1 << 20), std::runtime_error);
    EXPECT_THROW(runtime::SharedMemory(open("/proc/self/exe", O_RDONLY | O_CLOEXEC), 1 << 20),
                 std::runtime_error);
    const runtime::SharedMemory large("large", 1 << 20);
    EXPECT_THROW(runtime::SharedMemory(dup(large.descriptor()), (1 << 20) - 1), std::runtime_error);
}

}  // namespace

}  // namespace isoplane::test
