// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <limits>

#include "net.hh"

// Behind all others, whose words its macros are; here they are not wanted.
#include <iso_mbm.h>
#undef poll

namespace isoplane::compat {

namespace {

using isotach::BarrierMode;
using isotach::Delivery;
using isotach::DeliveryKind;

/// Logical time of the second generation: an isochron is what has been sent since the last one ended.
class Mbm {
  public:
    static Mbm& instance(const char* caller) {
        Net::instance().isotach(caller);  // that there is one
        // Never destroyed: leaving at exit still asks it.
        static Mbm* const mbm = new Mbm(Net::instance());
        return *mbm;
    }

    int send(int target, const void* data, int size, bool last) {
        if (!net_.is_host(target) || size < 0) return FAILURE;
        const auto to = static_cast<niu::NodeId>(target);
        check_size(to, size);
        const std::span message(static_cast<const std::byte*>(data), static_cast<std::size_t>(size));
        if (!isochron().add(to, message)) {
            step();
            return FAILURE;
        }
        if (!last || issue()) return SUCCESS;
        // If it was for who has left, it is not in it any more.
        if (isochron().last_to() == to) isochron().drop_last();
        return FAILURE;
    }

    int end() { return isochron().empty() || issue() ? SUCCESS : FAILURE; }

    int receive(iso_mbm& out) {
        release_last();
        Delivery next;
        if (!take(next)) {
            net_.poll();
            if (!take(next)) return -1;
        }
        if (next.kind != DeliveryKind::kMessage) {
            const bool signal = next.kind == DeliveryKind::kSignal;
            out.tag = BS_NOTICE;
            out.info.bits = static_cast<unsigned char>(signal ? ISO_SIGNAL_BIT(next.channel)
                                                              : ISO_BARRIER_BIT(next.channel));
            return SUCCESS;
        }
        if (next.data.size() > kMostLength)
            give_up("a message of " + std::to_string(next.data.size()) +
                    " bytes has come, and this interface can tell of no more than " +
                    std::to_string(kMostLength) + "; send it in pieces");
        out.tag = ISO_MBM;
        out.info.msg.sender = next.time.host;
        out.info.msg.length = static_cast<unsigned short>(next.data.size());
        // A program may scribble over what it received.
        out.info.msg.data = const_cast<std::byte*>(next.data.data());
        last_ = next;
        return SUCCESS;
    }

  private:
    static constexpr std::size_t kMostLength = std::numeric_limits<decltype(iso_msg::length)>::max();

    explicit Mbm(Net& net) : net_(net) {
        net.before_closing([] { instance("try_close_net").give_back(); });
        net.ask_when_in_isochron([] {
            const auto& isochron = instance("iso_end").isochron_;
            return isochron && !isochron->empty();
        });
    }

    /// Of who has left these programs know nothing.
    bool take(Delivery& next) {
        bool taken = net_.receive(next);
        while (taken && (next.kind == DeliveryKind::kLeft || next.kind == DeliveryKind::kJoined))
            taken = net_.receive(next);
        return taken;
    }

    isotach::Isochron& isochron() {
        if (!isochron_) isochron_.emplace(net_.job().isotach().isochron());
        return *isochron_;
    }

    bool issue() {
        isotach::Endpoint& isotach = net_.job().isotach();
        if (isotach.send(isochron())) return true;
        const std::size_t before = isochron().size();
        step();
        if (isochron().empty()) return true;
        return isochron().size() != before && isotach.send(isochron());
    }

    /// Towards what could not be done; unless that can never be. What is for who has left goes nowhere.
    void step() {
        net_.poll();
        net_.job().isotach().forget_lost(isochron());
        if (!isochron().empty()) end_if_too_large(net_, isochron());
    }

    /// What iso_msg has a word for the length of, unless max-message is less.
    void check_size(niu::NodeId to, int size) {
        std::size_t most = kMostLength;
        // One that is not there has no size.
        const std::size_t its = to == net_.node() ? 0 : net_.job().isotach().max_message(to);
        if (its != 0) most = std::min(most, its);
        if (static_cast<std::size_t>(size) <= most) return;
        net_.look_for_trouble();
        give_up("a message of " + std::to_string(size) + " bytes is too large, they have at most " +
                std::to_string(most) + ": send it in parts");
    }

