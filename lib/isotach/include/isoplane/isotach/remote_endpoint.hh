// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// An endpoint whose NIU is polled by an lcore: the program at one end of a few rings, a stage at the other.
/// Messages are not copied on their way.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <isoplane/runtime/stage.hh>
#include <isoplane/runtime/value_ring.hh>
#include <vector>

#include <isoplane/isotach/filter.hh>
#include <isoplane/isotach/isotach.hh>

namespace isoplane::isotach {

/// What the program and the lcore share.
struct EndpointLink {
    /// So many deliveries fit between the two.
    EndpointLink(const Isotach& isotach, runtime::Pool& pool, unsigned deliveries = kRingSize);

    /// What a program can ask for, in the order in which it did.
    enum class Action : std::uint32_t {
        kSend,
        kRegisterSignal,
        kClearSignal,
        kSendSignal,
        kJoinBarrier,
        kLeaveBarrier,
        kEnterBarrier,
    };
    struct Request {
        Action action{};
        std::uint32_t what = 0;  ///< an isochron of `isochrons`, or a channel
        BarrierMode mode{};
        std::uint8_t unused[3]{};
    };
    struct Released {
        rte_mbuf* own = nullptr;
        Payload* payload = nullptr;
        niu::FrameTable::Id frame = 0;
        std::uint32_t unused = 0;
    };
    struct HostView {
        std::atomic<std::uint32_t> most_in_frame{0};  ///< stored behind the other
        std::atomic<std::uint32_t> most_frames{0};
        std::atomic<bool> left{false};  ///< it takes part in logical time no more
    };
    /// Isochrons on their way to the lcore.
    static constexpr unsigned kIsochrons = 64;
    static constexpr unsigned kRingSize = 1024;

    std::deque<Isochron> isochrons;
    runtime::ValueRing<Request> requests{"isotach_requests", 4 * kIsochrons};
    runtime::ValueRing<std::uint32_t> empty{"isotach_empty", kIsochrons};  ///< isochrons that may be filled
    runtime::ValueRing<Delivery> delivered;
    runtime::ValueRing<Released> released{"isotach_released", 4 * kRingSize};
    std::vector<HostView> hosts;
    std::atomic<std::uint32_t> known_acts{0};  ///< requests but isochrons that all hosts know of
    const unsigned most_frames;                ///< that an isochron may take to all hosts together
};

/// The lcore's end, to be polled after the stage that polls the NIU and its dispatcher.
class EndpointStage final : public runtime::Stage {
  public:
    EndpointStage(std::string name, EndpointLink& link, Isotach& isotach)
        : Stage(std::move(name)), link_(link), isotach_(isotach) {}
    ~EndpointStage() override;

    unsigned poll(runtime::Time now) override;
    std::size_t discard() override;

    /// From now on it takes what is delivered first; nullptr for none.
    void filter(Filter* filter) noexcept { filter_ = filter; }
    /// All that the program has asked for is done, and executed.
    bool settled() const noexcept { return !waits_ && link_.requests.empty() && isotach_.settled(); }

  private:
    bool serve(const EndpointLink::Request& request) noexcept;
    unsigned serve_requests() noexcept;
    bool next() noexcept;
    unsigned hand_over() noexcept;
    unsigned take_releases() noexcept;
    void publish_host() noexcept;

    EndpointLink& link_;
    Isotach& isotach_;
    EndpointLink::Request request_{};  ///< that cannot be served yet
    bool waits_ = false;               ///< there is one
    Delivery delivery_{};              ///< that the ring would not take
    bool holds_ = false;               ///< there is one
    Filter* filter_ = nullptr;
    std::uint32_t acts_ = 0;  ///< requests but isochrons
    std::size_t next_published_ = 0;
};

/// The program's end.
class RemoteEndpoint final : public Endpoint {
  public:
    RemoteEndpoint(EndpointLink& link, Needs needs, runtime::Pool& pool)
        : link_(link), pool_(pool), needs_(std::move(needs)), single_(pool) {}

    Isochron isochron() noexcept override { return Isochron(pool_); }
    bool send(Isochron& isochron) noexcept override;
    bool send(NodeId to, std::span<const std::byte> message) noexcept override;
    bool fits(const Isochron& isochron) noexcept override;
    void forget_lost(Isochron& isochron) noexcept override {
        isochron.drop_if([this](NodeId host, wire::Operation operation) {
            return link_.hosts[host].left.load(std::memory_order_relaxed) && !wire::is_of_copies(operation);
        });
    }
    std::size_t max_message(NodeId to) const noexcept override {
        return most_in_frame(to) != 0 ? needs_.largest() : 0;
    }

    bool register_signal(unsigned channel) noexcept override;
    bool clear_signal(unsigned channel) noexcept override;
    bool send_signal(unsigned channel) noexcept override;
    bool join_barrier(unsigned channel, BarrierMode mode) noexcept override;
    bool leave_barrier(unsigned channel) noexcept override;
    bool enter_barrier(unsigned channel) noexcept override;
    bool group_knows() const noexcept override {
        return link_.known_acts.load(std::memory_order_relaxed) == acts_;
    }
    BarrierState barrier(unsigned channel) const noexcept override { return barriers_[channel].state; }
    BarrierMode barrier_mode(unsigned channel) const noexcept override { return barriers_[channel].mode; }

    bool receive(Delivery& delivery) noexcept override;
    void release(const Delivery& delivery) noexcept override;
    bool waiting() const noexcept override { return !link_.delivered.empty(); }

  private:
    struct Barrier {
        BarrierState state = BarrierState::kApart;
        BarrierMode mode = BarrierMode::kStrong;
        std::uint32_t entered = 0;  ///< times
    };
    std::size_t most_in_frame(NodeId to) const noexcept {
        return link_.hosts[to].most_in_frame.load(std::memory_order_acquire);
    }
    bool ask(EndpointLink::Action action, unsigned channel, BarrierMode mode = {}) noexcept;

    EndpointLink& link_;
    runtime::Pool& pool_;
    Needs needs_;
    Isochron single_;            ///< on its way into the link
    std::uint32_t signals_ = 0;  ///< registered
    std::uint32_t acts_ = 0;     ///< asked for
    std::array<Barrier, wire::kBarrierChannels> barriers_{};
    std::array<std::uint32_t, wire::kSignalChannels> registered_{};  ///< how often each signal was
};

}  // namespace isoplane::isotach
