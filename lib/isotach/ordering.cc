// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/isotach/ordering.hh>
#include <map>
#include <utility>

namespace isoplane::isotach {

namespace {

/// The latest first, as the standard library's heaps have their greatest in front.
constexpr auto kLater = [](const auto& a, const auto& b) {
    return a.pulse != b.pulse ? a.pulse > b.pulse : a.host > b.host;
};

}  // namespace

Ordering::Ordering(siu::Siu& siu, NodeId here, std::size_t hosts)
    : siu_(siu), here_(here), queues_(hosts), streams_(hosts) {
    heads_.reserve(hosts);
}

bool Ordering::received(NodeId from, std::uint32_t count, const Waiting& message) noexcept {
    Stream& stream = streams_[from];
    const bool next = count == stream.received + 1;
    const bool was_behind = stream.behind();
    stream.received = count;
    if (was_behind && !stream.behind()) --behind_;
    if (message.pulse <= executed_) late_.add();
    push(from, message);
    return next;
}

void Ordering::mark(Pulse pulse, std::uint32_t isochron) noexcept {
    runtime::Fifo<Waiting>& queue = queues_[here_];
    const bool follows = !queue.empty() && queue.back().kind == Waiting::Kind::kMarker &&
                         queue.back().pulse == pulse &&
                         isochron == queue.back().isochron + 1 + queue.back().further;
    if (follows) {
        ++queue.back().further;
    } else {
        push(here_, {.kind = Waiting::Kind::kMarker, .pulse = pulse, .isochron = isochron});
    }
}

void Ordering::push(NodeId host, const Waiting& what) noexcept {
    runtime::Fifo<Waiting>& queue = queues_[host];
    const bool first = queue.empty();
    queue.push(what);
    ++waiting_;
    if (first) put_head(host);
}

void Ordering::take_announcements(Pulse pulse) noexcept {
    runtime::Fifo<siu::Announcement>& announcements = siu_.announcements();
    for (; !announcements.empty() && announcements.front().pulse <= pulse; announcements.pop()) {
        const siu::Announcement& announced = announcements.front();
        Stream& stream = streams_[announced.source];
        const bool was_behind = stream.behind();
        stream.announced = announced.count;
        if (!was_behind && stream.behind()) ++behind_;
    }
}

std::vector<Bucket> Ordering::buckets() const {
    std::map<std::pair<Pulse, NodeId>, Bucket> found;
    const auto bucket = [&found](Pulse pulse, std::size_t host) -> Bucket& {
        const auto id = static_cast<NodeId>(host);
        return found.try_emplace({pulse, id}, Bucket{.pulse = pulse, .host = id}).first->second;
    };
    for (std::size_t host = 0; host < queues_.size(); ++host) {
        queues_[host].for_each(
            [&](const Waiting& what) { bucket(what.pulse, host).waiting += 1 + what.further; });
        const Stream& stream = streams_[host];
        if (stream.behind()) bucket(executed_ + 1, host).missing = stream.announced - stream.received;
    }
    std::vector<Bucket> all;
    for (const auto& [place, what] : found)
        all.push_back(what);
    return all;
}

void Ordering::put_head(NodeId host) noexcept {
    heads_.push_back({queues_[host].front().pulse, host});
    std::push_heap(heads_.begin(), heads_.end(), kLater);
}

NodeId Ordering::take_head() noexcept {
    std::pop_heap(heads_.begin(), heads_.end(), kLater);
    const NodeId host = heads_.back().host;
    heads_.pop_back();
    return host;
}

}  // namespace isoplane::isotach
