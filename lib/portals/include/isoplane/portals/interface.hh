// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// A network interface of Portals: portals with their match lists, memory descriptors, event queues, access
/// control, and what messages do to them.
///
/// It is a state machine that has no thread and reads no clock. Every call is atomic with regard to all
/// others and to what arrives, by its lock or its user's; data is copied by the NAL, outside that. Calls
/// return what the C function of the same purpose would, and change nothing when that is an error. Waiting is
/// in waiting.hh, the C functions in lib/compat, the rules and where they are tested in doc/portals.md.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

#include <isoplane/portals/descriptor.hh>
#include <isoplane/portals/match_list.hh>
#include <isoplane/portals/nal.hh>
#include <isoplane/portals/spin_lock.hh>

namespace isoplane::portals {

/// Defects that tests plant to see that they would be found.
struct Planted {
    bool stop_at_no_fit = false;    ///< what does not fit the first entry that matches is dropped
    bool literal_match = false;     ///< bits that are ignored must be 0 in the entry
    bool one_portal_more = false;   ///< an index one too large is taken for the last
    bool inactive_at_end = false;   ///< an MD is used up when its last operation ends, not when it begins
    bool one_unlinks = false;       ///< an MD goes only with the operation that has used it up
    bool forgets_promises = false;  ///< a queue counts as empty though an END is to follow
    bool keeps_offset = false;      ///< an update leaves the local offset where it was
    bool acks_all = false;          ///< ACK_DISABLE is not looked at
    bool charges_get = false;       ///< a get costs its MD an operation, and the reply another
    bool drops_uncounted = false;   ///< answers that find no MD are not counted
    bool admits_all_users = false;  ///< whose a message is, an access-control entry does not look at
    bool counts_segments = false;   ///< an MD of several segments has as many bytes
};

struct Options {
    Limits limits{};
    Uid uid = 0;
    Jid jid = 0;  ///< kAny: the pid
    /// Handles begin with it: the next_generation() of an interface which had the same number before, so that
    /// its handles are not taken for those of this one.
    std::uint32_t generation = 0;
    bool is_locked = false;  ///< by a lock of its user's, around all calls: it needs none itself
    Planted planted{};
};

/// Who may use a portal with a certain cookie.
struct AccessEntry {
    ProcessId id = kAnyone;
    Uid uid = kAny;
    Jid jid = kAny;
    Index portal = kAny;
};

/// Where a request goes.
struct Target {
    ProcessId process{};
    Index portal = 0;
    Index cookie = 0;
    Bits match_bits = 0;
    Size remote_offset = 0;
};

/// A part of an MD.
struct Range {
    Size offset = 0;
    Size length = 0;
};

/// What a NAL is to do with the data of a message that has arrived.
struct Landing {
    Operation operation = kNone;  ///< kNone: all data is thrown away, and nothing reported
    Pieces where{};               ///< for the beginning of the data
};

class Interface {
  public:
    /// `number` is below kMostInterfaces, and in all its handles. The NAL outlives it.
    Interface(unsigned number, Nal& nal, const Options& options);
    ~Interface() { close(); }
    Interface(const Interface&) = delete;
    Interface& operator=(const Interface&) = delete;

    /// That of one which gets the same number after this.
    std::uint32_t next_generation() const noexcept;

    /// Joins the NAL. To be called once, before anything else.
    Status open(Pid wanted);
    /// Leaves it, and releases everything, operations in progress included. Whoever waits for an event is
    /// woken, and told that its queue is not there any more.
    void close() noexcept;

    unsigned number() const noexcept { return number_; }
    Nal& nal() const noexcept { return nal_; }
    ProcessId id() const noexcept { return id_; }
    Uid uid() const noexcept { return options_.uid; }
    Jid jid() const noexcept { return options_.jid; }
    const Limits& limits() const noexcept { return options_.limits; }
    Status read(Register which, std::uint64_t& value) const;
    /// Messages that were dropped, of all those in kDropCount.
    std::uint64_t dropped(Drop reason) const;
    Status set_access(Index index, const AccessEntry& entry);

