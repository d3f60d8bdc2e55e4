// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "replay/trace.hh"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace isoplane::replay {

namespace {

/// Before it all nanoseconds can be counted.
constexpr auto kLastSecond = std::chrono::floor<std::chrono::seconds>(Time::max());

constexpr std::size_t kEthernetSize = 14;
constexpr std::size_t kProtocolAt = 12;

/// Where the protocol stands in the header of an "any" interface, and how long that header is.
struct Cooked {
    std::size_t protocol;
    std::size_t size;
};
constexpr Cooked kCookedHeader{14, 16};
constexpr Cooked kCooked2Header{0, 20};

/// In front of a packet of a loopback: its family, in whichever byte order.
constexpr std::size_t kFamilySize = 4;

constexpr std::byte kIpv4[] = {std::byte{0x08}, std::byte{0x00}};
constexpr std::byte kIpv6[] = {std::byte{0x86}, std::byte{0xdd}};

/// libpcap's own words, with a file that it does not name.
std::string said(const std::string& file, const std::string& problem) {
    return "'" + file + "': " + problem;
}

}  // namespace

Trace::Trace(std::string file, const std::string& filter) : file_(std::move(file)), filter_(filter) {
    open();
}

void Trace::open() {
    char problem[PCAP_ERRBUF_SIZE] = {};
    handle_.reset(LiveInput::is(file_) ? open_live(problem)
                                       : pcap_open_offline_with_tstamp_precision(
                                             file_.c_str(), PCAP_TSTAMP_PRECISION_NANO, problem));
    input_.rethrow();
    if (given_up()) return;
    if (!handle_)
        throw std::runtime_error("cannot read the trace " + said(file_, problem) +
                                 "; name a file in the format pcap or pcapng");
    switch (const int type = pcap_datalink(handle_.get())) {
        case DLT_EN10MB:
            framing_ = Framing::kEthernet;
            break;
        case DLT_RAW:
        case DLT_IPV4:
        case DLT_IPV6:
            framing_ = Framing::kIp;
            break;
        case DLT_NULL:
        case DLT_LOOP:
            framing_ = Framing::kLoopback;
            break;
        case DLT_LINUX_SLL:
            framing_ = Framing::kCooked;
            break;
        case DLT_LINUX_SLL2:
            framing_ = Framing::kCooked2;
            break;
        default: {
            const char* const name = pcap_datalink_val_to_name(type);
            throw std::runtime_error(said(file_, "its frames are of the link type ") +
                                     (name != nullptr ? name : std::to_string(type)) +
                                     ", which no Ethernet link carries; Ethernet, raw IP, loopback and Linux "
                                     "cooked captures are replayed");
        }
    }
    std::error_code none;
    size_ = std::filesystem::is_regular_file(file_, none) ? std::filesystem::file_size(file_, none) : 0;
    if (filter_.empty()) return;
    bpf_program program{};
    if (pcap_compile(handle_.get(), &program, filter_.c_str(), 1, PCAP_NETMASK_UNKNOWN) != 0)
        throw std::invalid_argument("--filter '" + filter_ + "': " + pcap_geterr(handle_.get()) +
                                    "; see pcap-filter(7)");
    const int set = pcap_setfilter(handle_.get(), &program);
    pcap_freecode(&program);
    if (set != 0) throw std::runtime_error(said(file_, pcap_geterr(handle_.get())));
}

pcap_t* Trace::open_live(char* problem) {
    std::FILE* const stream = input_.open(file_);
    if (stream == nullptr) {
        std::snprintf(problem, PCAP_ERRBUF_SIZE, "%s", std::strerror(errno));
        return nullptr;
    }
    pcap_t* const handle =
        pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, problem);
    if (handle == nullptr) std::fclose(stream);
    return handle;
}

bool Trace::next(TraceFrame& frame) {
    if (given_up()) return false;
    pcap_pkthdr* header = nullptr;
    const u_char* data = nullptr;
    const int got = pcap_next_ex(handle_.get(), &header, &data);
    if (got == PCAP_ERROR_BREAK) return false;
    if (got != 1) {
        input_.rethrow();
        if (!given_up()) break_off();
        return false;
    }
    if (header->ts.tv_sec < 0 || std::chrono::seconds(header->ts.tv_sec) >= kLastSecond) {
        damage_ = said(file_, "damaged behind frame " + std::to_string(frames_) +
                                  ": the time of the next is before 1970 or after 2262");
        return false;
    }
    // With nanoseconds asked for, they stand where microseconds would.
    const Time when = std::chrono::seconds(header->ts.tv_sec) + Time(header->ts.tv_usec);
    if (frames_++ == 0) first_ = when;
    frame.when = when - first_;
    const std::span captured(reinterpret_cast<const std::byte*>(data), header->caplen);
    frame.bytes = as_ethernet(captured);
    bytes_ += frame.bytes.size();
    frame.length = static_cast<std::uint32_t>(header->len - header->caplen + frame.bytes.size());
    return true;
}

/// libpcap has no number for what is no damage, only words: of a file whose interfaces differ.
void Trace::break_off() {
    const std::string problem = pcap_geterr(handle_.get());
    const std::string where = " behind frame " + std::to_string(frames_) + ": ";
    damage_ = problem.find("different from the type of the first") == std::string::npos
                  ? said(file_, "damaged" + where + problem)
                  : said(file_, "libpcap cannot read on" + where +
                                    "its interfaces have several link types. Write each of them to a file of "
                                    "its own");
}

std::span<const std::byte> Trace::as_ethernet(std::span<const std::byte> bytes) {
    std::span<const std::byte> protocol;
    std::size_t skip = 0;
    switch (framing_) {
        case Framing::kEthernet:
            return bytes;
        case Framing::kIp:
        case Framing::kLoopback:
            skip = framing_ == Framing::kLoopback ? kFamilySize : 0;
            if (bytes.size() <= skip) return {};
            protocol = std::to_integer<unsigned>(bytes[skip]) >> 4 == 6 ? std::span(kIpv6) : std::span(kIpv4);
            break;
        case Framing::kCooked:
        case Framing::kCooked2: {
            const Cooked cooked = framing_ == Framing::kCooked ? kCookedHeader : kCooked2Header;
            if (bytes.size() < cooked.size) return {};
            protocol = bytes.subspan(cooked.protocol, sizeof kIpv4);
            skip = cooked.size;
            break;
        }
    }
    rewritten_.assign(kEthernetSize, std::byte{0});
    std::ranges::copy(protocol, rewritten_.begin() + kProtocolAt);
    rewritten_.insert(rewritten_.end(), bytes.begin() + static_cast<std::ptrdiff_t>(skip), bytes.end());
    return rewritten_;
}

std::optional<double> Trace::progress() const {
    if (size_ == 0) return {};
    const long at = std::ftell(pcap_file(handle_.get()));
    return at < 0 ? 0 : std::min(1.0, static_cast<double>(at) / static_cast<double>(size_));
}

void Trace::rewind() {
    frames_ = 0;
    bytes_ = 0;
    open();
}

}  // namespace isoplane::replay
