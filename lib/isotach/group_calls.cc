// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/isotach/isotach.hh>

namespace isoplane::isotach {

bool Isotach::register_signal(unsigned channel) noexcept {
    if (!is_signal(channel) || (signals_ & wire::group_signal(channel)) != 0) return false;
    signals_ |= wire::group_signal(channel);
    ++registered_[channel];
    return true;
}

bool Isotach::clear_signal(unsigned channel) noexcept {
    if (!is_signal(channel)) return false;
    signals_ &= ~wire::group_signal(channel);
    return true;
}

bool Isotach::send_signal(unsigned channel) noexcept {
    const bool registered = channel < wire::kSignalChannels && (signals_ & wire::group_signal(channel)) != 0;
    if (!registered && channel != kResetSignal) return false;
    act(wire::group_signal(channel));
    return true;
}

bool Isotach::join_barrier(unsigned channel, BarrierMode mode) noexcept {
    if (channel >= barriers_.size() || barriers_[channel].state != BarrierState::kApart) return false;
    barriers_[channel].state = BarrierState::kHolding;
    barriers_[channel].mode = mode;
    act(wire::group_join(channel));
    return true;
}

bool Isotach::leave_barrier(unsigned channel) noexcept {
    if (channel >= barriers_.size()) return false;
    if (barriers_[channel].state == BarrierState::kApart) return true;
    barriers_[channel].state = BarrierState::kApart;
    ++barriers_[channel].leaving;
    act(wire::group_leave(channel));
    return true;
}

bool Isotach::enter_barrier(unsigned channel) noexcept {
    if (channel >= barriers_.size() || barriers_[channel].state != BarrierState::kHolding) return false;
    barriers_[channel].state = BarrierState::kEntered;
    ++barriers_[channel].entered;
    act(wire::group_enter(channel));
    return true;
}

/// False when the program has cleared the signal, or left the barrier, while the notice waited; whether or
/// not it is back.
bool Isotach::notice(const Delivery& delivery) noexcept {
    if (delivery.kind == DeliveryKind::kSignal)
        return delivery.channel == kResetSignal || ((signals_ & wire::group_signal(delivery.channel)) != 0 &&
                                                    registered_[delivery.channel] == delivery.isochron);
    if (delivery.kind != DeliveryKind::kBarrier) return true;
    Barrier& barrier = barriers_[delivery.channel];
    if (barrier.state != BarrierState::kEntered || barrier.entered != delivery.isochron) return false;
    barrier.state = BarrierState::kHolding;
    return true;
}

void Isotach::act(std::uint32_t word) noexcept {
    if (siu_.is_frozen() || survival_.arrival.waits) {
        // There is no time to do it at.
        survival_.deferred.push(word);
        known_at_ = UINT64_MAX;
        return;
    }
    acted_at_ = siu_.act(word);
    known_at_ = acted_at_ + siu_.greatest_distance();
    siu_.want(true);
}

}  // namespace isoplane::isotach
