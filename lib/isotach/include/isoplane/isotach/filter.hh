// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/isotach/delivery.hh>
#include <isoplane/niu/dispatcher.hh>

namespace isoplane::isotach {

/// Stands between logical time and a program.
///
/// Of a program that polls for itself it takes the messages of Protocol::kShmem, as they come.
class Filter : public niu::Receiver {
  public:
    /// On an lcore: takes what is not the program's, and passes on the next that is. Called with every poll
    /// that has room for one. `caught_up`: the program has received all that it was given.
    virtual bool pass_on(Delivery& delivery, bool caught_up) noexcept = 0;
    /// In a program that polls for itself: whether it had better have what has come outside logical time
    /// before that is looked after again. Asked once in each poll, and not true in two of them running.
    virtual bool hurries() noexcept = 0;
};

}  // namespace isoplane::isotach
