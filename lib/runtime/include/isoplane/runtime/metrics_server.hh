// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <isoplane/runtime/views.hh>
#include <thread>

namespace isoplane::runtime {

/// Answers GET /metrics on 127.0.0.1 with all views in Prometheus' text format, from a thread of its own.
class MetricsServer {
  public:
    /// Port 0 takes any free one. Throws std::runtime_error with a sentence when the port cannot be had.
    MetricsServer(const Views& views, std::uint16_t port);
    ~MetricsServer();
    MetricsServer(const MetricsServer&) = delete;
    MetricsServer& operator=(const MetricsServer&) = delete;

    std::uint16_t port() const noexcept { return port_; }

  private:
    void serve();
    void answer(int client) const;

    const Views& views_;
    int listener_ = -1;
    int wake_ = -1;  ///< an eventfd: written once, to end the thread
    std::uint16_t port_ = 0;
    std::thread thread_;
};

}  // namespace isoplane::runtime
