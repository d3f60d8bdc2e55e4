// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/portals/header.hh>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace isoplane::portals::model {

/// An interface as one would explain it: names instead of handles, lists that are searched from their
/// beginning, memory that is a string, nothing shared with the real one. Names are numbers that are never
/// used again; 0 is nothing.
using Name = int;
/// Which bytes of the memory, in order.
using Bytes = std::vector<std::size_t>;

struct Spec {
    Bytes bytes{};
    Size length = 0;  ///< of the descriptor: bytes, or segments
    int threshold = 0;
    Size max_size = 0;
    unsigned options = 0;
    Name eq = 0;
};

struct Note {
    EventKind kind{};
    ProcessId initiator{};
    Uid uid = 0;
    Jid jid = 0;
    Bits bits = 0;
    Size rlength = 0, mlength = 0, offset = 0;
    Name md = 0;
    int threshold = 0;
    std::uint64_t hdr_data = 0;
    Sequence link = 0, sequence = 0;
    Failure failure = 0;
};

struct Entry {
    Name name = 0;
    ProcessId id{};
    Bits bits = 0, ignore = 0;
    bool unlinks = false;
    Name md = 0;
};

/// Who may come with a cookie.
struct Guest {
    ProcessId id{};
    Uid uid = 0;
    Jid jid = 0;
    Index portal = 0;
};

struct Md {
    Spec spec{};
    Size local = 0;
    bool unlinks = false, unlinks_no_fit = false;
    bool inactive = false, doomed = false;
};

struct Queue {
    std::vector<Note> notes{};  ///< all that ever were
    std::size_t read = 0;       ///< of them
    std::size_t room = 0;
};

/// In progress, or waiting to be answered.
struct Deed {
    Name md = 0;
    Note note{};  ///< its START
    std::optional<Sequence> link{};
    bool silent = false;
    bool wants_ack = false;
    bool swaps = false;
    Bytes where{};
};

class Model {
  public:
    /// Every guest is like this one at first.
    Model(std::size_t bytes, std::size_t cookies, const Guest& guest)
        : memory(bytes, '.'), guests_(cookies, guest) {}

    // What a user does.

    Name open(Size count);
    Status free(Name queue);
    Status take(Name queue, Note& note);
    Name enter(Entry entry, bool at_head);
    Status insert(Name base, Entry entry, bool before, Name& name);
    Status leave(Name entry);
    Status attach(Name entry, const Spec& spec, bool unlinks, bool unlinks_no_fit, Name& md);
    Name bind(const Spec& spec, bool unlinks);
    Status unlink(Name md);
    Status update(Name md, const Spec* fresh, Name test);
    Status post(Name base, Entry entry, bool before, const Spec& spec, bool unlinks, Name test, Name& name,
                Name& md);
    Status set_access(std::size_t cookie, const Guest& guest);
    /// nullptr when there is no such MD.
    const Spec* spec_of(Name md) const;
    /// The deed is what sent() is for; `there` is the offset at the other end.
    Status put(Name md, Size offset, Size length, Bits bits, Size there, std::uint64_t hdr_data, Name& deed);
    Status get(Name md, Size offset, Size length, Name& deed);
    Status get_put(Name get_md, Name put_md, Bits bits, Size there, std::uint64_t hdr_data, Name& deed);

    // What the network does. A deed of 0: dropped.

    Name arrive(const Header& header, Bytes& where);
    Name reply(Name md, const Header& header, Bytes& where);
    void ack(Name md, const Header& header);
    /// Whether an ACK leaves, or a reply, and with what data.
    struct Left {
        bool ack = false;
        std::optional<std::string> reply{};
    };
    Left landed(Name deed, const std::string& data, bool failed);
    void sent(Name deed, bool failed);
    /// The data of a deed that has not been sent.
    std::string sends(Name deed) const;

    std::string memory;
    std::uint64_t drops = 0;
    std::uint64_t dropped = 0;  ///< bytes
    ProcessId here{};
    Uid uid = 0;
    Jid jid = 0;

  private:
    unsigned busy(Name md) const;
    bool settled(Name queue) const;
    Name begin(Name md, Note note);
    void use(Name md, bool arrived);
    void end(Name deed, bool failed);
    void bury(Name md, Note note, std::optional<Sequence> link);
    void forget(Name md);
    Sequence tell(Name md, Note note, std::optional<Sequence> link);
    bool hears(Name md, bool start) const;
    bool hears_any(Name md) const;
    bool admits(const Header& header) const;
    Note own(EventKind kind, Size length) const;
    static Spec cleaned(Spec spec);

    std::vector<Guest> guests_;
    std::list<Entry> list_;
    std::map<Name, Md> mds_;
    std::map<Name, Queue> queues_;
    std::map<Name, Deed> deeds_;
    Name last_ = 0;
};

}  // namespace isoplane::portals::model
