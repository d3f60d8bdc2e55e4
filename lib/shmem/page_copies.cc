// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/shmem/page_copies.hh>

#include <algorithm>

namespace isoplane::shmem {

using wire::PageStep;

namespace {

/// Numbers about what of a page has no value: more than a hundred thousand words that all wait.
constexpr std::size_t kMostOpen = 1U << 20;

}  // namespace

PageCopies::PageCopies(const Pages& pages, Store& store, noniso::Endpoint& endpoint)
    : pages_(pages), store_(store), endpoint_(endpoint), here_(pages.here()) {}

PageCopies::Host& PageCopies::host(NodeId node) {
    if (node >= hosts_.size()) hosts_.resize(std::size_t{node} + 1);
    return hosts_[node];
}

void PageCopies::left(NodeId node) {
    Host& gone = host(node);
    gone.left = true;
    const auto is_over = [&](const Request& request) {
        return request.from == node && request.pulse <= gone.joined;
    };
    if (!requests_.empty() && is_over(requests_.front())) told_ = 0;
    std::erase_if(requests_, is_over);
    for (Copy& copy : copies_)
        if (copy.asked == node && !copy.whole) copy.asked = wire::kNoNode;
}

void PageCopies::joined(NodeId node, std::uint64_t pulse) {
    host(node) = {.joined = pulse};
    if (node != here_) return;
    has_joined_ = true;
    joined_ = pulse;
    for (std::uint32_t number = 0; number < pages_.extent().pages; ++number) {
        if (!page(number).is_here()) continue;
        for (const NodeId other : page(number).others)
            host(other);  // so that all of them are known
        copies_.push_back({.page = number});
    }
    std::ranges::sort(copies_, {}, [this](const Copy& copy) { return page(copy.page).local; });
    lacking_ = copies_.size();
}

/// Of those that join with this host and are to hold the page, and of this host, the first by number.
NodeId PageCopies::first_that_joins(const Copy& copy) {
    NodeId first = here_;
    for (const NodeId node : page(copy.page).others)
        if (joins_with_this(node)) first = std::min(first, node);
    return first;
}

/// Whom to ask: the nearest that has held it; when there is none left, the first of those that join asks the
/// others in turn, and they ask it.
NodeId PageCopies::source(const Copy& copy) {
    const auto& others = page(copy.page).others;
    for (const NodeId node : others)
        if (takes_part(node) && host(node).joined != joined_) return node;
    if (const NodeId first = first_that_joins(copy); first != here_) return first;
    NodeId next = wire::kNoNode;
    for (const NodeId node : others)
        if (joins_with_this(node) && node > copy.lacking_to) next = std::min(next, node);
    return next;
}

/// False when it cannot be asked for now.
bool PageCopies::ask(Copy& copy) {
    const NodeId node = source(copy);
    if (node == wire::kNoNode) {
        begin_with_zeros(copy);
        return true;
    }
    const noniso::SendBuffer room = endpoint_.buffer(node, wire::page_message_size(0));
    if (!room) return false;
    wire::encode_page_message(room.data, {.step = PageStep::kAsk, .pulse = joined_, .page = copy.page});
    endpoint_.send(room);
    copy.asked = node;
    copy.words = 0;
    copy.open.clear();
    return true;
}

/// Whoever was asked may have told a part of it before it was gone.
void PageCopies::begin_with_zeros(Copy& copy) {
    std::ranges::fill(store_.words_of(page(copy.page)), 0);
    counters_.fresh.add();
    copy.whole = true;
    --lacking_;
}

unsigned PageCopies::send() {
    unsigned sent = 0;
    if (has_joined_ && lacking_ != 0) {
        for (Copy& copy : copies_)
            if (!copy.whole && copy.asked == wire::kNoNode && ask(copy)) ++sent;
    }
    return sent + answer_all();
}

/// One that cannot be answered yet holds up none behind it; a page that is half told is the first to go on.
unsigned PageCopies::answer_all() {
    unsigned sent = 0;
    for (std::size_t i = 0; i < requests_.size();) {
        const Request request = requests_[i];
        const Answer answer = answer_to(request);
        const bool later = answer == Answer::kLater || (answer == Answer::kPage && !tell(request)) ||
                           (answer == Answer::kNone && !send_step(request, PageStep::kNone));
        if (later && told_ != 0) {
            std::swap(requests_[0], requests_[i]);
            return sent;
        }
        if (later) {
            ++i;
            continue;
        }
        told_ = 0;
        requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(i));
        sent += answer == Answer::kNever ? 0 : 1;
    }
    return sent;
}

