// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/runtime/flat_map.hh>
#include <optional>

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

    bool has(Address at) const noexcept { return open_.contains(at); }
    std::optional<Scheduled> at(Address at) const {
        const Scheduled* found = open_.find(at);
        return found == nullptr ? std::nullopt : std::optional(*found);
    }
    Scheduled open(Address at, std::uint16_t words, std::uint16_t host) {
        return open_[at] = {at, words, host, ++last_};
    }
    /// If it is one of these.
    void close(const Scheduled& scheduled) noexcept {
        const Scheduled* found = open_.find(scheduled.at);
        if (found != nullptr && *found == scheduled) open_.erase(scheduled.at);
    }
    void undo(const Undo& undo) {
        if (undo.before) {
            open_[undo.at] = *undo.before;
        } else {
            open_.erase(undo.at);
        }
    }

  private:
    runtime::FlatMap<Address, Scheduled, AddressHash> open_;
    std::uint32_t last_;
};

}  // namespace isoplane::shmem
