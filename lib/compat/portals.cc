// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "portals.hh"

#include <unistd.h>

#include <algorithm>
#include <new>

#include "portals_network.hh"

#include <p3nal_isoplane.h>

namespace isoplane::compat {

using portals::Handle;
using portals::HandleParts;
using portals::kMostInterfaces;
using portals::Limits;
using portals::Status;

constexpr unsigned kNetwork = kMostInterfaces - 1;

Portals& Portals::instance() {
    // Never destroyed: a thread may still be in a call when the program ends.
    static Portals* const portals = new Portals;
    return *portals;
}

void Inside::stay() noexcept {
    while (depth_ == 0)
        pause();
}

void Portals::init() {
    const Lock lock(mutex_);
    if (initialised_) return;
    loopback_ = std::make_shared<nal::Loopback>();
    initialised_ = true;
}

void Portals::fini() {
    const Lock lock(mutex_);
    for (auto& opened : interfaces_) {
        if (opened == nullptr) continue;
        opened->ni.close();
        forget(opened);
    }
    loopback_.reset();
    if (!PortalsNetwork::instance().is_of_parent()) PortalsNetwork::instance().leave();
    next_group_ = {};
    jid_ = portals::kAny;
    initialised_ = false;
}

bool Portals::is_initialised() {
    const Lock lock(mutex_);
    return initialised_;
}

void Portals::set_jid(portals::Jid jid) {
    const Lock lock(mutex_);
    jid_ = jid;
}

/// Its parent may be in the midst of anything with the network: nothing of that is used, nor freed. Nor does
/// a thread that held the lock exist here.
void Portals::on_fork() noexcept {
    new (&mutex_) std::mutex;
    if (interfaces_[kNetwork] != nullptr) inherited_ = std::move(interfaces_[kNetwork]);
}

/// The network is the last interface. A program that is in no job has none but itself to talk to.
Status Portals::nal_of(ptl_interface_t iface, unsigned& number, std::shared_ptr<portals::Nal>& nal) {
    PortalsNetwork& network = PortalsNetwork::instance();
    if (iface == PTL_IFACE_ISOPLANE && network.is_there()) {
        number = kNetwork;
        nal = network.nal();
        return nal != nullptr ? Status::kOk : Status::kFail;
    }
    if (iface == PTL_IFACE_ISOPLANE) iface = PTL_IFACE_LOOPBACK0;
    if (iface < PTL_IFACE_LOOPBACK0 || iface >= PTL_IFACE_LOOPBACK(kNetwork)) return Status::kIfaceInvalid;
    number = iface - PTL_IFACE_LOOPBACK0;
    nal = loopback_;
    return Status::kOk;
}

Status Portals::open(ptl_interface_t iface, portals::Pid wanted, const Limits& desired,
                     std::shared_ptr<PortalsInterface>& opened) {
    const Lock lock(mutex_);
    if (!initialised_) return Status::kNoInit;
    unsigned number = 0;
    std::shared_ptr<portals::Nal> nal;
    if (const Status status = nal_of(iface, number, nal); status != Status::kOk) return status;
    opened = interfaces_[number];
    if (opened != nullptr) return Status::kOk;

    const auto pid = next_group_.pid();
    if (pid && wanted == portals::kAny) wanted = *pid;
    if (pid && wanted != *pid) return Status::kPidInvalid;
    opened.reset(new PortalsInterface{
        .nal = nal,
        .ni = {number, *nal,
               portals::Options{.limits = desired, .uid = geteuid(), .jid = jid_, .generation = generation_}},
        .iface = iface,
        .handle = HandleParts{portals::Kind::kInterface, number, 0, generation_}.pack(),
        .group = {}});
    if (const Status status = opened->ni.open(wanted); status != Status::kOk) return status;
    jid_ = opened->ni.jid();
    opened->group = std::exchange(next_group_, {});
    interfaces_[number] = opened;
    return Status::kOk;
}

Status Portals::close(ptl_handle_ni_t handle) {
    const Inside inside;
    std::shared_ptr<PortalsInterface> closed;
    {
        const Lock lock(mutex_);
        closed = find(handle, true);
        if (closed == nullptr) return initialised_ ? Status::kNiInvalid : Status::kNoInit;
        forget(interfaces_[HandleParts::unpack(handle).interface]);
    }
    closed->ni.close();
    return Status::kOk;
}

/// Who asks for its place next gets other handles.
void Portals::forget(std::shared_ptr<PortalsInterface>& opened) {
    generation_ = std::max(generation_, opened->ni.next_generation());
    opened.reset();
}

std::shared_ptr<PortalsInterface> Portals::find(ptl_handle_any_t handle, bool itself) const {
    const HandleParts parts = HandleParts::unpack(handle);
    if (parts.generation >= HandleParts::kGenerations) return nullptr;
    const auto& found = interfaces_[parts.interface];
    const bool is_ni = itself || parts.kind == portals::Kind::kInterface;
    return found != nullptr && is_ni && found->handle != handle ? nullptr : found;
}

std::shared_ptr<PortalsInterface> Portals::of(ptl_handle_any_t object) {
    const std::lock_guard lock(mutex_);
    return find(object, false);
}

std::shared_ptr<PortalsInterface> Portals::interface(ptl_handle_ni_t handle) {
    const std::lock_guard lock(mutex_);
    return find(handle, true);
}

}  // namespace isoplane::compat

