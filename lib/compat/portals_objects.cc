// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Match entries, memory descriptors, and what is done with them.
#include "portals_convert.hh"

using isoplane::compat::md_of;
using isoplane::compat::on_interface;
using isoplane::compat::on_interface_of;
using namespace isoplane::portals;

namespace {

MatchSpec match_of(ptl_process_id_t id, ptl_match_bits_t bits, ptl_match_bits_t ignore, ptl_unlink_t unlink) {
    return {{id.nid, id.pid}, bits, ignore, static_cast<Unlink>(unlink)};
}

/// What a request makes of the network happens before its caller goes on.
Status progressed(Interface& ni, Status status) {
    if (status == Status::kOk) ni.nal().progress(ni);
    return status;
}

}  // namespace

int PtlMEAttach(ptl_handle_ni_t ni, ptl_pt_index_t pt_index, ptl_process_id_t match_id,
                ptl_match_bits_t match_bits, ptl_match_bits_t ignore_bits, ptl_unlink_t unlink,
                ptl_ins_pos_t position, ptl_handle_me_t* me) {
    if (me == nullptr) return PTL_SEGV;
    return on_interface(ni, [&](Interface& its) {
        return its.attach_entry(pt_index, match_of(match_id, match_bits, ignore_bits, unlink),
                                static_cast<Position>(position), *me);
    });
}

int PtlMEAttachAny(ptl_handle_ni_t ni, ptl_pt_index_t* pt_index, ptl_process_id_t match_id,
                   ptl_match_bits_t match_bits, ptl_match_bits_t ignore_bits, ptl_unlink_t unlink,
                   ptl_handle_me_t* me) {
    if (me == nullptr || pt_index == nullptr) return PTL_SEGV;
    return on_interface(ni, [&](Interface& its) {
        return its.attach_any_entry(*pt_index, match_of(match_id, match_bits, ignore_bits, unlink), *me);
    });
}

int PtlMEInsert(ptl_handle_me_t base, ptl_process_id_t match_id, ptl_match_bits_t match_bits,
                ptl_match_bits_t ignore_bits, ptl_unlink_t unlink, ptl_ins_pos_t position,
                ptl_handle_me_t* me) {
    if (me == nullptr) return PTL_SEGV;
    return on_interface_of(base, Status::kMeInvalid, [&](Interface& its) {
        return its.insert_entry(base, match_of(match_id, match_bits, ignore_bits, unlink),
                                static_cast<Position>(position), *me);
    });
}

int PtlMEUnlink(ptl_handle_me_t me) {
    return on_interface_of(me, Status::kMeInvalid, [me](Interface& its) { return its.unlink_entry(me); });
}

int PtlMDAttach(ptl_handle_me_t me, ptl_md_t md, ptl_unlink_t unlink_op, ptl_handle_md_t* md_handle) {
    return ptlx_MDAttach(me, md, unlink_op, PTL_RETAIN, md_handle);
}

int ptlx_MDAttach(ptl_handle_me_t me, ptl_md_t md, ptl_unlink_t unlink_op, ptl_unlink_t unlink_nofit,
                  ptl_handle_md_t* md_handle) {
    return on_interface_of(me, Status::kMeInvalid, [&](Interface& its) {
        Handle made = kInvalid;
        const Status status = its.attach(me, md_of(md), static_cast<Unlink>(unlink_op),
                                         static_cast<Unlink>(unlink_nofit), made);
        if (status == Status::kOk && md_handle != nullptr) *md_handle = made;
        return status;
    });
}

int PtlMDBind(ptl_handle_ni_t ni, ptl_md_t md, ptl_unlink_t unlink_op, ptl_handle_md_t* md_handle) {
    if (md_handle == nullptr) return PTL_SEGV;
    return on_interface(
        ni, [&](Interface& its) { return its.bind(md_of(md), static_cast<Unlink>(unlink_op), *md_handle); });
}

int PtlMDUnlink(ptl_handle_md_t md) {
    return on_interface_of(md, Status::kMdInvalid, [md](Interface& its) { return its.unlink(md); });
}

