// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "model.hh"

#include <algorithm>

namespace isoplane::portals::model {

Spec Model::cleaned(Spec spec) {
    if (spec.threshold < -1) spec.threshold = 0;
    return spec;
}

/// So many of them, from one on.
static Bytes part(const Bytes& bytes, Size offset, Size length) {
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
    return {from, from + static_cast<std::ptrdiff_t>(length)};
}

std::string Model::sends(Name deed) const {
    std::string data;
    for (const std::size_t at : deeds_.at(deed).where)
        data += memory[at];
    return data;
}

Status Model::set_access(std::size_t cookie, const Guest& guest) {
    if (cookie >= guests_.size()) return Status::kAcIndexInvalid;
    if (guest.portal != kAny && guest.portal > 4) return Status::kPtIndexInvalid;
    guests_[cookie] = guest;
    return Status::kOk;
}

bool Model::admits(const Header& header) const {
    if (header.cookie >= guests_.size()) return false;
    const Guest& guest = guests_[header.cookie];
    const auto is = [](std::uint32_t wanted, std::uint32_t real) { return wanted == kAny || wanted == real; };
    return is(guest.id.nid, header.initiator.nid) && is(guest.id.pid, header.initiator.pid) &&
           is(guest.uid, header.uid) && is(guest.jid, header.jid) && is(guest.portal, header.portal);
}

const Spec* Model::spec_of(Name md) const {
    const auto found = mds_.find(md);
    return found != mds_.end() ? &found->second.spec : nullptr;
}

/// Of what this process asks others for.
Note Model::own(EventKind kind, Size length) const {
    return {.kind = kind, .initiator = here, .uid = uid, .jid = jid, .rlength = length, .mlength = length};
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

Name Model::begin(Name md, Note note) {
    Deed deed{.md = md, .note = note};
    deed.note.md = md;
    deed.note.threshold = mds_.at(md).spec.threshold;
    if (hears(md, true)) deed.link = tell(md, deed.note, {});
    deeds_[++last_] = deed;
    return last_;
}

/// One operation less.
void Model::use(Name name, bool arrived) {
    Md& md = mds_.at(name);
    if (md.spec.threshold > 0) --md.spec.threshold;
    bool up = md.spec.threshold == 0;
    const bool local = (md.spec.options & kManageRemote) == 0;
    if (arrived && local && (md.spec.options & kMaxSize) != 0 &&
        md.spec.bytes.size() - md.local < md.spec.max_size)
        up = true;
    if (!up) return;
    md.inactive = true;
    if (md.unlinks) md.doomed = true;
}

void Model::bury(Name md, Note note, std::optional<Sequence> link) {
    if (!mds_.at(md).doomed || busy(md) > 0) return;
    note.kind = EventKind::kUnlink;
    note.failure = 0;
    if (hears_any(md)) tell(md, note, link);
    forget(md);
}

void Model::end(Name name, bool failed) {
    const Deed deed = deeds_.at(name);
    deeds_.erase(name);
    Note note = deed.note;
    std::optional<Sequence> link = deed.link;
    if (deed.silent) note.threshold = mds_.at(deed.md).spec.threshold;
    if (!deed.silent && hears(deed.md, false)) {
        note.kind = end_of(note.kind);
        note.failure = failed ? kFailed : kSuccess;
        link = tell(deed.md, note, link);
    }
    bury(deed.md, note, link);
}

Status Model::put(Name md, Size offset, Size length, Bits bits, Size there, std::uint64_t hdr_data,
                  Name& deed) {
    const auto found = mds_.find(md);
    if (found == mds_.end() || found->second.inactive) return Status::kMdInvalid;
    if (offset + length > found->second.spec.bytes.size()) return Status::kMdIllegal;
    use(md, false);
    Note note = own(EventKind::kSendStart, length);
    note.bits = bits;
    note.offset = there;
    note.hdr_data = hdr_data;
    deed = begin(md, note);
    deeds_.at(deed).where = part(found->second.spec.bytes, offset, length);
    return Status::kOk;
}

Status Model::get(Name md, Size offset, Size length, Name& deed) {
    const auto found = mds_.find(md);
    if (found == mds_.end() || found->second.inactive) return Status::kMdInvalid;
    if (offset + length > found->second.spec.bytes.size()) return Status::kMdIllegal;
    deed = ++last_;
    deeds_[deed] = {.md = md, .note = own(EventKind::kSendStart, length), .silent = true};
    deeds_[deed].note.md = md;
    return Status::kOk;
}

Status Model::get_put(Name get_md, Name put_md, Bits bits, Size there, Name& deed) {
    for (const Name name : {get_md, put_md}) {
        const auto found = mds_.find(name);
        if (found == mds_.end() || found->second.inactive) return Status::kMdInvalid;
    }
    const Size length = mds_.at(put_md).spec.bytes.size();
    if (length > 64) return Status::kMdIllegal;
    return put(put_md, 0, length, bits, there, 5, deed);
}

Name Model::arrive(const Header& header, Bytes& where) {
    const unsigned needs = header.type == MessageType::kPut   ? unsigned{kOpPut}
                           : header.type == MessageType::kGet ? unsigned{kOpGet}
                                                              : kOpPut | kOpGet;
    std::vector<Name> order;
    for (const Entry& entry : list_) {
        const bool matches = (entry.id.nid == kAny || entry.id.nid == header.initiator.nid) &&
                             (entry.id.pid == kAny || entry.id.pid == header.initiator.pid) &&
                             (entry.bits | entry.ignore) == (header.match_bits | entry.ignore);
        if (matches && entry.md != 0) order.push_back(entry.md);
    }
    if (header.portal != 4 || !admits(header)) order.clear();
    const EventKind kind = header.type == MessageType::kPut   ? EventKind::kPutStart
                           : header.type == MessageType::kGet ? EventKind::kGetStart
                                                              : EventKind::kGetPutStart;
    for (const Name name : order) {
        Md& md = mds_.at(name);
        if (md.inactive || (md.spec.options & needs) != needs) continue;
        const bool remote = (md.spec.options & kManageRemote) != 0;
        const Size offset = remote ? header.remote_offset : md.local;
        Note note{.kind = kind,
                  .initiator = header.initiator,
                  .uid = header.uid,
                  .jid = header.jid,
                  .bits = header.match_bits,
                  .rlength = header.length,
                  .offset = offset,
                  .md = name,
                  .hdr_data = header.type == MessageType::kGet ? 0 : header.hdr_data};
        const Size total = md.spec.bytes.size();
        const bool inside = offset <= total;
        const Size room = inside ? total - offset : 0;
        if (!inside || (header.length > room && (md.spec.options & kTruncate) == 0)) {
            if (!md.unlinks_no_fit) continue;
            md.inactive = md.doomed = true;
            note.offset = md.local;
            note.threshold = md.spec.threshold;
            bury(name, note, {});
            continue;
        }
        note.mlength = std::min(header.length, room);
        where = part(md.spec.bytes, offset, note.mlength);
        if (!remote) md.local = offset + note.mlength;
        use(name, true);
        const Name deed = begin(name, note);
        Deed& begun = deeds_.at(deed);
        begun.wants_ack =
            header.type == MessageType::kPut && header.md != kNone && (md.spec.options & kAckDisable) == 0;
        begun.swaps = header.type == MessageType::kGetPut;
        begun.where = where;
        return deed;
    }
    ++drops;
    dropped += header.payload();
    return 0;
}

Name Model::reply(Name name, const Header& header, Bytes& where) {
    const auto found = mds_.find(name);
    const bool is_there = found != mds_.end() && !found->second.inactive;
    if (!is_there || header.return_offset > found->second.spec.bytes.size()) {
        ++drops;
        dropped += header.mlength;
        return 0;
    }
    const Bytes& bytes = found->second.spec.bytes;
    const Size length = std::min(header.mlength, bytes.size() - header.return_offset);
    where = part(bytes, header.return_offset, length);
    use(name, false);
    const Name deed = begin(name, {.kind = EventKind::kReplyStart,
                                   .initiator = header.initiator,
                                   .uid = header.uid,
                                   .jid = header.jid,
                                   .bits = header.match_bits,
                                   .rlength = header.length,
                                   .mlength = length,
                                   .offset = header.return_offset});
    deeds_.at(deed).where = where;
    return deed;
}

void Model::ack(Name name, const Header& header) {
    const auto found = mds_.find(name);
    if (found == mds_.end() || found->second.inactive) {
        ++drops;
        return;
    }
    use(name, false);
    const Note note{.kind = EventKind::kAck,
                    .initiator = header.initiator,
                    .uid = header.uid,
                    .jid = header.jid,
                    .bits = header.match_bits,
                    .rlength = header.length,
                    .mlength = header.mlength,
                    .offset = header.remote_offset,
                    .md = name,
                    .threshold = found->second.spec.threshold};
    std::optional<Sequence> link;
    if (hears_any(name)) link = tell(name, note, {});
    bury(name, note, link);
}

Model::Left Model::landed(Name name, const std::string& data, bool failed) {
    Deed& deed = deeds_.at(name);
    Left left;
    if (deed.swaps && !failed) {
        left.reply.emplace();
        for (std::size_t i = 0; i < deed.where.size(); ++i) {
            *left.reply += memory[deed.where[i]];
            memory[deed.where[i]] = data[i];
        }
        return left;
    }
    for (std::size_t i = 0; i < deed.where.size() && !deed.swaps; ++i)
        memory[deed.where[i]] = data[i];
    left.ack = deed.wants_ack && !failed;
    end(name, failed);
    return left;
}

void Model::sent(Name deed, bool failed) {
    end(deed, failed);
}

}  // namespace isoplane::portals::model
