// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <isoplane/runtime/fifo.hh>
#include <span>
#include <vector>

namespace isoplane::shmem {

/// The accesses of this host's isochrons to its own copies, while they wait for their logical time: in the
/// order of issue.
class HitBuffer {
  public:
    /// `abroad`: it has parts elsewhere, and its marker will come; if not, it is executed with the isochron
    /// before it.
    void push(std::span<const std::byte> accesses, bool abroad) {
        if (!accesses.empty()) bytes_.insert(bytes_.end(), accesses.begin(), accesses.end());
        hits_.push({accesses.size(), abroad});
    }
    bool empty() const noexcept { return hits_.empty(); }
    std::size_t size() const noexcept { return hits_.size(); }

    /// The marker of the isochron in front has come: hands the accesses of each isochron that is executed now
    /// to `execute`.
    template <typename Execute>
    void pop(Execute&& execute) {
        do {
            const std::size_t size = hits_.front().size;
            if (size != 0) execute(std::span(bytes_).subspan(head_, size));
            head_ += size;
            hits_.pop();
        } while (!hits_.empty() && !hits_.front().abroad);
        // Seldom, and never more than what was executed since.
        if (head_ * 2 < bytes_.size() || head_ == 0) return;
        bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(head_));
        head_ = 0;
    }

  private:
    struct Hit {
        std::size_t size;
        bool abroad;
    };
    runtime::Fifo<Hit> hits_;
    std::vector<std::byte> bytes_;
    std::size_t head_ = 0;
};

}  // namespace isoplane::shmem
