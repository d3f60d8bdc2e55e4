// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/job/job.hh>
#include <isoplane/niu/epoch.hh>
#include <stdexcept>

#include "driver.hh"
#include "roster.hh"

namespace isoplane::job {

namespace {

runtime::EalOptions eal_options(const Settings& settings) {
    // What the packets take, twice over for rings and the link's own.
    const unsigned room = runtime::Pool::room_for(settings.mtu);
    const unsigned megabytes =
        std::max(64U, static_cast<unsigned>(std::uint64_t{settings.packets} * room * 2 >> 20));
    return {.workers = settings.progress == Progress::kLcore ? 1U : 0U,
            .memory_mb = megabytes,
            .pci = link::pci_devices({link::LinkSpec::parse(settings.link)})};
}

niu::Options niu_options(const Settings& settings, const link::Link& link) {
    return {.node = settings.node(),
            .nodes = settings.hosts(),
            .job_key = settings.network.conf.job_key.value_or(0),
            .epoch = niu::epoch_now(),
            .mac = settings.network.mac(settings.node()),
            .mtu = static_cast<std::uint16_t>(std::min(settings.mtu, link.mtu())),
            .silence = settings.silence,
            .hello_limit = settings.hello_limit};
}

}  // namespace

Job::Job(Settings settings)
    : settings_(std::move(settings)),
      size_(settings_.hosts().size()),
      eal_(eal_options(settings_)),
      pool_("packets", settings_.packets, runtime::Pool::room_for(settings_.mtu)),
      link_(link::open_link(link::LinkSpec::parse(settings_.link), "link0",
                            {.pool = &pool_, .mtu = settings_.mtu})),
      network_(
          std::make_unique<Network>(link_->input(), link_->output(), pool_, niu_options(settings_, *link_))),
      roster_(std::make_unique<Roster>(network_->niu)),
      idler_(runtime::IdlePolicy::kYield) {
    link_->start();
    driver_ = make_driver(settings_.progress, *network_, pool_);
    endpoint_ = &driver_->endpoint();
}

/// What has come and was not received goes with the driver.
Job::~Job() {
    driver_.reset();
    link_->stop();
}

void Job::poll() {
    idler_.step(driver_->poll());
}

void Job::join() {
    for (;;) {
        bool all_up = false;
        std::string missing;
        driver_->call([&] {
            all_up = network_->niu.all_up();
            missing = network_->niu.missing();
            if (all_up) roster_->begin();
        });
        if (!missing.empty()) throw std::runtime_error(missing);
        if (all_up) break;
        poll();
    }
}

bool Job::try_close() {
    // A broken barrier holds nobody up: those who live leave without the lost.
    switch (closing_) {
        case Closing::kNo:
            if (endpoint_->barrier() == noniso::BarrierState::kRunning) return false;
            endpoint_->enter_barrier();
            closing_ = Closing::kAgreeing;
            return false;
        case Closing::kAgreeing:
            if (endpoint_->barrier() == noniso::BarrierState::kRunning) return false;
            driver_->call([this] { network_->niu.close(); });
            closing_ = Closing::kLeaving;
            return false;
        case Closing::kLeaving: {
            bool closed = false;
            driver_->call([&] { closed = network_->niu.closed(); });
            if (closed) closing_ = Closing::kDone;
            return closed;
        }
        case Closing::kDone:
            break;
    }
    return true;
}

std::string Job::trouble() {
    std::string sentence;
    driver_->call([&] {
        sentence = roster_->trouble();
        if (sentence.empty()) sentence = network_->niu.left_open();
    });
    return sentence;
}

std::string Job::news() {
    std::string sentence;
    driver_->call([&] { sentence = roster_->news(); });
    return sentence;
}

void Job::describe(nlohmann::json& out) {
    driver_->call([&] { network_->niu.describe(out); });
}

}  // namespace isoplane::job
