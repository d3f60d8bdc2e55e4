// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sweep.hh"

#include <rte_cycles.h>
#include <time.h>

#include <algorithm>
#include <isoplane/fabric/random.hh>
#include <map>
#include <stdexcept>

#include "cluster.hh"

namespace isoplane::perf {

namespace {

constexpr std::size_t kMostOutstanding = 64;  // messages of a host at once
constexpr double kPatience = 5;               // seconds, for what only a fault makes long

/// What is measured at one value of a sweep.
struct Setup {
    std::string sweep;
    double value = 0;
    ClusterOptions cluster{};
    unsigned messages = 1;      ///< of an isochron
    unsigned destinations = 1;  ///< other hosts that they go to, in turn
    bool mixed = false;         ///< every other message goes to the issuer itself
};

double seconds_of(std::uint64_t ticks) {
    return static_cast<double>(ticks) / static_cast<double>(rte_get_tsc_hz());
}

double us_of(std::uint64_t ticks) {
    return seconds_of(ticks) * 1e6;
}

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Seconds for which this thread has had a CPU.
double cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// True until so many seconds have passed.
class Timer {
  public:
    explicit Timer(double seconds) : begin_(rte_rdtsc()), seconds_(seconds) {}
    bool runs() const { return seconds_of(rte_rdtsc() - begin_) < seconds_; }
    std::uint64_t ticks() const { return rte_rdtsc() - begin_; }

