// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Atomic operations: who owns the memory executes them, one after the other, when it makes progress.
#include "atomics.hh"

#include <algorithm>
#include <cstring>

#include "arithmetic.hh"
#include "endpoint.hh"

namespace isoplane::fi {

using namespace portals;

namespace {

/// In front of the operand, and of what to compare with. In network order; the values themselves are as their
/// hosts have them, as all data of RMA is.
struct Request {
    std::uint64_t key;
    std::uint64_t offset;
    std::uint32_t answer;  ///< the match bits of its result
    std::uint16_t count;
    std::uint8_t type;  ///< with kFetches, if what was there before is wanted
    std::uint8_t operation;

    static constexpr std::uint8_t kFetches = 0x80;
};
static_assert(sizeof(Request) == 24);
static_assert(sizeof(Request) + 2 * kMostAtomic <= Operation::kRoom);

/// In front of what was there before: 0, or an error of libfabric's.
using Outcome = std::int32_t;
static_assert(sizeof(Outcome) + kMostAtomic <= Operation::kRoom);

constexpr bool compares(fi_op operation) {
    return operation >= FI_CSWAP && operation <= FI_MSWAP;
}

std::size_t length_of(std::span<const iovec> pieces) {
    std::size_t length = 0;
    for (const iovec& piece : pieces)
        length += piece.iov_len;
    return length;
}

std::byte* gather(std::byte* to, std::span<const iovec> pieces) {
    for (const iovec& piece : pieces) {
        if (piece.iov_len != 0) std::memcpy(to, piece.iov_base, piece.iov_len);
        to += piece.iov_len;
    }
    return to;
}

}  // namespace

/// Its room has the request, and then the outcome; what was in the memory goes where its user wants it.
ssize_t Endpoint::execute(const Atomic& wanted) {
    if (!is_enabled()) return -FI_EOPBADSTATE;
    const Remote& remote = wanted.remote;
    const ProcessId to = process(remote.at);
    const std::size_t each = size_of(wanted.type);
    const std::size_t fetched = length_of(wanted.result);
    const std::size_t length = std::max(length_of(remote.pieces), fetched);
    const bool has_operand = wanted.operation != FI_ATOMIC_READ;
    if (to.nid >= network().size() || each == 0 || length == 0 || length % each != 0 ||
        length > kMostAtomic || wanted.result.size() >= kSegments ||
        (has_operand && length_of(remote.pieces) != length) ||
        (compares(wanted.operation) && length_of(wanted.compare) != length) ||
        (!wanted.result.empty() && fetched != length))
        return -FI_EINVAL;
    if (network().is_lost(to.nid)) return -FI_EHOSTDOWN;
    const std::uint64_t completion = FI_ATOMIC | (wanted.result.empty() ? FI_WRITE : FI_READ);
    Operation* const operation =
        begin(Operation::Kind::kAtomic, to, remote.flags, completion, remote.context);
    if (operation == nullptr) {
        network().progress();
        return -FI_EAGAIN;
    }
    const Target target = target_of(remote, to);
    const Request request{
        .key = htobe64(remote.key),
        .offset = htobe64(target.remote_offset),
        .answer = htobe32(operation->handle),
        .count = htobe16(static_cast<std::uint16_t>(length / each)),
        .type = static_cast<std::uint8_t>(wanted.type | (fetched != 0 ? Request::kFetches : 0)),
        .operation = static_cast<std::uint8_t>(wanted.operation)};
    std::byte* end = operation->room;
    std::memcpy(end, &request, sizeof request);
    end += sizeof request;
    if (has_operand) end = gather(end, remote.pieces);
    if (compares(wanted.operation)) end = gather(end, wanted.compare);
    const auto size = static_cast<std::size_t>(end - operation->room);

    std::array<Segment, kSegments> segments{{{operation->room, sizeof(Outcome)}}};
    for (std::size_t i = 0; i < wanted.result.size(); ++i)
        segments[i + 1] = {wanted.result[i].iov_base, wanted.result[i].iov_len};
    const MdSpec spec{.start = segments.data(),
                      .length = wanted.result.size() + 1,
                      .threshold = 1,
                      .max_size = 0,
                      .options = kOpPut | kTruncate | kIovec | kStartDisable,
                      .user_ptr = mark(Owner::kOperation, operation->handle),
                      .eq = queue_};
    const MatchSpec match{.id = to, .bits = operation->handle, .ignore = 0, .unlink = Unlink::kUnlink};
    Handle entry = kInvalid;
    Status status = interface_->attach_entry(kResults, match, Position::kAfter, entry);
    if (status == Status::kOk)
        status = interface_->attach(entry, spec, Unlink::kUnlink, Unlink::kRetain, operation->md);
    if (status != Status::kOk) interface_->unlink_entry(entry);
    if (status == Status::kOk)
        status =
            interface_->put(all_memory_, Range{reinterpret_cast<std::uintptr_t>(operation->room) - 1, size},
                            AckRequest::kAck,  // which only comes for one that is closed
                            {.process = to,
                             .portal = kRequests,
                             .cookie = 0,
                             .match_bits = 0,
                             .remote_offset = operation->handle},
                            0);
    if (status != Status::kOk) return give_up(*operation, status);
    push_out(remote.flags);
    return 0;
}

/// Executes what another asks for.
void Endpoint::answer(const ProcessId& from, const std::byte* message, std::size_t size) {
    Request request;
    if (size < sizeof request) return;
    std::memcpy(&request, message, sizeof request);
    Operation* const operation = begin(Operation::Kind::kAnswer, from, 0, 0, nullptr);
    if (operation == nullptr) {
        unanswered_.emplace_back(from, std::vector<std::byte>(message, message + size));
        return;
    }
    const auto type = static_cast<fi_datatype>(request.type & ~Request::kFetches);
    const auto code = static_cast<fi_op>(request.operation);
    const bool is_comparison = compares(code);
    const bool is_read = code == FI_ATOMIC_READ;
    const std::size_t length = be16toh(request.count) * size_of(type);
    const std::size_t expected = sizeof request + (is_read ? 0 : length) + (is_comparison ? length : 0);
    const bool is_sound = size == expected && length <= kMostAtomic &&
                          (can(Form::kFetch, type, code) || can(Form::kCompare, type, code));
    const bool fetches = (request.type & Request::kFetches) != 0;
    const Region* const region = is_sound ? domain_.regions().find(be64toh(request.key)) : nullptr;
    std::byte* const memory = region != nullptr ? region->find(be64toh(request.offset), length,
                                                               is_read ? FI_REMOTE_READ : FI_REMOTE_WRITE)
                                                : nullptr;
    const Outcome outcome = memory != nullptr ? 0 : FI_EACCES;
    std::size_t answered = sizeof outcome;
    std::memcpy(operation->room, &outcome, sizeof outcome);
    if (memory != nullptr) {
        const std::byte* const operand = is_read ? nullptr : message + sizeof request;
        apply(type, code, memory, operand, is_comparison ? operand + length : nullptr,
              operation->room + sizeof outcome, length / size_of(type));
        answered += length;
        Counter* const counter = fetches ? counters_.remote_read : counters_.remote_write;
        if (counter != nullptr) counter->count(false);
        Counter* const its = is_read ? region->reads : region->writes;
        if (its != nullptr) its->count(false);
    }
    const Status status =
        interface_->put(all_memory_, Range{reinterpret_cast<std::uintptr_t>(operation->room) - 1, answered},
                        AckRequest::kNoAck,
                        {.process = from,
                         .portal = kResults,
                         .cookie = 0,
                         .match_bits = be32toh(request.answer),
                         .remote_offset = operation->handle},
                        0);
    if (status != Status::kOk) answers_.give_back(*operation);
}

int query_atomic(fid_domain*, fi_datatype type, fi_op operation, fi_atomic_attr* attributes,
                 std::uint64_t flags) {
    Form form = Form::kChange;
    if ((flags & FI_FETCH_ATOMIC) != 0) form = Form::kFetch;
    if ((flags & FI_COMPARE_ATOMIC) != 0) form = Form::kCompare;
    if ((flags & FI_TAGGED) != 0 || !can(form, type, operation)) return -FI_EOPNOTSUPP;
    attributes->size = size_of(type);
    attributes->count = kMostAtomic / attributes->size;
    return 0;
}

}  // namespace isoplane::fi
