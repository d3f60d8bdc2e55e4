// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/auth/crypto.hh>

namespace isoplane::auth {

/// What keys are derived from, beside the secret: which job, node and life, and how many keys that had
/// before.
struct Life {
    std::uint32_t job_key = 0;  ///< each plane of a job has another
    std::uint64_t born = 0;     ///< the node, and when it began
    std::uint64_t salt = 0;
};

/// Of a node that starts now; another one each time. Throws std::runtime_error.
Life begin_life(std::uint16_t station, std::uint32_t job_key);

/// The key of a generation, and the proof that it exists.
Crypto::Output key_of(Crypto& crypto, Algorithm algorithm, const Life& life,
                      std::uint32_t generation) noexcept;
std::uint64_t proof_of(Crypto& crypto, Algorithm algorithm, const Life& life,
                       std::uint32_t generation) noexcept;

}  // namespace isoplane::auth
