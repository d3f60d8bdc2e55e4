// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane_active.h>

#include <isoplane/active/active.hh>
#include <isoplane/niu/epoch.hh>
#include <isoplane/runtime/time.hh>
#include <optional>
#include <string>
#include <vector>

#include "net.hh"

namespace isoplane::compat {

namespace {

using active::Refusal;
using active::RequestState;
using active::Ticket;
using active::Word;

/// Active messages for interfaces in which a request waits until it can go.
class ActiveMessages {
  public:
    static ActiveMessages& instance() {
        // Never destroyed: leaving at exit still asks it.
        static ActiveMessages* const messages = new ActiveMessages(Net::instance());
        return *messages;
    }

    active::Active& open() {
        if (active_) [[likely]]
            return *active_;
        if (!net_.is_open() && !net_.open(Net::Time::kNone))
            give_up("active messages need the connection that has been closed: close it last");
        clock_.emplace();
        // Before anybody uses it, all have one.
        noniso::Endpoint& messages = net_.job().messages(wire::Protocol::kActive);
        active_.emplace(messages, images_,
                        active::Options{.node = net_.job().node(),
                                        .nodes = net_.job().size(),
                                        .life = niu::epoch_now(),
                                        .limit = net_.settings().silence});
        active_->check_with(&memory_);
        net_.also_poll([] { instance().poll_messages(); });
        net_.before_leaving([] { instance().active_->end_handler(); });
        net_.before_closing([] { instance().active_.reset(); });
        barrier();
        return *active_;
    }

    void close() {
        wait_in_main("am_disable");
        while (active_->open() != 0)
            poll();
        while (!net_.try_close()) {
        }
    }

    void poll() {
        if (!open().in_handler()) net_.poll();
    }

    /// What is refused for now is tried again, while others are served. A dead node ends the program, unless
    /// it goes on without.
    template <typename Request>
    Ticket send(Request&& request) {
        for (;;) {
            const Ticket ticket = request(open());
            const bool dead = ticket.refusal == Refusal::kDead;
            if (dead) net_.look_for_trouble();
            if (ticket || dead || ticket.refusal == Refusal::kFull) poll();
            if (ticket.refusal != Refusal::kFull) return ticket;
        }
    }

    void wait_until_sent(const Ticket& request) {
        while (active_->state(request) == RequestState::kSending)
            poll();
    }

    /// What is to be called when the data of a request may change.
    struct End {
        Ticket request;
        const void* handler;
        void* data;
        Word size;
        Word argument;
    };
    void call_at_end(const End& end) {
        ends_.push_back(end);
        call_ends();
    }

    void barrier() {
        wait_in_main("barrier");
        while (active_->open() != 0)
            poll();
        noniso::Endpoint& messages = net_.job().messages();
        while (!messages.enter_barrier())
            poll_for_barrier();
        while (messages.barrier() == noniso::BarrierState::kRunning)
            poll_for_barrier();
    }

    int node() { return net_.node(); }
    int nodes() { return net_.hosts(); }

  private:
    explicit ActiveMessages(Net& net) : net_(net) {}

    /// A handler that waits would do so for ever: nothing is handled meanwhile.
    void wait_in_main(const char* caller) {
        if (open().in_handler())
            give_up(std::string(caller) + "() has been called by a handler, which can wait for nothing");
    }

    void poll_for_barrier() {
        poll();
        net_.end_if_barrier_broken();
    }

    /// With every poll of the connection.
    void poll_messages() {
        if (!active_ || active_->in_handler()) return;
        // What handlers have replied should not wait until the program polls again.
        if (active_->poll(clock_->now()) != 0) net_.job().poll();
        for (active::Failure failure; active_->next_failure(failure);)
            if (!net_.leaving()) give_up_on(failure);
        if (!ends_.empty()) call_ends();
    }

    /// Each may make requests, and so come here again: not ever deeper, where one makes the next. Who is
    /// deepest goes on with those.
    void call_ends() {
        if (depth_ == kDeepest) return;
        ++depth_;
        for (std::size_t i = 0; i < ends_.size();) {
            const End end = ends_[i];
            if (active_->state(end.request) == RequestState::kSending) {
                ++i;
                continue;
            }
            ends_.erase(ends_.begin() + static_cast<std::ptrdiff_t>(i));
            using Handler = void (*)(Word, void*, Word, Word);
            reinterpret_cast<Handler>(reinterpret_cast<std::uintptr_t>(end.handler))(end.request.to, end.data,
                                                                                     end.size, end.argument);
            i = 0;
        }
        --depth_;
    }

