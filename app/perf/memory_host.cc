// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "memory_host.hh"

#include <rte_cycles.h>

namespace isoplane::perf {

namespace {

shmem::Pages pages(const TwoHosts& hosts, niu::NodeId here) {
    return {topology::parse_shmem_map("0: 0;\n1: 1;\n"),
            hosts.paths(),
            here,
            {.pages = 2, .page_words = MemoryHost::kPageWords}};
}

}  // namespace

MemoryHost::MemoryHost(runtime::Input& from, runtime::Output& to, runtime::Pool& pool, niu::Options options)
    : here_(options.node),
      niu_("niu", from, to, pool, std::move(options)),
      dispatcher_(niu_),
      siu_(niu_, hosts_.paths()),
      isotach_(niu_, siu_, pool),
      barrier_(niu_),
      answers_(niu_, barrier_, wire::Protocol::kShmem),
      memory_(pages(hosts_, here_), isotach_, answers_) {
    isotach_.attach_to(dispatcher_);
    dispatcher_.attach(wire::Protocol::kShmem, &memory_);
}

void MemoryHost::poll() {
    const runtime::Time now = clock_.now();
    niu_.poll(now);
    dispatcher_.dispatch();
    if (reads_ != nullptr && came_ == 0 && isotach_.ordering().waiting() != 0) came_ = rte_rdtsc();
    if (!memory_.hurries()) isotach_.poll(now);
    if (reads_ != nullptr) step_noting();
    memory_.poll();
}

void MemoryHost::step_noting() {
    for (;;) {
        const std::uint64_t begin = rte_rdtsc();
        const std::uint64_t before = memory_.store().counters().accesses.get();
        if (!memory_.step()) return;
        if (memory_.store().counters().accesses.get() == before) continue;
        reads_->push_back({came_, begin, rte_rdtsc()});
        came_ = 0;
    }
}

bool MemoryHost::settled() const noexcept {
    return memory_.settled() && memory_.reads().outstanding() == 0 && isotach_.settled() &&
           niu_.peer(static_cast<niu::NodeId>(1 - here_)).sent_all();
}

}  // namespace isoplane::perf
