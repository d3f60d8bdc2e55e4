// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#define ALLOW_EXPERIMENTAL_API  // all of rte_pcapng is marked so
#include <fcntl.h>
#include <rte_cycles.h>
#include <rte_pcapng.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <isoplane/runtime/capture.hh>
#include <isoplane/runtime/ring.hh>
#include <stdexcept>

namespace isoplane::runtime {

namespace {

constexpr unsigned kPoolPackets = 4095;
constexpr unsigned kRingPackets = 2048;
constexpr std::uint32_t kSnapLength = 9216;
constexpr auto kWriterNap = std::chrono::microseconds(500);

int create_file(const std::string& file) {
    const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) {
        throw std::runtime_error("cannot capture to '" + file + "': " + std::strerror(errno) +
                                 "; name a file in a directory you may write to");
    }
    return fd;
}

std::string unique(const std::string& what) {
    static std::atomic<unsigned> made{0};
    return what + std::to_string(made++);
}

std::uint16_t copy_room() {
    return static_cast<std::uint16_t>(rte_pcapng_mbuf_size(kSnapLength));
}

}  // namespace

/// The lcore's half: copies into the capture's pool and hands over through a ring of its own.
class Capture::PortTap final : public Tap {
  public:
    PortTap(std::uint16_t port_id, Direction direction, Pool& pool)
        : port_id_(port_id), direction_(direction), pool_(pool), ring_(unique("capture"), kRingPackets) {}

    void see(rte_mbuf* const* packets, std::uint16_t n) noexcept override {
        const auto way =
            direction_ == Direction::kReceived ? RTE_PCAPNG_DIRECTION_IN : RTE_PCAPNG_DIRECTION_OUT;
        const std::uint64_t when = rte_rdtsc();
        for (std::uint16_t i = 0; i < n; ++i) {
            copies_[i] = rte_pcapng_copy(port_id_, 0, packets[i], pool_.raw(), kSnapLength, when, way);
        }
        seen_ = n;
    }

    void settle(std::uint16_t n) noexcept override {
        for (std::uint16_t i = 0; i < seen_; ++i) {
            rte_mbuf* const copy = copies_[i];
            const bool passed = i < n;
            if (copy != nullptr && passed && ring_.output().send(&copies_[i], 1) == 1) continue;
            if (copy != nullptr) rte_pktmbuf_free(copy);
            if (passed) missed_.add();
        }
    }

    Input& handed_over() noexcept { return ring_.input(); }
    std::uint64_t missed() const noexcept { return missed_.get(); }

  private:
    std::uint16_t port_id_;
    Direction direction_;
    Pool& pool_;
    Ring ring_;
    Burst copies_{};
    std::uint16_t seen_ = 0;
    Counter missed_;
};

Capture::Capture(const std::string& file)
    : file_(file), fd_(create_file(file)), pool_(unique("capture-pool"), kPoolPackets, copy_room(), 0) {
    // rte_pcapng closes its descriptor without a word; ours, the last one open, tells whether the data
    // arrived.
    out_ = rte_pcapng_fdopen(dup(fd_), nullptr, nullptr, "isoplane", nullptr);
    if (out_ == nullptr) {
        close(fd_);
        throw std::runtime_error("cannot capture to '" + file +
                                 "': its header could not be written; is the disk full?");
    }
    writer_ = std::thread(&Capture::write_loop, this);
}

Capture::~Capture() {
    finish();
}

Tap& Capture::tap(std::uint16_t port_id, Direction direction) {
    const std::lock_guard lock(mutex_);
    return *taps_.emplace_back(std::make_unique<PortTap>(port_id, direction, pool_));
}

void Capture::write_loop() {
    while (!end_) {
        if (!write_waiting()) std::this_thread::sleep_for(kWriterNap);
    }
    while (write_waiting()) {
    }
}

/// One burst of each tap. Returns whether there was any.
bool Capture::write_waiting() {
    const std::lock_guard lock(mutex_);
    bool any = false;
    for (const auto& tap : taps_) {
        Burst burst;
        const std::uint16_t n = tap->handed_over().receive(burst);
        if (n == 0) continue;
        any = true;
        const std::uint16_t whole = error_.empty() ? write(burst.data(), n) : std::uint16_t{0};
        written_ += whole;
        unwritten_ += static_cast<std::uint64_t>(n - whole);
        // Its manual says that rte_pcapng_write_packets() frees them; it does not.
        rte_pktmbuf_free_bulk(burst.data(), n);
    }
    return any;
}

/// Writes a burst. Returns how many of its packets are in the file whole; less than all set error_.
std::uint16_t Capture::write(rte_mbuf** packets, std::uint16_t n) {
    std::array<std::int64_t, kBurst> ends;  // where each packet ends, from the beginning of the burst
    std::int64_t end = 0;
    for (std::uint16_t i = 0; i < n; ++i)
        ends[i] = end += packets[i]->pkt_len;
    const std::int64_t taken = rte_pcapng_write_packets(out_, packets, n);
    if (taken == end) return n;
    const auto whole =
        static_cast<std::uint16_t>(std::upper_bound(ends.begin(), ends.begin() + n, taken) - ends.begin());
    const std::int64_t surplus = std::max<std::int64_t>(taken, 0) - (whole == 0 ? 0 : ends[whole - 1]);
    const off_t now = lseek(fd_, 0, SEEK_CUR);
    // A disk that fills up takes a part and does not say why; the next byte learns it.
    const bool told = taken < 0 || ::write(fd_, "", 1) < 0;
    error_ = "cannot write to '" + file_ + "': " + (told ? std::strerror(errno) : "only a part was taken");
    // The file is to end with a whole packet all the same.
    if (ftruncate(fd_, now - surplus) != 0) error_ += "; its last packet is cut short";
    return whole;
}

Capture::Figures Capture::figures() const {
    const std::lock_guard lock(mutex_);
    Figures f{written_, unwritten_, error_};
    for (const auto& tap : taps_)
        f.missed += tap->missed();
    return f;
}

Capture::Figures Capture::finish() {
    if (writer_.joinable()) {
        end_ = true;
        writer_.join();
        rte_pcapng_close(out_);
        // Some file systems report a full disk only here.
        if (close(fd_) != 0 && error_.empty()) {
            error_ = "cannot write to '" + file_ + "': " + std::strerror(errno);
        }
    }
    return figures();
}

}  // namespace isoplane::runtime
