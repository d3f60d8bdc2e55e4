// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <isoplane/niu/by_peer.hh>
#include <isoplane/runtime/fifo.hh>
#include <isoplane/siu/siu.hh>
#include <vector>

#include <isoplane/isotach/delivery.hh>
#include <isoplane/isotach/run.hh>

namespace isoplane::isotach {

/// The place in logical time of own isochrons to others: so many, from the first on, are executed in it.
struct Marker {
    Pulse pulse = 0;
    std::uint32_t first = 0;
    std::uint32_t isochrons = 0;
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
    /// Between this host and those with a name.
    Ordering(siu::Siu& siu, NodeId here, const niu::Names& names);

    /// The last message that was sent to a host, but for those that have followed it and are to be noted.
    struct Sent {
        Pulse pulse = 0;
        std::uint32_t rank = 0;
        std::uint32_t isochron = 0;
    };
    /// All of one host; and the last that was for it, as only hosts that are talked to have one of these.
    struct Source {
        RunQueue queue{};
        std::uint32_t announced = 0;
        std::uint32_t received = 0;
        wire::IsotachHeader last{};  ///< that was taken by itself, if it was the last
        Sent sent{};
        NodeId host = 0;
        bool behind() const noexcept { return static_cast<std::int32_t>(announced - received) > 0; }
    };

    /// To be looked up before what it has sent is: then it is there when it is needed.
    Source& source(NodeId host) noexcept { return sources_[host]; }
    /// A message from another host, the `count`th that it has sent here. Returns whether it is the next.
    bool received(Source& source, std::uint32_t count, const Delivery& message) noexcept {
        const bool next = count == source.received + 1;
        if (message.time.pulse <= executed_) [[unlikely]]
            late_.add();
        const bool first = note_received(source, count);
        source.queue.add() = message;
        if (first) put_head(source, message.time.pulse);
        return next;
    }
    /// So many next ones, all of a frame, and the pulses of the first and the last.
    void received(Source& source, niu::FrameTable::Id frame, const std::byte* next, std::uint32_t messages,
                  Pulse first, Pulse last) noexcept {
        const bool is_head = note_received(source, source.received + messages);
        source.queue.add(frame, next, messages, first, last);
        if (is_head) put_head(source, first);
    }
    /// A place for what this host is to execute itself in that pulse, all of which is to be written at once.
    /// In the order of issue; the pulse does not go back.
    Delivery& issue(Pulse pulse) noexcept {
        Source& own = sources_[here_];
        const bool first = own.queue.empty();
        Delivery& place = own.queue.add();
        place.time.pulse = pulse;
        if (first) put_head(own, pulse);
        return place;
    }
    /// An own isochron to others, of that number, is executed here.
    void mark(Pulse pulse, std::uint32_t isochron) noexcept {
        if (!markers_.empty()) {
            Marker& last = markers_.back();
            if (last.pulse == pulse && last.first + last.isochrons == isochron) {
                ++last.isochrons;
                return;
            }
        }
        markers_.push({pulse, isochron, 1});
    }
    /// The same of so many next ones, in the pulse of the last that was marked, which is not executed.
    void mark_next(std::uint32_t isochrons) noexcept { markers_.back().isochrons += isochrons; }
    /// Nothing of this host's own waits.
    bool nothing_issued() const noexcept { return sources_[here_].queue.empty() && markers_.empty(); }

    /// The last pulse that has been executed.
    Pulse executed() const noexcept { return executed_; }

    // Where logical time survives deaths.

    /// All that was announced up to here is here; `payloads` too.
    Pulse hold(bool payloads) noexcept {
        for (; held_ < siu_.complete(); ++held_) {
            take_announcements(held_ + 1);
            if (behind_ != 0 || !payloads) break;
        }
        return held_;
    }
    Pulse held() const noexcept { return held_; }
    /// Gives what waits of that host for a pulse after `cut` to `drop`; its next message is its first.
    template <typename Drop>
    void cut_off(NodeId host, Pulse cut, Drop&& drop) noexcept {
        Source& source = sources_[host];
        RunQueue rest;
        rest.swap(source.queue);
        rest.move(cut, source.queue);
        for (; !rest.empty(); rest.pop())
            drop(rest.first());
        source.announced = source.received = 0;
        find_heads();
    }
    /// Gives what waits for pulses up to here to `drop`.
    template <typename Drop>
    void pass_over(Pulse pulse, Drop&& drop) noexcept {
        for (Source& source : sources_) {
            RunQueue passed;
            source.queue.move(pulse, passed);
            for (; !passed.empty(); passed.pop())
                drop(passed.first());
        }
        find_heads();
    }
    /// All that will ever come for pulses up to here is here.
    void settle(Pulse pulse) noexcept;
    /// A host without a past begins behind this pulse.
    void begin(Pulse pulse) noexcept {
        executed_ = pulse;
        settle(pulse);
    }

