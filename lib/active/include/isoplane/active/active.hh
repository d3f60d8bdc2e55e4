// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Active messages: requests that call a function at another node, and replies that call one at the
/// requester.
///
/// - A request handler may reply once, to its sender, and nothing else; what does not reply is acknowledged.
///   A reply handler may not use the network. So nobody ever waits for room to reply, and no ring of nodes
///   that request from each other can lock up.
/// - Each handler runs exactly once, whatever the network does; unless a node dies.
/// - At most Options::depth requests to a node are without an answer. A request more is refused: poll, which
///   serves others meanwhile, and try again.
/// - Data goes straight into the receiver's memory; the nodes of a job trust each other. Requests are not
///   ordered.
///
/// One thread makes all calls, and nothing waits. doc/active.md has the protocol.
#pragma once

#include <isoplane/runtime/fifo.hh>
#include <isoplane/runtime/poll_watch.hh>
#include <vector>

#include <isoplane/active/images.hh>
#include <isoplane/active/memory_map.hh>
#include <isoplane/active/types.hh>

namespace isoplane::active {

class Active {
  public:
    using Time = runtime::Time;

    /// Throws std::invalid_argument for options that cannot be.
    Active(noniso::Endpoint& endpoint, Images& images, const Options& options);
    /// Looks at addresses that come from other nodes before it goes there; null for not doing so.
    void check_with(MemoryMap* memory) noexcept { memory_ = memory; }

    // Requests. To this node, the handler runs before they return.

    Ticket request(NodeId to, Function handler, const Words& words) noexcept;
    /// Copies data to `address` at that node, then calls the handler there. The data stays as it is while
    /// kSending.
    Ticket transfer(NodeId to, std::span<const std::byte> data, Word address, Function handler,
                    Word argument) noexcept;
    /// Copies data from `address` at that node, then calls the handler here, as a reply.
    Ticket get(NodeId to, Word address, std::span<std::byte> data, Function handler, Word argument) noexcept;

    // Replies, to be called by request handlers.

    Refusal reply(NodeId to, Function handler, const Words& words) noexcept;
    /// What cannot go at once is copied: the data may change as soon as it returns.
    Refusal reply_transfer(NodeId to, std::span<const std::byte> data, Word address, Function handler,
                           Word argument) noexcept;

    /// Calls the handlers of what has come, and sends what could not go before. Returns how much that was.
    /// Within a handler it does nothing.
    unsigned poll(Time now) noexcept;

    RequestState state(const Ticket& request) const noexcept;
    /// The next request that will have no answer. False when there is none.
    bool next_failure(Failure& failure) noexcept;

    /// Requests without an answer, to any node.
    std::size_t open() const noexcept { return open_; }
    /// Whether replies, or parts of what is being sent, wait for room.
    bool waiting() const noexcept { return waiting_ != 0; }
    /// For a program that ends within a handler, which does not return: goes on as if it had.
    void end_handler() noexcept;
    bool in_handler() const noexcept { return running_ != Running::kNothing; }
    /// Whose request is being handled, or was last.
    NodeId requester() const noexcept { return served_.source; }

    NodeId node() const noexcept { return options_.node; }
    const Options& options() const noexcept { return options_; }
    const Counters& counters() const noexcept { return counters_; }

  private:
    /// A message on its way out; of a transfer, all of it that has not been sent.
    struct Outgoing {
        wire::ActiveHeader header;
        wire::ActiveTransfer transfer{};
        const std::byte* rest = nullptr;  ///< of the transfer's data: from transfer.at on
    };
    enum class SlotState : std::uint8_t {
        kFree,
        kSending,
        kOpen,
        kGivenUp,  ///< failed, but an answer may still come
    };
    struct Slot {
        SlotState state = SlotState::kFree;
        bool waits = false;       ///< on the list of those that do
        std::uint32_t epoch = 0;  ///< of the node's life in which it was sent
        Time until{};             ///< when it fails; known since it was looked at first
        Outgoing message;
        std::span<std::byte> landing{};  ///< of a get
    };
    struct Answer {
        bool waits = false;
        std::uint32_t epoch = 0;  ///< of the node's life that a part of it has gone to, if one has
        Outgoing message;
        Words words{};
        std::vector<std::byte> kept;  ///< what it is sent from, if the handler may change that
    };
    /// All about one other node. As each request has a slot here, and each slot a place for its answer there,
    /// an answer always finds room.
    struct Peer {
        std::vector<Slot> slots;
        unsigned hint = 0;  ///< a free slot, unless none is
        bool was_up = false;
        Time down_since{};       ///< for as long as answers wait
        std::uint32_t life = 0;  ///< of the program whose requests come
        Time moved{};            ///< when a part of a transfer went there, or of an answer came, last
        std::vector<Answer> answers;
        runtime::Fifo<std::uint8_t> answers_waiting;
        runtime::Fifo<std::uint8_t> requests_waiting;
    };
    enum class Running : std::uint8_t { kNothing, kRequest, kReply };
    /// The request whose handler runs.
    struct Served {
        NodeId source = 0;
        wire::ActiveHeader header;
        bool replied = false;
        bool failed = false;  ///< of this node itself: the reply had no memory to go to
    };

