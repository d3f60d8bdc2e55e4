// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <isoplane/wire/ethernet.hh>
#include <map>
#include <optional>
#include <string>

#include "capture/any_frame.hh"
#include "capture/pcapng.hh"
#include "replay/progress_bar.hh"

namespace isoplane::replay {

/// What a capture tells of the nodes of the first job that is in it.
struct Survey {
    struct Node {
        std::uint32_t epoch = 0;   ///< the first in which it is seen
        std::string name{};        ///< as its hello says; token managers have none
        std::uint32_t credit = 0;  ///< that it grants at first
        std::uint16_t mtu = 0;
        wire::MacAddress mac{};
        bool hello = false;
    };
    /// Where a node's frames pass: which way those go that it receives.
    struct Port {
        std::uint32_t interface = 0;
        capture::Direction inward = capture::Direction::kUnknown;
    };

    std::uint64_t frames = 0;  ///< in all of it
    std::uint32_t job_key = 0;
    std::map<std::uint16_t, Node> nodes{};  ///< that have sent something

    /// Reads all of it, which `bar` shows. Throws std::runtime_error with a sentence when it cannot be read
    /// or there is nothing of isoplane in it.
    Survey(const std::string& file, ProgressBar& bar);

    /// Nothing where the capture does not say which way frames went.
    std::optional<Port> port_of(std::uint16_t node) const;

  private:
    /// One way through an interface.
    struct Passage {
        std::map<std::uint16_t, std::uint64_t> sources{};  ///< frames of each
        std::map<std::uint16_t, capture::Time> first{};    ///< when the first of each passed
    };

    void see(const capture::Frame& frame, const capture::AnyFrame& any);

    std::map<std::pair<std::uint32_t, capture::Direction>, Passage> passages_{};
};

}  // namespace isoplane::replay
