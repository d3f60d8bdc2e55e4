// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sim/recorder.hh"

namespace isoplane::sim {

/// At one direction of a link. Frames are looked at before they leave, and known to have left only then.
class Recorder::Ear final : public runtime::Tap {
  public:
    Ear(Recorder& recorder, std::uint32_t interface, capture::Direction direction)
        : recorder_(recorder), interface_(interface), direction_(direction) {}

    void see(rte_mbuf* const* packets, std::uint16_t n) noexcept override {
        seen_.resize(n);
        for (std::uint16_t i = 0; i < n; ++i)
            copy(packets[i], seen_[i]);
    }
    void settle(std::uint16_t n) noexcept override {
        for (std::uint16_t i = 0; i < n; ++i)
            recorder_.writer_.add(interface_, direction_, recorder_.world_.now().time_since_epoch(),
                                  seen_[i]);
    }

  private:
    static void copy(const rte_mbuf* frame, std::vector<std::byte>& to) {
        to.clear();
        for (; frame != nullptr; frame = frame->next) {
            const auto* const bytes = rte_pktmbuf_mtod(frame, const std::byte*);
            to.insert(to.end(), bytes, bytes + frame->data_len);
        }
    }

    Recorder& recorder_;
    std::uint32_t interface_;
    capture::Direction direction_;
    std::vector<std::vector<std::byte>> seen_;
};

Recorder::Recorder(const std::string& file, const World& world) : writer_(file), world_(world) {}

Recorder::~Recorder() = default;

void Recorder::watch(const std::string& name, const Link::End& end) {
    const std::uint32_t interface = writer_.add_interface(name);
    end.input.set_tap(
        ears_.emplace_back(std::make_unique<Ear>(*this, interface, capture::Direction::kIn)).get());
    end.output.set_tap(
        ears_.emplace_back(std::make_unique<Ear>(*this, interface, capture::Direction::kOut)).get());
}

}  // namespace isoplane::sim
