// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>

#include "rfc2544.hh"

namespace isoplane::perf {

namespace {

constexpr double kResolution = 0.01;
/// A trial that offers less than this part of its rate was not one at that rate.
constexpr double kOffered = 0.98;

class Search {
  public:
    Search(std::size_t frame_size, double seconds, const RunTrial& run)
        : seconds_(seconds), run_(run), figures_{.frame_size = frame_size} {}

    Rfc2544Figures all() {
        const Trial fastest = at(0);
        figures_.highest = fastest.offered();
        find_throughput(fastest);
        find_losses();
        find_back_to_back();
        return figures_;
    }

  private:
    Trial at(double rate, std::uint64_t frames = UINT64_MAX) const {
        return run_({.frame_size = figures_.frame_size, .rate = rate, .seconds = seconds_, .frames = frames});
    }

    void keep(const Trial& trial, double rate) {
        figures_.throughput = rate;
        figures_.at_throughput = trial;
    }

    void find_throughput(const Trial& fastest) {
        if (fastest.sent > 0 && fastest.lost() == 0) return keep(fastest, fastest.offered());
        double low = 0;
        for (double high = figures_.highest; high - low > kResolution * figures_.highest;) {
            const double rate = (low + high) / 2;
            const Trial trial = at(rate);
            if (trial.sent > 0 && trial.lost() == 0 && trial.offered() >= kOffered * rate) {
                keep(trial, trial.offered());
                low = rate;
            } else {
                high = rate;
            }
        }
    }

    /// From all of it downwards to a tenth: where nothing is lost, the latency tells how near the limit is.
    void find_losses() {
        for (unsigned percent = 100; percent > 0; percent -= 10) {
            const Trial trial = at(figures_.highest * percent / 100);
            if (trial.sent == 0) return;
            figures_.losses.push_back(
                {percent, trial.offered(),
                 static_cast<double>(trial.lost()) / static_cast<double>(trial.sent),
                 trial.latency ? static_cast<double>(trial.latency->quantile(0.5)) / 1000 : 0});
        }
    }

    void find_back_to_back() {
        const auto longest =
            std::max<std::uint64_t>(1, static_cast<std::uint64_t>(figures_.highest * seconds_));
        const auto passes = [this](std::uint64_t frames) { return at(0, frames).lost() == 0; };
        if (passes(longest)) {
            figures_.back_to_back = longest;
            figures_.unlimited = true;
            return;
        }
        std::uint64_t low = 0;
        for (std::uint64_t high = longest; high - low > std::max<std::uint64_t>(1, high / 100);) {
            const std::uint64_t frames = low + (high - low) / 2;
            (passes(frames) ? low : high) = frames;
        }
        figures_.back_to_back = low;
    }

    double seconds_;
    const RunTrial& run_;
    Rfc2544Figures figures_;
};

}  // namespace

Rfc2544Figures measure_rfc2544(std::size_t frame_size, double seconds, const RunTrial& run) {
    return Search(frame_size, seconds, run).all();
}

}  // namespace isoplane::perf
