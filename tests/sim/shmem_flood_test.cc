// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// One host sends the other more messages than there is credit for, and that one receives none of them: what
/// they tell each other of shared memory comes in all the same. And what one reads is there before others
/// have their turn, which comes next. Who reads more than it takes is held up.

#include <gtest/gtest.h>

#include <array>
#include <isoplane/isotach/isotach.hh>
#include <isoplane/noniso/direct_endpoint.hh>
#include <isoplane/shmem/memory.hh>
#include <isoplane/sim/world.hh>
#include <isoplane/topology/fmconfig.hh>
#include <isoplane/topology/shmem_map.hh>
#include <utility>
#include <vector>

#include "chance.hh"
#include "seeds.hh"

namespace isoplane::test {

namespace {

constexpr unsigned kWindow = 16;
constexpr shmem::Extent kSmall{.pages = 1, .page_words = 64};
constexpr shmem::Variable<std::uint32_t> kThere{0};
constexpr unsigned kReads = 80;  ///< in an isochron

class Flooded final : public runtime::Stage, public niu::Receiver {
  public:
    Flooded(const topology::Paths& paths, const topology::ShmemMap& map, niu::NodeId node,
            const sim::Link::End& end, const shmem::Extent& extent = kSmall)
        : Stage(paths.topology().name(node)),
          niu_(name(), end.input, end.output, pool(),
               {.node = node,
                .nodes = niu::names_of_hosts(paths.topology()),
                .epoch = 1U + node,
                .mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(node)},
                .manages = node == 0,
                .window = kWindow,
                .hello_every = 200us,
                .linger = 1ms}),
          dispatcher_(niu_),
          siu_(niu_, paths),
          isotach_(niu_, siu_, pool()),
          barrier_(niu_),
          answers_(niu_, barrier_, wire::Protocol::kShmem),
          memory_(shmem::Pages(map, paths, node, extent), isotach_, answers_) {
        takes_from(end.input);
        gives_to(end.output);
        isotach_.attach_to(dispatcher_);
        dispatcher_.attach(wire::Protocol::kShmem, this);
        dispatcher_.attach(wire::Protocol::kNoniso, this);
    }

    unsigned poll(runtime::Time now) override {
        answered_ = false;
        if (!keeps) {
            for (const niu::Received& message : std::exchange(all_kept_, {}))
                take(message);
        }
        const unsigned moved = niu_.poll(now) + dispatcher_.dispatch();
        const bool hurries = memory_.hurries();
        waited_ += answered_ && !hurries ? 1 : 0;
        EXPECT_EQ(hurries, answered_ && !hurried_);
        hurried_ = hurries;
        const unsigned pulses = hurries ? 0 : isotach_.poll(now);
        const std::uint64_t answers = memory_.counters().answers.get();
        const std::uint64_t frames = niu_.counters().frames_sent.get();
        const unsigned done = memory_.poll();
        const bool answered = memory_.counters().answers.get() != answers;
        kept_ += answered && niu_.counters().frames_sent.get() == frames ? 1 : 0;
        return moved + pulses + done;
    }
    void take(const niu::Received& message) noexcept override {
        if (keeps) return all_kept_.push_back(message);
        if (message.protocol != wire::Protocol::kShmem) return niu_.release(message);
        answered_ = true;
        memory_.take(message);
    }
    void set_quiet(bool quiet) override {
        niu_.set_quiet(quiet);
        siu_.be_quiet(quiet);
    }
    std::size_t held() const override { return niu_.held(); }
    std::size_t discard() override { return isotach_.discard() + niu_.discard(); }

    bool started() const { return siu_.started(); }
    niu::Niu& niu() { return niu_; }
    shmem::Memory& memory() { return memory_; }
    /// Polls that brought answers while time passed, as it had not in the poll before.
    unsigned waited() const { return waited_; }
    /// Polls that kept the answers which they gave for the next.
    unsigned kept() const { return kept_; }

    bool keeps = false;  ///< what has been read or sent, and its credit

