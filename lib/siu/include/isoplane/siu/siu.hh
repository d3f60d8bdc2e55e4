// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// The switch interface unit: keeps logical time at a host.
///
/// - The clock is the number of tokens sent. What is sent at clock t over distance d is executed in pulse
///   t + d.
/// - Token m from the token manager ends pulse m: whatever is to be executed in it has been announced by
///   then, and what has been announced is waited for, so it does not matter by which way or how late it
///   comes. For the same reason the clock need not stand still while an isochron goes out.
/// - While nobody wants time to go on, tokens are answered ever more slowly.
/// - A host may be the token manager of its switch itself (niu::Options::manages): the others of the switch
///   exchange tokens with it, and it is a token hop nearer to everybody.
#pragma once

#include <isoplane/runtime/fifo.hh>
#include <isoplane/tm/relay.hh>

namespace isoplane::siu {

using niu::NodeId;
using runtime::Duration;
using runtime::Time;
using Pulse = std::uint64_t;

struct SiuOptions {
    tm::ExchangeOptions exchange{};  ///< node, neighbours, reach and hosts are set by the SIU
    Duration pulse_interval{0};      ///< between two tokens, at least
    /// How long tokens are still answered at once when time is not wanted any more: more than it takes to
    /// answer a message.
    Duration linger = std::chrono::microseconds{100};
    /// How long a token is held back then, at first and at the most.
    Duration first_pause = std::chrono::microseconds{50};
    Duration longest_pause = std::chrono::milliseconds{50};
    bool no_counts = false;  ///< a defect that tests plant: announces nothing
    bool no_lag = false;     ///< another: executes what it does not know to be everywhere
};

/// How many messages another host has sent here in all by the end of a pulse.
struct Announcement {
    Pulse pulse = 0;
    NodeId source = 0;
    std::uint32_t count = 0;
};

/// What a host does in the group, and the pulse at whose end all hosts learn of it.
struct GroupAct {
    Pulse pulse = 0;
    NodeId source = 0;
    std::uint32_t word = 0;
};

class Siu final : public tm::Relay<Siu> {
  public:
    /// For the host niu.options().node of the topology, which outlives it as `niu` does.
    Siu(niu::Niu& niu, const topology::Paths& paths, SiuOptions options = {});

    /// This host is the token manager of its switch.
    bool manages() const noexcept { return options().node != here_; }
    /// There is a time to send at: the token manager has answered, and this host's first tokens, which
    /// announce nothing, have gone. Those of a view may have to wait.
    bool started() const noexcept { return complete() != base() && sent() >= base() + options().ahead; }
    Pulse clock() const noexcept { return sent(); }
    /// The last pulse that has ended, as far as announcements go. For this host's own part in it its token
    /// need not have gone: what it sends from now on is stamped later, and what it has yet to do in the group
    /// is known later; but of what a token manager has to do already, that may be in a pulse that could end.
    ///
    /// Where time survives deaths it is the last that everybody holds all of, which takes longer: others as
    /// their tokens say; this host, which need not have sent its own where it manages its switch, by itself.
    Pulse ended() const noexcept {
        const Pulse passed = this->passed();
        if (passed < held_from_ || last_token_ == 0) return cut_;
        return std::min(passed - lag_, last_token_ - options().ahead);
    }

    // Where time survives deaths (doc/membership.md).

    bool survives() const noexcept { return options().in_views; }
    /// This host holds all that it is to execute up to that pulse: so it may say so by its tokens.
    void hold(Pulse pulse) noexcept { last_token_ = pulse + options().ahead; }
    /// Time goes on at the base of a view. All held everything up to `cut`.
    template <typename IsIn>
    void begin_view(std::uint32_t view, Pulse cut, Pulse base, IsIn&& is_in) {
        TokenExchange::begin_view(view, base, is_in);
        begin_time(cut, base);
    }
    Pulse cut() const noexcept { return cut_; }
    /// The last pulse in which anything of this host is executed.
    Pulse last() const noexcept;
    /// Its acts that it has not executed, and so others may not know of.
    std::vector<GroupAct> own_acts() const;
    /// Another host tells what of its acts the old view may not have told.
    void take_act(const GroupAct& act) noexcept { keep_act(act); }

    /// A host that is a token manager is nearer, as it says when it comes up.
    Pulse distance(NodeId to) const noexcept {
        return distances_[to] - (niu_.peer(to).manages ? options().ahead : 0);
    }
    Pulse greatest_distance() const noexcept { return greatest_distance_; }

    /// The pulse in which an isochron that goes now over that distance is executed: never before one that
    /// went earlier, or in one that this host has executed.
    Pulse stamp(Pulse distance) noexcept {
        return last_stamp_ = std::max({last_stamp_, clock() + distance, passed() + 1});
    }
    Pulse last_stamp() const noexcept { return last_stamp_; }

