// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <array>
#include <isoplane/wire/byte_order.hh>
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

/// Logical time of the first generation: what is received is handled within the calls that poll.
class Iso {
  public:
    static Iso& instance() {
        // Never destroyed: leaving at exit still asks it.
        static Iso* const iso = new Iso(Net::instance());
        return *iso;
    }

    void init() {
        if (!net_.open(true)) give_up("iso_init() was called again: it opens the connection, once");
    }

    void deinit() {
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
        std::optional<std::span<std::byte>> room;
        while (!(room = isochron().add(static_cast<niu::NodeId>(target), kInFront + bytes)))
            step();
        HandlerField::put(room->data(), static_cast<std::uint16_t>(handler));
        const auto* from = static_cast<const std::byte*>(data);
        std::copy_n(from, bytes, room->begin() + kInFront);
    }

    void end() {
        if (!started_) give_up("iso_end() ends what iso_start() began: call that first");
        while (!isochron().empty() && !net_.job().isotach().send(isochron()))
            step();
        started_ = false;
        poll();
    }

    void poll() {
        outside("iso_poll");
        net_.poll();
        handle();
    }

    iso_handler* set_handler(int number, iso_handler* handler) {
        check_number("iso_set_handler", number);
        return std::exchange(handlers_[static_cast<std::size_t>(number)], handler);
    }

  private:
    explicit Iso(Net& net) : net_(net) {
        net.before_closing([] { instance().isochron_.reset(); });
    }

    isotach::Isochron& isochron() {
        if (!isochron_) isochron_.emplace(net_.job().isotach().isochron());
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
        isotach::Endpoint& endpoint = net_.job().isotach();
        for (Delivery next; endpoint.receive(next); endpoint.release(next)) {
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
    std::optional<isotach::Isochron> isochron_;  ///< that is being made
    bool started_ = false;
    bool handling_ = false;
};

}  // namespace

}  // namespace isoplane::compat

using isoplane::compat::Iso;
using isoplane::compat::Net;

void isoplane_iso_init() {
    Iso::instance().init();
}

void isoplane_iso_deinit() {
    Iso::instance().deinit();
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

void isoplane_iso_end() {
    Iso::instance().end();
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
