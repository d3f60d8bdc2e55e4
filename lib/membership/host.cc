// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/membership/host.hh>
#include <utility>

namespace isoplane::membership {

Host::Host(niu::Niu& niu, siu::Siu& siu, isotach::Isotach& isotach, const topology::Paths& paths,
           tm::ExchangeOptions exchange, Options options)
    : niu_(niu),
      siu_(siu),
      isotach_(isotach),
      paths_(paths),
      exchange_(std::move(exchange)),
      agreement_(niu, paths.topology(), *this, options) {
    exchange_.epoch = niu.options().epoch;
    exchange_.in_views = true;
    siu_.count_as_stopped(options.pause());
}

void Host::be_quiet(bool quiet) noexcept {
    for (const auto& manager : managers_)
        manager->be_quiet(quiet);
}

isotach::Standing Host::freeze() noexcept {
    for (const auto& manager : managers_)
        manager->freeze();
    return isotach_.freeze();
}

tm::TokenManager& Host::manager(NodeId node) {
    for (const auto& manager : managers_)
        if (manager->options().node == node) return *manager;
    managers_.push_back(std::make_unique<tm::TokenManager>(niu_, paths_, node, exchange_));
    managers_.back()->count_as_stopped(agreement_.options().pause());
    return *managers_.back();
}

void Host::begin(const wire::View& view) {
    const NodeId here = niu_.options().node;
    std::erase_if(managers_, [&](const auto& manager) {
        const wire::Member* member = find(view, manager->options().node);
        return member == nullptr || member->played_by != here;
    });
    for (const wire::Member& member : view.members) {
        if (member.played_by != here || member.node == here || member.node == siu_.options().node) continue;
        manager(member.node).begin_view(view.number, view.base, [&](NodeId node) {
            return find(view, node) != nullptr;
        });
    }
    isotach_.begin(view);
}

void Host::add_silent(std::vector<NodeId>& nodes) const {
    const auto add = [&nodes](NodeId node) { nodes.push_back(node); };
    siu_.silent(agreement_.options().limit, add);
    for (const auto& manager : managers_)
        manager->silent(agreement_.options().limit, add);
}

}  // namespace isoplane::membership
