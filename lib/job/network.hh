// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/nal/over_niu.hh>
#include <isoplane/niu/dispatcher.hh>
#include <isoplane/noniso/barrier.hh>
#include <memory>

#include "logical_time.hh"

namespace isoplane::job {

/// The NIU of a program and what takes its messages.
struct Network {
    Network(runtime::Input& from, runtime::Output& to, runtime::Pool& pool, niu::Options options)
        : niu("niu", from, to, pool, std::move(options)), dispatcher(niu), barrier(niu) {
        dispatcher.attach(wire::Protocol::kControl, &barrier);
    }

    niu::Niu niu;
    niu::Dispatcher dispatcher;
    noniso::Barrier barrier;
    std::unique_ptr<LogicalTime> time;      ///< if the program wants it
    std::unique_ptr<nal::OverNiu> portals;  ///< the same
};

}  // namespace isoplane::job
