// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// What this process asks of others.
#include <isoplane/portals/interface.hh>

namespace isoplane::portals {

/// The MD and the part of it, if they can be the source, or the sink, of a request to that process.
Status Interface::find_active(Handle handle, const std::optional<Range>& part, const Target& target,
                              Descriptor*& found, Range& range) noexcept {
    found = is_open_ ? descriptors_.find(handle) : nullptr;
    if (found == nullptr || found->inactive) return Status::kMdInvalid;
    if (target.process.nid == kAny || target.process.pid == kAny) return Status::kProcessInvalid;
    range.offset = part ? part->offset : 0;
    range.length = part ? part->length : found->total;
    const bool inside = range.offset <= found->total && range.length <= found->total - range.offset;
    return inside ? Status::kOk : Status::kMdIllegal;
}

Header Interface::header_to(const Target& target, MessageType type, Size length) const noexcept {
    return {.type = type,
            .target = target.process,
            .initiator = id_,
            .uid = options_.uid,
            .jid = options_.jid,
            .portal = target.portal,
            .cookie = target.cookie,
            .match_bits = target.match_bits,
            .remote_offset = target.remote_offset,
            .length = length};
}

/// What SEND events tell of, from here until the NAL has sent it. The data begins there in the MD.
Status Interface::send(Descriptor& md, const Header& header, Size offset) {
    const Pieces data = md.pieces(offset, header.length);
    Course here;
    const bool is_sent = nal_.inject(*this, header, data);
    Pending* const pending = is_sent ? nullptr : pending_.take();
    if (!is_sent && pending == nullptr) return Status::kNoSpace;
    if (pending != nullptr) pending->message = header;
    Course& course = pending != nullptr ? *pending : here;
    charge(md);
    begin(course, md, EventKind::kSendStart, pending != nullptr ? pending->message : header,
          {header.remote_offset, header.length});
    tell_start(course);
    count(Register::kSendCount, header.length);
    if (is_sent)
        finish(course, kSuccess);
    else
        nal_.submit(*this, header, data, pending->handle);
    return Status::kOk;
}

Status Interface::put(Handle handle, const std::optional<Range>& part, AckRequest ack, const Target& target,
                      std::uint64_t hdr_data) {
    const Lock lock(mutex_);
    Descriptor* md = nullptr;
    Range range;
    if (const Status status = find_active(handle, part, target, md, range); status != Status::kOk)
        return status;
    Header header = header_to(target, MessageType::kPut, range.length);
    header.hdr_data = hdr_data;
    if (ack == AckRequest::kAck) {
        header.md = md->handle;
        header.md_generation = md->generation;
    }
    return send(*md, header, range.offset);
}

/// The request costs nothing, and holds the MD no longer than it takes to leave: the reply may never come.
Status Interface::get(Handle handle, const std::optional<Range>& part, const Target& target) {
    const Lock lock(mutex_);
    Descriptor* md = nullptr;
    Range range;
    if (const Status status = find_active(handle, part, target, md, range); status != Status::kOk)
        return status;
    Header header = header_to(target, MessageType::kGet, range.length);
    header.return_offset = range.offset;
    header.md = md->handle;
    header.md_generation = md->generation;
    const bool is_sent = nal_.inject(*this, header, {});
    Pending* const pending = is_sent ? nullptr : pending_.take();
    if (!is_sent && pending == nullptr) return Status::kNoSpace;
    if (options_.planted.charges_get) [[unlikely]]
        charge(*md);
    count(Register::kSendCount, 0);
    if (is_sent) return Status::kOk;
    pending->message = header;
    begin(*pending, *md, EventKind::kSendStart, pending->message, {header.remote_offset, header.length});
    pending->is_silent = true;
    nal_.submit(*this, header, {}, pending->handle);
    return Status::kOk;
}

Status Interface::get_put(Handle get_handle, Handle put_handle, const Target& target,
                          std::uint64_t hdr_data) {
    const Lock lock(mutex_);
    const unsigned numbers[] = {HandleParts::unpack(get_handle).interface,
                                HandleParts::unpack(put_handle).interface};
    if (numbers[0] != numbers[1] && (numbers[0] == number_ || numbers[1] == number_))
        return Status::kMdIllegal;
    Descriptor* get_md = nullptr;
    Descriptor* put_md = nullptr;
    Range range;
    if (const Status status = find_active(get_handle, {}, target, get_md, range); status != Status::kOk)
        return status;
    if (const Status status = find_active(put_handle, {}, target, put_md, range); status != Status::kOk)
        return status;
    if (range.length > static_cast<Size>(std::max(options_.limits.max_getput, 0))) return Status::kMdIllegal;
    Header header = header_to(target, MessageType::kGetPut, range.length);
    header.hdr_data = hdr_data;
    header.md = get_md->handle;
    header.md_generation = get_md->generation;
    return send(*put_md, header, range.offset);
}

}  // namespace isoplane::portals
