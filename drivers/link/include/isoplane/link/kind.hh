// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string_view>
#include <vector>

namespace isoplane::link {

/// An option that the specs of a kind may carry.
struct LinkOption {
    std::string_view key;
    std::string_view value;  ///< what stands after `=`, in words of the help
    std::string_view help;
};

/// What a kind of link is, takes, can do and needs: the one table that the parser, the help, `isoplane
/// doctor` and the documentation read.
struct LinkKind {
    std::string_view name;     ///< what stands before the colon
    std::string_view summary;  ///< one line
    std::string_view target;   ///< what stands after the colon; empty: nothing does
    std::vector<LinkOption> options;
    bool root;                 ///< needs a capability that only root has by default
    bool multi_segment;        ///< sends chained packets as they are; others are linearised, and counted
    unsigned max_mtu;          ///< the most the kind allows; its device or interface may allow less
    unsigned queues;           ///< receive and transmit queues in use
    bool zero_copy;            ///< packets reach the other end without being copied
    bool in_process = false;   ///< packets are handed over as they are, and may refer to any memory of ours
    bool shared_pool = false;  ///< its packets are of a pool in shared memory, and it is the only link there
    std::string_view rate;     ///< 64-byte packets one core moves, as an order of magnitude
    std::string_view needs;    ///< beyond a running EAL
};

/// All kinds, in the order the help lists them.
const std::vector<LinkKind>& link_kinds();

/// The kind of that name, or nullptr.
const LinkKind* find_kind(std::string_view name);

}  // namespace isoplane::link
