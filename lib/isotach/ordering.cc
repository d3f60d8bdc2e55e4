// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/isotach/ordering.hh>
#include <map>
#include <utility>

namespace isoplane::isotach {

Ordering::Ordering(siu::Siu& siu, NodeId here, const niu::Names& names)
    : siu_(siu), here_(here), sources_(names) {
    for (std::size_t host = 0; host < names.size(); ++host)
        if (!names[host].empty()) sources_[static_cast<NodeId>(host)].host = static_cast<NodeId>(host);
    sources_[here_].host = here_;
    heads_.reserve(names.named() + 1);
}

void Ordering::take_announcements(Pulse pulse) noexcept {
    runtime::Fifo<siu::Announcement>& announcements = siu_.announcements();
    for (; !announcements.empty() && announcements.front().pulse <= pulse; announcements.pop()) {
        const siu::Announcement& announced = announcements.front();
        if (!sources_.has(announced.source)) [[unlikely]]
            continue;
        Source& source = sources_[announced.source];
        const bool was_behind = source.behind();
        source.announced = announced.count;
        if (!was_behind && source.behind()) ++behind_;
    }
}

void Ordering::find_heads() noexcept {
    heads_.clear();
    for (const Source& source : sources_)
        if (!source.queue.empty()) put_head(source, source.queue.first_pulse());
}

void Ordering::settle(Pulse pulse) noexcept {
    for (Source& source : sources_)
        source.announced = source.received;
    behind_ = 0;
    held_ = pulse;
}

std::size_t Ordering::waiting() const noexcept {
    std::size_t messages = 0;
    for (const Source& source : sources_)
        messages += source.queue.size();
    return messages;
}

std::vector<Bucket> Ordering::buckets() const {
    std::map<std::pair<Pulse, NodeId>, Bucket> found;
    const auto bucket = [&found](Pulse pulse, NodeId host) -> Bucket& {
        return found.try_emplace({pulse, host}, Bucket{.pulse = pulse, .host = host}).first->second;
    };
    for (const Source& source : sources_) {
        source.queue.for_each(
            [&](const Delivery& message) { ++bucket(message.time.pulse, source.host).waiting; });
        if (source.behind()) bucket(executed_ + 1, source.host).missing = source.announced - source.received;
    }
    markers_.for_each([&](const Marker& own) { bucket(own.pulse, here_).waiting += own.isochrons; });
    std::vector<Bucket> all;
    for (const auto& [place, what] : found)
        all.push_back(what);
    return all;
}

}  // namespace isoplane::isotach
