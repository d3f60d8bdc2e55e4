// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "kernel.hh"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

extern char** environ;

namespace isoplane::perf {

namespace {

constexpr int kBuffer = 16 << 20;  ///< of a UDP socket: what may wait while its reader is off its CPU

[[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error("the kernel's sockets cannot be measured: " + what + ": " +
                             std::strerror(errno) + "; leave them out with --no-kernel");
}

/// On a thread of its own, as a network namespace belongs to a thread.
void apart(const std::function<void()>& what) {
    std::exception_ptr thrown;
    std::thread([&] {
        try {
            what();
        } catch (...) {
            thrown = std::current_exception();
        }
    }).join();
    if (thrown) std::rethrow_exception(thrown);
}

void enter(const Descriptor& space) {
    if (setns(space.get(), CLONE_NEWNET) != 0) throw std::runtime_error("a namespace cannot be entered");
}

Descriptor make_namespace() {
    Descriptor made;
    apart([&] {
        if (unshare(CLONE_NEWNET) != 0)
            throw std::runtime_error(std::string("no namespace can be made: ") + std::strerror(errno));
        made = Descriptor(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    });
    return made;
}

/// `ip` with these words, in the namespace of the calling thread.
void ip(std::vector<std::string> words) {
    words.insert(words.begin(), "ip");
    std::string line;
    std::vector<char*> argv;
    for (std::string& word : words) {
        line += line.empty() ? word : " " + word;
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int spawned = posix_spawnp(&child, "ip", &quiet, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&quiet);
    if (spawned != 0) throw std::runtime_error("the program ip cannot be run");
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0) throw std::runtime_error("'" + line + "' failed");
}

void bind_to(const Descriptor& fd, const std::string& host) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    inet_pton(AF_INET, host.c_str(), &at.sin_addr);
    if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) fail("binding to " + host);
}

void connect_to(const Descriptor& fd, const Descriptor& other) {
    sockaddr_in at{};
    socklen_t size = sizeof at;
    if (getsockname(other.get(), reinterpret_cast<sockaddr*>(&at), &size) != 0 ||
        connect(fd.get(), reinterpret_cast<const sockaddr*>(&at), size) != 0)
        fail("connecting two sockets");
}

void never_wait(const Descriptor& fd) {
    fcntl(fd.get(), F_SETFL, fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

void set(const Descriptor& fd, int level, int option, int value) {
    setsockopt(fd.get(), level, option, &value, sizeof value);
}

}  // namespace

Descriptor::~Descriptor() {
    if (fd_ >= 0) close(fd_);
}

KernelPath::KernelPath(unsigned mtu) {
    try {
        make_veth(mtu);
    } catch (const std::exception& reason) {
        why_not_ = reason.what();
    }
}

void KernelPath::make_veth(unsigned mtu) {
    for (Descriptor& space : namespaces_)
        space = make_namespace();
    // ip reaches the other namespace through our descriptor of it.
    const std::string other =
        "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(namespaces_[1].get());
    const std::string size = std::to_string(mtu);
    apart([&] {
        enter(namespaces_[0]);
        ip({"link", "add", "veth0", "mtu", size, "type", "veth", "peer", "name", "veth0", "mtu", size,
            "netns", other});
    });
    for (unsigned side = 0; side < 2; ++side) {
        apart([&] {
            enter(namespaces_[side]);
            ip({"address", "add", address(side) + "/30", "dev", "veth0"});
            ip({"link", "set", "veth0", "up"});
        });
    }
}

std::string KernelPath::name() const {
    return is_veth() ? "veth" : "loopback, as there is no veth pair: " + why_not_;
}

/// RFC 2544 keeps these for benchmarks.
std::string KernelPath::address(unsigned side) const {
    if (!is_veth()) return "127.0.0.1";
    return side == 0 ? "198.18.0.1" : "198.18.0.2";
}

Descriptor KernelPath::socket_in(unsigned side, int type) const {
    Descriptor fd;
    apart([&] {
        if (is_veth()) enter(namespaces_[side]);
        fd = Descriptor(socket(AF_INET, type | SOCK_CLOEXEC, 0));
        if (fd.get() < 0) fail("making a socket");
        bind_to(fd, address(side));
    });
    return fd;
}

Sockets KernelPath::udp() const {
    Sockets pair{socket_in(0, SOCK_DGRAM), socket_in(1, SOCK_DGRAM)};
    connect_to(pair.first, pair.second);
    connect_to(pair.second, pair.first);
    for (const Descriptor* fd : {&pair.first, &pair.second}) {
        set(*fd, SOL_SOCKET, SO_RCVBUF, kBuffer);
        set(*fd, SOL_SOCKET, SO_RCVBUFFORCE, kBuffer);
        never_wait(*fd);
    }
    return pair;
}

Sockets KernelPath::tcp() const {
    const Descriptor listener = socket_in(1, SOCK_STREAM);
    if (listen(listener.get(), 1) != 0) fail("listening");
    Sockets pair{socket_in(0, SOCK_STREAM), Descriptor{}};
    connect_to(pair.first, listener);
    pair.second = Descriptor(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (pair.second.get() < 0) fail("accepting a connection");
    for (const Descriptor* fd : {&pair.first, &pair.second}) {
        set(*fd, IPPROTO_TCP, TCP_NODELAY, 1);
        never_wait(*fd);
    }
    return pair;
}

}  // namespace isoplane::perf
