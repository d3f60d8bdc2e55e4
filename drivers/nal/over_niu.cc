// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// The interfaces of this process, and who is there to talk to.
#include <algorithm>
#include <isoplane/nal/over_niu.hh>
#include <isoplane/wire/portals.hh>
#include <random>
#include <stdexcept>

namespace isoplane::nal {

using namespace portals;

namespace {

const niu::Niu& first_of(const std::vector<OverNiu::Plane>& planes) {
    if (planes.empty() || planes.size() > OverNiu::kMostPlanes) {
        throw std::invalid_argument(std::to_string(planes.size()) + " planes cannot be; give 1 to " +
                                    std::to_string(OverNiu::kMostPlanes));
    }
    return *planes.front().niu;
}

/// From a look at one peer to that at the next.
constexpr runtime::Duration kLookEvery = std::chrono::microseconds{5};

std::uint64_t random_number() {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
}

constexpr bool is_later(std::uint32_t epoch, std::uint32_t than) {
    return than == 0 || static_cast<std::int32_t>(epoch - than) > 0;
}

}  // namespace

OverNiu::OverNiu(std::string name, const std::vector<Plane>& planes, Mover& mover,
                 const OverNiuOptions& options)
    : Stage(std::move(name)),
      options_(options),
      mover_(mover),
      planes_(planes),
      self_(first_of(planes).options().node),
      node_(first_of(planes).options().node),
      absent_watch_(options.absent / 8),
      returning_watch_(options.returning / 8),
      peers_(first_of(planes).options().nodes.size()),
      last_seal_(random_number() | 1),
      sources_(Kind::kInterface, 0, kMostObjects),
      sinks_(Kind::kInterface, 0, kMostObjects) {
    arrivals_.reserve(planes_.size());
    for (std::size_t i = 0; i < planes_.size(); ++i) {
        arrivals_.emplace_back(*this, i);
        if (planes_.size() > 1) planes_[i].niu->listen_to_losses(&arrivals_[i]);
        planes_[i].dispatcher->attach(wire::Protocol::kPortals, &arrivals_[i]);
        planes_[i].dispatcher->attach(wire::Protocol::kPortalsData, &arrivals_[i]);
    }
}

OverNiu::~OverNiu() {
    for (Peer& peer : peers_)
        give_back(peer);
    for (const Plane& plane : planes_) {
        plane.niu->listen_to_losses(nullptr);
        plane.dispatcher->attach(wire::Protocol::kPortals, nullptr);
        plane.dispatcher->attach(wire::Protocol::kPortalsData, nullptr);
    }
}

// From any thread.

Status OverNiu::attach(Interface& interface, Pid wanted, ProcessId& id) {
    const Status status = self_.attach(interface, wanted, id);
    if (status != Status::kOk) return status;
    const std::lock_guard lock(mutex_);
    attached_.push_back(&interface);
    news_.store(1, std::memory_order_release);
    return Status::kOk;
}

void OverNiu::detach(Interface& interface) noexcept {
    mover_.call([this, &interface] { forget(interface); });
    self_.detach(interface);
}

void OverNiu::submit(Interface& from, const Header& header, const Pieces& data, Operation operation) {
    const std::lock_guard lock(mutex_);
    submitted_.push_back({&from, header, data, operation});
    news_.store(1, std::memory_order_release);
}

/// Straight into a frame, if nothing is in front of it.
bool OverNiu::inject(Interface& from, const Header& header, const Pieces& data) {
    if (header.target.nid == node_ || header.target.nid >= peers_.size() || !mover_.enter()) return false;
    Peer& peer = peers_[header.target.nid];
    bool goes = news_.load(std::memory_order_acquire) == 0 && !peer.active && is_steady(peer);
    if (goes) {
        const std::size_t head = wire::portals_begin_size(static_cast<std::uint8_t>(header.type), 0);
        goes = head + header.payload() <= planes_[peer.lead].niu->max_message(id_of(peer)) &&
               begin(peer, &from, header, data, kNone);
    }
    mover_.leave();
    return goes;
}

bool OverNiu::progress(Interface&) {
    return mover_.poll();
}

bool OverNiu::distance(const ProcessId& from, const ProcessId& to, unsigned long& distance) const noexcept {
    distance = from == to ? 0 : 1;
    return to.nid < peers_.size();
}

// Where it is polled.

unsigned OverNiu::poll(runtime::Time now) {
    now_ = now;
    put_off_limits();
    unsigned moved = 0;
    if (news_.load(std::memory_order_acquire) != 0) {
        take_submitted();
        moved = 1;
    }
    for (std::size_t i = 0; i < active_.size();) {
        Peer& peer = peers_[active_[i]];
        moved += pump(peer);
        if (peer.active = has_work(peer); peer.active) {
            ++i;
        } else {
            active_[i] = active_.back();
            active_.pop_back();
        }
    }
    if (now >= look_when_) {
        look_when_ = now + kLookEvery;
        look_at(peers_[next_looked_at_]);
        if (++next_looked_at_ == peers_.size()) next_looked_at_ = 0;
    }
    return moved;
}

/// What is for a process of this node goes there at once; what that makes others send is for the next poll.
void OverNiu::take_submitted() {
    {
        const std::lock_guard lock(mutex_);
        news_.store(0, std::memory_order_relaxed);
        taken_.swap(submitted_);
        if (interfaces_ != attached_) interfaces_ = attached_;
    }
    for (Message& message : taken_)
        dispose(message);
    taken_.clear();
    if (!interfaces_.empty()) self_.progress(*interfaces_.front());
}

void OverNiu::dispose(Message& message) {
    const Nid nid = message.header.target.nid;
    if (nid == node_) return self_.submit(*message.from, message.header, message.data, message.operation);
    if (nid >= peers_.size()) return fail(message);
    const auto node = static_cast<NodeId>(nid);
    Peer& peer = peers_[node];
    const bool is_there = alive(peer);
    if (peer.left) return fail(message);
    if (is_there && !peer.active &&
        begin(peer, message.from, message.header, message.data, message.operation)) {
        if (has_work(peer)) wake(peer);
        return;
    }
    if (peer.waiting.empty() && peer.answers.empty()) peer.absent_since = peer.returns_since = now_;
    message.number = ++numbered_;
    (message.header.is_answer() ? peer.answers : peer.waiting).push(message);
    wake(peer);
}

// What the other node has made impossible.

void OverNiu::fail_sending(Interface* from, Operation operation) noexcept {
    if (from == nullptr || operation == kNone) return;
    counters_.failed.add();
    from->sent(operation, kFailed);
}

void OverNiu::fail_landing(Interface* to, Operation operation) noexcept {
    if (to == nullptr || operation == kNone) return;
    counters_.failed.add();
    to->landed(operation, kFailed);
}

/// It does not leave any more.
void OverNiu::fail(const Message& message) noexcept {
    fail_sending(message.from, message.operation);
    if (message.from == nullptr || !Unanswered::wants_answer(message.header)) return;
    Unanswered only;
    only.add(*message.from, message.header, true);
    fail(only);
}

void OverNiu::fail(const Unanswered& requests) noexcept {
    requests.for_each([this](Interface& from, const Header& answer) {
        counters_.failed.add();
        from.give_up(answer);
    });
}

void OverNiu::wake(Peer& peer) noexcept {
    if (peer.active) return;
    peer.active = true;
    active_.push_back(id_of(peer));
}

Interface* OverNiu::find(Pid pid) noexcept {
    if (news_.load(std::memory_order_acquire) != 0) {
        const std::lock_guard lock(mutex_);
        if (interfaces_ != attached_) interfaces_ = attached_;
    }
    const auto found = std::find_if(interfaces_.begin(), interfaces_.end(),
                                    [pid](const Interface* i) { return i->id().pid == pid; });
    return found != interfaces_.end() ? *found : nullptr;
}

/// It is nobody's from here on: what the others wait for is cut short, what they send is thrown away. Only
/// its acknowledgements still go out, because they are of puts whose END may have been why it goes.
void OverNiu::forget(const Interface& interface) noexcept {
    const auto disown = [this, &interface](Message& message) {
        const bool stays = message.operation == kNone && message.header.target.nid != node_;
        if (message.from == &interface && stays) message.from = nullptr;
    };
    const auto is_its = [&interface](const Interface* other) { return other == &interface; };
    {
        const std::lock_guard lock(mutex_);
        std::erase(attached_, &interface);
        std::for_each(submitted_.begin(), submitted_.end(), disown);
        std::erase_if(submitted_, [&is_its](const Message& message) { return is_its(message.from); });
    }
    std::erase(interfaces_, &interface);
    sources_.for_each([&](Source& source) {
        if (!is_its(source.from)) return;
        source.withdraw();
        source.from = nullptr;
    });
    sinks_.for_each([&](Sink& sink) {
        if (is_its(sink.to)) sink.to = nullptr;
    });
    for (Peer& peer : peers_) {
        for (Fifo<Message>* messages : {&peer.answers, &peer.waiting}) {
            Fifo<Message> others;
            for (; !messages->empty(); messages->pop()) {
                disown(messages->front());
                if (!is_its(messages->front().from)) others.push(messages->front());
            }
            *messages = std::move(others);
        }
        peer.asked.forget(interface);
        if (is_its(peer.rest.from)) peer.rest.from = nullptr;
        if (is_its(peer.following.to)) peer.following.to = nullptr;
        peer.leaving.for_each([&](Leaving& leaving) {
            if (!is_its(leaving.from)) return;
            keep_copy(leaving);
            leaving.from = nullptr;
        });
    }
}

/// alive(), as long as nothing has changed: this changes nothing.
bool OverNiu::is_steady(const Peer& peer) const noexcept {
    const niu::Peer& there = planes_[peer.lead].niu->peer(id_of(peer));
    return peer.lanes[peer.lead].open && there.state == niu::PeerState::kUp && !there.bye_received &&
           there.epoch == peer.epoch;
}

/// Looks which planes lead there, and whether it is the same life of that node as before.
bool OverNiu::alive(Peer& peer) noexcept {
    const NodeId node = id_of(peer);
    const niu::Peer* there[kMostPlanes] = {};
    std::uint32_t newest = 0;
    for (std::size_t i = 0; i < planes_.size(); ++i) {
        const niu::Peer& its = planes_[i].niu->peer(node);
        if (its.state != niu::PeerState::kUp) continue;
        there[i] = &its;
        if (is_later(its.epoch, newest)) newest = its.epoch;
    }
    if (newest != peer.epoch) [[unlikely]] {
        if (peer.epoch != 0) end_life(peer);
        peer.epoch = newest;
        count_change();
    }
    // Of what it said last, some may still be on its way by a plane on which it has not said goodbye.
    bool any = false;
    bool left = true;
    for (std::size_t i = 0; i < planes_.size(); ++i) {
        const bool open = there[i] != nullptr && there[i]->epoch == newest;
        if (open) {
            any = true;
            left = left && there[i]->bye_received;
        }
        if (peer.lanes[i].open && !open) lose_plane(peer, i);
        peer.lanes[i].open = open;
    }
    if (peer.left != (any && left)) [[unlikely]] {
        peer.left = !peer.left;
        count_change();
    }
    if (newest != 0 && !peer.lanes[peer.lead].open)
        peer.lead = static_cast<std::size_t>(
            std::find_if(peer.lanes.begin(), peer.lanes.end(), [](const Lane& lane) { return lane.open; }) -
            peer.lanes.begin());
    return newest != 0;
}

/// A plane has died, and this is what it may not have carried: before what one that died earlier has left.
/// What was asked for by it is asked for again. Of an earlier life of the node nothing is said to this one.
void OverNiu::keep(Peer& peer, std::size_t plane, std::span<const std::byte> message) {
    if (message.empty() || planes_[plane].niu->peer(id_of(peer)).epoch != peer.epoch ||
        wire::PortalsKind{std::to_integer<std::uint8_t>(message[0])} == wire::PortalsKind::kPull)
        return;
    peer.unheard.emplace(peer.unheard.begin() + peer.kept++, message.begin(), message.end());
    wake(peer);
}

/// Its other end asks again, by another, for what it was to bring.
void OverNiu::lose_plane(Peer& peer, std::size_t plane) noexcept {
    Lane& lane = peer.lanes[plane];
    for (; !lane.pulls.empty(); lane.pulls.pop())
        peer.unanswered.push(lane.pulls.front());
    lane = {};
    give_back(peer);
    wake(peer);
}

/// While nobody polled, the other nodes may not have run, either; and what they say waits to be received.
void OverNiu::put_off_limits() noexcept {
    const runtime::Duration absent = absent_watch_.excess(now_);
    const runtime::Duration returning = returning_watch_.excess(now_);
    if (std::max(absent, returning) == runtime::Duration{0}) return;
    for (Peer& peer : peers_) {
        runtime::put_off(peer.absent_since, absent, now_);
        runtime::put_off(peer.returns_since, returning, now_);
    }
}

/// For what nobody else would notice. Who has left, or is dead, is not waited for; who has not come is, for a
/// while.
void OverNiu::look_at(Peer& peer) noexcept {
    const NodeId node = id_of(peer);
    if (node == node_) return;
    if (alive(peer)) {
        if (peer.left) leave(peer);
        return;
    }
    if (peer.waiting.empty() && peer.answers.empty()) return;
    if (is_missed(peer, node)) end_life(peer);
}

/// Nobody waits for it any more. One that has ended is heard again at once if it starts again.
bool OverNiu::is_missed(const Peer& peer, NodeId node) const noexcept {
    bool ended = false;
    bool heard = false;
    for (const Plane& plane : planes_) {
        const niu::Peer& its = plane.niu->peer(node);
        if (its.state == niu::PeerState::kDead) return true;
        ended = ended || its.ended != 0;
        heard = heard || its.state == niu::PeerState::kHeard;
    }
    const bool has_not_returned = ended && !heard && now_ - peer.returns_since >= options_.returning;
    return has_not_returned || now_ - peer.absent_since >= options_.absent;
}

/// It has closed: it hears no more, and all that it said has arrived. ACKs that have not are of what it has
/// dropped, or of puts that it wants none for.
void OverNiu::leave(Peer& peer) noexcept {
    const std::uint32_t epoch = peer.epoch;
    peer.asked.forget_puts();
    end_life(peer);
    peer.epoch = epoch;
    peer.left = true;
}

/// All that is under way between the two fails, and its memory is its user's again: also where a plane is
/// still to send some of it.
void OverNiu::end_life(Peer& peer) noexcept {
    Peer ended;
    ended.active = peer.active;
    std::swap(ended, peer);
    give_back(ended);
    ended.leaving.for_each([this](const Leaving& leaving) { keep_copy(leaving); });
    if (ended.rest.due) fail_sending(ended.rest.from, ended.rest.operation);
    for (; !ended.leaving.empty(); ended.leaving.pop())
        fail_sending(ended.leaving.front().from, ended.leaving.front().operation);
    for (Fifo<Message>* messages : {&ended.answers, &ended.waiting})
        for (; !messages->empty(); messages->pop())
            fail(messages->front());
    if (ended.following.left != 0) fail_landing(ended.following.to, ended.following.operation);
    const NodeId node = id_of(peer);
    sources_.for_each([&](Source& source) {
        if (source.to != node) return;
        source.withdraw();
        fail_sending(source.from, source.operation);
        sources_.give_back(source);
    });
    sinks_.for_each([&](Sink& sink) {
        if (sink.from != node) return;
        fail_landing(sink.to, sink.operation);
        sinks_.give_back(sink);
    });
    fail(ended.asked);
}

bool OverNiu::idle() const noexcept {
    return news_.load(std::memory_order_acquire) == 0 && active_.empty() && sources_.live() == 0;
}

}  // namespace isoplane::nal
