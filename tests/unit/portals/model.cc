// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "model.hh"

#include <algorithm>

namespace isoplane::portals::model {

Spec Model::cleaned(Spec spec) {
    if (spec.threshold < -1) spec.threshold = 0;
    return spec;
}

Status Model::set_access(std::size_t cookie, const Guest& guest) {
    if (cookie >= guests_.size()) return Status::kAcIndexInvalid;
    if (guest.portal != kAny && guest.portal > 4) return Status::kPtIndexInvalid;
    guests_[cookie] = guest;
    return Status::kOk;
}

const Spec* Model::spec_of(Name md) const {
    const auto found = mds_.find(md);
    return found != mds_.end() ? &found->second.spec : nullptr;
}

unsigned Model::busy(Name md) const {
    unsigned count = 0;
    for (const auto& [name, deed] : deeds_)
        count += deed.md == md ? 1 : 0;
    return count;
}

bool Model::hears(Name md, bool start) const {
    const Spec& spec = mds_.at(md).spec;
    return spec.eq != 0 && (spec.options & (start ? kStartDisable : kEndDisable)) == 0;
}
bool Model::hears_any(Name md) const {
    return hears(md, true) || hears(md, false);
}

/// Nothing is unread, and nothing on its way to being told.
bool Model::settled(Name queue) const {
    if (queues_.at(queue).read != queues_.at(queue).notes.size()) return false;
    for (const auto& [name, deed] : deeds_) {
        if (mds_.at(deed.md).spec.eq != queue) continue;
        if (!deed.silent && hears(deed.md, false)) return false;
        if (mds_.at(deed.md).doomed && hears_any(deed.md)) return false;
    }
    return true;
}

Sequence Model::tell(Name md, Note note, std::optional<Sequence> link) {
    Queue& queue = queues_.at(mds_.at(md).spec.eq);
    note.sequence = static_cast<Sequence>(queue.notes.size()) - static_cast<Sequence>(queue.room);
    note.link = link.value_or(note.sequence);
    queue.notes.push_back(note);
    return note.link;
}

Name Model::open(Size count) {
    std::size_t room = 2;
    while (room < count)
        room *= 2;
    queues_[++last_].room = room;
    return last_;
}

Status Model::free(Name queue) {
    if (queues_.erase(queue) == 0) return Status::kEqInvalid;
    for (auto& [name, md] : mds_) {
        if (md.spec.eq == queue) md.spec.eq = 0;
    }
    return Status::kOk;
}

Status Model::take(Name name, Note& note) {
    const auto found = queues_.find(name);
    if (found == queues_.end()) return Status::kEqInvalid;
    Queue& queue = found->second;
    const std::size_t all = queue.notes.size();
    if (queue.read == all) return Status::kEqEmpty;
    const std::size_t oldest = all > queue.room ? all - queue.room : 0;
    const bool lost = queue.read < oldest;
    queue.read = std::max(queue.read, oldest);
    note = queue.notes[queue.read++];
    return lost ? Status::kEqDropped : Status::kOk;
}

Name Model::enter(Entry entry, bool at_head) {
    entry.name = ++last_;
    list_.insert(at_head ? list_.begin() : list_.end(), entry);
    return last_;
}

Status Model::insert(Name base, Entry entry, bool before, Name& name) {
    auto at =
        std::find_if(list_.begin(), list_.end(), [&](const Entry& other) { return other.name == base; });
    if (at == list_.end()) return Status::kMeInvalid;
    if (!before) ++at;
    entry.name = name = ++last_;
    list_.insert(at, entry);
    return Status::kOk;
}

Status Model::leave(Name entry) {
    const auto at =
        std::find_if(list_.begin(), list_.end(), [&](const Entry& other) { return other.name == entry; });
    if (at == list_.end()) return Status::kMeInvalid;
    if (at->md != 0 && busy(at->md) > 0) return Status::kMeInUse;
    mds_.erase(at->md);
    list_.erase(at);
    return Status::kOk;
}

Status Model::attach(Name entry, const Spec& spec, bool unlinks, bool unlinks_no_fit, Name& md) {
    for (Entry& candidate : list_) {
        if (candidate.name != entry) continue;
        if (candidate.md != 0) return Status::kMeInUse;
        md = candidate.md = bind(spec, unlinks);
        mds_.at(md).unlinks_no_fit = unlinks_no_fit;
        return Status::kOk;
    }
    return Status::kMeInvalid;
}

Name Model::bind(const Spec& spec, bool unlinks) {
    Md md{.spec = cleaned(spec), .unlinks = unlinks};
    md.inactive = md.spec.threshold == 0;
    mds_[++last_] = md;
    return last_;
}

void Model::forget(Name md) {
    mds_.erase(md);
    for (Entry& entry : list_) {
        if (entry.md == md)
            entry.md = 0;
        else
            continue;
        if (!entry.unlinks) return;
        const Name name = entry.name;
        list_.remove_if([name](const Entry& other) { return other.name == name; });
        return;
    }
}

Status Model::unlink(Name md) {
    if (!mds_.contains(md)) return Status::kMdInvalid;
    if (busy(md) > 0) return Status::kMdInUse;
    forget(md);
    return Status::kOk;
}

Status Model::update(Name name, const Spec* fresh, Name test) {
    if (!mds_.contains(name)) return Status::kMdInvalid;
    if (test != 0 && !queues_.contains(test)) return Status::kEqInvalid;
    if (fresh == nullptr) return Status::kOk;
    if (fresh->eq != 0 && !queues_.contains(fresh->eq)) return Status::kEqInvalid;
    if (test != 0 && !settled(test)) return Status::kMdNoUpdate;
    if (busy(name) > 0) return Status::kMdNoUpdate;
    Md& md = mds_.at(name);
    md.spec = cleaned(*fresh);
    md.local = 0;
    md.inactive = md.spec.threshold == 0;
    return Status::kOk;
}

Status Model::post(Name base, Entry entry, bool before, const Spec& spec, bool unlinks, Name test, Name& name,
                   Name& md) {
    const bool found =
        std::any_of(list_.begin(), list_.end(), [&](const Entry& other) { return other.name == base; });
    if (!found) return Status::kMeInvalid;
    if (test != 0 && !queues_.contains(test)) return Status::kEqInvalid;
    if (test != 0 && !settled(test)) return Status::kMdNoUpdate;
    insert(base, entry, before, name);
    return attach(name, spec, unlinks, false, md);
}

}  // namespace isoplane::portals::model
