// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "scale_host.hh"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace isoplane::perf {

namespace {

using runtime::Time;

constexpr std::size_t kSize = 64;  ///< bytes of a message

using Message = std::array<std::byte, kSize>;

Message stamped(Time now) {
    Message message{};
    const auto time = now.time_since_epoch().count();
    std::memcpy(message.data(), &time, sizeof time);
    return message;
}

void record(runtime::Histogram& histogram, std::span<const std::byte> data, Time now) {
    Time::rep sent = 0;
    if (data.size() < sizeof sent) return;
    std::memcpy(&sent, data.data(), sizeof sent);
    histogram.record(
        static_cast<std::uint64_t>(std::max<Time::rep>(0, now.time_since_epoch().count() - sent)));
}

}  // namespace

ScaleHost::ScaleHost(const std::string& name, const sim::Link::End& end, runtime::Pool& pool,
                     const niu::Options& options, const siu::SiuOptions& siu, const topology::Paths& paths,
                     const ScaleSetup& setup, std::vector<niu::NodeId> partners, ScaleTimes& times)
    : Stage(name),
      niu_(name, end.input, end.output, pool, options),
      dispatcher_(niu_),
      siu_(niu_, paths, siu),
      isotach_(niu_, siu_, pool),
      random_(setup.seed, 100 + options.node),
      partners_(std::move(partners)),
      every_(setup.every),
      times_(times) {
    takes_from(end.input);
    gives_to(end.output);
    isotach_.attach_to(dispatcher_);
    dispatcher_.attach(wire::Protocol::kNoniso, this);
}

unsigned ScaleHost::poll(Time now) {
    now_ = now;
    unsigned moved = niu_.poll(now);
    moved += dispatcher_.dispatch();
    moved += isotach_.poll(now);
    for (isotach::Delivery delivery; isotach_.receive(delivery); ++moved) {
        record(times_.ordered, delivery.data, now);
        isotach_.release(delivery);
    }
    if (now < until_ && send_some(now)) ++moved;
    return moved;
}

bool ScaleHost::send_some(Time now) {
    bool sent = false;
    for (Time& next : next_)
        if (next == Time{}) next = later(now);
    if (now >= next_[0] && isotach_.send(somebody_else(), stamped(now))) {
        next_[0] = later(now);
        sent = true;
    }
    if (now >= next_[1] && niu_.transfer(somebody_else(), wire::Protocol::kNoniso, stamped(now))) {
        next_[1] = later(now);
        sent = true;
    }
    return sent;
}

void ScaleHost::take(const niu::Received& message) noexcept {
    record(times_.unordered, message.data, now_);
    niu_.release(message);
}

niu::NodeId ScaleHost::somebody_else() {
    return partners_[random_.below(partners_.size())];
}

/// Evenly between half of and one and a half times what it is on average.
Time ScaleHost::later(Time than) {
    const auto every = static_cast<std::uint64_t>(every_.count());
    return than +
           runtime::Duration{static_cast<runtime::Duration::rep>(every / 2 + random_.below(every + 1))};
}

void ScaleHost::set_quiet(bool quiet) {
    niu_.set_quiet(quiet);
    siu_.be_quiet(quiet);
}

}  // namespace isoplane::perf
