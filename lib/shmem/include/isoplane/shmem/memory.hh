// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Shared memory in logical time: variables of 32 and 64 bits, on pages of which one or more hosts hold a
/// copy. What an isochron does to them happens at one logical time at all copies, so every isochron is
/// atomic, and all hosts see all of them in one order, each host's in the order of issue.
///
///     shmem::Memory& memory = job.memory();
///     const shmem::Variable<std::uint32_t> from{10}, to{2050};
///     shmem::Isochron isochron = memory.isochron();
///     auto old = isochron.fetch_add(from, -5);
///     isochron.fetch_add(to, 5);
///     while (!memory.issue(isochron)) job.poll();
///     …
///     while (!old.ready()) job.poll();
///     use(old.value());
///
/// Nothing waits: an isochron is issued when it can be, any number of them are on their way, and a program
/// waits where it uses a value. One thread makes all calls. doc/shmem.md has the whole.
#pragma once

#include <atomic>
#include <isoplane/isotach/filter.hh>
#include <isoplane/isotach/isotach.hh>
#include <isoplane/noniso/direct_endpoint.hh>
#include <isoplane/runtime/fifo.hh>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <utility>
#include <vector>

#include <isoplane/shmem/hit_buffer.hh>
#include <isoplane/shmem/isochron.hh>
#include <isoplane/shmem/layout.hh>
#include <isoplane/shmem/page_copies.hh>
#include <isoplane/shmem/store.hh>
#include <isoplane/shmem/turn.hh>

namespace isoplane::shmem {

/// Defects that tests plant to see that they would be found.
struct Planted {
    bool hits_at_once = false;   ///< own copies do not wait for the isochron's logical time
    bool local_at_once = false;  ///< purely local isochrons do not wait for those issued before
    bool one_copy = false;       ///< what changes a variable goes to the nearest copy alone
    bool no_blocking = false;    ///< reads do not wait for an ASSIGN
    bool keeps_open = false;     ///< what a host that has left has scheduled waits for its ASSIGN
};

struct Options {
    std::size_t most_waiting = 4096;  ///< isochrons of this host that have not been executed
    std::uint32_t life = 0;           ///< the epoch of this host, where hosts may start again
    Planted planted{};
};

struct Counters {
    using Counter = runtime::Counter;

    Counter isochrons;    ///< issued
    Counter at_once;      ///< of them, executed while they were issued
    Counter answers;      ///< sent to other hosts
    Counter unscheduled;  ///< ASSIGNs of this host to what it had not scheduled: dropped
    Counter malformed;    ///< messages that no host sends
    Counter unanswered;   ///< answers for hosts that are lost
    Counter withheld;     ///< accesses of who is owed too much, whose credit waits
};

class Memory final : public isotach::Filter {
  public:
    /// `time` and `answers` outlive it, and nobody else receives from them: messages and notices come from
    /// receive(). What reads have found goes by `answers`, outside logical time. Whoever polls for himself
    /// attaches the memory to the dispatcher as who takes such messages.
    ///
    /// With `program`, accesses are executed on an lcore, which calls pass_on() and is the one that the two
    /// belong to: the program has that end of logical time, and gets there what is not for its memory.
    Memory(Pages pages, isotach::Isotach& time, noniso::DirectEndpoint& answers, Options options = {},
           isotach::Endpoint* program = nullptr);
    ~Memory() override;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    Isochron isochron() { return Isochron(*this); }
    /// Issues it, whole, and empties it. False, and nothing is done, when it cannot go now. An isochron to
    /// this host's own copies alone is executed at once, unless one that was issued before has not been.
    bool issue(Isochron& isochron);
    /// Whether it could go when nothing else is under way.
    bool fits(Isochron& isochron);

    /// Executes what is next in logical time. False when there is nothing, or a message or notice is to be
    /// received before. Not with an lcore.
    bool step();
    /// Sends answers, and then step() as often as it can; a few answers leave at its end. Nothing while it
    /// hurries. With an lcore, takes what was answered. Returns how much it has done.
    unsigned poll();
    /// The program has answers now that it may have waited for; what others want can wait for the next poll,
    /// but not for the one behind that. Before each poll(), or never.
    bool hurries() noexcept override { return hurries_ = std::exchange(came_, false) && !hurries_; }
    /// Without an lcore: what has come outside logical time. The program has its answers at once.
    void take(const niu::Received& message) noexcept override;
    /// On the lcore, while it is not the program's turn: takes and sends answers, and executes.
    bool pass_on(isotach::Delivery& delivery, bool caught_up) noexcept override;

    /// Where `answers` may be touched: tells all of so many hosts how large this memory is, and who has which
    /// copies; layout() knows what they say. Before anything is issued.
    void introduce(std::size_t hosts);
    const Layout& layout() const noexcept { return layout_; }

