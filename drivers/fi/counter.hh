// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <atomic>

#include "objects.hh"

namespace isoplane::fi {

class Domain;

/// Counts completions, and those with errors apart.
class Counter : public fid_cntr, public Shared {
  public:
    using Fid = fid_cntr;

    explicit Counter(Domain& domain) : fid_cntr{}, domain_(domain) {}

    Domain& domain() noexcept { return domain_; }
    void count(bool is_error) noexcept { ++(is_error ? errors : value); }

    std::atomic<std::uint64_t> value{0};
    std::atomic<std::uint64_t> errors{0};

  private:
    Domain& domain_;
};

int open_counter(fid_domain* domain, fi_cntr_attr* attributes, fid_cntr** opened, void* context);

}  // namespace isoplane::fi
