// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_eal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <isoplane/runtime/telemetry_client.hh>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace isoplane::runtime {

namespace {

/// What rte_telemetry says is no longer, and nested less than this.
constexpr std::size_t kMostAnswer = std::size_t{1} << 14;
constexpr int kDeepest = 32;

/// A connection that waits for nobody longer than a second.
class Connection {
  public:
    explicit Connection(const std::string& path)
        : socket_(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
        const timeval patience{.tv_sec = 1, .tv_usec = 0};
        setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        if (path.empty() || path.size() >= sizeof address.sun_path) return;
        std::copy(path.begin(), path.end(), std::begin(address.sun_path));
        connected_ = connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    }
    ~Connection() {
        if (socket_ >= 0) close(socket_);
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    bool leads_to(pid_t pid) const {
        ucred who{};
        socklen_t size = sizeof who;
        return connected_ && getsockopt(socket_, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.pid == pid;
    }
    bool send(const std::string& words) const {
        return ::send(socket_, words.data(), words.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(words.size());
    }
    std::optional<std::string> receive() const {
        std::vector<char> room(kMostAnswer);
        const ssize_t n = recv(socket_, room.data(), room.size(), 0);
        return n > 0 ? std::optional(std::string(room.data(), static_cast<std::size_t>(n))) : std::nullopt;
    }

  private:
    int socket_;
    bool connected_ = false;
};

/// Null unless it is an object that rte_telemetry can have said. Others are not even looked at, as whoever
/// copies, shows or frees a report calls itself for each level; and as it is shown on terminals.
nlohmann::json parsed(const std::string& answer) {
    const bool plain =
        std::ranges::all_of(answer, [](char c) { return c >= 0x20 && c <= 0x7e && c != '\\'; });
    bool fits = plain;
    const auto check = [&fits](int depth, nlohmann::json::parse_event_t, const nlohmann::json&) {
        fits = fits && depth <= kDeepest;
        return fits;
    };
    nlohmann::json all = plain ? nlohmann::json::parse(answer, check, false) : nlohmann::json();
    return fits && all.is_object() ? std::move(all) : nlohmann::json();
}

}  // namespace

std::string own_telemetry_socket() {
    const char* const directory = rte_eal_get_runtime_dir();
    return directory == nullptr || *directory == '\0' ? std::string()
                                                      : std::string(directory) + "/dpdk_telemetry.v2";
}

nlohmann::json ask_telemetry(const std::string& socket, pid_t pid, const std::string& command) {
    const Connection connection(socket);
    // It says first who it is.
    if (!connection.leads_to(pid) || !connection.receive() || !connection.send(command)) return {};
    const auto answer = connection.receive();
    if (!answer) return {};
    nlohmann::json all = parsed(*answer);
    return all.contains(command) ? std::move(all[command]) : nlohmann::json();
}

}  // namespace isoplane::runtime
