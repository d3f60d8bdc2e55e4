// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_mbuf.h>
#include <rte_prefetch.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <isoplane/wire/ethernet.hh>
#include <utility>

#include <isoplane/runtime/edge.hh>
#include <isoplane/runtime/packet.hh>
#include <isoplane/runtime/pool.hh>

namespace isoplane::perf {

/// What a raw end does about the content of frames.
enum class Content : std::uint8_t {
    kCopied,     ///< messages are copied in and out: what an application without any protocol would do
    kUntouched,  ///< frames have a header and a length: what the link can carry, read and written by nobody
};

/// Of raw frames whose content is received: others use the same link, such as token managers of jobs that are
/// measured in turns with it.
inline constexpr std::uint16_t kRawEtherType = 0x88B6;  ///< IEEE 802 local experimental EtherType 2

/// Frames on a link and nothing around them: a message is as many as it needs. The limit for all that uses
/// the link; packets are taken and freed in bulk, and nothing is checked or repeated.
template <Content content>
class Raw {
  public:
    static constexpr bool kKeepsContent = content == Content::kCopied;

    Raw(runtime::Input& from, runtime::Output& to, runtime::Pool& pool, const wire::MacAddress& source,
        const wire::MacAddress& destination, unsigned mtu)
        : from_(from), to_(to), pool_(pool), mtu_(mtu) {
        wire::encode_ethernet(header_, destination, source, kRawEtherType);
    }
    ~Raw() {
        rte_pktmbuf_free_bulk(fresh_.data(), fresh_count_);
        rte_pktmbuf_free_bulk(out_.data(), out_count_);
        rte_pktmbuf_free_bulk(in_.data(), in_count_);
    }
    Raw(const Raw&) = delete;
    Raw& operator=(const Raw&) = delete;

    bool carries(std::size_t size) const noexcept { return size > 0; }
    bool ready() noexcept { return true; }

    void begin(std::size_t size) noexcept {
        size_ = size;
        got_ = 0;
        rest_ = {};
        do {
            rte_pktmbuf_free_bulk(in_.data(), in_count_);
            in_count_ = next_ = from_.receive(in_);
        } while (in_count_ > 0);
    }

    bool send(std::span<const std::byte> message) noexcept {
        if (!rest_.empty() || out_count_ == out_.size()) return false;
        rest_ = message;
        fill();
        return true;
    }

    bool poll() noexcept {
        fill();
        std::uint16_t sent = push();
        const bool moved = sent > 0;
        while (sent > 0 && out_count_ == 0 && !rest_.empty()) {
            fill();
            sent = push();
        }
        if (next_ < in_count_) return moved;
        rte_pktmbuf_free_bulk(in_.data(), in_count_);
        next_ = 0;
        in_count_ = from_.receive(in_);
        if constexpr (content == Content::kCopied) {
            for (std::uint16_t i = 0; i < in_count_; ++i)
                rte_prefetch0(rte_pktmbuf_mtod(in_[i], void*));
        }
        return moved || in_count_ > 0;
    }

    bool receive(std::span<std::byte> room) noexcept {
        while (next_ < in_count_) {
            const rte_mbuf* const m = in_[next_++];
            if (content == Content::kCopied && !is_raw(*m)) continue;
            const std::size_t part = std::min<std::size_t>(m->data_len - wire::kEthernetSize, size_ - got_);
            if constexpr (content == Content::kCopied) {
                std::memcpy(room.data() + got_, rte_pktmbuf_mtod_offset(m, std::byte*, wire::kEthernetSize),
                            part);
            }
            got_ += part;
            if (got_ < size_) continue;
            got_ = 0;
            return true;
        }
        return false;
    }

    bool relay() noexcept {
        if (next_ == in_count_ || out_count_ == out_.size()) return false;
        out_[out_count_++] = std::exchange(in_[next_++], nullptr);
        return true;
    }

    bool settled() noexcept { return rest_.empty() && out_count_ == 0 && next_ == in_count_; }

  private:
    static bool is_raw(const rte_mbuf& m) noexcept {
        const auto* const at = rte_pktmbuf_mtod(&m, const std::byte*);
        return m.data_len > wire::kEthernetSize && wire::ethernet_layout::EtherType::get(at) == kRawEtherType;
    }

    /// Sends what is in frames. Returns how many.
    std::uint16_t push() noexcept {
        if (out_count_ == 0) return 0;
        const std::uint16_t sent = to_.send(out_.data(), out_count_);
        std::copy(out_.begin() + sent, out_.begin() + out_count_, out_.begin());
        out_count_ = static_cast<std::uint16_t>(out_count_ - sent);
        return sent;
    }

    /// Puts as much of the message under way into frames as there is room for.
    void fill() noexcept {
        while (!rest_.empty() && out_count_ < out_.size() && has_fresh()) {
            rte_mbuf* const m = fresh_[--fresh_count_];
            const std::size_t part = std::min<std::size_t>(rest_.size(), mtu_);
            auto* const at = rte_pktmbuf_mtod(m, std::byte*);
            std::memcpy(at, header_.data(), header_.size());
            if constexpr (content == Content::kCopied) std::memcpy(at + header_.size(), rest_.data(), part);
            m->data_len = static_cast<std::uint16_t>(header_.size() + part);
            m->pkt_len = m->data_len;
            rest_ = rest_.subspan(part);
            out_[out_count_++] = m;
        }
    }

    bool has_fresh() noexcept {
        if (fresh_count_ > 0) return true;
        constexpr std::uint16_t kFresh = 32;
        if (rte_pktmbuf_alloc_bulk(pool_.raw(), fresh_.data(), kFresh) == 0) fresh_count_ = kFresh;
        return fresh_count_ > 0;
    }

    runtime::Input& from_;
    runtime::Output& to_;
    runtime::Pool& pool_;
    unsigned mtu_;
    std::array<std::byte, wire::kEthernetSize> header_{};
    std::size_t size_ = 0;
    std::span<const std::byte> rest_{};  ///< of the message that is being sent
    std::size_t got_ = 0;                ///< of the message that is being received
    runtime::Burst fresh_{};
    std::uint16_t fresh_count_ = 0;
    runtime::Burst out_{};
    std::uint16_t out_count_ = 0;
    runtime::Burst in_{};  ///< freed together, when all have been read
    std::uint16_t in_count_ = 0;
    std::uint16_t next_ = 0;
};

}  // namespace isoplane::perf
