// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "completion_queue.hh"

#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <system_error>

#include "domain.hh"

namespace isoplane::fi {

namespace {

/// Every format begins as the one before it.
constexpr std::size_t size_of(fi_cq_format format) {
    switch (format) {
        case FI_CQ_FORMAT_CONTEXT:
            return sizeof(fi_cq_entry);
        case FI_CQ_FORMAT_MSG:
            return sizeof(fi_cq_msg_entry);
        case FI_CQ_FORMAT_DATA:
            return sizeof(fi_cq_data_entry);
        default:
            return sizeof(fi_cq_tagged_entry);
    }
}

bool waits_by_descriptor(fi_wait_obj kind) {
    return kind == FI_WAIT_FD;
}

}  // namespace

CompletionQueue::CompletionQueue(Domain& domain, const fi_cq_attr& attributes)
    : fid_cq{},
      domain_(domain),
      format_(attributes.format == FI_CQ_FORMAT_UNSPEC ? FI_CQ_FORMAT_CONTEXT : attributes.format) {
    if (!waits_by_descriptor(attributes.wait_obj)) return;
    descriptor_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (descriptor_ < 0) throw std::system_error(errno, std::generic_category());
    // Who sleeps there makes no progress.
    domain_.network().want_thread();
}

CompletionQueue::~CompletionQueue() {
    if (descriptor_ < 0) return;
    domain_.network().unwant_thread();
    ::close(descriptor_);
}

void CompletionQueue::tell() {
    eventfd_write(descriptor_, 1);
}

void CompletionQueue::pop() {
    completions_.pop();
    eventfd_t value = 0;
    if (descriptor_ >= 0 && completions_.empty()) eventfd_read(descriptor_, &value);
}

/// Who has got something mostly asks again, to hear that there is no more, before he looks at what he has:
/// MPI does. That a round of the network has found nothing is not worth his waiting for it.
ssize_t CompletionQueue::read(void* to, std::size_t count, fi_addr_t* sources) {
    if (gave_last_.load(std::memory_order_relaxed) && count != 0) {
        gave_last_.store(false, std::memory_order_relaxed);
        return -FI_EAGAIN;
    }
    const ssize_t result = take(to, count, sources);
    Network::rest(result != -FI_EAGAIN);
    return result;
}

/// Member by member: a copy of what has just been put together would wait until that has left the CPU.
void CompletionQueue::put(std::byte* at, const Completion& completion) const noexcept {
    using Entry = fi_cq_tagged_entry;
    const auto member = [at](std::size_t offset, const auto& value) {
        std::memcpy(at + offset, &value, sizeof value);
    };
    member(offsetof(Entry, op_context), completion.context);
    if (format_ == FI_CQ_FORMAT_CONTEXT) return;
    member(offsetof(Entry, flags), completion.flags);
    member(offsetof(Entry, len), completion.length);
    if (format_ == FI_CQ_FORMAT_MSG) return;
    member(offsetof(Entry, buf), completion.buffer);
    member(offsetof(Entry, data), completion.data);
    if (format_ == FI_CQ_FORMAT_TAGGED) member(offsetof(Entry, tag), completion.tag);
}

ssize_t CompletionQueue::take(void* to, std::size_t count, fi_addr_t* sources) {
    const Network::Guard guard(domain_.network().lock());
    if (completions_.empty() || count == 0) domain_.network().progress();
    std::size_t taken = 0;
    const std::size_t size = size_of(format_);
    for (; taken < count && !completions_.empty() && completions_.front().error == 0; ++taken) {
        const Completion& first = completions_.front();
        put(static_cast<std::byte*>(to) + taken * size, first);
        if (sources != nullptr) sources[taken] = first.source;
        pop();
    }
    if (taken != 0) {
        gave_last_.store(completions_.empty(), std::memory_order_relaxed);
        return static_cast<ssize_t>(taken);
    }
    return completions_.empty() || count == 0 ? -FI_EAGAIN : -FI_EAVAIL;
}

ssize_t CompletionQueue::read_error(fi_cq_err_entry& to) {
    const Network::Guard guard(domain_.network().lock());
    if (completions_.empty() || completions_.front().error == 0) return -FI_EAGAIN;
    const Completion& first = completions_.front();
    to.op_context = first.context;
    to.flags = first.flags;
    to.len = first.length;
    to.buf = first.buffer;
    to.data = first.data;
    to.tag = first.tag;
    to.olen = first.cut_off;
    to.err = first.error;
    to.prov_errno = first.error;
    to.err_data_size = 0;
    pop();
    return 1;
}

ssize_t CompletionQueue::wait(void* to, std::size_t count, fi_addr_t* sources, int milliseconds) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    for (;;) {
        const ssize_t result = read(to, count, sources);
        if (result != -FI_EAGAIN) return result;
        if (is_signalled_.exchange(false, std::memory_order_acquire)) return result;
        if (milliseconds >= 0 && std::chrono::steady_clock::now() >= limit) return result;
    }
}

