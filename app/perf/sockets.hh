// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Sockets as transports: polled without waiting, and with several small messages a system call, as the
/// others have several a poll.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "kernel.hh"
#include "transport.hh"

namespace isoplane::perf {

/// A message is one datagram, or several when it is long.
class UdpEnd {
  public:
    static constexpr bool kKeepsContent = false;  ///< a lost datagram shifts what follows

    explicit UdpEnd(Descriptor fd);

    bool ready() noexcept { return true; }
    void begin(std::size_t size);
    bool send(std::span<const std::byte> message) noexcept;
    bool poll() noexcept;
    bool receive(std::span<std::byte> room) noexcept;
    bool settled() noexcept { return sent_ == pending_ && next_ == came_; }

  private:
    static constexpr std::size_t kDatagram = 32768;  ///< the largest sent

    Descriptor fd_;
    std::size_t size_ = 0;
    bool direct_ = false;        ///< messages are read to where they belong, each by a call of its own
    std::size_t datagrams_ = 1;  ///< of a message
    std::vector<iovec> parts_;   ///< to be sent
    std::vector<mmsghdr> out_;
    unsigned pending_ = 0;          ///< in parts_ and out_
    unsigned sent_ = 0;             ///< of them
    std::vector<std::byte> inbox_;  ///< a place of the size of a datagram for each of a batch
    std::array<iovec, kBatch> places_{};
    std::array<mmsghdr, kBatch> in_{};
    unsigned came_ = 0;
    unsigned next_ = 0;
    std::size_t got_ = 0;  ///< of the message that is being received
    bool moved_ = false;   ///< since the last poll began
};

/// Messages of known size, one behind the other.
class TcpEnd {
  public:
    static constexpr bool kKeepsContent = true;

    explicit TcpEnd(Descriptor fd);

    bool carries(std::size_t size) const noexcept { return size > 0; }
    bool ready() noexcept { return true; }
    void begin(std::size_t /*size*/) noexcept { begin_ = end_ = got_ = 0; }
    bool send(std::span<const std::byte> message) noexcept;
    bool poll() noexcept;
    bool receive(std::span<std::byte> room) noexcept;
    bool settled() noexcept;

  private:
    Descriptor fd_;
    std::array<iovec, kBatch> out_{};
    std::size_t pending_ = 0;  ///< the last so many of out_ are to be sent
    std::size_t filled_ = 0;
    std::vector<std::byte> inbox_;  ///< so that one call brings many small messages
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t got_ = 0;  ///< of the message that is being received
    bool moved_ = false;   ///< since the last poll began
};

}  // namespace isoplane::perf
