// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Memory of others.
#include "endpoint.hh"

namespace isoplane::fi {

using namespace portals;

/// With keys of ours, addresses are those of the other process.
Target Endpoint::target_of(const Remote& remote, const ProcessId& to) const noexcept {
    const std::uint64_t base = domain_.is_basic() ? base_of(remote.key) : 0;
    return {.process = to,
            .portal = kMemory,
            .cookie = 0,
            .match_bits = remote.key,
            .remote_offset = remote.address - base};
}

ssize_t Endpoint::write(const Remote& remote) {
    if (!is_enabled()) return -FI_EOPBADSTATE;
    const ProcessId to = process(remote.at);
    if (to.nid >= network().size() || remote.pieces.size() > kSegments) return -FI_EINVAL;
    if (network().is_lost(to.nid)) return -FI_EHOSTDOWN;
    Segments data(remote.pieces);
    const bool is_kept = (remote.flags & FI_INJECT) != 0;
    if (is_kept && data.length > kInjectSize) return -FI_EMSGSIZE;
    Operation* const operation =
        begin(Operation::Kind::kWrite, to, remote.flags, FI_RMA | FI_WRITE, remote.context);
    if (operation == nullptr) {
        network().progress();
        return -FI_EAGAIN;
    }
    if (is_kept) keep(*operation, data);
    MdSpec spec{.start = nullptr,
                .length = 0,
                .threshold = 2,
                .max_size = 0,
                .options = kStartDisable,
                .user_ptr = mark(Owner::kOperation, operation->handle),
                .eq = queue_};
    data.fill(spec);
    const Extra extra{.has_data = (remote.flags & FI_REMOTE_CQ_DATA) != 0,
                      .data = static_cast<std::uint32_t>(remote.data)};
    Status status = interface_->bind(spec, Unlink::kUnlink, operation->md);
    if (status == Status::kOk)
        status = interface_->put(operation->md, {}, AckRequest::kAck, target_of(remote, to), extra.pack());
    if (status != Status::kOk) return give_up(*operation, status);
    push_out(remote.flags);
    return 0;
}

ssize_t Endpoint::read(const Remote& remote) {
    if (!is_enabled()) return -FI_EOPBADSTATE;
    const ProcessId from = process(remote.at);
    if (from.nid >= network().size() || remote.pieces.size() > kSegments) return -FI_EINVAL;
    if (network().is_lost(from.nid)) return -FI_EHOSTDOWN;
    Segments data(remote.pieces);
    Operation* const operation =
        begin(Operation::Kind::kRead, from, remote.flags, FI_RMA | FI_READ, remote.context);
    if (operation == nullptr) {
        network().progress();
        return -FI_EAGAIN;
    }
    MdSpec spec{.start = nullptr,
                .length = 0,
                .threshold = 1,
                .max_size = 0,
                .options = kStartDisable | kUnlinkDisable,
                .user_ptr = mark(Owner::kOperation, operation->handle),
                .eq = queue_};
    data.fill(spec);
    Status status = interface_->bind(spec, Unlink::kUnlink, operation->md);
    if (status == Status::kOk) status = interface_->get(operation->md, {}, target_of(remote, from));
    if (status != Status::kOk) return give_up(*operation, status);
    operation->has_left = true;  // a get has no SEND_END
    push_out(remote.flags);
    return 0;
}

/// Others have written to a region.
void Endpoint::tell_of_write(const Event& event) {
    Region* const region = domain_.regions().numbered(which_of(event));
    if (region == nullptr) return;
    const bool has_failed = event.failure != kSuccess;
    if (region->writes != nullptr) region->writes->count(has_failed);
    if (counters_.remote_write != nullptr) counters_.remote_write->count(has_failed);
    const Extra extra = Extra::unpack(event.hdr_data);
    if (!extra.has_data || has_failed || receives_to_ == nullptr) return;
    receives_to_->write(
        {.context = nullptr,
         .flags = FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA,
         .length = static_cast<std::size_t>(event.mlength),
         .data = extra.data,
         .source = (caps_ & FI_SOURCE) != 0 ? vector_->name_of(event.initiator) : FI_ADDR_NOTAVAIL});
}

}  // namespace isoplane::fi
