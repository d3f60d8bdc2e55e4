// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// What computes in the calling thread is an interface that DPDK still calls experimental.
#define ALLOW_EXPERIMENTAL_API

#include <rte_cryptodev.h>
#include <rte_dev.h>
#include <rte_errno.h>

#include <algorithm>
#include <atomic>
#include <isoplane/auth/crypto.hh>
#include <stdexcept>
#include <string>

namespace isoplane::auth {

namespace {

constexpr std::uint16_t kIvSize = 12;
constexpr std::uint16_t kKeySize = sizeof(Secret);
constexpr std::uint16_t kIvOffset = 0;  // means nothing where no operation is queued
constexpr unsigned kOwnSessions = 1;    // that of the pseudo-random function
/// ChaCha20 works on copies, a few at a time so that they stay in the cache.
constexpr std::size_t kCopies = 4;
constexpr std::size_t kLongest = 65536;

/// One computation of a driver, for each of a burst.
template <std::size_t most>
struct Batch {
    std::array<rte_crypto_vec, most> data;
    std::array<rte_crypto_sgl, most> lists;
    std::array<std::array<std::byte, 16>, most> ivs;
    std::array<rte_crypto_va_iova_ptr, most> iv_at;
    std::array<rte_crypto_va_iova_ptr, most> tag_at;
    std::array<rte_crypto_va_iova_ptr, most> aad_at;
    std::array<std::int32_t, most> status;
    std::uint32_t size = 0;

    void add(const std::byte* from, std::size_t length, std::uint64_t number, std::byte* tag) noexcept {
        const std::uint32_t i = size++;
        auto* const base = const_cast<std::byte*>(from);
        data[i] = {.base = base, .iova = 0, .len = static_cast<std::uint32_t>(length), .tot_len = 0};
        lists[i] = {.vec = &data[i], .num = 1};
        ivs[i] = {};
        wire::Field<std::uint64_t, 4>::put(ivs[i].data(), number);
        iv_at[i] = {.va = ivs[i].data(), .iova = 0};
        tag_at[i] = {.va = tag, .iova = 0};
        aad_at[i] = {.va = base, .iova = 0};
    }

