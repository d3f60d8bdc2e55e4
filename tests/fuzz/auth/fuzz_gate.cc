// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// The first that a stranger's frame meets where nodes have a key. An input is a list of records: frames that
/// a peer with the key has sealed, or a later life of it, and what is done to them on their way: bits turned,
/// pieces cut off, put behind or apart, played back; and bytes of nobody. What comes out of the gate must
/// have been sealed, come out once, and be as it was.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <isoplane/auth/gate.hh>
#include <isoplane/runtime/ring.hh>
#include <isoplane/wire/frame.hh>
#include <isoplane/wire/message.hh>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "../machines/bytes.hh"

namespace isoplane::fuzz {
namespace {

constexpr std::size_t kStations = 4;
constexpr std::size_t kMostPayload = 400;

runtime::Pool& pool() {
    static runtime::Pool the_pool("fuzz", 1023, runtime::Pool::kDefaultRoom, 0);
    return the_pool;
}

struct Wires {
    runtime::Ring there{"there", 64};
    runtime::Ring here{"here", 64};
    runtime::Ring unused{"unused", 64};
};

class Pair {
  public:
    explicit Pair(std::uint8_t kind)
        : form_{.transport = (kind & 1) != 0 ? wire::Transport::kUdp : wire::Transport::kEthernet},
          key_{(kind & 2) != 0 ? auth::Algorithm::kChaCha20Poly1305 : auth::Algorithm::kAesGmac, {}},
          receiver_("receiver", key_, of(1), wires().here.input(), wires().unused.output(), pool()) {
        start_again();
    }
    ~Pair() {
        for (runtime::Ring* ring : {&wires().there, &wires().here, &wires().unused})
            ring->drain();
    }

    /// A later life of the one that seals.
    void start_again() {
        sender_.reset();
        sender_.emplace("sender", key_, of(2), wires().unused.input(), wires().there.output(), pool());
    }

    /// What it sends of this size, as it is on the wire. Kept, to be played back.
    void seal(std::size_t payload) {
        rte_mbuf* m = make(payload);
        if (sender_->output().send(&m, 1) != 1) std::abort();
        if (wires().there.input().receive(&m, 1) != 1) std::abort();
        const std::span<std::byte> bytes = runtime::Packet::bytes_of(m);
        sealed_.emplace_back(bytes.begin(), bytes.end());
        pending_.insert(essence(sealed_.back()));
        rte_pktmbuf_free(m);
    }
    /// Something that has been sealed, or nothing.
    std::vector<std::byte> sealed(std::size_t which) const {
        return sealed_.empty() ? std::vector<std::byte>{}
                               : sealed_[sealed_.size() - 1 - which % sealed_.size()];
    }

    /// In as many segments as are asked for.
    void deliver(std::span<const std::byte> frame, std::size_t segments) {
        rte_mbuf* const first = pool().packet().release();
        const std::size_t each = frame.size() / segments + 1;
        append(first, frame.first(std::min(each, frame.size())));
        for (std::size_t at = each; at < frame.size(); at += each) {
            rte_mbuf* const next = pool().packet().release();
            append(next, frame.subspan(at, std::min(each, frame.size() - at)));
            rte_pktmbuf_chain(first, next);
        }
        rte_mbuf* packet = first;
        wires().here.output().send(&packet, 1);
        ++waiting_;
    }

    void receive() {
        runtime::Burst burst;
        for (; waiting_ > 0; waiting_ -= std::min<std::size_t>(waiting_, runtime::kBurst)) {
            const std::uint16_t n = receiver_.input().receive(burst);
            for (std::uint16_t i = 0; i < n; ++i) {
                const std::span<std::byte> bytes = runtime::Packet::bytes_of(burst[i]);
                if (is_arp(bytes)) continue;
                const auto one = pending_.find(essence({bytes.begin(), bytes.end()}));
                if (one == pending_.end()) std::abort();  // forged, or for the second time
                pending_.erase(one);
            }
            rte_pktmbuf_free_bulk(burst.data(), n);
        }
    }

    bool full() const { return waiting_ >= 32; }

  private:
    static Wires& wires() {
        static Wires the_wires;
        return the_wires;
    }
    auth::GateOptions of(std::uint16_t station) const { return {station, kStations, 7, form_}; }

    bool is_arp(std::span<const std::byte> bytes) const {
        constexpr std::uint16_t kArp = 0x0806;
        return form_.transport == wire::Transport::kUdp && bytes.size() >= wire::kEthernetSize &&
               wire::ethernet_layout::EtherType::get(bytes.data()) == kArp;
    }

