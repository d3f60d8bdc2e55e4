// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// The rule by which logical time advances, the same for hosts and token managers: tokens 1 to h go out
/// unprompted, and token n + h once token n is in from all neighbours. So 2h tokens circulate between two
/// neighbours, and nobody is ever more than 2h tokens ahead of another.
///
/// Networks lose tokens, repeat and reorder them. They are numbered; one that is here already says nothing.
/// That a neighbour's token n is here proves that it has ours up to n - h: the at most 2h later ones are
/// kept, and sent again when nothing has come for too long.
///
/// Tokens that are due at once go as one, and may go along in a frame that leaves for that neighbour anyway.
/// What begins with token 1 ends with token h, whatever else is due: so neighbours see whether they have the
/// same h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <isoplane/niu/dispatcher.hh>
#include <isoplane/niu/niu.hh>
#include <isoplane/niu/rtt.hh>
#include <isoplane/runtime/counter.hh>
#include <isoplane/runtime/poll_watch.hh>
#include <isoplane/wire/along.hh>
#include <isoplane/wire/token.hh>
#include <isoplane/wire/view.hh>

namespace isoplane::tm {

using niu::NodeId;
using runtime::Duration;
using runtime::Time;

struct ExchangeOptions {
    NodeId node = 0;                   ///< whose tokens these are
    std::uint32_t epoch = 1;           ///< of this incarnation; greater than any before
    std::vector<NodeId> neighbours{};  ///< with none, time waits for nobody
    std::uint32_t ahead = 1;           ///< h: tokens sent unprompted, from 1 to 64
    std::uint8_t reach = 2;            ///< token hops between the two hosts that are furthest apart
    NodeId hosts = 0;                  ///< nodes below are hosts, the others token managers
    /// For what is sent again while time is wanted. Less than for messages: all wait for a token, and one
    /// sent again in vain costs a small frame.
    niu::TimeoutLimits timeout{.least = std::chrono::microseconds{100}};
    Duration idle_timeout = std::chrono::milliseconds{200};  ///< and while it is not
    bool in_views = false;  ///< nothing moves before begin_view(); a neighbour that starts again is lost
    bool accept_any_number = false;  ///< a defect that tests plant
};

struct ExchangeCounters {
    using Counter = runtime::Counter;

    Counter sent;         ///< tokens, once for each neighbour
    Counter frames;       ///< that tokens have taken, first and again
    Counter along;        ///< times that tokens went in a frame of messages
    Counter resent;       ///< tokens sent again, each with those that go as one with it
    Counter received;     ///< tokens, once for each neighbour
    Counter duplicates;   ///< parts that were here before
    Counter beyond;       ///< tokens further ahead than any neighbour can be
    Counter stale_epoch;  ///< tokens of another incarnation of a neighbour
    Counter stale_view;   ///< tokens of another view than this node's
    Counter unknown;      ///< tokens from nodes that are no neighbours, and in short behind no whole one
    Counter unlike;       ///< tokens of neighbours that send another number ahead
    Counter malformed;    ///< messages that are no tokens to this node, and tokens in too many parts
    Counter entries;      ///< sent
    Counter refused;      ///< entries that no neighbour would send, or that one has said before
    Counter overfull;     ///< times that a token could not go, as it has more parts than there can be
    Counter wakes;        ///< times that idle neighbours were told to hurry
};

/// How far the tokens of a node and of its neighbours have come, and what was in them. What it does with them
/// are the steps of its Relay.
class TokenExchange : public niu::TokenReceiver, public niu::Receiver {
    static constexpr NodeId kNoNeighbour = UINT16_MAX;

  public:
    TokenExchange(const TokenExchange&) = delete;
    TokenExchange& operator=(const TokenExchange&) = delete;
    ~TokenExchange() override;

    /// Sends nothing any more (true), or goes on (false).
    void be_quiet(bool quiet) noexcept { set(kQuiet, quiet); }

    // Where logical time survives deaths (ExchangeOptions::in_views), tokens are of a view, who takes part.

    /// Time begins at `base`, which no token and no stamp of the view before has reached, with those of the
    /// neighbours that `is_in(node)`.
    template <typename IsIn>
    void begin_view(std::uint32_t view, std::uint64_t base, IsIn&& is_in) {
        forget_neighbours();
        for (const NodeId node : options_.neighbours)
            if (is_in(node)) add_neighbour(node);
        begin_at(view, base);
    }
    /// Takes and sends no more tokens of this view.
    void freeze() noexcept;
    bool is_frozen() const noexcept { return takes_ == kNone; }
    std::uint32_t view() const noexcept { return view_; }
    /// Where the tokens of this view begin.
    std::uint64_t base() const noexcept { return base_; }
    /// Time between two polls that is longer than that says nothing of who was not heard in it: this node did
    /// not run then.
    void count_as_stopped(Duration pause) noexcept { watch_ = runtime::PollWatch(pause); }
    /// Calls `tell(node)` with each neighbour that has not been heard in this view for so long.
    template <typename Tell>
    void silent(Duration limit, Tell&& tell) const {
        if (is_frozen()) return;
        for (const Neighbour& neighbour : neighbours_)
            if (now_ - neighbour.heard > limit) tell(neighbour.node);
    }

