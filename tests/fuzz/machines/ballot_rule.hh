// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <cstdlib>
#include <isoplane/wire/view.hh>

namespace isoplane::fuzz {

/// What a member says of ballots: it never accepts one below what it has promised, its promise tells what it
/// has accepted, and it does not go back to an earlier view.
class BallotRule {
  public:
    void check(const wire::ViewMessage& message) {
        require(message.view >= view_);
        if (message.view != view_) *this = BallotRule(message.view);
        if (message.step == wire::ViewStep::kPromise) {
            require(message.ballot >= promised_ && message.accepted >= accepted_);
            promised_ = message.ballot;
        }
        if (message.step == wire::ViewStep::kPrepare) {
            require(message.ballot >= promised_);
            promised_ = message.ballot;
        }
        if (message.step == wire::ViewStep::kAccepted) {
            require(message.ballot >= promised_);
            promised_ = accepted_ = message.ballot;
        }
    }

    BallotRule() = default;

  private:
    explicit BallotRule(std::uint32_t view) : view_(view) {}
    static void require(bool held) {
        if (!held) std::abort();
    }

    std::uint32_t view_ = 0;
    std::uint32_t promised_ = 0;
    std::uint32_t accepted_ = 0;
};

}  // namespace isoplane::fuzz
