// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/topology/paths.hh>
#include <vector>

#include <isoplane/tm/token_exchange.hh>

namespace isoplane::tm {

/// What a node does as tokens come and go, and what neighbours' tokens say, passed on in one's own: an entry
/// for one host one hop a token along the shortest way to it; one for every host along the tree of shortest
/// ways from its source, so that it comes to each once, in networks with cycles, too; and that time is
/// wanted, one hop less far.
///
/// A host with a token manager of its own has one neighbour, and so nothing to pass on.
///
/// A token passes a dozen points where hosts and token managers differ, and each message waits for one: so
/// `Self`, which is derived from this, is known here. It has, for a friend of this name:
///
///     static constexpr bool kAnswersAtOnce;  // A token is answered where it arrives. A host's is not: it
///                                            // executes what the token ends before it sends its own, so
///                                            // that its answer to that goes with it.
///     void on_entry(std::uint64_t number, const wire::TokenEntry& entry);  // Token `number` of a neighbour
///                                                                          // says so, and that of all is
///                                                                          // here.
///     void on_entry_behind(NodeId sender, std::uint64_t number, const wire::TokenEntry& entry);
///                                            // The same of one that has come along with what that host
///                                            sends.
///     bool may_resend() const;  // What has not been answered for too long is sent again.
///     std::uint64_t may_send_to();  // Tokens up to that one may go now; only asked when some are due.
///     bool is_silent(std::uint64_t number) const;  // Nothing is to be said to anybody in that token: then
///                                                  // it is not filled.
///     void on_send(std::uint64_t number);  // It is about to go, filled for each neighbour; the first h go
///                                          // unprompted and empty.
///     void add_own(std::size_t neighbour, Entries& entries);  // What this node itself has to say to that
///                                                             // neighbour, in place of what is there.
///                                                             // After on_send(), for one after the other.
///     std::uint64_t may_announce_to(NodeId host) const;  // Tokens up to that one may go now, are wanted,
///                                                        // and have nothing to say but how many messages
///                                                        // have gone to that host; 0 where it is not so.
///     void announce_to(NodeId host, Entries& entries);  // Then, what the first of them says.
///     bool wants() const;     // This node itself wants time to go on.
///     void on_others_want();  // Somebody else does.
///     NodeId carrier(NodeId neighbour);  // The host whose messages tokens to that neighbour may go along
///                                        // with, if any do: itself, or that which manages it; kNoNode for
///                                        // none.
///     bool on_restart(NodeId neighbour);  // A neighbour is back in another life. Returns whether to begin
///                                         // anew with it, with begin_anew().
template <typename Self>
class Relay : public TokenExchange {
  public:
    [[gnu::hot]] unsigned before_sending(Time now) noexcept final;
    bool on_token(const niu::TokenAddress& address, const wire::TokenView& token) noexcept final;
    /// A token that came along with messages: if it is the next, and no more than that,
    unsigned take_in_place() noexcept final;
    /// or whatever it is.
    void take(const niu::Received& message) noexcept final;
    /// One in short, where it stands, if it is the next; false, and nothing is done, where it is not.
    [[gnu::hot]] bool take_short(NodeId source,
                                 std::span<const std::byte, wire::kShortTokenSize> message) noexcept;

  protected:
    /// `paths` outlives it, as `niu` does.
    Relay(niu::Niu& niu, const topology::Paths& paths, ExchangeOptions options);

    /// Tells the neighbours, but for one of them, at once that time is wanted: those that hold a token back
    /// because nothing happens are not to.
    void wake(std::size_t except) noexcept;
    static constexpr std::size_t kNobody = SIZE_MAX;

    void forget_wanted() noexcept;
    const topology::Paths& paths() const noexcept { return paths_; }

  private:
    enum class Way : std::uint8_t { kApart, kAlongIfPossible };

    Self& self() noexcept { return static_cast<Self&>(*this); }
    const Self& self() const noexcept { return static_cast<const Self&>(*this); }

    bool take_next(NodeId source, std::span<const std::byte> message) noexcept;
    bool is_next(const Neighbour& neighbour, const wire::Token& token) const noexcept;
    [[gnu::always_inline]] void pass_next(NodeId source, std::size_t index, const wire::Token& token,
                                          const wire::TokenEntry* entry) noexcept;
    void take_short_with_care(const niu::Received& message) noexcept;
    bool may_say(NodeId from, const wire::TokenEntry& entry) const noexcept;
    void refuse(const niu::Received& message) noexcept;
    bool take_token(const niu::TokenAddress& address, wire::TokenView token) noexcept;
    bool belongs(Neighbour& neighbour, const niu::TokenAddress& address) noexcept;
    [[gnu::noinline]] void complete_what_is() noexcept;
    void note_news(bool completes) noexcept;
    [[gnu::noinline]] unsigned send_what_waits() noexcept;
    [[gnu::noinline, gnu::hot]] unsigned send_behind_message() noexcept;
    void note_sent(std::uint64_t before, std::uint8_t level) noexcept;
    [[gnu::always_inline]] bool prepare_what_is_due() noexcept;
    [[gnu::always_inline]] void send_what_is_due() noexcept;
    [[gnu::always_inline]] void fill(std::uint64_t number, std::size_t index) noexcept;
    void pass_on(std::uint64_t number, std::size_t index, Entries& entries) noexcept;
    bool goes_to(const wire::TokenEntry& entry, NodeId from, NodeId to) const noexcept;
    [[gnu::always_inline]] void transmit_pending() noexcept;
    [[gnu::noinline]] void transmit_again() noexcept;
    [[gnu::always_inline]] bool transmit(Neighbour& neighbour, Gone& gone, std::uint8_t wanted,
                                         Way way = Way::kApart) noexcept;
    bool transmit_apart(const Neighbour& neighbour, Gone& gone, wire::Token token) noexcept;
    [[gnu::always_inline]] bool goes_along(Neighbour& neighbour, const wire::Token& token) noexcept;
    [[gnu::always_inline]] bool goes_in_short(const Neighbour& neighbour, NodeId host,
                                              const wire::Token& token) noexcept;
    bool only_counts(NodeId host, std::span<const wire::TokenEntry> entries) const noexcept;
    void resend() noexcept;
    bool resend_to(Neighbour& neighbour, std::uint8_t wanted) noexcept;
    std::uint8_t wanted() noexcept;
    void on_wanted(std::size_t neighbour, std::uint8_t hops) noexcept;
    std::uint8_t woken_for(std::uint64_t number) const noexcept;
    /// What a neighbour says and wants is for others, too: this node is a token manager.
    bool passes_on() const noexcept { return neighbour_count() > 1; }

    const topology::Paths& paths_;
    /// By hops: time is wanted for so many from here up to this token. Each has its own end: what a neighbour
    /// passes on of what it was told here, for fewer hops, does not keep alive what it was told.
    std::vector<std::uint64_t> woken_through_;
};

}  // namespace isoplane::tm
