// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cstring>
#include <isoplane/isotach/payloads.hh>
#include <utility>

namespace isoplane::isotach {

Payloads::Payloads(niu::Niu& niu, std::size_t most_kept)
    : niu_(niu), most_kept_(most_kept), hosts_(niu.options().nodes) {}

Payloads::~Payloads() {
    discard();
}

void Payloads::send(NodeId to, Payload::Handle payload) noexcept {
    Host& host = hosts_[to];
    if (host.out.empty()) sending_.push_back(to);
    host.out.push(payload.release());
    pump(to);
}

/// Hands the NIU one after the other; it says no more than that all of it is in frames.
unsigned Payloads::pump(NodeId to) noexcept {
    Host& host = hosts_[to];
    unsigned moved = 0;
    while (!host.out.empty() && !niu_.transferring(to)) {
        if (std::exchange(host.handed, false)) {
            host.out.front()->let_go();
            host.out.pop();
            sent_.add();
            ++moved;
            continue;
        }
        host.handed = niu_.transfer(to, wire::Protocol::kPayload, host.out.front()->bytes());
        if (!host.handed) break;
    }
    return moved;
}

Payload* Payloads::expect(NodeId from, std::uint32_t size) noexcept {
    Payload* payload = Payload::expect(from, size).release();
    if (payload == nullptr) return nullptr;
    hosts_[from].in.push(payload);
    ++expected_;
    return payload;
}

void Payloads::take(const niu::Received& fragment) noexcept {
    Host& host = hosts_[fragment.source];
    if (host.waiting.empty() && put(host, fragment)) return;
    host.waiting.push(fragment);
    ++waiting_;
}

/// False when there is no room for it yet.
bool Payloads::put(Host& host, const niu::Received& fragment) noexcept {
    Payload* const payload = host.in.empty() ? nullptr : host.in.front();
    if (payload == nullptr || payload->size() != fragment.size || payload->here() != fragment.offset)
        [[unlikely]] {
        malformed_.add();
        niu_.release(fragment);
        return true;
    }
    if (!payload->allocated()) {
        if (host.kept != 0 && host.kept + payload->size() > most_kept_) return false;
        if (!payload->allocate()) return false;
        host.kept += payload->size();
    }
    std::memcpy(payload->bytes().data() + fragment.offset, fragment.data.data(), fragment.data.size());
    copied_bytes_.add(fragment.data.size());
    payload->came(fragment.data.size());
    niu_.release(fragment);
    if (payload->complete()) {
        host.in.pop();
        --expected_;
        received_.add();
    }
    return true;
}

void Payloads::release(Payload* payload) noexcept {
    if (payload->from() != Payload::kHere && payload->allocated())
        hosts_[payload->from()].kept -= payload->size();
    payload->let_go();
}

unsigned Payloads::move_on() noexcept {
    unsigned moved = 0;
    for (std::size_t i = 0; i < sending_.size();) {
        moved += pump(sending_[i]);
        if (!hosts_[sending_[i]].out.empty()) {
            ++i;
            continue;
        }
        sending_[i] = sending_.back();
        sending_.pop_back();
    }
    if (waiting_ == 0) return moved;
    for (Host& host : hosts_) {
        for (; !host.waiting.empty() && put(host, host.waiting.front()); host.waiting.pop(), --waiting_)
            ++moved;
    }
    return moved;
}

/// Payloads that have been announced are those of the messages that wait for them.
std::size_t Payloads::discard() noexcept {
    const std::size_t held = waiting_;
    for (Host& host : hosts_) {
        forget(host);
        host.kept = 0;
    }
    sending_.clear();
    return held;
}

void Payloads::forget(NodeId host) noexcept {
    forget(hosts_[host]);
    std::erase(sending_, host);
}

void Payloads::forget(Host& host) noexcept {
    for (; !host.waiting.empty(); host.waiting.pop(), --waiting_)
        niu_.release(host.waiting.front());
    for (; !host.in.empty(); host.in.pop())
        --expected_;
    for (; !host.out.empty(); host.out.pop())
        host.out.front()->let_go();
    host.handed = false;
}

}  // namespace isoplane::isotach
