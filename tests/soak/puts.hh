// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/portals/interface.hh>

#include "part.hh"

namespace isoplane::soak {

/// Portals: puts into slots of the receiver's memory, each slot used again when its receiver has said, by a
/// put without data, that it has looked at what was there.
class Puts final : public Part {
  public:
    explicit Puts(job::Job& job)
        : Part(job, "puts"),
          ni_(0, job.portals(), {}),
          memory_(job.size() * kSlots * kMost),
          data_(job.size() * kSlots * kMost),
          free_(job.size()) {
        good(ni_.open(kPid));
        good(ni_.open_queue(kEvents, nullptr, queue_));
        offer(kData, memory_);
        offer(kSeen, {});
        good(ni_.bind(spec(data_, 0), portals::Unlink::kRetain, source_));
        for (auto& slots : free_)
            for (std::size_t slot = 0; slot < kSlots; ++slot)
                slots.push_back(slot);
    }

    void act(NodeId to, Random& random) override {
        if (free_[to].empty()) return;
        const std::size_t slot = free_[to].back();
        const std::size_t size = random() % 16 == 0 ? random() % kMost : random() % 512;
        const std::uint64_t number = next(to);
        const std::size_t from = (to * kSlots + slot) * kMost;
        fill(std::span(data_).subspan(from, size), here(), to, number);
        const auto status = ni_.put(
            source_, portals::Range{from, size}, portals::AckRequest::kNoAck,
            {.process = {to, kPid}, .portal = kData, .remote_offset = (here() * kSlots + slot) * kMost},
            number);
        if (status != portals::Status::kOk) return;
        free_[to].pop_back();
        ++open_;
        went(to);
    }

    void poll() override {
        portals::Event event;
        std::size_t which = 0;
        portals::EventHandler handler = nullptr;
        for (;;) {
            const portals::Status status = ni_.take({&queue_, 1}, event, which, handler);
            if (status == portals::Status::kEqEmpty) break;
            good(status);
            if (event.kind == portals::EventKind::kPutEnd) take(event);
        }
        while (!seen_.empty() && tell(seen_.back()))
            seen_.pop_back();
    }
    bool settled() const override { return open_ == 0 && seen_.empty(); }

  private:
    static constexpr portals::Pid kPid = 1;
    static constexpr portals::Index kData = 4;
    static constexpr portals::Index kSeen = 5;
    static constexpr portals::Size kEvents = 16384;
    static constexpr std::size_t kSlots = 16;
    static constexpr std::size_t kMost = 65536;

    struct Seen {
        NodeId from;
        std::uint64_t slot;
    };

    static void good(portals::Status status) {
        if (status != portals::Status::kOk)
            throw Wrong("puts: status " + std::to_string(static_cast<int>(status)));
    }
    portals::MdSpec spec(std::span<std::byte> memory, unsigned options) const {
        return {.start = memory.data(),
                .length = memory.size(),
                .threshold = portals::kInfinite,
                .max_size = 0,
                .options = options | portals::kStartDisable,
                .user_ptr = nullptr,
                .eq = options == 0 ? portals::kNoQueue : queue_};
    }
    void offer(portals::Index portal, std::span<std::byte> memory) {
        portals::Handle entry = portals::kInvalid;
        portals::Handle md = portals::kInvalid;
        good(ni_.attach_entry(portal, {}, portals::Position::kAfter, entry));
        good(ni_.attach(entry, spec(memory, portals::kOpPut | portals::kManageRemote),
                        portals::Unlink::kRetain, portals::Unlink::kRetain, md));
    }
    void take(const portals::Event& event) {
        const auto from = static_cast<NodeId>(event.initiator.nid);
        if (event.failure != portals::kSuccess)
            throw Wrong("puts: one of node " + std::to_string(from) + " has failed");
        if (event.portal == kSeen) {
            free_[from].push_back(event.hdr_data);
            --open_;
            return;
        }
        if (event.mlength != event.rlength) throw Wrong("puts: one that was cut");
        Part::take(from, event.hdr_data);
        check(std::span(memory_).subspan(event.offset, event.mlength), from, here(), event.hdr_data, name());
        seen_.push_back({from, event.offset / kMost % kSlots});
    }
    bool tell(const Seen& seen) {
        return ni_.put(source_, portals::Range{0, 0}, portals::AckRequest::kNoAck,
                       {.process = {seen.from, kPid}, .portal = kSeen}, seen.slot) == portals::Status::kOk;
    }

    portals::Interface ni_;
    portals::Handle queue_ = portals::kInvalid;
    portals::Handle source_ = portals::kInvalid;
    std::vector<std::byte> memory_;
    std::vector<std::byte> data_;
    std::vector<std::vector<std::size_t>> free_;  ///< by node: slots there that nothing is on its way to
    std::vector<Seen> seen_;                      ///< that their senders are to be told of
    std::uint64_t open_ = 0;                      ///< puts that nobody has said to have seen
};

}  // namespace isoplane::soak
