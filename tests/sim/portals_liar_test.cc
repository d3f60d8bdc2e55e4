// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// A peer that speaks the language of NALs and lies.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <isoplane/wire/portals.hh>

#include "portals_host.hh"
#include "seeds.hh"

namespace isoplane::test {

namespace {

/// A node that speaks the language of NALs, and means no good.
class Liar final : public runtime::Stage {
  public:
    /// `heard` is how many of its messages have been listened to.
    Liar(niu::NodeId node, sim::Link::End end, const Plan& plan, const runtime::Counter& heard)
        : Stage("liar"), heard_(heard), random_(plan.seed, 77), port_(node, end, plan) {
        takes_from(end.input);
        gives_to(end.output);
    }

    unsigned poll(Time now) override {
        unsigned moved = port_.poll(now);
        if (dead_) return moved;
        niu::Niu& niu = *port_.plane().niu;
        if (niu.state(0) != niu::PeerState::kUp || said_ == kSayings) return moved;
        // Slowly, so that it knows what was heard.
        if (random_.below(3) != 0) return moved;
        if (saying_.empty()) saying_ = lie();
        const auto protocol = random_.below(4) == 0 ? wire::Protocol::kPortalsData : wire::Protocol::kPortals;
        if (!niu.send(0, protocol, saying_)) return moved;
        saying_.clear();
        ++said_;
        return moved + 1;
    }
    std::size_t discard() override { return port_.discard(); }
    void die() {
        dead_ = true;
        port_.die();
    }
    bool has_said_all() const { return said_ == kSayings; }

  private:
    static constexpr unsigned kSayings = 150;

    /// Numbers are right, or nearly, or what is said would not be listened to.
    std::vector<std::byte> lie() {
        using namespace wire;
        std::vector<std::byte> words(random_.below(200));
        for (std::byte& byte : words)
            byte = static_cast<std::byte>(random_.below(4) == 0 ? random_.below(256) : 0);
        if (words.size() < 8 || random_.below(4) == 0) return words;
        const auto kind = static_cast<PortalsKind>(random_.below(3));
        std::byte* const at = words.data();
        portals_layout::Kind::put(at, static_cast<std::uint8_t>(kind));
        if (kind == PortalsKind::kDone) {
            words.resize(kPortalsDoneSize);
            portals_done_layout::Reserved::put(at, 0);
            portals_done_layout::Reserved2::put(at, 0);
            portals_done_layout::Source::put(at, some_handle());
        } else if (kind == PortalsKind::kPull) {
            words.assign(kPortalsPullSize, std::byte{});
            std::byte* const pull = words.data();
            portals_layout::Kind::put(pull, static_cast<std::uint8_t>(kind));
            portals_pull_layout::Source::put(pull, some_handle());
            portals_pull_layout::Offset::put(pull, some_number());
            portals_pull_layout::Length::put(pull, static_cast<std::uint32_t>(some_number() | 1));
        } else {
            begin(words);
        }
        return words;
    }

    void begin(std::vector<std::byte>& words) {
        using namespace wire;
        using namespace portals_begin_layout;
        const auto type = static_cast<std::uint8_t>(random_.below(5));
        constexpr std::array<std::uint8_t, 4> kFlags{0, kPortalsRestFollows, kPortalsRestWaits,
                                                     kPortalsRestWaits | kPortalsInMemory};
        const std::uint8_t flags = kFlags[random_.below(kFlags.size())];
        const std::size_t size = portals_begin_size(type, flags);
        const std::size_t data = random_.below(100);
        words.assign(size + data, std::byte{0xab});
        std::byte* const at = words.data();
        std::fill_n(words.begin(), size, std::byte{});
        Type::put(at, type);
        Flags::put(at, flags);
        Number::put(at, static_cast<std::uint32_t>(heard_.get()));
        TargetPid::put(at, kPid);
        InitiatorPid::put(at, kPid);
        portals_begin_layout::Uid::put(at, 7);
        portals_begin_layout::Jid::put(at, kPid);
        Portal::put(at, random_.below(5) == 0 ? static_cast<std::uint32_t>(some_number()) : kPortal);
        Cookie::put(at, random_.below(5) == 0 ? static_cast<std::uint32_t>(some_number()) : 0);
        RemoteOffset::put(at, some_number());
        Extra::put(at, some_number());
        Length::put(at, flags == 0 && (type == 1 || type == 4) ? data : some_number());
        Md::put(at, some_handle());
        if (size == kPortalsBeginSize) return;
        portals_more_layout::Moved::put(at + kPortalsBeginSize, flags == 0 ? data : some_number());
        portals_more_layout::Source::put(at + kPortalsBeginSize, some_handle());
        if ((flags & kPortalsInMemory) == 0) return;
        using namespace portals_memory_layout;
        std::byte* const memory = at + kPortalsBeginSize + kPortalsMoreSize;
        Process::put(memory, static_cast<std::uint32_t>(random_.below(2) == 0 ? getpid() : -1));
        Address::put(memory, some_number());
        SealAt::put(memory, random_.below(2) == 0 ? some_number() : reinterpret_cast<std::uintptr_t>(&said_));
        Seal::put(memory, some_number());
    }

