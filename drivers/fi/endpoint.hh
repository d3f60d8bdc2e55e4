// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// An endpoint of libfabric is an interface of Portals. What it does is said in their terms:
///
/// - A receive is a match entry. Behind all of them are buffers for messages that nobody waits for
/// (shelf.hh);
///   a receive that is posted looks among those first.
/// - A message of up to Shelf::kMost bytes is a put. A longer one is a put that the receiver may refuse to
/// take
///   data of, and an entry that it can get the data from when it has a place.
/// - Memory regions are entries too, behind them one that refuses: its acknowledgement says that nothing was
///   taken, and its reply is empty. There is one behind what is offered, too.
/// - An atomic operation is a put to who executes it, which answers with another.
///
/// Everything is called with the network's lock held, except by what is in calls.hh.
#pragma once

#include <deque>
#include <isoplane/portals/interface.hh>
#include <list>
#include <memory>

#include "address_vector.hh"
#include "completion_queue.hh"
#include "counter.hh"
#include "operation.hh"
#include "shelf.hh"

namespace isoplane::fi {

/// What is to be sent.
struct Outgoing {
    std::span<const iovec> pieces{};
    fi_addr_t to = FI_ADDR_UNSPEC;
    Portal portal = kMessages;
    std::uint64_t tag = 0;
    std::uint64_t data = 0;
    std::uint64_t flags = 0;
    void* context = nullptr;
};

/// Where something is to be received.
struct Incoming {
    std::span<const iovec> pieces{};
    fi_addr_t from = FI_ADDR_UNSPEC;
    Portal portal = kMessages;
    std::uint64_t tag = 0;
    std::uint64_t ignore = 0;
    std::uint64_t flags = 0;
    void* context = nullptr;
};

/// Memory of another, and what is to be read from it or written there.
struct Remote {
    std::span<const iovec> pieces{};
    fi_addr_t at = FI_ADDR_UNSPEC;
    std::uint64_t address = 0;
    std::uint64_t key = 0;
    std::uint64_t data = 0;
    std::uint64_t flags = 0;
    void* context = nullptr;
};

/// What an atomic operation does there, and with what.
struct Atomic {
    Remote remote{};  ///< its pieces are the operand
    std::span<const iovec> compare{};
    std::span<const iovec> result{};
    fi_datatype type{};
    fi_op operation{};
};

class Endpoint : public fid_ep, public Watcher {
  public:
    using Fid = fid_ep;

    Endpoint(Domain& domain, const fi_info& info);
    ~Endpoint() override;
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;

    Domain& domain() noexcept { return domain_; }
    Network& network() noexcept { return domain_.network(); }

    // endpoint.cc
    int bind(CompletionQueue& queue, std::uint64_t flags);
    int bind(Counter& counter, std::uint64_t flags);
    void bind(AddressVector& vector) noexcept { vector_ = &vector; }
    int enable();
    bool is_enabled() const noexcept { return interface_ != nullptr && !domain_.network().is_over(); }
    portals::ProcessId id() const noexcept { return interface_->id(); }
    bool offer(Region& region);
    bool withdraw(const Region& region);
    void decline_all();
    /// All that was to be sent has been, and nothing that has begun to come, or to be read, is still to end.
    bool is_quiet();
    bool is_selective(bool transmits) const noexcept {
        return transmits ? selective_sends_ : selective_receives_;
    }
    std::uint64_t default_flags(bool transmits) const noexcept {
        return transmits ? transmit_flags_ : receive_flags_;
    }
    std::size_t least_room() const noexcept { return least_room_; }
    void set_least_room(std::size_t room) noexcept { least_room_ = room; }

    // send.cc
    ssize_t send(const Outgoing& out);

    // receive.cc
    ssize_t receive(const Incoming& in);
    ssize_t cancel(void* context);

    // remote.cc
    ssize_t write(const Remote& remote);
    ssize_t read(const Remote& remote);

    // atomics.cc
    ssize_t execute(const Atomic& wanted);

    // events.cc
    void look() override;
    void lost(portals::Nid nid) override;

  private:
    using Event = portals::Event;
    using Handle = portals::Handle;

    // endpoint.cc
    bool has_unlinked(Handle md);
    void leave();
    std::unique_ptr<portals::Interface> replacement() const;

    /// A receive of a message that has begun to come before it, and is not all there.
    struct Promise {
        Incoming in;
        std::vector<iovec> pieces;
        Handle whole;
    };
    /// A message that came before its receive.
    struct Unexpected {
        portals::ProcessId from;
        portals::Bits bits;
        portals::Size length;
        portals::Size landed;
        std::uint64_t extra;
        bool is_kept;          ///< all of it, on the shelf
        std::uint32_t buffer;  ///< there
        const std::byte* data;
        void* claimant;
        bool is_arriving;        ///< some of it is not there yet,
        portals::Sequence link;  ///< and the event that will say so has this link
        int error = 0;           ///< why there will not be more of it
        std::unique_ptr<Promise> promise{};
    };
    using Shelved = std::list<Unexpected>;
    enum class Delivery { kDone, kLater, kNotNow };

