// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/isotach/delivery.hh>

namespace isoplane::isotach {

/// Stands on an lcore between logical time and a program, and takes what is not the program's.
class Filter {
  public:
    virtual ~Filter() = default;
    /// The next for the program; called with every poll of the lcore that has room for one. `caught_up`: the
    /// program has received all that it was given.
    virtual bool pass_on(Delivery& delivery, bool caught_up) noexcept = 0;
};

}  // namespace isoplane::isotach
