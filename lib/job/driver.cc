// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "driver.hh"

#include <isoplane/isotach/remote_endpoint.hh>
#include <isoplane/noniso/direct_endpoint.hh>
#include <isoplane/noniso/remote_endpoint.hh>
#include <isoplane/runtime/lcore.hh>

namespace isoplane::job {

namespace {

void drain(noniso::Endpoint& endpoint) {
    for (niu::Received message; endpoint.receive(message);)
        endpoint.release(message);
}

/// The program itself.
class InlineDriver final : public Driver {
  public:
    explicit InlineDriver(Network& network)
        : network_(network),
          endpoint_(network.niu, network.barrier),
          answers_(network.niu, network.barrier, wire::Protocol::kShmem) {
        network_.dispatcher.attach(wire::Protocol::kNoniso, &endpoint_);
        if (network_.time) network_.dispatcher.attach(wire::Protocol::kShmem, &answers_);
    }
    ~InlineDriver() override {
        drain(endpoint_);
        drain(answers_);
        if (network_.time) network_.time->isotach().discard();
        network_.niu.discard();
    }

    bool poll() override {
        const runtime::Time now = clock_.now();
        unsigned moved = network_.niu.poll(now);
        moved += network_.dispatcher.dispatch();
        if (network_.time) moved += network_.time->poll(now);
        return network_.barrier.poll() || moved != 0;
    }
    void call(const std::function<void()>& what) override { what(); }
    noniso::Endpoint& endpoint() override { return endpoint_; }
    isotach::Endpoint* isotach() override { return network_.time ? &network_.time->isotach() : nullptr; }
    noniso::Endpoint* answers() override { return network_.time ? &answers_ : nullptr; }
    void filter(isotach::Filter*) override {}
    bool settled() override { return !network_.time || network_.time->isotach().settled(); }

  private:
    Network& network_;
    noniso::DirectEndpoint endpoint_;
    noniso::DirectEndpoint answers_;
    runtime::TscClock clock_;
};

/// An lcore, so that messages move while the program computes.
class LcoreDriver final : public Driver {
  public:
    LcoreDriver(Network& network, runtime::Pool& pool)
        : network_(network),
          link_(network.niu.options().nodes.size()),
          stage_("endpoint", link_, network.niu, network.dispatcher, network.barrier),
          endpoint_(link_, pool),
          lcore_(1, runtime::IdlePolicy::kYield) {
        network_.dispatcher.attach(wire::Protocol::kNoniso, &stage_);
        lcore_.pipeline().add(network_.niu);
        lcore_.pipeline().add(stage_);
        if (network_.time) {
            time_ = std::make_unique<InTime>(network, pool);
            lcore_.pipeline().add(time_->stage);
            network_.dispatcher.attach(wire::Protocol::kShmem, &time_->answers);
        }
        lcore_.start();
    }
    ~LcoreDriver() override {
        lcore_.stop();
        if (time_) time_->stage.discard();
        if (time_) drain(time_->answers);
        if (network_.time) network_.time->isotach().discard();
        stage_.discard();
        network_.niu.discard();
    }

    bool poll() override { return endpoint_.waiting() || (time_ && time_->endpoint.waiting()); }
    void call(const std::function<void()>& what) override { lcore_.call(what); }
    noniso::Endpoint& endpoint() override { return endpoint_; }
    isotach::Endpoint* isotach() override { return time_ ? &time_->endpoint : nullptr; }
    noniso::Endpoint* answers() override { return time_ ? &time_->answers : nullptr; }
    void filter(isotach::Filter* filter) override { time_->stage.filter(filter); }
    bool settled() override {
        bool settled = true;
        if (time_) lcore_.call([&] { settled = time_->stage.settled(); });
        return settled;
    }

  private:
    /// Both ends of what joins the program to logical time.
    struct InTime {
        InTime(Network& network, runtime::Pool& pool)
            : link(network.time->isotach(), pool),
              stage("isotach", link, network.time->isotach()),
              endpoint(link, network.time->isotach().needs(), pool),
              answers(network.niu, network.barrier, wire::Protocol::kShmem) {}

        isotach::EndpointLink link;
        isotach::EndpointStage stage;
        isotach::RemoteEndpoint endpoint;
        noniso::DirectEndpoint answers;  ///< the lcore's
    };

    Network& network_;
    noniso::EndpointLink link_;
    noniso::EndpointStage stage_;
    noniso::RemoteEndpoint endpoint_;
    std::unique_ptr<InTime> time_;
    runtime::Lcore lcore_;
};

}  // namespace

std::unique_ptr<Driver> make_driver(Progress progress, Network& network, runtime::Pool& pool) {
    if (progress == Progress::kInline) return std::make_unique<InlineDriver>(network);
    return std::make_unique<LcoreDriver>(network, pool);
}

}  // namespace isoplane::job
