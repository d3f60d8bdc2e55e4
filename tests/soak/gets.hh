// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/portals/interface.hh>

#include "part.hh"

namespace isoplane::soak {

/// Portals: gets from memory whose content follows from its owner, each into memory of its own.
class Gets final : public Part {
  public:
    explicit Gets(job::Job& job)
        : Part(job, "gets"), ni_(1, job.portals(), {}), offered_(kMost), slots_(kSlots) {
        good(ni_.open(kPid));
        good(ni_.open_queue(kEvents, nullptr, queue_));
        fill(offered_, here(), here(), 0);
        portals::Handle entry = portals::kInvalid;
        portals::Handle md = portals::kInvalid;
        good(ni_.attach_entry(kData, {}, portals::Position::kAfter, entry));
        good(ni_.attach(entry, spec(offered_, portals::kOpGet | portals::kManageRemote, nullptr),
                        portals::Unlink::kRetain, portals::Unlink::kRetain, md));
        for (Slot& slot : slots_) {
            slot.memory.resize(kMost);
            good(ni_.bind(spec(slot.memory, 0, &slot), portals::Unlink::kRetain, slot.md));
            free_.push_back(&slot);
        }
    }

    void act(NodeId to, Random& random) override {
        if (free_.empty()) return;
        Slot& slot = *free_.back();
        slot.from = to;
        slot.size = 1 + (random() % 16 == 0 ? random() % kMost : random() % 512);
        slot.offset = random() % (kMost - slot.size + 1);
        const auto status = ni_.get(slot.md, portals::Range{0, slot.size},
                                    {.process = {to, kPid}, .portal = kData, .remote_offset = slot.offset});
        if (status != portals::Status::kOk) return;
        free_.pop_back();
        went(to);
    }

    void poll() override {
        portals::Event event;
        std::size_t which = 0;
        portals::EventHandler handler = nullptr;
        for (;;) {
            const portals::Status status = ni_.take({&queue_, 1}, event, which, handler);
            if (status == portals::Status::kEqEmpty) return;
            good(status);
            if (event.failure != portals::kSuccess) throw Wrong("gets: one has failed");
            const auto from = static_cast<NodeId>(event.initiator.nid);
            if (event.kind == portals::EventKind::kGetEnd) take(from, came(from));
            if (event.kind == portals::EventKind::kReplyEnd) look_at(event);
        }
    }
    bool settled() const override { return free_.size() == slots_.size(); }

  private:
    static constexpr portals::Pid kPid = 2;
    static constexpr portals::Index kData = 4;
    static constexpr portals::Size kEvents = 16384;
    static constexpr std::size_t kSlots = 16;
    static constexpr std::size_t kMost = 65536;

    /// What one get at a time brings.
    struct Slot {
        std::vector<std::byte> memory{};
        portals::Handle md = portals::kInvalid;
        NodeId from = 0;
        std::size_t offset = 0;
        std::size_t size = 0;
    };

    static void good(portals::Status status) {
        if (status != portals::Status::kOk)
            throw Wrong("gets: status " + std::to_string(static_cast<int>(status)));
    }
    portals::MdSpec spec(std::span<std::byte> memory, unsigned options, Slot* slot) const {
        return {.start = memory.data(),
                .length = memory.size(),
                .threshold = portals::kInfinite,
                .max_size = 0,
                .options = options | portals::kStartDisable,
                .user_ptr = slot,
                .eq = queue_};
    }
    void look_at(const portals::Event& event) {
        Slot& slot = *static_cast<Slot*>(event.spec.user_ptr);
        if (event.mlength != slot.size) throw Wrong("gets: one that was cut");
        for (std::size_t at = 0; at < slot.size; ++at)
            if (slot.memory[at] != content(slot.from, slot.from, 0, slot.offset + at))
                throw Wrong("gets: byte " + std::to_string(at) + " of one from node " +
                            std::to_string(slot.from) + " is not what is there");
        free_.push_back(&slot);
    }

    portals::Interface ni_;
    portals::Handle queue_ = portals::kInvalid;
    std::vector<std::byte> offered_;
    std::vector<Slot> slots_;
    std::vector<Slot*> free_;  ///< that nothing is on its way to
};

}  // namespace isoplane::soak