PageCopies::Answer PageCopies::answer_to(const Request& request) {
    if (endpoint_.state(request.from) == noniso::PeerState::kDead) return Answer::kNever;
    const std::uint64_t joined = host(request.from).joined;
    // It has been told already that it joins, and this host will be.
    if (joined != request.pulse) return request.pulse < joined ? Answer::kNever : Answer::kLater;
    if (!has_joined_ || joined_ != request.pulse) return Answer::kPage;
    const Copy& copy = copies_[page(request.page).local];
    if (copy.whole) return Answer::kPage;
    // Who is first is not told so: it asks this host.
    const NodeId next = copy.asked != wire::kNoNode ? copy.asked : source(copy);
    return next == request.from && next < here_ ? Answer::kNone : Answer::kLater;
}

/// False while not all of it has gone.
bool PageCopies::tell(const Request& request) {
    const std::span<const std::uint32_t> words = store_.words_of(page(request.page));
    if (told_ == 0) {
        open_.clear();
        store_.add_open(request.page, open_);
    }
    if (told_ < words.size() && !tell_words(request, PageStep::kWords, words)) return false;
    if (told_ < words.size() + open_.size() && !tell_words(request, PageStep::kOpen, open_)) return false;
    if (!send_step(request, PageStep::kWhole)) return false;
    counters_.told.add();
    return true;
}

/// One without words.
bool PageCopies::send_step(const Request& request, PageStep step) {
    const noniso::SendBuffer room = endpoint_.buffer(request.from, wire::page_message_size(0));
    if (!room) return false;
    wire::encode_page_message(room.data, {.step = step, .pulse = request.pulse, .page = request.page});
    endpoint_.send(room);
    return true;
}

bool PageCopies::tell_words(const Request& request, PageStep step, std::span<const std::uint32_t> words) {
    const std::uint32_t before = step == PageStep::kWords ? 0 : pages_.extent().page_words;
    while (told_ - before < words.size()) {
        const std::size_t most = endpoint_.max_message(request.from);
        if (most < wire::page_message_size(1)) return false;
        const std::uint32_t offset = told_ - before;
        const std::size_t n = std::min(words.size() - offset, (most - wire::page_message_size(0)) / 4);
        const noniso::SendBuffer room = endpoint_.buffer(request.from, wire::page_message_size(n));
        if (!room) return false;
        wire::encode_page_message(room.data, {.step = step,
                                              .words = static_cast<std::uint16_t>(n),
                                              .pulse = request.pulse,
                                              .page = request.page,
                                              .offset = offset});
        std::byte* at = room.data.data() + wire::page_layout::kSize;
        for (const std::uint32_t word : words.subspan(offset, n)) {
            wire::Field<std::uint32_t, 0>::put(at, word);
            at += 4;
        }
        endpoint_.send(room);
        told_ += static_cast<std::uint32_t>(n);
    }
    return true;
}

void PageCopies::take(NodeId from, std::span<const std::byte> bytes) {
    const auto message = wire::decode_page_message(bytes);
    const bool here = message && message->page < pages_.extent().pages && page(message->page).is_here();
    if (!here) return counters_.malformed.add();
    if (message->step != PageStep::kAsk)
        return take_part(from, *message, bytes.subspan(wire::page_layout::kSize));
    note({from, message->pulse, message->page});
}

/// What a host asks for again takes the place of what it has asked: so nobody can ask for more than there is.
void PageCopies::note(const Request& request) {
    const auto before = std::ranges::find_if(requests_, [&](const Request& other) {
        return other.from == request.from && other.page == request.page;
    });
    if (before == requests_.end()) return requests_.push_back(request);
    if (before == requests_.begin()) told_ = 0;
    *before = request;
}

/// What another tells that was asked before it left counts no more.
void PageCopies::take_part(NodeId from, const wire::PageMessage& message, std::span<const std::byte> words) {
    if (!has_joined_ || message.pulse != joined_) return;
    Copy& copy = copies_[page(message.page).local];
    if (copy.asked != from || copy.whole) return;
    const std::span<std::uint32_t> all = store_.words_of(page(message.page));
    const auto word = [&](std::size_t i) { return wire::Field<std::uint32_t, 0>::get(words.data() + 4 * i); };
    switch (message.step) {
        case PageStep::kWords:
            if (message.offset != copy.words || message.words > all.size() - copy.words)
                return counters_.malformed.add();
            for (std::size_t i = 0; i < message.words; ++i)
                all[copy.words++] = word(i);
            return;
        case PageStep::kOpen:
            if (message.offset != copy.open.size() || message.words > kMostOpen - copy.open.size())
                return counters_.malformed.add();
            for (std::size_t i = 0; i < message.words; ++i)
                copy.open.push_back(word(i));
            return;
        case PageStep::kWhole:
            return take_whole(copy);
        case PageStep::kNone:
            copy.lacking_to = from;
            copy.asked = wire::kNoNode;
            return;
        case PageStep::kAsk:
            return;
    }
}

void PageCopies::take_whole(Copy& copy) {
    if (copy.words != pages_.extent().page_words || !store_.take_open(copy.page, copy.open))
        return counters_.malformed.add();
    copy.whole = true;
    copy.open = {};
    --lacking_;
    counters_.taken.add();
}

}  // namespace isoplane::shmem
