// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/isotach/paranoid.hh>

namespace isoplane::isotach {

namespace {

std::string text(std::uint64_t number) {
    return std::to_string(number);
}

std::string text(const LogicalTime& time) {
    const char* const place = time.place == Place::kEnd     ? ", at its end"
                              : time.place == Place::kAfter ? ", after it"
                                                            : "";
    return "pulse " + text(time.pulse) + place + ", host " + text(time.host) + ", rank " + text(time.rank);
}

}  // namespace

Paranoid::Paranoid(Host here, std::size_t hosts) : here_(here), expected_(hosts), arrived_(hosts) {}

template <typename Text>
void Paranoid::violated(Text&& text) {
    violations_.add();
    if (first_.empty()) first_ = text();
}

std::string Paranoid::name(Host host, std::uint32_t number) const {
    if (host == here_) return "a message of this host to itself, of isochron " + text(number) + ",";
    return "message " + text(number) + " of host " + text(host);
}

void Paranoid::stamped(std::uint32_t isochron, Pulse clock, Pulse distance, Pulse stamp) {
    if (stamp < clock + distance) {
        violated([&] {
            return "isochron " + text(isochron) + " of this host was issued at clock " + text(clock) +
                   " over distance " + text(distance) + ", but stamped with pulse " + text(stamp);
        });
    }
    if (stamp < last_stamp_) {
        violated([&] {
            return "isochron " + text(isochron) + " of this host was stamped with pulse " + text(stamp) +
                   ", after one with pulse " + text(last_stamp_);
        });
    }
    last_stamp_ = stamp;
    outstanding_.push({isochron, stamp});
}

void Paranoid::kept(std::uint32_t isochron, Pulse stamp, std::uint32_t rank) {
    expected_[here_].push({.number = isochron, .rank = rank, .stamp = stamp});
}

void Paranoid::completed(std::uint32_t isochron, Pulse pulse) {
    if (outstanding_.empty() || outstanding_.front().isochron != isochron) {
        return violated([&] {
            return "isochron " + text(isochron) + " of this host was executed out of the order of issue";
        });
    }
    const Stamped next = outstanding_.front();
    outstanding_.pop();
    if (next.stamp == pulse) return;
    violated([&] {
        return "isochron " + text(isochron) + " of this host was executed in pulse " + text(pulse) +
               ", but its stamp is " + text(next.stamp);
    });
}

void Paranoid::arrived(const wire::IsotachHeader& header, std::optional<Pulse> clock, Pulse distance,
                       Pulse executed) {
    std::uint32_t& last = arrived_[header.host];
    if (header.count != last + 1) {
        violated([&] {
            return name(header.host, header.count) + " came after message " + text(last) +
                   ": it is not the next";
        });
    }
    last = header.count;
    if (header.pulse <= executed) {
        violated([&] {
            return name(header.host, header.count) + " is to be executed in pulse " + text(header.pulse) +
                   ", but this host has executed pulse " + text(executed) + " already";
        });
    }
    if (clock && header.pulse < *clock + distance) {
        violated([&] {
            return name(header.host, header.count) + " was issued at clock " + text(*clock) +
                   " over distance " + text(distance) + ", but is stamped with pulse " + text(header.pulse);
        });
    }
    expected_[header.host].push({.number = header.count, .rank = header.rank, .stamp = header.pulse});
}

void Paranoid::executed(const LogicalTime& time, Pulse pulse, Pulse ended) {
    runtime::Fifo<Expected>& queue = expected_[time.host];
    if (queue.empty()) {
        return violated([&] {
            return "a message of host " + text(time.host) + " was executed at " + text(time) +
                   ", but none had come";
        });
    }
    const Expected next = queue.front();
    queue.pop();
    if (next.stamp != pulse || next.stamp != time.pulse || next.rank != time.rank) {
        violated([&] {
            return name(time.host, next.number) + " was executed in pulse " + text(pulse) + " as that of " +
                   text(time) + ", but its stamp is pulse " + text(next.stamp) + ", rank " + text(next.rank);
        });
    }
    if (pulse > ended) {
        violated([&] {
            return name(time.host, next.number) + " was executed in pulse " + text(pulse) +
                   ", which has not ended: the last token was " + text(ended);
        });
    }
}

void Paranoid::passed_over(const LogicalTime& time) {
    if (!expected_[time.host].empty()) expected_[time.host].pop();
}

void Paranoid::cut_off(Host host, Pulse cut) {
    runtime::Fifo<Expected>& queue = expected_[host];
    for (std::size_t n = queue.size(); n > 0; --n, queue.pop()) {
        const Expected next = queue.front();
        if (next.stamp <= cut) queue.push(next);
    }
    arrived_[host] = 0;
}

void Paranoid::given(const LogicalTime& time) {
    if (last_ && !(*last_ < time)) {
        violated([&] {
            return "what is executed at " + text(time) + " comes after what is executed at " + text(*last_);
        });
    }
    last_ = time;
}

}  // namespace isoplane::isotach
