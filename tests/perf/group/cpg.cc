// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// A member of a closed process group of corosync: cpg MEMBER MEMBERS SIZE SECONDS.

#include <corosync/cpg.h>
#include <sched.h>
#include <sys/uio.h>
#include <unistd.h>

#include <exception>

#include "member.hh"

namespace isoplane::perf {

namespace {

class CpgGroup {
  public:
    /// Waits until all members have joined.
    CpgGroup(std::uint32_t member, std::uint32_t members) : member_(member), members_(members) {
        cpg_model_v1_data_t callbacks{};
        callbacks.model = CPG_MODEL_V1;
        callbacks.cpg_deliver_fn = &CpgGroup::on_message;
        callbacks.cpg_confchg_fn = &CpgGroup::on_change;
        repeat("reach corosync", [&] {
            return cpg_model_initialize(&handle_, CPG_MODEL_V1,
                                        reinterpret_cast<cpg_model_data_t*>(&callbacks), this);
        });
        cpg_name name{};
        name.length = static_cast<std::uint32_t>(std::snprintf(name.value, sizeof name.value, "isoplane"));
        repeat("join the group", [&] { return cpg_join(handle_, &name); });
        // One at a time: behind the last member's coming there may be messages already.
        repeat("see all members", [this] {
            const cs_error_t answer = cpg_dispatch(handle_, CS_DISPATCH_ONE_NONBLOCKING);
            return answer == CS_OK && present_ < members_ ? CS_ERR_TRY_AGAIN : answer;
        });
    }
    ~CpgGroup() { cpg_finalize(handle_); }
    CpgGroup(const CpgGroup&) = delete;
    CpgGroup& operator=(const CpgGroup&) = delete;

    std::uint32_t member() const { return member_; }
    std::uint32_t members() const { return members_; }

    bool multicast(std::span<const std::byte> message) {
        iovec part{const_cast<std::byte*>(message.data()), message.size()};
        const cs_error_t answer = cpg_mcast_joined(handle_, CPG_TYPE_AGREED, &part, 1);
        if (answer != CS_OK && answer != CS_ERR_TRY_AGAIN) fail("multicast", answer);
        return answer == CS_OK;
    }

    void poll(auto deliver) {
        if (present_ < members_) throw std::runtime_error("a member has gone before the end");
        context_ = &deliver;
        deliver_ = [](void* context, std::span<const std::byte> message) {
            (*static_cast<decltype(deliver)*>(context))(message);
        };
        const std::uint64_t before = delivered_;
        const cs_error_t answer = cpg_dispatch(handle_, CS_DISPATCH_ALL);
        if (answer != CS_OK && answer != CS_ERR_TRY_AGAIN) fail("dispatch", answer);
        // An empty dispatch is a system call, so what members of isoplane do after a microsecond is due at
        // once.
        if (delivered_ == before) sched_yield();
    }

  private:
    [[noreturn]] static void fail(const char* what, cs_error_t answer) {
        throw std::runtime_error(std::string("cannot ") + what + ": error " + std::to_string(answer) +
                                 " of corosync, see CS_ERR_ in corosync/corotypes.h");
    }

    /// Until it works: the daemon may have just been started.
    static void repeat(const char* what, auto call) {
        constexpr int kLimit = 30'000;  // milliseconds
        cs_error_t answer = CS_OK;
        for (int i = 0; i < kLimit; ++i) {
            answer = call();
            if (answer == CS_OK) return;
            usleep(1000);
        }
        fail(what, answer);
    }

    static CpgGroup& of(cpg_handle_t handle) {
        void* context = nullptr;
        cpg_context_get(handle, &context);
        return *static_cast<CpgGroup*>(context);
    }

    static void on_message(cpg_handle_t handle, const cpg_name*, std::uint32_t, std::uint32_t, void* data,
                           std::size_t size) {
        CpgGroup& group = of(handle);
        ++group.delivered_;
        group.deliver_(group.context_, {static_cast<const std::byte*>(data), size});
    }

    static void on_change(cpg_handle_t handle, const cpg_name*, const cpg_address*, std::size_t present,
                          const cpg_address*, std::size_t, const cpg_address*, std::size_t) {
        of(handle).present_ = present;
    }

    std::uint32_t member_;
    std::uint32_t members_;
    cpg_handle_t handle_ = 0;
    std::size_t present_ = 0;
    std::uint64_t delivered_ = 0;
    void* context_ = nullptr;
    void (*deliver_)(void*, std::span<const std::byte>) = nullptr;
};

}  // namespace

}  // namespace isoplane::perf

int main(int argc, char** argv) try {
    using namespace isoplane::perf;
    if (argc != 5) throw std::runtime_error("usage: cpg MEMBER MEMBERS SIZE SECONDS");
    const Workload workload = workload_of(argv[3], argv[4]);
    CpgGroup group(static_cast<std::uint32_t>(std::atoi(argv[1])),
                   static_cast<std::uint32_t>(std::atoi(argv[2])));
    Member member(group, workload);
    member.run();
    member.report();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "cpg: %s\n", error.what());
    return 1;
}
