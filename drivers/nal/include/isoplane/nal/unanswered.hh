// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/portals/interface.hh>
#include <isoplane/runtime/fifo.hh>

namespace isoplane::nal {

/// What this node has asked of another, and has no answer to: when the other dies, it has an end. Some is
/// never answered, as it is dropped there. The answers to what fits a frame begin in the order of the
/// requests: what one has passed over is not looked at again, and is forgotten if it was a put, whose target
/// may want no ACKs. Of all this the last so many are known, which is more than anybody has on the way.
class Unanswered {
  public:
    static constexpr std::size_t kMost = 16384;

    static bool wants_answer(const portals::Header& request) noexcept {
        return !request.is_answer() && request.md != portals::kNone;
    }

    /// A request that wants_answer() has left, in one frame or not.
    void add(portals::Interface& from, const portals::Header& request, bool in_one_frame) {
        Request& its = next(in_one_frame ? short_ : long_);
        its.from = &from;
        its.type = request.type == portals::MessageType::kPut ? portals::MessageType::kAck
                                                              : portals::MessageType::kReply;
        its.target = request.target;
        its.initiator = request.initiator.pid;
        its.portal = request.portal;
        its.match_bits = request.match_bits;
        its.remote_offset = request.remote_offset;
        its.return_offset = request.return_offset;
        its.md = request.md;
        its.md_generation = request.md_generation;
        its.length = request.length;
    }

    /// An answer begins.
    void answered(const portals::Header& answer) noexcept {
        if (const std::size_t at = find(short_, answer); at != short_.size()) {
            for (std::size_t i = 0; i <= at; ++i, short_.pop()) {
                const Request& its = short_.front();
                const bool waits = i < at && its.from != nullptr && its.type == portals::MessageType::kReply;
                if (waits) next(passed_over_) = its;
            }
            return;
        }
        // From the last: those in front may have been dropped, and stay.
        for (std::size_t at = long_.size(); at-- > 0;) {
            if (!long_[at].is_answered_by(answer)) continue;
            long_[at].from = nullptr;
            break;
        }
        while (!long_.empty() && long_.front().from == nullptr)
            long_.pop();
    }

    /// The interface is gone.
    void forget(const portals::Interface& interface) noexcept {
        const auto disown = [&interface](Request& its) {
            if (its.from == &interface) its.from = nullptr;
        };
        for (Requests* requests : {&passed_over_, &short_, &long_})
            requests->for_each(disown);
    }

    void forget_puts() noexcept {
        const auto disown = [](Request& its) {
            if (its.type == portals::MessageType::kAck) its.from = nullptr;
        };
        for (Requests* requests : {&short_, &long_})
            requests->for_each(disown);
    }

    /// No more answers will come: visit(interface, answer that there is instead, of nothing).
    template <typename Visit>
    void for_each(Visit&& visit) const {
        const auto tell = [&visit](const Request& its) {
            if (its.from != nullptr) visit(*its.from, its.empty_answer());
        };
        for (const Requests* requests : {&passed_over_, &short_, &long_})
            requests->for_each(tell);
    }

  private:
    struct Request {
        bool is_answered_by(const portals::Header& answer) const noexcept {
            return from != nullptr && md == answer.md && length == answer.length &&
                   md_generation == answer.md_generation && type == answer.type &&
                   remote_offset == answer.remote_offset && return_offset == answer.return_offset &&
                   match_bits == answer.match_bits && initiator == answer.target.pid &&
                   target.pid == answer.initiator.pid;
        }
        portals::Header empty_answer() const noexcept {
            return {.type = type,
                    .target = {from->id().nid, initiator},
                    .initiator = target,
                    .portal = portal,
                    .match_bits = match_bits,
                    .remote_offset = remote_offset,
                    .return_offset = return_offset,
                    .md = md,
                    .md_generation = md_generation,
                    .length = length};
        }

        portals::Interface* from = nullptr;  ///< nullptr: nobody waits for it any more
        portals::MessageType type{};         ///< of the answer
        portals::ProcessId target{};
        portals::Pid initiator = 0;
        portals::Index portal = 0;
        portals::Bits match_bits = 0;
        portals::Size remote_offset = 0;
        portals::Size return_offset = 0;
        portals::Handle md = portals::kNone;
        std::uint32_t md_generation = 0;
        portals::Size length = 0;
    };

    using Requests = runtime::Fifo<Request>;

    static Request& next(Requests& requests) {
        if (requests.size() == kMost) [[unlikely]]
            requests.pop();
        return requests.next();
    }
    /// size(): there is none.
    static std::size_t find(const Requests& requests, const portals::Header& answer) noexcept {
        std::size_t at = 0;
        while (at < requests.size() && !requests[at].is_answered_by(answer))
            ++at;
        return at;
    }

    Requests short_;  ///< in one frame
    Requests long_;
    Requests passed_over_;
};

}  // namespace isoplane::nal
