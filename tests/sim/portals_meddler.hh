// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// A NAL that does to requests what none may do, to see that it would be found.
#pragma once

#include <isoplane/portals/interface.hh>
#include <optional>

namespace isoplane::test {

struct Meddling {
    bool overtakes = false;  ///< what was asked last goes ahead of what was asked before, now and then
    bool alters = false;     ///< header data
    bool repeats = false;    ///< what is short comes twice
};

class Meddler final : public portals::Nal {
  public:
    using Header = portals::Header;
    using Interface = portals::Interface;
    using Pieces = portals::Pieces;

    Meddler(portals::Nal& below, const Meddling& meddling) : below_(below), meddling_(meddling) {}

    /// What was to be overtaken goes, whether it was or not.
    void settle() {
        if (!late_) return;
        const Late late = *late_;
        late_.reset();
        below_.submit(*late.from, late.header, late.data, late.operation);
    }

    portals::Limits limits() const override { return below_.limits(); }
    portals::Status attach(Interface& interface, portals::Pid wanted, portals::ProcessId& id) override {
        return below_.attach(interface, wanted, id);
    }
    void detach(Interface& interface) noexcept override {
        late_.reset();
        below_.detach(interface);
    }
    void submit(Interface& from, const Header& header, const Pieces& data,
                portals::Operation operation) override {
        const bool turn = is_turn(header);
        if (turn && meddling_.overtakes && !late_) {
            late_ = {&from, header, data, operation};
            return;
        }
        below_.submit(from, altered(header, turn), data, operation);
        if (late_ && !header.is_answer() && header.target == late_->header.target) settle();
    }
    bool inject(Interface& from, const Header& header, const Pieces& data) override {
        if (header.is_answer()) return below_.inject(from, header, data);
        if (meddling_.overtakes) return false;
        const bool turn = is_turn(header);
        const Header its = altered(header, turn);
        if (!below_.inject(from, its, data)) return false;
        if (turn && meddling_.repeats) below_.inject(from, its, data);
        return true;
    }
    bool progress(Interface& interface) override { return below_.progress(interface); }
    bool moves_alone() const noexcept override { return below_.moves_alone(); }

  private:
    struct Late {
        Interface* from;
        Header header;
        Pieces data;
        portals::Operation operation;
    };

    /// Every eighth request.
    bool is_turn(const Header& header) { return !header.is_answer() && ++requests_ % 8 == 0; }
    Header altered(Header header, bool turn) const {
        if (turn && meddling_.alters) header.hdr_data ^= std::uint64_t{1} << 40;
        return header;
    }

    portals::Nal& below_;
    Meddling meddling_;
    std::uint64_t requests_ = 0;
    std::optional<Late> late_;
};

}  // namespace isoplane::test
