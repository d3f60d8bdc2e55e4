// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <climits>
#include <string>
#include <unordered_map>
#include <vector>

#include "net.hh"

// Behind all others, whose words its macros are; here they are not wanted.
#include <noniso.h>
#undef send
#undef receive
#undef poll

namespace isoplane::compat {

namespace {

/// Messages outside logical time.
class Noniso {
  public:
    static Noniso& instance() {
        // Never destroyed: leaving at exit still asks it.
        static Noniso* const noniso = new Noniso(Net::instance());
        return *noniso;
    }

    int send(int target, const void* data, int size) {
        if (!net_.is_open() || !net_.is_host(target) || target == net_.node()) return FAILURE;
        if (size < 0 || size > net_.max_payload(false)) return FAILURE;
        const std::span message(static_cast<const std::byte*>(data), static_cast<std::size_t>(size));
        const auto to = static_cast<niu::NodeId>(target);
        if (net_.job().messages().send(to, message)) return SUCCESS;
        net_.poll();
        end_if_too_large(to, message.size());
        return FAILURE;
    }

    int receive(noniso_mbm& out) {
        if (!net_.is_open()) return FAILURE;
        give_back();
        niu::Received message;
        if (!next(message)) {
            net_.poll();
            if (!next(message)) return -1;
        }
        noniso::Endpoint& messages = net_.job().messages();
        out.sender_id = message.source;
        out.size = static_cast<int>(message.size);
        if (!message.whole()) {
            out.msg.data_ptr = whole_.data();
        } else if (message.data.size() <= sizeof out.msg.data) {
            out.msg.data_ptr = nullptr;
            std::copy(message.data.begin(), message.data.end(), reinterpret_cast<std::byte*>(&out.msg.data));
            messages.release(message);
        } else {
            // A program may scribble over what it received.
            out.msg.data_ptr = const_cast<std::byte*>(message.data.data());
            last_ = message;
        }
        return SUCCESS;
    }

  private:
    explicit Noniso(Net& net) : net_(net) {
        net.before_closing([] { instance().give_back(); });
    }

    /// A message that is whole, or the last part of one that is in whole_ now: programs of the C++ interface
    /// may send what no frame has room for.
    bool next(niu::Received& message) {
        noniso::Endpoint& messages = net_.job().messages();
        while (messages.receive(message)) {
            if (message.whole()) return true;
            if (message.size > INT_MAX)
                give_up("a message of " + std::to_string(message.size) +
                        " bytes has come, and this interface can tell of no more than " +
                        std::to_string(INT_MAX) + "; send it in pieces");
            std::vector<std::byte>& parts = parts_[message.source];
            if (message.offset == 0) parts.clear();
            parts.insert(parts.end(), message.data.begin(), message.data.end());
            const bool last = parts.size() == message.size;
            messages.release(message);
            if (!last) continue;
            whole_.swap(parts);
            parts.clear();
            return true;
        }
        return false;
    }

    /// For its link, which carries less than this node's: it would be tried again for ever.
    void end_if_too_large(niu::NodeId to, std::size_t size) {
        const std::size_t most = net_.job().messages().max_message(to);
        if (most == 0 || size <= most) return;
        give_up("a message of " + std::to_string(size) + " bytes is too large for node " +
                std::to_string(to) + ", which takes up to " + std::to_string(most) +
                ": give all nodes the same mtu");
    }
    void give_back() {
        if (last_) net_.job().messages().release(*last_);
        last_.reset();
    }

    Net& net_;
    std::optional<niu::Received> last_;                      ///< valid until the next receive
    std::vector<std::byte> whole_;                           ///< the same
    std::unordered_map<int, std::vector<std::byte>> parts_;  ///< of messages that are coming, by sender
};

}  // namespace

}  // namespace isoplane::compat

using isoplane::compat::Net;
using isoplane::compat::Noniso;

int isoplane_noniso_send(int target, const void* data, int size) {
    return Noniso::instance().send(target, data, size);
}

int isoplane_noniso_receive(noniso_mbm* message) {
    return Noniso::instance().receive(*message);
}

int isoplane_noniso_initiate_barrier() {
    Net& net = Net::instance();
    if (!net.is_open()) return FAILURE;
    if (net.job().messages().enter_barrier()) return SUCCESS;
    net.poll();
    net.end_if_barrier_broken();
    return FAILURE;
}

int isoplane_noniso_barrier_completed() {
    Net& net = Net::instance();
    if (!net.is_open()) return FAILURE;
    using isoplane::noniso::BarrierState;
    if (net.job().messages().barrier() == BarrierState::kRunning) net.poll();
    net.end_if_barrier_broken();
    return net.job().messages().barrier() == BarrierState::kComplete ? SUCCESS : FAILURE;
}
