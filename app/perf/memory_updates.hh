// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Workers that update shared variables, in whatever way: what is the same for all of them.
#pragma once

#include <array>
#include <isoplane/fabric/random.hh>
#include <memory>
#include <string>
#include <vector>

#include "contest.hh"
#include "memory_figures.hh"

namespace isoplane::perf {

/// What a measurement is of.
struct UpdateWork {
    unsigned variables = 0;  ///< to choose from
    unsigned workers = 0;
    double seconds = 0;
};

/// The variables that an update adds 1 to: two, or the only one that there is.
struct Choice {
    std::array<std::uint32_t, 2> which{};  ///< in ascending order
    std::uint32_t count = 0;
};

/// Draws them.
class Chooser {
  public:
    explicit Chooser(unsigned variables) : variables_(variables), random_(variables, 1) {}

    Choice next() noexcept {
        const auto one = static_cast<std::uint32_t>(random_.below(variables_));
        if (variables_ == 1) return {.which = {one, 0}, .count = 1};
        const auto step = static_cast<std::uint32_t>(1 + random_.below(variables_ - 1));
        const std::uint32_t other = (one + step) % variables_;
        return {.which = {std::min(one, other), std::max(one, other)}, .count = 2};
    }

  private:
    unsigned variables_;
    fabric::Random random_;
};

/// What updates have been done, and how long each has taken.
class Tally {
  public:
    explicit Tally(double seconds) : course_(Plan{.seconds = seconds}) {}

    bool goes_on(std::uint64_t now) const noexcept { return course_.goes_on(now, rate_.slices()); }
    /// One that began then is done.
    void done(std::uint64_t begin, std::uint64_t now, const Choice& choice) {
        added_ += choice.count;
        if (!course_.counts(begin)) return;
        ++counted_;
        took_.record(now - begin);
        rate_.note(now, counted_);
    }
    /// To all variables together.
    std::uint64_t added() const noexcept { return added_; }
    void report(const std::string& by, unsigned variables, Figures& figures) {
        add_times(figures, {"update", by, variables, {}}, took_);
        if (const auto rate = rate_.per_second()) figures.add({"update", by, variables, "per_second"}, *rate);
    }

  private:
    Course course_;
    std::uint64_t counted_ = 0;
    std::uint64_t added_ = 0;
    runtime::Histogram took_;
    Rate rate_;
};

/// A way to do updates.
class Updater {
  public:
    explicit Updater(std::string name) : name_(std::move(name)) {}
    virtual ~Updater() = default;
    Updater(const Updater&) = delete;
    Updater& operator=(const Updater&) = delete;

    const std::string& name() const noexcept { return name_; }
    /// Adds figures of "update" by its name, at the number of variables. Throws std::runtime_error when the
    /// variables have not got what was added to them.
    void measure(const UpdateWork& work, Figures& figures) {
        Tally tally(work.seconds);
        const std::uint64_t got = update(work, tally);
        if (static_cast<std::uint32_t>(got) != static_cast<std::uint32_t>(tally.added()))
            throw std::runtime_error("updates by '" + name_ + "' added " + std::to_string(tally.added()) +
                                     " to variables that have got " + std::to_string(got));
        tally.report(name_, work.variables, figures);
    }

  private:
    /// Returns by how much the variables have grown together.
    virtual std::uint64_t update(const UpdateWork& work, Tally& tally) = 0;

    std::string name_;
};

}  // namespace isoplane::perf