    bool compute(std::uint8_t device, void* session) noexcept {
        rte_crypto_sym_vec all{};
        all.num = size;
        all.src_sgl = lists.data();
        all.iv = iv_at.data();
        all.digest = tag_at.data();
        all.aad = aad_at.data();
        all.status = status.data();
        return rte_cryptodev_sym_cpu_crypto_process(device, session, {}, &all) == size;
    }
};

rte_crypto_sym_xform hash_of(const Secret& secret) {
    rte_crypto_sym_xform form{};
    form.type = RTE_CRYPTO_SYM_XFORM_AUTH;
    form.auth = {};
    form.auth.op = RTE_CRYPTO_AUTH_OP_GENERATE;
    form.auth.algo = RTE_CRYPTO_AUTH_SHA256_HMAC;
    form.auth.key = {reinterpret_cast<const std::uint8_t*>(secret.data()), kKeySize};
    form.auth.digest_length = sizeof(Crypto::Output);
    return form;
}

rte_crypto_sym_xform gmac_of(const Crypto::Output& key) {
    rte_crypto_sym_xform form = hash_of(key);
    form.auth.algo = RTE_CRYPTO_AUTH_AES_GMAC;
    form.auth.iv = {kIvOffset, kIvSize};
    form.auth.digest_length = wire::kTagSize;
    return form;
}

rte_crypto_sym_xform chacha_of(const Crypto::Output& key) {
    rte_crypto_sym_xform form{};
    form.type = RTE_CRYPTO_SYM_XFORM_AEAD;
    form.aead = {};
    form.aead.op = RTE_CRYPTO_AEAD_OP_ENCRYPT;
    form.aead.algo = RTE_CRYPTO_AEAD_CHACHA20_POLY1305;
    form.aead.key = {reinterpret_cast<const std::uint8_t*>(key.data()), kKeySize};
    form.aead.iv = {kIvOffset, kIvSize};
    form.aead.digest_length = wire::kTagSize;
    return form;
}

bool computes_at_once(std::uint8_t id) {
    rte_cryptodev_info info{};
    rte_cryptodev_info_get(id, &info);
    return (info.feature_flags & RTE_CRYPTODEV_FF_SYM_CPU_CRYPTO) != 0;
}

}  // namespace

/// One of each driver in a process, which stays until its end.
Crypto::Device Crypto::device(const char* driver) {
    const std::string name = std::string(driver) + "_auth";
    int id = rte_cryptodev_get_dev_id(name.c_str());
    if (id >= 0) return {static_cast<std::uint8_t>(id)};
    const int error = rte_eal_hotplug_add("vdev", name.c_str(), "max_nb_queue_pairs=1");
    if (error == 0) id = rte_cryptodev_get_dev_id(name.c_str());
    rte_cryptodev_config conf{};
    conf.nb_queue_pairs = 1;
    conf.ff_disable = RTE_CRYPTODEV_FF_SECURITY | RTE_CRYPTODEV_FF_ASYMMETRIC_CRYPTO;
    if (id < 0 || !computes_at_once(static_cast<std::uint8_t>(id)) ||
        rte_cryptodev_configure(static_cast<std::uint8_t>(id), &conf) != 0)
        throw std::runtime_error("frames cannot be authenticated: DPDK's driver " + std::string(driver) +
                                 " did not start (" + rte_strerror(error != 0 ? -error : ENODEV) +
                                 "). It needs an x86 CPU with AES and PCLMULQDQ, and on Debian the package "
                                 "librte-crypto-ipsec-mb23");
    return {static_cast<std::uint8_t>(id)};
}

Crypto::Crypto(const Key& key, unsigned keys)
    : algorithm_(key.algorithm),
      hash_(device("crypto_aesni_mb")),
      cipher_(key.algorithm == Algorithm::kAesGmac ? device("crypto_aesni_gcm") : hash_) {
    static std::atomic<unsigned> made{0};
    const std::string name = "auth_keys" + std::to_string(made.fetch_add(1));
    const unsigned size = std::max(rte_cryptodev_sym_get_private_session_size(hash_.id),
                                   rte_cryptodev_sym_get_private_session_size(cipher_.id));
    sessions_ =
        rte_cryptodev_sym_session_pool_create(name.c_str(), keys + kOwnSessions, size, 0, 0, SOCKET_ID_ANY);
    if (sessions_ == nullptr)
        throw std::runtime_error("there is no memory for the " + std::to_string(keys) +
                                 " keys of authenticated frames (" + rte_strerror(rte_errno) +
                                 "): give more by --memory");
    rte_crypto_sym_xform form = hash_of(key.secret);
    prf_ = rte_cryptodev_sym_session_create(hash_.id, &form, sessions_);
    if (prf_ == nullptr) {
        rte_mempool_free(sessions_);
        throw std::runtime_error(std::string("the driver crypto_aesni_mb has no HMAC-SHA256: ") +
                                 rte_strerror(rte_errno));
    }
    if (algorithm_ == Algorithm::kChaCha20Poly1305) scratch_.resize(kCopies * kLongest);
}

Crypto::~Crypto() {
    rte_cryptodev_sym_session_free(hash_.id, prf_);
    rte_mempool_free(sessions_);
}

unsigned Crypto::memory_mb(unsigned keys) {
    constexpr std::size_t kOfKey = 2048;
    return 2 + static_cast<unsigned>(std::size_t{keys} * kOfKey >> 20);
}

Crypto::Output Crypto::derive(const Context& context) noexcept {
    Output output;
    Batch<1> batch;
    batch.add(context.data(), context.size(), 0, output.data());
    batch.compute(hash_.id, prf_);
    return output;
}

Crypto::Session Crypto::open(const Output& key) noexcept {
    rte_crypto_sym_xform form = algorithm_ == Algorithm::kAesGmac ? gmac_of(key) : chacha_of(key);
    return rte_cryptodev_sym_session_create(cipher_.id, &form, sessions_);
}

void Crypto::close(Session session) noexcept {
    if (session != nullptr) rte_cryptodev_sym_session_free(cipher_.id, session);
}

bool Crypto::tag(Session session, std::span<const Piece> pieces) noexcept {
    return algorithm_ == Algorithm::kAesGmac ? tag_in_place(session, pieces) : tag_copies(session, pieces);
}

bool Crypto::tag_in_place(Session session, std::span<const Piece> pieces) noexcept {
    Batch<runtime::kBurst> batch;
    for (const Piece& piece : pieces)
        batch.add(piece.data.data(), piece.data.size(), piece.number, piece.tag);
    return batch.compute(cipher_.id, session);
}

/// The driver has Poly1305 only over what ChaCha20 has encrypted, or over a size that its key says once for
/// all. So a copy is encrypted, for its tag alone. That is as sound: the tag is that of another text which
/// differs whenever the frame does, under a key that the same number yields to nobody without the secret.
bool Crypto::tag_copies(Session session, std::span<const Piece> pieces) noexcept {
    for (std::size_t first = 0; first < pieces.size(); first += kCopies) {
        Batch<kCopies> batch;
        std::byte* at = scratch_.data();
        for (const Piece& piece : pieces.subspan(first, std::min(kCopies, pieces.size() - first))) {
            std::copy(piece.data.begin(), piece.data.end(), at);
            batch.add(at, piece.data.size(), piece.number, piece.tag);
            at += piece.data.size();
        }
        if (!batch.compute(cipher_.id, session)) return false;
    }
    return true;
}

}  // namespace isoplane::auth
