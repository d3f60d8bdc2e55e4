// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <sys/random.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <isoplane/auth/life.hh>
#include <stdexcept>
#include <string>

namespace isoplane::auth {

namespace {

enum class Purpose : std::uint8_t { kKey = 1, kProof };

Crypto::Context context(Purpose purpose, Algorithm algorithm, const Life& life, std::uint32_t generation) {
    Crypto::Context bytes{};
    std::byte* const at = bytes.data();
    wire::Field<std::uint8_t, 0>::put(at, static_cast<std::uint8_t>(purpose));
    wire::Field<std::uint8_t, 1>::put(at, static_cast<std::uint8_t>(algorithm));
    wire::Field<std::uint32_t, 4>::put(at, life.job_key);
    wire::Field<std::uint64_t, 8>::put(at, life.born);
    wire::Field<std::uint64_t, 16>::put(at, life.salt);
    wire::Field<std::uint32_t, 24>::put(at, generation);
    return bytes;
}

}  // namespace

Life begin_life(std::uint16_t station, std::uint32_t job_key) {
    using Milliseconds = std::chrono::milliseconds;
    const auto since =
        std::chrono::duration_cast<Milliseconds>(std::chrono::system_clock::now().time_since_epoch());
    constexpr std::uint64_t kMask = 0xffff'ffff'ffffU;
    Life life{job_key, std::uint64_t{station} << 48 | (static_cast<std::uint64_t>(since.count()) & kMask), 0};
    if (getrandom(&life.salt, sizeof life.salt, 0) != sizeof life.salt)
        throw std::runtime_error(
            std::string("the kernel has no random bytes, which authentication needs to start: ") +
            std::strerror(errno));
    return life;
}

Crypto::Output key_of(Crypto& crypto, Algorithm algorithm, const Life& life,
                      std::uint32_t generation) noexcept {
    return crypto.derive(context(Purpose::kKey, algorithm, life, generation));
}

std::uint64_t proof_of(Crypto& crypto, Algorithm algorithm, const Life& life,
                       std::uint32_t generation) noexcept {
    const Crypto::Output output = crypto.derive(context(Purpose::kProof, algorithm, life, generation));
    return wire::Field<std::uint64_t, 0>::get(output.data());
}

}  // namespace isoplane::auth
