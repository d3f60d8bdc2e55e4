// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/auth/key.hh>
#include <optional>

namespace isoplane::perf {

/// How frames of the NIU travel.
struct FrameForm {
    bool udp = false;
    bool trust_fcs = false;          ///< without a checksum over the payload
    std::optional<auth::Key> key{};  ///< by which they are authenticated, if they are
};

}  // namespace isoplane::perf
