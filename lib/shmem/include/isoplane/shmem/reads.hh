// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cassert>
#include <isoplane/topology/topology.hh>
#include <isoplane/wire/access.hh>
#include <isoplane/wire/view.hh>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <isoplane/shmem/address.hh>

namespace isoplane::shmem {

using topology::NodeId;

/// The value of a read that nobody can tell any more.
struct Lost : std::runtime_error {
    Lost()
        : std::runtime_error(
              "what was read in shared memory is lost with a host that has died: it held the only "
              "copy that was asked, or was to assign it") {}
};

/// What this host has read, or waits for.
class Reads {
    static constexpr unsigned kTicketBits = 22;

  public:
    using Ticket = std::uint32_t;
    static constexpr Ticket kMost = (Ticket{1} << kTicketBits) - 1;

    /// What was asked in an earlier life of this host is not for this one, by a few bits of their numbers.
    explicit Reads(std::uint32_t life = 0) : life_(life << kTicketBits) {}

    /// As others get to know the ticket, and fill() does.
    std::uint32_t name(Ticket ticket) const noexcept { return life_ | ticket; }

    /// A place for so many words. Tickets count from 1; 0 when there are kMost places already that somebody
    /// holds or waits for.
    Ticket open(std::uint32_t words);
    /// It is on its way: from now on it can be answered.
    void issue(Ticket ticket) noexcept { places_[ticket - 1].stage = Stage::kIssued; }
    /// That host is to tell some of its words.
    void ask(Ticket ticket, NodeId host) {
        Place& place = places_[ticket - 1];
        if (place.asked != wire::kNoNode && place.asked != host) [[unlikely]]
            place.asked_too.push_back(place.asked);
        place.asked = host;
    }
    /// The words of a variable have come, in a message that has all that was read under its ticket: so
    /// mostly. False, and nothing is done, when it is not so.
    bool fill_variable(std::span<const std::byte> message) noexcept;
    /// Words have come. False for a ticket that nobody has, or words that do not belong there.
    bool fill(const wire::Answer& answer) noexcept;
    /// Whoever waits for words of that host waits no longer.
    void lose(NodeId host) noexcept;
    /// It is ready, and nobody knows its words.
    bool lost(Ticket ticket) const noexcept { return places_[ticket - 1].lost; }
    bool ready(Ticket ticket) const noexcept { return places_[ticket - 1].lacking == 0; }
    /// Once it is ready.
    std::span<const std::uint32_t> words(Ticket ticket) const noexcept {
        const Place& place = places_[ticket - 1];
        return {place.more.empty() ? place.few.data() : place.more.data(), place.words};
    }
    /// Nobody wants it any more.
    void drop(Ticket ticket) noexcept;
    /// It was not issued, and will never be ready.
    void cancel(Ticket ticket) noexcept;

    /// That have not come.
    std::size_t outstanding() const noexcept { return outstanding_; }

  private:
    enum class Stage : std::uint8_t { kOpen, kIssued, kCancelled };
    struct Place {
        std::uint32_t words = 0;  ///< 0 when it is free
        std::uint32_t lacking = 0;
        bool wanted = false;
        Stage stage = Stage::kOpen;
        bool lost = false;  ///< what is still on its way there is for nobody: it is used no more
        NodeId asked = wire::kNoNode;
        std::vector<NodeId> asked_too{};
        std::array<std::uint32_t, 2> few{};
        std::vector<std::uint32_t> more{};
    };
    Ticket ticket_of(std::uint32_t name) const noexcept { return name & kMost; }
    void free(Ticket ticket) noexcept;
    void lose_words(Place& place) noexcept;

    std::uint32_t life_;
    std::vector<Place> places_;
    std::vector<Ticket> free_;
    std::size_t outstanding_ = 0;
};

inline bool Reads::fill_variable(std::span<const std::byte> message) noexcept {
    namespace layout = wire::answer_layout;
    using Word = wire::Field<std::uint32_t, layout::kSize>;
    if (message.size() < layout::kSize) return false;
    const std::uint32_t named = layout::Ticket::get(message.data());
    const Ticket ticket = ticket_of(named);
    if (named != name(ticket) || ticket - 1 >= places_.size()) return false;
    Place& place = places_[ticket - 1];
    const std::uint32_t words = place.words;
    const bool fits = words - 1 < place.few.size() && message.size() == wire::answer_size(words);
    const bool all = layout::Words::get(message.data()) == words && layout::Offset::get(message.data()) == 0;
    const bool waits = place.lacking == words && place.stage == Stage::kIssued && place.wanted && !place.lost;
    if (!fits || !all || !waits) return false;
    place.few[0] = Word::get(message.data());
    if (words == 2) place.few[1] = Word::get(message.data() + 4);
    place.lacking = 0;
    --outstanding_;
    return true;
}

/// The value of a read, which comes when it comes; never, when its isochron is cleared instead of issued. Has
/// to go before its Memory does.
class AnyFuture {
  public:
    AnyFuture() = default;
    AnyFuture(AnyFuture&& other) noexcept
        : reads_(std::exchange(other.reads_, nullptr)), ticket_(other.ticket_) {}
    AnyFuture& operator=(AnyFuture&& other) noexcept {
        if (this == &other) return *this;
        if (reads_ != nullptr) reads_->drop(ticket_);
        reads_ = std::exchange(other.reads_, nullptr);
        ticket_ = other.ticket_;
        return *this;
    }
    ~AnyFuture() {
        if (reads_ != nullptr) reads_->drop(ticket_);
    }

    /// Whether it stands for a read at all.
    bool valid() const noexcept { return reads_ != nullptr; }
    bool ready() const noexcept { return reads_->ready(ticket_); }
    /// It is ready, but has no value, and who asks for it is thrown Lost.
    bool lost() const noexcept { return reads_->lost(ticket_); }

  protected:
    AnyFuture(Reads& reads, Reads::Ticket ticket) : reads_(&reads), ticket_(ticket) {}
    std::span<const std::uint32_t> words() const {
        assert(ready());
        if (lost()) [[unlikely]]
            throw Lost();
        return reads_->words(ticket_);
    }

  private:
    Reads* reads_ = nullptr;
    Reads::Ticket ticket_ = 0;
};

/// Of a variable.
template <Shareable T>
class Future : public AnyFuture {
  public:
    Future() = default;
    /// Once it is ready; as often as wanted.
    T value() const { return from_words<T>(words().data()); }

  private:
    friend class Isochron;
    using AnyFuture::AnyFuture;
};

/// Of a block.
class BlockFuture : public AnyFuture {
  public:
    BlockFuture() = default;
    /// Once it is ready.
    using AnyFuture::words;

  private:
    friend class Isochron;
    using AnyFuture::AnyFuture;
};

}  // namespace isoplane::shmem
