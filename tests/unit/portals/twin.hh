// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <gtest/gtest.h>

#include <isoplane/portals/interface.hh>
#include <random>
#include <sstream>

#include "model.hh"
#include "words.hh"

namespace isoplane::portals {

using model::Bytes;
using model::Model;
using model::Name;
using model::Note;

/// Each of the defects that can be planted.
inline constexpr std::pair<const char*, bool Planted::*> kDefects[] = {
    {"stop_at_no_fit", &Planted::stop_at_no_fit},     {"literal_match", &Planted::literal_match},
    {"one_portal_more", &Planted::one_portal_more},   {"inactive_at_end", &Planted::inactive_at_end},
    {"one_unlinks", &Planted::one_unlinks},           {"forgets_promises", &Planted::forgets_promises},
    {"keeps_offset", &Planted::keeps_offset},         {"acks_all", &Planted::acks_all},
    {"charges_get", &Planted::charges_get},           {"drops_uncounted", &Planted::drops_uncounted},
    {"admits_all_users", &Planted::admits_all_users}, {"counts_segments", &Planted::counts_segments},
};

/// What differs first.
struct Difference {
    std::string what;
};

class Random {
  public:
    explicit Random(std::uint64_t seed) : generator_(seed) {}
    /// Below `n`.
    unsigned below(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(generator_); }
    bool once_in(unsigned n) { return below(n) == 0; }

  private:
    std::mt19937_64 generator_;
};

/// Objects that were made, under both of their names. Most that are picked are young, and alive.
class Names {
  public:
    void add(Name name, Handle handle) { all_.emplace_back(name, handle); }
    std::pair<Name, Handle> pick(Random& random) const {
        if (all_.empty()) return {-1, kInvalid};
        const auto recent = std::min<std::size_t>(all_.size(), 8);
        return all_[all_.size() - 1 - random.below(static_cast<unsigned>(recent))];
    }
    Name name_of(Handle handle) const {
        for (auto at = all_.rbegin(); at != all_.rend(); ++at) {
            if (at->second == handle) return at->first;
        }
        return -1;
    }

  private:
    std::vector<std::pair<Name, Handle>> all_;
};

/// An interface and its model. Whatever a user does, drawn at random, is done at both, and has to come out
/// the same; else Difference is thrown.
class Twin {
  protected:
    static constexpr int kCookies = 4;
    static constexpr Index kPortal = 4;

    /// Messages come from `there`, or a process near it, and are up to some twenty times `scale` long.
    Twin(Random& random, Interface& ni, const ProcessId& there, std::size_t scale = 1)
        : random_(random),
          ni_(ni),
          there_(there),
          scale_(scale),
          memory_(size(), '.'),
          model_(size(), kCookies, {.id = kAnyone, .uid = ni.uid(), .jid = kAny, .portal = kAny}) {
        model_.here = ni.id();
        model_.uid = ni.uid();
        model_.jid = ni.jid();
    }
    std::size_t size() const { return 96 * scale_; }
    unsigned below(unsigned n) { return random_.below(n); }
    /// The same, in bytes.
    Size length_below(unsigned n) { return random_.below(n * static_cast<unsigned>(scale_)); }

    using Both = std::pair<Name, Handle>;

    void check(const std::string& what, bool same) const {
        if (!same) throw Difference{what};
    }
    void check(const std::string& what, Status real, Status expected) const {
        if (real == expected) return;
        std::ostringstream words;
        words << what << " returned " << real << " instead of " << expected;
        throw Difference{words.str()};
    }

    /// One of the calls that send nothing.
    void call_something() {
        switch (below(13)) {
            case 0:
                return open();
            case 1:
                return random_.once_in(4) ? free() : enter();
            case 2:
                return insert();
            case 3:
                return random_.once_in(2) ? remove_entry() : attach();
            case 4:
            case 5:
                return attach();
            case 6:
                return bind();
            case 7:
                return unlink();
            case 8:
                return update();
            case 9:
                return post();
            case 10:
                return set_access();
            default:
                take(queues_.pick(random_));
                return;
        }
    }
    /// So that there is something to match, and to send: bytes that can be told from others.
    void begin() {
        for (std::size_t i = 0; i < size(); ++i)
            memory_[i] = model_.memory[i] = static_cast<char>(below(256));
        open();
        for (int i = 0; i < 3; ++i) {
            enter();
            attach();
            bind();
        }
    }
    /// Nothing is under way any more: all that can be seen is the same.
    void compare_all() {
        for (const auto& queue : queues_seen_)
            while (take(queue))
                continue;
        std::uint64_t drops = 0;
        std::uint64_t dropped = 0;
        ni_.read(Register::kDropCount, drops);
        ni_.read(Register::kDropLength, dropped);
        check("memory", memory_ == model_.memory);
        check("drops", drops == model_.drops);
        check("bytes dropped", dropped == model_.dropped);
    }

