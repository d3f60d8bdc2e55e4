// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "shmem_program.hh"

#include <cstring>
#include <utility>

namespace isoplane::test {

using shmem::Scheduled;
using shmem::Variable;
using wire::AccessCode;

namespace {

template <typename T>
Words words_of(const T& value) {
    const auto words = shmem::to_words(value);
    return {words.begin(), words.end()};
}

}  // namespace

ShmemProgram::ShmemProgram(shmem::Memory& memory, std::uint16_t host, std::uint16_t hosts, std::uint64_t seed,
                           unsigned isochrons, std::vector<Record>& records)
    : memory_(memory),
      hosts_(hosts),
      random_(seed, 3000 + host),
      records_(records),
      to_issue_(isochrons),
      isochron_(memory) {}

unsigned ShmemProgram::poll() {
    return execute() + receive() + take_values() + issue();
}

/// Step by step, for the times; and often not all that there is, so that local isochrons come at any time.
unsigned ShmemProgram::execute() {
    const bool all = random_.below(8) == 0;
    unsigned done = 0;
    for (std::uint64_t n = random_.below(4); (all || done < n) && memory_.step(); ++done)
        note_times();
    return all ? done + memory_.poll() : done;
}

/// What was executed since the last look, in the order of issue.
void ShmemProgram::note_times() {
    if (memory_.now() != now_) {
        now_ = memory_.now();
        after_ = 0;
    }
    for (; noted_ < memory_.executed(); ++noted_) {
        records_[noted_].time = now_;
        records_[noted_].after = after_++;
    }
}

unsigned ShmemProgram::receive() {
    if (!memory_.waiting() || random_.below(3) == 0) return 0;
    isotach::Delivery message;
    memory_.receive(message);
    note_times();
    Scheduled scheduled;
    std::memcpy(&scheduled, message.data.data(), sizeof scheduled);
    to_assign_.push_back(scheduled);
    memory_.release(message);
    ++received_;
    return 1;
}

unsigned ShmemProgram::take_values() {
    const auto is_ready = [this](Read& read) {
        return std::visit(
            [&](auto& future) {
                if (!future.ready()) return false;
                Words& result = records_[read.record].steps[read.step].result;
                if constexpr (requires { future.value(); }) {
                    result = words_of(future.value());
                } else {
                    result.assign(future.words().begin(), future.words().end());
                }
                return true;
            },
            read.future);
    };
    const std::size_t before = reads_.size();
    // Those of an isochron that has not been issued are of a record that is not there.
    std::erase_if(reads_, [&](Read& read) { return read.record < records_.size() && is_ready(read); });
    return static_cast<unsigned>(before - reads_.size());
}

unsigned ShmemProgram::issue() {
    unsigned issued = 0;
    for (std::uint64_t tries = random_.below(4); tries > 0; --tries) {
        if (isochron_.empty()) {
            if (to_issue_ == 0 && to_assign_.empty()) break;
            build();
        }
        if (isochron_.empty() || !memory_.issue(isochron_)) break;
        records_.push_back(std::exchange(record_, {}));
        note_times();
        ++issued;
    }
    return issued;
}

void ShmemProgram::build() {
    if (to_issue_ == 0) {
        while (!to_assign_.empty())
            add_assign();
        return;
    }
    --to_issue_;
    stays_home_ = random_.below(4) == 0;
    for (std::uint64_t n = 1 + random_.below(5); n > 0; --n)
        add();
}

Step& ShmemProgram::step(AccessCode code, shmem::Address at, std::uint32_t words) {
    ++accesses_;
    return record_.steps.emplace_back(Step{.code = code, .at = at, .words = words});
}

template <typename T>
T ShmemProgram::some_value() {
    // Few, so that a comparison finds what it expects now and then.
    return random_.below(2) == 0 ? static_cast<T>(random_.below(3)) : static_cast<T>(random_.next());
}

/// For an isochron that stays at home, one of those that only this host has, if there are any.
shmem::Address ShmemProgram::some_page() {
    for (unsigned tries = 0;; ++tries) {
        const auto at = static_cast<shmem::Address>(random_.below(kExtent.pages) * kExtent.page_words);
        const shmem::Pages::Page& page = memory_.pages().page(at);
        if (!stays_home_ || (page.is_here() && page.others.empty()) || tries == 20) return at;
    }
}

void ShmemProgram::add() {
    const shmem::Address page = some_page();
    if (!stays_home_ && random_.below(8) == 0) return add_block();
    if (!to_assign_.empty() && random_.below(2) == 0) return add_assign();
    if (random_.below(2) == 0) {
        add_to(Variable<std::uint32_t>{page + static_cast<shmem::Address>(random_.below(kNarrow))});
    } else {
        const std::uint64_t pairs = (kExtent.page_words - kNarrow) / 2;
        add_to(
            Variable<std::uint64_t>{page + kNarrow + 2 * static_cast<shmem::Address>(random_.below(pairs))});
    }
}

template <typename T>
void ShmemProgram::add_to(Variable<T> variable) {
    constexpr std::uint32_t kWords = Variable<T>::kWords;
    const T value = some_value<T>();
    switch (random_.below(8)) {
        case 0:
            isochron_.write(variable, value);
            step(AccessCode::kWrite, variable.at, kWords).values = words_of(value);
            break;
        case 1:
            sched(variable);
            break;
        case 2:
            step(AccessCode::kAdd, variable.at, kWords).values = words_of(value);
            expect_value(isochron_.fetch_add(variable, value));
            break;
        case 3:
            step(AccessCode::kSwap, variable.at, kWords).values = words_of(value);
            expect_value(isochron_.swap(variable, value));
            break;
        case 4: {
            const T expected = some_value<T>();
            Step& made = step(AccessCode::kCompareSwap, variable.at, kWords);
            made.values = words_of(value);
            made.expected = words_of(expected);
            expect_value(isochron_.compare_swap(variable, expected, value));
            break;
        }
        default:
            step(AccessCode::kRead, variable.at, kWords);
            expect_value(isochron_.read(variable));
    }
}

void ShmemProgram::expect_value(AnyRead future) {
    reads_.push_back({records_.size(), record_.steps.size() - 1, std::move(future)});
}

/// Sometimes for another host to assign.
template <typename T>
void ShmemProgram::sched(Variable<T> variable) {
    Scheduled scheduled;
    try {
        scheduled = isochron_.sched(variable);
    } catch (const shmem::Misuse&) {
        return;  // it has one there
    }
    step(AccessCode::kSched, variable.at, Variable<T>::kWords).scheduled = scheduled;
    if (random_.below(3) != 0) return to_assign_.push_back(scheduled);
    memory_.give_away(scheduled);
    isochron_.message(static_cast<niu::NodeId>(random_.below(hosts_)),
                      std::as_bytes(std::span(&scheduled, 1)));
    ++sent_;
}

void ShmemProgram::add_assign() {
    const std::size_t which = random_.below(to_assign_.size());
    const Scheduled scheduled = to_assign_[which];
    to_assign_.erase(to_assign_.begin() + static_cast<std::ptrdiff_t>(which));
    Step& made = step(AccessCode::kAssign, scheduled.at, scheduled.words);
    made.scheduled = scheduled;
    const auto value = some_value<std::uint64_t>();
    if (scheduled.words == 2) {
        made.values = words_of(value);
        isochron_.assign(scheduled, value);
    } else {
        made.values = words_of(static_cast<std::uint32_t>(value));
        isochron_.assign(scheduled, static_cast<std::uint32_t>(value));
    }
}

void ShmemProgram::add_block() {
    constexpr std::uint32_t kAll = kExtent.pages * kExtent.page_words;
    const auto at = static_cast<shmem::Address>(random_.below(kAll));
    const auto words = static_cast<std::uint32_t>(1 + random_.below(std::min(kAll - at, 20U)));
    if (random_.below(2) == 0) {
        step(AccessCode::kRead, at, words);
        return expect_value(isochron_.read(shmem::Block{at, words}));
    }
    Words values;
    for (std::uint32_t i = 0; i < words; ++i)
        values.push_back(some_value<std::uint32_t>());
    isochron_.write(shmem::Block{at, words}, values);
    step(AccessCode::kWrite, at, words).values = values;
}

}  // namespace isoplane::test
