// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/shmem/store.hh>

#include <algorithm>

namespace isoplane::shmem {

namespace {

using wire::Access;
using wire::AccessCode;

/// What a changing access leaves where there was `old`.
void compute(AccessCode code, unsigned words, const std::uint32_t* operands, const std::uint32_t* old,
             std::uint32_t* result) {
    switch (code) {
        case AccessCode::kAdd: {
            if (words == 1) {
                result[0] = old[0] + operands[0];
                return;
            }
            const auto sum = to_words(from_words<std::uint64_t>(old) + from_words<std::uint64_t>(operands));
            std::copy(sum.begin(), sum.end(), result);
            return;
        }
        case AccessCode::kCompareSwap:
            std::copy_n(std::equal(old, old + words, operands) ? operands + words : old, words, result);
            return;
        default:
            std::copy_n(operands, words, result);
    }
}

std::array<std::uint32_t, 4> operands_of(const Access& access) {
    std::array<std::uint32_t, 4> operands{};
    for (std::size_t i = 0; i < wire::operand_words(access.code, access.words); ++i)
        operands[i] = access.operand(i);
    return operands;
}

}  // namespace

Store::Store(const Pages& pages, bool never_blocks)
    : pages_(pages),
      never_blocks_(never_blocks),
      words_(std::size_t{pages.local_pages()} * pages.extent().page_words) {}

bool Store::any_pending(Address at, unsigned words) const noexcept {
    if (current_.empty() || never_blocks_) return false;
    for (unsigned i = 0; i < words; ++i) {
        if (current_.contains(at + i)) return true;
    }
    return false;
}

inline void Store::write(const Access& access, std::uint32_t* words) noexcept {
    words[0] = access.operand(0);
    for (std::uint16_t i = 1; i < access.words; ++i)
        words[i] = access.operand(i);
    if (current_.empty()) [[likely]]
        return;
    for (std::uint16_t i = 0; i < access.words; ++i)
        current_.erase(access.address + i);
}

inline void Store::read(NodeId issuer, const Access& access, const std::uint32_t* words) {
    if (any_pending(access.address, access.words)) return block(issuer, access);
    answer(issuer, access.ticket, static_cast<std::uint16_t>(access.operand(0)), access.words, words);
}

void Store::change(NodeId issuer, const Access& access, std::uint32_t* words) {
    if (any_pending(access.address, access.words)) return block(issuer, access);
    answer(issuer, access.ticket, 0, access.words, words);
    const auto operands = operands_of(access);
    std::array<std::uint32_t, 2> result{};
    compute(access.code, access.words, operands.data(), words, result.data());
    std::copy_n(result.begin(), access.words, words);
}

void Store::execute(NodeId issuer, const Access& access) {
    std::uint32_t* const words = words_of(access);
    if (words == nullptr) [[unlikely]]
        return counters_.misplaced.add();
    counters_.accesses.add();
    switch (access.code) {
        case AccessCode::kRead:
            return read(issuer, access, words);
        case AccessCode::kWrite:
            return write(access, words);
        case AccessCode::kSched:
            return schedule(access.address, access.words, scheduled_by(issuer, access.operand(0)));
        case AccessCode::kAssign:
            return assign(access);
        case AccessCode::kAdd:
        case AccessCode::kSwap:
        case AccessCode::kCompareSwap:
            return change(issuer, access, words);
    }
}

void Store::block(NodeId issuer, const Access& access) {
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(table_.size()));
        table_.emplace_back();
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    Blocked& blocked = table_[number];
    blocked.begin(issuer, access);
    for (std::uint16_t i = 0; i < access.words; ++i) {
        const Version* version = current_.find(access.address + i);
        if (version == nullptr) {
            blocked.old[i] = words_[index(access.address + i)];
            continue;
        }
        wait_for({access.address + i, *version}, number, i);
        ++blocked.lacking;
    }
    ++blocked_;
    counters_.blocked.add();
    if (access.code == AccessCode::kRead) {
        blocked.offset = static_cast<std::uint16_t>(access.operand(0));
        return;
    }
    blocked.operands = operands_of(access);
    blocked.makes = next_computed_++;
    schedule(access.address, access.words, blocked.makes);
}

void Store::schedule(Address at, unsigned words, Version version) {
    for (unsigned i = 0; i < words; ++i) {
        current_[at + i] = version;
        open_[{at + i, version}];
    }
}

