// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <isoplane/runtime/metrics_server.hh>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

namespace isoplane::runtime {
namespace {

void connect_to(std::uint16_t port, int fd) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
}

int connect_to(std::uint16_t port) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    connect_to(port, fd);
    return fd;
}

/// Closes the connection, too.
std::string ask(int fd, const std::string& request) {
    EXPECT_EQ(write(fd, request.data(), request.size()), static_cast<ssize_t>(request.size()));
    std::string answer;
    char chunk[4096];
    for (ssize_t n = 0; (n = read(fd, chunk, sizeof chunk)) > 0;)
        answer.append(chunk, static_cast<std::size_t>(n));
    close(fd);
    return answer;
}

std::string get(std::uint16_t port, const std::string& request) {
    return ask(connect_to(port), request);
}

Views one_view() {
    Views views;
    views.add("pool", [] { return nlohmann::json{{"size", 7}}; });
    return views;
}

TEST(MetricsServer, serves_every_view) {
    const Views views = one_view();
    const MetricsServer server(views, 0);
    const std::string answer = get(server.port(), "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_TRUE(answer.starts_with("HTTP/1.0 200 OK\r\n")) << answer;
    EXPECT_TRUE(answer.ends_with("isoplane_pool_size 7\n")) << answer;
}

TEST(MetricsServer, knows_no_other_page) {
    const Views views = one_view();
    const MetricsServer server(views, 0);
    EXPECT_TRUE(get(server.port(), "GET /secret HTTP/1.1\r\n\r\n").starts_with("HTTP/1.0 404"));
    EXPECT_TRUE(get(server.port(), "nonsense").starts_with("HTTP/1.0 404"));
}

TEST(MetricsServer, ends_while_a_client_says_nothing) {
    const Views views = one_view();
    int silent = -1;
    {
        const MetricsServer server(views, 0);
        silent = connect_to(server.port());
    }
    close(silent);
}

TEST(MetricsServer, sleeps_while_no_descriptor_is_free_for_a_client) {
    const Views views = one_view();
    const MetricsServer server(views, 0);
    const int client = socket(AF_INET, SOCK_STREAM, 0);
    const int lowest_free = dup(client);
    close(lowest_free);
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    rlimit none = before;
    none.rlim_cur = static_cast<rlim_t>(lowest_free);
    setrlimit(RLIMIT_NOFILE, &none);
    connect_to(server.port(), client);
    const std::clock_t begun = std::clock();
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    const std::clock_t spent = std::clock() - begun;
    setrlimit(RLIMIT_NOFILE, &before);
    EXPECT_LT(spent, CLOCKS_PER_SEC / 10) << "CPU time of the process";
    EXPECT_TRUE(ask(client, "GET /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.0 200"));
}

TEST(MetricsServer, tells_when_the_port_is_taken) {
    const Views views = one_view();
    const MetricsServer first(views, 0);
    EXPECT_THROW(MetricsServer(views, first.port()), std::runtime_error);
}

}  // namespace
}  // namespace isoplane::runtime
