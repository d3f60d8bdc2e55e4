// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/isotach/ordering.hh>
#include <map>
#include <utility>

namespace isoplane::isotach {

Ordering::Ordering(siu::Siu& siu, NodeId here, std::size_t hosts)
    : siu_(siu), here_(here), queues_(hosts), streams_(hosts) {
    heads_.reserve(hosts);
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

void Ordering::find_heads() noexcept {
    heads_.clear();
    for (std::size_t host = 0; host < queues_.size(); ++host)
        if (!queues_[host].empty()) put_head(static_cast<NodeId>(host));
}

void Ordering::settle(Pulse pulse) noexcept {
    for (Stream& stream : streams_)
        stream.announced = stream.received;
    behind_ = 0;
    held_ = pulse;
}

std::vector<Bucket> Ordering::buckets() const {
    std::map<std::pair<Pulse, NodeId>, Bucket> found;
    const auto bucket = [&found](Pulse pulse, std::size_t host) -> Bucket& {
        const auto id = static_cast<NodeId>(host);
        return found.try_emplace({pulse, id}, Bucket{.pulse = pulse, .host = id}).first->second;
    };
    for (std::size_t host = 0; host < queues_.size(); ++host) {
        queues_[host].for_each([&](const Delivery& message) { ++bucket(message.time.pulse, host).waiting; });
        const Stream& stream = streams_[host];
        if (stream.behind()) bucket(executed_ + 1, host).missing = stream.announced - stream.received;
    }
    markers_.for_each([&](const Marker& own) { bucket(own.pulse, here_).waiting += own.isochrons; });
    std::vector<Bucket> all;
    for (const auto& [place, what] : found)
        all.push_back(what);
    return all;
}

}  // namespace isoplane::isotach
