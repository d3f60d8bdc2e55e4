// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Memory of others: every way to say it is one of three.
#include <array>

#include "arithmetic.hh"
#include "atomics.hh"
#include "calls.hh"
#include "endpoint.hh"

namespace isoplane::fi {

namespace {

constexpr std::uint64_t kInjected = FI_INJECT | kSilent;

std::uint64_t usual(fid_ep* its) {
    return object<Endpoint>(its).default_flags(true);
}

ssize_t write_there(fid_ep* its, const Remote& remote) {
    Endpoint& endpoint = object<Endpoint>(its);
    const Network::Guard guard(endpoint.network().lock());
    return endpoint.write(remote);
}

ssize_t read_there(fid_ep* its, const Remote& remote) {
    Endpoint& endpoint = object<Endpoint>(its);
    const Network::Guard guard(endpoint.network().lock());
    return endpoint.read(remote);
}

iovec piece(const void* start, std::size_t length) {
    return {const_cast<void*>(start), length};
}

ssize_t read_v(fid_ep* its, const iovec* iov, void**, std::size_t count, fi_addr_t from,
               std::uint64_t address, std::uint64_t key, void* context) {
    return read_there(its, {.pieces = {iov, count},
                            .at = from,
                            .address = address,
                            .key = key,
                            .flags = usual(its),
                            .context = context});
}
ssize_t read_one(fid_ep* its, void* buffer, std::size_t length, void*, fi_addr_t from, std::uint64_t address,
                 std::uint64_t key, void* context) {
    const iovec one = piece(buffer, length);
    return read_v(its, &one, nullptr, 1, from, address, key, context);
}
Remote remote_of(const fi_msg_rma& msg, std::uint64_t flags) {
    return {.pieces = {msg.msg_iov, msg.iov_count},
            .at = msg.addr,
            .address = msg.rma_iov->addr,
            .key = msg.rma_iov->key,
            .data = msg.data,
            .flags = flags,
            .context = msg.context};
}
ssize_t read_msg(fid_ep* its, const fi_msg_rma* msg, std::uint64_t flags) {
    if (msg->rma_iov_count != 1) return -FI_EINVAL;
    return read_there(its, remote_of(*msg, flags));
}
ssize_t write_v(fid_ep* its, const iovec* iov, void**, std::size_t count, fi_addr_t to, std::uint64_t address,
                std::uint64_t key, void* context) {
    return write_there(its, {.pieces = {iov, count},
                             .at = to,
                             .address = address,
                             .key = key,
                             .flags = usual(its),
                             .context = context});
}
ssize_t write_one(fid_ep* its, const void* buffer, std::size_t length, void*, fi_addr_t to,
                  std::uint64_t address, std::uint64_t key, void* context) {
    const iovec one = piece(buffer, length);
    return write_v(its, &one, nullptr, 1, to, address, key, context);
}
ssize_t write_msg(fid_ep* its, const fi_msg_rma* msg, std::uint64_t flags) {
    if (msg->rma_iov_count != 1) return -FI_EINVAL;
    return write_there(its, remote_of(*msg, flags));
}
ssize_t write_inject(fid_ep* its, const void* buffer, std::size_t length, fi_addr_t to, std::uint64_t address,
                     std::uint64_t key) {
    const iovec one = piece(buffer, length);
    return write_there(its,
                       {.pieces = {&one, 1}, .at = to, .address = address, .key = key, .flags = kInjected});
}
ssize_t write_data(fid_ep* its, const void* buffer, std::size_t length, void*, std::uint64_t data,
                   fi_addr_t to, std::uint64_t address, std::uint64_t key, void* context) {
    const iovec one = piece(buffer, length);
    return write_there(its, {.pieces = {&one, 1},
                             .at = to,
                             .address = address,
                             .key = key,
                             .data = data,
                             .flags = usual(its) | FI_REMOTE_CQ_DATA,
                             .context = context});
}
ssize_t write_inject_data(fid_ep* its, const void* buffer, std::size_t length, std::uint64_t data,
                          fi_addr_t to, std::uint64_t address, std::uint64_t key) {
    const iovec one = piece(buffer, length);
    return write_there(its, {.pieces = {&one, 1},
                             .at = to,
                             .address = address,
                             .key = key,
                             .data = data,
                             .flags = kInjected | FI_REMOTE_CQ_DATA});
}

fi_ops_rma kRemoteCalls{.size = sizeof(fi_ops_rma),
                        .read = read_one,
                        .readv = read_v,
                        .readmsg = read_msg,
                        .write = write_one,
                        .writev = write_v,
                        .writemsg = write_msg,
                        .inject = write_inject,
                        .writedata = write_data,
                        .injectdata = write_inject_data};

// Atomic operations, whose memory is given in values rather than bytes.

/// As bytes; more pieces than there may be count as none, which nothing is done with.
class Bytes {
  public:
    Bytes(const fi_ioc* values, std::size_t count, fi_datatype type) {
        for (; count_ < count && count <= kSegments; ++count_)
            pieces_[count_] = {values[count_].addr, values[count_].count * size_of(type)};
    }
    operator std::span<const iovec>() const { return {pieces_.data(), count_}; }