int PtlMDUpdate(ptl_handle_md_t md, ptl_md_t* old_md, ptl_md_t* new_md, ptl_handle_eq_t testq) {
    return on_interface_of(md, Status::kMdInvalid, [&](Interface& its) {
        MdSpec old = old_md != nullptr ? md_of(*old_md) : MdSpec{};
        const MdSpec fresh = new_md != nullptr ? md_of(*new_md) : MdSpec{};
        const Status status =
            its.update(md, old_md != nullptr ? &old : nullptr, new_md != nullptr ? &fresh : nullptr, testq);
        if (old_md != nullptr && status != Status::kMdInvalid) isoplane::compat::convert(old, *old_md);
        return status;
    });
}

int PtlMEMDPost(ptl_handle_ni_t ni, ptl_handle_me_t base, ptl_process_id_t match_id,
                ptl_match_bits_t match_bits, ptl_match_bits_t ignore_bits, ptl_unlink_t unlink,
                ptl_ins_pos_t position, ptl_md_t md, ptl_unlink_t unlink_op, ptl_handle_me_t* me,
                ptl_handle_md_t* md_handle, ptl_handle_eq_t eq) {
    if (me == nullptr || md_handle == nullptr) return PTL_SEGV;
    return on_interface(ni, [&](Interface& its) {
        return its.post(base, match_of(match_id, match_bits, ignore_bits, unlink),
                        static_cast<Position>(position), md_of(md), static_cast<Unlink>(unlink_op), eq, *me,
                        *md_handle);
    });
}

int PtlPut(ptl_handle_md_t md, ptl_ack_req_t ack_req, ptl_process_id_t target, ptl_pt_index_t pt_index,
           ptl_ac_index_t ac_index, ptl_match_bits_t match_bits, ptl_size_t remote_offset,
           ptl_hdr_data_t hdr_data) {
    const Target to{{target.nid, target.pid}, pt_index, ac_index, match_bits, remote_offset};
    return on_interface_of(md, Status::kMdInvalid, [&](Interface& its) {
        return progressed(its, its.put(md, {}, static_cast<AckRequest>(ack_req), to, hdr_data));
    });
}

int PtlPutRegion(ptl_handle_md_t md, ptl_size_t local_offset, ptl_size_t length, ptl_ack_req_t ack_req,
                 ptl_process_id_t target, ptl_pt_index_t pt_index, ptl_ac_index_t ac_index,
                 ptl_match_bits_t match_bits, ptl_size_t remote_offset, ptl_hdr_data_t hdr_data) {
    const Target to{{target.nid, target.pid}, pt_index, ac_index, match_bits, remote_offset};
    return on_interface_of(md, Status::kMdInvalid, [&](Interface& its) {
        return progressed(
            its, its.put(md, Range{local_offset, length}, static_cast<AckRequest>(ack_req), to, hdr_data));
    });
}

int PtlGet(ptl_handle_md_t md, ptl_process_id_t target, ptl_pt_index_t pt_index, ptl_ac_index_t ac_index,
           ptl_match_bits_t match_bits, ptl_size_t remote_offset) {
    const Target to{{target.nid, target.pid}, pt_index, ac_index, match_bits, remote_offset};
    return on_interface_of(md, Status::kMdInvalid,
                           [&](Interface& its) { return progressed(its, its.get(md, {}, to)); });
}

int PtlGetRegion(ptl_handle_md_t md, ptl_size_t local_offset, ptl_size_t length, ptl_process_id_t target,
                 ptl_pt_index_t pt_index, ptl_ac_index_t ac_index, ptl_match_bits_t match_bits,
                 ptl_size_t remote_offset) {
    const Target to{{target.nid, target.pid}, pt_index, ac_index, match_bits, remote_offset};
    return on_interface_of(md, Status::kMdInvalid, [&](Interface& its) {
        return progressed(its, its.get(md, Range{local_offset, length}, to));
    });
}

int PtlGetPut(ptl_handle_md_t get_md, ptl_handle_md_t put_md, ptl_process_id_t target,
              ptl_pt_index_t pt_index, ptl_ac_index_t ac_index, ptl_match_bits_t match_bits,
              ptl_size_t remote_offset, ptl_hdr_data_t hdr_data) {
    const Target to{{target.nid, target.pid}, pt_index, ac_index, match_bits, remote_offset};
    return on_interface_of(get_md, Status::kMdInvalid, [&](Interface& its) {
        return progressed(its, its.get_put(get_md, put_md, to, hdr_data));
    });
}