namespace {

ssize_t read(fid_cq* its, void* to, std::size_t count) {
    return object<CompletionQueue>(its).read(to, count, nullptr);
}
ssize_t read_from(fid_cq* its, void* to, std::size_t count, fi_addr_t* sources) {
    return object<CompletionQueue>(its).read(to, count, sources);
}
ssize_t read_error(fid_cq* its, fi_cq_err_entry* to, std::uint64_t) {
    return object<CompletionQueue>(its).read_error(*to);
}
ssize_t wait(fid_cq* its, void* to, std::size_t count, const void*, int milliseconds) {
    return object<CompletionQueue>(its).wait(to, count, nullptr, milliseconds);
}
ssize_t wait_from(fid_cq* its, void* to, std::size_t count, fi_addr_t* sources, const void*,
                  int milliseconds) {
    return object<CompletionQueue>(its).wait(to, count, sources, milliseconds);
}
int signal(fid_cq* its) {
    object<CompletionQueue>(its).signal();
    return 0;
}
const char* text(fid_cq*, int error, const void*, char* buffer, std::size_t size) {
    const char* const found = fi_strerror(error);
    if (buffer != nullptr && size != 0) {
        std::strncpy(buffer, found, size - 1);
        buffer[size - 1] = '\0';
    }
    return found;
}

int close(fid* its) {
    CompletionQueue& queue = object<CompletionQueue>(its);
    if (queue.is_held()) return -FI_EBUSY;
    queue.domain().release();
    delete &queue;
    return 0;
}

int control(fid* its, int command, void* argument) {
    const CompletionQueue& queue = object<CompletionQueue>(its);
    if (command != FI_GETWAIT || queue.descriptor() < 0) return -FI_ENOSYS;
    *static_cast<int*>(argument) = queue.descriptor();
    return 0;
}

fi_ops kFidOps = fid_ops(close, kUnsupported, control);
fi_ops_cq kOps{.size = sizeof(fi_ops_cq),
               .read = read,
               .readfrom = read_from,
               .readerr = read_error,
               .sread = wait,
               .sreadfrom = wait_from,
               .signal = signal,
               .strerror = text};

}  // namespace

int open_completion_queue(fid_domain* its, fi_cq_attr* attributes, fid_cq** opened, void* context) {
    const fi_cq_attr wanted = attributes != nullptr ? *attributes : fi_cq_attr{};
    switch (wanted.wait_obj) {
        case FI_WAIT_NONE:
        case FI_WAIT_UNSPEC:
        case FI_WAIT_FD:
        case FI_WAIT_YIELD:
            break;
        default:
            return -FI_ENOSYS;
    }
    Domain& domain = object<Domain>(its);
    return guarded([&] {
        auto* const queue = new CompletionQueue(domain, wanted);
        queue->fid = {FI_CLASS_CQ, context, &kFidOps};
        queue->ops = &kOps;
        domain.hold();
        *opened = queue;
        return 0;
    });
}

int try_wait(fid_fabric*, fid** ids, int count) {
    for (int i = 0; i < count; ++i) {
        if (ids[i]->fclass != FI_CLASS_CQ) continue;
        CompletionQueue& queue = object<CompletionQueue>(ids[i]);
        const Network::Guard guard(queue.domain().network().lock());
        if (queue.empty()) queue.domain().network().progress();
        if (!queue.empty()) return -FI_EAGAIN;
    }
    return 0;
}

}  // namespace isoplane::fi
