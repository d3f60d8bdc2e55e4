// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <concepts>
#include <isoplane/isotach/isochron.hh>
#include <optional>
#include <span>
#include <vector>

#include <isoplane/shmem/access_bytes.hh>
#include <isoplane/shmem/pages.hh>
#include <isoplane/shmem/reads.hh>
#include <isoplane/shmem/schedules.hh>

namespace isoplane::shmem {

class Memory;

/// Accesses to shared memory, and messages, that are executed at one logical time: in the order in which they
/// are added, and no others between them. Filled, then issued as one; after that it is empty and can be
/// filled again. Messages reach their hosts when all accesses are done.
///
/// Whatever throws Misuse has changed nothing.
class Isochron {
  public:
    using Words = std::span<const std::uint32_t>;

    explicit Isochron(Memory& memory);
    ~Isochron() { clear(); }
    Isochron(const Isochron&) = delete;
    Isochron& operator=(const Isochron&) = delete;

    template <Shareable T>
    Future<T> read(Variable<T> variable) {
        return {reads(), add_read(variable.at, Variable<T>::kWords)};
    }
    template <Shareable T>
    void write(Variable<T> variable, std::type_identity_t<T> value) {
        add_write(page_of(variable.at, Variable<T>::kWords), variable.at, to_words(value));
    }
    /// The variable has no value from here on, until this is assigned; who reads it waits for that, or reads
    /// what is written later. Misuse while another SCHED of this host on it is open: neither assigned by this
    /// host nor given away.
    template <Shareable T>
    Scheduled sched(Variable<T> variable) {
        return add_sched(check_variable(variable), Variable<T>::kWords);
    }
    /// The value of the SCHED that this host has open there. Without one, it is dropped. A SCHED of 32 bits
    /// may be assigned 64, if all use 64 there: who reads them meanwhile gets both halves.
    template <Shareable T>
    void assign(Variable<T> variable, std::type_identity_t<T> value) {
        add_assign(check_variable(variable), to_words(value));
    }
    /// The value of one that may be another host's. It is dropped when that has been assigned already.
    template <Shareable T>
    void assign(const Scheduled& scheduled, T value) {
        add_assign(scheduled, to_words(value));
    }

    // These three read the old value, too.

    template <Shareable T>
    requires std::integral<T> Future<T> fetch_add(Variable<T> variable, std::type_identity_t<T> value) {
        return {reads(), add_change(wire::AccessCode::kAdd, check_variable(variable), to_words(value), {})};
    }
    template <Shareable T>
    Future<T> swap(Variable<T> variable, std::type_identity_t<T> value) {
        return {reads(), add_change(wire::AccessCode::kSwap, check_variable(variable), to_words(value), {})};
    }
    /// It was swapped when the old value is the expected one, bit by bit.
    template <Shareable T>
    Future<T> compare_swap(Variable<T> variable, std::type_identity_t<T> expected,
                           std::type_identity_t<T> value) {
        return {reads(), add_change(wire::AccessCode::kCompareSwap, check_variable(variable),
                                    to_words(expected), to_words(value))};
    }

    BlockFuture read(const Block& block);
    void write(const Block& block, Words values);

    /// Copies a message to a host, which may be this one; it receives it from Memory::receive(). Of at most
    /// isotach::Endpoint::max_message() bytes.
    void message(NodeId to, std::span<const std::byte> data);

    bool empty() const noexcept { return accesses_ == 0 && messages_.empty(); }
    /// Accesses and messages.
    std::size_t size() const noexcept { return accesses_ + messages_.size(); }
    /// What was read here will never be ready.
    void clear() noexcept;

  private:
    friend class Memory;
    /// The accesses for one host.
    struct Part {
        NodeId to = 0;
        AccessBytes bytes{};
    };
    struct Message {
        NodeId to = 0;
        std::size_t at = 0;  ///< in message_bytes_
        std::size_t size = 0;
    };

    Reads& reads() noexcept;
    template <Shareable T>
    Address check_variable(Variable<T> variable) const {
        page_of(variable.at, Variable<T>::kWords);
        return variable.at;
    }
    /// Of a variable of so many words, where there can be one.
    const Pages::Page& page_of(Address at, std::uint32_t words) const {
        std::uint32_t word = 0;
        const Pages::Page* page = pages_.page_with(at, words, word);
        if (page != nullptr && page->mapped && (words != 2 || at % 2 == 0)) [[likely]]
            return *page;
        check(at, words, true);
        return pages_.page(at);
    }
    /// Throws Misuse.
    void check(Address at, std::uint32_t words, bool is_variable) const;
    Reads::Ticket add_read(Address at, std::uint32_t words);
    void add_write(const Pages::Page& page, Address at, Words values);
    Scheduled add_sched(Address at, std::uint16_t words);
    void add_assign(Address at, Words values);
    void add_assign(const Scheduled& scheduled, Words values);
    Reads::Ticket add_change(wire::AccessCode code, Address at, Words first, Words second);

    Reads::Ticket open(std::uint32_t words);
    template <typename Each>
    void in_pieces(const Block& block, bool at_nearest, Each&& each);
    void add_to_all(const Pages::Page& page, wire::Access access, Words first, Words second);
    void add_to(NodeId host, const wire::Access& access, Words first, Words second);
    AccessBytes& bytes_for(NodeId host) {
        if (host == pages_.here()) return here_;
        if (used_ != 0 && parts_[used_ - 1].to == host) [[likely]]
            return parts_[used_ - 1].bytes;
        if (used_ != 0 || parts_.empty()) return bytes_of_another(host);
        parts_.front().to = host;
        used_ = 1;
        return parts_.front().bytes;
    }
    AccessBytes& bytes_of_another(NodeId host);
    void unwire() noexcept {
        if (!wire_.empty()) [[unlikely]]
            wire_.clear();
    }
    void issued() noexcept;

    Memory* memory_;
    const Pages& pages_;
    std::size_t accesses_ = 0;
    AccessBytes here_;         ///< accesses to this host's copies
    std::vector<Part> parts_;  ///< the first used_ of them are in use
    std::size_t used_ = 0;
    std::vector<Message> messages_;
    std::vector<std::byte> message_bytes_;
    std::vector<Reads::Ticket> opened_;
    std::vector<Schedules::Undo> scheduled_;
    isotach::Isochron wire_;  ///< all of it, once it is to be issued and until it is added to
};

}  // namespace isoplane::shmem
