// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_cycles.h>

#include <chrono>
#include <isoplane/runtime/capture.hh>
#include <numeric>

#include "capture_files.hh"
#include "capture_tap.hh"

namespace isoplane::runtime {

namespace {

constexpr unsigned kPoolPackets = 4095;
constexpr auto kWriterNap = std::chrono::microseconds(500);
constexpr std::uint64_t kNanoseconds = 1'000'000'000;
/// What each interface has at the end of a file, for which room is left.
constexpr std::size_t kStatisticsSize = 64;

std::string unique(const std::string& what) {
    static std::atomic<unsigned> made{0};
    return what + std::to_string(made++);
}

std::uint64_t nanoseconds_now() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

std::string section(const std::string& comment) {
    std::string block;
    pcapng::put_section(block, comment);
    return block;
}

}  // namespace

unsigned Capture::memory_mb(std::size_t taps) {
    return Pool::memory_mb(kPoolPackets, CaptureTap::kRoom) + 1 +
           static_cast<unsigned>(taps * CaptureTap::memory() >> 20);
}

Capture::Capture(const CaptureOptions& options)
    : options_(options),
      filter_(options.filter),
      start_cycles_(rte_rdtsc()),
      start_nanoseconds_(nanoseconds_now()),
      hertz_(rte_get_tsc_hz()),
      pool_(unique("capture-pool"), kPoolPackets, CaptureTap::kRoom, 0),
      files_(std::make_unique<CaptureFiles>(options.file, options.file_size, options.files,
                                            section(options.comment))) {
    writer_ = std::thread(&Capture::write_loop, this);
}

Capture::~Capture() {
    finish();
}

std::uint64_t Capture::nanoseconds(std::uint64_t cycles) const noexcept {
    const std::uint64_t since = cycles - start_cycles_;
    return start_nanoseconds_ + since / hertz_ * kNanoseconds + since % hertz_ * kNanoseconds / hertz_;
}

std::uint32_t Capture::add_interface(const std::string& name, const std::string& description) {
    std::string block;
    pcapng::put_interface(block, {.name = name, .description = description, .filter = options_.filter});
    const std::lock_guard lock(mutex_);
    files_->begin_with(block);
    return interfaces_++;
}

Tap& Capture::tap(std::uint32_t interface, Direction direction) {
    const std::lock_guard lock(mutex_);
    return *taps_.emplace_back(
        std::make_unique<CaptureTap>(unique("capture"), interface, direction, pool_, filter_));
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
    for (const auto& tap : taps_)
        any = write_waiting(*tap) || any;
    return any;
}

bool Capture::write_waiting(CaptureTap& tap) {
    Burst burst;
    const std::uint16_t n = tap.handed_over().receive(burst);
    if (n == 0) return false;
    blocks_.clear();
    ends_.clear();
    std::size_t whole = 0;
    for (std::uint16_t i = 0; i < n; ++i) {
        const std::size_t before = blocks_.size();
        add_block(tap, burst[i]);
        const bool alone = before == 0 && files_->is_new();
        if (!alone && files_->is_full_for(blocks_.size() + interfaces_ * kStatisticsSize)) {
            const std::string next = blocks_.substr(before);
            blocks_.resize(before);
            whole += files_->write(blocks_, ends_);
            write_statistics();
            files_->begin_next();
            blocks_ = next;
            ends_.clear();
        }
        ends_.push_back(blocks_.size());
    }
    whole += files_->write(blocks_, ends_);
    written_ += whole;
    unwritten_ += n - whole;
    rte_pktmbuf_free_bulk(burst.data(), n);
    return true;
}

void Capture::add_block(CaptureTap& tap, rte_mbuf* copy) {
    const std::span<const std::byte> all = Packet::bytes_of(copy);
    const auto& mark = *rte_pktmbuf_mtod(copy, const CaptureTap::Mark*);
    const std::string comment =
        mark.missed == 0 ? std::string() : std::to_string(mark.missed) + " packets before it were missed";
    pcapng::put_packet(blocks_, {.interface = tap.interface(),
                                 .direction = tap.direction(),
                                 .when = nanoseconds(mark.when),
                                 .bytes = all.subspan(sizeof mark),
                                 .length = mark.length,
                                 .comment = comment});
}

/// What has been counted until now, at the end of a file.
void Capture::write_statistics() {
    std::vector<pcapng::Counts> all(interfaces_);
    for (const auto& tap : taps_) {
        pcapng::Counts& sum = all[tap->interface()];
        const pcapng::Counts counts = tap->counts();
        sum.passed += counts.passed;
        sum.accepted += counts.accepted;
        sum.missed += counts.missed;
    }
    blocks_.clear();
    const std::uint64_t now = nanoseconds(rte_rdtsc());
    for (std::uint32_t interface = 0; interface < interfaces_; ++interface)
        pcapng::put_statistics(blocks_, interface, now, all[interface]);
    files_->write(blocks_, {});
}

Capture::Figures Capture::figures() const {
    const std::lock_guard lock(mutex_);
    const std::uint64_t missed =
        std::accumulate(taps_.begin(), taps_.end(), unwritten_,
                        [](std::uint64_t sum, const auto& tap) { return sum + tap->counts().missed; });
    return {.written = written_,
            .missed = missed,
            .files = files_->begun(),
            .file = files_->current(),
            .error = files_->error()};
}

Capture::Figures Capture::finish() {
    if (writer_.joinable()) {
        end_ = true;
        writer_.join();
        write_statistics();
        files_->close();
    }
    return figures();
}

}  // namespace isoplane::runtime
