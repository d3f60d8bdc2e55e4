// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <isoplane/portals/interface.hh>
#include <string>

#include "words.hh"

namespace isoplane::portals {

inline constexpr ProcessId kHere{7, 1};
inline constexpr ProcessId kThere{8, 2};
inline constexpr Uid kUid = 1000;
inline constexpr Jid kJid = 42;

/// A network that is a sheet of paper: what an interface sends is noted down, and what happens to it, and
/// what arrives, is up to the test.
class PaperNal final : public Nal {
  public:
    struct Message {
        Header header{};
        Pieces data{};
        Operation operation = kNone;
        std::optional<std::string> copied{};  ///< of one that was injected

        std::string text() const {
            if (copied) return *copied;
            std::string text(data.length, '\0');
            copy(std::as_writable_bytes(std::span(text)), data);
            return text;
        }
    };

    Status attach(Interface&, Pid wanted, ProcessId& id) override {
        id = {kHere.nid, wanted == kAny ? kHere.pid : wanted};
        return wanted == 99 ? Status::kPidInvalid : Status::kOk;
    }
    void detach(Interface&) noexcept override { submitted.clear(); }
    void submit(Interface&, const Header& header, const Pieces& data, Operation operation) override {
        submitted.push_back({header, data, operation});
    }
    bool inject(Interface&, const Header& header, const Pieces& data) override {
        if (!injects) return false;
        Message message{header, data};
        message.copied = message.text();
        submitted.push_back(message);
        return true;
    }
    bool progress(Interface&) override { return false; }
    bool moves_alone() const noexcept override { return true; }

    std::deque<Message> submitted;
    bool injects = false;  ///< everything
};

/// An interface on paper, and shorthand for what tests do with it.
struct Desk {
    explicit Desk(const Options& options = {.uid = kUid, .jid = kJid}) : ni(0, nal, options) {
        EXPECT_EQ(ni.open(kAny), Status::kOk);
        eq = queue();
    }

    static Target to(Bits bits = 0, Size remote_offset = 0) {
        return {.process = kThere, .portal = 4, .match_bits = bits, .remote_offset = remote_offset};
    }
    /// Of `memory`, with `eq`.
    MdSpec spec(unsigned options, int threshold = kInfinite, Size length = 16) {
        return {memory.data(), length, threshold, 0, options, &user, eq};
    }
    Handle queue(Size count = 64) {
        Handle queue = kInvalid;
        EXPECT_EQ(ni.open_queue(count, nullptr, queue), Status::kOk);
        return queue;
    }
    /// That matches everything, without a `match`.
    Handle entry(const MatchSpec& match = {.ignore = ~Bits{0}}, Position position = Position::kAfter,
                 Index portal = 4) {
        Handle entry = kInvalid;
        EXPECT_EQ(ni.attach_entry(portal, match, position, entry), Status::kOk);
        return entry;
    }
    Handle attach(Handle to_entry, const MdSpec& md, Unlink on_exhaustion = Unlink::kRetain,
                  Unlink on_no_fit = Unlink::kRetain) {
        Handle handle = kInvalid;
        EXPECT_EQ(ni.attach(to_entry, md, on_exhaustion, on_no_fit, handle), Status::kOk);
        return handle;
    }
    Handle attach(const MdSpec& md, Unlink on_exhaustion = Unlink::kRetain) {
        return attach(entry(), md, on_exhaustion);
    }
    Handle bind(const MdSpec& md, Unlink on_exhaustion = Unlink::kRetain) {
        Handle handle = kInvalid;
        EXPECT_EQ(ni.bind(md, on_exhaustion, handle), Status::kOk);
        return handle;
    }

    static Header header(MessageType type, Size length, Bits bits = 0) {
        return {.type = type,
                .target = kHere,
                .initiator = kThere,
                .uid = kUid,
                .jid = 5,
                .portal = 4,
                .match_bits = bits,
                .hdr_data = 77,
                .length = length};
    }
    /// An answer to what was submitted, as the other end would send it.
    static Header answer(const Header& request, MessageType type, Size mlength) {
        Header header = request;
        header.type = type;
        header.target = request.initiator;
        header.initiator = request.target;
        header.hdr_data = 0;
        header.mlength = mlength;
        return header;
    }
    /// It begins to arrive, and stays so.
    Landing begin(const Header& header) { return ni.arrive(header); }
    void land(const Landing& landing, const std::string& data, Failure failure = kSuccess) {
        ASSERT_NE(landing.operation, kNone);
        copy(landing.where, std::as_bytes(std::span(data)).first(landing.where.length));
        ni.landed(landing.operation, failure);
    }
    /// It arrives. False when it is dropped.
    bool arrive(const Header& header, const std::string& data) {
        const Landing landing = begin(header);
        if (landing.operation == kNone) return false;
        land(landing, data);
        return true;
    }
    bool put(const std::string& data, Bits bits = 0) {
        return arrive(header(MessageType::kPut, data.size(), bits), data);
    }
    /// Whether a get was accepted; its reply leaves.
    bool get(Size length, Bits bits = 0) {
        const std::size_t before = nal.submitted.size();
        begin(header(MessageType::kGet, length, bits));
        if (nal.submitted.size() == before) return false;
        last = nal.submitted.back();
        last_text = last.text();
        nal.submitted.pop_back();
        ni.sent(last.operation);
        return true;
    }
    /// The first of what was submitted.
    PaperNal::Message next() {
        EXPECT_FALSE(nal.submitted.empty());
        if (nal.submitted.empty()) return {};
        last = nal.submitted.front();
        nal.submitted.pop_front();
        last_text = last.text();
        return last;
    }
    /// The same, and it leaves.
    PaperNal::Message leave(Failure failure = kSuccess) {
        const PaperNal::Message message = next();
        if (message.operation != kNone) ni.sent(message.operation, failure);
        return message;
    }

    Status take(Event& event) { return take(eq, event); }
    Status take(Handle from, Event& event) {
        std::size_t which = 0;
        EventHandler handler = nullptr;
        return ni.take({&from, 1}, event, which, handler);
    }
    Event event() {
        Event event{};
        EXPECT_EQ(take(event), Status::kOk);
        return event;
    }
    /// All that are in the queue, by name.
    std::string events() { return events(eq); }
    std::string events(Handle from) {
        std::string names;
        Event event{};
        for (Status status = take(from, event); status != Status::kEqEmpty; status = take(from, event)) {
            if (status != Status::kOk) names += "!";
            if (status == Status::kEqInvalid) break;
            names += std::string(name_of(event.kind)).substr(10) + ' ';
        }
        if (!names.empty()) names.pop_back();
        return names;
    }
    std::uint64_t value(Register which) {
        std::uint64_t value = 0;
        EXPECT_EQ(ni.read(which, value), Status::kOk);
        return value;
    }
    std::uint64_t drops() { return value(Register::kDropCount); }
    std::string text(std::size_t from, std::size_t length) { return memory.substr(from, length); }

    PaperNal nal;
    Interface ni;
    std::string memory = std::string(256, '.');
    int user = 0;
    Handle eq = kNoQueue;
    PaperNal::Message last{};
    std::string last_text;
};

}  // namespace isoplane::portals
