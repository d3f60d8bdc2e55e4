// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <functional>
#include <isoplane/isotach/filter.hh>
#include <isoplane/job/settings.hh>
#include <isoplane/noniso/direct_endpoint.hh>
#include <isoplane/runtime/pool.hh>
#include <memory>

#include "network.hh"

namespace isoplane::job {

/// Who polls a program's NIU, and so the only one who may touch it.
class Driver {
  public:
    static constexpr unsigned kWorker = 1;  ///< the lcore, where there is one

    Driver() = default;
    virtual ~Driver() = default;
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;

    /// Nothing moves before.
    virtual void start() = 0;
    /// From the program, whenever it calls. Returns whether anything moved.
    virtual bool poll() = 0;
    /// Runs `what` where the NIU may be touched, and waits for it.
    virtual void call(const std::function<void()>& what) = 0;
    /// Made when it is first asked for.
    virtual noniso::Endpoint& endpoint(wire::Protocol protocol) = 0;
    /// nullptr for a program that is not in logical time.
    virtual isotach::Endpoint* isotach() = 0;
    /// For the answers of shared memory, where the NIU may be touched; nullptr for a program that is not in
    /// logical time.
    virtual noniso::DirectEndpoint* answers() = 0;
    /// What stands between logical time and the program from now on; nullptr for nothing. Called where the
    /// NIU may be touched.
    virtual void filter(isotach::Filter* filter) = 0;
    /// All that the program has sent is with the NIU; what it has issued in logical time has been executed
    /// here, and so has all that came.
    virtual bool settled() = 0;
};

std::unique_ptr<Driver> make_driver(Progress progress, Network& network, runtime::Pool& pool);

}  // namespace isoplane::job
