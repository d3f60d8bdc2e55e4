// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <array>

#include <isoplane/portals/types.hh>

namespace isoplane::portals {

const char* name_of(Status status) noexcept {
    static constexpr std::array kNames{
        "PTL_OK",
        "PTL_AC_INDEX_INVALID",
        "PTL_EQ_DROPPED",
        "PTL_EQ_EMPTY",
        "PTL_EQ_INVALID",
        "PTL_FAIL",
        "PTL_HANDLE_INVALID",
        "PTL_IFACE_INVALID",
        "PTL_MD_ILLEGAL",
        "PTL_MD_INVALID",
        "PTL_MD_IN_USE",
        "PTL_MD_NO_UPDATE",
        "PTL_ME_INVALID",
        "PTL_ME_IN_USE",
        "PTL_ME_LIST_TOO_LONG",
        "PTL_NI_INVALID",
        "PTL_NO_INIT",
        "PTL_NO_SPACE",
        "PTL_PID_INVALID",
        "PTL_PROCESS_INVALID",
        "PTL_PT_FULL",
        "PTL_PT_INDEX_INVALID",
        "PTL_SEGV",
        "PTL_SR_INDEX_INVALID",
    };
    const auto index = static_cast<std::size_t>(status);
    return index < kNames.size() ? kNames[index] : "PTL_UNKNOWN_ERROR";
}

const char* name_of(Drop reason) noexcept {
    static constexpr std::array<const char*, kDropReasons> kNames{"process",  "portal", "access", "match",
                                                                  "too_long", "answer", "busy"};
    return kNames[static_cast<std::size_t>(reason)];
}

const char* name_of(EventKind kind) noexcept {
    static constexpr std::array kNames{
        "PTL_EVENT_GET_START",    "PTL_EVENT_GET_END",    "PTL_EVENT_PUT_START",   "PTL_EVENT_PUT_END",
        "PTL_EVENT_GETPUT_START", "PTL_EVENT_GETPUT_END", "PTL_EVENT_REPLY_START", "PTL_EVENT_REPLY_END",
        "PTL_EVENT_SEND_START",   "PTL_EVENT_SEND_END",   "PTL_EVENT_ACK",         "PTL_EVENT_UNLINK",
    };
    const auto index = static_cast<std::size_t>(kind);
    return index < kNames.size() ? kNames[index] : "PTL_UNKNOWN_EVENT_KIND";
}

}  // namespace isoplane::portals
