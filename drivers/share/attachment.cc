// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <isoplane/runtime/poll_watch.hh>
#include <isoplane/runtime/stop_signal.hh>
#include <isoplane/share/attachment.hh>
#include <stdexcept>
#include <thread>
#include <utility>

#include "registration.hh"

namespace isoplane::share {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr auto kAnswerLimit = std::chrono::seconds(10);

Handle connect_to(const std::string& path, std::chrono::seconds limit) {
    const sockaddr_un address = socket_address(path);
    runtime::Patience patience(limit);
    for (;;) {
        Handle socket = make_socket();
        if (connect_at_once(socket, address)) return socket;
        const int problem = errno;
        const bool may_come =
            problem == ENOENT || problem == ECONNREFUSED || problem == EAGAIN || problem == EINTR;
        if (may_come && runtime::StopSignal::raised())
            throw std::runtime_error("interrupted; no shared node has been there at '" + path + "' so far");
        if (!may_come || patience.is_over()) {
            throw std::runtime_error("no shared node is to be reached at '" + path +
                                     "': " + std::strerror(problem) +
                                     "; start one there: isoplane node --role shared --clients " + path);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

/// Something has come, or nothing will any more. Signals of the program do not end the waiting.
bool await(int socket, std::chrono::milliseconds limit) {
    const auto deadline = SteadyClock::now() + limit;
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::now());
        pollfd ready{socket, POLLIN, 0};
        const int n = ::poll(&ready, 1, std::max(0, static_cast<int>(left.count())));
        if (n >= 0 || errno != EINTR) return n == 1;
    }
}

/// Nothing when none comes.
std::optional<Answer> receive_answer(int socket) {
    Answer answer;
    if (!await(socket, kAnswerLimit)) return std::nullopt;
    if (recv(socket, &answer, sizeof answer, MSG_DONTWAIT) != static_cast<ssize_t>(sizeof answer))
        return std::nullopt;
    answer.sentence.back() = '\0';
    return answer;
}

}  // namespace

Attachment::Attachment(const std::string& path, const Identity& who, const runtime::SharedMemory& memory,
                       std::chrono::seconds patience)
    : area_("isoplane-rings", sizeof(Area)) {
    Handle socket = connect_to(path, patience);
    std::optional<Answer> answer;
    if (send_request(socket.get(), Request::of(who), area_.descriptor(), memory.descriptor()))
        answer = receive_answer(socket.get());
    if (!answer || answer->magic != kMagic) {
        throw std::runtime_error(
            "who listens at '" + path +
            "' does not answer as a shared node does; if it has not just ended, see that both are "
            "of one version");
    }
    if (answer->mtu == 0)
        throw std::runtime_error("the shared node at '" + path + "' says no: " + answer->sentence.data());
    mtu_ = answer->mtu;
    socket_ = socket.release();
}

Attachment::~Attachment() {
    leave();
}

bool Attachment::alive() const noexcept {
    char ignored = 0;
    return socket_ >= 0 && recv(socket_, &ignored, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

/// The node answers when it has let go, and closes the connection when it has, or is gone.
bool Attachment::leave(std::chrono::milliseconds limit) noexcept {
    if (socket_ < 0) return true;
    const Leaving leaving;
    ssize_t sent = 0;
    do
        sent = send(socket_, &leaving, sizeof leaving, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    const bool let_go = sent < 0 || await(socket_, limit);
    close(std::exchange(socket_, -1));
    return let_go;
}

}  // namespace isoplane::share
