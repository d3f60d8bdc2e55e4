// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "registration.hh"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <isoplane/runtime/telemetry_client.hh>
#include <stdexcept>

namespace isoplane::share {

namespace {

constexpr std::size_t kDescriptors = 2;

/// A message and the descriptors that go with it, as the system calls want them.
struct Envelope {
    explicit Envelope(Request& request) : bytes{&request, sizeof request} {
        header.msg_iov = &bytes;
        header.msg_iovlen = 1;
        header.msg_control = control.data();
        header.msg_controllen = control.size();
    }

    iovec bytes;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kDescriptors * sizeof(int))> control{};
    msghdr header{};
};

}  // namespace

Handle::~Handle() {
    if (descriptor_ >= 0) close(descriptor_);
}

Request Request::of(const Identity& who) {
    Request request;
    request.job_key = who.job_key;
    request.address = who.address;
    request.node = who.node;
    request.hosts = who.hosts;
    request.ethertype = who.encapsulation.ethertype;
    request.udp_port = who.encapsulation.udp_port;
    request.in_udp = who.encapsulation.transport == wire::Transport::kUdp ? 1 : 0;
    request.mac = who.mac;
    const std::string_view program = program_invocation_short_name;
    std::copy_n(program.begin(), std::min(program.size(), request.program.size() - 1),
                request.program.begin());
    // A part of a path would be another.
    if (const std::string socket = runtime::own_telemetry_socket(); socket.size() < request.telemetry.size())
        std::copy(socket.begin(), socket.end(), request.telemetry.begin());
    return request;
}

Identity Request::identity() const {
    return {.mac = mac,
            .job_key = job_key,
            .node = node,
            .hosts = hosts,
            .encapsulation = {.transport = in_udp != 0 ? wire::Transport::kUdp : wire::Transport::kEthernet,
                              .ethertype = ethertype,
                              .udp_port = udp_port},
            .address = address};
}

Answer Answer::refusal(std::string_view why) {
    Answer answer;
    std::copy_n(why.begin(), std::min(why.size(), answer.sentence.size() - 1), answer.sentence.begin());
    return answer;
}

bool send_request(int socket, const Request& request, int area, int memory) {
    Request copy = request;
    Envelope envelope(copy);
    cmsghdr* control = CMSG_FIRSTHDR(&envelope.header);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(kDescriptors * sizeof(int));
    const int descriptors[kDescriptors] = {area, memory};
    std::memcpy(CMSG_DATA(control), descriptors, sizeof descriptors);
    ssize_t sent = 0;
    do
        sent = sendmsg(socket, &envelope.header, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == static_cast<ssize_t>(sizeof copy);
}

std::optional<Received> receive_request(int socket) {
    Request request;
    Envelope envelope(request);
    const ssize_t n = recvmsg(socket, &envelope.header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (n < 0) return std::nullopt;
    int descriptors[kDescriptors] = {-1, -1};
    const cmsghdr* control = CMSG_FIRSTHDR(&envelope.header);
    if (control != nullptr && control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_RIGHTS) {
        const std::size_t came = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        std::memcpy(descriptors, CMSG_DATA(control), std::min(came, kDescriptors) * sizeof(int));
    }
    Handle area(descriptors[0]);
    Handle memory(descriptors[1]);
    const bool whole = n == static_cast<ssize_t>(sizeof request) && memory.get() >= 0 &&
                       (envelope.header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0 && request.magic == kMagic;
    if (!whole) return std::nullopt;
    request.program.back() = '\0';
    // It is shown on terminals of others, and in JSON.
    const auto end = std::ranges::find(request.program, '\0');
    std::replace_if(
        request.program.begin(), end, [](char c) { return c < 0x20 || c > 0x7e; }, '?');
    request.telemetry.back() = '\0';
    return Received{request, std::move(area), std::move(memory)};
}

Handle make_socket() {
    return Handle(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
}

bool connect_at_once(const Handle& socket, const sockaddr_un& address) {
    const int flags = fcntl(socket.get(), F_GETFL);
    fcntl(socket.get(), F_SETFL, flags | O_NONBLOCK);
    const int result = connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    const int problem = errno;
    fcntl(socket.get(), F_SETFL, flags);
    errno = problem;
    return result == 0;
}

sockaddr_un socket_address(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path) {
        throw std::runtime_error("'" + path + "' is no path for a socket: it has to have 1 to " +
                                 std::to_string(sizeof address.sun_path - 1) + " characters");
    }
    std::copy(path.begin(), path.end(), std::begin(address.sun_path));
    return address;
}

}  // namespace isoplane::share
