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

/// What one host has sent in a row: messages behind each other in a frame, each read when its turn comes; or
/// one by itself, whatever it is.
struct Run {
    Delivery single{};                ///< of those in a frame all have its `frame`; there is the pulse of
                                      ///< the next one, and the place of the message before it
    const std::byte* next = nullptr;  ///< in a frame: the header of the message that is next
    Pulse last = 0;                   ///< in a frame: of the last message; none is of an earlier pulse than
                                      ///< the one before it
    std::uint32_t left = 1;           ///< messages

    bool in_frame() const noexcept { return next != nullptr; }
    Pulse first_pulse() const noexcept { return single.time.pulse; }
    Pulse last_pulse() const noexcept { return in_frame() ? last : single.time.pulse; }

    /// Of a run in a frame, the message that is next. Member by member, as what reads it does.
    void read(Delivery& message) const noexcept {
        const std::size_t length = wire::message_layout::Length::get(next);
        const std::byte* const body = next + wire::kMessageHeaderSize;
        if (steps()) [[likely]] {
            const std::uint32_t step = wire::message_layout::SizeOrOffset::get(next);
            message.operation = wire::run_step::operation(step);
            message.isochron = single.isochron + wire::run_step::isochrons(step);
            message.time.pulse = single.time.pulse;
            message.time.host = single.time.host;
            message.time.rank = single.time.rank + wire::run_step::ranks(step);
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
        message.frame = single.frame;
        message.own = nullptr;
        message.payload = nullptr;
    }
    /// Only while more than one is left of a run in a frame.
    void step() noexcept {
        if (steps()) [[likely]] {
            const std::uint32_t step = wire::message_layout::SizeOrOffset::get(next);
            single.isochron += wire::run_step::isochrons(step);
            single.time.rank += wire::run_step::ranks(step);
        } else {
            stand_at(extension());
        }
        next += wire::kMessageHeaderSize + wire::message_layout::Length::get(next);
        if (!steps()) single.time.pulse = wire::isotach_layout::Pulse::get(next + wire::kMessageHeaderSize);
        --left;
    }
    void stand_at(const wire::IsotachHeader& place) noexcept {
        single.isochron = place.isochron;
        single.time.pulse = place.pulse;
        single.time.host = place.host;
        single.time.rank = place.rank;
    }
    /// Takes what is in pulses up to this one, which are some, but not all of a run in a frame.
    Run split(Pulse pulse) noexcept {
        Run before = *this;
        before.left = 0;
        for (; left > 1 && first_pulse() <= pulse; step()) {
            before.last = first_pulse();
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

/// Messages in the order in which they are executed, as runs.
class RunQueue {
  public:
    bool empty() const noexcept { return runs_.empty(); }
    /// Messages.
    std::size_t size() const noexcept { return size_; }

    /// A place for a message by itself, all of which is to be written at once.
    Delivery& add() noexcept {
        Run& run = runs_.next();
        run.next = nullptr;
        run.left = 1;
        ++size_;
        return run.single;
    }
    /// So many messages behind each other in a frame, from that header on, and the pulses of the first, which
    /// has an extension, and the last. Written in place (runtime::Fifo::next).
    void add(niu::FrameTable::Id frame, const std::byte* next, std::uint32_t messages, Pulse first,
             Pulse last) noexcept {
        Run& run = runs_.next();
        run.single.time.pulse = first;
        run.single.kind = DeliveryKind::kMessage;
        run.single.frame = frame;
        run.single.payload = nullptr;
        run.next = next;
        run.last = last;
        run.left = messages;
        size_ += messages;
    }
    void push(const Run& run) noexcept {
        runs_.push(run);
        size_ += run.left;
    }

    // Only while not empty.

    Pulse first_pulse() const noexcept { return runs_.front().first_pulse(); }
    Pulse last_pulse() const noexcept { return runs_.back().last_pulse(); }
    /// The first message is its next one.
    const Run& front() const noexcept { return runs_.front(); }
    Delivery first() const noexcept {
        const Run& run = runs_.front();
        if (!run.in_frame()) return run.single;
        Delivery message;
        run.read(message);
        return message;
    }
    /// Drops the first message. Returns whether a run ends with it.
    bool pop() noexcept {
        --size_;
        if (Run& run = runs_.front(); run.left > 1) [[likely]] {
            run.step();
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
            if (run.left > 1 && run.last_pulse() > pulse) {
                const Run part = run.split(pulse);
                size_ -= part.left;
                to.push(part);
            } else {
                size_ -= run.left;
                to.push(run);
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
            RunQueue one;
            for (one.push(run); !one.empty(); one.pop())
                visit(one.first());
        });
    }

  private:
    runtime::Fifo<Run> runs_;
    std::size_t size_ = 0;
};

}  // namespace isoplane::isotach