    /// Executes the pulses that are complete. In each calls `execute(messages, pulse)`, which is to take from
    /// the front of the queue what is in that pulse, for one host after the other; then `complete(marker)`,
    /// and `end(pulse)`. Returns how many that were.
    template <typename Execute, typename Complete, typename End>
    unsigned advance(Execute&& execute, Complete&& complete, End&& end) noexcept {
        unsigned pulses = 0;
        for (const Pulse ended = siu_.ended(); executed_ < ended; ++pulses) {
            const Pulse pulse = executed_ + 1;
            if (!siu_.announcements().empty()) take_announcements(pulse);
            if (behind_ != 0 && pulse > held_) break;
            while (!heads_.empty() && heads_.front().pulse <= pulse) {
                const Pulse first = heads_.front().pulse;
                Source& source = take_head();
                execute(source.queue, first);
                if (!source.queue.empty()) put_head(source, source.queue.first_pulse());
            }
            for (; !markers_.empty() && markers_.front().pulse <= pulse; markers_.pop())
                complete(markers_.front());
            executed_ = pulse;
            end(pulse);
        }
        return pulses;
    }

    /// Gives the messages that wait to `drop`, in no order.
    template <typename Drop>
    void discard(Drop&& drop) noexcept {
        for (Source& source : sources_) {
            for (; !source.queue.empty(); source.queue.pop())
                drop(source.queue.first());
        }
        for (; !markers_.empty(); markers_.pop()) {
        }
        heads_.clear();
    }

    /// Whether any message waits for its pulse.
    bool has_waiting() const noexcept { return !heads_.empty(); }
    /// How many do. For reports: it looks at every host.
    std::size_t waiting() const noexcept;
    /// Of them, those of this host to itself.
    std::size_t hit_queue() const noexcept { return sources_[here_].queue.size(); }
    /// Hosts of which announced messages are missing.
    unsigned behind() const noexcept { return behind_; }
    /// All that waits, by pulse and host. For reports: it looks at every message.
    std::vector<Bucket> buckets() const;
    /// Messages that came when their pulse had been executed: the network is not what it is said to be.
    std::uint64_t late() const noexcept { return late_.get(); }
    void clear_counters() noexcept { late_.set(0); }

  private:
    struct Head {
        Pulse pulse = 0;
        NodeId host = 0;
    };
    /// Returns whether they are the first that wait.
    bool note_received(Source& source, std::uint32_t count) noexcept {
        const bool was_behind = source.behind();
        source.received = count;
        if (was_behind) [[unlikely]]
            behind_ -= source.behind() ? 0U : 1U;
        else
            source.announced = count;  // by then: tokens that come behind messages need not say so
        return source.queue.empty();
    }
    [[gnu::noinline]] void take_announcements(Pulse pulse) noexcept;
    void find_heads() noexcept;

    /// The latest first, as the standard library's heaps have their greatest in front.
    struct Later {
        bool operator()(const Head& a, const Head& b) const noexcept {
            return a.pulse != b.pulse ? a.pulse > b.pulse : a.host > b.host;
        }
    };
    /// As std::push_heap(), which would read at once, and as a whole, what has been written in parts.
    void put_head(const Source& source, Pulse pulse) noexcept {
        const Head head{pulse, source.host};
        std::size_t at = heads_.size();
        heads_.emplace_back();
        for (; at != 0 && Later{}(heads_[(at - 1) / 2], head); at = (at - 1) / 2)
            heads_[at] = heads_[(at - 1) / 2];
        heads_[at].pulse = head.pulse;
        heads_[at].host = head.host;
    }
    [[gnu::noinline]] void put_first_last() noexcept { std::pop_heap(heads_.begin(), heads_.end(), Later{}); }
    Source& take_head() noexcept {
        if (heads_.size() != 1) put_first_last();
        const NodeId host = heads_.back().host;
        heads_.pop_back();
        return sources_[host];
    }

    siu::Siu& siu_;
    NodeId here_;
    niu::ByPeer<Source> sources_;
    runtime::Fifo<Marker> markers_;  ///< of this host's
    std::vector<Head> heads_;        ///< a heap of the queues that have something
    unsigned behind_ = 0;
    Pulse executed_ = 0;
    Pulse held_ = 0;
    runtime::Counter late_;
};

}  // namespace isoplane::isotach
