// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <isoplane/runtime/metrics_server.hh>
#include <stdexcept>
#include <string_view>

namespace isoplane::runtime {

namespace {

constexpr int kClientPatienceMs = 1000;
/// A client that could not be taken in, as when no descriptor is free, is reported again at once.
constexpr int kRetryMs = 100;

int listen_on_loopback(std::uint16_t port) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(fd, 8) != 0) {
        const int error = errno;
        if (fd >= 0) close(fd);
        throw std::runtime_error("cannot serve metrics on 127.0.0.1:" + std::to_string(port) + ": " +
                                 std::strerror(error) + "; choose another port with --metrics PORT");
    }
    return fd;
}

void write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
        if (n <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

}  // namespace

MetricsServer::MetricsServer(const Views& views, std::uint16_t port)
    : views_(views), listener_(listen_on_loopback(port)), wake_(eventfd(0, EFD_CLOEXEC)) {
    sockaddr_in bound{};
    socklen_t size = sizeof bound;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&bound), &size);
    port_ = ntohs(bound.sin_port);
    thread_ = std::thread(&MetricsServer::serve, this);
}

MetricsServer::~MetricsServer() {
    eventfd_write(wake_, 1);
    thread_.join();
    close(wake_);
    close(listener_);
}

void MetricsServer::serve() {
    while (true) {
        std::array<pollfd, 2> ready{{{wake_, POLLIN, 0}, {listener_, POLLIN, 0}}};
        if (poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) return;
        if (ready[0].revents != 0) return;
        if (ready[1].revents == 0) continue;
        const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (client < 0) {
            poll(ready.data(), 1, kRetryMs);  // or until the end
            continue;
        }
        answer(client);
        close(client);
    }
}

/// One request a connection. Its first line is all that matters; a client that sends none in time is let go.
void MetricsServer::answer(int client) const {
    const timeval patience{kClientPatienceMs / 1000, (kClientPatienceMs % 1000) * 1000L};
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    std::array<char, 2048> request{};
    const ssize_t n = recv(client, request.data(), request.size(), 0);
    if (n <= 0) return;
    const std::string_view text(request.data(), static_cast<std::size_t>(n));
    const bool known = text.starts_with("GET /metrics ") || text.starts_with("GET / ");
    const std::string body = known ? to_prometheus(views_) : "only /metrics is here\n";
    write_all(client, std::string("HTTP/1.0 ") + (known ? "200 OK" : "404 Not Found") +
                          "\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: " +
                          std::to_string(body.size()) + "\r\n\r\n" + body);
}

}  // namespace isoplane::runtime