    Bits bits() { return random_.below(4); }
    Position position() { return random_.once_in(2) ? Position::kBefore : Position::kAfter; }
    Both queue_or_none() { return random_.once_in(3) ? Both{0, kNoQueue} : queues_.pick(random_); }

    struct Specs {
        MdSpec real;
        model::Spec expected;
    };
    Specs spec() {
        constexpr int kThresholds[] = {kInfinite, kInfinite, 0, 1, 1, 2, 2, 3, -7};
        Specs specs{};
        const bool has_segments = random_.once_in(3);
        segments_.assign(has_segments ? random_.below(5) : 1, {});
        for (Segment& segment : segments_) {
            const std::size_t start = length_below(48);
            segment = {memory_.data() + start, length_below(has_segments ? 8 : 20)};
            for (std::size_t i = 0; i < segment.length; ++i)
                specs.expected.bytes.push_back(start + i);
        }
        specs.expected.length = has_segments ? segments_.size() : specs.expected.bytes.size();
        specs.expected.threshold = kThresholds[random_.below(std::size(kThresholds))];
        specs.expected.max_size = length_below(24);
        specs.expected.options = random_.once_in(2) ? kOpPut | kOpGet : random_.below(4);
        specs.expected.options |= has_segments ? kIovec : 0U;
        for (const unsigned option :
             {kManageRemote, kTruncate, kAckDisable, kMaxSize, kStartDisable, kEndDisable})
            specs.expected.options |= random_.once_in(3) ? option : 0;
        const Both eq = queue_or_none();
        specs.expected.eq = eq.first;
        specs.real = {has_segments ? static_cast<void*>(segments_.data()) : segments_.front().base,
                      specs.expected.length,
                      specs.expected.threshold,
                      specs.expected.max_size,
                      specs.expected.options,
                      nullptr,
                      eq.second};
        return specs;
    }
    struct Matches {
        MatchSpec real;
        model::Entry expected;
    };
    Matches match() {
        ProcessId id = kAnyone;
        if (random_.once_in(4)) id.nid = there_.nid + random_.below(2);
        if (random_.once_in(4)) id.pid = there_.pid + random_.below(2);
        const MatchSpec real{id, bits(), random_.once_in(2) ? 3 : bits(),
                             random_.once_in(2) ? Unlink::kUnlink : Unlink::kRetain};
        return {
            real,
            {.id = id, .bits = real.bits, .ignore = real.ignore, .unlinks = real.unlink == Unlink::kUnlink}};
    }
    Unlink unlinks() { return random_.once_in(2) ? Unlink::kUnlink : Unlink::kRetain; }

