// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/niu/by_peer.hh>
#include <isoplane/niu/dispatcher.hh>
#include <isoplane/runtime/counter.hh>
#include <isoplane/runtime/fifo.hh>
#include <vector>

#include <isoplane/isotach/payload.hh>

namespace isoplane::isotach {

/// Payloads on their way. Each follows its pointer on the NIU's stream to that host, and nothing in logical
/// time goes there between them: so what is needed next is never behind what comes later.
class Payloads final : public niu::Receiver {
  public:
    /// Takes at most `most_kept` bytes from each host that are not released yet, or one payload: more waits
    /// in the NIU, at the expense of that host's credit.
    Payloads(niu::Niu& niu, std::size_t most_kept);
    ~Payloads() override;

    // Out.

    /// All that went there before is in frames.
    bool may_send(NodeId to) const noexcept { return hosts_[to].out.empty(); }
    void send(NodeId to, Payload::Handle payload) noexcept;

    // In.

    /// A pointer has come: so many bytes will. Nothing when there is no memory for as much as that.
    Payload* expect(NodeId from, std::uint32_t size) noexcept;
    void take(const niu::Received& fragment) noexcept override;
    /// The user is done with it.
    void release(Payload* payload) noexcept;

    /// Moves on what could not go or be taken before. Returns how much that was.
    unsigned poll() noexcept { return sending_.empty() && waiting_ == 0 ? 0 : move_on(); }
    /// All that was sent is in frames, and all that is expected is here.
    bool settled() const noexcept { return sending_.empty() && expected_ == 0; }
    /// How many are expected.
    std::size_t expected() const noexcept { return expected_; }
    /// What is under way from and to that host comes to nothing.
    void forget(NodeId host) noexcept;
    /// Forgets what is under way. Returns how many packets it held.
    std::size_t discard() noexcept;

    std::uint64_t sent() const noexcept { return sent_.get(); }
    std::uint64_t received() const noexcept { return received_.get(); }
    std::uint64_t copied_bytes() const noexcept { return copied_bytes_.get(); }
    /// Fragments of no payload that was announced.
    std::uint64_t malformed() const noexcept { return malformed_.get(); }
    void clear_counters() noexcept {
        for (runtime::Counter* c : {&sent_, &received_, &copied_bytes_, &malformed_})
            c->set(0);
    }

  private:
    struct Host {
        runtime::Fifo<Payload*> out;  ///< the first of them is with the NIU, if `handed`
        bool handed = false;
        runtime::Fifo<Payload*> in;  ///< that pointers have announced
        runtime::Fifo<niu::Received> waiting;
        std::size_t kept = 0;  ///< bytes
    };

    void forget(Host& host) noexcept;
    unsigned move_on() noexcept;
    unsigned pump(NodeId to) noexcept;
    bool put(Host& host, const niu::Received& fragment) noexcept;

    niu::Niu& niu_;
    std::size_t most_kept_;
    niu::ByPeer<Host> hosts_;
    std::vector<NodeId> sending_;  ///< those with something in `out`
    std::size_t waiting_ = 0;      ///< fragments, of all hosts
    std::size_t expected_ = 0;     ///< payloads, of all hosts
    runtime::Counter sent_;
    runtime::Counter received_;
    runtime::Counter copied_bytes_;
    runtime::Counter malformed_;
};

}  // namespace isoplane::isotach
