// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/runtime/fifo.hh>
#include <isoplane/siu/siu.hh>
#include <isoplane/wire/isotach.hh>
#include <isoplane/wire/message.hh>
#include <isoplane/wire/run.hh>

#include <isoplane/isotach/delivery.hh>

namespace isoplane::isotach {

using siu::Pulse;

/// Messages that one host has sent in a row and that stand behind each other in a frame, each read when its
/// turn comes.
struct Stretch {
    const std::byte* next = nullptr;  ///< the header of the message that is next
    Pulse first = 0;                  ///< of that
    Pulse last = 0;          ///< of the last message; none is of an earlier pulse than the one before it
    std::uint32_t left = 0;  ///< messages
    niu::FrameTable::Id frame = 0;
    std::uint32_t isochron = 0;  ///< the place of the message before the next: a step from that is one's
    std::uint32_t rank = 0;      ///< in a run
    NodeId host = 0;

    /// The message that is next. Member by member, as what reads it does.
    void read(Delivery& message) const noexcept {
        const std::size_t length = wire::message_layout::Length::get(next);
        const std::byte* const body = next + wire::kMessageHeaderSize;
        if (steps()) [[likely]] {
            const std::uint32_t step = wire::message_layout::SizeOrOffset::get(next);
            message.operation = wire::run_step::operation(step);
            message.isochron = isochron + wire::run_step::isochrons(step);
            message.time.pulse = first;
            message.time.host = host;
            message.time.rank = rank + wire::run_step::ranks(step);
            message.data = {body, length};
        } else {
            const wire::IsotachHeader header = extension();
            message.operation = header.operation;
            message.isochron = header.isochron;
            message.time.pulse = header.pulse;
            message.time.host = header.host;
            message.time.rank = header.rank;
            message.data = {body + wire::kIsotachSize, length - wire::kIsotachSize};
        }
        message.kind = DeliveryKind::kMessage;
        message.channel = 0;
        message.time.place = Place::kWithin;
        message.frame = frame;
        message.own = nullptr;
        message.payload = nullptr;
    }
    /// Only while more than one is left.
    void step() noexcept {
        if (steps()) [[likely]] {
            const std::uint32_t step = wire::message_layout::SizeOrOffset::get(next);
            isochron += wire::run_step::isochrons(step);
            rank += wire::run_step::ranks(step);
        } else {
            const wire::IsotachHeader place = extension();
            isochron = place.isochron;
            first = place.pulse;
            host = place.host;
            rank = place.rank;
        }
        next += wire::kMessageHeaderSize + wire::message_layout::Length::get(next);
        if (!steps()) first = wire::isotach_layout::Pulse::get(next + wire::kMessageHeaderSize);
        --left;
    }
    /// Takes what is in pulses up to this one, which are some, but not all.
    Stretch split(Pulse pulse) noexcept {
        Stretch before = *this;
        before.left = 0;
        for (; left > 1 && first <= pulse; step()) {
            before.last = first;
            ++before.left;
        }
        return before;
    }

  private:
    /// The message that is next has no extension.
    bool steps() const noexcept { return wire::message_layout::Fragment::get(next) == wire::kInRun; }
    wire::IsotachHeader extension() const noexcept {
        return wire::decode_isotach(std::span<const std::byte, wire::kIsotachSize>(
            next + wire::kMessageHeaderSize, wire::kIsotachSize));
    }
};

/// Such messages; or one by itself, whatever it is. The former, as nearly all are, in one line of the cache.
struct alignas(64) Run {
    Stretch stretch{};  ///< without a next message where there is one by itself
    Delivery single{};

    bool in_frame() const noexcept { return stretch.next != nullptr; }
    std::uint32_t left() const noexcept { return in_frame() ? stretch.left : 1; }
    Pulse first_pulse() const noexcept { return in_frame() ? stretch.first : single.time.pulse; }
    Pulse last_pulse() const noexcept { return in_frame() ? stretch.last : single.time.pulse; }
};

/// Messages in the order in which they are executed, as runs.
class RunQueue {
  public:
    bool empty() const noexcept { return runs_.empty(); }
    /// Messages.
    std::size_t size() const noexcept { return size_; }

    /// A place for a message by itself, all of which is to be written at once.
    Delivery& add() noexcept {
        Run& run = runs_.next();
        run.stretch.next = nullptr;
        ++size_;
        return run.single;
    }
    /// So many messages behind each other in a frame, from that header on, and the pulses of the first, which
    /// has an extension, and the last. Written in place (runtime::Fifo::next).
    void add(niu::FrameTable::Id frame, const std::byte* next, std::uint32_t messages, Pulse first,
             Pulse last) noexcept {
        Stretch& stretch = runs_.next().stretch;
        stretch.next = next;
        stretch.first = first;
        stretch.last = last;
        stretch.left = messages;
        stretch.frame = frame;
        size_ += messages;
    }

    // Only while not empty.

    Pulse first_pulse() const noexcept { return runs_.front().first_pulse(); }
    Pulse last_pulse() const noexcept { return runs_.back().last_pulse(); }
    /// The first message is its next one.
    const Run& front() const noexcept { return runs_.front(); }
    Delivery first() const noexcept { return first_of(runs_.front()); }
    /// Drops the first message. Returns whether a run ends with it.
    bool pop() noexcept {
        --size_;
        if (Run& run = runs_.front(); run.in_frame() && run.stretch.left > 1) [[likely]] {
            run.stretch.step();
            return false;
        }
        runs_.pop();
        return true;
    }

    /// Moves what is in front and in pulses up to this one. Returns how many messages that were.
    [[gnu::noinline]] std::size_t move(Pulse pulse, RunQueue& to) noexcept {
        const std::size_t before = size_;
        while (!empty() && first_pulse() <= pulse) {
            Run& run = runs_.front();
            if (!run.in_frame()) {
                to.add() = run.single;
                --size_;
                runs_.pop();
            } else if (run.stretch.left > 1 && run.stretch.last > pulse) {
                to.push(take(run.stretch.split(pulse)));
            } else {
                to.push(take(run.stretch));
                runs_.pop();
            }
        }
        return before - size_;
    }
    void swap(RunQueue& other) noexcept {
        runs_.swap(other.runs_);
        std::swap(size_, other.size_);
    }
    /// Each message, from the first to the last.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        runs_.for_each([&](Run run) {
            for (std::uint32_t left = run.left(); left != 0; --left) {
                visit(first_of(run));
                if (left > 1) run.stretch.step();
            }
        });
    }

  private:
    static Delivery first_of(const Run& run) noexcept {
        if (!run.in_frame()) return run.single;
        Delivery message;
        run.stretch.read(message);
        return message;
    }
    const Stretch& take(const Stretch& stretch) noexcept {
        size_ -= stretch.left;
        return stretch;
    }
    void push(const Stretch& stretch) noexcept {
        runs_.next().stretch = stretch;
        size_ += stretch.left;
    }

    runtime::Fifo<Run> runs_;
    std::size_t size_ = 0;
};

}  // namespace isoplane::isotach
