// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstring>
#include <deque>

#include "barriers.hh"

namespace isoplane::soak {

/// Messages outside logical time, in order: short ones, and some of many frames. Each says how many barriers
/// its sender has passed, which all have entered.
class Messages final : public Part {
  public:
    Messages(job::Job& job, const Barriers& barriers)
        : Part(job, "messages"), barriers_(barriers), coming_(job.size()) {}

    void act(NodeId to, Random& random) override {
        noniso::Endpoint& endpoint = job_.messages();
        while (!transfers_.empty() &&
               endpoint.state(transfers_.front().ticket) != noniso::TransferState::kWaiting)
            transfers_.pop_front();
        if (transfers_.size() >= kTransfers) return;
        const bool large = random() % 64 == 0;
        const std::size_t size = kHead + random() % (large ? 200'000 : 1200);
        Transfer transfer{{}, std::vector<std::byte>(size)};
        const std::uint64_t number = next(to);
        const Head head{number, barriers_.passed()};
        std::memcpy(transfer.data.data(), &head, kHead);
        fill(std::span(transfer.data).subspan(kHead), here(), to, number);
        transfer.ticket = endpoint.transfer(to, transfer.data);
        if (!transfer.ticket) return;
        went(to);
        transfers_.push_back(std::move(transfer));
    }

    void poll() override {
        noniso::Endpoint& endpoint = job_.messages();
        for (noniso::Received part; endpoint.receive(part);) {
            std::vector<std::byte>& message = coming_[part.source];
            if (part.offset == 0) message.resize(part.size);
            if (part.offset + part.data.size() > message.size())
                throw Wrong("messages: a part that lies beyond its message");
            std::copy(part.data.begin(), part.data.end(),
                      message.begin() + static_cast<std::ptrdiff_t>(part.offset));
            const bool last = part.offset + part.data.size() == part.size;
            const NodeId from = part.source;
            endpoint.release(part);
            if (last) take(from, message);
        }
    }

    bool settled() const override { return transfers_.empty() || !waits(transfers_.back()); }

  private:
    struct Head {
        std::uint64_t number = 0;
        std::uint64_t passed = 0;  ///< barriers
    };
    static constexpr std::size_t kHead = sizeof(Head);
    static constexpr std::size_t kTransfers = 32;

    struct Transfer {
        noniso::Ticket ticket{};
        std::vector<std::byte> data;
    };
    bool waits(const Transfer& transfer) const {
        return job_.messages().state(transfer.ticket) == noniso::TransferState::kWaiting;
    }
    void take(NodeId from, std::span<const std::byte> message) {
        Head head;
        if (message.size() < kHead) throw Wrong("messages: one without a number");
        std::memcpy(&head, message.data(), kHead);
        take_in_order(from, head.number);
        check(message.subspan(kHead), from, here(), head.number, name());
        if (head.passed > barriers_.entered())
            throw Wrong("barriers: node " + std::to_string(from) + " has passed one that is not complete");
    }

    const Barriers& barriers_;
    std::deque<Transfer> transfers_;
    std::vector<std::vector<std::byte>> coming_;  ///< by node: the message of which parts have come
};

}  // namespace isoplane::soak
