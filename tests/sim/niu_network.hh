// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <isoplane/fabric/switch.hh>
#include <isoplane/niu/epoch.hh>
#include <isoplane/niu/niu.hh>
#include <isoplane/sim/world.hh>
#include <isoplane/wire/hello.hh>
#include <memory>
#include <string>
#include <vector>

#include "chance.hh"
#include "niu_summary.hh"
#include "talker.hh"

namespace isoplane::test {

/// A defect that a run is to find.
struct Defect {
    niu::Planted planted{};
    bool trust_the_network = false;  ///< nobody checks what is in a frame
};

inline Impairment some_faults(Random& random) {
    return some_impairment(random, {.loss = 0.2,
                                    .duplicate = 0.2,
                                    .reorder = 0.3,
                                    .corrupt = 0.1,
                                    .delay = random.below(8) == 0 ? Duration{2ms} : Duration{20us},
                                    .jitter = 50us,
                                    .gap = 20,
                                    .hold = 100us});
}

/// Frames of every fourth network travel in UDP.
inline topology::UdpNetwork udp_for(std::uint64_t seed, std::size_t nodes) {
    topology::UdpNetwork udp;
    for (std::size_t node = 0; seed % 4 == 3 && node < nodes; ++node)
        udp.addresses.push_back(0x0a000001 + static_cast<topology::Ip>(node));
    return udp;
}

/// The first frames of every second network have the last numbers that there are.
inline std::uint32_t first_frame_for(std::uint64_t seed) {
    return seed % 2 == 0 ? 0 : UINT32_MAX - static_cast<std::uint32_t>(seed % 61);
}

inline niu::Options some_options(Random& random, niu::NodeId node, const std::vector<std::string>& names,
                                 const Defect& defect, topology::UdpNetwork udp = {}) {
    niu::Options options;
    options.node = node;
    options.nodes = names;
    options.job_key = 7;
    options.epoch = niu::epoch_at(random.below(1U << 31));
    options.mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(node)};
    const std::size_t extra = udp.is_used() ? wire::kIpv4Size + wire::kUdpSize : 0;
    options.mtu = static_cast<std::uint16_t>(wire::kMinMtu + extra + random.below(1900 - wire::kMinMtu));
    options.udp = std::move(udp);
    options.chains = true;
    options.in_process = true;  // the simulator hands packets over
    options.window = 1U << (2 + random.below(6));
    options.coalesce = random.below(4) != 0;
    options.ack_every = static_cast<unsigned>(1 + random.below(32));
    options.ack_delay = some(random, 50us);
    options.timeout = {.initial = 1ms, .least = 100us, .most = 5ms};
    options.hello_every = 200us;
    options.linger = 3ms;
    // The payload goes unchecked only where both ends say so: here for no pair, unless that is the defect.
    options.trust_fcs = defect.trust_the_network || (node == 0 && random.below(4) == 0);
    options.planted = defect.planted;
    return options;
}

/// How long stages idle, and so how late they notice their own timers, differs from seed to seed.
inline sim::Pace some_pace(Random& random) {
    return {.gap = Duration{50 + random.below(400)}, .idle = Duration{2000 << random.below(6)}};
}

/// Hosts with an NIU and a talker each, joined by a switch, or directly if they are two and the seed says so.
class Network {
  public:
    Network(std::uint64_t seed, const Defect& defect, runtime::Pool& pool)
        : random_(seed, 1), world_(seed, pool, some_pace(random_)) {
        const auto count = static_cast<unsigned>(2 + random_.below(5));
        const bool direct = count == 2 && random_.below(2) == 0;
        std::vector<std::string> names;
        for (unsigned i = 0; i < count; ++i)
            names.push_back("host" + std::to_string(i));
        std::vector<fabric::Port> ports;
        std::vector<sim::Link::End> ends;
        for (unsigned i = 0; i < (direct ? 1 : count); ++i) {
            sim::Link& link =
                world_.connect(names[i], {.latency = 100ns + some(random_, 5us), .capacity = 256});
            ends.push_back(link.a());
            if (direct) {
                ends.push_back(link.b());
                direct_ = &link;
            }
            ports.push_back({link.b().input, link.b().output});
        }
        if (!direct) {
            fabric_ = std::make_unique<fabric::Switch>(
                "fabric", ports, pool,
                fabric::SwitchOptions{.seed = seed, .capacity = 1024, .addresses = 64});
            world_.add(*fabric_);
        }
        const Traffic traffic = Traffic::of(random_);
        for (unsigned i = 0; i < count; ++i) {
            niu::Options options =
                some_options(random_, static_cast<niu::NodeId>(i), names, defect, udp_for(seed, count));
            options.planted.first = first_frame_for(seed);
            nius_.push_back(
                std::make_unique<niu::Niu>(names[i], ends[i].input, ends[i].output, pool, options));
            talkers_.push_back(std::make_unique<Talker>(*nius_[i], i, count, seed, traffic));
            world_.add(*talkers_[i], *nius_[i]);
        }
    }

