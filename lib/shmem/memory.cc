// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/shmem/memory.hh>

#include <algorithm>
#include <cassert>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

namespace isoplane::shmem {

using isotach::Delivery;
using isotach::DeliveryKind;
using wire::Access;
using wire::AccessCursor;
using wire::Operation;

Memory::Memory(Pages pages, isotach::Isotach& time, noniso::DirectEndpoint& answers, Options options,
               isotach::Endpoint* program)
    : pages_(std::move(pages)),
      time_(time),
      endpoint_(program != nullptr ? *program : time),
      answers_(answers),
      options_(options),
      turn_(program != nullptr),
      store_(pages_, options.planted.no_blocking),
      copies_(pages_, store_, answers_),
      reads_(options.life),
      schedules_(options.life),
      layout_(pages_) {
    NodeId last = pages_.here();
    for (std::uint32_t page = 0; page < pages_.extent().pages; ++page) {
        for (const NodeId host : pages_.page(page * pages_.extent().page_words).others)
            last = std::max(last, host);
    }
    to_send_.resize(std::size_t{last} + 1);
}

Memory::~Memory() {
    if (has_next_) time_.release(next_);
    for (const Delivery& delivery : together_)
        time_.release(delivery);
    for (ToSend& its : to_send_)
        give_back(its);
}

/// Not the program's to receive.
inline bool Memory::is_ours(const Delivery& delivery) noexcept {
    return delivery.kind == DeliveryKind::kMessage && delivery.operation != Operation::kMessage;
}

/// Whether there is something of that kind.
bool Memory::next() {
    has_next_ = has_next_ || take_next();
    return has_next_ && is_ours(next_);
}

bool Memory::take_next() {
    if (!notices_.empty()) {
        next_ = notices_.front();
        notices_.pop();
        return true;
    }
    if (!time_.receive(next_)) return false;
    if (next_.kind != DeliveryKind::kMessage) [[unlikely]]
        heed(next_);
    return true;
}

/// The copies of who has left are no longer, nor what it has left open; who joins is given its copies. The
/// program still has to be told.
void Memory::heed(const Delivery& notice) {
    const NodeId host = notice.channel;
    const bool joined = notice.kind == DeliveryKind::kJoined;
    if (!joined && notice.kind != DeliveryKind::kLeft) return;
    if (joined) {
        copies_.joined(host, notice.time.pulse);
    } else {
        copies_.left(host);
        if (!options_.planted.keeps_open) store_.lose(host);
        hand_out_answers();
    }
    if (!has_lcore()) return change_here(host, joined);
    changes_.push_back({host, joined});
    has_arrived_.store(true, std::memory_order_relaxed);
}

/// For what the program alone touches.
void Memory::change_here(NodeId host, bool joined) {
    if (joined) return pages_.regain(host);
    pages_.lose(host);
    reads_.lose(host);
}

/// This host joins a running time, which goes on when its copies are here. Until then there are only notices.
void Memory::arrive() {
    for (Delivery notice; time_.receive(notice); notices_.push(notice))
        heed(notice);
    copies_.leave_out([this](NodeId host) { return time_.has_gone(host); });
    if (copies_.complete()) time_.pages_are_here();
}

bool Memory::step() {
    assert(!has_lcore());
    return step(false);
}

/// Whoever reads may wait for it, and before it polls again this program may compute for long. Not where
/// there is much: then it polls again soon, and the time of this poll is long ago. Nor where there is a
/// message for the program: the token that goes along would leave before it has been heard.
inline void Memory::send_off() {
    if (std::exchange(answered_, false)) answers_.flush();
}

/// Where it stands: a copy of all of it would have to wait until it has left the CPU. When nothing else
/// waits, what is answered may leave before what asked for it is put away.
inline bool Memory::step(bool sends_off) {
    if (!has_next_ && notices_.empty()) [[likely]] {
        if (!time_.waiting()) return false;
        const Delivery* const here = time_.peek();
        if (here != nullptr && is_ours(*here)) [[likely]] {
            const bool done = execute(*here);
            if (sends_off && time_.deliverable() == 1) send_off();
            if (done) time_.release(*here);
            time_.pop();
            return true;
        }
    }
    return next() && execute_next();
}

bool Memory::execute_next() {
    has_next_ = false;
    if (execute(next_)) time_.release(next_);
    return true;
}

/// Returns whether it is to be released.
inline bool Memory::execute(const Delivery& delivery) {
    const bool more = delivery.operation == Operation::kMoreAccesses;
    if (!more) now_ = delivery.time;
    if (delivery.operation == Operation::kAccesses && together_.empty()) [[likely]] {
        execute(delivery.time.host, delivery.data);
        return !is_withheld(delivery);
    } else if (more || delivery.operation == Operation::kAccesses) {
        together_.push_back(delivery);
        if (!more) execute_together();
        return false;
    } else if (delivery.operation == Operation::kMarker && delivery.time.host == here()) {
        execute_own();
    } else {
        counters_.malformed.add();
    }
    return true;
}

/// All that an isochron does here is done in one step, or what this host does at once could come between.
void Memory::execute_together() {
    for (const Delivery& delivery : together_) {
        execute(delivery.time.host, delivery.data);
        if (!is_withheld(delivery)) time_.release(delivery);
    }
    together_.clear();
}

void Memory::execute_own() {
    if (hits_.empty()) [[unlikely]]
        return counters_.malformed.add();
    hits_.pop([this](std::span<const std::byte> accesses) { execute(here(), accesses); });
}

void Memory::execute(NodeId issuer, std::span<const std::byte> accesses) {
    AccessCursor cursor(accesses);
    for (Access access; cursor.next(access);) {
        store_.execute(issuer, access);
        if (!store_.answers().empty()) hand_out_answers();
    }
    if (!cursor.at_end()) [[unlikely]]
        counters_.malformed.add();
}

/// The program executes, too, but what leaves is the lcore's to send.
void Memory::hand_out_answers() {
    for (const Store::Answer& answer : store_.answers()) {
        if (answer.to == here()) {
            fill(answer);
            continue;
        }
        if (answer.to >= to_send_.size()) to_send_.resize(std::size_t{answer.to} + 1);
        runtime::Fifo<Store::Answer>& queue = to_send_[answer.to].answers;
        if (has_lcore() || !queue.empty() || !send(answer)) {
            queue.push(answer);
            ++unsent_;
        }
    }
    store_.answers_taken();
}

/// For a read of this host.
void Memory::fill(const wire::Answer& answer) {
    if (has_lcore()) {
        arrived_.push_back(answer);
        has_arrived_.store(true, std::memory_order_relaxed);
    } else if (!reads_.fill(answer)) [[unlikely]] {
        counters_.malformed.add();
    }
}

/// The program's alone, and its turn.
unsigned Memory::fill_reads() {
    for (const wire::Answer& answer : arrived_) {
        if (!reads_.fill(answer)) [[unlikely]]
            counters_.malformed.add();
    }
    const auto filled = static_cast<unsigned>(arrived_.size());
    arrived_.clear();
    for (const Change& change : changes_)
        change_here(change.host, change.joined);
    changes_.clear();
    has_arrived_.store(false, std::memory_order_relaxed);
    return filled;
}

/// Outside logical time: the time of the read says what was read.
bool Memory::send(const Store::Answer& answer) {
    const noniso::SendBuffer room = answers_.buffer(answer.to, wire::answer_size(answer.words));
    if (!room) return false;
    wire::encode_answer(room.data, answer);
    answers_.send(room);
    answered_ = true;
    if (answer.ticket != Layout::kTicket) counters_.answers.add();
    return true;
}

/// It has been sent otherwise, or there is nobody to send it to.
bool Memory::has_to_wait(const Store::Answer& answer) {
    if (send(answer)) return false;
    if (answers_.state(answer.to) == noniso::PeerState::kUp) return true;
    counters_.unanswered.add();
    return false;
}

unsigned Memory::send_answers() {
    if (time_.arrives()) [[unlikely]]
        arrive();
    unsigned sent = copies_.idle() ? 0 : copies_.send();
    for (std::size_t host = 0; unsent_ != 0 && host < to_send_.size(); ++host) {
        ToSend& its = to_send_[host];
        const auto to = static_cast<NodeId>(host);
        if (its.introduction && !has_to_wait({layout_.told(*its.introduction), to})) {
            its.introduction.reset();
            --unsent_;
            ++sent;
        }
        for (; !its.answers.empty() && !has_to_wait(its.answers.front()); its.answers.pop(), --unsent_)
            ++sent;
        settle(to);
    }
    return sent;
}

/// The answer to a read, or what hosts tell each other of their memory.
void Memory::hear(const niu::Received& message) {
    wire::Answer answer;
    if (wire::is_page_message(message.data)) {
        copies_.take(message.source, message.data);
    } else if (!wire::decode_answer(message.data, answer)) [[unlikely]] {
        counters_.malformed.add();
    } else if (answer.ticket == Layout::kTicket) {
        layout_.hear(message.source, answer);
        if (answer.offset == Layout::kToo) introduce_to(message.source, 0);
    } else {
        fill(answer);
    }
    answers_.release(message);
}

void Memory::take(const niu::Received& message) noexcept {
    assert(!has_lcore());
    came_ = true;
    if (!reads_.fill_variable(message.data)) return hear(message);
    answers_.release(message);
}

/// With an lcore; without one, those from before messages were given to it.
unsigned Memory::take_answers() {
    unsigned taken = 0;
    for (niu::Received message; answers_.receive(message); ++taken)
        hear(message);
    return taken;
}

/// There is nothing to take, to execute or to send: as most polls find it, which therefore look no further.
inline bool Memory::is_idle() const noexcept {
    return !has_next_ && !time_.waiting() && !answers_.waiting() && notices_.empty() && !owes();
}

/// send_answers() has something to do.
inline bool Memory::owes() const noexcept {
    return unsent_ != 0 || !copies_.idle() || time_.arrives();
}

unsigned Memory::poll() {
    if (has_lcore()) {
        if (!has_arrived_.load(std::memory_order_relaxed)) return 0;
        const std::lock_guard turn(turn_);
        return fill_reads();
    }
    if (hurries_ || is_idle()) return 0;
    constexpr unsigned kFew = 8;
    answered_ = false;  // what was sent before the NIU was polled has left
    unsigned done = answers_.waiting() ? take_answers() : 0;
    if (owes()) done += send_answers();
    while (step(done < kFew))
        ++done;
    if (done < kFew && !has_next_) send_off();
    return done;
}

bool Memory::pass_on(Delivery& delivery, bool caught_up) noexcept {
    if (is_idle()) return false;
    const std::unique_lock turn(turn_, std::try_to_lock);
    if (!turn) return false;
    take_answers();
    for (unsigned burst = 0; caught_up && burst < runtime::kBurst && next(); ++burst)
        execute_next();
    send_answers();
    if (next() || !has_next_) return false;
    delivery = next_;
    now_ = next_.time;
    has_next_ = false;
    return true;
}

void Memory::introduce(std::size_t hosts) {
    for (std::size_t host = 0; host < hosts; ++host)
        if (host != here()) introduce_to(static_cast<NodeId>(host), Layout::kToo);
}

void Memory::introduce_to(NodeId host, std::uint16_t too) {
    if (host >= to_send_.size()) to_send_.resize(std::size_t{host} + 1);
    std::optional<std::uint16_t>& introduction = to_send_[host].introduction;
    if (!introduction) ++unsent_;
    introduction = std::max(introduction.value_or(0), too);
}

isotach::LogicalTime Memory::now() const noexcept {
    const std::lock_guard turn(turn_);
    return now_;
}

std::uint64_t Memory::executed() const noexcept {
    const std::lock_guard turn(turn_);
    return issued_ - hits_.size();
}

bool Memory::settled() const noexcept {
    const std::lock_guard turn(turn_);
    return hits_.empty() && unsent_ == 0;
}

bool Memory::receive(Delivery& delivery) {
    if (has_lcore()) {
        if (!endpoint_.receive(delivery)) return false;
        if (delivery.kind == DeliveryKind::kLeft || delivery.kind == DeliveryKind::kJoined)
            poll();  // or the program would know before its memory does
        return true;
    }
    while (step()) {
    }
    if (!has_next_) return false;
    delivery = next_;
    now_ = next_.time;
    has_next_ = false;
    return true;
}

void Memory::describe(nlohmann::json& out) const {
    const std::lock_guard turn(turn_);
    out["isochrons"] = counters_.isochrons.get();
    out["at_once"] = counters_.at_once.get();
    out["accesses"] = store_.counters().accesses.get();
    out["blocked"] = store_.blocked();
    out["answers"] = counters_.answers.get();
    out["dropped_assigns"] = store_.counters().dropped.get() + counters_.unscheduled.get();
    out["misplaced"] = store_.counters().misplaced.get();
    out["malformed"] = counters_.malformed.get();
    out["unanswered"] = counters_.unanswered.get();
    out["withheld"] = counters_.withheld.get();
    out["local_pages"] = pages_.local_pages();
    out["reads_outstanding"] = reads_.outstanding();
}

}  // namespace isoplane::shmem
