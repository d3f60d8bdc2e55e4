// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "ruler.hh"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "table.hh"

namespace isoplane::report {

namespace {

/// The smallest of 1, 2 and 5 times a power of ten that is not below `least`.
double round_step(double least) {
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double times : {1.0, 2.0, 5.0})
        if (times * power >= least * (1 - 1e-9)) return times * power;
    return 10 * power;
}

}  // namespace

std::string label_of(double value, Notation notation) {
    if (notation == Notation::kBytes && value >= 1 && value == std::floor(value))
        return size_text(static_cast<std::size_t>(value));
    static constexpr std::array kUnits{std::pair{1e9, "G"}, std::pair{1e6, "M"}, std::pair{1e4, "k"}};
    for (const auto& [least, unit] : kUnits) {
        if (value < least * (1 - 1e-9)) continue;
        char text[64];
        std::snprintf(text, sizeof text, "%.4g%s", value / (least == 1e4 ? 1e3 : least), unit);
        return text;
    }
    char text[64];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

Ruler::Ruler(const Axis& axis, const std::vector<double>& values, double pixels, unsigned most)
    : is_log_(axis.scale == Scale::kLog), notation_(axis.notation), pixels_(pixels) {
    std::vector<double> held;
    std::ranges::copy_if(values, std::back_inserter(held), [&](double value) { return holds(value); });
    if (held.empty()) held = is_log_ ? std::vector{1.0, 10.0} : std::vector{0.0, 1.0};
    const auto [least, greatest] = std::ranges::minmax_element(held);
    low_ = is_log_ ? *least : std::min(0.0, *least);
    high_ = *greatest;
    if (high_ <= low_) high_ = is_log_ ? low_ * 2 : low_ + 1;
    if (!is_log_)
        mark_linear(most);
    else if (notation_ == Notation::kBytes)
        mark_doublings(most);
    else
        mark_decades(most);
}

double Ruler::place(double value) const {
    if (is_log_) return pixels_ * std::log(value / low_) / std::log(high_ / low_);
    return pixels_ * (value - low_) / (high_ - low_);
}

/// Ends on a tick, so that nothing is drawn above the last label.
void Ruler::mark_linear(unsigned most) {
    const double step = round_step((high_ - low_) / most);
    const auto last = static_cast<unsigned>(std::ceil((high_ - low_) / step - 1e-9));
    low_ = step * std::floor(low_ / step + 1e-9);
    high_ = low_ + step * last;
    for (unsigned i = 0; i <= last; ++i)
        ticks_.push_back({low_ + step * i, label_of(low_ + step * i, notation_)});
}

/// Powers of ten, of which so many have a label as there is room for; where there are few of them, 2 and 5
/// times these as well.
void Ruler::mark_decades(unsigned most) {
    const bool few = high_ / low_ <= 200;
    const auto steps = few ? std::vector{1.0, 2.0, 5.0} : std::vector{1.0};
    const auto below = [](double a, double b) { return a < b * (1 - 1e-9); };
    std::vector<double> all;
    for (double power = std::pow(10, std::floor(std::log10(low_) + 1e-9));
         all.empty() || below(all.back(), high_); power *= 10)
        for (const double step : steps)
            all.push_back(power * step);
    // From the last that is not above the least value to the first that is not below the greatest.
    while (all.size() > 2 && !below(low_, all[1]))
        all.erase(all.begin());
    while (all.size() > 2 && !below(all[all.size() - 2], high_))
        all.pop_back();
    low_ = all.front();
    high_ = all.back();
    const auto every = static_cast<std::size_t>(std::ceil(static_cast<double>(all.size()) / most));
    for (std::size_t i = 0; i < all.size(); ++i)
        ticks_.push_back({all[i], i % every == 0 ? label_of(all[i], notation_) : std::string()});
}

/// Powers of two, from the least value to the greatest as they are: sizes end where they end.
void Ruler::mark_doublings(unsigned most) {
    const double first = std::ceil(std::log2(low_) - 1e-9);
    const double last = std::floor(std::log2(high_) + 1e-9);
    const double every = std::max(1.0, std::ceil((last - first + 1) / most));
    for (double power = first; power <= last; power += every)
        ticks_.push_back({std::exp2(power), label_of(std::exp2(power), notation_)});
}

}  // namespace isoplane::report