    /// What a trailer vouches for: from the frame's header on to its own end.
    std::string essence(const std::vector<std::byte>& bytes) const {
        const auto end = wire::end_of_payload(bytes, form_);
        if (!end || *end + wire::kTrailerSize > bytes.size()) std::abort();
        const auto* const from = reinterpret_cast<const char*>(bytes.data());
        return {from + form_.size(), from + *end + wire::kTrailerSize};
    }

    rte_mbuf* make(std::size_t payload) {
        rte_mbuf* const m = pool().packet().release();
        const std::size_t frame = wire::kHeaderSize + payload;
        auto* const at = reinterpret_cast<std::byte*>(
            rte_pktmbuf_append(m, static_cast<std::uint16_t>(form_.size() + frame)));
        if (form_.transport == wire::Transport::kUdp)
            wire::encode_udp(std::span<std::byte, wire::kUdpEnvelopeSize>(at, wire::kUdpEnvelopeSize), {}, {},
                             {1, 2, 3, form_.udp_port}, frame);
        else
            wire::encode_ethernet(std::span<std::byte, wire::kEthernetSize>(at, wire::kEthernetSize), {}, {},
                                  form_.ethertype);
        std::byte* const message = at + form_.size() + wire::kHeaderSize;
        std::memset(message, 5, payload);
        const auto size = static_cast<std::uint16_t>(payload - wire::kMessageHeaderSize);
        const std::uint64_t word =
            wire::message_word({wire::Protocol::kNoniso, wire::kWholeMessage, size, size});
        std::memcpy(message, &word, sizeof word);
        wire::Header header{.kind = wire::Kind::kData, .source = 2, .destination = 1};
        wire::encode_frame(std::span<std::byte, wire::kHeaderSize>(at + form_.size(), wire::kHeaderSize),
                           header, {message, payload});
        return m;
    }

    static void append(rte_mbuf* m, std::span<const std::byte> bytes) {
        if (bytes.empty()) return;
        std::memcpy(rte_pktmbuf_append(m, static_cast<std::uint16_t>(bytes.size())), bytes.data(),
                    bytes.size());
    }

    wire::Encapsulation form_;
    auth::Key key_;
    auth::Gate receiver_;
    std::optional<auth::Gate> sender_;
    std::vector<std::vector<std::byte>> sealed_;
    std::multiset<std::string> pending_;  ///< of what has been sealed, and not come out
    std::size_t waiting_ = 0;
};

/// Bits turned, or bytes put behind or taken away.
void damage(std::vector<std::byte>& frame, Bytes& in) {
    switch (in.take<std::uint8_t>() % 4) {
        case 0:
            if (!frame.empty())
                frame[in.take<std::uint16_t>() % frame.size()] ^=
                    static_cast<std::byte>(in.take<std::uint8_t>());
            break;
        case 1:
            frame.resize(frame.size() - std::min<std::size_t>(frame.size(), in.take<std::uint8_t>()));
            break;
        case 2: {
            const auto more = in.take(in.take<std::uint8_t>());
            frame.insert(frame.end(), more.begin(), more.end());
            break;
        }
        default:  // near the end is what names life, generation and number
            if (frame.size() >= wire::kTrailerSize)
                frame[frame.size() - 1 - in.take<std::uint8_t>() % wire::kTrailerSize] ^=
                    static_cast<std::byte>(in.take<std::uint8_t>());
            break;
    }
}

void play(std::span<const std::byte> input) {
    Bytes in(input);
    Pair pair(in.take<std::uint8_t>());
    while (!in.empty()) {
        const auto what = in.take<std::uint8_t>();
        if (what < 96) {
            pair.seal(wire::kMessageHeaderSize + in.take<std::uint16_t>() % kMostPayload);
        } else if (what < 128) {
            pair.receive();
        } else if (what < 240) {
            std::vector<std::byte> frame = pair.sealed(what < 200 ? 0 : in.take<std::uint8_t>());
            for (unsigned i = what % 4; i > 0; --i)
                damage(frame, in);
            pair.deliver(frame, 1 + what / 4 % 2 * (1 + in.take<std::uint8_t>() % 3U));
        } else if (what < 252) {
            pair.deliver(in.take(in.take<std::uint8_t>()), 1);
        } else {
            pair.start_again();
        }
        if (pair.full()) pair.receive();
    }
    pair.receive();
}

}  // namespace
}  // namespace isoplane::fuzz

#include "../machines/target.hh"