  private:
    std::uint64_t begin_;
    double seconds_;
};

template <typename Condition>
void poll_until(Cluster& cluster, Condition&& condition) {
    const Timer limit(kPatience);
    while (!condition()) {
        if (!limit.runs())
            throw std::runtime_error("a message in a cluster of hosts has not arrived within 5 s");
        cluster.round();
    }
}

/// Of one isochron of one message, from host 0 to host 1, in microseconds.
double ordered_latency(Cluster& cluster) {
    const niu::NodeId to = 1;
    const std::uint64_t executed = cluster.host(1).executed();
    const Timer timer(0);
    poll_until(cluster, [&] { return cluster.host(0).issue({&to, 1}); });
    poll_until(cluster, [&] { return cluster.host(1).executed() > executed; });
    return us_of(timer.ticks());
}

double unordered_latency(Cluster& cluster) {
    const std::uint64_t received = cluster.host(1).received();
    const Timer timer(0);
    poll_until(cluster, [&] { return cluster.host(0).send(1); });
    poll_until(cluster, [&] { return cluster.host(1).received() > received; });
    return us_of(timer.ticks());
}

void measure_latency(Cluster& cluster, double seconds, Point& point) {
    fabric::Random random(1, 1);
    std::vector<double> ordered;
    std::vector<double> added;
    for (const Timer timer(seconds); timer.runs() || ordered.empty();) {
        // Tokens are to be anywhere when a message goes.
        for (std::uint64_t rounds = random.below(8); rounds > 0; --rounds)
            cluster.round();
        ordered.push_back(ordered_latency(cluster));
        added.push_back(ordered.back() - unordered_latency(cluster));
    }
    point.latency_us = median(std::move(ordered));
    point.added_us = median(std::move(added));
}

/// To whom the messages of an isochron go.
std::vector<niu::NodeId> addressees(const Setup& setup, unsigned issuer) {
    std::vector<niu::NodeId> to;
    for (unsigned i = 0; i < setup.messages; ++i) {
        const unsigned step = setup.mixed && i % 2 == 1 ? 0 : 1 + i % setup.destinations;
        to.push_back(static_cast<niu::NodeId>((issuer + step) % setup.cluster.hosts));
    }
    return to;
}

void issue_what_goes(ClusterHost& host, const std::vector<niu::NodeId>& to) {
    while (host.isotach().outstanding() * to.size() < kMostOutstanding && host.issue(to)) {
    }
}

/// Host 0 alone issues. Slices in which something else had the CPU are few, so that a median leaves them out.
void measure_cost(Cluster& cluster, const Setup& setup, double seconds, Point& point) {
    constexpr unsigned kSlice = 32;  // rounds
    const std::vector<niu::NodeId> to = addressees(setup, 0);
    const auto spent = [&](unsigned hosts) {
        std::uint64_t ticks = 0;
        for (unsigned host = 0; host < hosts; ++host)
            ticks += cluster.host(host).ticks();
        return ticks;
    };
    std::vector<double> issue;
    std::vector<double> cost;
    const isotach::Counters& counters = cluster.host(0).isotach().counters();
    for (const Timer timer(seconds); timer.runs();) {
        const std::uint64_t isochrons = counters.isochrons.get();
        const std::uint64_t own = spent(1);
        const std::uint64_t all = spent(1 + setup.destinations);
        for (unsigned round = 0; round < kSlice; ++round) {
            issue_what_goes(cluster.host(0), to);
            cluster.round();
        }
        const auto issued = static_cast<double>(counters.isochrons.get() - isochrons);
        if (issued == 0) continue;
        issue.push_back(us_of(spent(1) - own) / issued);
        cost.push_back(us_of(spent(1 + setup.destinations) - all) / issued);
    }
    point.issue_us = median(std::move(issue));
    point.cost_us = median(std::move(cost));
}

/// All hosts issue. Per second means per second of a CPU that polls them all.
void measure_rate(Cluster& cluster, const Setup& setup, double seconds, Point& point) {
    std::vector<std::vector<niu::NodeId>> to;
    for (unsigned host = 0; host < cluster.size(); ++host)
        to.push_back(addressees(setup, host));
    const isotach::Counters& counters = cluster.host(0).isotach().counters();
    const std::uint64_t isochrons = counters.isochrons.get();
    const siu::Pulse clock = cluster.host(0).siu().clock();
    const std::uint64_t frames = cluster.frames();
    const std::uint64_t tokens = cluster.tokens();
    const std::uint64_t again = cluster.sent_again();
    const double begin = cpu_seconds();
    for (const Timer timer(seconds); timer.runs();) {
        for (unsigned host = 0; host < cluster.size(); ++host)
            issue_what_goes(cluster.host(host), to[host]);
        cluster.round();
    }
    const double took = cpu_seconds() - begin;
    point.isochrons_per_second = static_cast<double>(counters.isochrons.get() - isochrons) / took;
    point.messages_per_second = point.isochrons_per_second * setup.messages;
    point.tokens_per_second = static_cast<double>(cluster.host(0).siu().clock() - clock) / took;
    if (point.tokens_per_second > 0) point.token_us = 1e6 / point.tokens_per_second;
    const auto all = static_cast<double>(std::max<std::uint64_t>(cluster.frames() - frames, 1));
    point.token_share = static_cast<double>(cluster.tokens() - tokens) / all;
    point.sent_again_share = static_cast<double>(cluster.sent_again() - again) / all;
}

Point measure(runtime::Pool& pool, const Setup& setup, double seconds) {
    Point point{.sweep = setup.sweep, .value = setup.value};
    Cluster cluster(pool, setup.cluster);
    cluster.come_up();
    measure_latency(cluster, seconds, point);
    measure_cost(cluster, setup, seconds, point);
    cluster.settle();
    measure_rate(cluster, setup, seconds, point);
    cluster.settle();
    return point;
}

void poll_for(Cluster& cluster, double seconds) {
    for (const Timer timer(seconds); timer.runs();)
        cluster.round();
}

double tokens_per_second(Cluster& cluster, double seconds) {
    const std::uint64_t before = cluster.host(0).siu().clock();
    const Timer timer(0);
    poll_for(cluster, seconds);
    return static_cast<double>(cluster.host(0).siu().clock() - before) / seconds_of(timer.ticks());
}

/// Hosts have nothing to do for as long as it takes them to hold every token back as long as they ever do.
void fall_idle(Cluster& cluster) {
    poll_for(cluster, 0.25);
}

/// For how long host 1 executes nothing, at the most, after one frame to it has been lost.
double recovery(Cluster& cluster, const std::vector<std::vector<niu::NodeId>>& to) {
    const auto round = [&] {
        for (unsigned host = 0; host < cluster.size(); ++host)
            issue_what_goes(cluster.host(host), to[host]);
        cluster.round();
    };
    for (unsigned i = 0; i < 200; ++i)
        round();
    const std::uint64_t lost = cluster.lost(1);
    cluster.cut_off(1, true);
    while (cluster.lost(1) == lost)
        round();
    cluster.cut_off(1, false);
    double longest = 0;
    std::uint64_t executed = cluster.host(1).executed();
    std::uint64_t last = rte_rdtsc();
    for (unsigned progress = 0; progress < 50 && us_of(rte_rdtsc() - last) < kPatience * 1e6;) {
        round();
        if (cluster.host(1).executed() == executed) continue;
        executed = cluster.host(1).executed();
        longest = std::max(longest, us_of(rte_rdtsc() - last));
        last = rte_rdtsc();
        ++progress;
    }
    return longest;
}

Edges measure_edges(runtime::Pool& pool, const std::function<void()>& interrupted) {
    constexpr unsigned kWakes = 5;
    constexpr unsigned kLosses = 20;
    Edges edges;
    const Setup setup{.sweep = {}, .cluster = {}, .messages = 2, .destinations = 2};
    Cluster cluster(pool, setup.cluster);
    cluster.come_up();
    Point busy;
    // A round is as long as a hop for all; in rounds, it does not matter who else had the CPU.
    const auto rounds_for_one = [&] {
        const std::uint64_t before = cluster.rounds();
        ordered_latency(cluster);
        return static_cast<double>(cluster.rounds() - before);
    };
    const std::uint64_t clock = cluster.host(0).siu().clock();
    const std::uint64_t rounds = cluster.rounds();
    const double begin = cpu_seconds();
    std::vector<double> awake;
    for (const Timer timer(0.05); timer.runs();)
        awake.push_back(rounds_for_one());
    const double loops = static_cast<double>(cluster.host(0).siu().clock() - clock) / 2;
    edges.loop_us = (cpu_seconds() - begin) * 1e6 / loops;
    const double loop = static_cast<double>(cluster.rounds() - rounds) / loops;
    const double usual = median(std::move(awake));
    measure_rate(cluster, setup, 0.05, busy);
    edges.busy_tokens_per_second = busy.tokens_per_second;
    cluster.settle();
    fall_idle(cluster);
    edges.idle_tokens_per_second = tokens_per_second(cluster, 0.5);
    std::vector<double> wakes;
    for (unsigned i = 0; i < kWakes; ++i) {
        interrupted();
        fall_idle(cluster);
        wakes.push_back((rounds_for_one() - usual) / loop);
    }
    edges.wake_loops = std::max(0.0, median(std::move(wakes)));
    std::vector<std::vector<niu::NodeId>> to;
    for (unsigned host = 0; host < cluster.size(); ++host)
        to.push_back(addressees(setup, host));
    std::vector<double> recoveries;
    for (unsigned i = 0; i < kLosses; ++i)
        recoveries.push_back(recovery(cluster, to));
    edges.recovery_us = median(std::move(recoveries));
    cluster.settle();
    return edges;
}

std::vector<Setup> setups_of(const std::string& name) {
    std::vector<Setup> setups;
    const auto add = [&](double value, const Setup& setup) {
        setups.push_back(setup);
        setups.back().sweep = name;
        setups.back().value = value;
    };
    if (name == "messages" || name == "mixed")
        for (const unsigned n : {1U, 2U, 4U, 8U, 16U, 32U})
            add(n, {.cluster = {.hosts = 3}, .messages = n, .destinations = 2, .mixed = name == "mixed"});
    if (name == "destinations")
        for (const unsigned n : {1U, 2U, 4U, 8U, 15U})
            add(n, {.cluster = {.hosts = 16}, .messages = n, .destinations = n});
    if (name == "hosts")
        for (const unsigned n : {2U, 4U, 8U, 16U})
            add(n, {.cluster = {.hosts = n}});
    if (name == "ahead")
        for (const unsigned n : {1U, 2U, 4U, 8U})
            add(n, {.cluster = {.ahead = n}});
    if (name == "interval")
        for (const unsigned n : {0U, 5U, 20U, 100U})
            add(n, {.cluster = {.pulse_interval = std::chrono::microseconds(n)}});
    if (name == "loss")
        for (const double p : {0.0, 0.001, 0.01, 0.05})
            add(p, {.cluster = {.loss = p}});
    return setups;
}

/// Each figure the median of its rounds.
Point middle_of(const std::vector<Point>& points) {
    Point middle = points.front();
    for (double Point::*figure : {&Point::latency_us, &Point::added_us, &Point::issue_us, &Point::cost_us,
                                  &Point::isochrons_per_second, &Point::messages_per_second, &Point::token_us,
                                  &Point::tokens_per_second, &Point::token_share, &Point::sent_again_share}) {
        std::vector<double> values;
        for (const Point& point : points)
            values.push_back(point.*figure);
        middle.*figure = median(std::move(values));
    }
    return middle;
}

const Point* find(const SweepResults& results, const std::string& sweep, double value) {
    const auto found = std::ranges::find_if(
        results.points, [&](const Point& p) { return p.sweep == sweep && p.value == value; });
    return found == results.points.end() ? nullptr : &*found;
}

/// What 32 messages cost, to what the line through 1 and 16 says of 32.
std::optional<double> straightness(const SweepResults& results) {
    const Point* one = find(results, "messages", 1);
    const Point* some = find(results, "messages", 16);
    const Point* many = find(results, "messages", 32);
    if (one == nullptr || some == nullptr || many == nullptr) return std::nullopt;
    return many->cost_us / (one->cost_us + (some->cost_us - one->cost_us) / 15 * 31);
}

std::optional<double> flatness(const SweepResults& results) {
    const Point* few = find(results, "hosts", 2);
    const Point* many = find(results, "hosts", 16);
    if (few == nullptr || many == nullptr) return std::nullopt;
    return many->cost_us / few->cost_us;
}

}  // namespace

const std::vector<std::string>& sweep_names() {
    static const std::vector<std::string> names{"messages", "mixed",    "destinations", "hosts",
                                                "ahead",    "interval", "loss"};
    return names;
}

SweepResults run_sweeps(runtime::Pool& pool, const std::vector<std::string>& names, unsigned rounds,
                        double seconds, const std::function<void()>& interrupted) {
    std::vector<Setup> setups;
    for (const std::string& name : names)
        for (const Setup& setup : setups_of(name))
            setups.push_back(setup);
    std::vector<std::vector<Point>> points(setups.size());
    for (unsigned round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < setups.size(); ++i) {
            interrupted();
            points[i].push_back(measure(pool, setups[i], seconds));
        }
    }
    SweepResults results;
    for (const auto& of_one : points) {
        results.points.push_back(middle_of(of_one));
        results.samples.insert(results.samples.end(), of_one.begin(), of_one.end());
    }
    if (!names.empty()) results.edges = measure_edges(pool, interrupted);
    return results;
}

std::vector<Target> sweep_targets(const SweepResults& results) {
    const Edges& edges = results.edges;
    const bool measured = edges.loop_us > 0;
    const auto when = [](bool is, double value) { return is ? std::optional(value) : std::nullopt; };
    return {{.sentence = "32 messages at most 1.25 times what 1 and 16 let expect",
             .limit = 1.25,
             .at_most = true,
             .value = straightness(results)},
            {.sentence = "among 16 hosts at most 1.25 times the cost among 2",
             .limit = 1.25,
             .at_most = true,
             .value = flatness(results)},
            {.sentence = "tokens a second of an idle host at most 50",
             .limit = 50,
             .at_most = true,
             .value = when(measured, edges.idle_tokens_per_second)},
            {.sentence = "an idle network wakes in at most 2 token loops",
             .limit = 2,
             .at_most = true,
             .value = when(measured, edges.wake_loops)}};
}

}  // namespace isoplane::perf
