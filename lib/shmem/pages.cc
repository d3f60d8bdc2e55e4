// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/shmem/pages.hh>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace isoplane::shmem {

namespace {

void check(const Extent& extent) {
    if (extent.page_words == 0 || extent.page_words % 2 != 0)
        throw std::invalid_argument(
            "a page of " + std::to_string(extent.page_words) +
            " variables is asked for: give an even number, so that variables of 64 bits "
            "lie in one page");
    if (std::uint64_t{extent.pages} * extent.page_words > UINT64_C(1) << 32)
        throw std::invalid_argument(std::to_string(extent.pages) + " pages of " +
                                    std::to_string(extent.page_words) +
                                    " variables are more than 2^32: give fewer, or smaller ones");
}

/// To be added up: the order of pages and hosts plays no part.
std::uint64_t digest(std::uint32_t page, NodeId host) {
    std::uint64_t mixed = (std::uint64_t{page} << 16 | host) * 0x9e3779b97f4a7c15 + 1;
    mixed = (mixed ^ mixed >> 31) * 0xbf58476d1ce4e5b9;
    return mixed ^ mixed >> 29;
}

}  // namespace

Pages::Pages(const topology::ShmemMap& map, const topology::Paths& paths, NodeId here, const Extent& extent)
    : here_(here), extent_(extent) {
    check(extent);
    per_page_ = UINT64_MAX / extent.page_words + 1;
    pages_.resize(extent.pages);
    for (const topology::Copyset& run : map.runs()) {
        if (run.last >= extent.pages)
            throw std::invalid_argument(
                "page " + std::to_string(run.last) + " is beyond the shared memory, which has " +
                std::to_string(extent.pages) + ": use a lower one, or make it larger");
        for (std::uint32_t number = run.first; number <= run.last; ++number) {
            Page& page = pages_[number];
            page.mapped = true;
            page.nearest = *map.nearest_copy(number, here, paths);
            for (const NodeId node : run.nodes) {
                copysets_ += digest(number, node);
                if (node == here) {
                    page.local = local_pages_++;
                } else {
                    page.others.push_back(node);
                }
            }
            std::ranges::stable_sort(page.others, {},
                                     [&](NodeId node) { return paths.distance(here, node, 1); });
        }
    }
}

void Pages::lose(NodeId host) {
    if (host >= lost_.size()) lost_.resize(std::size_t{host} + 1);
    lost_[host] = true;
    find_nearest();
}

void Pages::regain(NodeId host) {
    if (!is_lost(host)) return;
    lost_[host] = false;
    find_nearest();
}

void Pages::find_nearest() {
    for (Page& page : pages_) {
        if (page.is_here() || page.others.empty()) continue;
        const auto near = std::ranges::find_if(page.others, [this](NodeId host) { return !is_lost(host); });
        page.mapped = near != page.others.end();
        if (page.mapped) page.nearest = *near;
    }
}

}  // namespace isoplane::shmem