using isoplane::compat::Inside;
using isoplane::compat::on_interface;
using isoplane::compat::on_interface_of;
using isoplane::compat::Portals;
using isoplane::compat::PortalsInterface;
using namespace isoplane::portals;

int PtlInit(int* max_interfaces) {
    Portals::instance().init();
    if (max_interfaces != nullptr) *max_interfaces = kMostInterfaces;
    return PTL_OK;
}

/// A program that clears up in a handler of a signal that has interrupted a call, as many do, ends next, and
/// all that it has with it. There is nothing it could wait for.
void PtlFini() {
    if (Inside::anything()) return isoplane::compat::PortalsNetwork::instance().abandon();
    Portals::instance().fini();
}

int PtlNIInit(ptl_interface_t iface, ptl_pid_t pid, ptl_ni_limits_t* desired, ptl_ni_limits_t* actual,
              ptl_handle_ni_t* ni) {
    if (ni == nullptr) return PTL_SEGV;
    Limits limits;
    if (desired != nullptr) {
        const auto less = [](int& limit, int wanted) { limit = std::clamp(wanted, 0, limit); };
        less(limits.entries, desired->max_mes);
        less(limits.descriptors, desired->max_mds);
        less(limits.queues, desired->max_eqs);
        less(limits.max_ac_index, desired->max_ac_index);
        less(limits.max_pt_index, desired->max_pt_index);
        less(limits.iovecs, desired->max_md_iovecs);
        less(limits.list, desired->max_me_list);
        less(limits.max_getput, desired->max_getput_md);
    }
    const Inside inside;
    std::shared_ptr<PortalsInterface> opened;
    const Status status = Portals::instance().open(iface, pid, limits, opened);
    if (status != Status::kOk) return static_cast<int>(status);
    *ni = opened->handle;
    if (actual == nullptr) return PTL_OK;
    const Limits& given = opened->ni.limits();
    actual->max_mes = given.entries;
    actual->max_mds = given.descriptors;
    actual->max_eqs = given.queues;
    actual->max_ac_index = given.max_ac_index;
    actual->max_pt_index = given.max_pt_index;
    actual->max_md_iovecs = given.iovecs;
    actual->max_me_list = given.list;
    actual->max_getput_md = given.max_getput;
    return PTL_OK;
}

int PtlNIFini(ptl_handle_ni_t ni) {
    if (Inside::anything()) return PTL_OK;
    return static_cast<int>(Portals::instance().close(ni));
}

int PtlNIStatus(ptl_handle_ni_t ni, ptl_sr_index_t reg, ptl_sr_value_t* status) {
    if (status == nullptr) return PTL_SEGV;
    return on_interface(ni, [&](Interface& its) {
        std::uint64_t value = 0;
        const Status read = its.read(static_cast<Register>(reg), value);
        if (read == Status::kOk) *status = value;
        return read;
    });
}

int PtlNIDist(ptl_handle_ni_t ni, ptl_process_id_t process, unsigned long* distance) {
    if (distance == nullptr) return PTL_SEGV;
    return on_interface(ni, [&](Interface& its) {
        *distance = ULONG_MAX;
        if (process.nid == kAny || process.pid == kAny) return Status::kProcessInvalid;
        unsigned long measured = 0;
        if (!its.nal().distance(its.id(), {process.nid, process.pid}, measured))
            return Status::kProcessInvalid;
        *distance = measured;
        return Status::kOk;
    });
}

int PtlNIHandle(ptl_handle_any_t handle, ptl_handle_ni_t* ni) {
    if (ni == nullptr) return PTL_SEGV;
    Portals& portals = Portals::instance();
    if (!portals.is_initialised()) return PTL_NO_INIT;
    const Inside inside;
    const auto found = portals.of(handle);
    if (found == nullptr) return PTL_HANDLE_INVALID;
    *ni = found->handle;
    return PTL_OK;
}

int PtlGetUid(ptl_handle_ni_t ni, ptl_uid_t* uid) {
    if (uid == nullptr) return PTL_SEGV;
    return on_interface(ni, [uid](const Interface& its) {
        *uid = its.uid();
        return Status::kOk;
    });
}

int PtlGetId(ptl_handle_ni_t ni, ptl_process_id_t* id) {
    if (id == nullptr) return PTL_SEGV;
    return on_interface(ni, [id](const Interface& its) {
        *id = {its.id().nid, its.id().pid};
        return Status::kOk;
    });
}

int PtlGetJid(ptl_handle_ni_t ni, ptl_jid_t* jid) {
    if (jid == nullptr) return PTL_SEGV;
    return on_interface(ni, [jid](const Interface& its) {
        *jid = its.jid();
        return Status::kOk;
    });
}

int PtlACEntry(ptl_handle_ni_t ni, ptl_ac_index_t index, ptl_process_id_t match_id, ptl_uid_t uid,
               ptl_jid_t jid, ptl_pt_index_t portal) {
    return on_interface(ni, [&](Interface& its) {
        return its.set_access(index, {{match_id.nid, match_id.pid}, uid, jid, portal});
    });
}
