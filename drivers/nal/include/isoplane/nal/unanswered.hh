// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <isoplane/portals/interface.hh>
#include <isoplane/runtime/fifo.hh>
#include <vector>

namespace isoplane::nal {

/// Which gets, and get-puts, another node has not answered yet: when it dies, they have an end. Some it never
/// answers, as it drops them. Of gets that is seen as soon as one behind them is answered; of what is left,
/// the most recent is known.
class Unanswered {
  public:
    static constexpr std::size_t kMost = 4096;

    static bool is_answered_by_data(const portals::Header& request) noexcept {
        return request.type == portals::MessageType::kGet || request.type == portals::MessageType::kGetPut;
    }

    /// A request that is_answered_by_data() has left.
    void add(portals::Interface& from, const portals::Header& request) {
        const bool is_get = request.type == portals::MessageType::kGet;
        if (!is_get && swaps_.size() == kMost) [[unlikely]]
            swaps_.erase(swaps_.begin());
        if (is_get && gets_.size() == kMost) [[unlikely]]
            gets_.pop();
        Request& its = is_get ? gets_.next() : swaps_.emplace_back();
        its.from = &from;
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

    /// A reply begins.
    void answered(const portals::Header& reply) noexcept {
        for (std::size_t behind = 0; behind < gets_.size(); ++behind) {
            if (!gets_[behind].is_answered_by(reply)) continue;
            for (std::size_t gone = 0; gone <= behind; ++gone)
                gets_.pop();
            return;
        }
        const auto found = std::find_if(swaps_.begin(), swaps_.end(),
                                        [&reply](const Request& its) { return its.is_answered_by(reply); });
        if (found == swaps_.end()) return;
        *found = swaps_.back();
        swaps_.pop_back();
    }

    /// The interface is gone.
    void forget(const portals::Interface& interface) noexcept {
        const auto disown = [&interface](Request& its) {
            if (its.from == &interface) its.from = nullptr;
        };
        gets_.for_each(disown);
        std::for_each(swaps_.begin(), swaps_.end(), disown);
    }

    /// None of them will be answered any more: visit(interface, reply that there is instead, without data).
    template <typename Visit>
    void for_each(Visit&& visit) const {
        const auto tell = [&visit](const Request& its) {
            if (its.from != nullptr) visit(*its.from, its.empty_reply());
        };
        gets_.for_each(tell);
        std::for_each(swaps_.begin(), swaps_.end(), tell);
    }

  private:
    struct Request {
        bool is_answered_by(const portals::Header& reply) const noexcept {
            return md == reply.md && md_generation == reply.md_generation &&
                   return_offset == reply.return_offset && initiator == reply.target.pid &&
                   target.pid == reply.initiator.pid;
        }
        portals::Header empty_reply() const noexcept {
            return {.type = portals::MessageType::kReply,
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

        portals::Interface* from = nullptr;  ///< nullptr: it is gone
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

    runtime::Fifo<Request> gets_;  ///< whose answers begin in this order
    std::vector<Request> swaps_;
};

}  // namespace isoplane::nal
