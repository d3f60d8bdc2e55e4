// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "supervisor.hh"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace isoplane::run {

namespace {

/// Ends only a fabric that hangs, however slow the machine is.
constexpr std::chrono::seconds kFabricStarts{60};
constexpr std::chrono::seconds kFabricEnds{10};

int milliseconds_until(Clock::time_point when) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(when - Clock::now()).count();
    return static_cast<int>(std::clamp<decltype(left)>(left, 0, 1 << 30));
}

std::string seconds(Clock::duration time) {
    std::string text = std::to_string(std::chrono::duration<double>(time).count());
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text + " s";
}

std::string signal_name(int number) {
    return std::string("SIG") + sigabbrev_np(number);
}

/// Whether something can be written at once.
bool takes_more(int fd) {
    pollfd ready{fd, POLLOUT, 0};
    return ::poll(&ready, 1, 0) > 0;
}

/// Returns whether there may be more.
bool read_some(FabricSwitch& part, Descriptor& stream) {
    char bytes[16384];
    const ssize_t n = read(stream.get(), bytes, sizeof bytes);
    if (n > 0) part.take(&stream == &part.child().err(), bytes, static_cast<std::size_t>(n));
    if (n == 0) stream.reset();
    return n > 0;
}

}  // namespace

bool Supervisor::run() {
    if (start_fabric()) {
        start_ranks();
        watch_ranks();
    }
    stop_fabric();
    finish();
    return !failed_;
}

bool Supervisor::start_fabric() {
    for (const SwitchPlan& plan : job_.fabric) {
        Launch launch{"/proc/self/exe", fabric_words(plan, job_.fabric_options), job_.environment};
        fabric_.emplace_back(plan, Child(launch, guard_, signals_.before()));
    }
    const auto limit = Clock::now() + kFabricStarts;
    const auto ready = [this] { return std::ranges::all_of(fabric_, &FabricSwitch::ready); };
    while (!ready() && !failed_ && !asked_by_ && Clock::now() < limit)
        step(limit);
    if (!ready() && !failed_ && !asked_by_)
        fail("the fabric is not there after " + seconds(kFabricStarts) + ": is the machine busy?");
    if (asked_by_) fail("the job was ended by " + signal_name(*asked_by_) + ", before its ranks began.");
    return !failed_;
}

void Supervisor::start_ranks() {
    try {
        for (const Job::RankLaunch& rank : job_.ranks) {
            const auto number = static_cast<unsigned>(ranks_.size());
            Launch launch = rank.launch;
            Pipe fed;
            if (!launch.fed.empty()) {
                fed = make_pipe();
                launch.input = fed.reads.get();
            } else if (number == 0) {
                launch.input = input_.open();
            }
            ranks_.emplace_back(number, rank.program, rank.label, Child(launch, guard_, signals_.before()));
            if (number == 0) input_.handed_over();
            if (launch.fed.empty()) continue;
            ranks_.back().feed(Feed(std::move(fed.writes)));
            ranks_.back().fed().put(launch.fed);
        }
    } catch (const std::runtime_error& error) {
        ending_ = true;
        fail("rank " + std::to_string(ranks_.size()) + " did not start: " + error.what());
        escalation_.terminate(Clock::now());
    }
}

void Supervisor::watch_ranks() {
    std::optional<Clock::time_point> limit;
    if (job_.timeout) limit = Clock::now() + *job_.timeout;
    while (ranks_run()) {
        step(limit);
        if (!limit || Clock::now() < *limit || !ranks_run()) continue;
        limit.reset();
        fail("the job is not done after " + seconds(*job_.timeout) + " (--timeout).");
        escalation_.terminate(Clock::now());
    }
    if (asked_by_ && failed_) say("the job was ended by " + signal_name(*asked_by_) + ".");
}

void Supervisor::stop_fabric() {
    fabric_may_end_ = true;
    for (const FabricSwitch& part : fabric_)
        if (!part.child().status()) part.child().send(SIGTERM);
    const auto limit = Clock::now() + kFabricEnds;
    while (fabric_runs() && !abandoned_ && Clock::now() < limit)
        step(limit);
    if (fabric_runs() && !job_.fabric_options.pcap.empty())
        fail(std::string("the fabric ") + (abandoned_ ? "was not waited for" : "did not end") +
             ": what it captured may be incomplete.");
}

void Supervisor::finish() {
    if (!guard_.finish())
        fail("not all that the job made could be removed: look for '" + guard_.directory() +
             "' and at `ip link`.");
    for (Rank& rank : ranks_)
        rank.close(output_);
    if (job_.statistics) tell_statistics();
    while (!output_.empty() && !abandoned_)
        step(std::nullopt);
    while (!output_.empty() && takes_more(output_.fd()))
        write_output();
}

void Supervisor::tell_statistics() {
    bool all = true;
    for (const FabricSwitch& part : fabric_) {
        const std::string counted = fabric_statistics(part.plan(), part.said());
        output_.put(STDERR_FILENO, counted);
        all &= !counted.empty();
    }
    if (!all && !ranks_.empty() && !fabric_died_)
        fail("the fabric has ended without a report: what its ports have counted is not known.");
}

void Supervisor::step(std::optional<Clock::time_point> limit) {
    if (const auto next = escalation_.next(); next && (!limit || *next < *limit)) limit = next;
    std::vector<pollfd> set = watched();
    ::poll(set.data(), set.size(), limit ? milliseconds_until(*limit) : -1);
    for (const pollfd& ready : set)
        if (ready.revents != 0) act(ready);
    escalate();
}

