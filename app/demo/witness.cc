// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "witness.hh"

namespace isoplane::demo {

using isotach::DeliveryKind;

namespace {

std::string isochron_name(std::uint16_t issuer, std::uint32_t number) {
    return "isochron " + std::to_string(number) + " of host " + std::to_string(issuer);
}

std::string text_of(const isotach::LogicalTime& time) {
    return "pulse " + std::to_string(time.pulse) + ", host " + std::to_string(time.host) + ", rank " +
           std::to_string(time.rank);
}

}  // namespace

void Witness::Digest::add(std::uint64_t a, std::uint64_t b, std::uint64_t c) noexcept {
    for (const std::uint64_t word : {a, b, c}) {
        value = (value ^ word) * 0x9e3779b97f4a7c15;
        value ^= value >> 32;
    }
    ++count;
}

Witness::Witness(unsigned hosts, std::uint16_t self)
    : hosts_(hosts), self_(self), next_(hosts), with_(hosts) {}

void Witness::complain(const std::string& what) {
    if (complaint_.empty()) complaint_ = name() + " " + what;
}

void Witness::see(const isotach::Delivery& delivery) {
    const bool is_message = delivery.kind == DeliveryKind::kMessage;
    // Notices of one pulse share their time.
    if (delivery.time < last_ || (is_message && delivery.time == last_))
        complain("executed something at " + text_of(delivery.time) + " after something at " + text_of(last_));
    last_ = delivery.time;
    if (is_message) return check_message(delivery);
    if (open_) complain("got a signal or a barrier in the middle of an isochron");
    notices_.add(delivery.kind == DeliveryKind::kSignal ? 0 : 1, delivery.channel, delivery.time.pulse);
    if (delivery.kind == DeliveryKind::kSignal)
        ++signals_;
    else
        check_barrier();
}

void Witness::check_message(const isotach::Delivery& delivery) {
    ++messages_;
    const std::uint16_t issuer = delivery.time.host;
    if (issuer >= hosts_) return complain("got a message of a host that there is not");
    const Cursor next = next_of(issuer);
    const Script script(hosts_, issuer, next.isochron);
    if (open_ && *open_ != issuer)
        complain("got a part of " + isochron_name(issuer, delivery.isochron) +
                 " in the middle of an isochron of host " + std::to_string(*open_));
    if (delivery.isochron != next.isochron)
        return complain("got " + isochron_name(issuer, delivery.isochron) + " where " +
                        isochron_name(issuer, next.isochron) + " should have come");
    const Message& expected = script.messages()[next.message];
    if (delivery.data.size() != expected.size ||
        !script.is_written(next.message, delivery.data.subspan(Script::kNote)))
        return complain("got " + isochron_name(issuer, next.isochron) + " with other contents");
    if (delivery.time.pulse < Note::read(delivery.data).seen)
        complain("executed " + isochron_name(issuer, next.isochron) + " before what had led to it");
    next_[issuer] = {.isochron = next.isochron, .message = next.message + 1};
    if (next_of(issuer).isochron == next.isochron)
        open_ = issuer;
    else
        executed(script, issuer, next.isochron);
}

/// All of it that reaches this host is here.
void Witness::executed(const Script& script, std::uint16_t issuer, std::uint32_t number) {
    for (std::uint16_t host = 0; host < hosts_; ++host)
        if (host != self_ && script.reaches(host)) with_[host].add(issuer, number, last_.pulse);
    next_[issuer] = {.isochron = number + 1, .message = 0};
    open_.reset();
}

Witness::Cursor Witness::next_of(std::uint16_t issuer) const {
    for (Cursor next = next_[issuer];; next = {.isochron = next.isochron + 1, .message = 0}) {
        const Script script(hosts_, issuer, next.isochron);
        for (; next.message < script.messages().size(); ++next.message)
            if (script.messages()[next.message].to == self_) return next;
    }
}

void Witness::check_barrier() {
    ++barriers_;
    for (std::uint16_t issuer = 0; issuer < hosts_; ++issuer) {
        const std::uint32_t next = next_of(issuer).isochron;
        if (next < barriers_ * kBarrierEvery)
            complain("got barrier " + std::to_string(barriers_) + " before " + isochron_name(issuer, next));
    }
}

std::vector<std::string> compare(const std::vector<const Witness*>& witnesses,
                                 const std::vector<std::uint32_t>& issued) {
    std::vector<std::string> complaints;
    for (const Witness* one : witnesses) {
        if (!one->complaint_.empty()) complaints.push_back(one->complaint_);
        for (std::uint16_t issuer = 0; issuer < issued.size(); ++issuer) {
            const std::uint32_t next = one->next_of(issuer).isochron;
            if (next < issued[issuer])
                complaints.push_back(one->name() + " did not get " + isochron_name(issuer, next));
        }
        for (std::uint16_t other = 0; other < one->self_; ++other) {
            if (one->with_[other] != witnesses[other]->with_[one->self_])
                complaints.push_back(one->name() + " and host " + std::to_string(other) +
                                     " executed what reaches both in different orders");
        }
        if (one->notices_ != witnesses.front()->notices_)
            complaints.push_back(one->name() + " noticed other signals and barriers than host 0");
    }
    return complaints;
}

}  // namespace isoplane::demo