    void release_last() {
        if (last_) net_.job().isotach().release(*last_);
        last_.reset();
    }

    void give_back() {
        release_last();
        isochron_.reset();
    }

    Net& net_;
    std::optional<isotach::Isochron> isochron_;  ///< that is being made
    std::optional<Delivery> last_;               ///< valid until the next receive
};

/// A barrier by mode and channel, in whichever order they were given.
struct Named {
    Named(int a, int b) : Named(is_mode(a), a, b) {}

    static bool is_mode(int word) { return word == ISO_BARRIER_WEAK || word == ISO_BARRIER_STRONG; }

    bool valid;
    BarrierMode mode;
    unsigned channel;

  private:
    Named(bool mode_first, int a, int b)
        : valid(mode_first != is_mode(b)),
          mode((mode_first ? a : b) == ISO_BARRIER_WEAK ? BarrierMode::kWeak : BarrierMode::kStrong),
          channel(static_cast<unsigned>(mode_first ? b : a)) {}
};

int done(bool done) {
    return done ? SUCCESS : FAILURE;
}

/// Programs tell each other outside logical time that they have registered. So that it is true for all of
/// them when this returns, it waits for as long as that takes.
int when_known(bool done) {
    if (!done) return FAILURE;
    Net& net = Net::instance();
    while (!net.job().isotach().group_knows())
        net.poll();
    return SUCCESS;
}

}  // namespace

}  // namespace isoplane::compat

using isoplane::compat::done;
using isoplane::compat::Mbm;
using isoplane::compat::Named;
using isoplane::compat::Net;
using isoplane::compat::when_known;
using isoplane::isotach::DeliveryKind;

int isoplane_isotach_send(int target, const void* data, int size, int last_in_isochron) {
    return Mbm::instance("iso_send").send(target, data, size, last_in_isochron != 0);
}

int isoplane_isotach_receive(iso_mbm* message) {
    return Mbm::instance("iso_receive").receive(*message);
}

int isoplane_isotach_end() {
    return Mbm::instance("iso_end").end();
}

int isoplane_isotach_register_signal(int channel) {
    isoplane::isotach::Endpoint& endpoint = Net::instance().isotach("iso_register_signal");
    return when_known(endpoint.register_signal(static_cast<unsigned>(channel)));
}

int isoplane_isotach_clear_signal(int channel) {
    const auto signal = static_cast<unsigned>(channel);
    const bool cleared = Net::instance().isotach("iso_clear_signal").clear_signal(signal);
    if (cleared) Net::instance().forget(DeliveryKind::kSignal, signal);
    return done(cleared);
}

int isoplane_isotach_send_signal(int channel) {
    const auto signal = static_cast<unsigned>(channel);
    isoplane::isotach::Endpoint& endpoint = Net::instance().isotach("iso_send_signal");
    return done(!Net::instance().is_in_isochron() && endpoint.is_signal(signal) &&
                endpoint.send_signal(signal));
}

int isoplane_isotach_register_barrier(int mode, int channel) {
    const Named barrier(mode, channel);
    isoplane::isotach::Endpoint& endpoint = Net::instance().isotach("iso_register_barrier");
    return when_known(barrier.valid && endpoint.join_barrier(barrier.channel, barrier.mode));
}

int isoplane_isotach_clear_barrier(int channel) {
    const auto barrier = static_cast<unsigned>(channel);
    const bool left = Net::instance().isotach("iso_clear_barrier").leave_barrier(barrier);
    if (left) Net::instance().forget(DeliveryKind::kBarrier, barrier);
    return done(left);
}

/// One whose notice is put off is complete for others only.
int isoplane_isotach_barrier(int mode, int channel) {
    const Named barrier(mode, channel);
    Net& net = Net::instance();
    isoplane::isotach::Endpoint& endpoint = net.isotach("iso_barrier");
    return done(
        !net.is_in_isochron() && barrier.valid && barrier.channel < isoplane::wire::kBarrierChannels &&
        !net.has_put_off(DeliveryKind::kBarrier, barrier.channel) &&
        endpoint.barrier_mode(barrier.channel) == barrier.mode && endpoint.enter_barrier(barrier.channel));
}
