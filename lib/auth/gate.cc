// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/auth/gate.hh>
#include <isoplane/runtime/counter.hh>
#include <isoplane/wire/arp.hh>
#include <isoplane/wire/frame.hh>
#include <nlohmann/json.hpp>

namespace isoplane::auth {

namespace {

bool is_arp(std::span<const std::byte> packet, const wire::Encapsulation& encapsulation) noexcept {
    return encapsulation.transport == wire::Transport::kUdp && packet.size() >= wire::kEthernetSize &&
           wire::ethernet_layout::EtherType::get(packet.data()) == wire::kArpEtherType;
}

/// For a trailer behind so many bytes of a packet in one piece.
bool has_room(const rte_mbuf* packet, std::size_t size) noexcept {
    return packet->data_off + size + wire::kTrailerSize <= packet->buf_len;
}

/// A copy in one piece of the first bytes of a packet, which goes. nullptr, and the packet stays, when there
/// is no mbuf.
rte_mbuf* copy_of(rte_mbuf* packet, std::size_t size, runtime::Pool& pool) noexcept {
    rte_mbuf* const copy = rte_pktmbuf_copy(packet, pool.raw(), 0, static_cast<std::uint32_t>(size));
    if (copy != nullptr) rte_pktmbuf_free(packet);
    return copy;
}

}  // namespace

/// Opens what comes.
class Gate::In final : public runtime::Input {
  public:
    In(const std::string& name, runtime::Input& from, Crypto& crypto, Algorithm algorithm,
       const GateOptions& options, runtime::Pool& pool)
        : Input(name, Bytes::kNotCounted),
          from_(from),
          opener_(crypto, algorithm, options.job_key, options.station, options.stations),
          encapsulation_(options.encapsulation),
          pool_(pool) {}

    unsigned waiting() const noexcept override { return from_.waiting(); }

    std::array<runtime::Counter, kVerdicts> verdicts;

  private:
    std::uint16_t do_receive(rte_mbuf** packets, std::uint16_t room) noexcept override;
    bool locate(rte_mbuf*& packet, SealedFrame& frame, Verdict& verdict) noexcept;

    runtime::Input& from_;
    Opener opener_;
    wire::Encapsulation encapsulation_;
    runtime::Pool& pool_;
};

/// Seals what is sent.
class Gate::Out final : public runtime::Output {
  public:
    Out(const std::string& name, runtime::Output& to, Crypto& crypto, Algorithm algorithm,
        const GateOptions& options, runtime::Pool& pool)
        : Output(name, Bytes::kNotCounted),
          to_(to),
          sealer_(crypto, algorithm, begin_life(options.station, options.job_key), options.first),
          encapsulation_(options.encapsulation),
          pool_(pool) {}

    runtime::Counter sealed;
    runtime::Counter copied;

  private:
    enum class Ready : std::uint8_t { kToSeal, kAsItIs, kLater };

    std::uint16_t do_send(rte_mbuf** packets, std::uint16_t n) noexcept override;
    std::uint16_t already_sealed(rte_mbuf* const* packets, std::uint16_t n) const noexcept;
    std::uint16_t seal(rte_mbuf** packets, std::uint16_t n) noexcept;
    Ready make_ready(rte_mbuf*& packet, SealedFrame& frame) noexcept;

