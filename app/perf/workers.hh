// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <array>
#include <exception>
#include <functional>

#include <isoplane/runtime/idle.hh>

namespace isoplane::perf {

/// Two worker lcores, one for each side of a measurement.
class Workers {
  public:
    explicit Workers(runtime::IdlePolicy idle) : idle_(idle) {}

    /// Runs a function on each, from the same moment on, and returns when both have ended. The caller sleeps
    /// meanwhile, so that it takes no CPU from them.
    void run(const std::function<void()>& a, const std::function<void()>& b);

    /// What each side will use, 0 and then 1, made on its lcore: so its memory has no line with the other's.
    template <typename Make>
    auto make_both(Make&& make) {
        std::array<decltype(make(0U)), 2> made;
        std::exception_ptr failed;
        const auto work = [&](unsigned side) {
            try {
                made[side] = make(side);
            } catch (...) {
                failed = std::current_exception();
            }
        };
        run([&] { work(0); }, [] {});
        if (!failed) run([] {}, [&] { work(1); });
        if (failed) std::rethrow_exception(failed);
        return made;
    }

    /// How a side waits for the other.
    runtime::Idler idler() const noexcept { return runtime::Idler(idle_); }

  private:
    runtime::IdlePolicy idle_;
};

}  // namespace isoplane::perf