    [[noreturn]] void give_up_on(const active::Failure& failure) {
        const std::string node = "node " + std::to_string(failure.request.to);
        switch (failure.reason) {
            case active::Reason::kSilent:
                give_up(node + " has not answered a request for " +
                        std::to_string(net_.settings().silence.count()) +
                        " ms: it polls too seldom, or silence= in node.conf is too short for what it does");
            case active::Reason::kLost:
                net_.look_for_trouble();
                give_up(node + " is lost, and a request to it with it");
            case active::Reason::kUnknownCode:
                give_up(
                    node +
                    " does not have the handler of a request: it runs another program, or another build of "
                    "it; start the same file on all nodes");
            case active::Reason::kNoMemory:
                give_up("data was to be copied from or to an address of " + node +
                        " at which there is nothing. Variables are in the same place at all nodes if the "
                        "program is linked with -no-pie, or started as setarch -R PROGRAM");
            case active::Reason::kProtocol:
                break;
        }
        give_up(node + " has answered a request with what is no answer: it runs another version of isoplane");
    }

    Net& net_;
    active::Images images_;
    active::MemoryMap memory_;
    std::optional<active::Active> active_;
    static constexpr unsigned kDeepest = 16;

    std::vector<End> ends_;
    unsigned depth_ = 0;                      ///< of calls of call_ends()
    std::optional<runtime::TscClock> clock_;  ///< with the EAL
};

ActiveMessages& messages() {
    return ActiveMessages::instance();
}

bool is_node(int to) {
    return to >= 0 && to < messages().nodes();
}

active::Function function(isoplane_active_handler handler, int convention) {
    return {reinterpret_cast<const void*>(handler), static_cast<active::Convention>(convention)};
}

/// Also where -1 is the node whose request is being handled. Nothing where there is no such node.
std::optional<active::NodeId> node_id(const active::Active& active, int to) {
    if (to == -1) return active.requester();
    return is_node(to) ? std::optional(static_cast<active::NodeId>(to)) : std::nullopt;
}

int result(Refusal refusal) {
    return refusal == Refusal::kNone ? 0 : -1;
}

}  // namespace

}  // namespace isoplane::compat

using namespace isoplane::compat;
using isoplane::active::Active;
using isoplane::active::NodeId;
using isoplane::active::Word;

int isoplane_active_open() {
    messages().open();
    return 0;
}

int isoplane_active_close() {
    messages().close();
    return 0;
}

int isoplane_active_node() {
    return messages().node();
}

int isoplane_active_nodes() {
    return messages().nodes();
}

void isoplane_active_poll() {
    messages().poll();
}

/// Weak: a program may have a barrier of its own, which am.h gives this name.
[[gnu::weak]] void isoplane_active_barrier() {
    messages().barrier();
}

void isoplane_active_wait(volatile int* counter, int value) {
    while (*counter < value)
        messages().poll();
    *counter = *counter - value;
}

int isoplane_active_request(int to, isoplane_active_handler handler, int convention, Word first, Word second,
                            Word third, Word fourth) {
    if (!is_node(to)) return -1;
    const auto request = [&](Active& active) {
        return active.request(static_cast<NodeId>(to), function(handler, convention),
                              {first, second, third, fourth});
    };
    return result(messages().send(request).refusal);
}

int isoplane_active_transfer(int to, const void* from, void* address, long size,
                             isoplane_active_handler handler, int convention, Word argument,
                             isoplane_active_handler at_end, Word end_argument) {
    if (!is_node(to) || size < 0) return -1;
    const std::span data(static_cast<const std::byte*>(from), static_cast<std::size_t>(size));
    const auto request = [&](Active& active) {
        return active.transfer(static_cast<NodeId>(to), data, reinterpret_cast<Word>(address),
                               function(handler, convention), argument);
    };
    const Ticket ticket = messages().send(request);
    if (!ticket) return -1;
    if (at_end != nullptr) {
        messages().call_at_end({ticket, reinterpret_cast<const void*>(at_end), const_cast<void*>(from),
                                static_cast<Word>(size), end_argument});
    } else {
        messages().wait_until_sent(ticket);
    }
    return 0;
}

int isoplane_active_get(int to, const void* address, void* into, long size, isoplane_active_handler handler,
                        int convention, Word argument) {
    if (!is_node(to) || size < 0) return -1;
    const std::span data(static_cast<std::byte*>(into), static_cast<std::size_t>(size));
    const auto request = [&](Active& active) {
        return active.get(static_cast<NodeId>(to), reinterpret_cast<Word>(address), data,
                          function(handler, convention), argument);
    };
    return result(messages().send(request).refusal);
}

int isoplane_active_reply(int to, isoplane_active_handler handler, int convention, Word first, Word second,
                          Word third, Word fourth) {
    Active& active = messages().open();
    const auto node = node_id(active, to);
    if (!node) return -1;
    return result(active.reply(*node, function(handler, convention), {first, second, third, fourth}));
}

int isoplane_active_reply_transfer(int to, const void* from, void* address, long size,
                                   isoplane_active_handler handler, int convention, Word argument) {
    if (size < 0) return -1;
    Active& active = messages().open();
    const auto node = node_id(active, to);
    if (!node) return -1;
    return result(
        active.reply_transfer(*node, {static_cast<const std::byte*>(from), static_cast<std::size_t>(size)},
                              reinterpret_cast<Word>(address), function(handler, convention), argument));
}
