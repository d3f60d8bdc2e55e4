// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/nal/loopback.hh>
#include <isoplane/nal/unanswered.hh>

namespace isoplane::nal {

using namespace portals;

namespace {

/// A get whose target has left. Of a put it is known by its SEND_END.
void give_up(Interface& from, const Header& request) {
    if (request.type == MessageType::kPut || !Unanswered::wants_answer(request)) return;
    Unanswered only;
    only.add(from, request, true);
    only.for_each([](Interface& its, const Header& answer) { its.give_up(answer); });
}

}  // namespace

Status Loopback::attach(Interface& interface, Pid wanted, ProcessId& id) {
    const Lock lock(mutex_);
    const auto is_here = [this](Pid pid) {
        const auto found = interfaces_.find(pid);
        return found != interfaces_.end() && found->second != nullptr;
    };
    constexpr Pid kFirst = 1;  // that is given to who does not mind
    Pid pid = wanted == kAny ? kFirst : wanted;
    while (wanted == kAny && is_here(pid))
        ++pid;
    if (is_here(pid)) return Status::kPidInvalid;
    interfaces_[pid] = &interface;
    id = {nid_, pid};
    const auto mine = [&id](const Message& message) { return message.header.target == id; };
    std::copy_if(early_.begin(), early_.end(), std::back_inserter(messages_), mine);
    std::erase_if(early_, mine);
    return Status::kOk;
}

void Loopback::detach(Interface& interface) noexcept {
    const Lock nothing_moves(moving_);
    const Lock lock(mutex_);
    interfaces_[interface.id().pid] = nullptr;
    const auto its = [&interface](const Message& message) { return message.from == &interface; };
    std::erase_if(messages_, its);
    std::erase_if(early_, its);
}

void Loopback::submit(Interface& from, const Header& header, const Pieces& data, Operation operation) {
    const Lock lock(mutex_);
    const bool is_early = header.target.nid != nid_ || !interfaces_.contains(header.target.pid);
    (is_early ? early_ : messages_).push_back({&from, header, data, operation});
}

bool Loopback::next(Message& message, Interface*& target) {
    const Lock lock(mutex_);
    if (messages_.empty()) return false;
    message = messages_.front();
    messages_.pop_front();
    target = interfaces_[message.header.target.pid];
    return true;
}

void Loopback::deliver(const Message& message, Interface* target) {
    const Landing landing = target != nullptr ? target->arrive(message.header) : Landing{};
    if (landing.operation != kNone) copy(landing.where, message.data.sub(0, landing.where.length));
    if (message.operation != kNone)
        message.from->sent(message.operation, target != nullptr ? kSuccess : kFailed);
    if (target == nullptr) give_up(*message.from, message.header);
    if (landing.operation != kNone) target->landed(landing.operation);
}

bool Loopback::progress(Interface&) {
    const Lock moving(moving_);
    Message message;
    Interface* target = nullptr;
    bool moved = false;
    for (; next(message, target); moved = true)
        deliver(message, target);
    return moved;
}

bool Loopback::distance(const ProcessId& from, const ProcessId& to, unsigned long& distance) const noexcept {
    distance = from == to ? 0 : 1;
    return to.nid == nid_;
}

}  // namespace isoplane::nal
