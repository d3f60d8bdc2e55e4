// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Portals over NIUs whose network has every fault, on one plane or several.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <isoplane/nal/over_niu.hh>
#include <isoplane/sim/world.hh>
#include <isoplane/wire/portals.hh>
#include <memory>

#include "niu_summary.hh"
#include "seeds.hh"
#include "star.hh"

namespace isoplane::test {

namespace {

using namespace portals;
using runtime::Time;

constexpr niu::NodeId kHosts = 3;
constexpr unsigned kMortal = 2;  ///< the host that dies, in some seeds
constexpr Index kPortal = 4;
constexpr Pid kPid = 1;
constexpr std::size_t kSlots = 6;
constexpr std::size_t kSlotSize = 150'000;
constexpr std::size_t kRegion = kSlots * kSlotSize;

/// What all hosts of a seed have in common.
struct Plan {
    std::uint64_t seed = 0;
    unsigned operations = 0;  ///< of each host on each other
    std::size_t planes = 1;
    niu::Options niu{};
    nal::OverNiuOptions nal{};
};

/// A host's link on one plane.
class Port final : public runtime::Stage {
  public:
    Port(niu::NodeId node, sim::Link::End end, const Plan& plan)
        : Stage("port" + std::to_string(node)), in_(takes_from(end.input)) {
        gives_to(end.output);
        niu::Options options = plan.niu;
        options.node = node;
        options.mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(node)};
        niu_ = std::make_unique<niu::Niu>(name(), end.input, end.output, pool(), options);
        dispatcher_ = std::make_unique<niu::Dispatcher>(*niu_);
    }

    void die() {
        dispatcher_.reset();
        niu_.reset();
    }
    nal::OverNiu::Plane plane() { return {niu_.get(), dispatcher_.get()}; }
    const niu::Niu& niu() const { return *niu_; }

    unsigned poll(Time now) override {
        if (niu_ != nullptr) return niu_->poll(now) + dispatcher_->dispatch();
        runtime::Burst burst;
        const std::uint16_t n = in_.receive(burst);
        rte_pktmbuf_free_bulk(burst.data(), n);
        return n;
    }
    std::size_t discard() override { return niu_ ? niu_->discard() : 0; }

  private:
    runtime::Input& in_;
    std::unique_ptr<niu::Niu> niu_;
    std::unique_ptr<niu::Dispatcher> dispatcher_;
};

/// The world polls.
class Hands final : public nal::Mover {
  public:
    bool poll() override { return false; }
    bool moves_alone() const noexcept override { return false; }
    void call(const std::function<void()>& what) override { what(); }
    bool enter() noexcept override { return true; }
    void leave() noexcept override {}
};

/// A process that has a region of its memory for each other, and does all that can be done with its own at
/// the others: each keeps a mirror of what must be there.
class Process final : public runtime::Stage {
  public:
    Process(niu::NodeId node, const std::vector<nal::OverNiu::Plane>& planes, const Plan& plan)
        : Stage("process" + std::to_string(node)),
          node_(node),
          plan_(plan),
          random_(plan.seed, 900 + node),
          nal_(std::make_unique<nal::OverNiu>("nal", planes, hands_, plan.nal)),
          ni_(0, *nal_, {.uid = 7}),
          registered_(niu::Memory::allocate(kSlotSize)) {
        nal_->add(registered_);
        EXPECT_EQ(ni_.open(kPid), Status::kOk);
        EXPECT_EQ(ni_.open_queue(4096, nullptr, own_), Status::kOk);
        EXPECT_EQ(ni_.open_queue(4096, nullptr, theirs_), Status::kOk);
        for (niu::NodeId other = 0; other < kHosts; ++other) {
            ways_[other].region.resize(kRegion);
            ways_[other].mirror.resize(kRegion);
            Handle entry = kInvalid;
            Handle md = kInvalid;
            ni_.attach_entry(kPortal, {.id = {other, kAny}}, Position::kAfter, entry);
            const MdSpec spec{.start = ways_[other].region.data(),
                              .length = kRegion,
                              .threshold = kInfinite,
                              .max_size = 0,
                              .options = kOpPut | kOpGet | kManageRemote | kTruncate,
                              .user_ptr = nullptr,
                              .eq = theirs_};
            EXPECT_EQ(ni_.attach(entry, spec, Unlink::kRetain, Unlink::kRetain, md), Status::kOk);
        }
    }

