// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Random calls at two interfaces, and at the models of both, while the network that carries their messages
// has every fault: whatever can be seen must be what it would be without it.
#include <iostream>

#include "niu_summary.hh"
#include "portals_host.hh"
#include "seeds.hh"
#include "star.hh"
#include "twin.hh"

namespace isoplane::portals {

namespace {

using namespace std::chrono_literals;

constexpr int kSequences = 20;  ///< on each network
constexpr int kSteps = 40;      ///< of each

/// One of the two. What it asks of the other is all over in its model before anything else is asked.
class End : Twin {
  public:
    End(Random& random, Interface& ni, const ProcessId& there, std::size_t scale)
        : Twin(random, ni, there, scale) {}

    using Twin::begin;
    using Twin::call_something;
    using Twin::compare_all;

    void put(End& other) {
        const auto [name, handle] = mds_.pick(random_);
        const Range range{length_below(4), length_below(12)};
        const Target to = some_target();
        const AckRequest ack = random_.once_in(3) ? AckRequest::kNoAck : AckRequest::kAck;
        const std::uint64_t hdr_data = some_header_data();
        Name deed = 0;
        const Status status =
            model_.put(name, range.offset, range.length, to.match_bits, to.remote_offset, hdr_data, deed);
        check("put", ni_.put(handle, range, ack, to, hdr_data), status);
        if (status != Status::kOk) return;
        Header header = header_to(to, MessageType::kPut, range.length);
        header.hdr_data = hdr_data;
        if (ack == AckRequest::kAck) header.md = 1;
        const std::string data = model_.sends(deed);
        model_.sent(deed, false);
        Bytes where;
        const Name arrived = other.model_.arrive(header, where);
        if (arrived == 0) return;
        if (other.model_.landed(arrived, data, false).ack)
            model_.ack(name, other.answer_to(header, MessageType::kAck, where.size()));
    }

    void get(End& other) {
        const auto [name, handle] = mds_.pick(random_);
        const Range range{length_below(4), length_below(12)};
        const Target to = some_target();
        Name deed = 0;
        const Status status = model_.get(name, range.offset, range.length, deed);
        check("get", ni_.get(handle, range, to), status);
        if (status != Status::kOk) return;
        model_.sent(deed, false);
        Header header = header_to(to, MessageType::kGet, range.length);
        header.return_offset = range.offset;
        Bytes where;
        const Name arrived = other.model_.arrive(header, where);
        if (arrived == 0) return;
        const std::string data = other.model_.sends(arrived);
        other.model_.sent(arrived, false);
        take_reply(name, other.answer_to(header, MessageType::kReply, where.size()), data);
    }

    void get_put(End& other) {
        const auto [name, handle] = mds_.pick(random_);
        const auto [sink, sink_handle] = mds_.pick(random_);
        if (name < 0) return;
        const Target to = some_target();
        const std::uint64_t hdr_data = some_header_data();
        Name deed = 0;
        const Status status = model_.get_put(sink, name, to.match_bits, to.remote_offset, hdr_data, deed);
        check("get_put", ni_.get_put(sink_handle, handle, to, hdr_data), status);
        if (status != Status::kOk) return;
        const std::string data = model_.sends(deed);
        model_.sent(deed, false);
        Header header = header_to(to, MessageType::kGetPut, data.size());
        header.hdr_data = hdr_data;
        Bytes where;
        const Name arrived = other.model_.arrive(header, where);
        if (arrived == 0) return;
        const std::optional<std::string> was = other.model_.landed(arrived, data, false).reply;
        other.model_.sent(arrived, false);
        take_reply(sink, other.answer_to(header, MessageType::kReply, where.size()), *was);
    }

  private:
    std::uint64_t some_header_data() { return (std::uint64_t{below(1U << 31)} << 33) + below(1U << 31); }
    Target some_target() {
        Target to{.process = there_, .portal = kPortal};
        if (random_.once_in(16)) to.portal = random_.once_in(2) ? kPortal - 1 : kPortal + 1;
        to.match_bits = bits();
        to.cookie = random_.once_in(3) ? cookie() : 0;
        to.remote_offset = random_.once_in(20) ? ~Size{0} - below(3) : length_below(12);
        return to;
    }
    Header header_to(const Target& to, MessageType type, Size length) const {
        return {.type = type,
                .target = to.process,
                .initiator = ni_.id(),
                .uid = ni_.uid(),
                .jid = ni_.jid(),
                .portal = to.portal,
                .cookie = to.cookie,
                .match_bits = to.match_bits,
                .remote_offset = to.remote_offset,
                .length = length};
    }
    Header answer_to(const Header& request, MessageType type, Size mlength) const {
        Header answer = request;
        answer.type = type;
        answer.target = request.initiator;
        answer.initiator = ni_.id();
        answer.uid = ni_.uid();
        answer.jid = ni_.jid();
        answer.hdr_data = 0;
        answer.mlength = mlength;
        return answer;
    }
    void take_reply(Name md, const Header& reply, const std::string& data) {
        Bytes where;
        if (const Name deed = model_.reply(md, reply, where); deed != 0) model_.landed(deed, data, false);
    }
};

struct Totals : test::Summary {
    std::uint64_t sequences = 0;
    std::uint64_t carried = 0;  ///< messages
    std::uint64_t pulls = 0;
};

/// Nodes with NIUs on one plane or several, two of which have Portals.
class Network {
  public:
    Network(std::uint64_t seed, const Planted& planted)
        : chance_(seed, 1),
          plan_(test::some_plan(seed, chance_)),
          world_(seed, test::pool(), {.idle = 20us}),
          random_(seed),
          planted_(planted) {
        for (std::size_t i = 0; i < plan_.planes; ++i)
            planes_.push_back(std::make_unique<test::Star<test::Port>>(
                world_, plan_.seed + i, plan_.climate, test::kHosts,
                [this](niu::NodeId node, const sim::Link::End& end) {
                    return std::make_unique<test::Port>(node, end, plan_);
                }));
        for (niu::NodeId node = 0; node < nals_.size(); ++node) {
            std::vector<nal::OverNiu::Plane> its;
            for (const auto& plane : planes_)
                its.push_back(plane->hosts[node]->plane());
            nals_[node] = std::make_unique<nal::OverNiu>("nal", its, hands_, plan_.nal);
            world_.add(*nals_[node]);
        }
    }
    ~Network() {
        for (auto& nal : nals_)
            nal.reset();
        for (const auto& plane : planes_)
            for (const auto& port : plane->hosts)
                port->die();
    }

