// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/topology/paths.hh>
#include <isoplane/topology/shmem_map.hh>
#include <span>
#include <vector>

#include <isoplane/shmem/address.hh>

namespace isoplane::shmem {

using topology::NodeId;

inline constexpr std::uint32_t kDefaultPageWords = 1024;

/// How large shared memory is; the same at all hosts.
struct Extent {
    std::uint32_t pages = topology::kDefaultPages;
    std::uint32_t page_words = kDefaultPageWords;
};

/// Who holds a copy of which page, as one host needs to know it.
class Pages {
  public:
    static constexpr std::uint32_t kElsewhere = UINT32_MAX;

    struct Page {
        std::vector<NodeId> others{};      ///< that hold a copy when they take part, the nearest first
        NodeId nearest = 0;                ///< of those that do: this host, if it holds one
        bool mapped = false;               ///< one of them does
        std::uint32_t local = kElsewhere;  ///< which of this host's pages it is

        bool is_here() const { return local != kElsewhere; }
    };

    /// Throws std::invalid_argument when the map is of more pages, or page_words is not even, or there are
    /// more words than addresses.
    Pages(const topology::ShmemMap& map, const topology::Paths& paths, NodeId here, const Extent& extent);

    NodeId here() const { return here_; }
    const Extent& extent() const { return extent_; }
    /// Pages that this host holds a copy of.
    std::uint32_t local_pages() const { return local_pages_; }

    std::uint32_t page_of(Address at) const {
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::uint32_t>(Wide{per_page_} * at >> 64);
    }
    /// Which word of its page it is.
    std::uint32_t word_of(Address at) const { return at - page_of(at) * extent_.page_words; }
    /// A digest of which host holds which page, the same at all hosts.
    std::uint64_t copysets() const { return copysets_; }
    /// Words from `at` to the end of its page.
    std::uint32_t left_in_page(Address at) const { return extent_.page_words - word_of(at); }
    /// Nothing can be read at that host any more.
    void lose(NodeId host);
    /// Or again: it has joined logical time.
    void regain(NodeId host);
    bool is_lost(NodeId host) const { return host < lost_.size() && lost_[host]; }

    bool exists(Address at) const { return page_of(at) < extent_.pages; }
    /// Of an address that exists.
    const Page& page(Address at) const { return pages_[page_of(at)]; }
    /// Where so many words are: nullptr, unless all exist, on one page.
    const Page* page_with(Address at, std::uint32_t words, std::uint32_t& word) const {
        const std::uint32_t number = page_of(at);
        word = at - number * extent_.page_words;
        return number < extent_.pages && words <= extent_.page_words - word ? &pages_[number] : nullptr;
    }

  private:
    NodeId here_;
    Extent extent_;
    /// 2^64 / page_words, rounded up: every access asks several times for its page, and a product is cheaper
    /// than a quotient. Exact for all addresses of 32 bits (Lemire, Kaser, Kurz 2019).
    std::uint64_t per_page_ = 0;
    std::uint32_t local_pages_ = 0;
    std::uint64_t copysets_ = 0;
    std::vector<Page> pages_;
    std::vector<bool> lost_;  ///< by host
    void find_nearest();
};

}  // namespace isoplane::shmem
