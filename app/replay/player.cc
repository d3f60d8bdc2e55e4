// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "replay/player.hh"

#include <rte_memcpy.h>

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

namespace isoplane::replay {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds kPatience{10};  ///< with a link that takes nothing
/// A thread that sleeps is late by up to as much, so the rest of a wait is spun.
constexpr runtime::Duration kSpun = 2ms;
/// Between two questions whether it is to stop.
constexpr runtime::Duration kAsk = 50ms;

}  // namespace

Player::Player(runtime::Output& out, runtime::Pool& pool, unsigned mtu, std::function<bool()> stopped)
    : out_(out), pool_(pool), longest_(mtu + wire::kEthernetSize), stopped_(std::move(stopped)) {}

Player::~Player() {
    rte_pktmbuf_free_bulk(burst_.data(), waiting_);
}

void Player::begin() {
    start_ = clock_.now();
}

bool Player::play(const TraceFrame& frame, Time due, bool timed, const Rewrite& rewrite) {
    timed_ = timed;
    if (frame.bytes.size() < wire::kEthernetSize) {
        ++played_.runts;
        return true;
    }
    if (frame.bytes.size() > longest_) {
        ++played_.too_long;
        return true;
    }
    runtime::Packet packet = pool_.packet();
    while (!packet) {  // all are on their way: the link is to give some back
        if (!flush() || stopped_()) return false;
        std::this_thread::yield();
        packet = pool_.packet();
    }
    auto* const at = reinterpret_cast<std::byte*>(
        rte_pktmbuf_append(packet.get(), static_cast<std::uint16_t>(frame.bytes.size())));
    rte_memcpy(at, frame.bytes.data(), frame.bytes.size());
    Leaving leaving{.bytes = frame.bytes.size(), .cut = frame.length > frame.bytes.size()};
    if (!rewrite.empty()) leaving.numbers = rewrite.apply({at, frame.bytes.size()});
    const runtime::Time when = start_ + due;
    if (timed && when > clock_.now() && !(flush() && wait_until(when))) return false;
    leaving.due = when;
    leaving_[waiting_] = leaving;
    burst_[waiting_++] = packet.release();
    return waiting_ < runtime::kBurst || flush();
}

bool Player::wait_until(runtime::Time when) {
    for (runtime::Time now = clock_.now(); now < when; now = clock_.now()) {
        const runtime::Duration left = when - now;
        if (left > kSpun) {
            if (stopped_()) return false;
            std::this_thread::sleep_for(std::min(left - kSpun, kAsk));
        }
    }
    return true;
}

bool Player::flush() {
    runtime::Time last = clock_.now();
    std::uint16_t sent = 0;
    while (sent < waiting_) {
        const std::uint16_t n = out_.send(burst_.data() + sent, static_cast<std::uint16_t>(waiting_ - sent));
        const runtime::Time now = clock_.now();
        for (std::uint16_t i = sent; i < sent + n; ++i)
            count(leaving_[i], now);
        sent = static_cast<std::uint16_t>(sent + n);
        if (n > 0) {
            last = now;
            continue;
        }
        if (stopped_() || now - last > kPatience) break;
        std::this_thread::yield();
    }
    std::ranges::copy(burst_.begin() + sent, burst_.begin() + waiting_, burst_.begin());
    std::ranges::copy(leaving_.begin() + sent, leaving_.begin() + waiting_, leaving_.begin());
    waiting_ = static_cast<std::uint16_t>(waiting_ - sent);
    if (waiting_ == 0) return true;
    if (stopped_()) return false;
    throw std::runtime_error("the link has taken no frame for " + std::to_string(kPatience.count()) +
                             " s: nobody reads at its other end");
}

void Player::count(const Leaving& frame, runtime::Time now) {
    ++played_.frames;
    played_.bytes += frame.bytes;
    played_.cut += frame.cut ? 1 : 0;
    played_.sealed += frame.numbers == Numbers::kSealed ? 1 : 0;
    played_.kept += frame.numbers == Numbers::kKept ? 1 : 0;
    if (timed_) played_.late.record(static_cast<std::uint64_t>(std::max(now - frame.due, 0ns).count()));
}

const Played& Player::finish() {
    played_.seconds = std::chrono::duration<double>(clock_.now() - start_).count();
    return played_;
}

}  // namespace isoplane::replay
