// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What Portals sends through: a network abstraction layer. Whoever has a network writes a class of this
/// kind; the core knows no other.
///
/// A NAL carries messages from interface to interface, each pair's in the order in which they were submitted;
/// answers may overtake others. To an interface it
///   1. calls Interface::sent() for every message that was submitted with an operation, when the memory is
///      the user's again, and before it hands over anything that the other end sends because of it;
///   2. calls Interface::arrive() for every message, in order, and then, if that returns an operation, writes
///      the first Landing::length bytes of the data to Landing::where and calls Interface::landed(). Landings
///      may end in any order. What is not wanted of the data it throws away.
/// It makes these calls from progress(), or from threads of its own; never from within attach(), submit() or
/// inject().
///
/// Two short cuts take most of a small message's time away. What the NAL can copy at once it may take with
/// inject(), so that there is no sent(). A message whose data has arrived with its header it may hand over,
/// in its place among the others, with Interface::deliver(), instead of 2.
#pragma once

#include <isoplane/portals/header.hh>
#include <isoplane/portals/pieces.hh>

namespace isoplane::portals {

class Interface;

/// Names an operation of an interface to its NAL.
using Operation = Handle;

class Nal {
  public:
    virtual ~Nal() = default;

    /// The most that it can do; interfaces have no more.
    virtual Limits limits() const { return {}; }

    /// The id of a new interface goes to `id`. kPidInvalid when that pid is taken, or there cannot be such a
    /// one; kAny asks for any that is free. The interface is locked, as it is during submit().
    virtual Status attach(Interface& interface, Pid wanted, ProcessId& id) = 0;
    /// Forgets the interface, with all that is on its way to it and from it. It is not called once this has
    /// returned.
    virtual void detach(Interface& interface) noexcept = 0;

    /// Takes a message to be sent; its place among those of its kind is that of the call. The data stays as
    /// it is until sent(). Acknowledgements have no operation: it is kNone.
    virtual void submit(Interface& from, const Header& header, const Pieces& data, Operation operation) = 0;

    /// Takes a message and a copy of its data, which is the user's again when this returns: no sent()
    /// follows. False, and nothing has happened, when the data is too long for that, or there is no room now;
    /// then the same message comes to submit().
    virtual bool inject(Interface&, const Header&, const Pieces&) { return false; }

    /// Sends and receives what can be now, for this interface at the least. Returns whether anything was
    /// done. Who polls gives the CPU away in it when nothing is for a while.
    virtual bool progress(Interface& interface) = 0;
    /// Whether what arrives for an interface is handed over though nobody calls progress() for it: who waits
    /// for an event may sleep then, and otherwise polls.
    virtual bool moves_alone() const noexcept = 0;

    /// How far that process is, in any measure; false when there cannot be such a one.
    virtual bool distance(const ProcessId& from, const ProcessId& to,
                          unsigned long& distance) const noexcept {
        distance = from == to ? 0 : 1;
        return true;
    }
    /// Words for a failure of its own; nullptr when it has none.
    virtual const char* name_of(Failure) const noexcept { return nullptr; }
};

}  // namespace isoplane::portals
