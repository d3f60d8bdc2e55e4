// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <deque>
#include <isoplane/active/active.hh>
#include <vector>

namespace isoplane::test {

/// An endpoint whose messages are another's at once, as long as it has room; and no more than that.
class NearEndpoint final : public noniso::Endpoint {
  public:
    using NodeId = niu::NodeId;
    explicit NearEndpoint(NodeId node) : node_(node) {}

    NearEndpoint* other = nullptr;
    unsigned room = 1000;  ///< messages that it takes
    std::size_t most = 200;
    noniso::PeerState peer = noniso::PeerState::kUp;
    std::uint32_t life = 1;  ///< of the other
    std::deque<std::vector<std::byte>> inbox;

    using Endpoint::send;
    using Endpoint::transfer;
    noniso::SendBuffer buffer(NodeId to, std::size_t size) noexcept override {
        if (room == 0 || peer != noniso::PeerState::kUp) return {};
        open_.resize(size);
        return {open_, to, wire::Protocol::kActive, true, life};
    }
    void send(const noniso::SendBuffer& buffer) noexcept override {
        --room;
        other->inbox.emplace_back(buffer.data.begin(), buffer.data.end());
    }
    noniso::Ticket send(NodeId, runtime::Packet&) noexcept override { return {0, niu::Refusal::kFull}; }
    bool in_process() const noexcept override { return false; }
    noniso::Ticket transfer(NodeId, std::span<const std::byte>, const niu::Memory&) noexcept override {
        return {};
    }
    noniso::TransferState state(const noniso::Ticket&) const noexcept override { return {}; }
    bool receive(noniso::Received& message) noexcept override {
        if (inbox.empty()) return false;
        held_ = std::move(inbox.front());
        inbox.pop_front();
        message = {.source = static_cast<NodeId>(1 - node_),
                   .protocol = wire::Protocol::kActive,
                   .size = static_cast<std::uint32_t>(held_.size()),
                   .data = held_};
        return true;
    }
    void release(const noniso::Received&) noexcept override { held_.clear(); }
    bool waiting() const noexcept override { return !inbox.empty(); }
    bool enter_barrier() noexcept override { return false; }
    noniso::BarrierState barrier() const noexcept override { return {}; }
    noniso::PeerState state(NodeId) const noexcept override { return peer; }
    std::uint32_t epoch(NodeId) const noexcept override { return life; }
    std::size_t max_message(NodeId) const noexcept override { return most; }

  private:
    NodeId node_;
    std::vector<std::byte> open_;
    std::vector<std::byte> held_;
};

/// Two programs.
struct Pair {
    explicit Pair(active::Options options = {}) {
        near[0].other = &near[1];
        near[1].other = &near[0];
        options.nodes = 2;
        for (niu::NodeId node = 0; node < 2; ++node) {
            options.node = node;
            programs.emplace_back(near[node], images[node], options);
        }
    }

    active::Active& operator[](std::size_t node) { return programs[node]; }
    /// Each polls once.
    void poll(runtime::Time now = {}) {
        for (active::Active& program : programs)
            program.poll(now);
    }
    /// All slots are looked at.
    void look(runtime::Time now = {}) {
        for (unsigned i = 0; i < 2 * programs[0].options().depth; ++i)
            programs[0].poll(now);
    }

    NearEndpoint near[2]{NearEndpoint(0), NearEndpoint(1)};
    active::Images images[2];
    std::deque<active::Active> programs;
};

}  // namespace isoplane::test
