// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <vector>

#include <isoplane/niu/sequence.hh>

namespace isoplane::niu {

/// The frames to a peer that went ahead of large messages which waited. Tickets are numbered as if there were
/// none: so what a message will end with is known when it is taken, whatever goes ahead of it later.
class Ahead {
  public:
    /// What tickets call the frame.
    Sequence number(Sequence frame) const noexcept {
        if (frames_.empty()) [[likely]]
            return frame - passed_;
        const auto earlier =
            std::ranges::count_if(frames_, [frame](Sequence ahead) { return before(ahead, frame); });
        return frame - passed_ - static_cast<Sequence>(earlier);
    }

    /// It goes ahead.
    void add(Sequence frame) { frames_.push_back(frame); }
    /// Nobody asks for frames before `first` any more. To be said before those that went ahead of them are
    /// half of all numbers behind.
    void pass(Sequence first) noexcept {
        if (frames_.empty()) [[likely]]
            return;
        passed_ += static_cast<Sequence>(
            std::erase_if(frames_, [first](Sequence ahead) { return before(ahead, first); }));
    }
    /// It was opened, and nothing came into it.
    void take_back(Sequence frame) noexcept { std::erase(frames_, frame); }

  private:
    Sequence passed_ = 0;  ///< as many are no longer in the list
    std::vector<Sequence> frames_;
};

}  // namespace isoplane::niu
