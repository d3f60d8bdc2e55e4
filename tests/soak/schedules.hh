// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <deque>

#include "part.hh"

namespace isoplane::soak {

/// Shared memory: each host schedules a word of its own, again and again, and assigns it a number later. Who
/// reads the word gets a number that had been assigned, and never one from before the last that he got.
class Schedules final : public Part {
  public:
    explicit Schedules(job::Job& job) : Part(job, "schedules"), seen_(job.size()) {}

    void act(NodeId to, Random& random) override {
        shmem::Memory& memory = job_.memory();
        shmem::Isochron isochron = memory.isochron();
        if (random() % 4 == 0) {
            change(isochron);
        } else if (reads_.size() < kReads) {
            Read read{to, isochron.read(word(to))};
            if (!memory.issue(isochron)) return;
            reads_.push_back(std::move(read));
            went(here());
        }
    }
    void poll() override {
        while (!reads_.empty() && reads_.front().value.ready()) {
            const Read& read = reads_.front();
            if (read.value.value() < seen_[read.of])
                throw Wrong("schedules: node " + std::to_string(read.of) + " had assigned " +
                            std::to_string(seen_[read.of]) + ", and then " +
                            std::to_string(read.value.value()));
            seen_[read.of] = read.value.value();
            take(here(), came(here()));
            reads_.pop_front();
        }
    }
    bool wind_up() override {
        if (!job_.memory().is_scheduled(word(here()).at)) return true;
        shmem::Isochron isochron = job_.memory().isochron();
        change(isochron);
        return false;
    }
    bool settled() const override { return reads_.empty(); }

  private:
    static constexpr std::size_t kReads = 16;

    struct Read {
        NodeId of;
        shmem::Future<std::uint32_t> value;
    };

    static shmem::Variable<std::uint32_t> word(NodeId host) {
        return {static_cast<std::uint32_t>(2 * shmem::kDefaultPageWords + 64 + host)};
    }
    void change(shmem::Isochron& isochron) {
        const bool ends = job_.memory().is_scheduled(word(here()).at);
        if (ends)
            isochron.assign(word(here()), assigned_ + 1);
        else
            isochron.sched(word(here()));
        if (job_.memory().issue(isochron) && ends) ++assigned_;
    }

    std::deque<Read> reads_;
    std::uint32_t assigned_ = 0;
    std::vector<std::uint32_t> seen_;  ///< by host: what was read of it last
};

}  // namespace isoplane::soak
