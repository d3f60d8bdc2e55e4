// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <optional>
#include <unordered_map>

#include <isoplane/shmem/address.hh>

namespace isoplane::shmem {

/// The SCHEDs of this host that it has neither assigned nor given away: one for a variable at most.
class Schedules {
  public:
    /// Whoever still knows a SCHED of an earlier life of this host has none of this one: they begin
    /// elsewhere.
    explicit Schedules(std::uint32_t life = 0) noexcept : last_(life * 0x9e3779b1) {}

    /// What was open at an address before.
    struct Undo {
        Address at = 0;
        std::optional<Scheduled> before{};
    };

    std::optional<Scheduled> at(Address at) const {
        const auto found = open_.find(at);
        return found == open_.end() ? std::nullopt : std::optional(found->second);
    }
    Scheduled open(Address at, std::uint16_t words, std::uint16_t host) {
        return open_[at] = {at, words, host, ++last_};
    }
    /// If it is one of these.
    void close(const Scheduled& scheduled) noexcept {
        const auto found = open_.find(scheduled.at);
        if (found != open_.end() && found->second == scheduled) open_.erase(found);
    }
    void undo(const Undo& undo) {
        if (undo.before) {
            open_[undo.at] = *undo.before;
        } else {
            open_.erase(undo.at);
        }
    }

  private:
    std::unordered_map<Address, Scheduled> open_;
    std::uint32_t last_;
};

}  // namespace isoplane::shmem
