// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// A rank of the soak test: speaks all protocols at once with all others, checks all that comes, and tells
/// once a second how far it is. Those of odd numbers have an lcore. On SIGTERM, which all ranks get, it sends
/// no more, waits for what the others say to have sent, and ends with what all have to agree on.
#include <csignal>
#include <cstdio>
#include <isoplane/topology/shmem_map.hh>
#include <memory>

#include "barriers.hh"
#include "channels.hh"
#include "gets.hh"
#include "messages.hh"
#include "ordered.hh"
#include "puts.hh"
#include "requests.hh"
#include "schedules.hh"

using namespace isoplane;
using namespace isoplane::soak;

namespace {

volatile std::sig_atomic_t ending = 0;

job::Settings settings() {
    job::Settings settings = job::settings_from_environment();
    settings.shared_memory = true;
    settings.portals = true;
    if (settings.node() % 2 != 0) settings.progress = job::Progress::kLcore;
    settings.network.shmem = topology::parse_shmem_map(Ordered::map(settings.hosts().size()));
    return settings;
}

class Rank {
  public:
    Rank()
        : job_(settings()),
          random_(job_.node() + 1),
          channels_(job_.messages(wire::Protocol::kChannel), job_.pool(), job_.node(), job_.size()) {
        auto barriers = std::make_unique<Barriers>(job_);
        parts_.push_back(std::make_unique<Messages>(job_, *barriers));
        parts_.push_back(std::move(barriers));
        parts_.push_back(std::make_unique<Requests>(job_));
        for (const auto mode : {channel::Mode::kReliable, channel::Mode::kDatagram})
            parts_.push_back(std::make_unique<ChannelMessages>(job_, channels_, mode));
        parts_.push_back(std::make_unique<Puts>(job_));  // before anybody can put there
        parts_.push_back(std::make_unique<Gets>(job_));
        job_.join();
        std::printf("joined packets=%u\n", job_.pool().in_use());
        parts_.push_back(std::make_unique<Ordered>(job_));
        parts_.push_back(std::make_unique<Schedules>(job_));
        meet();
    }

    void run() {
        while (ending == 0) {
            act();
            poll();
        }
        for (const auto& part : parts_)
            while (!part->wind_up())
                poll();
        tell_all();
        meet_at_the_most();
        waits_ = true;
        while (!missing().empty())
            poll();
        std::string verdict;
        for (const auto& part : parts_)
            verdict += part->verdict() + (part->verdict().empty() ? "" : " ");
        while (!job_.try_close())
            poll();
        report("ended");
        std::printf("agreed %s\n", verdict.c_str());
    }

  private:
    /// Nobody sends before all have what it goes to.
    void meet() {
        while (!job_.messages().enter_barrier())
            job_.poll();
        while (job_.messages().barrier() == noniso::BarrierState::kRunning)
            job_.poll();
    }

    void act() {
        Part& part = *parts_[random_() % parts_.size()];
        auto to = static_cast<NodeId>(random_() % (job_.size() - 1));
        to = static_cast<NodeId>(to + (to >= job_.node() ? 1 : 0));
        part.act(to, random_);
    }

    void poll() {
        job_.poll();
        for (const auto& part : parts_)
            part->poll();
        if (++polls_ % 1024 != 0) return;
        if (const std::string trouble = job_.trouble(); !trouble.empty()) throw Wrong(trouble);
        const runtime::Time now = clock_.now();
        if (now < report_at_) return;
        report_at_ = now + std::chrono::seconds{1};
        report("at work");
        if (!waits_) return;
        std::printf("waits for%s\n", missing().c_str());
        std::fflush(stdout);
    }

    void report(const char* how) {
        std::printf("%s", how);
        for (const auto& part : parts_)
            std::printf(" %s=%lu", part->name(), part->came_in_all());
        std::uint64_t dropped = 0;
        std::uint64_t audits = 0;
        for (const auto& part : parts_) {
            dropped += part->dropped();
            audits += part->audits();
        }
        std::printf(" dropped=%lu audits=%lu packets=%u\n", dropped, audits, job_.pool().in_use());
        std::fflush(stdout);
    }

    /// What each has been sent is in memory that all read.
    shmem::Variable<std::uint32_t> told(NodeId from, NodeId to, std::size_t part) const {
        constexpr std::size_t kFirst = 512;
        constexpr std::size_t kOnPage = 8;  // parts
        const std::size_t page = part / kOnPage * shmem::kDefaultPageWords;
        return {
            static_cast<std::uint32_t>(page + kFirst + (from * job_.size() + to) * kOnPage + part % kOnPage)};
    }
    shmem::Variable<std::uint32_t> tellers() const { return {256}; }

    void tell_all() {
        shmem::Memory& memory = job_.memory();
        shmem::Isochron isochron = memory.isochron();
        for (NodeId to = 0; to < job_.size(); ++to)
            for (std::size_t part = 0; part < parts_.size(); ++part)
                isochron.write(told(job_.node(), to, part),
                               static_cast<std::uint32_t>(parts_[part]->sent(to)));
        isochron.fetch_add(tellers(), 1);
        while (!memory.issue(isochron))
            poll();
        for (std::uint32_t have = 0; have < job_.size();) {
            const auto now = isochron.read(tellers());
            while (!memory.issue(isochron))
                poll();
            while (!now.ready())
                poll();
            have = now.value();
            poll();  // what is read here is known at once
        }
        std::vector<shmem::Future<std::uint32_t>> counts;
        for (NodeId from = 0; from < job_.size(); ++from)
            for (std::size_t part = 0; part < parts_.size(); ++part)
                counts.push_back(isochron.read(told(from, job_.node(), part)));
        while (!memory.issue(isochron))
            poll();
        for (const auto& count : counts) {
            while (!count.ready())
                poll();
            expected_.push_back(count.value());
        }
    }

    /// What all do together, each has to do as often as the others.
    void meet_at_the_most() {
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if (!parts_[i]->together()) continue;
            std::uint32_t most = 0;
            for (NodeId from = 0; from < job_.size(); ++from)
                most = std::max(most, expected_[from * parts_.size() + i]);
            for (NodeId from = 0; from < job_.size(); ++from)
                expected_[from * parts_.size() + i] = most;
            parts_[i]->catch_up(most);
        }
    }

    /// What is not here yet, or of this node's own is under way; empty when all has come to its end.
    std::string missing() const {
        std::string text;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const Part& part = *parts_[i];
            std::uint32_t dropped = static_cast<std::uint32_t>(part.dropped());
            for (NodeId from = 0; from < job_.size(); ++from) {
                const std::uint32_t expected = expected_[from * parts_.size() + i];
                std::uint32_t lacking = expected - static_cast<std::uint32_t>(part.came(from));
                const std::uint32_t excused = std::min(lacking, dropped);
                lacking -= excused;
                dropped -= excused;
                if (lacking != 0)
                    text += " " + std::to_string(lacking) + " " + part.name() + " of node " +
                            std::to_string(from);
            }
            if (dropped != 0) text += " fewer dropped " + std::string(part.name());
            if (!part.settled()) text += " the end of its own " + std::string(part.name());
        }
        return text;
    }

    job::Job job_;
    Random random_;
    channel::Channels channels_;
    std::vector<std::unique_ptr<Part>> parts_;
    std::vector<std::uint32_t> expected_;
    runtime::TscClock clock_;
    runtime::Time report_at_{};
    std::uint64_t polls_ = 0;
    bool waits_ = false;  ///< for the end
};

}  // namespace

int main() {
    std::signal(SIGTERM, [](int) { ending = 1; });
    try {
        Rank rank;
        rank.run();
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