    /// It has done with Portals; what its node does for the others goes on.
    void close() {
        closed_ = true;
        ni_.close();
        // Its memory is gone with it.
        for (Way& way : ways_) {
            way.operations.clear();
            std::fill(way.region.begin(), way.region.end(), std::byte{0xdd});
        }
    }
    void die() {
        ni_.close();
        nal_.reset();
    }

    unsigned poll(Time now) override {
        if (!nal_) return 0;
        unsigned moved = nal_->poll(now);
        if (closed_ || random_.below(3) != 0) return moved;
        moved += read_events();
        for (niu::NodeId other = 0; other < kHosts; ++other)
            moved += ask(other);
        return moved;
    }

    /// All that it wanted of that host has been done. What of a get that a dead host has not answered,
    /// nobody will ever say; and the others are told, but cannot have ACKs.
    bool finished(niu::NodeId other, bool dead) const {
        const Way& way = ways_[other];
        return (dead || way.begun == plan_.operations) &&
               std::all_of(way.operations.begin(), way.operations.end(), [dead](const auto& operation) {
                   return operation->is_over() ||
                          (dead && (operation->kind == Kind::kGet || operation->sent));
               });
    }
    /// What this one has done to its region there is what is there.
    bool agrees_with(const Process& other) const {
        return ways_[other.node_].mirror == other.ways_[node_].region;
    }
    std::uint64_t dropped() const {
        std::uint64_t count = 0;
        ni_.read(Register::kDropCount, count);
        return count;
    }
    std::uint64_t to_be_dropped_by(niu::NodeId other) const { return ways_[other].to_be_dropped; }
    std::uint64_t failed() const { return failed_; }
    std::uint64_t bytes() const { return bytes_; }
    std::uint64_t largest() const { return largest_; }
    const nal::OverNiu& nal() const { return *nal_; }
    const std::string& complaint() const { return complaint_; }

  private:
    enum class Kind { kPut, kGet, kGetPut, kDropped };

    struct Operation {
        Kind kind = Kind::kPut;
        std::size_t slot = 0;
        std::size_t offset = 0;            ///< in the region
        std::vector<std::byte> content{};  ///< of what is sent
        std::vector<std::byte> out{};      ///< where it is sent from
        std::vector<std::byte> in{};
        std::vector<Segment> segments{};
        bool registered = false;
        Handle out_md = kInvalid;
        Handle in_md = kInvalid;
        bool sent = false;
        bool answered = false;
        bool failed = false;

        bool needs_sending() const { return kind != Kind::kGet; }
        bool needs_answer() const { return kind != Kind::kDropped; }
        bool is_over() const { return (sent || !needs_sending()) && (answered || !needs_answer()); }
    };
    struct Way {
        std::vector<std::byte> region{};  ///< theirs, here
        std::vector<std::byte> mirror{};  ///< ours, there
        std::array<bool, kSlots> busy{};
        std::vector<std::unique_ptr<Operation>> operations{};  ///< under way
        unsigned begun = 0;
        std::uint64_t to_be_dropped = 0;
    };

