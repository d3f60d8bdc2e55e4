// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sim/network.hh"

#include <algorithm>
#include <bit>
#include <map>

namespace isoplane::sim {

namespace {

using namespace std::chrono_literals;
using fabric::Impairment;
using fabric::Random;
using runtime::Duration;

/// Each kind of fault is on or off, and up to as strong as in `worst`.
Impairment some_faults(Random& random, const Impairment& worst) {
    const auto maybe = [&](double strongest) {
        return random.below(2) == 0 ? 0.0 : random.unit() * strongest;
    };
    Impairment faults;
    faults.loss = maybe(worst.loss);
    faults.duplicate = maybe(worst.duplicate);
    faults.reorder = maybe(worst.reorder);
    faults.corrupt = maybe(worst.corrupt);
    faults.gap = static_cast<unsigned>(1 + random.below(worst.gap));
    faults.hold = 1us + some(random, worst.hold);
    if (random.below(2) == 0) faults.delay = some(random, worst.delay);
    if (random.below(2) == 0) faults.jitter = some(random, worst.jitter);
    // Nothing is drawn for it where there is none: what seeds mean does not depend on it.
    if (worst.late > 0) faults.late = maybe(worst.late);
    faults.after = worst.after;
    return faults;
}

/// How late stages notice their own timers differs from seed to seed.
Pace some_pace(std::uint64_t seed) {
    Random random(seed, 3);
    return {.gap = Duration{50 + random.below(400)}, .idle = Duration{2000 << random.below(5)}};
}

}  // namespace

Network::Network(const Scenario& scenario, runtime::Pool& pool, const std::string& capture)
    : scenario_(scenario),
      pool_(pool),
      random_(scenario.seed, 2),
      topology_(scenario.switches, "scenario"),
      paths_(topology_),
      partners_(topology_, scenario.partners),
      world_(scenario.seed, pool, some_pace(scenario.seed)) {
    if (!capture.empty()) recorder_ = std::make_unique<Recorder>(capture, world_);
    const std::size_t hosts = topology_.host_count();
    history_.resize(hosts);
    std::vector<Link::End> ends;
    for (std::size_t i = 0; i < hosts; ++i)
        ends.push_back(connect(topology_.name(static_cast<topology::NodeId>(i))));
    std::vector<topology::NodeId> own;
    std::vector<Link::End> own_ends;
    for (topology::SwitchId s = 0; s < topology_.switch_count(); ++s) {
        const topology::NodeId node = topology_.token_manager(s);
        if (scenario_.manager_at[s] == Scenario::kOnItsOwn) own.push_back(node);
    }
    for (const topology::NodeId node : own)
        own_ends.push_back(connect(topology_.name(node)));
    fabric_ = std::make_unique<fabric::Switch>(
        "fabric", ports_, pool,
        fabric::SwitchOptions{.seed = scenario_.seed,
                              .capacity = 1024,
                              .addresses = std::max(64U, static_cast<unsigned>(topology_.node_count()))});
    world_.add(*fabric_);
    if (scenario_.partners != 0) tell_addresses(own);

    for (std::size_t node = 0; node < topology_.node_count(); ++node)
        epochs_.push_back(static_cast<std::uint32_t>(1 + node));
    for (std::size_t i = 0; i < hosts; ++i) {
        hosts_.push_back(std::make_unique<Host>(topology_.name(static_cast<topology::NodeId>(i)), ends[i],
                                                clock(static_cast<topology::NodeId>(i))));
        start(i);
    }
    for (topology::SwitchId s = 0; s < topology_.switch_count(); ++s) {
        const topology::NodeId node = topology_.token_manager(s);
        if (!scenario_.mortality.survive && scenario_.manager_at[s] != Scenario::kOnItsOwn &&
            !scenario_.manages(topology_, static_cast<topology::NodeId>(scenario_.manager_at[s])))
            hosts_[scenario_.manager_at[s]]->put_beside(paths_, node, scenario_.exchange_options());
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
        managers_.push_back(std::make_unique<Manager>(topology_.name(own[i]), own_ends[i], clock(own[i])));
        managers_.back()->start(pool_, niu_options(own[i]), paths_, scenario_.exchange_options());
    }
    if (scenario_.mortality.survive) {
        for (std::size_t i = 0; i < hosts; ++i)
            make_mortal(i);
        for (const auto& manager : managers_)
            make_mortal(*manager);
    }
    for (const auto& host : hosts_)
        world_.add(*host);
    for (const auto& manager : managers_)
        world_.add(*manager);
}

void Network::start(std::size_t host) {
    hosts_[host]->start(pool_, niu_options(static_cast<topology::NodeId>(host)), siu_options(),
                        isotach_options(), paths_, scenario_, history_[host]);
}

/// Token managers have no NIU that anybody talks to; hosts say hello to them where there are few.
niu::Options Network::niu_options(topology::NodeId node) const {
    niu::Options options = scenario_.niu_options(topology_, node, epochs_[node]);
    if (scenario_.partners == 0) return options;
    options.nodes = topology_.is_host(node) ? partners_.names(node)
                                            : niu::Names(std::vector<std::string>(topology_.node_count()));
    options.macs = macs_;
    return options;
}

/// All know where everybody is, as in a network that has been in use: else what thousands of hosts send first
/// would go to all of them. `managers` are those with a port of their own, behind the hosts'.
void Network::tell_addresses(const std::vector<topology::NodeId>& managers) {
    std::vector<wire::MacAddress> macs;
    for (std::size_t i = 0; i < topology_.node_count(); ++i)
        macs.push_back(Scenario::mac_of(static_cast<topology::NodeId>(i)));
    for (topology::SwitchId s = 0; s < topology_.switch_count(); ++s)
        if (scenario_.manager_at[s] != Scenario::kOnItsOwn)
            macs[topology_.token_manager(s)] = macs[scenario_.manager_at[s]];
    for (std::size_t port = 0; port < fabric_->ports(); ++port) {
        const std::size_t hosts = topology_.host_count();
        const std::size_t node = port < hosts ? port : managers[port - hosts];
        fabric_->learn(std::bit_cast<rte_ether_addr>(macs[node]), static_cast<unsigned>(port));
    }
    macs_ = std::make_shared<const std::vector<wire::MacAddress>>(std::move(macs));
}

siu::SiuOptions Network::siu_options() const {
    return {.exchange = scenario_.exchange_options(),
            .pulse_interval = scenario_.pulse_interval,
            .longest_pause = scenario_.longest_pause,
            .no_counts = scenario_.planted.no_counts,
            .no_lag = scenario_.planted.no_lag};
}

isotach::Options Network::isotach_options() const {
    return {.max_message = scenario_.max_message,
            .paranoid = scenario_.paranoid,
            .planted = {.piecemeal = scenario_.planted.piecemeal,
                        .markers_at_once = scenario_.planted.markers_at_once,
                        .no_cut = scenario_.planted.no_cut,
                        .no_flush = scenario_.planted.no_flush,
                        .no_handover = scenario_.planted.no_handover,
                        .no_arrival = scenario_.planted.no_arrival}};
}

Link::End Network::connect(const std::string& name) {
    Link& link = world_.connect(name, {.latency = scenario_.latency, .capacity = 256});
    ports_.push_back({link.b().input, link.b().output});
    if (recorder_) recorder_->watch(name, link.a());
    return link.a();
}

std::string Network::run(Duration limit) {
    std::string wrong = scenario_.mortality.survive ? die_and_survive(limit) : act(limit);
    if (recorder_) recorder_->finish();
    return wrong;
}

std::string Network::act(Duration limit) {
    const auto over = [this] { return all_rest() || !complaint().empty(); };
    const runtime::Time end = world_.now() + scenario_.traffic.duration;
    for (unsigned change = 0; (change < 8 || world_.now() < end) && !over(); ++change) {
        disturb();
        run_until(over, some(random_, 1ms));
        heal();
        run_until(over, some(random_, 1ms));
    }
    run_until(over, limit);
    if (std::string wrong = complaint(); !wrong.empty()) return wrong;
    if (std::string wrong = judge(); !wrong.empty()) return wrong;
    if (!all_rest()) return where_it_stands();
    return leave(limit);
}

/// Other faults than before; now and then a partition: of one port, or of any that are not all.
void Network::disturb() {
    for (unsigned port = 0; port < fabric_->ports(); ++port)
        fabric_->set(port, some_faults(random_, scenario_.worst));
    if (!scenario_.partitions || random_.below(3) != 0) return;
    fabric::Partition groups(fabric_->ports(), 0);
    const std::size_t apart = random_.below(groups.size());
    const std::size_t others = (apart + 1 + random_.below(groups.size() - 1)) % groups.size();
    if (random_.below(2) == 0)
        for (auto& group : groups)
            group = static_cast<fabric::Partition::value_type>(random_.below(2));
    groups[apart] = 1;
    groups[others] = 0;
    divide(groups);
}

void Network::divide(const fabric::Partition& groups) {
    const std::ptrdiff_t apart = std::ranges::count(groups, 1);
    const std::ptrdiff_t others = std::ssize(groups) - apart;
    ++partitions_;
    if (std::min(apart, others) > 1) ++halves_;
    fabric_->set_partition(groups);
}

void Network::heal() {
    fabric_->set_partition(fabric::Partition(fabric_->ports(), 0));
}

void Network::clear_faults() {
    for (unsigned port = 0; port < fabric_->ports(); ++port)
        fabric_->set(port, {});
}

/// Nobody has anything to do, and nothing is on its way.
bool Network::all_rest() const {
    std::uint64_t issued = 0;
    std::uint64_t delivered = 0;
    Pulse acted = 0;
    Pulse executed = UINT64_MAX;
    for (const auto& host : hosts_) {
        if (!host->rests()) return false;
        issued += host->program().messages();
        delivered += host->program().delivered();
        acted = std::max(acted, host->isotach().acted_at() + host->siu().greatest_distance());
        executed = std::min(executed, host->isotach().ordering().executed());
    }
    return issued == delivered && executed >= acted;
}

std::string Network::complaint() const {
    for (const auto& host : hosts_) {
        if (!host->program().complaint().empty()) return host->program().complaint();
        const isotach::Paranoid* paranoid = host->isotach().paranoid();
        if (paranoid != nullptr && paranoid->violations() != 0)
            return host->name() + ": " + paranoid->first();
        if (host->isotach().ordering().late() != 0) return host->name() + " got a message after its pulse";
        if (host->isotach().counters().out_of_sequence.get() != 0)
            return host->name() + " got a message out of sequence";
    }
    return {};
}

std::string Network::where_it_stands() const {
    std::string text = "it stands still: " + std::to_string(pool_.in_use()) + " of " +
                       std::to_string(pool_.size()) + " packets in use;";
    if (const wire::View* view = views_.latest()) text += " view " + std::to_string(view->number) + ";";
    for (const auto& host : hosts_) {
        if (host->rests()) continue;
        const isotach::Isotach& isotach = host->isotach();
        text += " " + host->name() + " at clock " + std::to_string(host->siu().clock()) + ", executed " +
                std::to_string(isotach.ordering().executed()) + ", outstanding " +
                std::to_string(isotach.outstanding()) + ", waiting " +
                std::to_string(isotach.ordering().waiting()) + ", behind " +
                std::to_string(isotach.ordering().behind()) +
                (host->program().has_finished() ? ";" : ", has more to do;");
    }
    return text;
}

/// Which part of its isochron each delivery is: its receiver sees only the content, and that the parts for it
/// come in order.
void Network::number_parts() {
    std::map<std::pair<std::uint16_t, std::uint32_t>, const Issue*> issues;
    for (std::size_t host = 0; host < history_.size(); ++host) {
        for (const Event& event : history_[host]) {
            if (const auto* issue = std::get_if<Issue>(&event))
                issues[{static_cast<std::uint16_t>(host), issue->number}] = issue;
        }
    }
    for (std::size_t host = 0; host < history_.size(); ++host) {
        std::map<std::pair<std::uint16_t, std::uint32_t>, std::vector<bool>> delivered;
        for (Event& event : history_[host]) {
            auto* delivery = std::get_if<Delivery>(&event);
            if (delivery == nullptr) continue;
            const auto key = std::pair(delivery->issuer, delivery->isochron);
            const auto issue = issues.find(key);
            if (issue == issues.end()) continue;
            const std::vector<Part>& parts = issue->second->parts;
            std::vector<bool>& seen = delivered[key];
            seen.resize(parts.size());
            for (std::uint32_t i = 0; i < parts.size(); ++i) {
                if (seen[i] || parts[i].destination != host || parts[i].content != delivery->content)
                    continue;
                seen[i] = true;
                delivery->part = i;
                break;
            }
        }
    }
}

/// A host that is a token manager is a token hop nearer.
std::uint32_t Network::distance(topology::NodeId a, topology::NodeId b) const {
    const unsigned managers =
        (scenario_.manages(topology_, a) ? 1U : 0U) + (scenario_.manages(topology_, b) ? 1U : 0U);
    return static_cast<std::uint32_t>(paths_.distance(a, b, scenario_.ahead)) - managers * scenario_.ahead;
}

std::string Network::judge() {
    const auto greatest = static_cast<std::uint32_t>(paths_.greatest_distance(scenario_.ahead));
    Setting setting{.greatest_distance = greatest,
                    .quiet = scenario_.mortality.survive ? !stood_still_ && survivors_rest() : all_rest()};
    if (scenario_.mortality.survive) {
        std::vector<Life> all = lives();
        if (std::string wrong = settle_lives(all, views_, greatest, stood_still_); !wrong.empty())
            return wrong;
        history_.clear();
        for (Life& life : all) {
            setting.left.push_back(life.lost ? last_executed(life.events) : UINT64_MAX);
            setting.joined.push_back(life.joined);
            joins_ += life.joined != 0 ? 1 : 0;
            places_.push_back(life.host);
            history_.push_back(std::move(life.events));
        }
    } else {
        for (std::size_t host = 0; host < hosts_.size(); ++host)
            places_.push_back(static_cast<topology::NodeId>(host));
    }
    number_parts();
    setting.hosts = static_cast<std::uint16_t>(history_.size());
    for (const topology::NodeId a : places_) {
        for (const topology::NodeId b : places_)
            setting.distances.push_back(a == b ? 0U : distance(a, b));
    }
    const std::vector<Violation> violations = check(setting, history_);
    return violations.empty() ? std::string() : violations.front().text;
}

std::string Network::leave(Duration limit) {
    clear_faults();
    for (const auto& host : hosts_)
        host->niu().close();
    run_until(
        [this] {
            return std::ranges::all_of(hosts_, [](const auto& h) { return h->dead() || h->niu().closed(); });
        },
        limit);
    for (const auto& host : hosts_) {
        if (host->dead()) continue;
        if (!host->niu().closed() || !host->niu().left_open().empty()) return host->name() + " did not close";
    }
    if (world_.drain() != 0) return "frames are left";
    return {};
}

}  // namespace isoplane::sim
