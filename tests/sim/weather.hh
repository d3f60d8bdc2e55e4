// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <gtest/gtest.h>

#include <isoplane/fabric/switch.hh>
#include <isoplane/niu/niu.hh>
#include <isoplane/sim/world.hh>
#include <vector>

#include "chance.hh"
#include "summary.hh"

namespace isoplane::test {

using runtime::Time;

/// In this seed, copies of frames come after the lives that sent them.
constexpr bool comes_late(std::uint64_t seed) {
    return seed % 4 == 0;
}

/// What a link around a switch suffers.
inline Impairment some_weather(Random& random, bool is_late) {
    Impairment faults = some_impairment(random, {.loss = 0.1,
                                                 .duplicate = 0.1,
                                                 .reorder = 0.1,
                                                 .corrupt = 0.05,
                                                 .delay = 20us,
                                                 .jitter = 20us,
                                                 .gap = 20,
                                                 .hold = 100us});
    faults.late = is_late ? 0.05 : 0;
    faults.after = {100us, 20ms};
    return faults;
}

/// After which hosts name those whom they have not met.
inline constexpr Duration kHelloLimit = 200ms;

/// The peer is dead; or it will never be met, as it has met this one and then given it up.
inline bool is_given_up(const niu::Niu& niu, niu::NodeId peer) {
    const niu::PeerState state = niu.state(peer);
    return state == niu::PeerState::kDead || (state != niu::PeerState::kUp && !niu.missing().empty());
}

/// How long a host's link carries nothing, beside the silence after which a peer is given up.
enum class Cuts : std::uint8_t {
    kNone,
    kBrief,  ///< so much shorter that nobody is given up
    kLong,   ///< mostly longer: who could not be heard is given up, or not
};

/// What the links of a seed suffer.
struct Climate {
    bool calm = false;  ///< no frame suffers, but from cuts
    Duration phase{};   ///< about how long faults stay as they are
    Cuts cuts = Cuts::kNone;
    Duration silence{};  ///< after which a peer is given up

    /// `silence` is more where cuts are brief, so that they are not brief beside all else. Where nobody may
    /// be given up, none are long.
    static Climate of(std::uint64_t seed, Duration silence, bool may_part = true) {
        Random random(seed, 600);
        Climate climate{.calm = random.below(8) == 0, .phase = 100us * (1 << random.below(8))};
        const std::uint64_t kind = random.below(8);
        climate.cuts = kind < 4 ? Cuts::kNone : kind < 7 || !may_part ? Cuts::kBrief : Cuts::kLong;
        climate.silence = climate.cuts == Cuts::kBrief ? 4 * silence : silence;
        return climate;
    }

    /// Hosts that all live may give each other up.
    bool parts() const { return cuts == Cuts::kLong; }
    /// Of a cut. One that is brief leaves time to be asked, and asked again where frames are lost.
    Duration some_cut(Random& random) const {
        if (parts()) return silence / 2 + some(random, 3 * silence);
        return silence / 16 + some(random, calm ? silence * 3 / 8 : silence * 3 / 16);
    }
};

/// Changes what links around a switch suffer, and cuts one of them now and then: one way or both.
class Weather final : public runtime::Stage {
  public:
    Weather(fabric::Switch& fabric, std::vector<sim::Link*> links, const Climate& climate, std::uint64_t seed)
        : Stage("weather"),
          fabric_(fabric),
          links_(std::move(links)),
          lost_(links_.size()),
          climate_(climate),
          is_late_(comes_late(seed)),
          random_(seed, 601) {
        change(Time{});
        if (climate.cuts != Cuts::kNone) turns_at_ = Time{some(random_, 100us * (1 << random_.below(5)))};
    }

    unsigned poll(Time now) override {
        if (now >= changes_at_) change(now);
        if (now >= turns_at_) is_cut_ ? heal(now) : cut(now);
        return 0;
    }

    /// That link carries nothing any more.
    void cut_for_good(unsigned port) {
        lost_[port] = true;
        cut(port, random_.below(4));
    }
    std::uint64_t cuts() const { return cuts_; }

    void add_to(Summary& summary) const {
        summary.cuts += cuts_;
        summary.spikes += spikes_;
        summary.calm += climate_.calm ? 1 : 0;
        summary.add(fabric_);
        for (sim::Link* link : links_)
            summary.add(*link);
    }

  private:
    void change(Time now) {
        for (unsigned port = 0; port < fabric_.ports() && !climate_.calm; ++port) {
            const bool spike = random_.below(16) == 0;
            Impairment faults = some_weather(random_, is_late_);
            if (spike) faults.delay = 50us + some(random_, 450us);
            spikes_ += spike ? 1 : 0;
            fabric_.set(port, faults);
        }
        changes_at_ = now + climate_.phase / 2 + some(random_, climate_.phase);
    }

    void cut(Time now) {
        port_ = static_cast<unsigned>(random_.below(links_.size()));
        is_cut_ = true;
        cut(port_, random_.below(4));
        turns_at_ = now + climate_.some_cut(random_);
    }
    void cut(unsigned port, std::uint64_t kind) {
        Impairment cut;
        cut.cut = true;
        if (kind != 0) links_[port]->a_to_b().set(cut);
        if (kind != 1) links_[port]->b_to_a().set(cut);
        ++cuts_;
    }
    /// The next is not so soon that its silence and this one's were one.
    void heal(Time now) {
        is_cut_ = false;
        if (!lost_[port_]) {
            links_[port_]->a_to_b().set({});
            links_[port_]->b_to_a().set({});
        }
        turns_at_ = now + climate_.silence + some(random_, climate_.silence);
    }

    fabric::Switch& fabric_;
    std::vector<sim::Link*> links_;
    std::vector<bool> lost_;  ///< cut for good
    Climate climate_;
    bool is_late_;
    Random random_;
    Time changes_at_{};
    Time turns_at_ = Time::max();  ///< the next cut begins, or this one ends
    unsigned port_ = 0;            ///< that was cut last
    bool is_cut_ = false;
    std::uint64_t cuts_ = 0;
    std::uint64_t spikes_ = 0;
};

/// All that a link may do to a frame has been done, each so often; to some seeds nothing was.
inline void expect_all_faults(const Summary& all, std::uint64_t each) {
    for (const std::uint64_t fault :
         {all.lost, all.duplicated, all.reordered, all.corrupted, all.spikes, all.cut_down})
        EXPECT_GT(fault, each);
    EXPECT_GT(all.calm, all.seeds / 16);
    EXPECT_GT(all.cuts, all.seeds / 8);
    EXPECT_GT(all.late, all.seeds / 8);
}

/// And hosts that lived were given up.
inline void expect_all_weather(const Summary& all, std::uint64_t each) {
    expect_all_faults(all, each);
    EXPECT_GT(all.parted, all.seeds / 100);
}

}  // namespace isoplane::test
