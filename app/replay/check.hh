// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <isoplane/wire/along.hh>
#include <isoplane/wire/run.hh>
#include <isoplane/wire/view.hh>
#include <isoplane/wire/view_parts.hh>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "capture/any_frame.hh"
#include "replay/check_stream.hh"
#include "replay/check_time.hh"
#include "replay/trace.hh"

namespace isoplane::replay {

/// What is wrong in a trace.
struct Violation {
    std::uint64_t frame = 0;  ///< its number
    std::string sentence;
};

/// Holds the frames of a trace against what the protocol promises, in memory that does not grow with it.
///
/// - every frame is well formed, with checksums that hold, and so are the messages and the pattern in it;
/// - a sequence number stands for one content, and nothing is sent that the receiver has not granted;
/// - what is acknowledged is in the trace, if that has the stream from its beginning;
/// - acknowledgements and credit do not go back, and credit is for no less and no more than there can be;
/// - in a stream from its beginning, fragments follow each other, payloads and the rest of Portals messages
///   follow what announces them, and isotach messages are counted without a gap;
/// - all messages of an isochron have one pulse, after the one in which it was issued where that is told, and
///   a host's isochrons are in the order of their places in time;
/// - a place in time, and a count of a host's messages to another, stand for one message each, and go up
///   together;
/// - a message is announced to its receiver by the token that ends its pulse, or one before;
/// - a token that is sent again says the same, and none is missing where its receiver has gone on;
/// - a view is decided one way.
class Checker {
  public:
    Checker() = default;
    Checker(const Checker&) = delete;
    Checker& operator=(const Checker&) = delete;

    /// Takes the next frame.
    void see(const TraceFrame& frame);
    /// After the last: what is still missing now stays missing.
    void finish();

    /// The first that was found, in the order of frames as far as that can be told.
    const std::optional<Violation>& violation() const noexcept { return violation_; }

    std::uint64_t frames() const noexcept { return frames_; }
    std::uint64_t ours() const noexcept { return ours_; }
    std::uint64_t messages() const noexcept { return messages_; }
    std::uint64_t isochrons() const noexcept { return time_.isochrons(); }
    std::uint64_t tokens() const noexcept { return time_.tokens(); }

  private:
    using Node = std::uint16_t;
    /// Of a stream: job, source, destination, epochs of both.
    using StreamKey = std::tuple<std::uint32_t, Node, Node, std::uint16_t, std::uint16_t>;

    void violated(std::uint64_t frame, const std::string& sentence);
    void see_hello(const capture::AnyFrame& any);
    void see_stream(const capture::AnyFrame& any, Time when);
    static std::string fault_of_messages(const wire::Decoded& frame);
    void see_messages(const capture::AnyFrame& any);
    void see_isotach(const capture::AnyFrame& any, const wire::OrderedMessage& message);
    /// A token that goes along, and in which frame.
    struct Along {
        std::uint64_t frame;
        std::vector<std::byte> message;
        std::optional<wire::IsotachHeader> before;
    };
    /// Those of a stream: what is in front of the first whole one is read with it.
    struct AlongStream {
        wire::AlongReader reader{};
        std::vector<Along> unread{};
    };
    void see_along(const capture::AnyFrame& any, Along token);
    bool read_along(const capture::AnyFrame& any, wire::AlongReader& reader, const Along& token);
    void see_token(const TimeChecker::Where& where, std::span<const std::byte> payload);
    void see_view(const capture::AnyFrame& any);
    StreamChecker& stream(const StreamKey& key);
    std::optional<std::uint32_t> granted_at_first(const StreamKey& key) const;
    bool has_one_plane(std::uint32_t job) const;

    std::map<StreamKey, StreamChecker> streams_{};
    std::map<StreamKey, AlongStream> along_{};
    std::set<std::uint32_t> jobs_{};
    SeenBefore headers_{};  ///< by their CRC
    /// By job and number: views that have been decided.
    std::map<std::pair<std::uint32_t, std::uint32_t>, wire::View> views_{};
    /// By job, sender and receiver: those that have come of a message.
    std::map<std::tuple<std::uint32_t, Node, Node>, wire::ViewParts> view_parts_{};
    /// By job, node, low half of its epoch and whom it tells: what that may send at first.
    std::map<std::tuple<std::uint32_t, Node, std::uint16_t, Node>, std::uint32_t> hellos_{};
    TimeChecker time_{
        [this](std::uint64_t frame, const std::string& sentence) { violated(frame, sentence); }};
    std::uint64_t frames_ = 0;
    std::uint64_t ours_ = 0;
    std::uint64_t messages_ = 0;
    std::optional<Violation> violation_{};
};

}  // namespace isoplane::replay
