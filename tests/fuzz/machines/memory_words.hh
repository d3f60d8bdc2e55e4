// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/shmem/layout.hh>
#include <isoplane/wire/access.hh>
#include <isoplane/wire/page.hh>
#include <isoplane/wire/run.hh>
#include <vector>

#include "bytes.hh"
#include "strangers.hh"

namespace isoplane::fuzz {

constexpr std::uint32_t kPages = 3;
constexpr std::uint32_t kPageWords = 16;

/// What another host says of shared memory outside logical time: copies of pages, and what has been read;
/// much of it answers, or nearly, to what it heard.
class MemoryWords {
  public:
    void hear(const wire::Message& message) {
        if (message.header.protocol == wire::Protocol::kShmem) return hear_page(message.body);
        if (message.header.protocol != wire::Protocol::kIsotach) return;
        const auto [place, data] = ordered_.read(message);
        if (!wire::is_of_copies(place.operation)) return;
        const bool clocked = (place.flags & wire::kIsotachClocked) != 0;
        wire::AccessCursor accesses(data.subspan(clocked ? wire::kIsotachClockSize : 0));
        for (wire::Access access; accesses.next(access);)
            if (wire::yields(access.code) && access.ticket != 0)
                read_ = {access.ticket, access.code == wire::AccessCode::kRead ? access.operand(0) : 0,
                         access.words};
    }

    /// A message, while the machine's view has begun at `base`.
    std::vector<std::byte> say(std::uint64_t base, Bytes& in) {
        const auto how = in.take<std::uint8_t>();
        if (how < 48) return answer(in);
        if (how < 56) return layout(in);
        return page(how % 8, base, in);
    }

  private:
    using Numbers = std::vector<std::uint32_t>;

    struct Read {
        std::uint32_t ticket = 1;
        std::uint32_t offset = 0;
        std::uint16_t words = 1;
    };

    void hear_page(std::span<const std::byte> body) {
        const auto message = wire::decode_page_message(body);
        if (!message || message->step != wire::PageStep::kAsk) return;
        asked_ = *message;
        told_ = 0;
    }

    std::vector<std::byte> answer(Bytes& in) {
        wire::Answer answer{.ticket = in.near(read_.ticket),
                            .offset = static_cast<std::uint16_t>(in.near(read_.offset)),
                            .words = std::min(in.near(read_.words), std::uint16_t{wire::kMostAccessWords})};
        answer.values.fill(in.take<std::uint8_t>());
        return encoded(answer);
    }
    static std::vector<std::byte> layout(Bytes& in) {
        return encoded({.ticket = shmem::Layout::kTicket,
                        .offset = in.near(shmem::Layout::kToo),
                        .words = 4,
                        .values = {in.near(kPages), in.near(kPageWords)}});
    }
    static std::vector<std::byte> encoded(const wire::Answer& answer) {
        std::vector<std::byte> out(wire::answer_size(answer.words));
        wire::encode_answer(out, answer);
        return out;
    }

    /// Asks for one as well as any; what it tells is what it was asked for last.
    std::vector<std::byte> page(unsigned how, std::uint64_t base, Bytes& in) {
        Numbers words;
        wire::PageMessage message{.pulse = in.near(asked_.pulse), .page = in.near(asked_.page)};
        if (how < 2) {
            message.pulse = in.near(base);
            message.page = in.take<std::uint8_t>() % (kPages + 1);
        } else if (how < 4) {
            message.step = wire::PageStep::kWords;
            message.offset = in.near(told_);
            const std::uint32_t rest = told_ < kPageWords ? kPageWords - told_ : 0;
            words.assign(in.near(static_cast<std::uint8_t>(rest)) % 64U, 7);
            told_ += static_cast<std::uint32_t>(words.size());
        } else if (how < 6) {
            message.step = wire::PageStep::kOpen;
            words = open(in);
        } else {
            message.step = how == 6 ? wire::PageStep::kWhole : wire::PageStep::kNone;
        }
        message.step = static_cast<wire::PageStep>(in.near(static_cast<std::uint8_t>(message.step)));
        message.words = in.near(static_cast<std::uint16_t>(words.size()));
        return encoded(message, words);
    }
    static std::vector<std::byte> encoded(const wire::PageMessage& message, const Numbers& words) {
        std::vector<std::byte> out(wire::page_message_size(words.size()));
        wire::encode_page_message(out, message);
        for (std::size_t i = 0; i < words.size(); ++i)
            wire::Field<std::uint32_t, 0>::put(out.data() + wire::page_message_size(i), words[i]);
        return out;
    }

    /// What of the page has no value: versions of its words, and accesses that wait for them.
    Numbers open(Bytes& in) const {
        const auto how = in.take<std::uint8_t>();
        const std::uint32_t begin = asked_.page * kPageWords;
        Numbers numbers{in.near(how % 4U)};
        Numbers known{0, 0, 0};  // a word, and a version of it
        for (unsigned n = how % 4; n > 0; --n) {
            const auto version = in.take<std::uint8_t>();
            known = {in.near(begin + version % kPageWords), in.near(version / 64U << (version % 2 * 30)),
                     version};
            numbers.insert(numbers.end(), known.begin(), known.end());
            numbers.push_back(version % 2U);
        }
        for (unsigned n = how / 4 % 3; n > 0; --n) {
            const auto code = static_cast<std::uint32_t>(wire::AccessCode::kAdd) + how / 16U % 3;
            numbers.insert(numbers.end(), {in.near(code), in.near(1U), in.near(known[0]), how / 128U});
            for (unsigned i = 0; i < 8; ++i)
                numbers.push_back(in.take<std::uint8_t>());
            numbers.insert(numbers.end(), {in.near(known[1]), in.near(known[2]), 0, in.take<std::uint8_t>()});
        }
        return numbers;
    }

    wire::OrderedReader ordered_;  ///< of what it hears, frame by frame
    Read read_;                    ///< that it was asked for last
    wire::PageMessage asked_;
    std::uint32_t told_ = 0;  ///< words of that page
};

}  // namespace isoplane::fuzz
