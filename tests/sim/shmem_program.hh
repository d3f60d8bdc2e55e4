// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/fabric/random.hh>
#include <isoplane/shmem/memory.hh>
#include <string>
#include <variant>
#include <vector>

#include "shmem_history.hh"

namespace isoplane::test {

/// The shared memory of a seed: on each page, variables of 32 bits in its first half, of 64 in its second.
inline constexpr shmem::Extent kExtent{.pages = 5, .page_words = 12};
inline constexpr std::uint32_t kNarrow = 6;  ///< words of a page

/// The user of a host: issues isochrons of all kinds of accesses, as its seed says, sends SCHEDs to others,
/// assigns what it has scheduled and what it was sent, and writes down what happens.
class ShmemProgram {
  public:
    ShmemProgram(shmem::Memory& memory, std::uint16_t host, std::uint16_t hosts, std::uint64_t seed,
                 unsigned isochrons, std::vector<Record>& records);

    unsigned poll();

    /// It has issued all, and knows all that it has read.
    bool has_finished() const {
        return to_issue_ == 0 && isochron_.empty() && to_assign_.empty() && reads_.empty() &&
               memory_.settled() && !memory_.waiting();
    }
    std::uint64_t sent() const { return sent_; }
    std::uint64_t received() const { return received_; }
    std::uint64_t accesses() const { return accesses_; }

  private:
    using AnyRead =
        std::variant<shmem::Future<std::uint32_t>, shmem::Future<std::uint64_t>, shmem::BlockFuture>;
    struct Read {
        std::size_t record;
        std::size_t step;
        AnyRead future;
    };

    unsigned execute();
    void note_times();
    unsigned receive();
    unsigned take_values();
    unsigned issue();
    void build();
    void add();
    shmem::Address some_page();
    template <typename T>
    void add_to(shmem::Variable<T> variable);
    void add_block();
    void add_assign();
    template <typename T>
    void sched(shmem::Variable<T> variable);
    void expect_value(AnyRead future);
    Step& step(wire::AccessCode code, shmem::Address at, std::uint32_t words);
    template <typename T>
    T some_value();

    shmem::Memory& memory_;
    std::uint16_t hosts_;
    fabric::Random random_;
    std::vector<Record>& records_;
    unsigned to_issue_;
    bool stays_home_ = false;  ///< the isochron that is made
    shmem::Isochron isochron_;
    Record record_;  ///< of isochron_
    std::vector<Read> reads_;
    std::vector<shmem::Scheduled> to_assign_;
    std::uint64_t noted_ = 0;  ///< isochrons of which the time is known
    isotach::LogicalTime now_{};
    std::uint32_t after_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
    std::uint64_t accesses_ = 0;
};

}  // namespace isoplane::test
