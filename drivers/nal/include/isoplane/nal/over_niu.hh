// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Portals between the nodes of a job: the NAL over the NIU.
///
/// - A nid is a node of the job. Interfaces of one process reach each other, and themselves, too.
/// - Short messages go in one frame. Of longer ones the first frame has the beginning; what follows is sent
///   at once, or pulled by the receiver when it knows where it goes, in slices that need not come in order.
///   wire/portals.hh has the messages, doc/portals.md says which is when.
/// - Processes of one machine may read what would be pulled in each other's memory instead.
/// - Data is copied once on each side: into the frames, and from them to its place. From registered memory it
///   is not copied on its way out.
/// - With several planes, which are links that all nodes of a job have, slices come on all of them. What is
///   under way on one that dies goes on by the others.
/// - Messages to a node that has not come yet wait for it, for a limited time, and for a shorter one if it
/// was
///   there and has ended, as it may start again; those to one that has left or is dead fail, and so does all
///   that is under way between the two.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <isoplane/niu/dispatcher.hh>
#include <isoplane/portals/interface.hh>
#include <isoplane/runtime/fifo.hh>
#include <isoplane/runtime/poll_watch.hh>
#include <isoplane/runtime/stage.hh>
#include <mutex>
#include <vector>

#include <isoplane/nal/loopback.hh>
#include <isoplane/nal/place.hh>
#include <isoplane/nal/unanswered.hh>

namespace isoplane::nal {

/// Who polls a NAL and the NIUs under it, and so the only one who may touch them.
class Mover {
  public:
    virtual ~Mover() = default;
    /// From any thread of the program, which may be the one to poll. Returns whether anything moved.
    virtual bool poll() = 0;
    /// Polls without being asked.
    virtual bool moves_alone() const noexcept = 0;
    /// Runs `what` where the NAL may be touched, and waits for it.
    virtual void call(const std::function<void()>& what) = 0;
    /// Whether the caller may touch it until leave(). Does not wait; whoever polls may always.
    virtual bool enter() noexcept = 0;
    virtual void leave() noexcept = 0;
};

struct OverNiuOptions {
    std::size_t followed = 65536;  ///< of longer messages, what does not fit the first frame is pulled
    std::uint32_t slice = 65536;   ///< bytes of a pull
    unsigned ahead = 4;            ///< pulls that are not answered, from any node to any other on a plane
    std::size_t owed = 4096;       ///< answers to one node that wait, beyond which it may ask for no more
    /// Says where the data lies, and reads what others say so of, if it can: past all links.
    bool reads_memory = false;
    bool in_one_process = false;                            ///< the nodes of the job are, as in tests
    std::size_t read_from = 32768;                          ///< bytes; what is not longer follows
    runtime::Duration absent = std::chrono::seconds{60};    ///< after which nobody waits for a node any more
    runtime::Duration returning = std::chrono::seconds{1};  ///< the same, of one that has ended
};

struct Beginning;

class OverNiu final : public portals::Nal, public runtime::Stage {
  public:
    static constexpr std::size_t kMostPlanes = 4;

    struct Plane {
        niu::Niu* niu = nullptr;
        niu::Dispatcher* dispatcher = nullptr;
    };

    /// The planes and the mover outlive it. It has to be polled before the NIUs, so that what is sent leaves
    /// with their next poll.
    OverNiu(std::string name, const std::vector<Plane>& planes, Mover& mover,
            const OverNiuOptions& options = {});
    ~OverNiu() override;

    portals::Status attach(portals::Interface& interface, portals::Pid wanted,
                           portals::ProcessId& id) override;
    void detach(portals::Interface& interface) noexcept override;
    void submit(portals::Interface& from, const portals::Header& header, const portals::Pieces& data,
                portals::Operation operation) override;
    bool inject(portals::Interface& from, const portals::Header& header,
                const portals::Pieces& data) override;
    bool progress(portals::Interface& interface) override;
    bool moves_alone() const noexcept override { return mover_.moves_alone(); }
    bool distance(const portals::ProcessId& from, const portals::ProcessId& to,
                  unsigned long& distance) const noexcept override;

