// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/noniso/direct_endpoint.hh>
#include <isoplane/shmem/memory.hh>

#include "isotach_end.hh"

namespace isoplane::perf {

/// When what another host has read came here and was executed; of the time stamp counter.
struct Executed {
    std::uint64_t came = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;  ///< and the answer was written, if there was room
};

/// One of two hosts with shared memory, as a program that polls for itself uses it. Page p has one copy, at
/// host p.
class MemoryHost {
  public:
    static constexpr std::uint32_t kPageWords = shmem::kDefaultPageWords;

    MemoryHost(runtime::Input& from, runtime::Output& to, runtime::Pool& pool, niu::Options options);
    MemoryHost(const MemoryHost&) = delete;
    MemoryHost& operator=(const MemoryHost&) = delete;

    /// A word of the page whose copy is here, or of the other's; `i` counts on over its end.
    shmem::Address own(std::uint32_t i) const noexcept { return here_ * kPageWords + i % kPageWords; }
    shmem::Address others(std::uint32_t i) const noexcept {
        return (1U - here_) * kPageWords + i % kPageWords;
    }

    bool ready() const noexcept { return niu_.all_up() && siu_.started(); }
    void poll();
    /// From now on polls note what another host has read here; nullptr: no more.
    void note_reads(std::vector<Executed>* reads) noexcept {
        reads_ = reads;
        came_ = 0;
    }
    /// Nothing is under way that this host knows of.
    bool settled() const noexcept;

    shmem::Memory& memory() noexcept { return memory_; }
    siu::Pulse clock() const noexcept { return siu_.clock(); }

  private:
    void step_noting();

    TwoHosts hosts_;
    niu::NodeId here_;
    runtime::TscClock clock_;
    niu::Niu niu_;
    niu::Dispatcher dispatcher_;
    siu::Siu siu_;
    isotach::Isotach isotach_;
    noniso::Barrier barrier_;
    noniso::DirectEndpoint answers_;
    shmem::Memory memory_;
    std::vector<Executed>* reads_ = nullptr;
    std::uint64_t came_ = 0;  ///< what waits for its time; 0: nothing does
};

}  // namespace isoplane::perf
