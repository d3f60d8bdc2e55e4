// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/sim/world.hh>

namespace isoplane::sim {

namespace {

/// Frees what waits in a ring.
std::size_t empty(runtime::Input& input) {
    std::size_t frames = 0;
    runtime::Burst burst;
    while (const std::uint16_t n = input.receive(burst)) {
        rte_pktmbuf_free_bulk(burst.data(), n);
        frames += n;
    }
    return frames;
}

}  // namespace

World::World(std::uint64_t seed, runtime::Pool& pool, const Pace& pace)
    : pool_(pool), scheduler_(seed, pace), seed_(seed) {}

Link& World::connect(const std::string& name, const LinkModel& model) {
    const auto number = static_cast<std::uint32_t>(2 * links_.size());
    links_.push_back(std::make_unique<Link>(name, number, Ground{seed_, pool_, scheduler_, trace_}, model));
    Link& link = *links_.back();
    for (Channel* channel : {&link.a_to_b(), &link.b_to_a()})
        channels_[&channel->input()] = channel;
    return link;
}

void World::add_unit(std::vector<runtime::Stage*> stages) {
    const Scheduler::Unit number = scheduler_.add();
    Unit unit{std::move(stages), {}};
    for (const runtime::Stage* stage : unit.stages) {
        for (const runtime::Input* input : stage->inputs()) {
            const auto found = channels_.find(input);
            if (found == channels_.end()) continue;
            found->second->wakes(number);
            unit.arrivals.push_back(found->second);
        }
    }
    units_.push_back(std::move(unit));
}

/// One poll of one unit. Returns whether there was one within the limit.
bool World::step(Time limit) {
    const Scheduler::Unit number = scheduler_.next(limit);
    if (number == Scheduler::kNobody) return false;
    const Unit& unit = units_[number];
    const std::size_t n = unit.stages.size();
    const std::size_t first = n > 1 ? scheduler_.random().below(n) : 0;
    unsigned moved = 0;
    for (std::size_t i = 0; i < n; ++i)
        moved += unit.stages[(first + i) % n]->poll(now());
    scheduler_.polled(number, moved != 0, next_arrival(unit));
    return true;
}

runtime::Time World::next_arrival(const Unit& unit) noexcept {
    Time first = Time::max();
    for (const Channel* channel : unit.arrivals)
        first = std::min(first, channel->next_due());
    return first;
}

std::size_t World::drain(Duration limit) {
    for (const Unit& unit : units_) {
        for (runtime::Stage* stage : unit.stages)
            stage->set_quiet(true);
    }
    constexpr Duration kLook = std::chrono::microseconds{10};
    for (const Time last = now() + limit; now() < last && held() != 0;)
        run_for(std::min(kLook, last - now()));
    return discard();
}

/// Inputs are asked rather than links: so rings inside units count too.
std::size_t World::held() const {
    std::size_t frames = 0;
    for (const Unit& unit : units_) {
        for (const runtime::Stage* stage : unit.stages) {
            frames += stage->held();
            for (const runtime::Input* input : stage->inputs())
                frames += input->waiting();
        }
    }
    return frames;
}

std::size_t World::discard() {
    std::size_t frames = 0;
    for (const auto& link : links_)
        frames += link->a_to_b().discard() + link->b_to_a().discard();
    for (const Unit& unit : units_) {
        for (runtime::Stage* stage : unit.stages) {
            frames += stage->discard();
            for (runtime::Input* input : stage->inputs())
                frames += empty(*input);
        }
    }
    return frames;
}

}  // namespace isoplane::sim
