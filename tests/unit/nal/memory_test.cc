// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Data that is read where it lies.
#include <sys/wait.h>
#include <unistd.h>

#include "nal_test.hh"

namespace isoplane::test {

class MemoryTest : public NalTest {
  protected:
    static constexpr std::uint8_t kInMemory = wire::kPortalsRestWaits | wire::kPortalsInMemory;
    static constexpr std::uint32_t kSource = 0x77;

    void SetUp() override { start(1500, 0, true); }

    static nal::Place place_in(std::span<const std::byte> begin) {
        using namespace wire::portals_memory_layout;
        const std::byte* const at = begin.data() + wire::kPortalsBeginSize + wire::kPortalsMoreSize;
        return {Process::get(at), Address::get(at), SealAt::get(at), Seal::get(at)};
    }
    /// Where the other has its data.
    nal::Place place_of_other() const {
        return {.process = static_cast<std::uint32_t>(getpid()),
                .address = reinterpret_cast<std::uintptr_t>(other_memory_.data()),
                .seal_at = reinterpret_cast<std::uintptr_t>(&seal_),
                .seal = kSeal};
    }
    /// The other puts all that it has, and says that it lies there.
    void say_put(const nal::Place& place, std::uint32_t number = 0) {
        auto begin = request(MessageType::kPut, number, other_memory_.size(), kInMemory);
        using namespace wire::portals_memory_layout;
        std::byte* const more = begin.data() + wire::kPortalsBeginSize;
        wire::portals_more_layout::Source::put(more, kSource);
        std::byte* const at = more + wire::kPortalsMoreSize;
        Process::put(at, place.process);
        Address::put(at, place.address);
        SealAt::put(at, place.seal_at);
        Seal::put(at, place.seal);
        ASSERT_TRUE(other_->send(0, Protocol::kPortals, begin));
    }
    bool hears(wire::PortalsKind kind) {
        const std::vector<std::byte> message = hear();
        return wire::is_portals_message(message) &&
               wire::portals_layout::Kind::get(message.data()) == static_cast<std::uint8_t>(kind);
    }
    /// Which cannot be read: the other brings it.
    void expect_pull() {
        ASSERT_TRUE(hears(wire::PortalsKind::kPull));
        EXPECT_EQ(nal_->counters().unreadable.get(), 1U);
        EXPECT_EQ(nal_->counters().read.get(), 0U);
        std::span<const std::byte> rest(other_memory_);
        for (; !rest.empty(); rest = rest.subspan(std::min<std::size_t>(rest.size(), 1000))) {
            ASSERT_TRUE(other_->send(0, Protocol::kPortalsData,
                                     rest.first(std::min<std::size_t>(rest.size(), 1000))));
            run(50us);
        }
        EXPECT_TRUE(hears(wire::PortalsKind::kDone));
        EXPECT_EQ(memory_, other_memory_);
    }
    void offer_room(std::size_t size) {
        memory_.assign(size, std::byte{0});
        offer(*ni_, memory_);
        other_memory_.resize(size);
        for (std::size_t i = 0; i < size; ++i)
            other_memory_[i] = static_cast<std::byte>(i * 7 + i / 251);
    }