    /// Tokens sent; of a host, its clock.
    std::uint64_t sent() const noexcept { return sent_; }
    /// All tokens up to this one are in from all neighbours.
    std::uint64_t complete() const noexcept { return complete_; }
    /// When the last token came that was news.
    Time moved_at() const noexcept { return moved_at_; }
    /// The neighbours without which token complete() + 1 is not complete.
    std::vector<NodeId> awaited() const;
    /// The neighbour that has started again, and with which time cannot go on.
    bool broken() const noexcept { return broken_; }
    /// A neighbour with another h. Each would take others of its tokens for known than are, so time would
    /// lock where one is lost, and distances would be wrong: so it does not begin.
    struct Unlike {
        NodeId node = kNoNeighbour;
        unsigned ahead = 0;
    };
    const Unlike* unlike() const noexcept { return unlike_.node != kNoNeighbour ? &unlike_ : nullptr; }

    const ExchangeOptions& options() const noexcept { return options_; }
    const ExchangeCounters& counters() const noexcept { return counters_; }
    void clear_counters();

  protected:
    TokenExchange(niu::Niu& niu, ExchangeOptions options);

    using Entries = std::vector<wire::TokenEntry>;

    /// What was in a token of a neighbour: from when it is complete until token number + h goes.
    const Entries& incoming(std::size_t neighbour, std::uint64_t number) const noexcept {
        return neighbours_[neighbour].in[number & mask_].entries;
    }
    /// The hops that it was wanted for, if it is here.
    std::uint8_t incoming_wanted(std::size_t neighbour, std::uint64_t number) const noexcept {
        const Incoming& token = neighbours_[neighbour].in[number & mask_];
        return token.number == number ? token.wanted : std::uint8_t{0};
    }

    /// Forgets all tokens: time begins again at 0, in a later epoch.
    void begin_anew() noexcept;

    Time now() const noexcept { return now_; }
    Time last_sent_at() const noexcept { return sent_at_; }
    std::size_t neighbour_count() const noexcept { return neighbour_count_; }
    NodeId neighbour(std::size_t index) const noexcept { return neighbours_[index].node; }

  private:
    template <typename Self>
    friend class Relay;

    struct Incoming {
        std::uint64_t number = 0;
        unsigned parts = 0;  ///< that are here
        std::uint16_t last_part = 0;
        std::uint8_t wanted = 0;
        std::vector<bool> seen{};
        Entries entries{};
        std::vector<bool> said_to{};  ///< by host, and all of them behind: a host's token has an entry for it

        bool whole() const noexcept { return parts == last_part + 1U; }
        void begin(std::uint64_t its_number, std::uint16_t its_last_part) {
            number = its_number;
            parts = 0;
            last_part = its_last_part;
            wanted = 0;
            entries.clear();
            if (last_part != 0) seen.assign(last_part + std::size_t{1}, false);
        }
        /// Whole, with no entries yet.
        void fill(std::uint64_t its_number, std::uint8_t its_wanted) noexcept {
            number = its_number;
            parts = 1;
            last_part = 0;
            wanted = its_wanted;
            entries.clear();
        }
    };
    /// A token that says something; what is there for another number is of an earlier one.
    struct Outgoing {
        std::uint64_t number = 0;
        Entries entries{};
    };
    /// How far tokens have gone out: all up to `number`, and so many parts of the next.
    struct Gone {
        std::uint64_t number = 0;
        std::size_t parts = 0;
    };
    struct Neighbour {
        NodeId node = 0;
        std::uint32_t epoch = 0;            ///< 0 before it was heard
        std::uint64_t origin = UINT64_MAX;  ///< word_of() that of its tokens, which none has before that
        std::uint64_t in_to = 0;            ///< all its tokens up to this one are here
        Gone gone{};                        ///< ours for the first time
        Gone again{};                       ///< and again, while that goes on
        std::uint64_t kept_to = 0;          ///< of what is in `in`, the furthest
        std::uint64_t said = 0;             ///< the last of ours that says something
        std::uint64_t whole_along = 0;      ///< the last of ours that went along and as a whole,
        std::uint32_t whole_epoch = 0;      ///< and in which life of the host that it went to
        Time heard{};
        std::vector<Incoming> in{};   ///< by number
        std::vector<Outgoing> out{};  ///< by number

