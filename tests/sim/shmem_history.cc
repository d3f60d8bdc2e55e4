// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "shmem_history.hh"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

namespace isoplane::test {

namespace {

using shmem::Address;
using wire::AccessCode;

struct Value;
using ValueRef = std::shared_ptr<Value>;

/// What a word holds: a number, or that which it will be when what it was made of is known. Nothing here
/// waits as the Store does; all is known in the end.
struct Value {
    bool known = false;
    std::uint32_t number = 0;
    const Step* change = nullptr;  ///< that makes it...
    std::uint32_t word = 0;        ///< ...this word of it...
    std::vector<ValueRef> of{};    ///< ...of these
};

ValueRef number(std::uint32_t value) {
    return std::make_shared<Value>(Value{.known = true, .number = value});
}

std::uint64_t joined(const Words& words) {
    return words.size() == 1 ? words[0] : std::uint64_t{words[0]} << 32 | words[1];
}

std::uint32_t changed(const Step& step, const Words& old, std::uint32_t word) {
    std::uint64_t result = joined(step.values);
    if (step.code == AccessCode::kAdd) result += joined(old);
    if (step.code == AccessCode::kCompareSwap && old != step.expected) result = joined(old);
    return static_cast<std::uint32_t>(old.size() == 2 && word == 0 ? result >> 32 : result);
}

/// Chains may be long, but what a chain begins with was made before it.
bool resolve(Value& value) {
    if (value.known || value.change == nullptr) return value.known;
    Words old;
    for (const ValueRef& part : value.of) {
        if (!resolve(*part)) return false;
        old.push_back(part->number);
    }
    value.number = changed(*value.change, old, value.word);
    value.known = true;
    value.of.clear();
    return true;
}

class Replay {
  public:
    explicit Replay(std::size_t words) {
        for (std::size_t i = 0; i < words; ++i)
            memory_.push_back(number(0));
    }

    void execute(const Step& step) {
        switch (step.code) {
            case AccessCode::kRead:
                reads_.emplace_back(&step, now(step));
                break;
            case AccessCode::kWrite:
                for (std::uint32_t i = 0; i < step.words; ++i)
                    memory_[step.at + i] = number(step.values[i]);
                break;
            case AccessCode::kSched:
                for (std::uint32_t i = 0; i < step.words; ++i)
                    open_[key(step, i)] = memory_[step.at + i] = std::make_shared<Value>();
                break;
            case AccessCode::kAssign:
                for (std::uint32_t i = 0; i < step.words; ++i)
                    assign(key(step, i), step.values[i]);
                break;
            case AccessCode::kAdd:
            case AccessCode::kSwap:
            case AccessCode::kCompareSwap: {
                const std::vector<ValueRef> old = now(step);
                reads_.emplace_back(&step, old);
                for (std::uint32_t i = 0; i < step.words; ++i)
                    memory_[step.at + i] =
                        std::make_shared<Value>(Value{.change = &step, .word = i, .of = old});
                break;
            }
        }
    }

    std::string compare() {
        for (const auto& [step, values] : reads_) {
            for (std::uint32_t i = 0; i < step->words; ++i) {
                const std::string what = "word " + std::to_string(step->at + i);
                if (!resolve(*values[i])) return "nobody has assigned " + what + ", but it was read";
                if (step->result[i] != values[i]->number)
                    return what + " was " + std::to_string(values[i]->number) + ", but was read as " +
                           std::to_string(step->result[i]);
            }
        }
        return {};
    }

    Words words() {
        Words all;
        for (const ValueRef& value : memory_)
            all.push_back(resolve(*value) ? value->number : 0);
        return all;
    }

  private:
    using Key = std::tuple<Address, std::uint16_t, std::uint32_t>;

    static Key key(const Step& step, std::uint32_t word) {
        return {step.at + word, step.scheduled.host, step.scheduled.number};
    }
    std::vector<ValueRef> now(const Step& step) {
        return {memory_.begin() + step.at, memory_.begin() + step.at + step.words};
    }
    /// Only the first one counts.
    void assign(const Key& key, std::uint32_t value) {
        const auto found = open_.find(key);
        if (found == open_.end()) return;
        found->second->known = true;
        found->second->number = value;
        open_.erase(found);
    }

    std::vector<ValueRef> memory_;
    std::map<Key, ValueRef> open_;
    std::vector<std::pair<const Step*, std::vector<ValueRef>>> reads_;
};

}  // namespace

std::string replay(const ShmemHistory& history, std::size_t words, Words& memory) {
    struct Entry {
        const Record* record;
        std::size_t host;
        auto when() const { return std::tie(record->time, record->after); }
    };
    std::vector<Entry> all;
    for (std::size_t host = 0; host < history.size(); ++host) {
        for (const Record& record : history[host]) {
            if (!all.empty() && all.back().host == host &&
                !(all.back().when() < std::tie(record.time, record.after)))
                return "host " + std::to_string(host) + " executed isochrons out of the order of issue";
            all.push_back({&record, host});
        }
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Entry& a, const Entry& b) { return a.when() < b.when(); });
    Replay replay(words);
    for (const Entry& entry : all) {
        for (const Step& step : entry.record->steps)
            replay.execute(step);
    }
    std::string wrong = replay.compare();
    memory = replay.words();
    return wrong;
}

}  // namespace isoplane::test