    unsigned poll(runtime::Time now) override;
    std::size_t held() const override { return 0; }
    void describe(nlohmann::json& out) const override;
    void clear_counters() override;

    /// Which life of that node this is in touch with; 0: none. Where the NAL may be touched.
    std::uint32_t life(niu::NodeId node) const noexcept { return peers_[node].left ? 0 : peers_[node].epoch; }
    /// How often that has changed, for any node.
    const std::atomic<std::uint64_t>& changes_of_lives() const noexcept { return changes_of_lives_; }
    /// Nothing that was submitted waits to be put into frames.
    bool idle() const noexcept;
    /// From there, messages that do not fit a frame are sent without a copy. It outlives the NAL. Where the
    /// NAL may be touched.
    void add(const niu::Memory& memory) { memory_.push_back(&memory); }

    struct Counters {
        runtime::Counter begun;       ///< messages sent
        runtime::Counter arrived;     ///< and received
        runtime::Counter pulls;       ///< slices asked for
        runtime::Counter unreadable;  ///< messages whose data does not lie where they say, or not for us
        runtime::Counter cut_short;   ///< data that was due and did not come
        runtime::Counter failed;      ///< operations, because of the other node
        runtime::Counter nobody;      ///< messages for a process that is not here
        runtime::Counter repeated;    ///< messages that had come by a plane that died
        runtime::Counter malformed;   ///< what no NAL of ours sends
        runtime::Counter withheld;    ///< requests of who is owed too much, whose credit waits
        runtime::Counter copied_out;  ///< bytes, into frames
        runtime::Counter referred;    ///< bytes that frames referred to instead
        runtime::Counter copied_in;   ///< bytes, from frames to their place
        runtime::Counter read;        ///< bytes, from the memory of others
    };
    /// Bytes of slices, by one plane.
    struct PlaneCounters {
        runtime::Counter sent;
        runtime::Counter received;
    };
    const Counters& counters() const noexcept { return counters_; }
    const PlaneCounters& counters(std::size_t plane) const noexcept { return plane_counters_[plane]; }

  private:
    using NodeId = niu::NodeId;
    template <typename T>
    using Fifo = runtime::Fifo<T>;

    /// What an interface wants sent.
    struct Message {
        portals::Interface* from = nullptr;  ///< nullptr: it is gone
        portals::Header header{};
        portals::Pieces data{};
        portals::Operation operation = portals::kNone;
        std::uint64_t number = 0;  ///< of those that wait: requests do not overtake answers
    };
    /// Data of a message that its receiver pulls.
    struct Source : portals::Slot {
        void clear() noexcept {}
        /// The memory is not to be read any more, whoever still tries.
        void withdraw() noexcept { seal.store(0, std::memory_order_seq_cst); }

        NodeId to = 0;
        portals::Interface* from = nullptr;
        portals::Operation operation = portals::kNone;
        portals::Pieces data{};
        bool asked_for = false;  ///< somebody has pulled
        std::atomic<std::uint64_t> seal{0};
    };
    /// Where data of a message that has begun to arrive goes. Without an interface it is thrown away.
    struct Sink : portals::Slot {
        void clear() noexcept {
            under_way = 0;
            broken = false;
            place = {};
        }
        bool is_wanted() const noexcept { return to != nullptr && !broken; }

