// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "order_contestants.hh"

namespace isoplane::perf {

namespace {

/// An end at that host of a transport of this kind.
template <typename End>
std::unique_ptr<Contestant> make_contest(const std::string& name, Workers& workers, const Ground& ground,
                                         auto&& make_end) {
    // Host 0 first: with it begins a job of its own.
    if (ground.middle == nullptr) {
        auto [a, b] =
            workers.make_both([&](unsigned host) { return make_end.template operator()<End>(host); });
        return std::make_unique<Contest<End>>(name, workers, std::move(a), std::move(b));
    }
    auto [a, b] = workers.make_both([&](unsigned host) {
        return make_end.template operator()<Through<End>>(host, *ground.middle, host);
    });
    return std::make_unique<Contest<Through<End>>>(name, workers, std::move(a), std::move(b));
}

}  // namespace

std::unique_ptr<Contestant> make_raw_contest(Workers& workers, const Ground& ground) {
    return make_contest<Raw<Content::kCopied>>(
        transport::kRaw, workers, ground, [&]<typename E>(unsigned host, auto&&... through) {
            Side& side = ground.side(host);
            return std::make_unique<E>(through..., side.link->input(), side.link->output(), *side.pool,
                                       side.link->mac(), ground.side(1 - host).link->mac(), side.link->mtu());
        });
}

std::unique_ptr<Contestant> make_unordered(Workers& workers, const Ground& ground) {
    return make_contest<NiuEnd>(kNoniso, workers, ground, [&]<typename E>(unsigned host, auto&&... through) {
        Side& side = ground.side(host);
        return std::make_unique<E>(through..., side.link->input(), side.link->output(), *side.pool,
                                   options_of(side, host, {"a", "b"}));
    });
}

std::unique_ptr<Contestant> make_detour(Workers& workers, const Ground& ground) {
    return make_contest<DetourEnd>(
        kDetour, workers, ground, [&]<typename E>(unsigned host, auto&&... through) {
            Side& side = ground.side(host);
            const niu::Options options = options_of(side, host, {"a", "b", "detour"});
            Detour* const between =
                ground.middle->runs_managers(host) ? &ground.middle->add_detour(options) : nullptr;
            return std::make_unique<E>(through..., ground.middle->traffic(), between, side.link->input(),
                                       side.link->output(), *side.pool, options);
        });
}

Ordered make_ordered(Workers& workers, const Ground& ground, std::size_t ahead) {
    siu::SiuOptions siu;
    siu.exchange.ahead = static_cast<std::uint32_t>(ahead);
    Ordered ordered{.name = "isotach/" + std::to_string(ahead)};
    ordered.contestant = make_contest<IsotachEnd>(
        ordered.name, workers, ground, [&]<typename E>(unsigned host, auto&&... through) {
            Side& side = ground.side(host);
            niu::Options options = options_of(side, host, TwoHosts::nodes());
            options.manages = ground.middle == nullptr && host == 0;
            if (ground.middle != nullptr && ground.middle->runs_managers(host))
                ground.middle->add_manager(ahead, options.job_key,
                                           std::make_shared<const node::Ways>(TwoHosts().topology()));
            auto end = std::make_unique<E>(through..., side.link->input(), side.link->output(), *side.pool,
                                           options, siu);
            if (host == 0) ordered.host = end.get();
            return end;
        });
    return ordered;
}

}  // namespace isoplane::perf
