// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <array>
#include <cstdlib>
#include <isoplane/wire/byte_order.hh>
#include <unordered_map>
#include <utility>

#include "net.hh"

// Behind all others, whose words its macros may be.
#include <iso.h>

namespace isoplane::compat {

namespace {

using isotach::Delivery;

/// In front of each message: which handler it is for.
using HandlerField = wire::Field<std::uint16_t, 0>;
constexpr std::size_t kInFront = HandlerField::kEnd;
static_assert(MAX_ISO_HANDLERS - 1 <= UINT16_MAX);

/// Reads whose values have not been taken, by the variables of the program that they are for. These may be
/// anywhere, and gone when the value comes: so nothing is written there before the program asks.
template <typename T>
struct IsoRead {
    shmem::Future<T> future{};
    std::uint64_t isochron = 0;  ///< that it is in
};
template <typename T>
using IsoReads = std::unordered_map<const void*, IsoRead<T>>;

/// Logical time of the first generation: what is received is handled within the calls that poll.
class Iso {
  public:
    static Iso& instance() {
        // Never destroyed: leaving at exit still asks it.
        static Iso* const iso = new Iso(Net::instance());
        return *iso;
    }

    void init() {
        if (!net_.open(Net::Time::kWithMemory))
            give_up("iso_init() was called again: it opens the connection, once");
    }

    void deinit() {
        if (handling_) {
            leaves_ = true;
            return;
        }
        outside("iso_deinit");
        while (!net_.try_close())
            handle();
    }

    void start() {
        outside("iso_start");
        started_ = true;
    }

    void send(int target, int handler, const void* data, int size) {
        if (!started_) give_up("iso_send_msg() is for isochrons: call it between iso_start() and iso_end()");
        if (!net_.is_host(target))
            give_up("iso_send_msg() to node " + std::to_string(target) + ": nodes are 0 to " +
                    std::to_string(net_.hosts() - 1));
        check_number("iso_send_msg", handler);
        if (size < 0 || size > MAX_ISO_MSG_SIZE)
            give_up("iso_send_msg() of " + std::to_string(size) + " bytes: a message has at most " +
                    std::to_string(MAX_ISO_MSG_SIZE));
        const std::size_t bytes = static_cast<std::size_t>(size);
        std::array<std::byte, kInFront + MAX_ISO_MSG_SIZE> message;
        HandlerField::put(message.data(), static_cast<std::uint16_t>(handler));
        std::copy_n(static_cast<const std::byte*>(data), bytes, message.begin() + kInFront);
        isochron().message(static_cast<niu::NodeId>(target), std::span(message).first(kInFront + bytes));
    }

    /// Adds something to the isochron: `add(isochron)`.
    template <typename Add>
    auto access(const char* caller, Add&& add) {
        net_.isotach(caller);
        if (!started_)
            give_up(std::string(caller) + "() is for isochrons: call it between iso_start() and iso_end()");
        try {
            return add(isochron());
        } catch (const shmem::Misuse& misuse) {
            give_up(std::string(caller) + "(): " + misuse.what());
        }
    }

    template <typename T>
    void read(const char* caller, shmem_addr_t at, const void* variable) {
        reads<T>()[variable] = {
            access(caller, [&](shmem::Isochron& isochron) { return isochron.read(shmem::Variable<T>{at}); }),
            ended_};
    }

    /// Nothing when it has been taken already, and stands in the variable.
    template <typename T>
    std::optional<T> take_value(const char* caller, const void* variable) {
        net_.isotach(caller);
        const auto found = reads<T>().find(variable);
        if (found == reads<T>().end()) return std::nullopt;
        if (started_ && found->second.isochron == ended_)
            give_up(std::string(caller) +
                    "() waits for a read of the isochron that is being made: call iso_end() before it");
        if (handling_) give_up(std::string(caller) + "() was called by a handler: let it leave word");
        while (!found->second.future.ready()) {
            net_.poll();
            handle();
        }
        if (found->second.future.lost()) give_up(std::string(caller) + "(): " + shmem::Lost().what());
        const T value = found->second.future.value();
        reads<T>().erase(found);
        return value;
    }

    void end() {
        if (!started_) give_up("iso_end() ends what iso_start() began: call that first");
        while (!net_.job().memory().issue(isochron()))
            step();
        started_ = false;
        ++ended_;
        poll();
    }

    void poll() {
        outside("iso_poll");
        net_.poll();
        handle();
        if (!leaves_) return;
        deinit();
        std::exit(0);
    }

    iso_handler* set_handler(int number, iso_handler* handler) {
        check_number("iso_set_handler", number);
        return std::exchange(handlers_[static_cast<std::size_t>(number)], handler);
    }

  private:
    explicit Iso(Net& net) : net_(net) {
        net.before_closing([] { instance().give_back(); });
    }

    void give_back() {
        reads32_.clear();
        reads64_.clear();
        isochron_.reset();
    }

    shmem::Isochron& isochron() {
        if (!isochron_) isochron_.emplace(net_.job().memory());
        return *isochron_;
    }

    /// Handlers, too, are outside.
    void outside(const char* caller) {
        net_.isotach(caller);
        if (handling_)
            give_up(std::string(caller) + "() was called by a handler: let it leave word, and call it later");
        if (started_)
            give_up(std::string(caller) + "() was called within an isochron: call iso_end() before it");
    }

