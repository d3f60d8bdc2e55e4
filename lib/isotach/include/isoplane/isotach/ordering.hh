// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/runtime/fifo.hh>
#include <isoplane/siu/siu.hh>
#include <vector>

#include <isoplane/isotach/delivery.hh>

namespace isoplane::isotach {

using siu::Pulse;

/// A message, or the place of an own isochron, that waits for its pulse.
struct Waiting {
    enum class Kind : std::uint8_t {
        kReceived,  ///< from another host
        kSelf,      ///< from this host to itself
        kMarker,    ///< own isochrons to others are executed here
    };
    Kind kind = Kind::kReceived;
    Pulse pulse = 0;
    std::uint32_t rank = 0;
    std::uint32_t isochron = 0;
    std::uint32_t further = 0;  ///< of a marker: it is also that of so many isochrons that follow this one
    wire::Operation operation = wire::Operation::kMessage;
    std::span<const std::byte> data{};
    niu::FrameTable::Id frame = 0;
    rte_mbuf* own = nullptr;
    Payload* payload = nullptr;
};

/// What of one host waits for one pulse, or is waited for.
struct Bucket {
    Pulse pulse = 0;
    NodeId host = 0;
    std::uint32_t waiting = 0;  ///< messages and markers that are here
    std::uint32_t missing = 0;  ///< messages without which the pulse is not executed
};

/// Puts what is received in the order of logical time.
///
/// What one host sends comes in its order already; so each host has a queue, and the queues are merged by
/// the (pulse, host) of what is in front. Pulse p is executed when it has ended, and every message that was
/// announced by then is here: no more than that is ever waited for.
class Ordering {
  public:
    Ordering(siu::Siu& siu, NodeId here, std::size_t hosts);

    /// A message from another host, the `count`th that it has sent here. Returns whether it is the next.
    bool received(NodeId from, std::uint32_t count, const Waiting& message) noexcept;
    /// What this host is to execute itself, in the order of issue; the pulse does not go back.
    void issued(const Waiting& own) noexcept { push(here_, own); }
    /// An own isochron to others, of that number, is executed here.
    void mark(Pulse pulse, std::uint32_t isochron) noexcept;
    /// Nothing of this host's own waits.
    bool nothing_issued() const noexcept { return queues_[here_].empty(); }

    /// The last pulse that has been executed.
    Pulse executed() const noexcept { return executed_; }

    /// Executes the pulses that are complete: calls `execute(host, what)` for what is in them, in order, and
    /// `end(pulse)` after each. Returns how many that were.
    template <typename Execute, typename End>
    unsigned advance(Execute&& execute, End&& end) noexcept {
        unsigned pulses = 0;
        for (; executed_ < siu_.ended(); ++pulses) {
            const Pulse pulse = executed_ + 1;
            take_announcements(pulse);
            if (behind_ != 0) break;
            while (!heads_.empty() && heads_.front().pulse <= pulse) {
                const NodeId host = take_head();
                runtime::Fifo<Waiting>& queue = queues_[host];
                const Pulse first = queue.front().pulse;
                for (; !queue.empty() && queue.front().pulse <= first; queue.pop(), --waiting_)
                    execute(host, queue.front());
                if (!queue.empty()) put_head(host);
            }
            executed_ = pulse;
            end(pulse);
        }
        return pulses;
    }

    /// Gives what waits to `drop`, in no order.
    template <typename Drop>
    void discard(Drop&& drop) noexcept {
        for (runtime::Fifo<Waiting>& queue : queues_) {
            for (; !queue.empty(); queue.pop())
                drop(queue.front());
        }
        heads_.clear();
        waiting_ = 0;
    }

    /// Messages and markers that wait for their pulse.
    std::size_t waiting() const noexcept { return waiting_; }
    /// Hosts of which announced messages are missing.
    unsigned behind() const noexcept { return behind_; }
    /// All that waits, by pulse and host. For reports: it looks at every message.
    std::vector<Bucket> buckets() const;
    /// Messages that came when their pulse had been executed: the network is not what it is said to be.
    std::uint64_t late() const noexcept { return late_.get(); }

  private:
    struct Head {
        Pulse pulse;
        NodeId host;
    };
    struct Stream {
        std::uint32_t announced = 0;
        std::uint32_t received = 0;
        bool behind() const noexcept { return static_cast<std::int32_t>(announced - received) > 0; }
    };

    void push(NodeId host, const Waiting& what) noexcept;
    void take_announcements(Pulse pulse) noexcept;
    void put_head(NodeId host) noexcept;
    NodeId take_head() noexcept;

    siu::Siu& siu_;
    NodeId here_;
    std::vector<runtime::Fifo<Waiting>> queues_;  ///< by host
    std::vector<Head> heads_;                     ///< a heap of the queues that have something
    std::vector<Stream> streams_;                 ///< by host
    unsigned behind_ = 0;
    std::size_t waiting_ = 0;
    Pulse executed_ = 0;
    runtime::Counter late_;
};

}  // namespace isoplane::isotach