    /// The next message, signal or barrier, when all accesses before it have been executed, and none after
    /// it. The time of accesses stands still until it is received. An lcore goes on then; else poll() does.
    bool receive(isotach::Delivery& delivery);
    void release(const isotach::Delivery& delivery) noexcept { endpoint_.release(delivery); }
    /// Whether receive() would find one.
    bool waiting() const noexcept { return has_lcore() ? endpoint_.waiting() : has_next_; }

    /// Another host is to assign it: this one may schedule the variable again.
    void give_away(const Scheduled& scheduled) noexcept { schedules_.close(scheduled); }

    /// Whether this host has a SCHED open there.
    bool is_scheduled(Address at) const { return schedules_.has(at); }

    /// The logical time of what was executed or received last.
    isotach::LogicalTime now() const noexcept;
    /// Isochrons of this host that have been issued, and executed: in this order.
    std::uint64_t issued() const noexcept { return issued_; }
    std::uint64_t executed() const noexcept;
    /// Nothing of this host's own is under way, and it owes no answers that it could give.
    bool settled() const noexcept;

    NodeId here() const noexcept { return pages_.here(); }
    const Pages& pages() const noexcept { return pages_; }
    const Store& store() const noexcept { return store_; }
    const Reads& reads() const noexcept { return reads_; }
    const Counters& counters() const noexcept { return counters_; }
    void describe(nlohmann::json& out) const;

  private:
    friend class Isochron;

    /// The most words of a block that one access can cover, so that it and its answer fit a frame.
    std::uint32_t most_words(const Pages::Page& page, bool at_nearest) const noexcept;
    bool send(Isochron& isochron);
    bool put_on_wire(Isochron& isochron);
    bool put_part(Isochron& isochron, const Isochron::Part& part);
    bool has_lcore() const noexcept { return &endpoint_ != &time_; }
    bool next();
    static bool is_ours(const isotach::Delivery& delivery) noexcept;
    bool execute_next();
    bool step(bool sends_off);
    bool execute(const isotach::Delivery& delivery);
    void execute_together();
    void execute(NodeId issuer, std::span<const std::byte> accesses);
    void execute_own();
    void hand_out_answers();
    void fill(const wire::Answer& answer);
    void hear(const niu::Received& message);
    unsigned fill_reads();
    bool take_next();
    void heed(const isotach::Delivery& notice);
    void change_here(NodeId host, bool joined);
    void arrive();
    bool is_idle() const noexcept;
    bool owes() const noexcept;
    bool send(const Store::Answer& answer);
    bool has_to_wait(const Store::Answer& answer);
    unsigned send_answers();
    void send_off();
    unsigned take_answers();
    void introduce_to(NodeId host, std::uint16_t too);

    /// Answers to one host that wait, beyond which its credit does.
    static constexpr std::size_t kMostOwed = 4096;
    /// To a host. What it is to be told of this memory it is told once, however often it asks meanwhile.
    struct ToSend {
        runtime::Fifo<Store::Answer> answers;
        std::optional<std::uint16_t> introduction;  ///< whether it has to tell, too
        runtime::Fifo<isotach::Delivery> withheld;  ///< that it issued, and have been executed
        runtime::Time give_back_at{};
    };
    // owing.cc
    bool is_withheld(const isotach::Delivery& delivery) {
        return unsent_.load(std::memory_order_relaxed) > kMostOwed && withhold(delivery);
    }
    bool withhold(const isotach::Delivery& delivery);
    void give_back(ToSend& its) noexcept;
    void settle(NodeId host) noexcept;

    /// Who has left or joined.
    struct Change {
        NodeId host = 0;
        bool joined = false;
    };

    Pages pages_;
    isotach::Isotach& time_;
    isotach::Endpoint& endpoint_;  ///< of the program
    noniso::DirectEndpoint& answers_;
    Options options_;
    mutable Turn turn_;  ///< with an lcore, all that both touch
    Store store_;
    PageCopies copies_;
    Reads reads_;
    Schedules schedules_;
    HitBuffer hits_;
    std::vector<ToSend> to_send_;  ///< by host: so that none waits for another
    std::atomic<std::size_t> unsent_{0};
    std::vector<wire::Answer> arrived_;  ///< with an lcore: for the program to take...
    std::vector<Change> changes_;        ///< ...and to know
    std::atomic<bool> has_arrived_{false};
    Layout layout_;
    isotach::Delivery next_{};  ///< that the program has to receive, or cannot be executed yet
    bool has_next_ = false;     ///< there is one
    bool came_ = false;         ///< something, since it was asked whether it hurries
    bool hurries_ = false;      ///< it had, and it did not when it was asked before
    bool answered_ = false;     ///< others, in this poll, and that has not left
    runtime::Fifo<isotach::Delivery> notices_;  ///< from before this host had arrived
    std::vector<isotach::Delivery> together_;   ///< accesses of an isochron of which more are to come
    isotach::LogicalTime now_{};
    std::uint64_t issued_ = 0;
    Counters counters_;
};

}  // namespace isoplane::shmem
