// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>

#include "capture/any_frame.hh"
#include "replay/trace.hh"

namespace isoplane::replay {

/// What is wrong in a trace.
struct Violation {
    std::uint64_t frame = 0;  ///< its number
    std::string sentence;
};

/// Holds the frames of a trace against what the protocol promises, in memory that does not grow with it.
///
/// - every frame is well formed, with checksums that hold;
/// - a sequence number stands for one content, and nothing is sent that the receiver has not granted;
/// - what is acknowledged is in the trace, if that has the stream from its beginning;
/// - all messages of an isochron have one pulse, a host's isochrons are in the order of their pulses, and its
///   count of messages to a host stands for one message;
/// - a token that is sent again says the same.
///
/// Taps on different lcores may write in another order than frames passed: what must have come before
/// something may be up to kReordered frames behind it.
class Checker {
  public:
    static constexpr std::uint64_t kReordered = 1000;

    /// Takes the next frame.
    void see(const TraceFrame& frame);
    /// After the last: what is still missing now stays missing.
    void finish();

    /// The first that was found, in the order of frames as far as that can be told.
    const std::optional<Violation>& violation() const noexcept { return violation_; }

    std::uint64_t frames() const noexcept { return frames_; }
    std::uint64_t ours() const noexcept { return ours_; }
    std::uint64_t messages() const noexcept { return messages_; }
    std::uint64_t isochrons() const noexcept { return isochrons_; }
    std::uint64_t tokens() const noexcept { return tokens_; }

  private:
    /// What was seen lately, by a number that goes up: which content it stood for.
    class Recent {
      public:
        /// False when the number stood for another content.
        bool add(std::uint64_t number, std::uint64_t content);

      private:
        static constexpr std::size_t kSlots = 1024;
        struct Slot {
            std::uint64_t number = ~std::uint64_t{0};
            std::uint64_t content = 0;
        };
        std::array<Slot, kSlots> slots_{};
    };

    /// Something that has to be found yet.
    struct Due {
        std::uint64_t frame;  ///< that needs it
        std::uint32_t before;
    };

    using Node = std::uint16_t;
    /// Of a stream: job, source, destination, epochs of both.
    using StreamKey = std::tuple<std::uint32_t, Node, Node, std::uint16_t, std::uint16_t>;

    struct Stream {
        Recent contents{};
        bool from_start = false;
        std::uint32_t next = 0;                ///< all before it are in the trace
        std::set<std::uint32_t> early{};       ///< those behind it that are, too
        std::optional<std::uint32_t> limit{};  ///< what the receiver has granted; unknown before its hello
        std::deque<Due> ungranted{};           ///< frames that need a higher limit
        std::deque<Due> unseen{};              ///< acknowledgements of more than there is
    };

    struct Issuer {
        Recent pulses{};  ///< by isochron
        std::optional<std::uint32_t> isochron{};
        std::uint64_t pulse = 0;  ///< of that
    };

    void violated(std::uint64_t frame, const std::string& sentence);
    void see_hello(const capture::AnyFrame& any);
    void see_stream(const capture::AnyFrame& any);
    void see_data(Stream& stream, const capture::AnyFrame& any);
    void see_messages(const capture::AnyFrame& any);
    void see_isotach(const capture::AnyFrame& any, std::span<const std::byte> body);
    void see_token(const capture::AnyFrame& any, std::uint32_t epoch, Node from, Node to,
                   std::span<const std::byte> payload);
    void expire(Stream& stream, const StreamKey& key, std::uint64_t since);
    std::optional<std::uint32_t> granted_at_first(const StreamKey& key) const;

    std::map<StreamKey, Stream> streams_{};
    /// By job, node, low half of its epoch and whom it tells: what that may send at first.
    std::map<std::tuple<std::uint32_t, Node, std::uint16_t, Node>, std::uint32_t> hellos_{};
    /// By job, epoch and host, as numbers begin anew with an epoch.
    std::map<std::tuple<std::uint32_t, std::uint32_t, Node>, Issuer> issuers_{};
    /// And by destination.
    std::map<std::tuple<std::uint32_t, std::uint32_t, Node, Node>, Recent> counts_{};
    /// By job, epoch, sender, receiver, and which part of how many.
    std::map<std::tuple<std::uint32_t, std::uint32_t, Node, Node, std::uint16_t>, Recent> tokens_sent_{};
    std::uint64_t frames_ = 0;
    std::uint64_t ours_ = 0;
    std::uint64_t messages_ = 0;
    std::uint64_t isochrons_ = 0;
    std::uint64_t tokens_ = 0;
    std::optional<Violation> violation_{};
};

}  // namespace isoplane::replay
