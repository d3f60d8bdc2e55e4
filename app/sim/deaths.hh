// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <isoplane/runtime/time.hh>
#include <vector>

#include "sim/mortality.hh"

namespace isoplane::sim {

/// Who has died, and after how long the others went on without them.
class Deaths {
  public:
    void add(std::uint16_t node, std::uint32_t epoch, bool is_host, runtime::Time now) {
        unnoticed_.push_back({node, epoch, now});
        ++count_;
        if (!is_host) ++managers_;
    }
    /// Called whenever there may be another view.
    void look(const Views& views, runtime::Time now) {
        const wire::View* view = views.latest();
        if (view == nullptr || unnoticed_.empty() || view->number == seen_) return;
        seen_ = view->number;
        const auto is_noticed = [&](const Death& death) {
            return std::ranges::none_of(view->members, [&](const wire::Member& member) {
                return member.played_by == death.node && member.epoch == death.epoch;
            });
        };
        for (const Death& death : unnoticed_)
            if (is_noticed(death)) slowest_ = std::max(slowest_, now - death.at);
        std::erase_if(unnoticed_, is_noticed);
    }

    std::uint64_t count() const noexcept { return count_; }
    /// Of token managers on their own.
    std::uint64_t managers() const noexcept { return managers_; }
    std::size_t unnoticed() const noexcept { return unnoticed_.size(); }
    /// From a death to the first view without the dead.
    runtime::Duration slowest() const noexcept { return slowest_; }

  private:
    struct Death {
        std::uint16_t node = 0;
        std::uint32_t epoch = 0;
        runtime::Time at{};
    };

    std::vector<Death> unnoticed_;
    std::uint32_t seen_ = 0;
    std::uint64_t count_ = 0;
    std::uint64_t managers_ = 0;
    runtime::Duration slowest_{};
};

}  // namespace isoplane::sim