std::vector<pollfd> Supervisor::watched() const {
    std::vector<pollfd> set{{signals_.fd(), POLLIN, 0}};
    if (!output_.empty()) set.push_back({output_.fd(), POLLOUT, 0});
    const auto add = [&set](const Descriptor& stream) {
        if (stream) set.push_back({stream.get(), POLLIN, 0});
    };
    for (const FabricSwitch& part : fabric_) {
        add(part.child().out());
        add(part.child().err());
    }
    for (const Rank& rank : ranks_)
        rank.fed().watch(set);
    input_.watch(set);
    if (output_.full()) return set;
    for (const Rank& rank : ranks_) {
        add(rank.child().out());
        add(rank.child().err());
    }
    return set;
}

void Supervisor::act(const pollfd& ready) {
    if (ready.fd == signals_.fd()) return act_on_signals();
    if (!output_.empty() && ready.fd == output_.fd()) return write_output();
    for (FabricSwitch& part : fabric_)
        for (Descriptor* stream : {&part.child().out(), &part.child().err()})
            if (stream->get() == ready.fd) return void(read_some(part, *stream));
    for (Rank& rank : ranks_)
        for (Descriptor* stream : {&rank.child().out(), &rank.child().err()})
            if (stream->get() == ready.fd) return rank.forward(*stream, output_);
    for (Rank& rank : ranks_)
        if (rank.fed().act(ready)) return;
    input_.act(ready);
}

void Supervisor::act_on_signals() {
    while (const auto number = signals_.take())
        on_signal(*number);
    look_for_ends();
}

void Supervisor::on_signal(int number) {
    if (number == SIGCHLD || number == SIGCONT) return;
    if (!Signals::ends(number)) {
        for (const Rank& rank : ranks_)
            if (!rank.child().status() && !rank.is_remote()) rank.child().send(number);
        return;
    }
    if (!ranks_run() && fabric_may_end_) abandoned_ = true;  // all that is left is to wait
    const bool again = asked_by_.has_value();
    asked_by_ = number;
    if (again) return escalation_.kill(Clock::now());
    send_to_ranks(number);
}

void Supervisor::look_for_ends() {
    for (Rank& rank : ranks_)
        if (!rank.child().status() && rank.child().has_ended()) on_end(rank);
    for (FabricSwitch& part : fabric_)
        if (!part.child().status() && part.child().has_ended()) on_end(part);
}

void Supervisor::on_end(Rank& rank) {
    rank.drain(output_);
    rank.fed().close();
    const int status = *rank.child().status();
    if (status == 0) return;
    const bool asked = asked_by_ && WIFSIGNALED(status) && WTERMSIG(status) == *asked_by_;
    failed_ = true;
    if (ending_) return;  // it was made to
    if (!asked) say(rank.name() + " " + how_it_ended(status) + ".");
    if (!job_.keep_going) escalation_.wait(Clock::now());
}

void Supervisor::on_end(FabricSwitch& part) {
    for (Descriptor* stream : {&part.child().out(), &part.child().err()})
        while (*stream && read_some(part, *stream)) {
        }
    const int status = *part.child().status();
    if (fabric_may_end_) {
        // Known faults of memif as its peers go cost nothing by then, but for files not yet complete.
        if (status != 0 && !job_.fabric_options.pcap.empty())
            fail("the fabric " + how_it_ended(status) + ": what it captured may be incomplete.");
        return;
    }
    fabric_died_ = true;
    fail("the fabric " + how_it_ended(status) + (ranks_.empty() ? ":" : ", and the job with it:"));
    LineSplitter lines("[fabric] ");
    std::string whole;
    lines.take(part.complaint(), whole);
    lines.finish(whole);
    output_.put(STDERR_FILENO, whole);
    escalation_.terminate(Clock::now());
}

void Supervisor::escalate() {
    const Escalation::Step step = escalation_.due(Clock::now());
    if (step == Escalation::Step::kNone || !ranks_run()) return;
    const bool kill = step == Escalation::Step::kKill;
    say(still_running() + " still running, and " + (kill ? "killed." : "told to end by SIGTERM."));
    ending_ = true;
    send_to_ranks(kill ? SIGKILL : SIGTERM);
}

void Supervisor::write_output() {
    const bool was_error = output_.fd() == STDERR_FILENO;
    const int failure = output_.write_some();
    if (failure == 0) return;
    fail(std::string(was_error ? "standard error" : "standard output") + " cannot be written (" +
         std::strerror(failure) + "): the job ends.");
    escalation_.terminate(Clock::now());
}

std::string Supervisor::still_running() const {
    std::string numbers;
    unsigned count = 0;
    for (const Rank& rank : ranks_) {
        if (rank.child().status()) continue;
        ++count;
        numbers += (numbers.empty() ? "" : ", ") + std::to_string(rank.number());
    }
    return (count == 1 ? "rank " : "ranks ") + numbers + (count == 1 ? " is" : " are");
}

bool Supervisor::ranks_run() const {
    return std::ranges::any_of(ranks_, [](const Rank& rank) { return !rank.child().status(); });
}

bool Supervisor::fabric_runs() const {
    return std::ranges::any_of(fabric_, [](const FabricSwitch& part) { return !part.child().status(); });
}

void Supervisor::send_to_ranks(int number) {
    for (const Rank& rank : ranks_)
        if (!rank.child().status()) rank.child().send(number);
}

void Supervisor::fail(const std::string& sentence) {
    failed_ = true;
    say(sentence);
}

void Supervisor::say(const std::string& sentence) {
    output_.put(STDERR_FILENO, "isoplane run: " + sentence + "\n");
}

}  // namespace isoplane::run
