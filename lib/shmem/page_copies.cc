// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/shmem/page_copies.hh>

#include <algorithm>

namespace isoplane::shmem {

using wire::PageStep;

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
    for (std::uint32_t number = 0; number < pages_.extent().pages; ++number)
        if (page(number).is_here()) copies_.push_back({.page = number});
    std::ranges::sort(copies_, {}, [this](const Copy& copy) { return page(copy.page).local; });
    lacking_ = copies_.size();
}

/// The nearest that holds it; those that join with this host have nothing yet.
NodeId PageCopies::holder(const Copy& copy) {
    for (const NodeId node : page(copy.page).others)
        if (!host(node).left && !host(node).gone && host(node).joined != joined_) return node;
    return wire::kNoNode;
}

/// Nobody is told in logical time that one who was asked has left, since time stands still until it has told.
/// If it comes again it is in another life, and has nothing.
void PageCopies::ask_no_more_who_is_gone() {
    for (Copy& copy : copies_) {
        if (copy.whole || copy.asked == wire::kNoNode) continue;
        Host& asked = host(copy.asked);
        asked.gone |= endpoint_.state(copy.asked) == noniso::PeerState::kDead ||
                      endpoint_.epoch(copy.asked) != asked.epoch;
        if (asked.gone) copy.asked = wire::kNoNode;
    }
}

/// Who had the page is gone since this host joined, and another that joined with it may have been told it.
bool PageCopies::may_be_elsewhere(const Copy& copy) {
    const auto& others = page(copy.page).others;
    return std::ranges::any_of(others, [this](NodeId node) { return host(node).gone; }) &&
           std::ranges::any_of(others, [this](NodeId node) {
               return !host(node).left && !host(node).gone && host(node).joined == joined_;
           });
}

bool PageCopies::ask(Copy& copy) {
    const NodeId node = holder(copy);
    if (node == wire::kNoNode) {
        if (may_be_elsewhere(copy)) return false;
        counters_.fresh.add();
        copy.whole = true;
        --lacking_;
        return true;
    }
    const noniso::SendBuffer room = endpoint_.buffer(node, wire::page_message_size(0));
    if (!room) return false;
    wire::encode_page_message(room.data, {.step = PageStep::kAsk, .pulse = joined_, .page = copy.page});
    endpoint_.send(room);
    if (host(node).epoch == 0) host(node).epoch = endpoint_.epoch(node);
    copy.asked = node;
    copy.words = 0;
    copy.open.clear();
    return true;
}

unsigned PageCopies::send() {
    unsigned sent = 0;
    if (has_joined_ && lacking_ != 0) {
        ask_no_more_who_is_gone();
        for (Copy& copy : copies_)
            if (!copy.whole && copy.asked == wire::kNoNode && ask(copy)) ++sent;
    }
    while (!requests_.empty()) {
        const Request request = requests_.front();
        if (host(request.from).joined != request.pulse) {
            // It has been told already that it joins, and this host will be.
            if (request.pulse < host(request.from).joined) {
                requests_.erase(requests_.begin());
                continue;
            }
            break;
        }
        if (!tell(request)) break;
        requests_.erase(requests_.begin());
        told_ = 0;
        ++sent;
    }
    return sent;
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
    const noniso::SendBuffer room = endpoint_.buffer(request.from, wire::page_message_size(0));
    if (!room) return false;
    wire::encode_page_message(room.data,
                              {.step = PageStep::kWhole, .pulse = request.pulse, .page = request.page});
    endpoint_.send(room);
    counters_.told.add();
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
    requests_.push_back({from, message->pulse, message->page});
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
            for (std::size_t i = 0; i < message.words; ++i)
                copy.open.push_back(word(i));
            return;
        case PageStep::kWhole:
            return take_whole(copy);
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