        NodeId from = 0;
        portals::Interface* to = nullptr;
        portals::Operation operation = portals::kNone;
        portals::Pieces where{};
        portals::Size pulled = 0;  ///< pulls for what is before that have been sent
        std::uint32_t source = 0;  ///< names it at the other side
        Place place{};             ///< where it is read
        unsigned under_way = 0;    ///< pulls
        bool queued = false;       ///< among those of which not everything has been pulled
        bool broken = false;       ///< some of it does not come
    };
    struct Pull {
        Sink* sink = nullptr;
        portals::Size offset = 0;
        std::uint32_t length = 0;
        std::uint32_t got = 0;
    };
    struct Slice {
        portals::Handle source = portals::kInvalid;
        portals::Pieces rest{};
    };
    /// The rest of the message that was begun last, which follows it.
    struct Rest {
        portals::Interface* from = nullptr;
        portals::Operation operation = portals::kNone;
        portals::Pieces data{};  ///< not handed over yet
        bool due = false;
    };
    /// What has been handed to an NIU, which reads it until it is in frames.
    struct Leaving {
        portals::Interface* from = nullptr;
        portals::Operation operation = portals::kNone;  ///< that ends then
        std::size_t plane = 0;
        niu::Ticket ticket{};
        portals::Handle source = portals::kInvalid;  ///< that it is a slice of
    };
    /// The same, at its receiver.
    struct Following {
        portals::Interface* to = nullptr;
        portals::Operation operation = portals::kNone;
        portals::Pieces where{};
        portals::Size at = 0;
        portals::Size left = 0;
    };
    /// A request that has been heeded, whose sender does not get its credit back yet.
    struct Withheld {
        std::size_t plane = 0;
        niu::Received received{};
    };
    /// Of answers, and then of a request.
    struct Turn {
        unsigned answers = 0;   ///< that have gone
        runtime::Time since{};  ///< they could
        runtime::Time until{};  ///< others wait for the request, if all have
    };
    /// The way to and from a node on one plane.
    struct Lane {
        bool open = false;
        Fifo<Slice> slices;  ///< to be sent
        Fifo<Pull> pulls;    ///< to be answered, in this order
    };
    struct Peer {
        std::uint32_t epoch = 0;  ///< of the life that all this is of; 0: none
        bool left = false;        ///< it has closed
        bool pulls = false;       ///< also what lies in our memory, as it cannot read that
        bool active = false;      ///< has something to send
        /// The plane on which messages begin, so that they arrive in order: the first that there was.
        std::size_t lead = 0;
        std::uint32_t begun = 0;
        std::uint32_t arrived = 0;
        runtime::Time absent_since{};
        runtime::Time returns_since{};               ///< the same, for the limit of one that has ended
        std::deque<std::vector<std::byte>> unheard;  ///< what planes that died may not have carried
        std::ptrdiff_t kept = 0;                     ///< of it, since it was last sent from
        Fifo<Pull> unanswered;                       ///< nor the answers to these
        Fifo<Message> answers;                       ///< may overtake what waits
        Fifo<Message> waiting;
        Unanswered asked;
        Turn turn{};
        Fifo<Withheld> withheld;
        runtime::Time give_back_at{};
        Fifo<std::uint32_t> done;  ///< sources of the other side
        Rest rest{};
        Fifo<Leaving> leaving;
        Following following{};
        Fifo<Sink*> sinks;  ///< of which not everything has been pulled
        std::array<Lane, kMostPlanes> lanes{};
    };
    /// What comes on one plane, and what one that has died may not have carried.
    class Arrivals final : public niu::Receiver, public niu::LossListener {
      public:
        Arrivals(OverNiu& nal, std::size_t plane) : nal_(nal), plane_(plane) {}
        void take(const niu::Received& received) noexcept override { nal_.take(plane_, received); }
        void unacknowledged(niu::NodeId to, wire::Protocol protocol,
                            std::span<const std::byte> message) noexcept override {
            if (protocol == wire::Protocol::kPortals) nal_.keep(nal_.peers_[to], plane_, message);
        }

      private:
        OverNiu& nal_;
        std::size_t plane_;
    };

    // over_niu.cc: the interfaces, and who is there.
    portals::Interface* find(portals::Pid pid) noexcept;
    void take_submitted();
    void dispose(Message& message);
    void forget(const portals::Interface& interface) noexcept;
    bool alive(Peer& peer) noexcept;
    void count_change() noexcept { changes_of_lives_.fetch_add(1, std::memory_order_relaxed); }
    void put_off_limits() noexcept;
    void look_at(Peer& peer) noexcept;
    bool is_missed(const Peer& peer, NodeId node) const noexcept;
    void leave(Peer& peer) noexcept;
    void keep(Peer& peer, std::size_t plane, std::span<const std::byte> message);
    void lose_plane(Peer& peer, std::size_t plane) noexcept;
    void end_life(Peer& peer) noexcept;
    void wake(Peer& peer) noexcept;
    bool is_steady(const Peer& peer) const noexcept;
    void fail_sending(portals::Interface* from, portals::Operation operation) noexcept;
    void fail_landing(portals::Interface* to, portals::Operation operation) noexcept;
    void fail(const Message& message) noexcept;
    void fail(const Unanswered& requests) noexcept;
    void keep_copy(const Leaving& leaving) { planes_[leaving.plane].niu->keep_copy(leaving.ticket); }
    NodeId id_of(const Peer& peer) const noexcept { return static_cast<NodeId>(&peer - peers_.data()); }