    template <typename T>
    IsoReads<T>& reads() {
        if constexpr (sizeof(T) == 4) {
            return reads32_;
        } else {
            return reads64_;
        }
    }

    static void check_number(const char* caller, int number) {
        if (number >= 0 && number < MAX_ISO_HANDLERS) return;
        give_up(std::string(caller) + "() with handler " + std::to_string(number) + ": handlers are 0 to " +
                std::to_string(MAX_ISO_HANDLERS - 1));
    }

    /// Towards what could not be done; unless that can never be. Others may wait for what has come here.
    void step() {
        net_.poll();
        handle();
        end_if_too_large(net_, isochron());
    }

    void handle() {
        if (!net_.is_open()) return;
        shmem::Memory& memory = net_.job().memory();
        for (Delivery next; memory.receive(next); memory.release(next)) {
            if (next.kind == isotach::DeliveryKind::kMessage) call_handler(next);
        }
    }

    void call_handler(const Delivery& message) {
        const std::size_t number =
            message.data.size() < kInFront ? MAX_ISO_HANDLERS : HandlerField::get(message.data.data());
        iso_handler* const handler = number < handlers_.size() ? handlers_[number] : nullptr;
        if (handler == nullptr)
            give_up("a message from node " + std::to_string(message.time.host) + " is for handler " +
                    std::to_string(number) +
                    ", which is not set: call iso_set_handler() before messages come");
        handling_ = true;
        // A program may scribble over what it received.
        handler(message.time.host, const_cast<std::byte*>(message.data.data() + kInFront),
                static_cast<int>(message.data.size() - kInFront));
        handling_ = false;
    }

    Net& net_;
    std::array<iso_handler*, MAX_ISO_HANDLERS> handlers_{};
    std::optional<shmem::Isochron> isochron_;  ///< that is being made
    IsoReads<std::int32_t> reads32_;
    IsoReads<std::int64_t> reads64_;
    std::uint64_t ended_ = 0;  ///< isochrons
    bool started_ = false;
    bool handling_ = false;
    bool leaves_ = false;  ///< a handler has called iso_deinit()
};

}  // namespace

}  // namespace isoplane::compat

using isoplane::compat::Iso;
using isoplane::compat::Net;
using isoplane::shmem::Isochron;
using isoplane::shmem::Variable;

void isoplane_iso_init() {
    Iso::instance().init();
}

int isoplane_iso_deinit() {
    Iso::instance().deinit();
    return 0;
}

long isoplane_iso_node() {
    return Net::instance().node();
}

long isoplane_iso_nodes() {
    return Net::instance().hosts();
}

void isoplane_iso_start() {
    Iso::instance().start();
}

int isoplane_iso_end() {
    Iso::instance().end();
    return 0;
}

void isoplane_iso_poll() {
    Iso::instance().poll();
}

iso_handler* isoplane_iso_set_handler(int number, iso_handler* handler) {
    return Iso::instance().set_handler(number, handler);
}

void isoplane_iso_send_msg(int target, int handler, const void* data, int size) {
    Iso::instance().send(target, handler, data, size);
}

void isoplane_iso_read32(shmem_addr_t at, struct iso_var32* variable) {
    Iso::instance().read<std::int32_t>("iso_read32", at, variable);
}

void isoplane_iso_read64(shmem_addr_t at, struct iso_var64* variable) {
    Iso::instance().read<std::int64_t>("iso_read64", at, variable);
}

void isoplane_iso_write32(shmem_addr_t at, long value) {
    Iso::instance().access("iso_write32", [&](Isochron& isochron) {
        isochron.write(Variable<std::int32_t>{at}, static_cast<std::int32_t>(value));
    });
}

void isoplane_iso_write64(shmem_addr_t at, long long value) {
    Iso::instance().access("iso_write64", [&](Isochron& isochron) {
        isochron.write(Variable<std::int64_t>{at}, std::int64_t{value});
    });
}

void isoplane_iso_sched32(shmem_addr_t at) {
    Iso::instance().access("iso_sched",
                           [&](Isochron& isochron) { isochron.sched(Variable<std::int32_t>{at}); });
}

void isoplane_iso_sched64(shmem_addr_t at) {
    Iso::instance().access("iso_sched64",
                           [&](Isochron& isochron) { isochron.sched(Variable<std::int64_t>{at}); });
}

void isoplane_iso_assign32(shmem_addr_t at, long value) {
    Iso::instance().access("iso_assign32", [&](Isochron& isochron) {
        isochron.assign(Variable<std::int32_t>{at}, static_cast<std::int32_t>(value));
    });
}

void isoplane_iso_assign64(shmem_addr_t at, long long value) {
    Iso::instance().access("iso_assign64", [&](Isochron& isochron) {
        isochron.assign(Variable<std::int64_t>{at}, std::int64_t{value});
    });
}

long isoplane_iso_value32(struct iso_var32* variable) {
    if (const auto value = Iso::instance().take_value<std::int32_t>("read_iso_var32", variable))
        variable->value = *value;
    return variable->value;
}

long long isoplane_iso_value64(struct iso_var64* variable) {
    if (const auto value = Iso::instance().take_value<std::int64_t>("read_iso_var64", variable))
        variable->value = *value;
    return variable->value;
}
