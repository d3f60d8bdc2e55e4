// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdlib>
#include <isoplane/wire/frame.hh>
#include <isoplane/wire/token.hh>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "strangers.hh"

namespace isoplane::fuzz {

/// Tokens that a neighbour has said in one of its lives, and in one view.
class SaidTokens {
  public:
    void add(const wire::Token& token) {
        parts_[{token.number, token.last_part}].insert(token.part);
        for (unsigned i = 1; i <= token.further; ++i)
            parts_[{token.number + i, 0}].insert(0);
    }
    /// All behind `base` up to that one, with all their parts.
    bool reach(std::uint64_t base, std::uint64_t number) {
        to_ = std::max(to_, base);
        while (to_ < number && is_whole(to_ + 1))
            ++to_;
        return to_ >= number;
    }

  private:
    bool is_whole(std::uint64_t number) const {
        for (auto at = parts_.lower_bound({number, 0}); at != parts_.end() && at->first.first == number; ++at)
            if (at->second.size() == at->first.second + 1U) return true;
        return false;
    }

    /// By number and last part.
    std::map<std::pair<std::uint64_t, std::uint16_t>, std::set<std::uint16_t>> parts_;
    std::uint64_t to_ = 0;
};

/// What a token manager may say, by what its neighbours have said, as anybody can tell who hears all of it:
/// - token n + h only when each neighbour has said token n, and no token before the one before it;
/// - in token n + h to one neighbour only entries of token n of another, of a host its own;
/// - a token in more parts than its sender can have entries is one with none;
/// - the same when it says it again.
class TokenRule {
  public:
    /// How things stand at the token manager.
    struct Standing {
        std::uint32_t ahead = 1;
        std::uint32_t epoch = 0;
        std::uint32_t view = 0;
        std::uint64_t base = 0;
        std::vector<NodeId> neighbours{};  ///< that take part
    };

    /// It was told this.
    void hear(const wire::Header& header, const wire::TokenView& view) {
        wire::Token token = view.token();
        const bool is_host = header.source < kHosts;
        const bool is_possible =
            token.last_part == 0 || token.last_part < (is_host ? kHosts : kHosts * kHosts);
        if (!is_possible) token.part = token.last_part = 0;
        said_[{header.source, header.epoch, token.view}].add(token);
        if (!is_possible) return;
        wire::TokenEntry last;
        for (std::size_t i = 0; i < view.size(); ++i) {
            const wire::TokenEntry entry = view.entry(i);
            if (entry != last && (!is_host || entry.source == header.source))
                entries_.insert(key(header.source, token.view, token.number, entry));
            last = entry;
        }
    }

    /// It says this. What it has said before it went on to another view or epoch may come late.
    void check(const wire::Header& header, std::span<const std::byte> payload, const Standing& now) {
        const wire::TokenView view = *wire::TokenView::parse(payload, kMostNodes);
        const wire::Token token = view.token();
        if (header.epoch != now.epoch || token.view != static_cast<std::uint16_t>(now.view)) return;
        if (std::exchange(present_, {now.epoch, now.view}) != std::pair(now.epoch, now.view)) forget();
        const NodeId to = header.destination;
        const std::uint64_t last = token.number + token.further;
        std::uint64_t& said_to = told_.try_emplace(to, now.base).first->second;
        require(token.number <= said_to + 1);
        said_to = std::max(said_to, last);
        for (const NodeId node : now.neighbours)
            require(last <= now.base + now.ahead || has_said(node, now, last - now.ahead));
        const std::span<const std::byte> entries = payload.subspan(wire::kTokenSize);
        const std::string_view bytes(reinterpret_cast<const char*>(entries.data()), entries.size());
        const std::pair content(token.last_part, std::hash<std::string_view>()(bytes));
        require(contents_.try_emplace({to, token.number, token.part}, content).first->second == content);
        check_entries(to, view, now);
    }

  private:
    static void require(bool held) {
        if (!held) std::abort();
    }
    using EntryKey =
        std::tuple<NodeId, std::uint16_t, std::uint64_t, std::uint16_t, std::uint16_t, std::uint32_t>;
    static EntryKey key(NodeId from, std::uint16_t view, std::uint64_t number,
                        const wire::TokenEntry& entry) {
        return {from, view, number, entry.source, entry.destination, entry.value};
    }

    void forget() {
        told_.clear();
        contents_.clear();
    }
    /// In whichever of its lives.
    bool has_said(NodeId node, const Standing& now, std::uint64_t number) {
        for (auto& [whose, said] : said_)
            if (std::get<0>(whose) == node && std::get<2>(whose) == static_cast<std::uint16_t>(now.view) &&
                said.reach(now.base, number))
                return true;
        return false;
    }
    void check_entries(NodeId to, const wire::TokenView& view, const Standing& now) const {
        const std::uint64_t number = view.token().number;
        wire::TokenEntry last;
        for (std::size_t i = 0; i < view.size(); ++i) {
            const wire::TokenEntry entry = view.entry(i);
            if (entry == last) continue;
            last = entry;
            bool came = false;
            for (const NodeId node : now.neighbours)
                came |= node != to && entries_.contains(key(node, view.view(), number - now.ahead, entry));
            require(came);
        }
    }

    std::map<std::tuple<NodeId, std::uint32_t, std::uint16_t>, SaidTokens>
        said_;                                           ///< who, in which life, view
    std::set<EntryKey> entries_;                         ///< that it was told
    std::pair<std::uint32_t, std::uint32_t> present_{};  ///< its epoch and view
    std::map<NodeId, std::uint64_t> told_;               ///< up to which token
    std::map<std::tuple<NodeId, std::uint64_t, std::uint16_t>, std::pair<std::uint16_t, std::size_t>>
        contents_;
};

}  // namespace isoplane::fuzz
