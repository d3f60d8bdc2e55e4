// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What a node with a key puts between its stage and its link: all that the stage sends is sealed, and of
/// what comes only that which is authentic reaches it.
///
/// - Stage and link know nothing of it, but that an MTU is kTrailerSize less; without a key it is not there.
/// - A trailer goes behind the payload in the packet itself, where nobody but its keeper refers to it: then
///   what is kept is what it was, as nothing looks behind a payload. Other packets, and chained ones, are
///   copied, and counted.
/// - ARP passes in both directions as it is: who asks for an address has no secret.
/// - Used by the thread that polls the stage, but for describe(), which any may call.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include <isoplane/auth/opener.hh>
#include <isoplane/runtime/edge.hh>
#include <isoplane/runtime/pool.hh>

namespace isoplane::auth {

struct GateOptions {
    std::uint16_t station = 0;  ///< the node
    std::size_t stations = 0;   ///< nodes of the job, numbered from 0
    std::uint32_t job_key = 0;
    wire::Encapsulation encapsulation{};
    std::uint64_t first = 0;  ///< number of a frame; only tests begin elsewhere
};

class Gate {
  public:
    /// Copies are made in packets of `pool`, which have room for a whole frame. Throws std::runtime_error
    /// when there is nothing to compute with.
    Gate(const std::string& name, const Key& key, const GateOptions& options, runtime::Input& from,
         runtime::Output& to, runtime::Pool& pool);
    ~Gate();

    runtime::Input& input() noexcept;
    runtime::Output& output() noexcept;

    /// Adds what has been sealed and opened, and how many frames have been refused for each reason, to `out`.
    void describe(nlohmann::json& out) const;
    void clear_counters();

    /// How many frames have been refused.
    std::uint64_t refused() const noexcept;

  private:
    class In;
    class Out;

    Algorithm algorithm_;
    std::unique_ptr<Crypto> crypto_;
    std::unique_ptr<In> in_;
    std::unique_ptr<Out> out_;
};

}  // namespace isoplane::auth
