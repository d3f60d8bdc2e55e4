// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <atomic>
#include <isoplane/runtime/fifo.hh>

#include "network.hh"
#include "objects.hh"

namespace isoplane::fi {

class Domain;

struct Completion {
    void* context = nullptr;
    std::uint64_t flags = 0;
    std::size_t length = 0;
    void* buffer = nullptr;
    std::uint64_t data = 0;
    std::uint64_t tag = 0;
    fi_addr_t source = FI_ADDR_NOTAVAIL;
    std::size_t cut_off = 0;  ///< bytes that there was no room for
    int error = 0;            ///< 0: it is a success
};

/// Completions in their order; errors stand where they happened. It grows as it has to: nothing is lost
/// because nobody reads.
class CompletionQueue : public fid_cq, public Shared {
  public:
    using Fid = fid_cq;

    CompletionQueue(Domain& domain, const fi_cq_attr& attributes);
    ~CompletionQueue();
    CompletionQueue(const CompletionQueue&) = delete;
    CompletionQueue& operator=(const CompletionQueue&) = delete;

    Domain& domain() noexcept { return domain_; }
    int descriptor() const noexcept { return descriptor_; }

    /// With the network's lock held. In line, so that it is written where it stays.
    void write(const Completion& completion) {
        if (descriptor_ >= 0 && completions_.empty()) tell();
        completions_.push(completion);
        gave_last_.store(false, std::memory_order_relaxed);
    }
    bool empty() const noexcept { return completions_.empty(); }

    /// As fi_cq_readfrom().
    ssize_t read(void* to, std::size_t count, fi_addr_t* sources);
    ssize_t read_error(fi_cq_err_entry& to);
    /// The same as read(), but waits; negative: for ever.
    ssize_t wait(void* to, std::size_t count, fi_addr_t* sources, int milliseconds);
    void signal() noexcept { is_signalled_.store(true, std::memory_order_release); }

  private:
    ssize_t take(void* to, std::size_t count, fi_addr_t* sources);
    void pop();
    void tell();
    void put(std::byte* at, const Completion& completion) const noexcept;

    Domain& domain_;
    const fi_cq_format format_;
    int descriptor_ = -1;  ///< readable while there is a completion, if its user waits by it
    runtime::Fifo<Completion> completions_;
    std::atomic<bool> is_signalled_{false};
    std::atomic<bool> gave_last_{false};  ///< with the last read(), and there is none since
};

int open_completion_queue(fid_domain* domain, fi_cq_attr* attributes, fid_cq** opened, void* context);

/// Whether their user may block on their descriptors now.
int try_wait(fid_fabric* fabric, fid** ids, int count);

}  // namespace isoplane::fi
