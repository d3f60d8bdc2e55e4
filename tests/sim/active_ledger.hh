// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <isoplane/active/active.hh>
#include <string>
#include <vector>

namespace isoplane::test {

/// What an observer of all hosts knows of one request.
struct Entry {
    enum class Kind : std::uint8_t {
        kWords,           ///< replied to with words
        kSilent,          ///< not replied to
        kTransfer,        ///< replied to with words
        kSilentTransfer,  ///< not replied to
        kGet,
        kFetch,  ///< words, replied to with a transfer
    };

    Kind kind{};
    niu::NodeId from = 0;
    niu::NodeId to = 0;
    std::vector<std::byte> data{};     ///< that goes one way or the other
    std::vector<std::byte> landing{};  ///< where it goes
    unsigned handled = 0;              ///< times that its handler ran
    unsigned answered = 0;             ///< times that a handler of an answer to it ran
    bool failed = false;               ///< the requester has been told so
    bool abandoned = false;            ///< the requester has died

    bool has_handler() const { return kind != Kind::kGet; }
    bool has_reply() const { return kind != Kind::kSilent && kind != Kind::kSilentTransfer; }
    bool is_whole(std::span<const std::byte> found) const {
        return found.data() == landing.data() && found.size() == data.size() &&
               (data.empty() || std::memcmp(found.data(), data.data(), data.size()) == 0);
    }
};

/// All requests of one seed. Their handlers are functions, and know their request by its number here.
class Ledger {
  public:
    Ledger() { current_ = this; }

    std::uint64_t open(Entry entry) {
        entries_.push_back(std::move(entry));
        return entries_.size() - 1;
    }
    Entry& at(std::uint64_t number) { return entries_[number]; }
    const std::deque<Entry>& entries() const { return entries_; }

    void complain(const std::string& what) {
        if (complaint_.empty()) complaint_ = what;
    }
    const std::string& complaint() const { return complaint_; }

    /// What is wrong when all is over; empty when nothing is.
    std::string verdict() const {
        for (const Entry& entry : entries_) {
            const unsigned handled = entry.has_handler() ? 1 : 0;
            const unsigned answered = entry.has_reply() ? 1 : 0;
            if (entry.handled > handled) return "a handler ran twice";
            if (entry.answered > answered) return "a reply handler ran twice";
            if (entry.failed && entry.answered != 0) return "a request has failed and was answered";
            if (entry.failed || entry.abandoned) continue;
            if (entry.handled != handled) return "a handler did not run";
            if (entry.answered != answered) return "a reply handler did not run";
        }
        return {};
    }

    static void on_request(active::Active& at, const active::Call& call) {
        current_->handle_request(at, call);
    }
    static void on_reply(active::Active& at, const active::Call& call) { current_->handle_reply(at, call); }

  private:
    using Refusal = active::Refusal;

    void handle_request(active::Active& at, const active::Call& call) {
        Entry& entry = entries_[call.words[0]];
        ++entry.handled;
        if (at.node() != entry.to || call.source != entry.from || !call.is_request)
            complain("a request handler was told wrong");
        if (call.is_transfer && !entry.is_whole(call.data)) complain("a request's data is not what was sent");
        if (at.request(entry.to, on_request, call.words).refusal != Refusal::kInHandler)
            complain("a request handler could request");
        const auto other = static_cast<niu::NodeId>(entry.from + 1);
        if (at.reply(other, on_reply, call.words) != Refusal::kNotSender)
            complain("a request handler could reply to somebody else");
        if (!entry.has_reply()) return;
        const Refusal refusal = entry.kind == Entry::Kind::kFetch
                                    ? fetch(at, entry, call.words[0])
                                    : at.reply(call.source, on_reply, call.words);
        if (refusal != Refusal::kNone) complain("a request handler could not reply");
        if (at.reply(call.source, on_reply, call.words) != Refusal::kReplied)
            complain("a request handler could reply twice");
    }

    /// From memory that does not stay as it is.
    Refusal fetch(active::Active& at, const Entry& entry, std::uint64_t number) {
        std::vector<std::byte> brief = entry.data;
        const Refusal refusal = at.reply_transfer(
            entry.from, brief, reinterpret_cast<active::Word>(entry.landing.data()), on_reply, number);
        std::fill(brief.begin(), brief.end(), std::byte{0xee});
        return refusal;
    }

    void handle_reply(active::Active& at, const active::Call& call) {
        Entry& entry = entries_[call.words[0]];
        ++entry.answered;
        if (at.node() != entry.from || call.source != entry.to || call.is_request)
            complain("a reply handler was told wrong");
        if (call.is_transfer && !entry.is_whole(call.data)) complain("a reply's data is not what was sent");
        if (at.request(entry.to, on_request, call.words).refusal != Refusal::kInHandler ||
            at.reply(call.source, on_reply, call.words) != Refusal::kInHandler || at.poll({}) != 0)
            complain("a reply handler could use the network");
    }

    static inline thread_local Ledger* current_ = nullptr;

    std::deque<Entry> entries_;
    std::string complaint_;
};

}  // namespace isoplane::test