    std::size_t some_size() {
        switch (random_.below(6)) {
            case 0:
                return 0;
            case 1:
                return 1 + random_.below(64);
            case 2:
                return random_.below(std::uint64_t{plan_.niu.mtu} * 2);
            case 3:
            case 4:
                return random_.below(20'000);
            default:
                return random_.below(kSlotSize);
        }
    }

    unsigned ask(niu::NodeId other) {
        Way& way = ways_[other];
        if (way.begun == plan_.operations) return 0;
        const std::size_t slot = random_.below(kSlots);
        if (way.busy[slot]) return 0;
        auto operation = std::make_unique<Operation>();
        operation->kind = static_cast<Kind>(random_.below(4));
        operation->slot = slot;
        std::size_t size = some_size();
        if (operation->kind == Kind::kGetPut) size %= 65;
        operation->offset = slot * kSlotSize + random_.below(kSlotSize - size + 1);
        way.busy[slot] = true;
        ++way.begun;
        bytes_ += size;
        largest_ = std::max<std::uint64_t>(largest_, size);
        Operation& its = *operation;
        way.operations.push_back(std::move(operation));
        request(other, its, size);
        return 1;
    }

    void request(niu::NodeId other, Operation& its, std::size_t size) {
        const Target target{.process = {other, kPid},
                            .portal = kPortal,
                            .cookie = 0,
                            .match_bits = its.kind == Kind::kDropped ? 1U : 0U,
                            .remote_offset = its.offset};
        if (its.needs_sending()) {
            its.out.resize(size);
            std::uint64_t word = random_.below(1U << 30);
            for (std::byte& byte : its.out)
                byte =
                    static_cast<std::byte>((word = word * 6364136223846793005U + 1442695040888963407U) >> 56);
            its.content = its.out;
            its.out_md = bind(its, its.out, true);
        }
        if (its.kind == Kind::kGet || its.kind == Kind::kGetPut) {
            its.in.resize(size);
            its.in_md = bind(its, its.in, false);
        }
        Status status = Status::kOk;
        switch (its.kind) {
            case Kind::kPut:
                status = ni_.put(its.out_md, {}, AckRequest::kAck, target, 0);
                break;
            case Kind::kDropped:
                ++ways_[other].to_be_dropped;
                status = ni_.put(its.out_md, {}, AckRequest::kAck, target, 0);
                break;
            case Kind::kGet:
                status = ni_.get(its.in_md, {}, target);
                break;
            case Kind::kGetPut:
                status = ni_.get_put(its.in_md, its.out_md, target, 0);
                break;
        }
        if (status != Status::kOk) complain(std::string("was refused: ") + name_of(status));
    }

    /// In one piece, in several, or in registered memory.
    Handle bind(Operation& its, std::vector<std::byte>& data, bool may_be_registered) {
        MdSpec spec{.start = data.data(),
                    .length = data.size(),
                    .threshold = kInfinite,
                    .max_size = 0,
                    .options = 0,
                    .user_ptr = &its,
                    .eq = own_};
        if (may_be_registered && !registered_taken_ && random_.below(2) == 0) {
            registered_taken_ = its.registered = true;
            std::copy(data.begin(), data.end(), registered_.bytes().begin());
            spec.start = registered_.bytes().data();
        } else if (its.kind != Kind::kGetPut && random_.below(3) == 0) {
            std::size_t at = 0;
            for (unsigned i = 0; i < 5; ++i) {
                const std::size_t part = i == 4 ? data.size() - at : random_.below(data.size() - at + 1);
                its.segments.push_back({data.data() + at, part});
                at += part;
            }
            spec.start = its.segments.data();
            spec.length = its.segments.size();
            spec.options = kIovec;
        }
        Handle md = kInvalid;
        if (const Status status = ni_.bind(spec, Unlink::kRetain, md); status != Status::kOk)
            complain(std::string("could not bind: ") + name_of(status));
        return md;
    }

    unsigned read_events() {
        unsigned n = 0;
        Event event{};
        std::size_t which = 0;
        EventHandler handler = nullptr;
        const Handle queues[] = {own_, theirs_};
        for (; ni_.take(queues, event, which, handler) == Status::kOk; ++n) {
            if (which != 0) continue;
            Operation& its = *static_cast<Operation*>(event.spec.user_ptr);
            if (event.failure != kSuccess) {
                its.failed = true;
                ++failed_;
            }
            switch (event.kind) {
                case EventKind::kSendEnd:
                    if (its.answered) complain("had the answer before the message was sent");
                    its.sent = true;
                    release(its);
                    break;
                case EventKind::kAck:
                    if (event.mlength != its.content.size()) complain("had an ACK of another length");
                    its.answered = true;
                    break;
                case EventKind::kReplyEnd:
                    if (event.mlength != its.in.size()) complain("had a reply of another length");
                    its.answered = true;
                    break;
                default:
                    break;
            }
        }
        if (n != 0) conclude();
        return n;
    }

    /// Its memory is free, and used for something else.
    void release(Operation& its) {
        if (!its.registered) return std::fill(its.out.begin(), its.out.end(), std::byte{0xee});
        std::fill(registered_.bytes().begin(), registered_.bytes().end(), std::byte{0xee});
        registered_taken_ = false;
    }

    void conclude() {
        for (niu::NodeId other = 0; other < kHosts; ++other) {
            auto& operations = ways_[other].operations;
            for (std::size_t i = 0; i < operations.size();) {
                if (!operations[i]->is_over()) {
                    ++i;
                    continue;
                }
                conclude(ways_[other], *operations[i]);
                operations[i] = std::move(operations.back());
                operations.pop_back();
            }
        }
    }

    void conclude(Way& way, Operation& its) {
        const auto there = way.mirror.begin() + static_cast<std::ptrdiff_t>(its.offset);
        if (its.needs_sending()) ni_.unlink(its.out_md);
        if (its.kind == Kind::kGet || its.kind == Kind::kGetPut) {
            if (!its.failed && !std::equal(its.in.begin(), its.in.end(), there))
                complain("got something else");
            ni_.unlink(its.in_md);
        }
        if (its.kind == Kind::kPut || its.kind == Kind::kGetPut)
            std::copy(its.content.begin(), its.content.end(), there);
        way.busy[its.slot] = false;
    }

    void complain(const std::string& what) {
        if (complaint_.empty()) complaint_ = name() + " " + what;
    }

    niu::NodeId node_;
    const Plan& plan_;
    Random random_;
    Hands hands_;
    std::unique_ptr<nal::OverNiu> nal_;
    Interface ni_;
    Handle own_ = kInvalid;
    Handle theirs_ = kInvalid;
    std::array<Way, kHosts> ways_{};
    niu::Memory registered_;
    bool registered_taken_ = false;
    bool closed_ = false;
    std::uint64_t failed_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t largest_ = 0;
    std::string complaint_;
};

Plan some_plan(std::uint64_t seed, Random& random) {
    Plan plan{.seed = seed, .operations = static_cast<unsigned>(5 + random.below(15))};
    plan.planes = random.below(2) == 0 ? 1 : 1 + random.below(3);
    plan.niu = {.nodes = {"a", "b", "c"},
                .mtu = static_cast<std::uint16_t>(400 + random.below(1400)),
                .chains = true,
                .in_process = true,
                .window = 16U << random.below(4),
                .timeout = {.initial = 1ms, .least = 100us, .most = 5ms},
                .silence = 10ms,
                .hello_every = 200us,
                .linger = 3ms};
    plan.nal = {.followed = random.below(50'000),
                .slice = static_cast<std::uint32_t>(500 + random.below(60'000)),
                .ahead = static_cast<unsigned>(1 + random.below(4)),
                .absent = 100ms};
    return plan;
}

struct Totals : Summary {
    std::uint64_t failed = 0;
    std::uint64_t pulls = 0;
    std::uint64_t referred = 0;
};

/// The hosts of a seed, each with a port on every plane.
struct Job {
    Job(sim::World& world, const Plan& plan, Random& random) {
        for (std::size_t i = 0; i < plan.planes; ++i)
            planes.push_back(std::make_unique<Star<Port>>(world, plan.seed + i, random, kHosts,
                                                          [&](niu::NodeId node, const sim::Link::End& end) {
                                                              return std::make_unique<Port>(node, end, plan);
                                                          }));
        for (niu::NodeId node = 0; node < kHosts; ++node) {
            std::vector<nal::OverNiu::Plane> its;
            for (const auto& plane : planes)
                its.push_back(plane->hosts[node]->plane());
            processes.push_back(std::make_unique<Process>(node, its, plan));
            world.add(*processes.back());
        }
    }
    ~Job() {
        for (unsigned node = 0; node < kHosts; ++node)
            die(node);
    }

    void die(unsigned node) {
        processes[node]->die();
        for (const auto& plane : planes)
            plane->hosts[node]->die();
    }

    std::vector<std::unique_ptr<Star<Port>>> planes;
    std::vector<std::unique_ptr<Process>> processes;
};

/// Runs one seed. Says what went wrong; nothing when all was well.
std::string run(std::uint64_t seed, Totals& totals) {
    Random random(seed, 1);
    const Plan plan = some_plan(seed, random);
    sim::World world(seed, pool(), {.idle = 20us});
    Job job(world, plan, random);
    const bool dies = random.below(4) == 0;
    const bool closes = !dies && random.below(4) == 0;
    if (dies || closes) world.run_for(some(random, 5ms));
    if (dies) job.die(kMortal);
    if (closes) job.processes[kMortal]->close();
    const bool loses_plane = plan.planes > 1 && !dies && !closes && random.below(2) == 0;
    if (loses_plane) {
        // Between two hosts, in one direction or in both.
        world.run_for(some(random, 5ms));
        fabric::Impairment cut;
        cut.cut = true;
        const auto plane = random.below(plan.planes);
        job.planes[plane]->fabric->set(static_cast<unsigned>(random.below(kHosts)), cut);
        ++totals.cuts;
    }
    const auto lives = [&](unsigned node) { return (!dies && !closes) || node != kMortal; };
    const auto over = [&] {
        for (niu::NodeId node = 0; node < kHosts; ++node) {
            if (dies && node == kMortal) continue;
            if (!job.processes[node]->complaint().empty()) return true;
            if (!job.processes[node]->nal().idle()) return false;
            if (!lives(node)) continue;
            for (niu::NodeId other = 0; other < kHosts; ++other)
                if (!job.processes[node]->finished(other, !lives(other))) return false;
        }
        return true;
    };
    const bool finished = world.run_until(over, 4s);
    for (unsigned node = 0; node < kHosts; ++node) {
        const Process& process = *job.processes[node];
        if (!process.complaint().empty()) return process.complaint();
        if (!lives(node)) continue;
        totals.failed += process.failed();
        totals.bytes += process.bytes();
        totals.messages += process.nal().counters().begun.get();
        totals.pulls += process.nal().counters().pulls.get();
        totals.referred += process.nal().counters().referred.get();
        totals.largest = std::max(totals.largest, process.largest());
        for (const auto& plane : job.planes)
            add_niu(totals, plane->hosts[node]->niu().counters());
    }
    if (!finished) return "not all has come to an end";
    const auto to_be_dropped = [&](unsigned node) {
        std::uint64_t n = 0;
        for (const auto& process : job.processes)
            n += process->to_be_dropped_by(static_cast<niu::NodeId>(node));
        return n;
    };
    for (unsigned node = 0; node < kHosts && !dies && !closes; ++node) {
        const Process& process = *job.processes[node];
        for (const auto& other : job.processes)
            if (!other->agrees_with(process)) return "something is in a wrong place";
        if (process.failed() != 0) return "something failed though nobody died";
        // Of what is dropped nobody hears when it has arrived.
        if (!world.run_until([&] { return process.dropped() == to_be_dropped(node); }, 100ms))
            return "drops were counted wrong";
    }
    if (!job.processes[0]->agrees_with(*job.processes[1])) return "something is in a wrong place";
    ++totals.seeds;
    for (const auto& plane : job.planes)
        totals.add(*plane->fabric);
    for (unsigned node = 0; node < kHosts; ++node)
        job.die(node);
    world.drain();
    return {};
}

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
        const auto flags = static_cast<std::uint8_t>(random_.below(3));
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

TEST(PortalsSim, every_operation_does_what_it_is_to_do_once_or_fails_with_its_peer) {
    constexpr std::uint64_t kSeeds = 300;
    Totals all;
    pool();
    for_each_seed(kSeeds, [&](std::uint64_t seed) {
        EXPECT_EQ(run(seed, all), "");
        EXPECT_EQ(pool().in_use(), 0U);
    });
    std::cout << all << all.pulls << " pulls, " << all.referred / 1'000'000 << " MB not copied, "
              << all.failed << " operations failed with their peer\n";
    if (all.seeds < kSeeds) return;
    EXPECT_GT(all.cuts, 10U);
    EXPECT_GT(all.pulls, 1000U);
    EXPECT_GT(all.referred, 1'000'000U);
    EXPECT_GT(all.failed, 20U);
}

}  // namespace isoplane::test
