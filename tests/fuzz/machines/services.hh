// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <deque>
#include <isoplane/niu/dispatcher.hh>
#include <isoplane/noniso/barrier.hh>
#include <isoplane/noniso/direct_endpoint.hh>

#include "active_user.hh"
#include "channel_user.hh"
#include "portals_user.hh"
#include "strangers.hh"

namespace isoplane::fuzz {

/// How a host is set up.
struct Setting {
    std::size_t planes = 1;
    bool chains = false;  ///< its link sends packets of several segments
    wire::Transport transport = wire::Transport::kEthernet;
};

/// A host with all that programs use outside logical time: two processes of Portals on one or two planes, and
/// on the first of these active messages and channels.
class Services {
  public:
    explicit Services(const Setting& setting) {
        std::vector<nal::OverNiu::Plane> planes;
        for (std::size_t i = 0; i < setting.planes; ++i) {
            Plane& plane = planes_.emplace_back(setting);
            planes.push_back({&plane.niu, &plane.dispatcher});
        }
        nal_.emplace("nal", planes, hands_,
                     nal::OverNiuOptions{
                         .followed = 4000, .slice = 3000, .ahead = 2, .absent = 20ms, .returning = 5ms});
        nal_->add(registered());
        Plane& first = planes_.front();
        first.dispatcher.attach(wire::Protocol::kControl, &first.barrier);
        calls_.emplace(first.niu, first.barrier, wire::Protocol::kActive);
        first.dispatcher.attach(wire::Protocol::kActive, &*calls_);
        active_.emplace(*calls_);
        queues_.emplace(first.niu, first.barrier, wire::Protocol::kChannel);
        first.dispatcher.attach(wire::Protocol::kChannel, &*queues_);
        channels_.emplace(*queues_);
        for (unsigned i = 0; i < kProcesses; ++i)
            processes_.emplace_back(i, *nal_);
    }
    ~Services() {
        processes_.clear();
        channels_.reset();
        active_.reset();
        for (noniso::DirectEndpoint* endpoint : {&*calls_, &*queues_})
            for (niu::Received message; endpoint->receive(message);)
                endpoint->release(message);
        nal_.reset();
        for (Plane& plane : planes_)
            plane.niu.discard();
    }

    void pass(runtime::Duration time) {
        now_ += time;
        nal_->poll(now_);
        for (Plane& plane : planes_) {
            plane.niu.poll(now_);
            plane.dispatcher.dispatch();
            plane.barrier.poll();
        }
        active_->poll(now_);
        channels_->poll();
    }

    /// As programs would, whatever comes of it.
    void act(Bytes& in) {
        const auto who = in.take<std::uint8_t>();
        if (who < 112) {
            processes_[who % kProcesses].act(in);
        } else if (who < 144) {
            processes_[who % kProcesses].listen();
        } else if (who < 192) {
            active_->act(in);
        } else if (who < 240) {
            channels_->act(in);
        } else {
            niu::Niu& niu = planes_[who % planes_.size()].niu;
            const auto peer = static_cast<NodeId>(1 + in.take<std::uint8_t>() % 2);
            if (who < 252) niu.give_up(peer);
            if (who == 252) niu.close();
            if (who == 253) niu.leave();
        }
    }

    std::size_t planes() const { return planes_.size(); }
    Source& source(std::size_t plane) { return planes_[plane].source; }
    Sink& sink(std::size_t plane) { return planes_[plane].sink; }
    const nal::OverNiu& nal() const { return *nal_; }

    static constexpr unsigned kProcesses = 2;

  private:
    struct Plane {
        explicit Plane(const Setting& setting)
            : sink(setting.transport),
              niu("niu", source, sink, pool(), options(setting)),
              dispatcher(niu),
              barrier(niu) {}
        static niu::Options options(const Setting& setting) {
            niu::Options options = niu_options(false, setting.transport);
            options.chains = setting.chains;
            options.silence = 20ms;
            return options;
        }

        Source source;
        Sink sink;
        niu::Niu niu;
        niu::Dispatcher dispatcher;
        noniso::Barrier barrier;
    };
    /// Who polls is here.
    class Hands final : public nal::Mover {
      public:
        bool poll() override { return false; }
        bool moves_alone() const noexcept override { return false; }
        void call(const std::function<void()>& what) override { what(); }
        bool enter() noexcept override { return true; }
        void leave() noexcept override {}
    };

    runtime::Time now_{1s};
    std::deque<Plane> planes_;
    Hands hands_;
    std::optional<nal::OverNiu> nal_;
    std::optional<noniso::DirectEndpoint> calls_;
    std::optional<noniso::DirectEndpoint> queues_;
    std::optional<ActiveUser> active_;
    std::optional<ChannelUser> channels_;
    std::deque<PortalsUser> processes_;
};

}  // namespace isoplane::fuzz