    // request.cc: what this node wants.
    Refusal may_request(NodeId to, wire::ActiveType type, const Function& handler,
                        wire::ActiveHeader& header) noexcept;
    Refusal claim(NodeId to, wire::ActiveHeader& header, Slot*& slot) noexcept;
    Ticket send_words(NodeId to, wire::ActiveHeader& header, const Words& words,
                      std::span<std::byte> landing = {}) noexcept;
    void open(Peer& peer, Slot& slot, std::uint32_t epoch) noexcept;
    Ticket request_here(const Function& handler, const Call& call, Running as) noexcept;
    Ticket refuse_here(Reason reason) noexcept;
    void fail_here(Reason reason) noexcept;
    Slot* free_slot(Peer& peer) noexcept;

    // reply.cc: what it answers.
    Refusal may_reply(NodeId to) const noexcept;
    Refusal reply_here(const Function& handler, const Call& call) noexcept;
    Refusal name_reply(const Function& handler) noexcept;
    void answer(wire::ActiveType type, const Words* words = nullptr) noexcept;
    void answer_transfer(const wire::ActiveTransfer& transfer, const std::byte* data, bool keep) noexcept;
    bool must_wait(const Peer& peer) const noexcept { return !peer.answers_waiting.empty(); }
    Answer& wait(Peer& peer, const Outgoing& message, std::uint32_t epoch) noexcept;

    // receive.cc: what comes.
    void take(const niu::Received& received) noexcept;
    void serve(NodeId source, const wire::ActiveMessage& message) noexcept;
    void serve_get(const wire::ActiveMessage& message) noexcept;
    void handled() noexcept;
    void refuse(Reason reason) noexcept;
    void complete(NodeId source, const wire::ActiveMessage& message) noexcept;
    bool is_answer_to(const Slot& slot, const wire::ActiveMessage& message) const noexcept;
    const void* function_of(const wire::ActiveHeader& header) noexcept;
    bool may_land(Word address, std::size_t size) noexcept {
        return memory_ == nullptr || memory_->is_writable(address, size);
    }
    bool may_leave(Word address, std::size_t size) noexcept {
        return memory_ == nullptr || memory_->is_readable(address, size);
    }
    void run(const Function& function, const Call& call) noexcept;

    // send.cc: what goes.
    bool send_short(NodeId to, const wire::ActiveHeader& header, const Words* words,
                    std::uint32_t* epoch = nullptr) noexcept;
    bool send(NodeId to, Outgoing& message, std::uint32_t& epoch) noexcept;
    bool is_in_vain(NodeId to, Peer& peer, const Answer& answer) const noexcept;
    bool send_answer(NodeId to, Answer& answer) noexcept;
    bool send_part(NodeId to, Outgoing& message, std::uint32_t& epoch) noexcept;
    unsigned send_waiting() noexcept;
    unsigned send_answers(NodeId to, Peer& peer) noexcept;
    unsigned send_requests(NodeId to, Peer& peer) noexcept;

    // active.cc: how requests end.
    void check_next() noexcept;
    bool is_lost(NodeId to, const Slot& slot) const noexcept;
    void end(Peer& peer, Slot& slot, SlotState state) noexcept;
    void fail(NodeId to, Slot& slot, Reason reason) noexcept;

    noniso::Endpoint& endpoint_;
    Images& images_;
    MemoryMap* memory_ = nullptr;
    Options options_;
    std::vector<Peer> peers_;
    Running running_ = Running::kNothing;
    Served served_;
    const niu::Received* taken_ = nullptr;  ///< the message whose handler runs
    runtime::PollWatch watch_;
    runtime::Duration skipped_{};  ///< time in which it was not polled, beyond what may be
    Time now_{};                   ///< without that
    std::size_t open_ = 0;
    std::size_t waiting_ = 0;  ///< messages on the lists of those that do
    std::size_t check_peer_ = 0;
    std::size_t check_slot_ = 0;
    runtime::Fifo<Failure> failures_;
    Counters counters_;
};

}  // namespace isoplane::active