    // describing.cc
    nlohmann::json describe_plane(std::size_t plane) const;

    // owing.cc: who asks for more than it takes.
    bool answers_may_go(const Peer& peer) const noexcept;
    void settle(Peer& peer) noexcept;
    void give_back(Peer& peer) noexcept;

    // sending.cc
    unsigned pump(Peer& peer);
    bool begin(Peer& peer, portals::Interface* from, const portals::Header& header,
               const portals::Pieces& data, portals::Operation operation);
    bool put_frame(Peer& peer, portals::Interface* from, const portals::Header& header,
                   const Beginning& beginning, const portals::Pieces& data);
    unsigned send_messages(Peer& peer);
    unsigned send_from(Peer& peer, Fifo<Message>& messages, unsigned most);
    void follow_up(Peer& peer) noexcept;
    bool send_done(Peer& peer);
    bool send_unheard(Peer& peer);
    bool send_pull(Peer& peer, std::size_t plane, const Pull& pull);
    unsigned send_rest(Peer& peer);
    unsigned send_pulls(Peer& peer, std::size_t plane);
    void drop_front(Peer& peer);
    unsigned send_slices(Peer& peer, std::size_t plane);
    bool hand_over(Peer& peer, std::size_t plane, wire::Protocol protocol, portals::Interface* from,
                   portals::Pieces& rest, portals::Handle source = portals::kInvalid);
    niu::Memory::Region* region_of(std::span<const std::byte> bytes) const noexcept;
    bool has_work(const Peer& peer) const noexcept;

    // arriving.cc
    void take(std::size_t plane, const niu::Received& received) noexcept;
    bool on_message(Peer& peer, std::size_t plane, std::span<const std::byte> message);
    void on_begin(Peer& peer, std::span<const std::byte> message);
    void on_pull(Peer& peer, std::size_t plane, const std::byte* message);
    void on_done(Peer& peer, std::uint32_t source);
    void on_following(Peer& peer, std::span<const std::byte> data);
    void on_slice(Peer& peer, std::size_t plane, std::span<const std::byte> data);
    void land(const portals::Pieces& where, portals::Size at, std::span<const std::byte> data);
    void finish_if_done(Sink& sink);
    bool may_be_read(const Place& place) const noexcept;
    unsigned read_memory(Peer& peer);

    OverNiuOptions options_;
    Mover& mover_;
    std::vector<Plane> planes_;
    std::vector<Arrivals> arrivals_;
    Loopback self_;
    NodeId node_;
    runtime::Time now_{};
    runtime::PollWatch absent_watch_;
    runtime::PollWatch returning_watch_;

    std::mutex mutex_;  ///< of what follows; taken last
    std::vector<Message> submitted_;
    std::vector<portals::Interface*> attached_;
    std::atomic<unsigned> news_{0};  ///< whether there is anything in them that has not been seen

    std::vector<Message> taken_;
    std::uint64_t numbered_ = 0;  ///< messages that had to wait, ever
    std::vector<portals::Interface*> interfaces_;
    std::vector<Peer> peers_;
    std::vector<NodeId> active_;
    std::size_t next_looked_at_ = 0;
    runtime::Time look_when_ = runtime::Time::min();
    std::uint64_t last_seal_;  ///< all are odd, and the first is any
    portals::Slots<Source> sources_;
    portals::Slots<Sink> sinks_;
    std::vector<const niu::Memory*> memory_;
    Counters counters_;
    std::array<PlaneCounters, kMostPlanes> plane_counters_;
    std::atomic<std::uint64_t> changes_of_lives_{0};
};

}  // namespace isoplane::nal
