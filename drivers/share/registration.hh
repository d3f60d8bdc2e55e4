// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

// What a client and the node say to each other over the socket: a request with two descriptors, its answer;
// and at the end that the client leaves, and its answer. Whoever closes the socket without a word has died.

#include <sys/un.h>

#include <array>
#include <cstdint>
#include <isoplane/share/identity.hh>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace isoplane::share {

inline constexpr std::uint32_t kMagic = 0x69736f33;  ///< of this version of what is said here

/// With the descriptors of the area and of the memory.
struct Request {
    std::uint32_t magic = kMagic;
    std::uint32_t job_key = 0;
    std::uint32_t address = 0;
    std::uint16_t node = 0;
    std::uint16_t hosts = 0;
    std::uint16_t ethertype = 0;
    std::uint16_t udp_port = 0;
    std::uint8_t in_udp = 0;
    wire::MacAddress mac{};
    std::array<char, 33> program{};     ///< for people
    std::array<char, 108> telemetry{};  ///< the socket where it can be asked for reports, if it answers

    static Request of(const Identity& who);
    Identity identity() const;
};

struct Answer {
    std::uint32_t magic = kMagic;
    std::uint32_t mtu = 0;             ///< 0: no, and why
    std::array<char, 248> sentence{};  ///< about why not

    static Answer refusal(std::string_view why);
};

/// From the client: it will touch nothing any more. Answered when the node does not either.
struct Leaving {
    std::uint32_t magic = kMagic;
};

/// A descriptor until somebody takes it.
class Handle {
  public:
    explicit Handle(int descriptor = -1) noexcept : descriptor_(descriptor) {}
    ~Handle();
    Handle(Handle&& other) noexcept : descriptor_(other.release()) {}
    Handle& operator=(Handle&&) = delete;

    int get() const noexcept { return descriptor_; }
    [[nodiscard]] int release() noexcept { return std::exchange(descriptor_, -1); }

  private:
    int descriptor_;
};

/// A request as it came.
struct Received {
    Request request;
    Handle area;
    Handle memory;
};

/// Nothing unless exactly a request with two descriptors has come.
std::optional<Received> receive_request(int socket);
bool send_request(int socket, const Request& request, int area, int memory);

/// A socket of the kind that both use.
Handle make_socket();
/// Throws std::runtime_error when a socket cannot have that path.
sockaddr_un socket_address(const std::string& path);
/// As connect() does, but for one thing: where so many wait already that none is let in, errno is EAGAIN at
/// once, as nobody knows for how long that is.
bool connect_at_once(const Handle& socket, const sockaddr_un& address);

}  // namespace isoplane::share
