// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <pcap/pcap.h>

#include <isoplane/runtime/packet_filter.hh>
#include <stdexcept>

namespace isoplane::runtime {

PacketFilter::PacketFilter(const std::string& expression) : expression_(expression) {
    if (takes_all()) return;
    constexpr int kSnapLength = 262144;
    const std::unique_ptr<pcap_t, decltype(&pcap_close)> handle(pcap_open_dead(DLT_EN10MB, kSnapLength),
                                                                pcap_close);
    program_ = std::make_unique<bpf_program>();
    if (pcap_compile(handle.get(), program_.get(), expression_.c_str(), 1, PCAP_NETMASK_UNKNOWN) != 0)
        throw std::invalid_argument("'" + expression_ + "' is no filter: " + pcap_geterr(handle.get()) +
                                    "; see pcap-filter(7)");
}

PacketFilter::~PacketFilter() {
    if (program_) pcap_freecode(program_.get());
}

bool PacketFilter::passes(std::span<const std::byte> bytes, std::uint32_t length) const noexcept {
    if (!program_) return true;
    return bpf_filter(program_->bf_insns, reinterpret_cast<const u_char*>(bytes.data()), length,
                      static_cast<u_int>(bytes.size())) != 0;
}

}  // namespace isoplane::runtime
