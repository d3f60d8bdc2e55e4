// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/wire/access.hh>

namespace isoplane::wire {

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
    if (answer.words > kMostAccessWords || in.size() != answer_size(answer.words)) return false;
    for (std::size_t i = 0; i < answer.words; ++i)
        answer.values[i] = Field<std::uint32_t, answer_layout::kSize>::get(in.data() + 4 * i);
    return true;
}

}  // namespace isoplane::wire