    std::uint32_t some_handle() {
        return HandleParts{static_cast<portals::Kind>(random_.below(4)), 0,
                           static_cast<unsigned>(random_.below(8)),
                           static_cast<std::uint32_t>(random_.below(3))}
            .pack();
    }
    std::uint64_t some_number() {
        switch (random_.below(4)) {
            case 0:
                return random_.below(200);
            case 1:
                return kRegion - 100 + random_.below(200);
            case 2:
                return ~std::uint64_t{0} - random_.below(200);
            default:
                return random_.below(1U << 20);
        }
    }

    const runtime::Counter& heard_;
    Random random_;
    Port port_;
    bool dead_ = false;
    unsigned said_ = 0;
    std::vector<std::byte> saying_{};
};

/// A NAL that may go before the world does.
class Mortal final : public runtime::Stage {
  public:
    explicit Mortal(std::unique_ptr<nal::OverNiu> nal) : Stage("mortal"), nal_(std::move(nal)) {}

    unsigned poll(Time now) override { return nal_ ? nal_->poll(now) : 0; }
    nal::OverNiu& nal() { return *nal_; }
    void die() { nal_.reset(); }

  private:
    std::unique_ptr<nal::OverNiu> nal_;
};

/// An honest process hears a liar, and asks things of it. Says what went wrong.
std::string listen_to_lies(std::uint64_t seed, std::uint64_t& arrived, std::uint64_t& malformed) {
    Random random(seed, 2);
    Plan plan = some_plan(seed, random);
    plan.planes = 1;
    plan.niu.nodes = {"honest", "liar"};
    sim::World world(seed, pool(), {.idle = 20us});
    sim::Link& link = world.connect("link");
    Port port(0, link.a(), plan);
    Hands hands;
    Mortal mortal(std::make_unique<nal::OverNiu>("nal", std::vector{port.plane()}, hands, plan.nal));
    nal::OverNiu& nal = mortal.nal();
    Liar liar(1, link.b(), plan, nal.counters().arrived);
    Interface ni(0, nal, {.uid = 7});
    EXPECT_EQ(ni.open(kPid), Status::kOk);

    // What is offered is in the middle of what is not.
    std::vector<std::byte> memory(3 * kRegion, std::byte{0x11});
    std::vector<std::byte> asked(1000);
    Handle entry = kInvalid;
    Handle md = kInvalid;
    ni.attach_entry(kPortal, {}, Position::kAfter, entry);
    MdSpec spec{.start = memory.data() + kRegion,
                .length = kRegion,
                .threshold = kInfinite,
                .max_size = 0,
                .options = kOpPut | kOpGet | kManageRemote,
                .user_ptr = nullptr,
                .eq = kNoQueue};
    EXPECT_EQ(ni.attach(entry, spec, Unlink::kRetain, Unlink::kRetain, md), Status::kOk);
    spec.start = asked.data();
    spec.length = asked.size();
    EXPECT_EQ(ni.bind(spec, Unlink::kRetain, md), Status::kOk);
    for (unsigned i = 0; i < 5; ++i)
        ni.get(md, {}, {.process = {1, kPid}, .portal = kPortal});

    world.add(mortal);
    world.add(port);
    world.add(liar);
    const bool heard = world.run_until([&] { return liar.has_said_all(); }, 1s);
    liar.die();
    const bool over =
        world.run_until([&] { return port.niu().state(1) == niu::PeerState::kDead && nal.idle(); }, 1s);
    arrived += nal.counters().arrived.get();
    malformed += nal.counters().malformed.get();
    ni.close();
    mortal.die();
    port.die();
    world.drain();
    const auto untouched = [&](std::size_t from) {
        return std::all_of(memory.begin() + static_cast<std::ptrdiff_t>(from),
                           memory.begin() + static_cast<std::ptrdiff_t>(from + kRegion),
                           [](std::byte byte) { return byte == std::byte{0x11}; });
    };
    if (!untouched(0) || !untouched(2 * kRegion)) return "memory was written that nobody was offered";
    if (!heard || !over) return "not all has come to an end";
    return {};
}

}  // namespace

TEST(PortalsSim, lies_do_no_harm) {
    constexpr std::uint64_t kSeeds = 100;
    std::uint64_t arrived = 0;
    std::uint64_t malformed = 0;
    pool();
    for_each_seed(kSeeds, [&](std::uint64_t seed) {
        EXPECT_EQ(listen_to_lies(seed, arrived, malformed), "");
        EXPECT_EQ(pool().in_use(), 0U);
    });
    std::cout << arrived << " messages were taken for what they said, " << malformed << " not\n";
    EXPECT_GT(arrived, 0U);
    EXPECT_GT(malformed, 0U);
}

}  // namespace isoplane::test
