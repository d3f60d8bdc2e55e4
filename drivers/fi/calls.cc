// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Messages: every way to say that there are is one of two.
#include "calls.hh"

#include "endpoint.hh"

namespace isoplane::fi {

namespace {

/// Calls that have no flags of their own.
std::uint64_t usual(fid_ep* its, bool transmits) {
    return object<Endpoint>(its).default_flags(transmits);
}

ssize_t send(fid_ep* its, const Outgoing& out) {
    Endpoint& endpoint = object<Endpoint>(its);
    const Network::Guard guard(endpoint.network().lock());
    return endpoint.send(out);
}

ssize_t receive(fid_ep* its, const Incoming& in) {
    Endpoint& endpoint = object<Endpoint>(its);
    const Network::Guard guard(endpoint.network().lock());
    return endpoint.receive(in);
}

iovec piece(const void* start, std::size_t length) {
    return {const_cast<void*>(start), length};
}

/// Injected: nobody is told that it went well.
constexpr std::uint64_t kInjected = FI_INJECT | kSilent;

// Without tags.

ssize_t recv_v(fid_ep* its, const iovec* iov, void**, std::size_t count, fi_addr_t from, void* context) {
    return receive(its,
                   {.pieces = {iov, count}, .from = from, .flags = usual(its, false), .context = context});
}
ssize_t recv(fid_ep* its, void* buffer, std::size_t length, void*, fi_addr_t from, void* context) {
    const iovec one = piece(buffer, length);
    return recv_v(its, &one, nullptr, 1, from, context);
}
ssize_t recv_msg(fid_ep* its, const fi_msg* msg, std::uint64_t flags) {
    return receive(its, {.pieces = {msg->msg_iov, msg->iov_count},
                         .from = msg->addr,
                         .flags = flags,
                         .context = msg->context});
}
ssize_t send_v(fid_ep* its, const iovec* iov, void**, std::size_t count, fi_addr_t to, void* context) {
    return send(its, {.pieces = {iov, count}, .to = to, .flags = usual(its, true), .context = context});
}
ssize_t send_one(fid_ep* its, const void* buffer, std::size_t length, void*, fi_addr_t to, void* context) {
    const iovec one = piece(buffer, length);
    return send_v(its, &one, nullptr, 1, to, context);
}
ssize_t send_msg(fid_ep* its, const fi_msg* msg, std::uint64_t flags) {
    return send(its, {.pieces = {msg->msg_iov, msg->iov_count},
                      .to = msg->addr,
                      .data = msg->data,
                      .flags = flags,
                      .context = msg->context});
}
ssize_t inject(fid_ep* its, const void* buffer, std::size_t length, fi_addr_t to) {
    const iovec one = piece(buffer, length);
    return send(its, {.pieces = {&one, 1}, .to = to, .flags = kInjected});
}
ssize_t send_data(fid_ep* its, const void* buffer, std::size_t length, void*, std::uint64_t data,
                  fi_addr_t to, void* context) {
    const iovec one = piece(buffer, length);
    return send(its, {.pieces = {&one, 1},
                      .to = to,
                      .data = data,
                      .flags = usual(its, true) | FI_REMOTE_CQ_DATA,
                      .context = context});
}
ssize_t inject_data(fid_ep* its, const void* buffer, std::size_t length, std::uint64_t data, fi_addr_t to) {
    const iovec one = piece(buffer, length);
    return send(its, {.pieces = {&one, 1}, .to = to, .data = data, .flags = kInjected | FI_REMOTE_CQ_DATA});
}

// With them.

ssize_t t_recv_v(fid_ep* its, const iovec* iov, void**, std::size_t count, fi_addr_t from, std::uint64_t tag,
                 std::uint64_t ignore, void* context) {
    return receive(its, {.pieces = {iov, count},
                         .from = from,
                         .portal = kTagged,
                         .tag = tag,
                         .ignore = ignore,
                         .flags = usual(its, false) & ~FI_MULTI_RECV,
                         .context = context});
}
ssize_t t_recv(fid_ep* its, void* buffer, std::size_t length, void*, fi_addr_t from, std::uint64_t tag,
               std::uint64_t ignore, void* context) {
    const iovec one = piece(buffer, length);
    return t_recv_v(its, &one, nullptr, 1, from, tag, ignore, context);
}
ssize_t t_recv_msg(fid_ep* its, const fi_msg_tagged* msg, std::uint64_t flags) {
    return receive(its, {.pieces = {msg->msg_iov, msg->iov_count},
                         .from = msg->addr,
                         .portal = kTagged,
                         .tag = msg->tag,
                         .ignore = msg->ignore,
                         .flags = flags & ~FI_MULTI_RECV,
                         .context = msg->context});
}
ssize_t t_send_v(fid_ep* its, const iovec* iov, void**, std::size_t count, fi_addr_t to, std::uint64_t tag,
                 void* context) {
    return send(its, {.pieces = {iov, count},
                      .to = to,
                      .portal = kTagged,
                      .tag = tag,
                      .flags = usual(its, true),
                      .context = context});
}
ssize_t t_send(fid_ep* its, const void* buffer, std::size_t length, void*, fi_addr_t to, std::uint64_t tag,
               void* context) {
    const iovec one = piece(buffer, length);
    return t_send_v(its, &one, nullptr, 1, to, tag, context);
}
ssize_t t_send_msg(fid_ep* its, const fi_msg_tagged* msg, std::uint64_t flags) {
    return send(its, {.pieces = {msg->msg_iov, msg->iov_count},
                      .to = msg->addr,
                      .portal = kTagged,
                      .tag = msg->tag,
                      .data = msg->data,
                      .flags = flags,
                      .context = msg->context});
}
ssize_t t_inject(fid_ep* its, const void* buffer, std::size_t length, fi_addr_t to, std::uint64_t tag) {
    const iovec one = piece(buffer, length);
    return send(its, {.pieces = {&one, 1}, .to = to, .portal = kTagged, .tag = tag, .flags = kInjected});
}
ssize_t t_send_data(fid_ep* its, const void* buffer, std::size_t length, void*, std::uint64_t data,
                    fi_addr_t to, std::uint64_t tag, void* context) {
    const iovec one = piece(buffer, length);
    return send(its, {.pieces = {&one, 1},
                      .to = to,
                      .portal = kTagged,
                      .tag = tag,
                      .data = data,
                      .flags = usual(its, true) | FI_REMOTE_CQ_DATA,
                      .context = context});
}
ssize_t t_inject_data(fid_ep* its, const void* buffer, std::size_t length, std::uint64_t data, fi_addr_t to,
                      std::uint64_t tag) {
    const iovec one = piece(buffer, length);
    return send(its, {.pieces = {&one, 1},
                      .to = to,
                      .portal = kTagged,
                      .tag = tag,
                      .data = data,
                      .flags = kInjected | FI_REMOTE_CQ_DATA});
}

fi_ops_msg kMessageCalls{.size = sizeof(fi_ops_msg),
                         .recv = recv,
                         .recvv = recv_v,
                         .recvmsg = recv_msg,
                         .send = send_one,
                         .sendv = send_v,
                         .sendmsg = send_msg,
                         .inject = inject,
                         .senddata = send_data,
                         .injectdata = inject_data};
fi_ops_tagged kTaggedCalls{.size = sizeof(fi_ops_tagged),
                           .recv = t_recv,
                           .recvv = t_recv_v,
                           .recvmsg = t_recv_msg,
                           .send = t_send,
                           .sendv = t_send_v,
                           .sendmsg = t_send_msg,
                           .inject = t_inject,
                           .senddata = t_send_data,
                           .injectdata = t_inject_data};

}  // namespace

fi_ops_msg* message_calls() {
    return &kMessageCalls;
}
fi_ops_tagged* tagged_calls() {
    return &kTaggedCalls;
}

}  // namespace isoplane::fi