    static constexpr std::uint64_t kSeal = 0x123456789abcdef1;
    std::vector<std::byte> other_memory_;
    std::uint64_t seal_ = kSeal;
};

TEST_F(MemoryTest, says_where_data_lies_until_the_other_is_done_with_it) {
    put(20'000);
    const std::vector<std::byte> begin = hear();
    ASSERT_TRUE(wire::is_portals_message(begin));
    ASSERT_EQ(wire::portals_begin_layout::Flags::get(begin.data()), kInMemory);
    const nal::Place place = place_in(begin);
    EXPECT_EQ(place.address, reinterpret_cast<std::uintptr_t>(memory_.data()));
    std::vector<std::byte> found(19'000);
    const Segment all{found.data(), found.size()};
    EXPECT_EQ(nal::read(place, 1000, {{&all, 1}, 0, found.size()}), found.size());
    EXPECT_EQ(found, std::vector<std::byte>(found.size(), kFull));
    release();
    say_done(source_of(begin));
    run(200us);
    EXPECT_EQ(take_memory_back(), end_of(EventKind::kSendStart));
    EXPECT_EQ(nal::read(place, 1000, {{&all, 1}, 0, found.size()}), 0U);
}

TEST_F(MemoryTest, of_an_interface_that_has_gone_is_not_read) {
    put(20'000);
    const nal::Place place = place_in(hear());
    std::vector<std::byte> found(100);
    const Segment all{found.data(), found.size()};
    EXPECT_EQ(nal::read(place, 0, {{&all, 1}, 0, found.size()}), found.size());
    ni_.reset();
    EXPECT_EQ(nal::read(place, 0, {{&all, 1}, 0, found.size()}), 0U);
}

TEST_F(MemoryTest, of_a_message_in_several_pieces_is_not_named) {
    memory_.assign(20'000, kFull);
    const std::array<Segment, 2> halves{Segment{memory_.data(), 10'000},
                                        Segment{memory_.data() + 10'000, 10'000}};
    const MdSpec spec{.start = const_cast<Segment*>(halves.data()),
                      .length = halves.size(),
                      .threshold = kInfinite,
                      .max_size = 0,
                      .options = kIovec,
                      .user_ptr = nullptr,
                      .eq = queue_};
    ASSERT_EQ(ni_->bind(spec, Unlink::kRetain, md_), Status::kOk);
    ASSERT_EQ(ni_->put(md_, {}, AckRequest::kNoAck, {.process = {1, 1}}, 0), Status::kOk);
    EXPECT_EQ(wire::portals_begin_layout::Flags::get(hear().data()), wire::kPortalsRestWaits);
}

TEST_F(MemoryTest, is_read_by_its_receiver_who_then_says_that_it_is_done) {
    for (const std::size_t size : {std::size_t{5'000}, std::size_t{1} << 20}) {
        SCOPED_TRACE(size);
        const std::uint64_t before = nal_->counters().read.get();
        offer_room(size);
        say_put(place_of_other(), size == 5'000 ? 0 : 1);
        EXPECT_TRUE(hears(wire::PortalsKind::kDone));
        EXPECT_EQ(memory_, other_memory_);
        EXPECT_EQ(nal_->counters().read.get() - before, size);
        while (!hear().empty())  // the acknowledgement
            release();
        release();
        ni_.reset();
        ni_.emplace(0, *nal_, Options{});
        ASSERT_EQ(ni_->open(1), Status::kOk);
        run(100us);
    }
    EXPECT_EQ(nal_->counters().pulls.get(), 0U);
    EXPECT_EQ(nal_->counters().copied_in.get(), 0U);
}

TEST_F(MemoryTest, whose_seal_is_broken_is_pulled) {
    offer_room(20'000);
    seal_ = 0;
    say_put(place_of_other());
    expect_pull();
}

TEST_F(MemoryTest, that_is_not_there_is_pulled) {
    offer_room(20'000);
    nal::Place place = place_of_other();
    place.address = 8;
    say_put(place);
    expect_pull();
}

TEST_F(MemoryTest, of_a_process_that_has_ended_is_pulled) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    offer_room(20'000);
    nal::Place place = place_of_other();
    place.process = static_cast<std::uint32_t>(child);
    say_put(place);
    expect_pull();
}

/// One with the number of the right one, on another machine.
TEST_F(MemoryTest, of_another_process_is_pulled) {
    seal_ = 0;
    const pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    seal_ = kSeal;
    offer_room(20'000);
    nal::Place place = place_of_other();
    place.process = static_cast<std::uint32_t>(child);
    say_put(place);
    expect_pull();
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
}

/// By whoever does not read memory, or is told that it is his own.
class UnreadTest : public MemoryTest {
  protected:
    void SetUp() override {}
    void expect_no_attempt() {
        offer_room(20'000);
        say_put(place_of_other());
        ASSERT_TRUE(hears(wire::PortalsKind::kPull));
        EXPECT_EQ(nal_->counters().read.get(), 0U);
        EXPECT_EQ(nal_->counters().unreadable.get(), 0U);
    }
};

TEST_F(UnreadTest, memory_is_not_read_where_that_is_not_wanted) {
    start(1500, 0, false);
    expect_no_attempt();
}

TEST_F(UnreadTest, memory_of_this_process_is_not_read_as_that_of_another_node) {
    start(1500, 0, true, false);
    expect_no_attempt();
}

/// Who cannot read it has what is not so long sent at once again.
TEST_F(NalTest, waits_for_who_reads_and_not_for_who_pulls) {
    start(1500, 65'536, true);
    const auto flags_of_next = [this](std::vector<std::byte>& begin) {
        put(40'000);
        begin = hear();
        return wire::portals_begin_layout::Flags::get(begin.data());
    };
    const auto finish = [this](std::uint32_t source) {
        say_done(source);
        run(200us);
        take_memory_back();
        release();
    };
    std::vector<std::byte> begin;
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(flags_of_next(begin), wire::kPortalsRestWaits | wire::kPortalsInMemory);
        finish(source_of(begin));
    }
    ASSERT_EQ(flags_of_next(begin), wire::kPortalsRestWaits | wire::kPortalsInMemory);
    pull(source_of(begin), 100);
    run(200us);
    finish(source_of(begin));
    hear_what_it_was();
    EXPECT_EQ(flags_of_next(begin), wire::kPortalsRestFollows);
    release();
    hear_what_it_was();
}

}  // namespace isoplane::test