    /// One more message is sent there: goes with the next token. Returns how many that are in all.
    std::uint32_t announce(NodeId to) noexcept {
        Announced& announced = announced_[to];
        if (!announced.pending) [[unlikely]]
            begin_to_announce(to);
        return ++announced.count;
    }
    /// The next message to that host is its first.
    void begin_count(NodeId to) noexcept { announced_[to].count = 0; }
    /// Tells all hosts, this one included, at one logical time: the greatest distance after the clock that is
    /// returned, which is the present one unless other acts go before.
    Pulse act(std::uint32_t group_word) noexcept;
    /// Acts that have not gone with a token yet.
    bool acting() const noexcept { return !to_do_.empty(); }

    /// What tokens have announced, in order of the pulses.
    runtime::Fifo<Announcement>& announcements() noexcept { return announcements_; }
    /// The next act in the group that all hosts learn of by the end of `pulse`, in order of (pulse, host).
    bool next_act(Pulse pulse, GroupAct& act) noexcept;
    /// There are acts that not all hosts have learned of.
    bool acts_waiting() const noexcept { return !acts_.empty(); }

    /// Whether time is wanted: from now on, until it is not.
    void want(bool wanted) noexcept {
        if (wanted != wanted_) [[unlikely]]
            change_wanted(wanted);
    }

  private:
    /// As tokens and own acts have it.
    Pulse passed() const noexcept {
        return manages() && acting() ? std::min(complete(), known_at(to_do_.front().with) - 1) : complete();
    }
    void begin_time(Pulse cut, Pulse base) noexcept;

    /// To another host.
    struct Announced {
        std::uint32_t count = 0;
        bool pending = false;  ///< it goes with the next token
    };
    struct OwnAct {
        std::uint64_t with = 0;  ///< the token that it goes with
        std::uint32_t word = 0;
    };

    friend class tm::Relay<Siu>;

    static constexpr bool kAnswersAtOnce = false;
    void on_entry(std::uint64_t number, const wire::TokenEntry& entry) noexcept;
    void on_entry_behind(NodeId sender, std::uint64_t number, const wire::TokenEntry& entry) noexcept;
    bool may_resend() const noexcept { return true; }
    std::uint64_t may_send_to() noexcept;
    /// With more neighbours than one there is also what they say to each other.
    bool is_silent(std::uint64_t number) const noexcept {
        return neighbour_count() == 1 && pending_.empty() && !acts_with(number);
    }
    void on_send(std::uint64_t number) noexcept;
    void add_own(std::size_t neighbour, Entries& entries) noexcept;
    std::uint64_t may_announce_to(NodeId host) const noexcept;
    void announce_to(NodeId host, Entries& entries) noexcept;
    bool wants() const noexcept { return wanted_; }
    void on_others_want() noexcept { prompt_until_ = now() + own_.linger; }
    NodeId carrier(NodeId neighbour) noexcept;
    bool on_restart(NodeId neighbour) noexcept;
    /// The pulse at whose end all hosts learn of an own act that goes with that token.
    Pulse known_at(std::uint64_t token) const noexcept {
        return token - 1 - (manages() ? options().ahead : 0) + greatest_distance_;
    }
    void begin_to_announce(NodeId to) noexcept;
    void forget_pending() noexcept;
    void change_wanted(bool wanted) noexcept;
    bool acts_with(std::uint64_t token) const noexcept {
        return !to_do_.empty() && to_do_.front().with == token;
    }
    void keep_act(const GroupAct& act) noexcept;

    niu::Niu& niu_;
    SiuOptions own_;
    NodeId here_;
    std::vector<NodeId> managers_;  ///< by node: the host that was found to be that token manager, or kNoNode
    std::uint64_t look_at_ = 0;     ///< look for it again with that token
    std::vector<std::uint32_t> distances_;  ///< by host; that of this one as a token manager, if it is one
    Pulse greatest_distance_;
    Pulse last_stamp_ = 0;
    Pulse lag_ = 0;                          ///< token m says that all hold what is up to pulse m - lag_...
    Pulse held_from_ = 0;                    ///< ...from this token on, and before that...
    Pulse cut_ = 0;                          ///< ...what is up to here
    std::uint64_t last_token_ = UINT64_MAX;  ///< that may be sent with what this host holds; 0 for none
    std::vector<Announced> announced_;       ///< by host
    std::vector<NodeId> pending_;            ///< the hosts whose counts go with the next token
    std::uint32_t acts_now_ = 0;             ///< the act that goes with the token that is filled; 0 for none
    runtime::Fifo<OwnAct> to_do_;            ///< one goes with each token
    std::vector<GroupAct> acts_;             ///< a heap, the earliest first
    runtime::Fifo<Announcement> announcements_;
    bool wanted_ = false;
    Time prompt_until_{};
    Duration pause_;
};

}  // namespace isoplane::siu

extern template class isoplane::tm::Relay<isoplane::siu::Siu>;
