// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// A program of a job with shared memory of which node 1 dies: page 0 is at all hosts, page 1 at node 1 alone.
// Node 1 schedules a variable and never assigns it. The others wait for its value, and for what they read of
// page 1; both are lost with it. Then they count together in what is left.

#include <unistd.h>

#include <cstdio>
#include <isoplane/job/job.hh>
#include <isoplane/topology/shmem_map.hh>
#include <stdexcept>
#include <string>

using namespace isoplane;

namespace {

constexpr niu::NodeId kVictim = 1;
constexpr shmem::Variable<std::uint32_t> kScheduled{0};
constexpr shmem::Variable<std::uint32_t> kCounter{2};
constexpr shmem::Variable<std::uint32_t> kReady{4};
constexpr shmem::Variable<std::uint32_t> kOfVictim{shmem::kDefaultPageWords};
constexpr std::uint32_t kBefore = 5;  ///< what is scheduled had this value
constexpr std::uint32_t kRounds = 1000;

class Heir {
  public:
    explicit Heir(job::Job& job) : job_(job), isochron_(job.memory().isochron()) {}

    void live() {
        if (job_.node() == kVictim) {
            isochron_.write(kScheduled, kBefore);
            isochron_.write(kOfVictim, 1);
            isochron_.sched(kScheduled);
            isochron_.fetch_add(kReady, 1);
            issue();
            for (;;)
                poll();
        }
        until(kReady, 1);
        auto scheduled = isochron_.read(kScheduled);
        auto changed = isochron_.fetch_add(kScheduled, 1);
        issue();
        isochron_.fetch_add(kReady, 1);
        issue();
        until(kReady, static_cast<std::uint32_t>(job_.size()));
        std::printf("ready %d\n", static_cast<int>(getpid()));
        std::fflush(stdout);
        while (!left_)
            read_of_victim();
        wait(scheduled);
        wait(changed);
        if (!scheduled.lost() || !changed.lost()) throw std::runtime_error("what nobody assigns has a value");
        try {
            isochron_.read(kOfVictim);
            throw std::runtime_error("a page that nobody holds can be read");
        } catch (const shmem::Misuse&) {
        }
        if (read(kScheduled) != kBefore) throw std::runtime_error("it has not the value from before");
        for (std::uint32_t round = 0; round < kRounds; ++round) {
            isochron_.fetch_add(kCounter, 1);
            issue();
        }
        until(kCounter, kRounds * static_cast<std::uint32_t>(job_.size() - 1));
        std::printf("heir\n");
        std::fflush(stdout);
    }

  private:
    void poll() {
        job_.poll();
        for (isotach::Delivery delivery; job_.memory().receive(delivery); job_.memory().release(delivery))
            left_ = left_ || (delivery.kind == isotach::DeliveryKind::kLeft && delivery.channel == kVictim);
        if (++polls_ % 4096 != 0) return;
        if (const std::string trouble = job_.trouble(); !trouble.empty()) throw std::runtime_error(trouble);
    }
    void issue() {
        while (!job_.memory().issue(isochron_))
            poll();
    }
    void wait(const shmem::AnyFuture& future) {
        while (!future.ready())
            poll();
    }
    std::uint32_t read(shmem::Variable<std::uint32_t> variable) {
        const auto now = isochron_.read(variable);
        issue();
        wait(now);
        return now.value();
    }
    void until(shmem::Variable<std::uint32_t> variable, std::uint32_t value) {
        while (read(variable) < value)
            poll();
    }
    /// It has its value, or none; while that is not known, it has not come. With an lcore the memory may know
    /// just before the notice is here that nobody holds the page any more.
    void read_of_victim() try {
        const auto now = isochron_.read(kOfVictim);
        issue();
        wait(now);
        if (!now.lost() && now.value() != 1)
            throw std::runtime_error("a wrong value of a page that one holds");
    } catch (const shmem::Misuse&) {
        poll();
    }

    job::Job& job_;
    shmem::Isochron isochron_;
    bool left_ = false;
    unsigned polls_ = 0;
};

void run() {
    job::Settings settings = job::settings_from_environment();
    settings.shared_memory = true;
    std::string all;
    for (std::size_t host = 0; host < settings.hosts().size(); ++host)
        all += (host == 0 ? "" : ", ") + std::to_string(host);
    settings.network.shmem = topology::parse_shmem_map("0: " + all + ";\n1: 1;\n");
    job::Job job(std::move(settings));
    job.join();
    Heir(job).live();
    while (!job.try_close())
        job.poll();
}

}  // namespace

int main() {
    try {
        run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "heir: %s\n", error.what());
        return 1;
    }
}
