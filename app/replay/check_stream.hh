// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <isoplane/wire/frame.hh>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "replay/check_order.hh"
#include "replay/recent.hh"
#include "replay/trace.hh"

namespace isoplane::replay {

/// Where something is in a trace.
struct Moment {
    std::uint64_t frame;
    Time time;
};

/// A number that its sender never takes back.
class NeverBack {
  public:
    /// What was said so long before that nothing in the network makes it the later of the two, if it is more.
    std::optional<std::uint32_t> add(const Moment& now, std::uint32_t number);

  private:
    struct Raised {
        Moment when;
        std::uint32_t number;
    };
    std::deque<Raised> raised_{};
    std::optional<std::uint32_t> settled_{};
};

/// Holds the frames of a stream, from one life of a node to one of another, against each other and against
/// what the receiver says of them. Part of Checker, which says what is looked for.
class StreamChecker {
  public:
    /// Takes the number of the frame, and what is wrong with it.
    using Violated = std::function<void(std::uint64_t frame, const std::string& sentence)>;

    /// `name` is "from node A to node B".
    StreamChecker(Violated violated, std::string name)
        : violated_(std::move(violated)), name_(std::move(name)) {}

    bool knows_first_grant() const { return at_first_.has_value(); }
    /// What the receiver has granted at first, once that is known.
    void granted_at_first(std::uint32_t credit);
    /// When its sender, or its receiver, was heard: what it had sent before is in the trace then, as a tap
    /// writes in order.
    void hear_sender(Time when) { sender_heard_ = std::max(sender_heard_, when); }
    void hear_receiver(Time when) { receiver_heard_ = std::max(receiver_heard_, when); }
    /// A data frame. Returns whether it is seen for the first time.
    bool see_data(const Moment& now, const wire::Header& header, std::span<const std::byte> payload,
                  bool one_plane);
    /// What a frame of the receiver's says of it. `copy` when the trace had just that frame before.
    void see_told(const Moment& now, const wire::Header& header, bool copy);
    /// Whatever should have been there by that frame.
    void expire(std::uint64_t since);

  private:
    /// Something that has to be found yet.
    struct Due {
        Moment when;  ///< of the frame that needs it
        std::uint32_t before;
    };

    bool is_here(std::uint32_t sequence) const {
        return before(sequence, next_) || early_.contains(sequence);
    }
    void see_acknowledged(const Moment& now, const wire::Header& header);
    void see_granted(const Moment& now, const wire::Header& header);
    void see_in_order(const std::vector<Piece>& pieces, bool one_plane);

    Violated violated_;
    std::string name_;
    Recent contents_{};
    MessageOrder order_{};
    Time sender_heard_ = Time::min();
    Time receiver_heard_ = Time::min();
    bool from_start_ = false;
    bool forgot_some_ = false;                             ///< of those that are early
    std::uint32_t next_ = 0;                               ///< all before it are in the trace
    std::map<std::uint32_t, std::vector<Piece>> early_{};  ///< those behind it that are, too
    std::optional<std::uint32_t> at_first_{};              ///< the first grant, by the receiver's hello
    std::optional<std::uint32_t> limit_{};  ///< what the receiver has granted; unknown before its hello
    NeverBack acknowledged_{};
    NeverBack granted_{};
    std::deque<Due> ungranted_{};  ///< frames that need a higher limit
    std::deque<Due> unseen_{};     ///< acknowledgements of more than there is
    std::deque<Due> selected_{};   ///< frames that are acknowledged out of turn, and not here
};

}  // namespace isoplane::replay
