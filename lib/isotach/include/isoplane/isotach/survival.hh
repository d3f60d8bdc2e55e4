// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/runtime/fifo.hh>
#include <isoplane/siu/siu.hh>
#include <isoplane/wire/view.hh>
#include <vector>

#include <isoplane/isotach/delivery.hh>
#include <isoplane/isotach/group.hh>

namespace isoplane::isotach {

/// How far a host has come, when it is frozen.
struct Standing {
    siu::Pulse held = 0;  ///< it has all that is executed up to here
    siu::Pulse last = 0;  ///< and nothing of its own is executed after this; or kArrives
};

/// Of a host that does not know yet how things stand, and has issued nothing.
inline constexpr siu::Pulse kArrives = UINT64_MAX;

/// What another host says last of the view before: all that it had sent is here, and so are these acts.
struct Flush {
    NodeId from = 0;
    std::uint32_t view = 0;  ///< that comes next
    bool whole = false;      ///< no more acts follow
    std::vector<siu::GroupAct> acts{};
};

/// The same, on its way to another host.
struct FlushOut {
    NodeId to = 0;
    std::size_t next = 0;  ///< of the acts
    bool sent = false;
};

/// Who has left or joined, to be told at the end of `pulse`.
struct Change {
    siu::Pulse pulse = 0;
    NodeId host = 0;
    bool joined = false;
    std::uint32_t view = 0;
};

/// What a host that joins a running time waits for: how things stand at the end of `pulse`. Until it is here
/// the host issues nothing and sends no token that would let anybody go on behind that pulse.
struct Arrival {
    bool waits = false;
    bool anew = false;  ///< behind the base of this view
    bool has_group = false;
    bool has_pages = false;  ///< if there are any
    siu::Pulse pulse = 0;
    std::vector<std::uint32_t> epochs{};         ///< of those that it joins; 0: not in that view
    std::vector<std::vector<std::byte>> told{};  ///< by host: the parts of its handover that have come
};

/// For a host that joins, on its way there.
struct Handover {
    NodeId to = 0;
    std::uint32_t epoch = 0;
    std::uint32_t view = 0;
    siu::Pulse pulse = 0;
    std::vector<std::byte> standing{};  ///< as in wire::kIsotachHandover
    std::size_t next = 0;               ///< what of it has not been sent begins there
};

/// What a host knows of the hosts that take part with it, and what it has to settle with them before time
/// goes on (doc/membership.md).
struct Survival {
    explicit Survival(std::size_t nodes) : epochs(nodes), awaited(nodes), present(nodes) {}

    /// Returns whether anybody has left or joined at the end of that pulse.
    bool change(siu::Pulse pulse, Group& group) noexcept;

    /// It is not in that view any more: of one that was to join there first, nobody hears anything.
    void leaves(NodeId host, const wire::View& next);
    /// Keeps what came before this host has heard of its view. False when its sender says more than hosts do.
    bool keep(Flush&& flush);
    /// What has been kept for that view; that for later ones stays.
    std::vector<Flush> take_kept(std::uint32_t view_now);
    /// It takes part no more; before the first view nobody has left.
    bool has_left(NodeId host) const noexcept { return view != 0 && epochs[host] == 0; }

    std::uint32_t view = 0;
    siu::Pulse base = 0;
    bool flushing = false;
    bool some_left = false;             ///< not all hosts are in this view
    std::vector<std::uint32_t> epochs;  ///< by host: its life in this view; 0 for none
    std::vector<bool> awaited;          ///< by host: its flush is not here
    std::vector<FlushOut> out{};        ///< to all others that were in the last view, too
    std::vector<siu::GroupAct> acts{};  ///< of this host, to go with them
    std::vector<Flush> early{};         ///< of a view that this host has not heard of
    std::vector<Change> changes{};
    std::vector<Change> due{};                ///< those of the pulse that ends
    runtime::Fifo<std::uint32_t> deferred{};  ///< acts of the program while there was no time
    std::vector<bool> present;                ///< by host: it takes part in the pulse that is executed
    Arrival arrival{};
    std::vector<Handover> handovers{};
};

}  // namespace isoplane::isotach
