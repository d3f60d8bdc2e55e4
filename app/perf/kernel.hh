// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>
#include <utility>

namespace isoplane::perf {

/// A file descriptor and its owner.
class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int owned) noexcept : fd_(owned) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Descriptor();

    int get() const noexcept { return fd_; }

  private:
    int fd_ = -1;
};

using Sockets = std::pair<Descriptor, Descriptor>;

/// A way through the kernel that sockets on this machine can take: a veth pair between two network
/// namespaces of its own, or loopback where that cannot be made. The namespaces live as long as this or a
/// socket in them, and the kernel removes them with the last.
class KernelPath {
  public:
    explicit KernelPath(unsigned mtu);

    bool is_veth() const noexcept { return why_not_.empty(); }
    /// "veth", or "loopback" with why it is not veth.
    std::string name() const;

    /// Connected, non-blocking. Throw std::runtime_error.
    Sockets udp() const;
    Sockets tcp() const;

  private:
    void make_veth(unsigned mtu);
    Descriptor socket_in(unsigned side, int type) const;
    std::string address(unsigned side) const;

    Descriptor namespaces_[2];
    std::string why_not_;
};

}  // namespace isoplane::perf