  private:
    niu::Niu niu_;
    niu::Dispatcher dispatcher_;
    siu::Siu siu_;
    isotach::Isotach isotach_;
    noniso::Barrier barrier_;
    noniso::DirectEndpoint answers_;
    shmem::Memory memory_;
    bool answered_ = false;
    bool hurried_ = false;
    std::vector<niu::Received> all_kept_;
    unsigned waited_ = 0;
    unsigned kept_ = 0;
};

void flood(std::uint64_t seed) {
    const topology::Topology topology = topology::parse_fmconfig("0 sender reader\n");
    const topology::Paths paths(topology);
    const topology::ShmemMap map =
        topology::parse_shmem_map("0: 0;\n", "map", {.pages = kSmall.pages, .topology = &topology});
    sim::World world(seed, pool());
    sim::Link& link = world.connect("wire", {.a_to_b = {.loss = 0.02}, .b_to_a = {.loss = 0.02}});
    Flooded sender(paths, map, 0, link.a());
    Flooded reader(paths, map, 1, link.b());
    world.add(sender);
    world.add(reader);
    ASSERT_TRUE(world.run_until([&] { return sender.started() && reader.started(); }, 1s));

    shmem::Isochron isochron(sender.memory());
    const std::byte word{};
    std::uint64_t sent = 0;
    for (unsigned refused = 0; refused < 100;) {
        if (isochron.empty()) isochron.message(1, {&word, 1});
        const bool issued = sender.memory().issue(isochron);
        refused = issued ? 0 : refused + 1;
        sent += issued ? 1 : 0;
        world.run_for(50us);
    }
    ASSERT_GE(sent, kWindow / 2);

    const auto none = [](niu::NodeId) { return false; };
    reader.memory().introduce(2);
    EXPECT_TRUE(world.run_until(
        [&] {
            return reader.memory().layout().unheard(2, none) == 2 &&
                   sender.memory().layout().unheard(2, none) == 2;
        },
        1s));
    shmem::Isochron reads(reader.memory());
    for (int i = 0; i < 100; ++i) {
        const shmem::Future<std::uint32_t> value = reads.read(kThere);
        ASSERT_TRUE(world.run_until([&] { return reader.memory().issue(reads); }, 1s));
        EXPECT_TRUE(world.run_until([&] { return value.ready(); }, 1s)) << "read " << i;
    }

    std::uint64_t received = 0;
    const auto receive = [&] {
        for (isotach::Delivery message; reader.memory().receive(message); ++received)
            reader.memory().release(message);
        if (!isochron.empty() && sender.memory().issue(isochron)) ++sent;
        return received == sent && isochron.empty();
    };
    EXPECT_TRUE(world.run_until(receive, 1s));
    world.drain();
}

/// What the owner's program says to the message goes with the next token: so that does not leave before.
void read_before_a_message(sim::World& world, shmem::Memory& memory, Flooded& owner) {
    shmem::Isochron isochron(memory);
    const shmem::Future<std::uint32_t> value = isochron.read(kThere);
    const std::byte word{};
    isochron.message(1, {&word, 1});
    ASSERT_TRUE(world.run_until([&] { return memory.issue(isochron); }, 1s));
    ASSERT_TRUE(world.run_until([&] { return value.ready() && owner.memory().waiting(); }, 1s));
    EXPECT_EQ(owner.kept(), 1U) << "an answer left before a message was received";
    isotach::Delivery message;
    ASSERT_TRUE(owner.memory().receive(message));
    owner.memory().release(message);
}

/// `first` counts the values that were there before their isochron had been executed here.
void read_one_by_one(std::uint64_t seed, unsigned& first) {
    const topology::Topology topology = topology::parse_fmconfig("0 reader owner\n");
    const topology::Paths paths(topology);
    const topology::ShmemMap map =
        topology::parse_shmem_map("0: 1;\n", "map", {.pages = kSmall.pages, .topology = &topology});
    sim::World world(seed, pool());
    sim::Link& link = world.connect("wire", {});
    Flooded reader(paths, map, 0, link.a());
    Flooded owner(paths, map, 1, link.b());
    world.add(reader);
    world.add(owner);
    ASSERT_TRUE(world.run_until([&] { return reader.started() && owner.started(); }, 1s));

    shmem::Memory& memory = reader.memory();
    shmem::Isochron isochron(memory);
    for (unsigned i = 0; i < 100; ++i) {
        world.run_for(i * 37ns);
        const shmem::Future<std::uint32_t> value = isochron.read(kThere);
        ASSERT_TRUE(world.run_until([&] { return memory.issue(isochron); }, 1s));
        ASSERT_TRUE(world.run_until([&] { return value.ready(); }, 1s));
        first += memory.executed() < memory.issued() ? 1 : 0;
        ASSERT_TRUE(world.run_until([&] { return memory.executed() == memory.issued(); }, 1s));
    }

    EXPECT_EQ(reader.waited(), 0U) << "answers came in two polls running";
    for (int i = 0; i < 20; ++i) {
        std::array<shmem::Future<std::uint32_t>, 3> values;
        for (shmem::Future<std::uint32_t>& value : values) {
            value = isochron.read(kThere);
            ASSERT_TRUE(world.run_until([&] { return memory.issue(isochron); }, 1s));
        }
        for (const shmem::Future<std::uint32_t>& value : values)
            ASSERT_TRUE(world.run_until([&] { return value.ready(); }, 1s));
    }
    EXPECT_EQ(owner.kept(), 0U) << "answers left with a later poll";
    read_before_a_message(world, memory, owner);

    const shmem::Future<std::uint32_t> value = isochron.read(kThere);
    ASSERT_TRUE(world.run_until([&] { return memory.issue(isochron); }, 1s));
    const auto tell = [&] {
        owner.memory().introduce(2);
        return reader.waited() > 1 && value.ready() && memory.executed() == memory.issued();
    };
    EXPECT_TRUE(world.run_until(tell, 1s)) << "time stands still while something comes in every poll";
    world.drain();
}

/// Reads of the other's page, whose answers are many frames. Their values are nobody's.
void read_much(shmem::Isochron& isochron, std::uint32_t page = 0) {
    for (unsigned i = 0; i < kReads; ++i)
        isochron.read(shmem::Block{page * kSmall.page_words, wire::kMostAccessWords});
}

/// In the middle of a message, the owner gives back a little now and then.
void take_nothing(std::uint64_t seed, bool in_the_middle) {
    const topology::Topology topology = topology::parse_fmconfig("0 reader owner\n");
    const topology::Paths paths(topology);
    const topology::ShmemMap map =
        topology::parse_shmem_map("0: 1;\n", "map", {.pages = kSmall.pages, .topology = &topology});
    sim::World world(seed, pool());
    sim::Link& link = world.connect("wire", {.a_to_b = {.loss = 0.02}, .b_to_a = {.loss = 0.02}});
    Flooded reader(paths, map, 0, link.a());
    Flooded owner(paths, map, 1, link.b());
    world.add(reader);
    world.add(owner);
    ASSERT_TRUE(world.run_until([&] { return reader.started() && owner.started(); }, 1s));

    const std::vector<std::byte> much(40'000);
    reader.keeps = true;
    const auto begin = [&] { return bool{owner.niu().transfer(0, wire::Protocol::kNoniso, much)}; };
    ASSERT_TRUE(!in_the_middle || world.run_until(begin, 1s));
    shmem::Isochron isochron(reader.memory());
    const auto issue_for = [&](runtime::Duration time) {
        const std::uint64_t before = reader.memory().issued();
        world.run_until(
            [&] {
                if (isochron.empty()) read_much(isochron);
                reader.memory().issue(isochron);
                return false;
            },
            time);
        return reader.memory().issued() - before;
    };
    EXPECT_LT(issue_for(50ms), 150U) << "there is no end to what who takes nothing is owed";
    EXPECT_GT(owner.memory().counters().withheld.get(), 0U);
    const std::uint64_t more = issue_for(50ms);
    EXPECT_LT(more, in_the_middle ? 60U : 1U);
    EXPECT_GE(more, in_the_middle ? 10U : 0U);

    shmem::Isochron own(owner.memory());
    const std::byte word{};
    own.message(1, {&word, 1});
    ASSERT_TRUE(owner.memory().issue(own));
    ASSERT_TRUE(world.run_until([&] { return owner.memory().waiting(); }, 1s)) << "time stands still";
    isotach::Delivery message;
    ASSERT_TRUE(owner.memory().receive(message));
    owner.memory().release(message);

    reader.keeps = false;
    const auto all_is_read = [&] {
        reader.memory().issue(isochron);
        return isochron.empty() && reader.memory().reads().outstanding() == 0;
    };
    EXPECT_TRUE(world.run_until(all_is_read, 1s));
    world.drain();
}

/// Both read of each other more than there is credit for what is answered. When they have none left, they
/// send what does not fit a frame, which answers have to wait for.
void read_each_other(std::uint64_t seed) {
    constexpr shmem::Extent kTwo{.pages = 2, .page_words = kSmall.page_words};
    const topology::Topology topology = topology::parse_fmconfig("0 one other\n");
    const topology::Paths paths(topology);
    const topology::ShmemMap map =
        topology::parse_shmem_map("0: 0;\n1: 1;\n", "map", {.pages = kTwo.pages, .topology = &topology});
    sim::World world(seed, pool());
    sim::Link& link = world.connect("wire", {.a_to_b = {.loss = 0.02}, .b_to_a = {.loss = 0.02}});
    Flooded one(paths, map, 0, link.a(), kTwo);
    Flooded other(paths, map, 1, link.b(), kTwo);
    world.add(one);
    world.add(other);
    ASSERT_TRUE(world.run_until([&] { return one.started() && other.started(); }, 1s));

    constexpr unsigned kIsochrons = 600;
    const std::vector<std::byte> much(40'000);
    struct Side {
        Flooded& host;
        std::uint8_t there;
        shmem::Isochron isochron{host.memory()};
        unsigned refused = 0;
    };
    std::array<Side, 2> sides{{{.host = one, .there = 1}, {.host = other, .there = 0}}};
    const auto all_is_read = [&] {
        bool all = true;
        for (Side& side : sides) {
            shmem::Memory& memory = side.host.memory();
            for (isotach::Delivery message; memory.receive(message);)
                memory.release(message);
            if (side.isochron.empty() && memory.issued() < kIsochrons) read_much(side.isochron, side.there);
            side.refused = memory.issue(side.isochron) ? 0 : side.refused + 1;
            if (side.refused == 20) side.host.niu().transfer(side.there, wire::Protocol::kNoniso, much);
            all = all && memory.issued() == kIsochrons && memory.reads().outstanding() == 0;
        }
        return all;
    };
    EXPECT_TRUE(world.run_until(all_is_read, 10s));
    for (const Side& side : sides)
        EXPECT_GT(side.host.memory().counters().withheld.get(), 0U);
    world.drain();
}

}  // namespace

TEST(ShmemFlood, of_answers_there_is_an_end_where_nobody_takes_them) {
    for_each_seed(5, [&](std::uint64_t seed) {
        take_nothing(seed, seed % 2 == 0);
        EXPECT_EQ(pool().in_use(), 0U);
    });
}

TEST(ShmemFlood, of_each_others_reads_holds_up_both_who_go_on) {
    for_each_seed(5, [&](std::uint64_t seed) {
        read_each_other(seed);
        EXPECT_EQ(pool().in_use(), 0U);
    });
}

TEST(ShmemFlood, is_none_of_answers_which_come_first_and_hold_up_nobody) {
    unsigned first = 0;
    for_each_seed(5, [&](std::uint64_t seed) {
        read_one_by_one(seed, first);
        EXPECT_EQ(pool().in_use(), 0U);
    });
    EXPECT_GT(first, 0U) << "no value came before others had their turn";
}

TEST(ShmemFlood, does_not_keep_out_what_hosts_tell_each_other_of_memory) {
    for_each_seed(20, [&](std::uint64_t seed) {
        flood(seed);
        EXPECT_EQ(pool().in_use(), 0U);
    });
}

}  // namespace isoplane::test
