// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/portals/interface.hh>

namespace isoplane::portals {

namespace {

unsigned places(int limit) {
    return static_cast<unsigned>(std::max(limit, 0));
}

/// No more than the NAL can do, or the tables hold.
Options bounded(Options options, const Limits& most) {
    constexpr int Limits::*kAll[] = {&Limits::entries,      &Limits::descriptors,  &Limits::queues,
                                     &Limits::max_ac_index, &Limits::max_pt_index, &Limits::iovecs,
                                     &Limits::list,         &Limits::max_getput};
    for (const auto limit : kAll)
        options.limits.*limit = std::min(options.limits.*limit, most.*limit);
    constexpr int kMostPortals = 1 << 16;
    options.limits.max_pt_index = std::min(options.limits.max_pt_index, kMostPortals - 1);
    return options;
}

}  // namespace

Interface::Interface(unsigned number, Nal& nal, const Options& options)
    : number_(number),
      nal_(nal),
      options_(bounded(options, nal.limits())),
      mutex_(!options.is_locked),
      portals_(places(limits().max_pt_index) + 1),
      access_(places(limits().max_ac_index) + 1, AccessEntry{.uid = options.uid}),
      entries_(Kind::kEntry, number, places(limits().entries), options.generation),
      descriptors_(Kind::kDescriptor, number, places(limits().descriptors), options.generation),
      queues_(Kind::kQueue, number, places(limits().queues), options.generation),
      pending_(Kind::kInterface, number, kMostObjects) {}

std::uint32_t Interface::next_generation() const noexcept {
    const Lock lock(mutex_);
    return std::max({entries_.next_generation(), descriptors_.next_generation(), queues_.next_generation()});
}

Status Interface::open(Pid wanted) {
    // Locked, because what arrives at once must find the interface's id.
    const Lock lock(mutex_);
    const Status status = nal_.attach(*this, wanted, id_);
    is_open_ = status == Status::kOk;
    if (options_.jid == kAny) options_.jid = id_.pid;
    return status;
}

void Interface::close() noexcept {
    {
        const Lock lock(mutex_);
        if (!is_open_) return;
        is_open_ = false;
    }
    nal_.detach(*this);
    const Lock lock(mutex_);
    pending_.clear();
    descriptors_.clear();
    entries_.clear();
    queues_.clear();
    std::fill(portals_.begin(), portals_.end(), MatchList{});
    changed();
}

Status Interface::set_access(Index index, const AccessEntry& entry) {
    const Lock lock(mutex_);
    if (!is_open_) return Status::kNiInvalid;
    if (index >= access_.size()) return Status::kAcIndexInvalid;
    if (entry.portal != kAny && entry.portal >= portals_.size()) return Status::kPtIndexInvalid;
    access_[index] = entry;
    return Status::kOk;
}

Status Interface::read(Register which, std::uint64_t& value) const {
    const Lock lock(mutex_);
    if (!is_open_) return Status::kNiInvalid;
    const auto index = static_cast<std::uint32_t>(which);
    const auto of = [index, &value](const auto& slots) {
        const std::uint64_t values[] = {slots.taken(), slots.taken() - slots.live(), slots.most(),
                                        slots.live()};
        value = values[index % 4];
        return Status::kOk;
    };
    switch (index / 4) {
        case 0:
        case 1:
            if (index >= std::size(counters_)) return Status::kSrIndexInvalid;
            value = counters_[index];
            return Status::kOk;
        case 3:
            return of(entries_);
        case 4:
            return of(descriptors_);
        case 5:
            return of(queues_);
        default:
            return Status::kSrIndexInvalid;
    }
}

std::uint64_t Interface::dropped(Drop reason) const {
    const Lock lock(mutex_);
    return drops_[static_cast<std::size_t>(reason)];
}

void Interface::sleep(std::uint64_t seen, std::optional<std::chrono::steady_clock::time_point> until) {
    std::unique_lock lock(mutex_);
    const auto changed = [this, seen] { return changes() != seen; };
    ++sleepers_;
    if (until)
        changed_.wait_until(lock, *until, changed);
    else
        changed_.wait(lock, changed);
    --sleepers_;
}

}  // namespace isoplane::portals
