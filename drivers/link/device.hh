// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <functional>
#include <isoplane/link/spec.hh>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace isoplane::link {

/// The one owner of an ethdev port. Closes the port, takes its virtual device off the bus, and only then lets
/// go of what it rests on.
class Device {
  public:
    /// Plugs the virtual device of `driver` ("net_null") in with the arguments of its own language. Throws
    /// std::runtime_error with the spec and the reason when no port comes of it.
    static Device plug(const LinkSpec& spec, const std::string& driver, const std::string& arguments,
                       std::shared_ptr<void> rests_on = nullptr);
    /// From here on the port closes on the EAL's interrupt thread.
    void close_on_interrupt_thread() noexcept { elsewhere_ = true; }

    /// A port that exists already. `vdev` is empty when it stays on its bus (a NIC).
    Device(std::uint16_t port, std::string vdev, std::shared_ptr<void> rests_on = nullptr)
        : port_(port), vdev_(std::move(vdev)), rests_on_(std::move(rests_on)) {}
    ~Device();
    Device(Device&& other) noexcept;
    Device& operator=(Device&&) = delete;

    std::uint16_t port() const noexcept { return port_; }

    /// A name for a virtual device of `driver` that this process has not used yet.
    static std::string unused_name(const std::string& driver);

  private:
    std::uint16_t port_;
    std::string vdev_;
    bool elsewhere_ = false;
    std::shared_ptr<void> rests_on_;  ///< rings, locks
};

/// Runs `what` on the EAL's interrupt thread and waits for it, for drivers that change the same things there
/// without a lock.
void on_interrupt_thread(const std::function<void()>& what);

/// Keeps a driver from reporting as errors what is none, while it lives. Real failures come back as such.
class QuietDriver {
  public:
    /// `logs` are the names the driver logs by.
    explicit QuietDriver(const std::vector<std::string>& logs);
    ~QuietDriver();
    QuietDriver(const QuietDriver&) = delete;
    QuietDriver& operator=(const QuietDriver&) = delete;

  private:
    std::vector<std::pair<std::uint32_t, std::uint32_t>> before_;  ///< log and its level
};

}  // namespace isoplane::link
