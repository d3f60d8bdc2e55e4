// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Ranks. A group is that of an interface, or waits for the next one to be initialised.
#include <p3rt/p3rt.h>
#include <p3utils.h>

#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <numeric>

#include "portals.hh"
#include "portals_network.hh"

FILE* p3_out = nullptr;

namespace {

using isoplane::compat::Portals;
using isoplane::compat::PortalsGroup;
using isoplane::compat::PortalsInterface;
using isoplane::compat::PortalsNetwork;
using isoplane::portals::Nid;
using isoplane::portals::Pid;
using isoplane::portals::Status;

/// Numbers of any base that C knows, with colons between them; none when there is anything else.
std::vector<std::uint32_t> numbers_of(const char* text) {
    std::vector<std::uint32_t> numbers;
    for (const char* at = text; *at != '\0';) {
        if (*at == ':') {
            ++at;
            continue;
        }
        char* end = nullptr;
        const unsigned long number =
            std::isdigit(static_cast<unsigned char>(*at)) != 0 ? std::strtoul(at, &end, 0) : UINT32_MAX;
        // The last number there is stands for any.
        if (number >= UINT32_MAX || (*end != ':' && *end != '\0')) return {};
        numbers.push_back(static_cast<std::uint32_t>(number));
        at = end;
    }
    return numbers;
}

/// As the launcher has started it: rank N is node N.
Status from_job(PortalsGroup& group) {
    PortalsNetwork& network = PortalsNetwork::instance();
    if (!network.is_there()) return Status::kNoInit;
    const auto size = static_cast<unsigned>(network.settings().hosts().size());
    group = {.rank = network.settings().node(),
             .size = size,
             .nids = std::vector<Nid>(size),
             .pids = std::vector<Pid>(size, PortalsNetwork::kPid)};
    std::iota(group.nids.begin(), group.nids.end(), 0U);
    return Status::kOk;
}

Status from_environment(PortalsGroup& group) {
    const char* const rank = std::getenv("PTL_MY_RID");
    const char* const nids = std::getenv("PTL_NIDMAP");
    const char* const pids = std::getenv("PTL_PIDMAP");
    if (rank == nullptr && nids == nullptr && pids == nullptr) return from_job(group);
    // Who says a part of it does not mean another's.
    if (rank == nullptr || nids == nullptr || pids == nullptr) return Status::kNoInit;
    const auto ranks = numbers_of(rank);
    if (ranks.size() != 1) return Status::kFail;
    PortalsGroup read{.rank = ranks[0], .size = 0, .nids = numbers_of(nids), .pids = numbers_of(pids)};
    read.size = static_cast<unsigned>(read.nids.size());
    if (read.nids.size() != read.pids.size() || *read.rank >= read.size) return Status::kFail;
    group = std::move(read);
    return Status::kOk;
}

/// An interface that has its pid already must be the process that the group says.
Status fits(const PortalsGroup& group, const PortalsInterface* ni) {
    const auto pid = group.pid();
    return ni != nullptr && pid && *pid != ni->ni.id().pid ? Status::kPidInvalid : Status::kOk;
}

template <typename Map>
int set_map(ptl_handle_ni_t ni, Map map, const std::uint32_t* values, unsigned size, Status wrong) {
    if (values == nullptr) return PTL_SEGV;
    return static_cast<int>(
        Portals::instance().with_group(ni, [&](PortalsGroup& group, const PortalsInterface* its) {
            if (!(group.*map).empty() || size == 0 || (group.size != 0 && group.size != size)) return wrong;
            PortalsGroup changed = group;
            (changed.*map).assign(values, values + size);
            changed.size = size;
            const Status status = fits(changed, its);
            if (status == Status::kOk) group = changed;
            return status;
        }));
}

/// Of an interface, which must have a group.
template <typename Call>
int read_group(ptl_handle_ni_t ni, Call&& call) {
    Portals& portals = Portals::instance();
    if (ni == PTL_INVALID_HANDLE) return portals.is_initialised() ? PTL_NI_INVALID : PTL_NO_INIT;
    return static_cast<int>(portals.with_group(ni, [&](const PortalsGroup& group, const PortalsInterface*) {
        return group.rank ? call(group) : Status::kNoInit;
    }));
}

int get_map(ptl_handle_ni_t ni, std::vector<std::uint32_t> PortalsGroup::*map, std::uint32_t* out,
            unsigned size) {
    if (out == nullptr) return PTL_SEGV;
    return read_group(ni, [&](const PortalsGroup& group) {
        if ((group.*map).empty()) return Status::kNoInit;
        if (size != group.size) return Status::kFail;
        std::copy((group.*map).begin(), (group.*map).end(), out);
        return Status::kOk;
    });
}

}  // namespace

int PtlSetRank(ptl_handle_ni_t ni, unsigned int rank, unsigned int group_size) {
    const int set = static_cast<int>(
        Portals::instance().with_group(ni, [&](PortalsGroup& group, const PortalsInterface* its) {
            PortalsGroup changed = group;
            if (rank == ~0U && group_size == ~0U) {
                if (const Status status = from_environment(changed); status != Status::kOk) return status;
            } else {
                if (rank >= group_size || (group.size != 0 && group.size != group_size)) return Status::kFail;
                changed.rank = rank;
                changed.size = group_size;
            }
            const Status status = fits(changed, its);
            if (status == Status::kOk) group = changed;
            return status;
        }));
    const char* const jid = std::getenv("PTL_MY_JID");
    if (set == PTL_OK && rank == ~0U && jid != nullptr)
        return PtlSetJID(static_cast<ptl_jid_t>(std::strtoul(jid, nullptr, 0)));
    return set;
}

int PtlSetNIDMap(ptl_handle_ni_t ni, ptl_nid_t* map, unsigned int group_size) {
    return set_map(ni, &PortalsGroup::nids, map, group_size, Status::kFail);
}

int PtlSetPIDMap(ptl_handle_ni_t ni, ptl_pid_t* map, unsigned int group_size) {
    return set_map(ni, &PortalsGroup::pids, map, group_size, Status::kPidInvalid);
}

int PtlGetRank(ptl_handle_ni_t ni, unsigned int* rank, unsigned int* group_size) {
    if (rank == nullptr || group_size == nullptr) return PTL_SEGV;
    return read_group(ni, [&](const PortalsGroup& group) {
        *rank = *group.rank;
        *group_size = group.size;
        return Status::kOk;
    });
}

int PtlGetRankId(ptl_handle_ni_t ni, unsigned int rank, ptl_process_id_t* id) {
    if (id == nullptr) return PTL_SEGV;
    return read_group(ni, [&](const PortalsGroup& group) {
        if (rank >= group.nids.size() || rank >= group.pids.size()) return Status::kNoInit;
        *id = {group.nids[rank], group.pids[rank]};
        return Status::kOk;
    });
}

int PtlGetNIDMap(ptl_handle_ni_t ni, ptl_nid_t* map, unsigned int group_size) {
    return get_map(ni, &PortalsGroup::nids, map, group_size);
}

int PtlGetPIDMap(ptl_handle_ni_t ni, ptl_pid_t* map, unsigned int group_size) {
    return get_map(ni, &PortalsGroup::pids, map, group_size);
}

int PtlSetJID(ptl_jid_t jid) {
    if (!Portals::instance().is_initialised()) return PTL_NO_INIT;
    Portals::instance().set_jid(jid);
    return PTL_OK;
}
