// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Nothing of an endpoint without connections comes by an event queue: it has what its user writes.
#include <chrono>
#include <cstring>
#include <deque>
#include <isoplane/portals/spin_lock.hh>
#include <mutex>
#include <thread>
#include <vector>

#include "fabric.hh"

namespace isoplane::fi {

namespace {

struct Note {
    std::uint32_t event;
    std::vector<std::byte> data;
};

struct NoteQueue : fid_eq {
    using Fid = fid_eq;

    Use<Fabric> fabric;
    portals::SpinLock lock;
    std::deque<Note> notes;
};

ssize_t read(fid_eq* its, std::uint32_t* event, void* buffer, std::size_t size, std::uint64_t flags) {
    NoteQueue& queue = object<NoteQueue>(its);
    const std::lock_guard guard(queue.lock);
    if (queue.notes.empty()) return -FI_EAGAIN;
    const Note& first = queue.notes.front();
    if (size < first.data.size()) return -FI_ETOOSMALL;
    *event = first.event;
    const std::size_t length = first.data.size();
    std::memcpy(buffer, first.data.data(), length);
    if ((flags & FI_PEEK) == 0) queue.notes.pop_front();
    return static_cast<ssize_t>(length);
}

ssize_t sread(fid_eq* its, std::uint32_t* event, void* buffer, std::size_t size, int timeout,
              std::uint64_t flags) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout);
    for (;;) {
        const ssize_t result = read(its, event, buffer, size, flags);
        if (result != -FI_EAGAIN) return result;
        if (timeout >= 0 && std::chrono::steady_clock::now() >= limit) return result;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

ssize_t write(fid_eq* its, std::uint32_t event, const void* buffer, std::size_t size, std::uint64_t) {
    NoteQueue& queue = object<NoteQueue>(its);
    return guarded([&] {
        const auto* const bytes = static_cast<const std::byte*>(buffer);
        const std::lock_guard guard(queue.lock);
        queue.notes.push_back({event, {bytes, bytes + size}});
        return static_cast<int>(size);
    });
}

const char* text(fid_eq*, int error, const void*, char* buffer, std::size_t size) {
    const char* const found = fi_strerror(error);
    if (buffer != nullptr && size != 0) {
        std::strncpy(buffer, found, size - 1);
        buffer[size - 1] = '\0';
    }
    return found;
}

int close(fid* its) {
    delete &object<NoteQueue>(its);
    return 0;
}

fi_ops kFidOps = fid_ops(close);
fi_ops_eq kOps{.size = sizeof(fi_ops_eq),
               .read = read,
               .readerr = [](fid_eq*, fi_eq_err_entry*, std::uint64_t) -> ssize_t { return -FI_EAGAIN; },
               .write = write,
               .sread = sread,
               .strerror = text};

}  // namespace

int open_event_queue(fid_fabric* fabric, fi_eq_attr* attributes, fid_eq** opened, void* context) {
    if (attributes != nullptr && attributes->wait_obj != FI_WAIT_NONE &&
        attributes->wait_obj != FI_WAIT_UNSPEC && attributes->wait_obj != FI_WAIT_YIELD)
        return -FI_ENOSYS;
    return guarded([&] {
        auto* const queue = new NoteQueue{};
        queue->fabric = &object<Fabric>(fabric);
        queue->fid = {FI_CLASS_EQ, context, &kFidOps};
        queue->ops = &kOps;
        *opened = queue;
        return 0;
    });
}

}  // namespace isoplane::fi
