// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Who reads more than it takes is held up: what it issues is executed, or time would stand still for others.
/// But it does not get its credit back before it has taken what it is owed. Accesses that fit no frame have
/// given theirs back already, and would only keep the next from their place.

#include <isoplane/shmem/memory.hh>

namespace isoplane::shmem {

namespace {

constexpr runtime::Duration kGiveBackEvery = std::chrono::milliseconds{1};

}  // namespace

bool Memory::withhold(const isotach::Delivery& delivery) {
    const NodeId host = delivery.time.host;
    if (delivery.payload != nullptr || host >= to_send_.size() || to_send_[host].answers.size() <= kMostOwed)
        return false;
    to_send_[host].withheld.push(delivery);
    counters_.withheld.add();
    return true;
}

void Memory::give_back(ToSend& its) noexcept {
    for (; !its.withheld.empty(); its.withheld.pop())
        time_.release(its.withheld.front());
}

/// Two hosts that withhold from each other go on, as answers take the last of the credit. In the middle of a
/// message that is not enough: so a frame is given back now and then, for the rest of what the other side has
/// begun.
void Memory::settle(NodeId host) noexcept {
    ToSend& its = to_send_[host];
    if (its.withheld.empty()) [[likely]]
        return;
    if (its.answers.size() <= kMostOwed / 2) return give_back(its);
    const runtime::Time now = time_.polled();
    if (answers_.urgent_may_go(host) || now < its.give_back_at) return;
    its.give_back_at = now + kGiveBackEvery;
    const auto frame = its.withheld.front().frame;
    for (; !its.withheld.empty() && its.withheld.front().frame == frame; its.withheld.pop())
        time_.release(its.withheld.front());
}

}  // namespace isoplane::shmem
