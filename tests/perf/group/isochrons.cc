// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// A member of a group of isoplane run, whose multicasts are isochrons to all: isochrons SIZE SECONDS.

#include <exception>
#include <isoplane/job/job.hh>

#include "member.hh"

namespace isoplane::perf {

namespace {

job::Settings settings() {
    job::Settings settings = job::settings_from_environment();
    settings.logical_time = true;
    return settings;
}

class IsotachGroup {
  public:
    IsotachGroup() : job_(settings()), isochron_(job_.isotach().isochron()) { job_.join(); }

    std::uint32_t member() const { return job_.node(); }
    std::uint32_t members() const { return static_cast<std::uint32_t>(job_.size()); }

    bool multicast(std::span<const std::byte> message) {
        isochron_.clear();
        for (std::uint32_t to = 0; to < members(); ++to)
            if (!isochron_.add(static_cast<niu::NodeId>(to), message)) return false;
        return job_.isotach().send(isochron_);
    }

    void poll(auto deliver) {
        job_.poll();
        for (isotach::Delivery delivery; job_.isotach().receive(delivery); job_.isotach().release(delivery))
            deliver(delivery.data);
    }

    void leave() {
        while (!job_.try_close())
            job_.poll();
    }

  private:
    job::Job job_;
    isotach::Isochron isochron_;
};

}  // namespace

}  // namespace isoplane::perf

int main(int argc, char** argv) try {
    using namespace isoplane::perf;
    if (argc != 3) throw std::runtime_error("usage: isochrons SIZE SECONDS");
    const Workload workload = workload_of(argv[1], argv[2]);
    IsotachGroup group;
    Member member(group, workload);
    member.run();
    member.report();
    group.leave();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "isochrons: %s\n", error.what());
    return 1;
}
