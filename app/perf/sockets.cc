// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sockets.hh"

#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace isoplane::perf {

namespace {

constexpr std::size_t kInbox = 64 << 10;

/// From this size on a copy costs more than a system call saves.
constexpr std::size_t kDirect = 4096;

iovec vector_of(std::span<const std::byte> bytes) {
    return {const_cast<std::byte*>(bytes.data()), bytes.size()};  // sendmsg() only reads them
}

}  // namespace

UdpEnd::UdpEnd(Descriptor fd) : fd_(std::move(fd)) {}

void UdpEnd::begin(std::size_t size) {
    size_ = size;
    direct_ = size >= kDirect;
    got_ = 0;
    came_ = next_ = pending_ = sent_ = 0;
    while (recv(fd_.get(), nullptr, 0, MSG_DONTWAIT | MSG_TRUNC) >= 0) {
    }
    datagrams_ = (size + kDatagram - 1) / kDatagram;
    const std::size_t most = std::max<std::size_t>(kBatch, datagrams_);
    parts_.assign(most, {});
    out_.assign(most, {});
    const std::size_t place = std::min(size, kDatagram);
    inbox_.assign(kBatch * place, {});
    for (std::size_t i = 0; i < kBatch; ++i) {
        places_[i] = {inbox_.data() + i * place, place};
        in_[i].msg_hdr = {};
        in_[i].msg_hdr.msg_iov = &places_[i];
        in_[i].msg_hdr.msg_iovlen = 1;
    }
}

bool UdpEnd::send(std::span<const std::byte> message) noexcept {
    if (sent_ == pending_) sent_ = pending_ = 0;
    if (pending_ + datagrams_ > parts_.size()) return false;
    while (!message.empty()) {
        const std::size_t part = std::min(message.size(), kDatagram);
        parts_[pending_] = vector_of(message.first(part));
        out_[pending_].msg_hdr.msg_iov = &parts_[pending_];
        out_[pending_].msg_hdr.msg_iovlen = 1;
        ++pending_;
        message = message.subspan(part);
    }
    return true;
}

bool UdpEnd::poll() noexcept {
    bool moved = std::exchange(moved_, false);
    if (sent_ < pending_) {
        const int n = sendmmsg(fd_.get(), out_.data() + sent_, pending_ - sent_, MSG_DONTWAIT);
        if (n > 0) sent_ += static_cast<unsigned>(n);
        moved |= n > 0;
    }
    if (direct_ || next_ < came_) return moved;
    const int n = recvmmsg(fd_.get(), in_.data(), kBatch, MSG_DONTWAIT, nullptr);
    next_ = 0;
    came_ = n > 0 ? static_cast<unsigned>(n) : 0;
    return moved || came_ > 0;
}

bool UdpEnd::receive(std::span<std::byte> room) noexcept {
    if (direct_) {
        const ssize_t n = recv(fd_.get(), room.data() + got_, size_ - got_, MSG_DONTWAIT);
        got_ += static_cast<std::size_t>(std::max<ssize_t>(n, 0));
        moved_ |= n > 0;
        if (got_ < size_) return false;
        got_ = 0;
        return true;
    }
    while (next_ < came_) {
        const std::size_t part = std::min<std::size_t>(in_[next_].msg_len, size_ - got_);
        std::memcpy(room.data() + got_, places_[next_].iov_base, part);
        ++next_;
        got_ += part;
        if (got_ < size_) continue;
        got_ = 0;
        return true;
    }
    return false;
}

TcpEnd::TcpEnd(Descriptor fd) : fd_(std::move(fd)), inbox_(kInbox) {}

bool TcpEnd::send(std::span<const std::byte> message) noexcept {
    if (pending_ == 0) filled_ = 0;
    if (filled_ == out_.size()) return false;
    out_[filled_++] = vector_of(message);
    ++pending_;
    return true;
}

bool TcpEnd::poll() noexcept {
    bool moved = std::exchange(moved_, false);
    if (pending_ > 0) {
        msghdr all{};
        all.msg_iov = out_.data() + (filled_ - pending_);
        all.msg_iovlen = pending_;
        const ssize_t n = sendmsg(fd_.get(), &all, MSG_DONTWAIT | MSG_NOSIGNAL);
        moved |= n > 0;
        for (auto left = static_cast<std::size_t>(std::max<ssize_t>(n, 0)); left > 0;) {
            iovec& first = out_[filled_ - pending_];
            const std::size_t part = std::min(left, first.iov_len);
            first.iov_base = static_cast<std::byte*>(first.iov_base) + part;
            first.iov_len -= part;
            left -= part;
            if (first.iov_len == 0) --pending_;
        }
    }
    if (begin_ == end_) {
        const ssize_t n = recv(fd_.get(), inbox_.data(), inbox_.size(), MSG_DONTWAIT);
        begin_ = 0;
        end_ = static_cast<std::size_t>(std::max<ssize_t>(n, 0));
        moved |= end_ > 0;
    }
    return moved;
}

bool TcpEnd::receive(std::span<std::byte> room) noexcept {
    // A long message goes straight to where it belongs.
    if (begin_ == end_ && got_ > 0 && room.size() - got_ >= kInbox) {
        const ssize_t n = recv(fd_.get(), room.data() + got_, room.size() - got_, MSG_DONTWAIT);
        got_ += static_cast<std::size_t>(std::max<ssize_t>(n, 0));
        moved_ |= n > 0;
    }
    const std::size_t part = std::min(end_ - begin_, room.size() - got_);
    std::memcpy(room.data() + got_, inbox_.data() + begin_, part);
    begin_ += part;
    got_ += part;
    if (got_ < room.size()) return false;
    got_ = 0;
    return true;
}

/// What the kernel still holds would come in the middle of the next measurement.
bool TcpEnd::settled() noexcept {
    int unacknowledged = 0;
    return pending_ == 0 && got_ == 0 && begin_ == end_ && ioctl(fd_.get(), SIOCOUTQ, &unacknowledged) == 0 &&
           unacknowledged == 0;
}

}  // namespace isoplane::perf