void Store::assign(const Access& access) {
    const Version version =
        scheduled_by(static_cast<NodeId>(access.operand(0)), access.operand(1)) & ~kComputed;
    const std::size_t values = wire::values_at(access.code);
    if (access.words == 2 && !open_.contains({access.address + 1, version})) {
        // Of 64 bits, for a SCHED that knew of 32: the lower half goes with the higher.
        settle({{access.address, version}, access.operand(values), access.operand(values + 1)});
    } else {
        for (std::uint16_t i = 0; i < access.words; ++i)
            settle({{access.address + i, version}, access.operand(values + i)});
    }
    settle_all();
}

void Store::wait_for(const Key& key, std::uint32_t blocked, std::uint16_t word) {
    if (free_waiter_ == 0) {
        waiters_.emplace_back();
        free_waiter_ = static_cast<std::uint32_t>(waiters_.size());
    }
    const std::uint32_t number = free_waiter_;
    Waiter& waiter = waiters_[number - 1];
    free_waiter_ = waiter.next;
    std::uint32_t& first = open_[key];
    waiter.blocked = blocked;
    waiter.word = word;
    waiter.next = first;
    first = number;
}

/// A version has got its value, or will never have one. It is nobody's any more when it had one already.
void Store::settle(const Settled& now) {
    const std::uint32_t* const open = open_.find(now.key);
    if (open == nullptr) {
        if (!now.lost) counters_.dropped.add();
        return;
    }
    std::uint32_t next = *open;
    open_.erase(now.key);
    const Version* current = current_.find(now.key.at);
    if (current != nullptr && *current == now.key.version) {
        if (!now.lost) words_[index(now.key.at)] = now.value;
        current_.erase(now.key.at);
        if (now.lower) {
            words_[index(now.key.at + 1)] = *now.lower;
            current_.erase(now.key.at + 1);
        }
    }
    while (next != 0) {
        Waiter& place = waiters_[next - 1];
        const Waiter waiter = place;
        place.next = std::exchange(free_waiter_, next);
        next = waiter.next;
        Blocked& blocked = table_[waiter.blocked];
        blocked.old[waiter.word] = now.value;
        blocked.lost |= now.lost;
        if (now.lower && waiter.word + 1U < blocked.words) blocked.old[waiter.word + 1U] = *now.lower;
        if (--blocked.lacking != 0) continue;
        unblock(blocked);
        free_.push_back(waiter.blocked);
        --blocked_;
    }
}

/// What becomes known lets more become known: in a list, since chains may be long.
void Store::settle_all() {
    while (!settled_.empty()) {
        const Settled now = settled_.back();
        settled_.pop_back();
        settle(now);
    }
}

void Store::lose(NodeId host) {
    for (Blocked& blocked : table_)
        if (blocked.to == host) blocked.ticket = 0;
    open_.for_each([&](const Key& key, std::uint32_t) {
        if ((key.version & kComputed) == 0 && key.version >> 32 == host)
            settled_.push_back({.key = key, .value = 0, .lost = true});
    });
    settle_all();
}

/// What cannot be computed changes nothing.
void Store::unblock(Blocked& blocked) {
    if (blocked.lost) {
        answer(blocked.to, blocked.ticket, blocked.offset, 0, nullptr);
        for (std::uint16_t i = 0; blocked.code != AccessCode::kRead && i < blocked.words; ++i)
            settled_.push_back({.key = {blocked.at + i, blocked.makes}, .value = 0, .lost = true});
        return;
    }
    answer(blocked.to, blocked.ticket, blocked.offset, blocked.words, blocked.old.data());
    if (blocked.code == AccessCode::kRead) return;
    std::array<std::uint32_t, 2> result{};
    compute(blocked.code, blocked.words, blocked.operands.data(), blocked.old.data(), result.data());
    for (std::uint16_t i = 0; i < blocked.words; ++i)
        settled_.push_back({{blocked.at + i, blocked.makes}, result[i]});
}

void Store::answer(NodeId to, std::uint32_t ticket, std::uint16_t offset, unsigned words,
                   const std::uint32_t* values) {
    if (ticket == 0) return;
    if (answered_ == answers_.size()) answers_.emplace_back();
    Answer& next = answers_[answered_++];
    next.ticket = ticket;
    next.offset = offset;
    next.words = static_cast<std::uint16_t>(words);
    for (unsigned i = 0; i < words; ++i)
        next.values[i] = values[i];
    next.to = to;
}

}  // namespace isoplane::shmem
