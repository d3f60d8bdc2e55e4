// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// The provider as its users see it: by libfabric alone. Two endpoints of a process that is all of its job.
#pragma once

#include <gtest/gtest.h>
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace isoplane::fi_test {

/// Of memory that is offered.
constexpr std::uint64_t kKey = 0x1234;
/// Bytes of a message that stays with its sender until somebody waits for it.
constexpr std::size_t kLong = 65536;

template <typename T>
struct Closed {
    void operator()(T* its) const { EXPECT_EQ(fi_close(&its->fid), 0); }
};
template <typename T>
using Owned = std::unique_ptr<T, Closed<T>>;

struct InfoFreed {
    void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, InfoFreed>;

/// What fi_getinfo() says to these hints; nullptr when there is nothing.
Info get_info(const std::function<void(fi_info&)>& hint, std::uint32_t version = FI_VERSION(1, 17));

struct Wish {
    fi_av_type vector = FI_AV_MAP;
    int mr_mode = 0;
    fi_progress progress = FI_PROGRESS_MANUAL;
    std::uint64_t bind = 0;  ///< further flags of the queues
    fi_wait_obj wait = FI_WAIT_NONE;
    std::uint64_t caps = 0;
};

/// An endpoint with its queue.
struct End {
    Owned<fid_cq> queue;
    Owned<fid_ep> endpoint;
    fi_addr_t address = FI_ADDR_UNSPEC;

    /// The next completion, waited for. An error is a failure of the test.
    fi_cq_tagged_entry next(fi_addr_t* from = nullptr);
    /// The next, which has to be an error.
    fi_cq_err_entry next_error();
    bool is_quiet();
};

class World {
  public:
    explicit World(const Wish& wish = {});

    Info info;
    Owned<fid_fabric> fabric;
    Owned<fid_domain> domain;
    Owned<fid_av> vector;
    End a;
    End b;

    /// Until it says so.
    void until(const std::function<bool()>& done);
    Owned<fid_mr> offer(void* memory, std::size_t size, std::uint64_t key,
                        std::uint64_t access = FI_REMOTE_READ | FI_REMOTE_WRITE);
    Owned<fid_cntr> counter();
    /// One with nothing bound to it yet.
    Owned<fid_ep> endpoint();
    /// One that is ready.
    End open_end(const Wish& wish = {});
};

/// Content that shows where it comes from.
std::vector<std::uint8_t> content(std::size_t size, unsigned seed = 1);

/// Something for a context.
inline void* context(std::uintptr_t number) {
    return reinterpret_cast<void*>(number);
}

}  // namespace isoplane::fi_test
