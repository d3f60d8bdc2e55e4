// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Copies of pages for hosts that join a running time (doc/membership.md).
///
/// Who joins asks, for each page that it is to hold, the nearest host that holds it; if that leaves, the
/// next. Who is asked tells when it has executed the pulse at whose end the other joins, and nothing later:
/// time stands still until the other has all.
///
/// When all that held it are gone, one that joins at the same time may have been told all of it. The first of
/// these by number asks the others in turn, which wait for it; a page that none of them has is all zeros.
#pragma once

#include <isoplane/noniso/endpoint.hh>
#include <isoplane/runtime/counter.hh>
#include <isoplane/wire/page.hh>
#include <isoplane/wire/view.hh>
#include <vector>

#include <isoplane/shmem/pages.hh>
#include <isoplane/shmem/store.hh>

namespace isoplane::shmem {

class PageCopies {
  public:
    struct Counters {
        runtime::Counter told;       ///< pages, to others
        runtime::Counter taken;      ///< from others
        runtime::Counter fresh;      ///< that nobody else had: they begin with zeros
        runtime::Counter malformed;  ///< messages that no host sends
    };

    /// All outlive it.
    PageCopies(const Pages& pages, Store& store, noniso::Endpoint& endpoint);

    /// What is told of others, and of this host, in logical time.
    void left(NodeId host);
    void joined(NodeId host, std::uint64_t pulse);

    /// Nobody is told in logical time that one has left who is to tell a page, since time stands still until
    /// it has: so while this host joins, those that `has_gone(host)` names are not asked any more. Who is
    /// only not heard here may have the one copy: whether it goes is for the view to say.
    template <typename HasGone>
    void leave_out(HasGone&& has_gone) {
        for (std::size_t i = 0; i < hosts_.size(); ++i)
            if (has_gone(static_cast<NodeId>(i))) hosts_[i].gone = true;
        for (Copy& copy : copies_)
            if (copy.asked != wire::kNoNode && host(copy.asked).gone) copy.asked = wire::kNoNode;
    }

    void take(NodeId from, std::span<const std::byte> message);
    /// Asks and tells. Returns how many messages went.
    unsigned send();

    /// This host has joined, and lacks no page.
    bool complete() const noexcept { return has_joined_ && lacking_ == 0; }
    bool idle() const noexcept { return requests_.empty() && (!has_joined_ || lacking_ == 0); }
    const Counters& counters() const noexcept { return counters_; }

  private:
    /// A page of this host that it lacks.
    struct Copy {
        std::uint32_t page = 0;
        NodeId asked = wire::kNoNode;
        bool whole = false;
        int lacking_to =
            -1;  ///< those that join with this host, as far as this number, have said they lack it
        std::uint32_t words = 0;  ///< that have come
        std::vector<std::uint32_t> open{};
    };
    struct Request {
        NodeId from = 0;
        std::uint64_t pulse = 0;
        std::uint32_t page = 0;
    };
    struct Host {
        bool left = false;
        std::uint64_t joined = 0;  ///< at the end of this pulse
        bool gone = false;         ///< the life that this host met, though nobody has been told yet
    };

    Host& host(NodeId node);
    bool takes_part(NodeId node) { return !host(node).left && !host(node).gone; }
    bool joins_with_this(NodeId node) { return takes_part(node) && host(node).joined == joined_; }
    NodeId first_that_joins(const Copy& copy);
    NodeId source(const Copy& copy);
    const Pages::Page& page(std::uint32_t number) const {
        return pages_.page(number * pages_.extent().page_words);
    }
    bool ask(Copy& copy);
    void note(const Request& request);
    void begin_with_zeros(Copy& copy);
    unsigned answer_all();
    enum class Answer : std::uint8_t { kPage, kNone, kLater, kNever };
    Answer answer_to(const Request& request);
    bool tell(const Request& request);
    bool send_step(const Request& request, wire::PageStep step);
    bool tell_words(const Request& request, wire::PageStep step, std::span<const std::uint32_t> words);
    void take_part(NodeId from, const wire::PageMessage& message, std::span<const std::byte> words);
    void take_whole(Copy& copy);

    const Pages& pages_;
    Store& store_;
    noniso::Endpoint& endpoint_;
    std::vector<Host> hosts_;
    std::vector<Copy> copies_;  ///< by number of the page here
    std::size_t lacking_ = 0;
    bool has_joined_ = false;
    std::uint64_t joined_ = 0;
    NodeId here_;
    std::vector<Request> requests_;    ///< one for a page and who asks
    std::uint32_t told_ = 0;           ///< words of the first request that have gone
    std::vector<std::uint32_t> open_;  ///< of its page
    Counters counters_;
};

}  // namespace isoplane::shmem
