// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Accesses to shared memory, as they stand one after the other in a message of Operation::kAccesses; and the
/// answer to one that reads, a message of Protocol::kShmem.
///
/// Shared memory consists of words of 32 bits. A variable of 64 bits is two of them, the higher half first.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <isoplane/wire/byte_order.hh>

namespace isoplane::wire {

enum class AccessCode : std::uint8_t {
    kRead = 1,
    kWrite,
    kSched,        ///< the words have no value from here on, until it is assigned
    kAssign,       ///< the value of a kSched
    kAdd,          ///< these three read the old value, too, for who wants it; of one variable
    kSwap,         ///< another value
    kCompareSwap,  ///< another value, if it was the expected one
};

/// Words that one access covers, at most.
inline constexpr unsigned kMostAccessWords = 32;

namespace access_layout {
using Code = Field<std::uint8_t, 0>;
using Words = Field<std::uint16_t, 2>;
using Address = Field<std::uint32_t, 4>;
using Ticket = Field<std::uint32_t, 8>;
inline constexpr std::size_t kSize = Ticket::kEnd;
}  // namespace access_layout

struct Access {
    AccessCode code = AccessCode::kRead;
    std::uint16_t words = 1;    ///< that it covers
    std::uint32_t address = 0;  ///< of the first of them
    std::uint32_t ticket = 0;   ///< under which the issuer wants what it reads; 0 when it does not
    std::span<const std::byte> operands{};  ///< words: see operand_words()

    std::uint32_t operand(std::size_t i) const {
        return Field<std::uint32_t, 0>::get(operands.data() + 4 * i);
    }
};

/// Where the operands of an access have what it writes.
constexpr std::size_t values_at(AccessCode code) {
    return code == AccessCode::kAssign ? 2 : 0;
}

/// How many words of operands follow:
///
///     kRead         where in the answer to that ticket its words belong
///     kWrite        the values
///     kSched        the number that its issuer gives it
///     kAssign       the host and the number of the kSched, the values
///     kAdd, kSwap   the value
///     kCompareSwap  the expected value, the new one
constexpr std::size_t operand_words(AccessCode code, std::size_t words) {
    switch (code) {
        case AccessCode::kRead:
        case AccessCode::kSched:
            return 1;
        case AccessCode::kWrite:
        case AccessCode::kAdd:
        case AccessCode::kSwap:
            return words;
        case AccessCode::kAssign:
            return 2 + words;
        case AccessCode::kCompareSwap:
            return 2 * words;
    }
    return 0;
}

constexpr std::size_t access_size(AccessCode code, std::size_t words) {
    return access_layout::kSize + 4 * operand_words(code, words);
}

/// Whether it yields the value that was there before.
constexpr bool yields(AccessCode code) {
    return code == AccessCode::kRead || code >= AccessCode::kAdd;
}

/// Writes the head; the operands are to follow it.
inline void encode_access(std::span<std::byte, access_layout::kSize> out, const Access& access) {
    static_assert(access_layout::Code::kOffset == 0 && access_layout::Words::kOffset == 2 &&
                  access_layout::Address::kOffset == 4);
    Field<std::uint64_t, 0>::put(out.data(), std::uint64_t{static_cast<std::uint8_t>(access.code)} << 56 |
                                                 std::uint64_t{access.words} << 32 | access.address);
    access_layout::Ticket::put(out.data(), access.ticket);
}

/// The same of one with a single operand, and that.
inline void encode_access(std::span<std::byte, access_layout::kSize + 4> out, const Access& access,
                          std::uint32_t operand) {
    static_assert(access_layout::Code::kOffset == 0 && access_layout::Words::kOffset == 2 &&
                  access_layout::Address::kOffset == 4 && access_layout::Ticket::kOffset == 8);
    using Two = std::uint64_t;
    Field<Two, 0>::put(out.data(), Two{static_cast<std::uint8_t>(access.code)} << 56 |
                                       Two{access.words} << 32 | access.address);
    Field<Two, 8>::put(out.data(), Two{access.ticket} << 32 | operand);
}

/// Walks the accesses of a message, validating each before it is handed out.
class AccessCursor {
  public:
    explicit AccessCursor(std::span<const std::byte> message) : rest_(message) {}

