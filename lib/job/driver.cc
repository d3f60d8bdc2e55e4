// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "driver.hh"

#include <algorithm>
#include <isoplane/isotach/remote_endpoint.hh>
#include <isoplane/noniso/remote_endpoint.hh>
#include <isoplane/runtime/lcore.hh>
#include <map>

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
        : network_(network), answers_(network.niu, network.barrier, wire::Protocol::kShmem) {
        if (network_.time) network_.dispatcher.attach(wire::Protocol::kShmem, &answers_);
    }
    ~InlineDriver() override {
        for (auto& [protocol, endpoint] : endpoints_)
            drain(endpoint);
        drain(answers_);
        if (network_.time) network_.time->isotach().discard();
        network_.niu.discard();
    }

    void start() override {}
    bool poll() override {
        const runtime::Time now = clock_.now();
        unsigned moved = network_.portals ? network_.portals->poll(now) : 0;
        moved += network_.niu.poll(now);
        moved += network_.dispatcher.dispatch();
        for (const auto& plane : network_.planes)
            moved += plane->poll(now);
        if (network_.time) {
            if (filter_ == nullptr || !filter_->hurries()) moved += network_.time->isotach().poll(now);
            network_.time->poll_membership(now);
        }
        return network_.barrier.poll() || moved != 0;
    }
    void call(const std::function<void()>& what) override { what(); }
    noniso::Endpoint& endpoint(wire::Protocol protocol) override {
        const auto [at, is_new] = endpoints_.try_emplace(protocol, network_.niu, network_.barrier, protocol);
        if (is_new) network_.dispatcher.attach(protocol, &at->second);
        return at->second;
    }
    isotach::Endpoint* isotach() override { return network_.time ? &network_.time->isotach() : nullptr; }
    noniso::DirectEndpoint* answers() override { return network_.time ? &answers_ : nullptr; }
    void filter(isotach::Filter* filter) override {
        filter_ = filter;
        niu::Receiver* const receiver = filter != nullptr ? filter : static_cast<niu::Receiver*>(&answers_);
        network_.dispatcher.attach(wire::Protocol::kShmem, receiver);
    }
    bool settled() override { return !network_.time || network_.time->isotach().settled(); }

  private:
    Network& network_;
    std::map<wire::Protocol, noniso::DirectEndpoint> endpoints_;
    noniso::DirectEndpoint answers_;
    isotach::Filter* filter_ = nullptr;
    runtime::TscClock clock_;
};

/// An lcore, so that messages move while the program computes.
class LcoreDriver final : public Driver {
  public:
    LcoreDriver(Network& network, runtime::Pool& pool)
        : network_(network), pool_(pool), lcore_(kWorker, runtime::IdlePolicy::kYield) {
        if (network_.portals) lcore_.pipeline().add(*network_.portals);
        lcore_.pipeline().add(network_.niu);
        for (const auto& plane : network_.planes)
            lcore_.pipeline().add(*plane);
        // First, as its stage hands out what has come, that of logical time too.
        LcoreDriver::endpoint(wire::Protocol::kNoniso);
        if (!network_.time) return;
        time_ = std::make_unique<InTime>(network, pool);
        lcore_.pipeline().add(time_->stage);
        lcore_.pipeline().add(time_->membership);
        network_.dispatcher.attach(wire::Protocol::kShmem, &time_->answers);
    }
    ~LcoreDriver() override {
        lcore_.stop();
        if (time_) time_->stage.discard();
        if (time_) drain(time_->answers);
        if (network_.time) network_.time->isotach().discard();
        for (auto& [protocol, messages] : messages_)
            messages.stage.discard();
        network_.niu.discard();
    }

    void start() override {
        started_ = true;
        lcore_.start();
    }
    bool poll() override {
        return (time_ && time_->endpoint.waiting()) ||
               std::any_of(messages_.begin(), messages_.end(),
                           [](const auto& messages) { return messages.second.endpoint.waiting(); });
    }
    void call(const std::function<void()>& what) override { lcore_.call(what); }
    noniso::Endpoint& endpoint(wire::Protocol protocol) override {
        if (const auto at = messages_.find(protocol); at != messages_.end()) return at->second.endpoint;
        Messages& messages = messages_.try_emplace(protocol, network_, pool_, protocol).first->second;
        lcore_.stop();
        lcore_.pipeline().add(messages.stage);
        network_.dispatcher.attach(protocol, &messages.stage);
        if (started_) lcore_.start();
        return messages.endpoint;
    }
    isotach::Endpoint* isotach() override { return time_ ? &time_->endpoint : nullptr; }
    noniso::DirectEndpoint* answers() override { return time_ ? &time_->answers : nullptr; }
    void filter(isotach::Filter* filter) override { time_->stage.filter(filter); }
    bool settled() override {
        bool settled = true;
        lcore_.call([&] {
            settled = (!time_ || time_->stage.settled()) &&
                      std::all_of(messages_.begin(), messages_.end(),
                                  [](const auto& messages) { return messages.second.all_sent(); });
        });
        return settled;
    }

  private:
    /// Both ends of what joins the program to the messages of a protocol.
    struct Messages {
        Messages(Network& network, runtime::Pool& pool, wire::Protocol protocol)
            : name("endpoint" + std::to_string(static_cast<unsigned>(protocol))),
              link(network.niu.options().nodes.size(), name),
              stage(name, link, network.niu, network.dispatcher, network.barrier, protocol),
              endpoint(link, pool) {}

        bool all_sent() const { return link.outgoing.empty() && stage.held() == 0; }

        std::string name;
        noniso::EndpointLink link;
        noniso::EndpointStage stage;
        noniso::RemoteEndpoint endpoint;
    };
    class MembershipStage final : public runtime::Stage {
      public:
        explicit MembershipStage(LogicalTime& time) : Stage("membership"), time_(time) {}
        unsigned poll(runtime::Time now) override {
            time_.poll_membership(now);
            return 0;
        }

      private:
        LogicalTime& time_;
    };
    /// Both ends of what joins the program to logical time.
    struct InTime {
        InTime(Network& network, runtime::Pool& pool)
            : link(network.time->isotach(), pool),
              stage("isotach", link, network.time->isotach()),
              membership(*network.time),
              endpoint(link, network.time->isotach().needs(), pool),
              answers(network.niu, network.barrier, wire::Protocol::kShmem) {}

        isotach::EndpointLink link;
        isotach::EndpointStage stage;
        MembershipStage membership;  ///< behind it
        isotach::RemoteEndpoint endpoint;
        noniso::DirectEndpoint answers;  ///< the lcore's
    };

    Network& network_;
    runtime::Pool& pool_;
    std::map<wire::Protocol, Messages> messages_;
    std::unique_ptr<InTime> time_;
    runtime::Lcore lcore_;
    bool started_ = false;
};

}  // namespace

std::unique_ptr<Driver> make_driver(Progress progress, Network& network, runtime::Pool& pool) {
    if (progress == Progress::kInline) return std::make_unique<InlineDriver>(network);
    return std::make_unique<LcoreDriver>(network, pool);
}

}  // namespace isoplane::job
