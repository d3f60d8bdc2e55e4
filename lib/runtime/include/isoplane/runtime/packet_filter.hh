// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

struct bpf_program;

namespace isoplane::runtime {

/// Which Ethernet frames an expression means, as tcpdump takes it: pcap-filter(7).
class PacketFilter {
  public:
    /// Empty for all frames. Throws std::invalid_argument with a sentence when it is no expression.
    explicit PacketFilter(const std::string& expression);
    ~PacketFilter();
    PacketFilter(const PacketFilter&) = delete;
    PacketFilter& operator=(const PacketFilter&) = delete;

    /// `bytes` is the beginning of a frame that is so long on the wire.
    bool passes(std::span<const std::byte> bytes, std::uint32_t length) const noexcept;

    bool takes_all() const noexcept { return expression_.empty(); }
    const std::string& expression() const noexcept { return expression_; }

  private:
    std::string expression_;
    std::unique_ptr<bpf_program> program_;
};

}  // namespace isoplane::runtime