    /// The next. False at the end, and at the first that is malformed: an unknown code, no word or more than
    /// kMostAccessWords, a variable of more than two words, operands that are missing, words beyond the last
    /// address.
    bool next(Access& access) {
        if (rest_.size() < access_layout::kSize) return false;
        const auto code = static_cast<AccessCode>(access_layout::Code::get(rest_.data()));
        const std::uint16_t words = access_layout::Words::get(rest_.data());
        const std::uint32_t address = access_layout::Address::get(rest_.data());
        if (!is_possible(code, words, address)) return false;
        const std::size_t size = access_size(code, words);
        if (rest_.size() < size) return false;
        access = {code, words, address, access_layout::Ticket::get(rest_.data()),
                  rest_.first(size).subspan(access_layout::kSize)};
        rest_ = rest_.subspan(size);
        return true;
    }
    /// After next() was false: whether that was the end.
    bool at_end() const { return rest_.empty(); }

  private:
    static bool is_possible(AccessCode code, std::size_t words, std::uint32_t address) {
        if (code < AccessCode::kRead || code > AccessCode::kCompareSwap) return false;
        const std::size_t most = code >= AccessCode::kAdd ? 2 : kMostAccessWords;
        return words >= 1 && words <= most && address + (words - 1) <= UINT32_MAX;
    }

    std::span<const std::byte> rest_;
};

/// What an access has read; with no words, that it will never be known, as a host has died.
struct Answer {
    std::uint32_t ticket = 0;
    std::uint16_t offset = 0;  ///< among all that is read under that ticket
    std::uint16_t words = 0;
    std::array<std::uint32_t, kMostAccessWords> values;  ///< so many of them: to clear all takes long

    std::span<const std::uint32_t> told() const noexcept { return {values.data(), words}; }
};

namespace answer_layout {
using Ticket = Field<std::uint32_t, 0>;
using Offset = Field<std::uint16_t, 4>;
using Words = Field<std::uint16_t, 6>;
inline constexpr std::size_t kSize = Words::kEnd;
}  // namespace answer_layout

/// Two words at a time, the last with a zero: so that what comes behind it in a frame begins where a CRC can
/// read it as it was written.
constexpr std::size_t answer_size(std::size_t words) {
    return answer_layout::kSize + 8 * ((words + 1) / 2);
}

/// `out` has answer_size(answer.words) bytes. Written in words, so that a CRC which reads it at once need not
/// wait.
inline void encode_answer(std::span<std::byte> out, const Answer& answer) {
    static_assert(answer_layout::Ticket::kOffset == 0 && answer_layout::Offset::kOffset == 4 &&
                  answer_layout::Words::kOffset == 6);
    using Two = Field<std::uint64_t, 0>;
    Two::put(out.data(),
             std::uint64_t{answer.ticket} << 32 | std::uint64_t{answer.offset} << 16 | answer.words);
    for (std::size_t i = 0; i < answer.words; i += 2) {
        const std::uint32_t second = i + 1 < answer.words ? answer.values[i + 1] : 0;
        Two::put(out.data() + answer_layout::kSize + 4 * i, std::uint64_t{answer.values[i]} << 32 | second);
    }
}
/// False, with `answer` in any state, when it is malformed.
inline bool decode_answer(std::span<const std::byte> in, Answer& answer) {
    if (in.size() < answer_layout::kSize) return false;
    answer.ticket = answer_layout::Ticket::get(in.data());
    answer.offset = answer_layout::Offset::get(in.data());
    answer.words = answer_layout::Words::get(in.data());
    if (answer.words > kMostAccessWords || in.size() != answer_size(answer.words)) return false;
    for (std::size_t i = 0; i < answer.words; ++i)
        answer.values[i] = Field<std::uint32_t, answer_layout::kSize>::get(in.data() + 4 * i);
    return true;
}

}  // namespace isoplane::wire
