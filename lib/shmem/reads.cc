// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/shmem/reads.hh>

#include <algorithm>

namespace isoplane::shmem {

Reads::Ticket Reads::open(std::uint32_t words) {
    if (free_.empty()) {
        if (places_.size() == kMost) return 0;
        places_.emplace_back();
        free_.push_back(static_cast<Ticket>(places_.size()));
    }
    const Ticket ticket = free_.back();
    free_.pop_back();
    Place& place = places_[ticket - 1];
    place.words = place.lacking = words;
    place.wanted = true;
    place.stage = Stage::kOpen;
    place.asked = wire::kNoNode;
    place.asked_too.clear();
    if (words > place.few.size()) {
        place.more.resize(words);
    } else {
        place.more.clear();
    }
    ++outstanding_;
    return ticket;
}

bool Reads::fill(const wire::Answer& answer) noexcept {
    const Ticket ticket = ticket_of(answer.ticket);
    if (answer.ticket != name(ticket)) return true;
    if (ticket == 0 || ticket > places_.size()) return false;
    Place& place = places_[ticket - 1];
    if (place.lost) return true;
    if (place.stage != Stage::kIssued) return false;
    if (answer.words == 0) {
        if (place.lacking == 0) return false;
        lose_words(place);
        return true;
    }
    const std::size_t end = std::size_t{answer.offset} + answer.words;
    if (end > place.words || answer.words > place.lacking) return false;
    std::uint32_t* const to = place.more.empty() ? place.few.data() : place.more.data();
    std::copy_n(answer.values.begin(), answer.words, to + answer.offset);
    place.lacking -= answer.words;
    if (place.lacking != 0) return true;
    --outstanding_;
    if (!place.wanted) free(ticket);
    return true;
}

void Reads::lose(NodeId host) noexcept {
    for (Place& place : places_) {
        if (place.lacking == 0 || place.stage == Stage::kCancelled) continue;
        if (place.asked == host || std::ranges::find(place.asked_too, host) != place.asked_too.end())
            lose_words(place);
    }
}

/// Other words may still come, so it cannot be another's place.
void Reads::lose_words(Place& place) noexcept {
    place.lost = true;
    place.lacking = 0;
    --outstanding_;
}

void Reads::drop(Ticket ticket) noexcept {
    Place& place = places_[ticket - 1];
    place.wanted = false;
    if (place.lacking == 0 || place.stage == Stage::kCancelled) free(ticket);
}

void Reads::cancel(Ticket ticket) noexcept {
    Place& place = places_[ticket - 1];
    place.stage = Stage::kCancelled;
    if (place.lost) return;
    --outstanding_;
    if (!place.wanted) free(ticket);
}

void Reads::free(Ticket ticket) noexcept {
    if (places_[ticket - 1].lost) return;
    places_[ticket - 1].words = 0;
    free_.push_back(ticket);
}

}  // namespace isoplane::shmem
