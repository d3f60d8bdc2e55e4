// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "active_costs.hh"

#include <array>
#include <cstring>

#include "active_end.hh"
#include "bench.hh"
#include "ends.hh"

namespace isoplane::perf {

namespace {

const std::string kBase = "base";
const std::string kReliable = "reliable";
const std::string kRequest = "request";
const std::string kRequestCoalesced = "request_coalesced";

/// Messages that say what is to be called by its address, and carry its words: what nobody should take from
/// anybody else.
template <Transport Under>
class ByAddress {
  public:
    static constexpr bool kKeepsContent = true;

    template <typename Make>
    ByAddress(Make&& make_under) : under_(make_under()) {}

    bool ready() { return under_->ready(); }
    void begin(std::size_t /*size*/) { under_->begin(sizeof(Record)); }
    bool send(std::span<const std::byte> message) {
        record_.function = take;
        std::memcpy(record_.words.data(), message.data(), sizeof record_.words);
        return under_->send(std::as_bytes(std::span(&record_, 1)));
    }
    bool poll() { return under_->poll(); }
    bool receive(std::span<std::byte> room) {
        Record record;
        if (!under_->receive(std::as_writable_bytes(std::span(&record, 1)))) return false;
        record.function(room, record.words);
        return true;
    }
    bool settled() { return under_->settled(); }

  private:
    struct Record {
        void (*function)(std::span<std::byte> room, const active::Words& words);
        active::Words words;
    };
    static void take(std::span<std::byte> room, const active::Words& words) {
        std::memcpy(room.data(), words.data(), sizeof words);
    }

    std::unique_ptr<Under> under_;
    Record record_{};  ///< it may be sent from here later
};

/// Whose polls only move frames, so that what they bring is handled by itself.
class StepwiseEnd final : public ActiveEnd {
  public:
    using ActiveEnd::ActiveEnd;
    using ActiveEnd::serve;
    bool ready() noexcept { return ActiveEnd::ready(); }
    bool poll() noexcept { return move(); }
};

template <typename Under, typename Make>
void add_by_address(std::vector<Costs>& all, const std::string& name, Workers& workers, Sides& sides,
                    Make&& make) {
    add_costs(all, name, workers, sides, ActiveEnd::kRequestSize, [&](unsigned end, TimedEdges& edges) {
        return std::make_unique<ByAddress<Under>>([&] { return make(end, edges); });
    });
}

/// Cycles of something that is done over and over, and takes long enough to be done by what it returns.
template <typename What>
double cycles_of(What&& what) {
    constexpr unsigned kTimes = 2000;
    const std::uint64_t reading = cost_of_reading();
    std::vector<double> ticks(kTimes);
    std::uintptr_t sink = 0;
    for (double& one : ticks) {
        const std::uint64_t begin = rte_rdtsc();
        for (unsigned i = 0; i < kBatch; ++i)
            sink += what();
        asm volatile("" : : "r"(sink));
        one = static_cast<double>(rte_rdtsc() - begin - reading) / kBatch;
    }
    return typical(ticks);
}

NameCosts measure_names() {
    active::Images images;
    const auto* const function = reinterpret_cast<const void*>(&measure_names);
    const auto name = images.name_of(function);
    if (!name) return {};
    const auto again = [](auto& value) { asm volatile("" : "+m"(value)); };
    active::FunctionName wanted = *name;
    const void* at = function;
    return {.name = cycles_of([&] {
                again(at);
                return std::uintptr_t{images.name_of(at)->offset};
            }),
            .find = cycles_of([&] {
                again(wanted);
                return reinterpret_cast<std::uintptr_t>(images.find(wanted));
            })};
}

const Costs* find(const ActiveCosts& costs, const std::string& name) {
    const auto found = std::ranges::find(costs.steps, name, &Costs::transport);
    return found == costs.steps.end() ? nullptr : &*found;
}

}  // namespace

std::optional<Features> features_of(const ActiveCosts& costs) {
    const Costs* const base = find(costs, kBase);
    const Costs* const all = find(costs, kRequest);
    if (base == nullptr || all == nullptr) return std::nullopt;
    const double protection = costs.names.total();
    return Features{.base = base->total(),
                    .reliability = all->total() - base->total() - protection,
                    .protection = protection};
}

ActiveCosts break_active_down(Workers& workers, Sides& sides, const FrameForm& frames) {
    ActiveCosts costs;
    add_by_address<Raw<Content::kCopied>>(
        costs.steps, kBase, workers, sides, [&](unsigned end, TimedEdges& edges) {
            return make_raw<Content::kCopied>(sides, end, edges.input, edges.output);
        });
    add_by_address<NiuEnd>(costs.steps, kReliable, workers, sides, [&](unsigned end, TimedEdges& edges) {
        return make_niu(sides, end, edges.input, edges.output, {.frames = frames});
    });
    for (const bool coalesce : {false, true}) {
        add_costs(costs.steps, coalesce ? kRequestCoalesced : kRequest, workers, sides,
                  ActiveEnd::kRequestSize, [&](unsigned end, TimedEdges& edges) {
                      niu::Options options = pair_options(sides, end, frames);
                      options.coalesce = coalesce;
                      return std::make_unique<StepwiseEnd>(Form::kRequest, edges.input, edges.output,
                                                           *sides[end].pool, std::move(options));
                  });
    }
    workers.run([&] { costs.names = measure_names(); }, [] {});
    return costs;
}

}  // namespace isoplane::perf
