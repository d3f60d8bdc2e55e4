// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/runtime/counter.hh>
#include <isoplane/runtime/flat_map.hh>
#include <isoplane/wire/access.hh>
#include <optional>
#include <span>
#include <vector>

#include <isoplane/shmem/pages.hh>

namespace isoplane::shmem {

/// The pages of a host, and what is executed on them.
///
/// All hosts that hold a page execute the same accesses to it in the same order, so their copies never
/// differ. A word that is scheduled has no value, but a version; who reads it waits for that version,
/// whatever is written to the word meanwhile. What changes a word that has no value (kAdd, kSwap,
/// kCompareSwap) makes another version of it, which has one as soon as the first does.
class Store {
  public:
    struct Answer : wire::Answer {
        NodeId to = 0;
    };
    struct Counters {
        runtime::Counter accesses;
        runtime::Counter blocked;    ///< accesses that had to wait for an ASSIGN
        runtime::Counter dropped;    ///< words assigned that were not scheduled
        runtime::Counter misplaced;  ///< accesses to words that are not here
    };

    /// `never_blocks` is a defect that tests plant: who reads gets what the word had before.
    explicit Store(const Pages& pages, bool never_blocks = false);

    /// Executes what `issuer` has issued. Appends to answers() what is known by now.
    void execute(NodeId issuer, const wire::Access& access);
    /// Of this access and of those that it has unblocked; whoever executes takes them.
    std::span<const Answer> answers() const noexcept { return {answers_.data(), answered_}; }
    void answers_taken() noexcept { answered_ = 0; }

    /// Nobody assigns what that host has scheduled: the words have the value from before, and who waits for
    /// the one they were to get is told that it is lost.
    /// And it is told nothing more of what it has read.
    void lose(NodeId host);

    /// The words of a page that is here.
    std::span<std::uint32_t> words_of(const Pages::Page& page) noexcept {
        return std::span(words_).subspan(std::size_t{page.local} * pages_.extent().page_words,
                                         pages_.extent().page_words);
    }
    /// What makes the copy of a page at another host the same, but for its words: which have no value, and
    /// what waits for one and will change them. Reads are answered here. In numbers that take_open() knows.
    void add_open(std::uint32_t page, std::vector<std::uint32_t>& numbers) const;
    /// Of a page of which nothing has been executed here. False, and as if nothing had been told, when that
    /// is nothing that add_open() gives.
    bool take_open(std::uint32_t page, std::span<const std::uint32_t> numbers);

    /// Accesses that wait for an ASSIGN.
    std::size_t blocked() const noexcept { return blocked_; }
    /// For who compares copies: the value of a word that is here, and whether it has one.
    std::uint32_t word(Address at) const noexcept { return words_[index(at)]; }
    bool has_value(Address at) const noexcept { return !is_pending(at); }
    const Counters& counters() const noexcept { return counters_; }

  private:
    using Version = std::uint64_t;
    /// The hosts number their versions; those that are computed are numbered here.
    static constexpr Version scheduled_by(NodeId host, std::uint32_t number) {
        return Version{host} << 32 | number;
    }
    static constexpr Version kComputed = Version{1} << 63;

    struct Key {
        Address at;
        Version version;
        bool operator==(const Key&) const = default;
    };
    struct KeyHash {
        std::uint64_t operator()(const Key& key) const noexcept {
            return runtime::spread(runtime::spread(key.version) ^ key.at);
        }
    };
    /// An access that lacks words.
    struct Blocked {
        wire::AccessCode code{};
        NodeId to = 0;
        std::uint16_t words = 0;
        std::uint16_t lacking = 0;
        std::uint16_t offset = 0;
        bool lost = false;  ///< one of them has no value any more
        std::uint32_t ticket = 0;
        Address at = 0;
        Version makes = 0;
        std::array<std::uint32_t, 4> operands{};
        std::array<std::uint32_t, wire::kMostAccessWords> old{};

        /// What it had before is another's; its operands are still to come, and its words, of which those
        /// of a change are told to others while it waits.
        void begin(NodeId issuer, const wire::Access& access) noexcept {
            code = access.code;
            to = issuer;
            words = access.words;
            lacking = 0;
            offset = 0;
            lost = false;
            ticket = access.ticket;
            at = access.address;
            makes = 0;
            old[0] = old[1] = 0;
        }
    };
    /// A word that an access lacks.
    struct Waiter {
        std::uint32_t blocked = 0;
        std::uint16_t word = 0;
        std::uint32_t next = 0;  ///< that waits for the same version; 0: none
    };
    using Currents = runtime::FlatMap<Address, Version, AddressHash>;
    using Opens = runtime::FlatMap<Key, std::uint32_t, KeyHash>;
    struct Settled {
        Key key;
        std::uint32_t value;
        std::optional<std::uint32_t> lower{};  ///< of the word behind it, if it has its value from there
        bool lost = false;                     ///< there will be no value
    };

    std::size_t index(Address at) const noexcept {
        return std::size_t{pages_.page(at).local} * pages_.extent().page_words + pages_.word_of(at);
    }
    /// The words of an access; nullptr when they are not here.
    std::uint32_t* words_of(const wire::Access& access) noexcept {
        std::uint32_t word = 0;
        const Pages::Page* page = pages_.page_with(access.address, access.words, word);
        if (page == nullptr || !page->is_here()) [[unlikely]]
            return nullptr;
        return &words_[std::size_t{page->local} * pages_.extent().page_words + word];
    }
    bool is_pending(Address at) const noexcept { return !current_.empty() && current_.contains(at); }
    bool any_pending(Address at, unsigned words) const noexcept;

    void write(const wire::Access& access, std::uint32_t* words) noexcept;
    void read(NodeId issuer, const wire::Access& access, const std::uint32_t* words);
    void change(NodeId issuer, const wire::Access& access, std::uint32_t* words);
    void block(NodeId issuer, const wire::Access& access);
    void schedule(Address at, unsigned words, Version version);
    void assign(const wire::Access& access);
    void wait_for(const Key& key, std::uint32_t blocked, std::uint16_t word);
    void settle(const Settled& now);
    void settle_all();
    void unblock(Blocked& blocked);
    void answer(NodeId to, std::uint32_t ticket, std::uint16_t offset, unsigned words,
                const std::uint32_t* values);

    struct Told;
    bool is_in(std::uint32_t page, Address at, std::uint32_t words) const;
    bool take_version(Told& told, std::span<const std::uint32_t> numbers) const;
    bool take_access(Told& told, std::span<const std::uint32_t> numbers) const;

    const Pages& pages_;
    bool never_blocks_;
    std::vector<std::uint32_t> words_;
    Currents current_;               ///< of the words that have no value
    Opens open_;                     ///< versions that have none, and the first waiter for each, or 0
    std::vector<Waiter> waiters_;    ///< numbered from 1
    std::uint32_t free_waiter_ = 0;  ///< the first of those that wait for nothing
    std::vector<Blocked> table_;
    std::vector<std::uint32_t> free_;  ///< of table_
    std::size_t blocked_ = 0;
    std::vector<Settled> settled_;  ///< versions that have got their value, and nobody has been told
    Version next_computed_ = kComputed;
    std::vector<Answer>
        answers_;  ///< the first answered_ count; all stay, since an empty one is large to make
    std::size_t answered_ = 0;
    Counters counters_;
};

}  // namespace isoplane::shmem