    // send.cc
    Operation* begin(Operation::Kind kind, const portals::ProcessId& to, std::uint64_t flags,
                     std::uint64_t completion, void* context);
    ssize_t give_up(Operation& operation, portals::Status status);
    portals::Status put_short(Operation& operation, Segments& data, const portals::Target& target,
                              std::uint64_t extra);
    portals::Status put_offer(Operation& operation, Segments& data, const portals::Target& target,
                              Extra extra);
    void keep(Operation& operation, Segments& data) const;
    void finish(Operation& operation, int error);
    void push_out(std::uint64_t flags);

    // receive.cc
    Shelved::iterator find_shelved(const Incoming& in, const portals::ProcessId& from);
    Delivery deliver(Shelved& list, Shelved::iterator at, const Incoming& in, Segments& to, Handle whole);
    void hand_over(const Unexpected& message, const Incoming& in, Segments& to, int error);
    void keep_promise(Shelved::iterator at, int error);
    void finish_part(Handle whole);
    bool fetch(const Unexpected& from, const Incoming& in, Segments& to, Handle whole);
    void decline(const portals::ProcessId& from, Handle offer, Refusal why = Refusal::kEnough);
    void drop(Shelved& list, Shelved::iterator at, Refusal why = Refusal::kEnough);
    ssize_t peek(const Incoming& in, const portals::ProcessId& from);
    ssize_t claim(const Incoming& in);
    ssize_t post(Receive& receive, const Incoming& in, Segments& to, const portals::ProcessId& from);
    ssize_t post_multi(const Incoming& in, Segments& to, const portals::ProcessId& from);
    ssize_t attach_multi(Receive& receive, const Incoming& in, const iovec& room);
    void report_receive(const Receive& receive, const portals::ProcessId& from, portals::Bits bits,
                        std::uint64_t extra, portals::Size moved, portals::Size length, void* at, int error);
    void report_end(Receive& receive, int error);
    bool reports(std::uint64_t flags, bool transmits) const noexcept;

    // remote.cc
    portals::Target target_of(const Remote& remote, const portals::ProcessId& to) const noexcept;
    void tell_of_write(const Event& event);

    // atomics.cc
    void answer(const portals::ProcessId& from, const std::byte* request, std::size_t size);

    // events.cc
    void handle(const Event& event);
    Operation* operation_of(const Event& event) noexcept;
    void on_sent(Operation& operation, const Event& event);
    void on_ack(Operation& operation, const Event& event);
    void on_taken(Operation& operation, const Event& event);
    void on_put(const Event& event);
    void on_arriving(const Event& event);
    void on_shelved(const Event& event);
    static void fail(Unexpected& message);
    Shelved* find_arriving(const Event& event, Shelved::iterator& at);
    void on_received(Receive& receive, const Event& event);
    void on_reply(const Event& event);
    void on_unlink(const Event& event);
    void catch_up();
    void bury();

    portals::ProcessId process(fi_addr_t address) const noexcept;
    Shelf& shelf(portals::Index portal) noexcept {
        return shelves_[portal == kRequests ? 2 : static_cast<std::size_t>(portal)];
    }
    Shelved& shelved(portals::Index portal) noexcept { return shelved_[portal == kTagged ? 1 : 0]; }

    Domain& domain_;
    const std::uint64_t caps_;
    const std::uint64_t transmit_flags_;
    const std::uint64_t receive_flags_;
    const std::uint32_t generation_;  ///< of all handles at first
    Use<AddressVector> vector_;
    Use<CompletionQueue> sends_;
    Use<CompletionQueue> receives_to_;
    bool selective_sends_ = false;
    bool selective_receives_ = false;
    struct {
        Use<Counter> send;
        Use<Counter> receive;
        Use<Counter> read;
        Use<Counter> write;
        Use<Counter> remote_read;
        Use<Counter> remote_write;
    } counters_;
    std::size_t least_room_ = 64;

    unsigned number_ = portals::kMostInterfaces;
    std::unique_ptr<portals::Interface> interface_;
    Handle queue_ = portals::kNoQueue;
    Handle all_memory_ = portals::kInvalid;  ///< a descriptor of it, that short messages are put from
    Handle refuses_ = portals::kInvalid;     ///< the entry behind the regions
    std::array<Shelf, 3> shelves_;
    std::array<Shelved, 2> shelved_;
    Shelved claimed_;
    Shelved promised_;  ///< those that arrive, and have their receive, or nobody wants them
    Shelved spare_;     ///< list elements to be used again
    std::vector<std::pair<std::uint32_t, Handle>> regions_;  ///< their numbers, and their descriptors here
    portals::Slots<Operation> operations_;
    portals::Slots<Operation> answers_;
    portals::Slots<Receive> receives_;
    std::deque<std::pair<portals::ProcessId, std::vector<std::byte>>> unanswered_;
    /// What is to be done when it is looked at the next time.
    enum Later : std::uint8_t { kBury = 1, kRefill = 2 };
    std::uint8_t later_ = 0;
    std::uint64_t seen_ = 0;  ///< changes of the interface, when all of its events had been handled
};

int open_endpoint(fid_domain* domain, fi_info* info, fid_ep** opened, void* context);

}  // namespace isoplane::fi