        void forget_theirs() noexcept {
            for (Incoming& token : in)
                token.number = 0;
            kept_to = 0;
        }
        void forget_ours() noexcept {
            for (Outgoing& token : out)
                token.number = 0;
            said = 0;
        }
    };

    /// Whose tokens come along with the messages of a host, as the last whole one says that did.
    struct Along {
        NodeId from = wire::kNoNode;
        std::uint16_t view = 0;
        std::uint32_t epoch = 0;
        std::uint64_t number = 0;
    };

    Along& along_with(NodeId host) noexcept { return along_[niu_.peer(host).place]; }
    /// Of a neighbour, or kNoNeighbour.
    NodeId index_of(NodeId node) const noexcept { return node < index_.size() ? index_[node] : kNoNeighbour; }

    static constexpr std::uint8_t kQuiet = 1;
    static constexpr std::uint8_t kFrozen = 2;
    static constexpr std::uint32_t kNone = UINT32_MAX;

    void set(std::uint8_t why, bool quiet) noexcept {
        quiet_ = static_cast<std::uint8_t>(quiet ? quiet_ | why : quiet_ & ~why);
    }
    /// What our token `number` tells that neighbour.
    std::span<const wire::TokenEntry> entries_of(const Neighbour& neighbour,
                                                 std::uint64_t number) const noexcept {
        const Outgoing& token = neighbour.out[number & mask_];
        return token.number == number ? std::span<const wire::TokenEntry>(token.entries)
                                      : std::span<const wire::TokenEntry>();
    }
    void note_poll(Time now) noexcept;
    void forget_neighbours() noexcept;
    void add_neighbour(NodeId node);
    void begin_at(std::uint32_t view, std::uint64_t base) noexcept;
    bool keep(Neighbour& neighbour, const wire::Token& token, const wire::TokenView& view) noexcept;
    /// All that is here behind the last that is complete.
    void pass_whole(Neighbour& neighbour) noexcept {
        for (;;) {
            const Incoming& next = neighbour.in[(neighbour.in_to + 1) & mask_];
            if (next.number != neighbour.in_to + 1 || !next.whole()) break;
            ++neighbour.in_to;
            counters_.received.add();
        }
    }
    void keep_part(Neighbour& neighbour, const wire::Token& token, const wire::TokenView& view) noexcept;
    void keep_empty(Neighbour& neighbour, const wire::Token& token) noexcept;
    bool is_news(const Neighbour& neighbour, Incoming& slot, const wire::TokenEntry& entry) const noexcept;
    void keep_one_of_each(Entries& entries) noexcept;
    bool is_unlike(const Neighbour& neighbour, const wire::Token& first) noexcept;
    bool has_place(std::uint64_t number) const noexcept;
    /// How long to wait for the next token: while nobody wants time to go on, others hold theirs back.
    Duration patience() const noexcept {
        return level_ != 0 || hurried_ || complete_ == base_ ? rtt_.timeout() : options_.idle_timeout;
    }

    static constexpr std::size_t kMostParts = 65536;

    niu::Niu& niu_;
    ExchangeOptions options_;
    std::size_t mask_;          ///< of the places for tokens: as many as 2h, or more
    std::size_t most_entries_;  ///< of a token that can be: one for each two hosts, and one of each for all
    std::vector<Neighbour> neighbours_;
    std::size_t neighbour_count_ = 0;  ///< of these; to ask them is to divide by their size
    std::vector<NodeId> index_;        ///< of a node among the neighbours
    std::vector<Along> along_;         ///< by peer of the NIU (Peer::place)
    ExchangeCounters counters_;

    std::uint64_t base_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t complete_ = 0;
    std::uint32_t view_ = 0;
    std::uint32_t takes_;     ///< the low half of the view whose tokens are taken, or kNone
    std::uint8_t level_ = 0;  ///< hops that the last token sent was wanted for
    bool hurried_ = false;    ///< the token that came last says that time is wanted
    bool prompt_ = false;     ///< it is answered at once: somebody wanted time as it was sent
    bool pending_ = false;    ///< the output did not take everything
    bool resending_ = false;  ///< nor all of what is sent again
    std::uint8_t quiet_ = 0;  ///< why nothing is sent
    bool broken_ = false;
    niu::RttEstimator rtt_;
    Time now_{};
    Time sent_at_{};
    Time moved_at_{};
    runtime::PollWatch watch_{std::chrono::milliseconds{2}};
    Time resend_at_ = Time::max();
    bool resent_ = false;  ///< since something came: what comes now may answer either
    Unlike unlike_;
};

}  // namespace isoplane::tm
