// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// What messages do, those that leave and those that arrive.
#include <algorithm>

#include "model.hh"

namespace isoplane::portals::model {

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

bool Model::admits(const Header& header) const {
    if (header.cookie >= guests_.size()) return false;
    const Guest& guest = guests_[header.cookie];
    const auto is = [](std::uint32_t wanted, std::uint32_t real) { return wanted == kAny || wanted == real; };
    return is(guest.id.nid, header.initiator.nid) && is(guest.id.pid, header.initiator.pid) &&
           is(guest.uid, header.uid) && is(guest.jid, header.jid) && is(guest.portal, header.portal);
}

/// Of what this process asks others for.
Note Model::own(EventKind kind, Size length) const {
    return {.kind = kind, .initiator = here, .uid = uid, .jid = jid, .rlength = length, .mlength = length};
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

Status Model::get_put(Name get_md, Name put_md, Bits bits, Size there, std::uint64_t hdr_data, Name& deed) {
    for (const Name name : {get_md, put_md}) {
        const auto found = mds_.find(name);
        if (found == mds_.end() || found->second.inactive) return Status::kMdInvalid;
    }
    const Size length = mds_.at(put_md).spec.bytes.size();
    if (length > 64) return Status::kMdIllegal;
    return put(put_md, 0, length, bits, there, hdr_data, deed);
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
