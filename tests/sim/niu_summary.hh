// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/niu/counters.hh>

#include "summary.hh"

namespace isoplane::test {

inline void add_niu(Summary& summary, const niu::Counters& niu) {
    summary.frames += niu.frames_sent.get();
    summary.resent += niu.resent_overtaken.get() + niu.resent_timeout.get();
    summary.given_up += niu.peers_lost.get();
}

}  // namespace isoplane::test
