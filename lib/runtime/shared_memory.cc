// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <isoplane/runtime/shared_memory.hh>
#include <stdexcept>
#include <utility>

namespace isoplane::runtime {

namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW;

[[noreturn]] void fail(int descriptor, std::size_t size) {
    const std::string why = std::strerror(errno);
    if (descriptor >= 0) close(descriptor);
    throw std::runtime_error("there is no memory of " + std::to_string(size) + " bytes to share: " + why +
                             "; ask for fewer packets");
}

std::size_t whole_pages(std::size_t size) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (size + page - 1) / page * page;
}

/// Why this process does not map memory that it was given. Its size is asked for once: after it cannot shrink
/// any more, as it must not then; and no second time, as it may still grow.
const char* objection(int descriptor, std::size_t most, std::size_t& size) {
    struct statfs system {};
    if (fstatfs(descriptor, &system) != 0 || system.f_type != TMPFS_MAGIC) return "is no ordinary memory";
    if ((fcntl(descriptor, F_GET_SEALS) & F_SEAL_SHRINK) == 0) return "is not sealed against shrinking";
    struct stat file {};
    if (fstat(descriptor, &file) != 0 || file.st_size <= 0) return "has no size";
    size = static_cast<std::size_t>(file.st_size);
    if (size > most) return "is larger than it can be";
    return nullptr;
}

/// Why this process does not touch what it has mapped. Who touches a page first is charged for it, so all of
/// them have to be there, and to stay: from here on nobody makes a hole in it. What the system has put on
/// disk counts as there. To count what there is would count what lies behind the end, too.
const char* objection_to_touch(int descriptor, std::size_t size) {
    if (fcntl(descriptor, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) != 0)
        return "cannot be kept whole: others may not add seals to it";
    if (lseek(descriptor, 0, SEEK_HOLE) < static_cast<off_t>(size))
        return "is not all there: its owner has to touch all of it before";
    return nullptr;
}

}  // namespace

SharedMemory::SharedMemory(const std::string& name, std::size_t size)
    : descriptor_(memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    const std::size_t whole = whole_pages(size);
    const bool made = descriptor_ >= 0 && ftruncate(descriptor_, static_cast<off_t>(whole)) == 0 &&
                      fcntl(descriptor_, F_ADD_SEALS, kSeals) == 0 && map(whole, MAP_POPULATE);
    if (!made) fail(descriptor_, whole);
}

SharedMemory::SharedMemory(int descriptor, std::size_t most) : descriptor_(descriptor) {
    std::size_t size = 0;
    const char* why = objection(descriptor, most, size);
    if (why == nullptr && !map(size, 0))
        why = errno == EPERM ? "has been given to a node before" : "cannot be mapped";
    if (why == nullptr) why = objection_to_touch(descriptor, size);
    if (why != nullptr) {
        release();
        throw std::runtime_error(std::string("what was given as shared memory ") + why);
    }
    // All at once: not when the first packets move, as before Linux 5.14.
    static_cast<void>(madvise(bytes_.data(), size, MADV_POPULATE_WRITE));
    close(std::exchange(descriptor_, -1));  // a process may have few, and this one many clients
}

bool SharedMemory::map(std::size_t size, int flags) noexcept {
    void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | flags, descriptor_, 0);
    if (at == MAP_FAILED) return false;
    bytes_ = {static_cast<std::byte*>(at), size};
    return true;
}

void SharedMemory::release() noexcept {
    if (bytes_.data() != nullptr) munmap(bytes_.data(), bytes_.size());
    if (descriptor_ >= 0) close(descriptor_);
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), bytes_(std::exchange(other.bytes_, {})) {}

SharedMemory::~SharedMemory() {
    release();
}

}  // namespace isoplane::runtime
