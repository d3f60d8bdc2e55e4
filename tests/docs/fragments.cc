// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What is around the fragments of C++ in the documentation, so that they compile: a comment stands for each,
/// which docs_test.py replaces.
#include <gtest/gtest.h>
#include <unistd.h>

#include <isoplane/active/active.hh>
#include <isoplane/channel/channels.hh>
#include <isoplane/job/job.hh>
#include <isoplane/niu/epoch.hh>
#include <isoplane/niu/memory.hh>
#include <isoplane/niu/niu.hh>
#include <isoplane/portals/interface.hh>
#include <isoplane/shmem/isochron.hh>
#include <isoplane/sim/world.hh>

#include "tests/sim/seeds.hh"

using namespace isoplane;
using namespace isoplane::test;
using namespace std::chrono_literals;

template <typename... Anything>
void use(const Anything&...);
void fill(std::span<std::byte> bytes);
void write(std::span<std::byte> bytes);
runtime::Pool& pool();

constexpr niu::NodeId to = 1;
constexpr niu::NodeId next = 1;
constexpr std::size_t size = 10;

void active_messages(runtime::TscClock& clock, active::Handler on_request) {
    // doc/active.md 1
}

void channels(job::Job& job) {
    // doc/channels.md 1
}

void messages(niu::Niu& niu, runtime::Time now) {
    // doc/niu.md 1
}

void registered(niu::Niu& niu, runtime::Time now) {
    // doc/niu.md 2
}

class MyNal final : public portals::Nal {
  public:
    portals::Status attach(portals::Interface& interface, portals::Pid wanted,
                           portals::ProcessId& id) override;
    void detach(portals::Interface& interface) noexcept override;
    void submit(portals::Interface& from, const portals::Header& header, const portals::Pieces& data,
                portals::Operation operation) override;
    bool progress(portals::Interface& interface) override;
    bool moves_alone() const noexcept override;
    bool distance(const portals::ProcessId& from, const portals::ProcessId& to,
                  unsigned long& distance) const noexcept override;
};

void nal() {
    // doc/portals.md 1
}

void shared_memory(job::Job& job) {
    // doc/programs.md 1
}

struct Echo : runtime::Stage {
    explicit Echo(sim::Link::End end);
    unsigned poll(runtime::Time now) override;
};

struct Asker : runtime::Stage {
    explicit Asker(sim::Link::End end);
    unsigned poll(runtime::Time now) override;
    std::uint64_t answers() const;
    std::uint64_t asked() const;
};

// doc/simulator.md 1