    // Match entries.

    Status attach_entry(Index portal, const MatchSpec& match, Position position, Handle& entry);
    /// To the first portal whose list is empty.
    Status attach_any_entry(Index& portal, const MatchSpec& match, Handle& entry);
    Status insert_entry(Handle base, const MatchSpec& match, Position position, Handle& entry);
    Status unlink_entry(Handle entry);

    // Memory descriptors.

    Status attach(Handle entry, const MdSpec& spec, Unlink on_exhaustion, Unlink on_no_fit, Handle& md);
    Status bind(const MdSpec& spec, Unlink on_exhaustion, Handle& md);
    Status unlink(Handle md);
    /// Both pointers may be nullptr. With `test` not kNoQueue: only if nothing is in that queue, or sure to
    /// come there; kMdNoUpdate otherwise. For the segments of an MD that has several, *old says where there
    /// is room for them.
    Status update(Handle md, MdSpec* old, const MdSpec* fresh, Handle test);
    /// Inserts an entry with its MD, as one, if `test` would let update() through. Otherwise there is nothing
    /// new.
    Status post(Handle base, const MatchSpec& match, Position position, const MdSpec& spec,
                Unlink on_exhaustion, Handle test, Handle& entry, Handle& md);

    // Event queues.

    /// With room for 0 events it is kNoQueue.
    Status open_queue(Size count, EventHandler handler, Handle& queue);
    Status free_queue(Handle queue);
    /// The next event of the first of the queues that has one. `which` is its index, or that of a queue which
    /// is not there.
    Status take(std::span<const Handle> queues, Event& event, std::size_t& which, EventHandler& handler);
    /// Takes each event of a queue and gives it, where it stands, to `visit`, which may call all but what
    /// takes events, and reads no more of it once it has posted as many as there is room for. Without the
    /// lock: for who is alone with the interface. kEqDropped when events before one of them were overwritten.
    template <typename Visit>
    Status visit_events(Handle handle, Visit&& visit) {
        EventQueue* const queue = queues_.find(handle);
        if (queue == nullptr) return Status::kEqInvalid;
        bool dropped = queue->lost();
        while (const Event* event = queue->begin_reading()) {
            visit(*event);
            queue->end_reading();
            dropped |= queue->lost();
        }
        return dropped ? Status::kEqDropped : Status::kOk;
    }
    Status count_events(Handle queue, Size& count);

    // Moving data. Without a range: all of the MD.

    Status put(Handle md, const std::optional<Range>& range, AckRequest ack, const Target& target,
               std::uint64_t hdr_data);
    Status get(Handle md, const std::optional<Range>& range, const Target& target);
    Status get_put(Handle get_md, Handle put_md, const Target& target, std::uint64_t hdr_data);

    // For the NAL: see there.

    Landing arrive(const Header& header);
    void landed(Operation operation, Failure failure = kSuccess);
    /// Instead of an answer that does not come any more, and without data.
    void give_up(const Header& answer);
    /// Both, and the copy between them, for a message all of whose data is here and so little that others can
    /// wait until it has been copied.
    void deliver(const Header& header, std::span<const std::byte> data);
    void sent(Operation operation, Failure failure = kSuccess);

    // For who waits: an event was posted, or a queue is gone, if changes() is not what it was.

    std::uint64_t changes() const noexcept { return changes_.load(std::memory_order_acquire); }
    /// Sleeps until changes() is not `seen`; with a deadline, no longer than that.
    void sleep(std::uint64_t seen, std::optional<std::chrono::steady_clock::time_point> until);

  private:
    using Lock = std::lock_guard<OptionalSpinLock>;

    // Ranges go by value, or in parts, and the links of events without std::optional: what is written in
    // halves and read as one right behind, as a copy of either is, waits until it is in the cache.