    /// What differs in one of the sequences, or nothing.
    std::string difference() {
        for (int i = 0; i < kSequences; ++i) {
            try {
                play();
            } catch (const Difference& difference) {
                return "sequence " + std::to_string(i) + ": " + difference.what;
            }
        }
        return {};
    }

    void add_to(Totals& totals) const {
        ++totals.seeds;
        totals.sequences += kSequences;
        for (const auto& nal : nals_) {
            totals.carried += nal->counters().begun.get();
            totals.pulls += nal->counters().pulls.get();
        }
        for (const auto& plane : planes_) {
            plane->weather->add_to(totals);
            for (const auto& port : plane->hosts)
                test::add_niu(totals, port->niu().counters());
        }
    }

  private:
    /// With interfaces of its own; messages are short in most, and of many frames in others.
    void play() {
        constexpr std::size_t kScales[] = {1, 1, 20, 400};
        const std::size_t scale = kScales[random_.below(std::size(kScales))];
        const auto options = [this](Jid jid) {
            return Options{.limits = {.max_ac_index = 3, .max_pt_index = 4},
                           .uid = 1000,
                           .jid = jid,
                           .generation = ++generation_,
                           .planted = planted_};
        };
        Interface here(0, *nals_[0], options(5));
        Interface there(1, *nals_[1], options(6));
        if (here.open(test::kPid) != Status::kOk || there.open(test::kPid) != Status::kOk)
            throw Difference{"an interface did not open"};
        End ends[] = {{random_, here, there.id(), scale}, {random_, there, here.id(), scale}};
        for (End& end : ends)
            end.begin();
        for (int i = 0; i < kSteps; ++i)
            step(ends);
        for (End& end : ends)
            end.compare_all();
    }

    void step(End (&ends)[2]) {
        const unsigned which = random_.below(2);
        End& one = ends[which];
        End& other = ends[1 - which];
        switch (random_.below(8)) {
            case 0:
            case 1:
                one.put(other);
                break;
            case 2:
                one.get(other);
                break;
            case 3:
                one.get_put(other);
                break;
            default:
                return one.call_something();
        }
        if (!world_.run_until([this] { return is_quiet(); }, 1s)) throw Difference{"it comes to no rest"};
    }

    /// All that was sent is where it should be, and everybody knows.
    bool is_quiet() const {
        std::uint64_t begun = 0;
        std::uint64_t arrived = 0;
        for (const auto& nal : nals_) {
            if (!nal->idle()) return false;
            begun += nal->counters().begun.get();
            arrived += nal->counters().arrived.get();
        }
        const auto waits = [](const auto& plane) {
            return !plane->hosts[0]->niu().peer(1).out.empty() || !plane->hosts[1]->niu().peer(0).out.empty();
        };
        return begun == arrived && std::none_of(planes_.begin(), planes_.end(), waits);
    }

    test::Random chance_;
    test::Plan plan_;
    sim::World world_;
    test::Hands hands_;
    std::vector<std::unique_ptr<test::Star<test::Port>>> planes_;
    std::array<std::unique_ptr<nal::OverNiu>, 2> nals_;
    Random random_;
    Planted planted_;
    std::uint32_t generation_ = 0;
};

std::string difference(std::uint64_t seed, const Planted& planted, Totals& totals) {
    Network network(seed, planted);
    const std::string found = network.difference();
    network.add_to(totals);
    return found;
}

}  // namespace

TEST(PortalsModelSim, an_interface_does_what_its_model_does_whatever_the_network_does) {
    constexpr std::uint64_t kNetworks = 500;
    Totals all;
    test::pool();
    test::for_each_seed(kNetworks, [&](std::uint64_t seed) {
        EXPECT_EQ(difference(seed, {}, all), "");
        EXPECT_EQ(test::pool().in_use(), 0U);
    });
    std::cout << all << all.sequences << " sequences with " << all.carried << " messages, " << all.pulls
              << " pulls\n";
    if (all.seeds < kNetworks) return;
    EXPECT_GE(all.sequences, 10'000U);
    test::expect_all_faults(all, 500);
    EXPECT_GT(all.pulls, 100U);
}

TEST(PortalsModelSim, finds_planted_defects) {
    constexpr std::uint64_t kEnough = 100;
    Totals ignored;
    for (const auto& [name, defect] : kDefects) {
        // These two show when operations overlap.
        if (defect == &Planted::one_unlinks || defect == &Planted::forgets_promises) continue;
        Planted planted;
        planted.*defect = true;
        std::uint64_t seed = 1;
        while (seed <= kEnough && difference(seed, planted, ignored).empty())
            ++seed;
        EXPECT_LE(seed, kEnough) << name << " was not found";
    }
}

}  // namespace isoplane::portals
