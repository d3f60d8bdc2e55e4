// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/shmem/layout.hh>

#include <algorithm>

namespace isoplane::shmem {

namespace {

/// A number with its name in node.conf.
std::string key(const char* name, std::uint32_t value) {
    return std::string(name) + "=" + std::to_string(value);
}

}  // namespace

Layout::Layout(const Pages& pages)
    : here_(pages.here()), extent_(pages.extent()), copysets_(pages.copysets()) {}

wire::Answer Layout::told(std::uint16_t too) const {
    return {.ticket = kTicket,
            .offset = too,
            .words = 4,
            .values = {extent_.pages, extent_.page_words, static_cast<std::uint32_t>(copysets_ >> 32),
                       static_cast<std::uint32_t>(copysets_)}};
}

void Layout::hear(NodeId host, const wire::Answer& told) {
    const wire::Answer own = this->told();
    const std::string who = "node " + std::to_string(host) + " has shared memory of ";
    if (told.words != own.words) {
        difference_ = "node " + std::to_string(host) + " tells of its shared memory otherwise than node " +
                      std::to_string(here_) + ": run the same version on all nodes of the job";
    } else if (told.values[0] != own.values[0] || told.values[1] != own.values[1]) {
        difference_ = who + key("pages", told.values[0]) + ", " + key("page-size", told.values[1]) +
                      ", and node " + std::to_string(here_) + " of " + key("pages", extent_.pages) + ", " +
                      key("page-size", extent_.page_words) + ": give all nodes of the job the same";
    } else if (!std::ranges::equal(told.told(), own.told())) {
        difference_ = who + "other copysets than node " + std::to_string(here_) +
                      ": give all nodes of the job the same shmem_map";
    } else {
        if (host >= heard_.size()) heard_.resize(std::size_t{host} + 1);
        heard_[host] = true;
    }
}

}  // namespace isoplane::shmem