    runtime::Output& to_;
    Sealer sealer_;
    wire::Encapsulation encapsulation_;
    runtime::Pool& pool_;
    runtime::Burst offered_{};  ///< sealed, and not taken: the next burst begins with them
    std::uint16_t offered_count_ = 0;
};

/// Whether there is something to open. Otherwise the verdict is given.
bool Gate::In::locate(rte_mbuf*& packet, SealedFrame& frame, Verdict& verdict) noexcept {
    verdict = Verdict::kNotSealed;
    if (packet->nb_segs != 1) [[unlikely]] {
        rte_mbuf* const whole = copy_of(packet, packet->pkt_len, pool_);
        if (whole == nullptr) return false;
        packet = whole;
    }
    const std::span<std::byte> bytes = runtime::Packet::bytes_of(packet);
    const auto end = packet->nb_segs == 1 ? wire::end_of_payload(bytes, encapsulation_) : std::nullopt;
    if (!end || bytes.size() - *end < wire::kTrailerSize) {
        if (is_arp(bytes, encapsulation_)) verdict = Verdict::kAuthentic;
        return false;
    }
    frame = {bytes.data() + encapsulation_.size(), bytes.data() + *end};
    return true;
}

std::uint16_t Gate::In::do_receive(rte_mbuf** packets, std::uint16_t room) noexcept {
    const std::uint16_t n = from_.receive(packets, std::min(room, runtime::kBurst));
    if (n == 0) return 0;
    for (std::uint16_t i = 0; i < n; ++i)
        rte_prefetch0(rte_pktmbuf_mtod(packets[i], const void*));
    std::array<SealedFrame, runtime::kBurst> frames;
    std::array<Verdict, runtime::kBurst> found;
    std::array<std::uint16_t, runtime::kBurst> which;
    std::array<Verdict, runtime::kBurst> judged;
    std::size_t to_open = 0;
    for (std::uint16_t i = 0; i < n; ++i) {
        if (locate(packets[i], frames[to_open], found[i])) which[to_open++] = i;
    }
    opener_.open(std::span(frames).first(to_open), std::span(judged).first(to_open));
    for (std::size_t k = 0; k < to_open; ++k)
        found[which[k]] = judged[k];
    std::uint16_t kept = 0;
    for (std::uint16_t i = 0; i < n; ++i) {
        if (found[i] == Verdict::kAuthentic) [[likely]] {
            packets[kept++] = packets[i];
        } else {
            verdicts[static_cast<std::size_t>(found[i])].add();
            rte_pktmbuf_free(packets[i]);
        }
    }
    verdicts[static_cast<std::size_t>(Verdict::kAuthentic)].add(kept);
    return kept;
}

/// Makes room for the trailer behind the payload.
Gate::Out::Ready Gate::Out::make_ready(rte_mbuf*& packet, SealedFrame& frame) noexcept {
    // One reference is ours, and one may be its keeper's, who changes nothing while we have ours.
    constexpr unsigned kWithItsKeeper = 2;
    const std::size_t front = encapsulation_.size();
    const std::span<std::byte> first = runtime::Packet::bytes_of(packet);
    if (first.size() < front + wire::kHeaderSize || is_arp(first, encapsulation_)) return Ready::kAsItIs;
    std::size_t size = packet->pkt_len;
    if (packet->nb_segs == 1) {
        const auto end = wire::end_of_payload(first, encapsulation_);
        if (!end) return Ready::kAsItIs;
        size = *end;  // behind it may be the trailer of the time before
    }
    const bool in_place = packet->nb_segs == 1 && RTE_MBUF_DIRECT(packet) &&
                          runtime::references(packet) <= kWithItsKeeper && has_room(packet, size);
    if (!in_place) [[unlikely]] {
        rte_mbuf* const copy = copy_of(packet, size, pool_);
        if (copy == nullptr) return Ready::kLater;
        packet = copy;
        copied.add();
        if (copy->nb_segs != 1 || !has_room(copy, size))
            return Ready::kAsItIs;  // longer than the MTU allows: the link will not take it
    }
    packet->data_len = static_cast<std::uint16_t>(size + wire::kTrailerSize);
    packet->pkt_len = packet->data_len;
    auto* const at = rte_pktmbuf_mtod(packet, std::byte*);
    if (encapsulation_.transport == wire::Transport::kUdp)
        wire::stretch_datagram(at, packet->data_len - front);
    frame = {at + front, at + size};
    return Ready::kToSeal;
}

/// Returns how many of the packets, from the first, are ready to go.
std::uint16_t Gate::Out::seal(rte_mbuf** packets, std::uint16_t n) noexcept {
    std::array<SealedFrame, runtime::kBurst> frames;
    std::array<std::uint16_t, runtime::kBurst> which;
    std::size_t to_seal = 0;
    std::uint16_t ready = 0;
    for (; ready < n; ++ready) {
        const Ready how = make_ready(packets[ready], frames[to_seal]);
        if (how == Ready::kLater) [[unlikely]]
            break;
        if (how == Ready::kToSeal) which[to_seal++] = ready;
    }
    const std::size_t done = sealer_.seal(std::span(frames).first(to_seal));
    sealed.add(done);
    return done == to_seal ? ready : which[done];
}

/// A stage offers again first what was not taken.
std::uint16_t Gate::Out::already_sealed(rte_mbuf* const* packets, std::uint16_t n) const noexcept {
    const std::uint16_t most = std::min(n, offered_count_);
    return static_cast<std::uint16_t>(std::mismatch(packets, packets + most, offered_.begin()).first -
                                      packets);
}

std::uint16_t Gate::Out::do_send(rte_mbuf** packets, std::uint16_t n) noexcept {
    n = std::min(n, runtime::kBurst);
    const std::uint16_t before = offered_count_ == 0 ? std::uint16_t{0} : already_sealed(packets, n);
    const auto ready =
        static_cast<std::uint16_t>(before + seal(packets + before, static_cast<std::uint16_t>(n - before)));
    const std::uint16_t sent = ready == 0 ? ready : to_.send(packets, ready);
    offered_count_ = static_cast<std::uint16_t>(ready - sent);
    std::copy(packets + sent, packets + ready, offered_.begin());
    return sent;
}

Gate::Gate(const std::string& name, const Key& key, const GateOptions& options, runtime::Input& from,
           runtime::Output& to, runtime::Pool& pool)
    : algorithm_(key.algorithm),
      crypto_(std::make_unique<Crypto>(key, Opener::keys(options.stations))),
      in_(std::make_unique<In>(name + ".opened", from, *crypto_, algorithm_, options, pool)),
      out_(std::make_unique<Out>(name + ".sealed", to, *crypto_, algorithm_, options, pool)) {}

Gate::~Gate() = default;

runtime::Input& Gate::input() noexcept {
    return *in_;
}

runtime::Output& Gate::output() noexcept {
    return *out_;
}

void Gate::describe(nlohmann::json& out) const {
    out["algorithm"] = name(algorithm_);
    out["sealed"] = out_->sealed.get();
    out["copied"] = out_->copied.get();
    for (std::size_t i = 0; i < kVerdicts; ++i)
        out[std::string(name(static_cast<Verdict>(i)))] = in_->verdicts[i].get();
}

void Gate::clear_counters() {
    out_->sealed.set(0);
    out_->copied.set(0);
    for (runtime::Counter& counter : in_->verdicts)
        counter.set(0);
}

std::uint64_t Gate::refused() const noexcept {
    std::uint64_t all = 0;
    for (std::size_t i = 1; i < kVerdicts; ++i)
        all += in_->verdicts[i].get();
    return all;
}

}  // namespace isoplane::auth