    void open() {
        const Size count = 1 + random_.below(12);
        Handle queue = kInvalid;
        check("open_queue", ni_.open_queue(count, nullptr, queue), Status::kOk);
        queues_seen_.emplace_back(model_.open(count), queue);
        queues_.add(queues_seen_.back().first, queues_seen_.back().second);
    }
    void free() {
        const auto [name, handle] = queues_.pick(random_);
        check("free_queue", ni_.free_queue(handle), model_.free(name));
    }
    bool take(const Both& queue) {
        Event event{};
        Note note;
        const Status status = model_.take(queue.first, note);
        std::size_t which = 0;
        EventHandler handler = nullptr;
        check("take", ni_.take({&queue.second, 1}, event, which, handler), status);
        if (status != Status::kOk && status != Status::kEqDropped) return false;
        check(std::string("kind of ") + name_of(event.kind), event.kind == note.kind);
        const auto same = [&](const char* what, bool is) {
            check(std::string(what) + " of " + name_of(event.kind), is);
        };
        same("initiator", event.initiator == note.initiator);
        same("user and job", event.uid == note.uid && event.jid == note.jid);
        same("match bits", event.match_bits == note.bits);
        same("lengths", event.rlength == note.rlength && event.mlength == note.mlength);
        same("offset", event.offset == note.offset);
        same("MD", mds_.name_of(event.md) == note.md);
        same("threshold", event.spec.threshold == note.threshold);
        same("header data", event.hdr_data == note.hdr_data);
        same("numbers", event.link == note.link && event.sequence == note.sequence);
        same("failure", event.failure == note.failure);
        return true;
    }
    void enter() {
        const Matches matches = match();
        const Position at = position();
        Handle entry = kInvalid;
        check("attach_entry", ni_.attach_entry(kPortal, matches.real, at, entry), Status::kOk);
        entries_.add(model_.enter(matches.expected, at == Position::kBefore), entry);
    }
    void insert() {
        const Matches matches = match();
        const auto [base, handle] = entries_.pick(random_);
        const Position at = position();
        Name name = 0;
        Handle made = kInvalid;
        const Status status = model_.insert(base, matches.expected, at == Position::kBefore, name);
        check("insert_entry", ni_.insert_entry(handle, matches.real, at, made), status);
        if (status == Status::kOk) entries_.add(name, made);
    }
    void remove_entry() {
        const auto [name, handle] = entries_.pick(random_);
        check("unlink_entry", ni_.unlink_entry(handle), model_.leave(name));
    }
    /// A queue that is gone makes an MD impossible, which the model need not know.
    bool possible(const Specs& specs) {
        Handle probe = kInvalid;
        if (ni_.bind(specs.real, Unlink::kRetain, probe) != Status::kOk) return false;
        ni_.unlink(probe);
        return true;
    }
    void attach() {
        const Specs specs = spec();
        if (!possible(specs)) return;
        const auto [name, handle] = entries_.pick(random_);
        const Unlink exhausted = unlinks();
        const Unlink no_fit = random_.once_in(4) ? Unlink::kUnlink : Unlink::kRetain;
        Name md = 0;
        Handle made = kInvalid;
        const Status status =
            model_.attach(name, specs.expected, exhausted == Unlink::kUnlink, no_fit == Unlink::kUnlink, md);
        check("attach", ni_.attach(handle, specs.real, exhausted, no_fit, made), status);
        if (status == Status::kOk) mds_.add(md, made);
    }
    void bind() {
        const Specs specs = spec();
        if (!possible(specs)) return;
        const Unlink exhausted = unlinks();
        Handle md = kInvalid;
        check("bind", ni_.bind(specs.real, exhausted, md), Status::kOk);
        mds_.add(model_.bind(specs.expected, exhausted == Unlink::kUnlink), md);
    }
    void unlink() {
        const auto [name, handle] = mds_.pick(random_);
        check("unlink", ni_.unlink(handle), model_.unlink(name));
    }
    void update() {
        const Specs specs = spec();
        const auto [name, handle] = mds_.pick(random_);
        const auto [test, test_handle] = queue_or_none();
        const bool fresh = !random_.once_in(8);
        const model::Spec* const known = model_.spec_of(name);
        const model::Spec was = known != nullptr ? *known : model::Spec{};
        Segment room[2] = {};
        MdSpec old{room, std::size(room), 0, 0, random_.once_in(2) ? kIovec : 0U, nullptr, kNoQueue};
        const Status status = ni_.update(handle, &old, fresh ? &specs.real : nullptr, test_handle);
        check("update", status, model_.update(name, fresh ? &specs.expected : nullptr, test));
        if (status != Status::kOk && status != Status::kMdNoUpdate) return;
        check("what was before an update", old.length == was.length && old.threshold == was.threshold &&
                                               old.options == was.options && old.max_size == was.max_size);
    }
    void post() {
        const Specs specs = spec();
        if (!possible(specs)) return;
        const Matches matches = match();
        const auto [base, handle] = entries_.pick(random_);
        const auto [test, test_handle] = queue_or_none();
        const Position at = position();
        const Unlink exhausted = unlinks();
        Name name = 0;
        Name md = 0;
        Handle made = kInvalid;
        Handle made_md = kInvalid;
        const Status status = model_.post(base, matches.expected, at == Position::kBefore, specs.expected,
                                          exhausted == Unlink::kUnlink, test, name, md);
        check("post", ni_.post(handle, matches.real, at, specs.real, exhausted, test_handle, made, made_md),
              status);
        if (status != Status::kOk) return;
        entries_.add(name, made);
        mds_.add(md, made_md);
    }

    void set_access() {
        const std::uint32_t uids[] = {kAny, ni_.uid(), ni_.uid() + 1};
        const std::uint32_t jids[] = {kAny, kAny, 5, 6};
        const std::uint32_t portals[] = {kAny, kAny, 4, 3, 5};
        AccessEntry entry;
        if (random_.once_in(4)) entry.id.nid = there_.nid + random_.below(2);
        if (random_.once_in(4)) entry.id.pid = there_.pid + random_.below(2);
        entry.uid = uids[random_.below(std::size(uids))];
        entry.jid = jids[random_.below(std::size(jids))];
        entry.portal = portals[random_.below(std::size(portals))];
        const Index cookie = this->cookie();
        check("set_access", ni_.set_access(cookie, entry),
              model_.set_access(cookie, {entry.id, entry.uid, entry.jid, entry.portal}));
    }
    /// One of them is too large.
    Index cookie() { return random_.below(kCookies + 1); }

    Random& random_;
    Interface& ni_;
    ProcessId there_;
    std::size_t scale_;
    std::string memory_;
    Model model_;
    Names queues_, entries_, mds_;
    std::vector<Both> queues_seen_;
    std::vector<Segment> segments_;  ///< of the MD that was made last
};

}  // namespace isoplane::portals
