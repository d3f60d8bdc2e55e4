// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <isoplane/niu/niu.hh>
#include <isoplane/runtime/time.hh>
#include <utility>

namespace isoplane::perf {

/// A node between two others that sends on to one what comes from the other.
class Detour {
  public:
    Detour(runtime::Input& from, runtime::Output& to, runtime::Pool& pool, niu::Options options)
        : niu_("detour", from, to, pool, std::move(options)) {}

    /// One of the two others is polled, too: where these are not, it would find them dead after a while.
    void invite() noexcept { is_invited_ = true; }
    void poll(runtime::Time now) noexcept {
        if (!std::exchange(is_invited_, false)) return;
        niu_.poll(now);
        while (waits_ || niu_.receive(part_)) {
            const auto to = static_cast<niu::NodeId>(1 - part_.source);
            waits_ = !niu_.send(to, part_.protocol, part_.data);
            if (waits_) return;
            niu_.release(part_);
        }
    }
    void discard() {
        if (std::exchange(waits_, false)) niu_.release(part_);
        niu_.discard();
    }

  private:
    niu::Niu niu_;
    niu::Received part_{};
    bool is_invited_ = false;
    bool waits_ = false;  ///< for room towards the other
};

/// What has left the two ends and reached them: what the node between still has shows at neither.
class Traffic {
  public:
    void note_sent(unsigned end) noexcept { add(ends_[end].sent); }
    void note_received(unsigned end) noexcept { add(ends_[end].received); }
    bool all_there() const noexcept { return is_there(0, 1) && is_there(1, 0); }

  private:
    using Count = std::atomic<std::uint64_t>;
    struct alignas(128) End {
        Count sent{0};
        Count received{0};
    };

    static void add(Count& count) noexcept {
        count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
    bool is_there(unsigned from, unsigned to) const noexcept {
        return ends_[from].sent.load(std::memory_order_acquire) ==
               ends_[to].received.load(std::memory_order_acquire);
    }

    std::array<End, 2> ends_{};
};

/// One of the two ends.
class DetourEnd {
  public:
    static constexpr bool kKeepsContent = true;

    /// `between` where the same lcore polls it.
    DetourEnd(Traffic& traffic, Detour* between, runtime::Input& from, runtime::Output& to,
              runtime::Pool& pool, niu::Options options)
        : traffic_(traffic),
          between_(between),
          here_(options.node),
          niu_("niu", from, to, pool, std::move(options)) {}

    bool ready() noexcept {
        poll();
        return niu_.all_up();
    }
    void begin(std::size_t /*size*/) noexcept {}
    bool send(std::span<const std::byte> message) noexcept {
        if (!niu_.send(kBetween, wire::Protocol::kNoniso, message)) return false;
        traffic_.note_sent(here_);
        return true;
    }
    bool poll() noexcept {
        if (between_ != nullptr) between_->invite();
        return niu_.poll(clock_.now()) > 0;
    }
    bool receive(std::span<std::byte> room) noexcept {
        niu::Received message;
        if (!niu_.receive(message)) return false;
        std::copy_n(message.data.begin(), std::min(message.data.size(), room.size()), room.begin());
        niu_.release(message);
        traffic_.note_received(here_);
        return true;
    }
    bool settled() noexcept { return niu_.peer(kBetween).sent_all() && traffic_.all_there(); }

  private:
    static constexpr niu::NodeId kBetween = 2;

    Traffic& traffic_;
    Detour* between_;
    niu::NodeId here_;
    runtime::TscClock clock_;
    niu::Niu niu_;
};

}  // namespace isoplane::perf
