// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/wire/access.hh>

namespace isoplane::wire {

namespace {

bool is_possible(AccessCode code, std::size_t words, std::uint32_t address) {
    if (code < AccessCode::kRead || code > AccessCode::kCompareSwap) return false;
    const std::size_t most = code >= AccessCode::kAdd ? 2 : kMostAccessWords;
    return words >= 1 && words <= most && address + (words - 1) <= UINT32_MAX;
}

}  // namespace

void encode_access(std::span<std::byte, access_layout::kSize> out, const Access& access) {
    std::fill(out.begin(), out.end(), std::byte{});
    access_layout::Code::put(out.data(), static_cast<std::uint8_t>(access.code));
    access_layout::Words::put(out.data(), access.words);
    access_layout::Address::put(out.data(), access.address);
    access_layout::Ticket::put(out.data(), access.ticket);
}

bool AccessCursor::next(Access& access) {
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

void encode_answer(std::span<std::byte> out, const Answer& answer) {
    answer_layout::Ticket::put(out.data(), answer.ticket);
    answer_layout::Offset::put(out.data(), answer.offset);
    answer_layout::Words::put(out.data(), answer.words);
    for (std::size_t i = 0; i < answer.words; ++i)
        Field<std::uint32_t, answer_layout::kSize>::put(out.data() + 4 * i, answer.values[i]);
}

bool decode_answer(std::span<const std::byte> in, Answer& answer) {
    if (in.size() < answer_layout::kSize) return false;
    answer.ticket = answer_layout::Ticket::get(in.data());
    answer.offset = answer_layout::Offset::get(in.data());
    answer.words = answer_layout::Words::get(in.data());
    if (answer.words == 0 || answer.words > kMostAccessWords || in.size() != answer_size(answer.words))
        return false;
    for (std::size_t i = 0; i < answer.words; ++i)
        answer.values[i] = Field<std::uint32_t, answer_layout::kSize>::get(in.data() + 4 * i);
    return true;
}

}  // namespace isoplane::wire
