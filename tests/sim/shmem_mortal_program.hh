// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/fabric/random.hh>
#include <isoplane/shmem/memory.hh>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace isoplane::test {

/// The shared memory of a seed. Each page begins with words that are only ever added 1 to; the rest is used
/// in any way.
inline constexpr shmem::Extent kMortalExtent{.pages = 6, .page_words = 12};
inline constexpr std::uint32_t kCounter = 0;
/// Of a page of even number and the next, always in one isochron: so they are equal at any time.
inline constexpr std::uint32_t kTwin = 1;
inline constexpr std::uint32_t kWideCounter = 2;  ///< two words
inline constexpr std::uint32_t kAnyUse = 4;       ///< from here on

/// What a program has found in a counter.
struct Look {
    shmem::Address at = 0;
    bool adds = false;
    std::optional<std::uint64_t> seen{};  ///< none while it has not come, or when it is lost
};

/// Who has left or joined, as a program was told.
struct ShmemNotice {
    niu::NodeId host = 0;
    bool joined = false;
    std::uint32_t view = 0;
    std::uint64_t pulse = 0;

    bool operator==(const ShmemNotice&) const = default;
};

/// What a life of a host leaves behind.
struct ShmemLife {
    niu::NodeId host = 0;
    std::uint32_t epoch = 0;
    std::uint64_t issued = 0;
    std::vector<Look> looks{};  ///< in the order of issue
    std::vector<ShmemNotice> notices{};
    std::map<niu::NodeId, std::uint64_t> sent{};  ///< messages
    std::map<niu::NodeId, std::uint64_t> received{};
    std::uint64_t lost{};  ///< reads without a value
    std::string wrong{};
};

/// The user of a host some of whom die: issues isochrons as its seed says, and takes over from who has left
/// the SCHEDs that it has given to it.
class MortalProgram {
  public:
    MortalProgram(shmem::Memory& memory, std::uint16_t hosts, std::uint64_t seed, unsigned isochrons,
                  ShmemLife& life);

    /// `issues`: this host takes part in logical time.
    unsigned poll(bool issues);

    /// It has issued all, and knows what has become of all that it has read.
    bool has_finished() const {
        return to_issue_ == 0 && isochron_.empty() && !can_assign() && reads_.empty() && memory_.settled() &&
               !memory_.waiting();
    }

  private:
    using AnyRead =
        std::variant<shmem::Future<std::uint32_t>, shmem::Future<std::uint64_t>, shmem::BlockFuture>;
    static constexpr std::size_t kNoLook = SIZE_MAX;
    struct Read {
        std::size_t look;
        AnyRead future;
    };
    struct Given {
        shmem::Scheduled scheduled;
        niu::NodeId to;
    };
    /// Who sent it, and how many before; perhaps with a SCHED to be assigned.
    struct Message {
        std::uint32_t epoch = 0;
        std::uint32_t has_scheduled = 0;
        std::uint64_t number = 0;
        shmem::Scheduled scheduled{};
    };

    unsigned receive();
    void take_message(const isotach::Delivery& delivery);
    void take_notice(const isotach::Delivery& delivery);
    unsigned take_values();
    unsigned issue();
    void build();
    void add();
    template <typename T>
    void look(shmem::Variable<T> counter, bool adds);
    void look_at_twins(shmem::Address page);
    template <typename T>
    void use(shmem::Variable<T> variable);
    template <typename T>
    void sched(shmem::Variable<T> variable);
    void use_block(shmem::Address page);
    void add_assign();
    bool can_assign() const;
    void send(niu::NodeId to, const shmem::Scheduled* scheduled);
    shmem::Address some_page();
    bool is_mapped(shmem::Address at) const { return memory_.pages().page(at).mapped; }

    shmem::Memory& memory_;
    std::uint16_t hosts_;
    fabric::Random random_;
    ShmemLife& life_;
    unsigned to_issue_;
    shmem::Isochron isochron_;
    std::vector<Look> looks_;         ///< of isochron_
    std::vector<niu::NodeId> sends_;  ///< where its messages go
    std::vector<Read> reads_;
    std::vector<shmem::Scheduled> to_assign_;
    std::vector<Given> given_;
    std::uint64_t messages_ = 0;
    std::map<std::pair<niu::NodeId, std::uint32_t>, std::uint64_t> heard_;  ///< the last number, by life
};

}  // namespace isoplane::test
