// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <array>

#include <isoplane/wire/reject.hh>

namespace isoplane::wire {

std::string_view name(Reject reason) {
    static constexpr std::array<std::string_view, kRejectCount> kNames = {"none",
                                                                          "not_ours",
                                                                          "short_frame",
                                                                          "bad_encapsulation",
                                                                          "bad_version",
                                                                          "bad_header_crc",
                                                                          "bad_kind",
                                                                          "bad_flags",
                                                                          "bad_key",
                                                                          "bad_source",
                                                                          "bad_destination",
                                                                          "bad_length",
                                                                          "bad_payload_crc",
                                                                          "bad_body"};
    const auto index = static_cast<std::size_t>(reason);
    return index < kNames.size() ? kNames[index] : "unknown";
}

}  // namespace isoplane::wire
