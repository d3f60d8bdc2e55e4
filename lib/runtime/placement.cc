// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <charconv>
#include <isoplane/runtime/placement.hh>
#include <stdexcept>

namespace isoplane::runtime {

namespace {

std::string_view kind_of(std::string_view stage) {
    return stage.substr(0, stage.find_last_not_of("0123456789") + 1);
}

}  // namespace

Placement::Placement(std::string_view text) {
    constexpr std::string_view kBlank = " ,\t";
    while (true) {
        const auto begin = text.find_first_not_of(kBlank);
        if (begin == std::string_view::npos) return;
        text.remove_prefix(begin);
        const std::string_view word = text.substr(0, text.find_first_of(kBlank));
        text.remove_prefix(word.size());

        const auto at = word.find('@');
        unsigned worker = 0;
        const char* const end = word.data() + word.size();
        const auto parsed = at == std::string_view::npos
                                ? std::from_chars_result{end, std::errc::invalid_argument}
                                : std::from_chars(word.data() + at + 1, end, worker);
        if (at == 0 || parsed.ec != std::errc{} || parsed.ptr != end || worker == 0) {
            throw std::invalid_argument(
                "'" + std::string(word) +
                "' does not place a stage: write stage@worker, workers count from 1, as "
                "in \"rx@1 fabric@2\"");
        }
        wishes_.push_back({std::string(word.substr(0, at)), worker});
    }
}

unsigned Placement::find(std::string_view stage) const {
    const auto named = [&](std::string_view name) {
        return std::find_if(wishes_.begin(), wishes_.end(), [&](const Wish& w) { return w.name == name; });
    };
    if (const auto exact = named(stage); exact != wishes_.end()) return exact->worker;
    if (const auto kind = named(kind_of(stage)); kind != wishes_.end()) return kind->worker;
    return 0;
}

unsigned Placement::highest() const {
    unsigned highest = 0;
    for (const Wish& wish : wishes_)
        highest = std::max(highest, wish.worker);
    return highest;
}

std::vector<unsigned> Placement::assign(const std::vector<std::string>& stages, unsigned workers) const {
    for (const Wish& wish : wishes_) {
        const bool fits = std::any_of(stages.begin(), stages.end(), [&](const std::string& stage) {
            return stage == wish.name || kind_of(stage) == wish.name;
        });
        if (!fits) {
            std::string known;
            for (const std::string& stage : stages)
                known += " " + stage;
            throw std::invalid_argument("no stage '" + wish.name + "' to place: this node has" + known);
        }
        if (wish.worker > workers) {
            throw std::invalid_argument("'" + wish.name + "@" + std::to_string(wish.worker) +
                                        "' asks for a worker above " + std::to_string(workers) +
                                        ": give more with --workers or --cpus");
        }
    }
    std::vector<unsigned> places;
    unsigned next = 0;
    for (const std::string& stage : stages) {
        const unsigned wished = find(stage);
        places.push_back(wished != 0 ? wished : next++ % workers + 1);
    }
    return places;
}

}  // namespace isoplane::runtime
