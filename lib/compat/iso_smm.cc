// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <unordered_map>

#include "net.hh"

// Behind all others, whose words its macros are; here they are not wanted.
#include <iso_smm.h>
#undef poll

namespace isoplane::compat {

namespace {

/// Shared memory of the second generation: an isochron is what was accessed since the last one ended.
class Smm {
  public:
    static Smm& instance(const char* caller) {
        Net::instance().memory(caller);  // that there is one
        // Never destroyed: leaving at exit still asks it.
        static Smm* const smm = new Smm(Net::instance());
        return *smm;
    }

    /// `add(isochron)` adds the access; a Misuse is `code`, or a bad address.
    template <typename Add>
    int access(shmem_addr_t at, int code, bool last, Add&& add) {
        try {
            add(isochron());
        } catch (const shmem::Misuse&) {
            net_.poll();
            return is_mapped(at) ? code : ISO_BAD_ADDRESS;
        }
        if (last) end();
        return SUCCESS;
    }

    int read(shmem_addr_t at, const iso_var32* variable, bool last) {
        if (reads_.size() >= READ_CAP && !reads_.contains(variable)) return ISO_TOO_MANY_READS;
        return access(at, ISO_BAD_ADDRESS, last, [&](shmem::Isochron& isochron) {
            reads_[variable] = {isochron.read(variable_at(at)), ended_};
        });
    }

    int assign(shmem_addr_t at, long value, bool last) {
        if (is_mapped(at) && !memory().is_scheduled(at)) return ISO_BAD_SCHED;
        return access(at, ISO_BAD_SCHED, last, [&](shmem::Isochron& isochron) {
            isochron.assign(variable_at(at), static_cast<std::int32_t>(value));
        });
    }

    void end() {
        while (!memory().issue(isochron())) {
            net_.poll();
            end_if_too_large(net_, isochron());
        }
        ++ended_;
        net_.poll();
    }

    long retrieve(iso_var32& variable) {
        const auto found = reads_.find(&variable);
        if (found == reads_.end()) return variable.value;
        Read& read = found->second;
        if (read.isochron == ended_)
            give_up("iso_retrieve() waits for a read of the isochron that is being made: end that before it");
        while (!read.future.ready())
            net_.poll();
        if (read.future.lost()) give_up(std::string("iso_retrieve(): ") + shmem::Lost().what());
        variable.value = read.future.value();
        reads_.erase(found);
        return variable.value;
    }

    static shmem::Variable<std::int32_t> variable_at(shmem_addr_t at) { return {at}; }

  private:
    struct Read {
        shmem::Future<std::int32_t> future{};
        std::uint64_t isochron = 0;  ///< that it is in
    };

    explicit Smm(Net& net) : net_(net) {
        net.before_closing([] { instance("try_close_net").give_back(); });
        net.ask_when_in_isochron([] {
            const auto& isochron = instance("iso_end").isochron_;
            return isochron && !isochron->empty();
        });
    }

    shmem::Memory& memory() { return net_.job().memory(); }
    shmem::Isochron& isochron() {
        if (!isochron_) isochron_.emplace(memory());
        return *isochron_;
    }
    bool is_mapped(shmem_addr_t at) {
        return memory().pages().exists(at) && memory().pages().page(at).mapped;
    }

    void give_back() {
        reads_.clear();
        isochron_.reset();
    }

    Net& net_;
    std::optional<shmem::Isochron> isochron_;      ///< that is being made
    std::unordered_map<const void*, Read> reads_;  ///< not retrieved, by variable
    std::uint64_t ended_ = 0;                      ///< isochrons
};

}  // namespace

}  // namespace isoplane::compat

using isoplane::compat::Smm;
using isoplane::shmem::Isochron;

int isoplane_smm_read(shmem_addr_t at, iso_var32* variable, int last_in_isochron) {
    return Smm::instance("iso_read").read(at, variable, last_in_isochron != 0);
}

int isoplane_smm_write(shmem_addr_t at, long value, int last_in_isochron) {
    return Smm::instance("iso_write")
        .access(at, ISO_BAD_ADDRESS, last_in_isochron != 0, [&](Isochron& isochron) {
            isochron.write(Smm::variable_at(at), static_cast<std::int32_t>(value));
        });
}

int isoplane_smm_sched(shmem_addr_t at, int last_in_isochron) {
    return Smm::instance("iso_sched")
        .access(at, ISO_BAD_SCHED, last_in_isochron != 0,
                [&](Isochron& isochron) { isochron.sched(Smm::variable_at(at)); });
}

int isoplane_smm_assign(shmem_addr_t at, long value, int last_in_isochron) {
    return Smm::instance("iso_assign").assign(at, value, last_in_isochron != 0);
}

long isoplane_smm_retrieve(iso_var32* variable) {
    return Smm::instance("iso_retrieve").retrieve(*variable);
}

int isoplane_smm_end() {
    Smm::instance("iso_end").end();
    return SUCCESS;
}
