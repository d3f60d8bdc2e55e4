// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/isotach/run.hh>

#include "hosts.hh"

namespace isoplane::test {

namespace {

using isotach::Delivery;
using isotach::Pulse;
using isotach::RunQueue;

constexpr NodeId kIssuer = 3;
constexpr niu::FrameTable::Id kFrame = 7;

/// How the messages of a pulse stand in a frame: each with its extension, or but the first in a run.
enum class Form { kByThemselves, kInRun };

/// Messages of one host, for these pulses, as they stand in a frame; each has its number as its rank and
/// isochron, and so many bytes of data.
class Messages {
  public:
    explicit Messages(const std::vector<Pulse>& pulses, Form form = Form::kByThemselves)
        : first_(pulses.front()), last_(pulses.back()) {
        for (const Pulse pulse : pulses) {
            if (form == Form::kInRun && count_ != 0 && pulse == pulses[count_ - 1]) {
                add_in_run(count_);
            } else {
                add_by_itself(pulse, count_);
            }
            ++count_;
        }
    }

    void say_all_are_of(Pulse pulse) {
        const std::span<std::byte> all(bytes_);
        std::size_t at = 0;
        for (std::uint32_t number = 0; number < count_; ++number) {
            at += wire::kMessageHeaderSize;
            wire::isotach_layout::Pulse::put(all.data() + at, pulse);
            at += wire::kIsotachSize + number;
        }
    }
    void add_to(RunQueue& queue) const { queue.add(kFrame, bytes_.data(), count_, first_, last_); }

  private:
    /// Of that data, with its header; returns where it is behind that.
    std::size_t add(wire::MessageHeader header, std::uint32_t number) {
        const std::size_t at = bytes_.size();
        bytes_.resize(at + wire::kMessageHeaderSize + header.length, static_cast<std::byte>(number));
        wire::encode_message(std::span(bytes_).subspan(at).first<wire::kMessageHeaderSize>(), header);
        return at + wire::kMessageHeaderSize;
    }
    void add_by_itself(Pulse pulse, std::uint32_t number) {
        const auto length = static_cast<std::uint16_t>(wire::kIsotachSize + number);
        const std::size_t at = add({wire::Protocol::kIsotach, wire::kWholeMessage, length, number}, number);
        wire::encode_isotach(
            std::span(bytes_).subspan(at).first<wire::kIsotachSize>(),
            {.pulse = pulse, .host = kIssuer, .rank = number, .isochron = number, .count = number + 1});
    }
    void add_in_run(std::uint32_t number) {
        add({wire::Protocol::kIsotach, wire::kInRun, static_cast<std::uint16_t>(number),
             wire::run_step::of(wire::Operation::kMessage, 1, 1)},
            number);
    }

