// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "device.hh"

#include <rte_alarm.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_log.h>

#include <atomic>
#include <future>
#include <isoplane/runtime/handover.hh>
#include <stdexcept>
#include <utility>

namespace isoplane::link {

std::string Device::unused_name(const std::string& driver) {
    static std::atomic<unsigned> used{0};
    return driver + std::to_string(used.fetch_add(1));
}

Device Device::plug(const LinkSpec& spec, const std::string& driver, const std::string& arguments,
                    std::shared_ptr<void> rests_on) {
    const std::string vdev = unused_name(driver);
    const int error = rte_eal_hotplug_add("vdev", vdev.c_str(), arguments.c_str());
    std::uint16_t port = 0;
    if (error != 0 || rte_eth_dev_get_port_by_name(vdev.c_str(), &port) != 0) {
        throw std::runtime_error(
            "the link '" + spec.text + "' did not come up: the DPDK driver " + driver + " refused '" +
            arguments + "' (" + rte_strerror(error != 0 ? -error : ENODEV) +
            "); `isoplane doctor` says what the kind needs, --log-level debug what the " + "driver found");
    }
    return {port, vdev, std::move(rests_on)};
}

Device::Device(Device&& other) noexcept
    : port_(std::exchange(other.port_, RTE_MAX_ETHPORTS)),
      vdev_(std::move(other.vdev_)),
      elsewhere_(other.elsewhere_),
      rests_on_(std::move(other.rests_on_)) {}

Device::~Device() {
    if (port_ >= RTE_MAX_ETHPORTS) return;
    if (elsewhere_)
        on_interrupt_thread([this] { rte_eth_dev_close(port_); });
    else
        rte_eth_dev_close(port_);
    if (!vdev_.empty()) rte_eal_hotplug_remove("vdev", vdev_.c_str());
}

void on_interrupt_thread(const std::function<void()>& what) {
    thread_local bool is_there = false;
    if (is_there) return what();
    using Task = std::packaged_task<void()>;
    const auto task = std::make_shared<Task>(what);
    auto shared =
        std::make_unique<std::shared_ptr<Task>>(task);  // the alarm's, which may outlast our waiting
    const auto run = [](void* argument) {
        runtime::take_over(argument);
        const std::unique_ptr<std::shared_ptr<Task>> mine(static_cast<std::shared_ptr<Task>*>(argument));
        is_there = true;
        (**mine)();
        is_there = false;
    };
    runtime::hand_over(shared.get());
    // Alarms are the one way in. Should there be none to be had, the present thread has to do.
    if (rte_eal_alarm_set(1, run, shared.get()) == 0)
        static_cast<void>(shared.release());
    else
        (*task)();
    task->get_future().get();
}

QuietDriver::QuietDriver(const std::vector<std::string>& logs) {
    for (const std::string& name : logs) {
        const auto log =
            static_cast<std::uint32_t>(rte_log_register(name.c_str()));  // finds the one there is
        const auto level = static_cast<std::uint32_t>(rte_log_get_level(log));
        if (level == RTE_LOG_DEBUG) continue;  // then somebody wants to know
        before_.emplace_back(log, level);
        rte_log_set_level(log, RTE_LOG_CRIT);
    }
}

QuietDriver::~QuietDriver() {
    for (const auto& [log, level] : before_)
        rte_log_set_level(log, level);
}

}  // namespace isoplane::link