    /// Lets all talk under changing faults, then leave. Returns what went wrong first; empty when nothing
    /// did.
    std::string run(Duration limit) {
        const auto over = [this] { return complained() || finished(); };
        for (unsigned change = 0; change < 8 && !over(); ++change) {
            disturb();
            world_.run_until(over, some(random_, 1ms));
            heal();
            world_.run_until(over, some(random_, 1ms));
        }
        world_.run_until(over, limit);
        if (complained()) return complaint();
        if (!finished()) return "messages are missing";
        if (std::string wrong = check_credit(); !wrong.empty()) return wrong;
        disturb();
        heal();
        if (std::string wrong = leave(limit); !wrong.empty()) return wrong;
        if (world_.drain() != 0) return "frames are left";
        return complaint();
    }

    std::uint64_t trace_hash() const { return world_.trace_hash(); }

    void add_to(Summary& summary) const {
        ++summary.seeds;
        summary.cuts += cuts_;
        for (const auto& niu : nius_)
            add_niu(summary, niu->counters());
        for (const auto& talker : talkers_) {
            summary.messages += talker->messages_received();
            summary.bytes += talker->bytes_received();
            summary.largest = std::max(summary.largest, talker->largest());
        }
        if (direct_ != nullptr) summary.add(*direct_);
        if (fabric_ != nullptr) summary.add(*fabric_);
    }

  private:
    /// Other faults than before; now and then a partition or a cut.
    void disturb() {
        if (direct_ != nullptr) {
            for (sim::Channel* way : {&direct_->a_to_b(), &direct_->b_to_a()}) {
                faults_ = some_faults(random_);
                faults_.cut = random_.below(8) == 0;
                cuts_ += faults_.cut ? 1 : 0;
                way->set(faults_);
            }
            return;
        }
        for (unsigned i = 0; i < fabric_->ports(); ++i)
            fabric_->set(i, some_faults(random_));
        fabric::Partition groups(fabric_->ports(), 0);
        if (random_.below(4) == 0) {
            groups[random_.below(groups.size())] = 1;
            ++cuts_;
        }
        fabric_->set_partition(groups);
    }
    void heal() {
        if (direct_ != nullptr) {
            faults_.cut = false;
            direct_->a_to_b().set(faults_);
            direct_->b_to_a().set(faults_);
        } else {
            fabric_->set_partition(fabric::Partition(fabric_->ports(), 0));
        }
    }

    void clear_faults() {
        if (direct_ != nullptr) {
            direct_->a_to_b().set({});
            direct_->b_to_a().set({});
        } else {
            for (unsigned i = 0; i < fabric_->ports(); ++i)
                fabric_->set(i, {});
        }
    }

    bool finished() const {
        return std::all_of(talkers_.begin(), talkers_.end(), [](const auto& t) { return t->finished(); });
    }
    bool complained() const {
        return std::any_of(talkers_.begin(), talkers_.end(),
                           [](const auto& t) { return !t->complaint().empty(); });
    }
    std::string complaint() const {
        for (const auto& talker : talkers_) {
            if (!talker->complaint().empty()) return talker->complaint();
        }
        return {};
    }

    /// Every frame received has given its credit back, and what its sender has not been told yet is less than
    /// what would be worth a frame. The last words are said without faults, as an update that is lost while
    /// nobody waits for it is made good by the next frame.
    std::string check_credit() {
        clear_faults();
        for (const auto& talker : talkers_)
            talker->say_more(1);
        if (!world_.run_until([this] { return finished(); }, 5s)) return "the last words are missing";
        world_.run_for(1ms);
        for (unsigned i = 0; i < nius_.size(); ++i) {
            for (unsigned j = 0; j < nius_.size(); ++j) {
                if (i == j) continue;
                const niu::Peer& receiver = nius_[j]->peer(static_cast<niu::NodeId>(i));
                const niu::Peer& sender = nius_[i]->peer(static_cast<niu::NodeId>(j));
                if (receiver.grant.released() != receiver.in.expected() || receiver.held != 0)
                    return "credit is missing at its giver";
                if (!sender.out.empty()) return "a frame was never acknowledged";
                const auto untold =
                    static_cast<unsigned>(niu::distance(sender.allowance.limit(), receiver.grant.limit()));
                const auto window = receiver.grant.limit() - receiver.grant.released();
                if (untold >= (window + 3) / 4) return "credit is missing at its user";
            }
        }
        return {};
    }

    std::string leave(Duration limit) {
        for (const auto& niu : nius_)
            niu->close();
        world_.run_until(
            [this] {
                return std::all_of(nius_.begin(), nius_.end(), [](const auto& n) { return n->closed(); });
            },
            limit);
        for (const auto& niu : nius_) {
            if (!niu->closed() || !niu->left_open().empty()) return niu->name() + " did not close";
        }
        return {};
    }

    Random random_;
    sim::World world_;
    std::unique_ptr<fabric::Switch> fabric_;
    sim::Link* direct_ = nullptr;
    Impairment faults_;  ///< of the direct link
    std::uint64_t cuts_ = 0;
    std::vector<std::unique_ptr<niu::Niu>> nius_;
    std::vector<std::unique_ptr<Talker>> talkers_;
};

}  // namespace isoplane::test