    Bytes bytes_;
    std::uint32_t count_ = 0;
    Pulse first_;
    Pulse last_;
};

/// The numbers of what is in the queue, which is empty then.
std::vector<std::uint32_t> empty(RunQueue& queue) {
    std::vector<std::uint32_t> numbers;
    for (; !queue.empty(); queue.pop())
        numbers.push_back(queue.first().isochron);
    EXPECT_EQ(queue.size(), 0U);
    return numbers;
}

using Numbers = std::vector<std::uint32_t>;

}  // namespace

class RunForms : public testing::TestWithParam<Form> {};
INSTANTIATE_TEST_SUITE_P(Forms, RunForms, testing::Values(Form::kByThemselves, Form::kInRun));

TEST_P(RunForms, reads_what_stands_in_the_frame) {
    const Messages messages({5, 5, 9}, GetParam());
    RunQueue queue;
    messages.add_to(queue);
    EXPECT_EQ(queue.size(), 3U);
    EXPECT_EQ(queue.last_pulse(), 9U);
    for (std::uint32_t number = 0; number < 3; ++number) {
        const Delivery message = queue.first();
        EXPECT_EQ(message.kind, isotach::DeliveryKind::kMessage);
        EXPECT_EQ(message.isochron, number);
        EXPECT_EQ(message.time,
                  (isotach::LogicalTime{number == 2 ? 9U : 5U, isotach::Place::kWithin, kIssuer, number}));
        EXPECT_EQ(message.data.size(), number);
        EXPECT_TRUE(std::ranges::all_of(
            message.data, [&](std::byte byte) { return byte == static_cast<std::byte>(number); }));
        EXPECT_EQ(message.frame, kFrame);
        EXPECT_EQ(message.payload, nullptr);
        EXPECT_EQ(message.own, nullptr);
        EXPECT_EQ(queue.pop(), number == 2);
    }
    EXPECT_TRUE(queue.empty());
}

/// Not even if another run has been in its place before.
TEST(Run, needs_nothing_before_a_message_that_is_in_none) {
    const Messages others({7, 7}, Form::kInRun);
    const Messages messages({5, 6, 6}, Form::kByThemselves);
    RunQueue queue;
    others.add_to(queue);
    EXPECT_EQ(empty(queue), (Numbers{0, 1}));
    messages.add_to(queue);
    EXPECT_EQ(queue.first_pulse(), 5U);
    EXPECT_EQ(queue.first().time, (isotach::LogicalTime{5, isotach::Place::kWithin, kIssuer, 0}));
    RunQueue moved;
    EXPECT_EQ(queue.move(5, moved), 1U);
    EXPECT_EQ(empty(moved), (Numbers{0}));
    EXPECT_EQ(queue.first_pulse(), 6U);
    EXPECT_EQ(empty(queue), (Numbers{1, 2}));
}

TEST_P(RunForms, moves_as_far_as_its_pulse_has_come) {
    const Messages first({5, 5, 6}, GetParam());
    const Messages second({6, 8}, GetParam());
    RunQueue queue;
    first.add_to(queue);
    second.add_to(queue);
    RunQueue moved;
    EXPECT_EQ(queue.move(4, moved), 0U);
    EXPECT_EQ(queue.move(5, moved), 2U);
    EXPECT_EQ(queue.size(), 3U);
    EXPECT_EQ(queue.first_pulse(), 6U);
    EXPECT_EQ(moved.last_pulse(), 5U);
    EXPECT_EQ(empty(moved), (Numbers{0, 1}));
    EXPECT_EQ(queue.move(7, moved), 2U);
    EXPECT_EQ(empty(moved), (Numbers{2, 0}));
    EXPECT_EQ(queue.move(8, moved), 1U);
    EXPECT_EQ(empty(moved), (Numbers{1}));
    EXPECT_TRUE(queue.empty());
}

TEST_P(RunForms, waits_with_messages_by_themselves_in_their_order) {
    const Messages messages({5, 6}, GetParam());
    RunQueue queue;
    queue.add() = {.isochron = 10, .time = {.pulse = 4}};
    messages.add_to(queue);
    queue.add() = {.isochron = 11, .time = {.pulse = 6}};
    EXPECT_EQ(queue.size(), 4U);
    Numbers visited;
    queue.for_each([&](const Delivery& message) { visited.push_back(message.isochron); });
    EXPECT_EQ(visited, (Numbers{10, 0, 1, 11}));
    RunQueue moved;
    EXPECT_EQ(queue.move(5, moved), 2U);
    EXPECT_EQ(empty(moved), (Numbers{10, 0}));
    EXPECT_EQ(empty(queue), (Numbers{1, 11}));
}

TEST(Run, ends_even_where_a_program_has_written_over_its_pulses) {
    Messages messages({5, 9});
    RunQueue queue;
    messages.add_to(queue);
    messages.say_all_are_of(5);
    RunQueue moved;
    EXPECT_EQ(queue.move(5, moved), 2U);
    EXPECT_EQ(empty(moved), (Numbers{0, 1}));
    EXPECT_TRUE(queue.empty());
}

TEST(Run, is_all_that_a_frame_has) {
    Hosts hosts(topology::line(1, 3));
    for (unsigned i = 0; i < 5; ++i)
        ASSERT_TRUE(hosts[0].send({2}, i));
    const isotach::Ordering& ordering = hosts[2].isotach.ordering();
    ASSERT_NE(hosts.stations.steps_until([&] { return ordering.waiting() != 0; }, 100), UINT_MAX);
    EXPECT_EQ(ordering.waiting(), 5U) << "they came in one frame";
    hosts.run(1ms);
    const auto received = hosts[2].receive();
    ASSERT_EQ(received.size(), 5U);
    for (unsigned i = 0; i < 5; ++i) {
        EXPECT_EQ(received[i].frame, received[0].frame);
        EXPECT_TRUE(std::ranges::equal(received[i].data, bytes(8, i)));
    }
    EXPECT_EQ(hosts[2].niu.peer(0).held, 1U);
    for (unsigned i : {3U, 0U, 4U, 1U, 2U}) {
        EXPECT_EQ(hosts[2].niu.peer(0).held, 1U);
        hosts[2].release({received[i]});
    }
    EXPECT_EQ(hosts[2].niu.peer(0).held, 0U);
    EXPECT_EQ(hosts[2].niu.counters().messages_received.get(), 5U);
}

TEST(Run, ends_where_another_message_stands) {
    Hosts hosts(topology::line(1, 3));
    for (unsigned i = 0; i < 2; ++i)
        ASSERT_TRUE(hosts[0].send({2}, i));
    ASSERT_TRUE(hosts[0].niu.send(2, wire::Protocol::kNoniso, bytes(8, 9)));
    for (unsigned i = 2; i < 5; ++i)
        ASSERT_TRUE(hosts[0].send({2}, i));
    hosts.run(1ms);
    const auto received = hosts[2].receive();
    ASSERT_EQ(received.size(), 5U);
    for (unsigned i = 0; i < 5; ++i) {
        EXPECT_EQ(received[i].frame, received[0].frame);
        EXPECT_TRUE(std::ranges::equal(received[i].data, bytes(8, i)));
    }
    EXPECT_EQ(hosts[2].dispatcher.unclaimed(), 1U);
    EXPECT_EQ(hosts[2].niu.counters().messages_received.get(), 6U);
    hosts[2].release({received.begin(), received.end() - 1});
    EXPECT_EQ(hosts[2].niu.peer(0).held, 1U);
    hosts[2].release({received.back()});
    EXPECT_EQ(hosts[2].niu.peer(0).held, 0U);
}

}  // namespace isoplane::test
