// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "shmem_mortal_program.hh"

#include <algorithm>
#include <cstring>

namespace isoplane::test {

using isotach::DeliveryKind;
using shmem::Scheduled;
using shmem::Variable;

MortalProgram::MortalProgram(shmem::Memory& memory, std::uint16_t hosts, std::uint64_t seed,
                             unsigned isochrons, ShmemLife& life)
    : memory_(memory),
      hosts_(hosts),
      random_(seed, 5000 + life.epoch),
      life_(life),
      to_issue_(isochrons),
      isochron_(memory) {}

/// Often it does not do all that there is to do, so that everything is at any stage when somebody dies.
unsigned MortalProgram::poll(bool issues) {
    unsigned done = 0;
    for (std::uint64_t n = random_.below(4); n > 0 && memory_.step(); --n)
        ++done;
    if (random_.below(3) == 0) done += memory_.poll();
    return done + receive() + take_values() + (issues ? issue() : 0);
}

unsigned MortalProgram::receive() {
    if (!memory_.waiting() || random_.below(3) == 0) return 0;
    isotach::Delivery delivery;
    if (!memory_.receive(delivery)) return 0;
    if (delivery.kind == DeliveryKind::kMessage) {
        take_message(delivery);
    } else {
        take_notice(delivery);
    }
    memory_.release(delivery);
    return 1;
}

void MortalProgram::take_message(const isotach::Delivery& delivery) {
    Message message;
    std::memcpy(&message, delivery.data.data(), sizeof message);
    ++life_.received[delivery.time.host];
    std::uint64_t& last = heard_[{delivery.time.host, message.epoch}];
    if (message.number <= last)
        life_.wrong = "message " + std::to_string(message.number) + " came after " + std::to_string(last);
    last = message.number;
    if (message.has_scheduled != 0) to_assign_.push_back(message.scheduled);
}

/// What the lost host was to assign is this host's again. The ASSIGN of one of them may have been executed:
/// then another is dropped.
void MortalProgram::take_notice(const isotach::Delivery& delivery) {
    const bool joined = delivery.kind == DeliveryKind::kJoined;
    life_.notices.push_back({delivery.channel, joined, delivery.isochron, delivery.time.pulse});
    if (joined) return;
    std::erase_if(given_, [&](const Given& given) {
        if (given.to != delivery.channel) return false;
        to_assign_.push_back(given.scheduled);
        return true;
    });
}

unsigned MortalProgram::take_values() {
    const auto is_ready = [this](Read& read) {
        // Of an isochron that has not been issued.
        if (read.look != kNoLook && read.look >= life_.looks.size()) return false;
        return std::visit(
            [&](auto& future) {
                if (!future.ready()) return false;
                if (future.lost()) {
                    ++life_.lost;
                } else if constexpr (requires { future.value(); }) {
                    if (read.look != kNoLook) life_.looks[read.look].seen = future.value();
                }
                return true;
            },
            read.future);
    };
    return static_cast<unsigned>(std::erase_if(reads_, is_ready));
}

unsigned MortalProgram::issue() {
    unsigned issued = 0;
    for (std::uint64_t tries = random_.below(3); tries > 0; --tries) {
        if (isochron_.empty()) {
            if (to_issue_ == 0 && !can_assign()) break;
            build();
        }
        if (isochron_.empty() || !memory_.issue(isochron_)) break;
        life_.looks.insert(life_.looks.end(), looks_.begin(), looks_.end());
        looks_.clear();
        for (const niu::NodeId to : sends_)
            ++life_.sent[to];
        sends_.clear();
        ++life_.issued;
        ++issued;
    }
    return issued;
}

void MortalProgram::build() {
    if (to_issue_ == 0) {
        while (can_assign())
            add_assign();
        return;
    }
    --to_issue_;
    for (std::uint64_t n = 1 + random_.below(5); n > 0; --n)
        add();
}

shmem::Address MortalProgram::some_page() {
    return static_cast<shmem::Address>(random_.below(kMortalExtent.pages) * kMortalExtent.page_words);
}

void MortalProgram::add() {
    const shmem::Address page = some_page();
    if (!is_mapped(page)) return;
    if (!to_assign_.empty() && random_.below(4) == 0) return add_assign();
    const bool adds = random_.below(4) != 0;
    switch (random_.below(8)) {
        case 0:
            return look(Variable<std::uint32_t>{page + kCounter}, adds);
        case 1:
            return look(Variable<std::uint64_t>{page + kWideCounter}, adds);
        case 2:
            return look_at_twins(page);
        case 3:
            return use_block(page);
        case 4: {
            const auto to = static_cast<niu::NodeId>(random_.below(hosts_));
            if (!memory_.pages().is_lost(to)) send(to, nullptr);
            return;
        }
        case 5:
            return use(
                Variable<std::uint64_t>{page + kAnyUse + 2 * static_cast<shmem::Address>(random_.below(2))});
        default:
            return use(
                Variable<std::uint32_t>{page + kAnyUse + 4 + static_cast<shmem::Address>(random_.below(4))});
    }
}

template <typename T>
void MortalProgram::look(Variable<T> counter, bool adds) {
    looks_.push_back({counter.at, adds});
    reads_.push_back({life_.looks.size() + looks_.size() - 1,
                      adds ? isochron_.fetch_add(counter, 1) : isochron_.read(counter)});
}

void MortalProgram::look_at_twins(shmem::Address page) {
    const std::uint32_t even = page / kMortalExtent.page_words & ~1U;
    const shmem::Address one = even * kMortalExtent.page_words + kTwin;
    const shmem::Address other = one + kMortalExtent.page_words;
    if (!is_mapped(one) || !is_mapped(other)) return;
    look(Variable<std::uint32_t>{one}, true);
    look(Variable<std::uint32_t>{other}, true);
}

template <typename T>
void MortalProgram::use(Variable<T> variable) {
    const auto value = static_cast<T>(random_.below(5));
    switch (random_.below(8)) {
        case 0:
            return isochron_.write(variable, value);
        case 1:
        case 2:
        case 3:
            return sched(variable);
        case 4:
            return reads_.push_back({kNoLook, isochron_.fetch_add(variable, value)});
        case 5:
            return reads_.push_back({kNoLook, isochron_.swap(variable, value)});
        case 6:
            return reads_.push_back(
                {kNoLook, isochron_.compare_swap(variable, static_cast<T>(random_.below(5)), value)});
        default:
            return reads_.push_back({kNoLook, isochron_.read(variable)});
    }
}

/// Sometimes for another host to assign.
template <typename T>
void MortalProgram::sched(Variable<T> variable) {
    if (memory_.is_scheduled(variable.at)) return;
    const Scheduled scheduled = isochron_.sched(variable);
    const auto to = static_cast<niu::NodeId>(random_.below(hosts_));
    if (random_.below(3) != 0 || to == memory_.here() || memory_.pages().is_lost(to))
        return to_assign_.push_back(scheduled);
    memory_.give_away(scheduled);
    given_.push_back({scheduled, to});
    send(to, &scheduled);
}

bool MortalProgram::can_assign() const {
    return std::ranges::any_of(to_assign_, [this](const Scheduled& s) { return is_mapped(s.at); });
}

/// Where no host holds a copy, it waits: one that comes back may execute the SCHED, if that goes late.
void MortalProgram::add_assign() {
    const auto chosen = to_assign_.begin() + static_cast<std::ptrdiff_t>(random_.below(to_assign_.size()));
    if (!is_mapped(chosen->at)) return;
    const Scheduled scheduled = *chosen;
    to_assign_.erase(chosen);
    const std::uint64_t value = random_.below(5);
    if (scheduled.words == 2) {
        isochron_.assign(scheduled, value);
    } else {
        isochron_.assign(scheduled, static_cast<std::uint32_t>(value));
    }
}

void MortalProgram::use_block(shmem::Address page) {
    const std::uint64_t room = kMortalExtent.page_words - kAnyUse;
    const auto from = static_cast<shmem::Address>(random_.below(room));
    const auto words = static_cast<std::uint32_t>(1 + random_.below(room - from));
    const shmem::Block block{page + kAnyUse + from, words};
    if (random_.below(2) == 0) return reads_.push_back({kNoLook, isochron_.read(block)});
    isochron_.write(block, std::vector<std::uint32_t>(words, static_cast<std::uint32_t>(random_.below(5))));
}

void MortalProgram::send(niu::NodeId to, const Scheduled* scheduled) {
    Message message{.epoch = life_.epoch, .number = ++messages_};
    if (scheduled != nullptr) {
        message.has_scheduled = 1;
        message.scheduled = *scheduled;
    }
    isochron_.message(to, std::as_bytes(std::span(&message, 1)));
    sends_.push_back(to);
}

}  // namespace isoplane::test
