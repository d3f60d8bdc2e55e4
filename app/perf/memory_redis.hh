// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <sys/types.h>

#include <optional>

#include "kernel.hh"
#include "memory_updates.hh"

namespace isoplane::perf {

/// A redis-server of our own on loopback, that keeps nothing on disk.
class Redis {
  public:
    /// `cpu`: the only one that it uses, if given.
    explicit Redis(std::optional<unsigned> cpu);
    ~Redis();
    Redis(const Redis&) = delete;
    Redis& operator=(const Redis&) = delete;

    bool runs() const noexcept { return why_not_.empty(); }
    /// What to tell of it: that it is there, or why it is not.
    std::string name() const;
    /// A connection, non-blocking.
    Descriptor connect() const;

  private:
    void start(std::optional<unsigned> cpu);
    void await();

    std::string directory_;
    std::uint16_t port_ = 0;
    pid_t server_ = -1;
    std::string why_not_;
};

/// "redis": each update is a transaction that adds to its variables, all workers' over one connection,
/// several with one system call.
std::unique_ptr<Updater> make_redis_updater(Workers& workers, const Redis& redis);

}  // namespace isoplane::perf
