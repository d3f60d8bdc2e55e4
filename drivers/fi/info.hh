// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rdma/providers/fi_prov.h>

#include <cstddef>
#include <cstdint>

#include "objects.hh"

namespace isoplane::fi {

extern fi_provider kProvider;

inline constexpr const char* kName = "isoplane";
inline constexpr std::uint32_t kAddressFormat = FI_PROV_SPECIFIC | 0x150;
inline constexpr std::size_t kInjectSize = 1024;
inline constexpr std::size_t kSegments = 8;  ///< of one operation
inline constexpr std::size_t kDataSize = 4;  ///< bytes of remote CQ data

// Each may take an entry and a descriptor of the endpoint's interface. A quarter of these is left for buffers
// of unexpected messages, and for what is still to be said of what has ended.

inline constexpr std::size_t kTransmits = 16384;  ///< operations of an endpoint that others wait for
inline constexpr std::size_t kReceives = 16384;
inline constexpr std::size_t kRegions = 16384;  ///< of its domain

/// Memory is registered as libfabric 1.4 and before had it: by addresses, with keys of the provider.
bool is_basic(const fi_info& info);

/// What fi_getinfo() asks of a provider.
int get_info(std::uint32_t version, const char* node, const char* service, std::uint64_t flags,
             const fi_info* hints, fi_info** info);

}  // namespace isoplane::fi
