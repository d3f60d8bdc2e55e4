// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// A program's place in a job: what it needs to talk to the other nodes, brought up and torn down as one.
///
///     job::Job job(job::settings_from_environment());
///     job.join();
///     if (job.node() == 0) …job.messages().send(1, bytes)…
///     while (!job.try_close()) job.poll();
#pragma once

#include <unistd.h>

#include <atomic>
#include <isoplane/isotach/endpoint.hh>
#include <isoplane/link/link.hh>
#include <isoplane/noniso/endpoint.hh>
#include <isoplane/portals/nal.hh>
#include <isoplane/runtime/eal.hh>
#include <isoplane/runtime/idle.hh>
#include <isoplane/runtime/pool.hh>
#include <isoplane/shmem/memory.hh>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include <isoplane/job/settings.hh>

namespace isoplane::job {

class Driver;
class GatedLink;
class Movement;
class Reports;
class Roster;
struct Network;

/// One thread of the program makes all calls.
class Job {
  public:
    /// Starts the EAL and opens the link. Throws with a sentence.
    explicit Job(Settings settings);
    ~Job();
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    const Settings& settings() const noexcept { return settings_; }
    niu::NodeId node() const noexcept { return settings_.node(); }
    std::size_t size() const noexcept { return size_; }
    /// Bytes behind the Ethernet header of its largest frame: Settings::mtu, or less where the link carries
    /// less, or frames are authenticated.
    unsigned mtu() const noexcept;
    /// This process has been forked by the one that made it: the place in the job is not its. It neither
    /// calls anything else nor destroys it.
    bool is_of_parent() const noexcept { return getpid() != process_; }

    /// Waits until all nodes are there, and logical time, if the settings ask for it. Throws with the names
    /// of those that have not come within the limit.
    void join();

    /// Moves what there is to move. With nothing to do for a while, it gives the CPU to whoever wants it.
    void poll();

    noniso::Endpoint& messages() noexcept { return *endpoint_; }
    /// Those of another protocol that the program speaks. What comes of it before this is first called is
    /// dropped: call it before join(). With Settings::portals a node is reached from its constructor on; so
    /// let nobody send before a barrier then. Its barriers are those of messages(), and to be entered there.
    noniso::Endpoint& messages(wire::Protocol protocol);
    /// Where the packets of all messages come from.
    runtime::Pool& pool() noexcept { return pool_; }
    /// Only with Settings::logical_time.
    isotach::Endpoint& isotach() noexcept { return *isotach_; }

    /// Only with Settings::shared_memory; then messages of logical time, too, are issued and received there.
    shmem::Memory& memory() noexcept { return *memory_; }

    /// Only with Settings::portals. Whoever is there is reached, and join() need not be called; what is done
    /// there makes progress from any thread of the program, with its lock where Settings::portals_locked says
    /// so.
    portals::Nal& portals() noexcept;
    /// Moves what there is to move for it, as what is done there; returns whether anything was. It keeps the
    /// CPU when there is nothing: who holds a lock, and calls this, gives it away when the lock is free.
    bool progress();
    /// Which life of a node Portals are in touch with: 0 when it has not come, has left, or is dead.
    std::uint32_t life(niu::NodeId node);
    /// How often that has changed, for any node.
    const std::atomic<std::uint64_t>& changes_of_lives() const noexcept;
    /// All that was sent there has arrived, where it can.
    bool all_arrived();
    /// Leaves the job alone, with no more to say, and all that was said arrived: false until then. For
    /// programs that speak nothing but Portals.
    bool try_leave();

    /// Leaves the job, together with all others: false until they all want to, and have executed all
    /// isochrons. Whatever arrives meanwhile can be received and answered, if not in logical time. Call it,
    /// and poll(), until it is true.
    bool try_close();

    /// A sentence about a peer that is lost or has not left with the others, which no call on messages()
    /// will ever be right about; empty when all is well.
    std::string trouble();

    /// For programs that go on without a peer, and with its next life: a sentence about one that was lost,
    /// or is back, since the last call; empty when nothing has happened. trouble() says no more of a loss
    /// when the peer is back.
    std::string news();

    /// What the NIU has counted, and how it stands with each peer (doc/niu.md).
    void describe(nlohmann::json& out);

  private:
    enum class Closing : std::uint8_t { kNo, kArriving, kExecuting, kAgreeing, kLeaving, kDone };

    void make_portals();
    void make_memory();
    void agree_on_memory();
    bool sees_all();
    bool all_members_up() const noexcept;
    std::string refused() const;
    bool settled();

    Settings settings_;
    const pid_t process_ = getpid();
    std::size_t size_;
    runtime::Eal eal_;
    runtime::Pool pool_;
    std::unique_ptr<GatedLink> link_;
    std::unique_ptr<Movement> movement_;
    std::unique_ptr<Network> network_;
    std::unique_ptr<Driver> driver_;
    std::unique_ptr<Reports> reports_;
    noniso::Endpoint* endpoint_;
    isotach::Endpoint* isotach_;
    std::unique_ptr<shmem::Memory> memory_;
    std::unique_ptr<Roster> roster_;
    runtime::Idler idler_;
    Closing closing_ = Closing::kNo;
};

}  // namespace isoplane::job