    /// What the events of an operation tell of.
    struct Deed {
        const Header* message;
        Range moved;    ///< of the MD, or of the other end's
        int threshold;  ///< of the MD, as it left it
    };
    /// An operation from its beginning to its end. One that ends where it begins is no more than this.
    struct Course {
        Descriptor* md;
        EventKind start;
        Deed deed;
        Sequence link;     ///< of its events, if one was posted
        bool is_told;      ///< one was
        bool is_silent;    ///< a get on its way out, of which nothing is told
        bool is_answered;  ///< when the data has landed
        bool has_used_up;  ///< the MD
    };
    /// One that goes on, in a place of its own, whose handle the NAL knows it by.
    struct Pending : Slot, Course {
        void clear() noexcept {}

        Header message;                    ///< the deed's
        std::vector<std::byte> swapped{};  ///< of a get-put: its data, then what was in the memory
        Segment segment;                   ///< the same
    };

    // tables.cc
    MatchEntry* make_entry(Index portal, const MatchSpec& match, MatchEntry* base, Position position,
                           Status& status);
    void remove(MatchEntry& entry) noexcept;
    void remove(Descriptor& md) noexcept;

    // descriptors.cc
    Status check(const MdSpec& spec) const noexcept;
    Status find_events(Handle eq, EventQueue*& events) noexcept;
    Status make(const MdSpec& spec, Descriptor*& md);
    void set(Descriptor& md, const MdSpec& spec, EventQueue* events);
    void give_old(const Descriptor& md, MdSpec& old) const noexcept;
    Status test_settled(Handle test) noexcept;

    // request.cc
    Status find_active(Handle md, const std::optional<Range>& part, const Target& target, Descriptor*& found,
                       Range& range) noexcept;
    Header header_to(const Target& target, MessageType type, Size length) const noexcept;
    Status send(Descriptor& md, const Header& header, Size offset);

    // translation.cc
    Descriptor* find_place(const Header& header, Range& range, Drop& why) noexcept;
    Descriptor* find_asked(const Header& header, Range& range, Drop& why) noexcept;
    Descriptor* find_answered(const Header& header, Range& range, Drop& why) noexcept;
    bool admits(const Header& header) const noexcept;
    Descriptor* translate(const Header& header, Range& range) noexcept;

    // arrival.cc
    bool accept(const Header& header, Descriptor*& md, Range& range);
    void commit(Course& course, Descriptor& md, const Header& header, Range range) noexcept;
    Pieces place_of(Pending& pending);
    void acknowledge(Descriptor& md, const Header& header, Range range, Failure failure) noexcept;
    void send_reply(Descriptor& md, const Header& header, Range range);
    Header answer_to(const Header& header, MessageType type, Size mlength) const noexcept;
    void send_ack(const Course& course);
    bool land(Pending& pending, Failure failure);
    void swap(Pending& pending);

    // operation.cc
    static void begin(Course& course, Descriptor& md, EventKind start, const Header& message,
                      Range moved) noexcept;
    void tell_start(Course& course) noexcept;
    void charge(Descriptor& md) noexcept;
    void use_up(Descriptor& md, bool unlinks) noexcept;
    void finish(Course& course, Failure failure) noexcept;
    void unlink_if_due(Descriptor& md, const Deed& deed, const Sequence* link) noexcept;
    Sequence tell(const Descriptor& md, EventKind kind, const Deed& deed, Failure failure,
                  const Sequence* link) noexcept;
    void changed() noexcept;
    void count(Register messages, Size bytes) noexcept;

    const unsigned number_;
    Nal& nal_;
    Options options_;
    ProcessId id_{};

    mutable OptionalSpinLock mutex_;
    std::condition_variable_any changed_;
    unsigned sleepers_ = 0;
    std::atomic<std::uint64_t> changes_ = 0;  ///< written under the lock
    bool is_open_ = false;
    std::vector<MatchList> portals_;
    std::vector<AccessEntry> access_;
    Slots<MatchEntry> entries_;
    Slots<Descriptor> descriptors_;
    Slots<EventQueue> queues_;
    Slots<Pending> pending_;
    std::uint64_t counters_[6] = {};  ///< the first registers
    std::uint64_t drops_[kDropReasons] = {};
};

}  // namespace isoplane::portals