  private:
    std::array<iovec, kSegments> pieces_{};
    std::size_t count_ = 0;
};

struct Values {
    const fi_ioc* values = nullptr;
    std::size_t count = 0;
};

ssize_t execute(fid_ep* its, Form form, const fi_msg_atomic& msg, const Values& compare, const Values& result,
                std::uint64_t flags) {
    if (msg.rma_iov_count != 1) return -FI_EINVAL;
    if (!can(form, msg.datatype, msg.op)) return -FI_EOPNOTSUPP;
    const Bytes operand(msg.msg_iov, msg.iov_count, msg.datatype);
    const Bytes compared(compare.values, compare.count, msg.datatype);
    const Bytes results(result.values, result.count, msg.datatype);
    Endpoint& endpoint = object<Endpoint>(its);
    const Network::Guard guard(endpoint.network().lock());
    return endpoint.execute({.remote = {.pieces = operand,
                                        .at = msg.addr,
                                        .address = msg.rma_iov->addr,
                                        .key = msg.rma_iov->key,
                                        .data = msg.data,
                                        .flags = flags,
                                        .context = msg.context},
                             .compare = compared,
                             .result = results,
                             .type = msg.datatype,
                             .operation = msg.op});
}

/// Where the memory is, and what is done there.
struct Place {
    fi_addr_t at;
    std::uint64_t address;
    std::uint64_t key;
    fi_datatype type;
    fi_op operation;
};

ssize_t execute(fid_ep* its, Form form, const Values& operand, const Values& compare, const Values& result,
                const Place& place, void* context, std::uint64_t flags) {
    const fi_rma_ioc remote{.addr = place.address, .count = operand.count, .key = place.key};
    const fi_msg_atomic msg{.msg_iov = operand.values,
                            .desc = nullptr,
                            .iov_count = operand.count,
                            .addr = place.at,
                            .rma_iov = &remote,
                            .rma_iov_count = 1,
                            .datatype = place.type,
                            .op = place.operation,
                            .context = context,
                            .data = 0};
    return execute(its, form, msg, compare, result, flags);
}

fi_ioc values(const void* start, std::size_t count) {
    return {.addr = const_cast<void*>(start), .count = count};
}

ssize_t change_v(fid_ep* its, const fi_ioc* iov, void**, std::size_t count, fi_addr_t to,
                 std::uint64_t address, std::uint64_t key, fi_datatype type, fi_op operation, void* context) {
    return execute(its, Form::kChange, {iov, count}, {}, {}, {to, address, key, type, operation}, context,
                   usual(its));
}
ssize_t change(fid_ep* its, const void* buffer, std::size_t count, void*, fi_addr_t to, std::uint64_t address,
               std::uint64_t key, fi_datatype type, fi_op operation, void* context) {
    const fi_ioc one = values(buffer, count);
    return change_v(its, &one, nullptr, 1, to, address, key, type, operation, context);
}
ssize_t change_msg(fid_ep* its, const fi_msg_atomic* msg, std::uint64_t flags) {
    return execute(its, Form::kChange, *msg, {}, {}, flags);
}
ssize_t change_inject(fid_ep* its, const void* buffer, std::size_t count, fi_addr_t to, std::uint64_t address,
                      std::uint64_t key, fi_datatype type, fi_op operation) {
    const fi_ioc one = values(buffer, count);
    return execute(its, Form::kChange, {&one, 1}, {}, {}, {to, address, key, type, operation}, nullptr,
                   kInjected);
}
ssize_t fetch_v(fid_ep* its, const fi_ioc* iov, void**, std::size_t count, fi_ioc* result, void**,
                std::size_t results, fi_addr_t to, std::uint64_t address, std::uint64_t key, fi_datatype type,
                fi_op operation, void* context) {
    return execute(its, Form::kFetch, {iov, count}, {}, {result, results},
                   {to, address, key, type, operation}, context, usual(its));
}
ssize_t fetch(fid_ep* its, const void* buffer, std::size_t count, void*, void* result, void*, fi_addr_t to,
              std::uint64_t address, std::uint64_t key, fi_datatype type, fi_op operation, void* context) {
    const fi_ioc one = values(buffer, operation == FI_ATOMIC_READ ? 0 : count);
    const fi_ioc there = values(result, count);
    return execute(its, Form::kFetch, {&one, 1}, {}, {&there, 1}, {to, address, key, type, operation},
                   context, usual(its));
}
ssize_t fetch_msg(fid_ep* its, const fi_msg_atomic* msg, fi_ioc* result, void**, std::size_t results,
                  std::uint64_t flags) {
    return execute(its, Form::kFetch, *msg, {}, {result, results}, flags);
}
ssize_t compare_v(fid_ep* its, const fi_ioc* iov, void**, std::size_t count, const fi_ioc* compare, void**,
                  std::size_t compares, fi_ioc* result, void**, std::size_t results, fi_addr_t to,
                  std::uint64_t address, std::uint64_t key, fi_datatype type, fi_op operation,
                  void* context) {
    return execute(its, Form::kCompare, {iov, count}, {compare, compares}, {result, results},
                   {to, address, key, type, operation}, context, usual(its));
}
ssize_t compare_one(fid_ep* its, const void* buffer, std::size_t count, void*, const void* compare, void*,
                    void* result, void*, fi_addr_t to, std::uint64_t address, std::uint64_t key,
                    fi_datatype type, fi_op operation, void* context) {
    const fi_ioc one = values(buffer, count);
    const fi_ioc with = values(compare, count);
    const fi_ioc there = values(result, count);
    return execute(its, Form::kCompare, {&one, 1}, {&with, 1}, {&there, 1},
                   {to, address, key, type, operation}, context, usual(its));
}
ssize_t compare_msg(fid_ep* its, const fi_msg_atomic* msg, const fi_ioc* compare, void**,
                    std::size_t compares, fi_ioc* result, void**, std::size_t results, std::uint64_t flags) {
    return execute(its, Form::kCompare, *msg, {compare, compares}, {result, results}, flags);
}

template <Form form>
int valid(fid_ep*, fi_datatype type, fi_op operation, std::size_t* count) {
    if (!can(form, type, operation)) return -FI_EOPNOTSUPP;
    if (count != nullptr) *count = kMostAtomic / size_of(type);
    return 0;
}

fi_ops_atomic kAtomicCalls{.size = sizeof(fi_ops_atomic),
                           .write = change,
                           .writev = change_v,
                           .writemsg = change_msg,
                           .inject = change_inject,
                           .readwrite = fetch,
                           .readwritev = fetch_v,
                           .readwritemsg = fetch_msg,
                           .compwrite = compare_one,
                           .compwritev = compare_v,
                           .compwritemsg = compare_msg,
                           .writevalid = valid<Form::kChange>,
                           .readwritevalid = valid<Form::kFetch>,
                           .compwritevalid = valid<Form::kCompare>};

}  // namespace

fi_ops_rma* remote_calls() {
    return &kRemoteCalls;
}
fi_ops_atomic* atomic_calls() {
    return &kAtomicCalls;
}

}  // namespace isoplane::fi
