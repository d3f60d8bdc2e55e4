// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/fabric/fate.hh>

namespace isoplane::fabric {

namespace {

/// Each frame has as many draws as this, each for one purpose, whether they are looked at or not.
enum Draw : std::uint64_t { kLoss, kCorrupt, kWhere, kDuplicate, kReorder, kJitter, kDrawsPerFrame };
/// And these, from a stream of their own.
enum LateDraw : std::uint64_t { kLate, kAfter, kLateDrawsPerFrame };

runtime::Duration delay(const Impairment& settings, std::uint64_t draw) noexcept {
    if (settings.jitter.count() == 0) return settings.delay;
    const auto span = static_cast<std::uint64_t>(2 * settings.jitter.count() + 1);
    const auto offset = static_cast<runtime::Duration::rep>(Draws::below(draw, span));
    return std::max(settings.delay - settings.jitter + runtime::Duration{offset}, runtime::Duration{0});
}

runtime::Duration any_of(const Span& span, std::uint64_t draw) noexcept {
    const auto times = static_cast<std::uint64_t>((span.most - span.least).count() + 1);
    return span.least + runtime::Duration{static_cast<runtime::Duration::rep>(Draws::below(draw, times))};
}

}  // namespace

Fate Fates::next(const Impairment& settings) noexcept {
    const std::uint64_t first_late = n_ * kLateDrawsPerFrame;
    const std::uint64_t first = n_++ * kDrawsPerFrame;
    const auto happens = [&](Draw what, double probability) {
        return probability > 0 && Draws::unit(draws_.at(first + what)) < probability;
    };
    Fate fate;
    fate.lost = happens(kLoss, settings.loss);
    if (fate.lost) return fate;
    fate.delay = delay(settings, draws_.at(first + kJitter));
    fate.corrupted = happens(kCorrupt, settings.corrupt);
    if (fate.corrupted) {
        fate.where = draws_.at(first + kWhere);
        return fate;
    }
    fate.duplicated = happens(kDuplicate, settings.duplicate);
    fate.held_back = happens(kReorder, settings.reorder);
    fate.late = settings.late > 0 && Draws::unit(late_draws_.at(first_late + kLate)) < settings.late;
    if (fate.late) fate.after = any_of(settings.after, late_draws_.at(first_late + kAfter));
    return fate;
}

}  // namespace isoplane::fabric
