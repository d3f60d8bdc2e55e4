// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Random calls and messages, at an interface and at its model: whatever can be seen must be the same.
#include <random>
#include <sstream>

#include "desk.hh"
#include "model.hh"
#include "seeds.hh"

namespace isoplane::portals {

namespace {

using model::Bytes;
using model::Model;
using model::Name;
using model::Note;

constexpr std::size_t kMemory = 96;
constexpr int kCookies = 4;

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

class Run {
  public:
    Run(std::uint64_t seed, const Planted& planted)
        : random_(seed),
          desk_({.limits = {.max_ac_index = kCookies - 1, .max_pt_index = 4},
                 .uid = kUid,
                 .jid = kJid,
                 .planted = planted}),
          model_(kMemory, kCookies, {.id = kAnyone, .uid = kUid, .jid = kAny, .portal = kAny}) {
        desk_.memory = std::string(kMemory, '.');
        model_.here = kHere;
        model_.uid = kUid;
        model_.jid = kJid;
    }

    void steps(int count) {
        while (count-- > 0)
            step();
        while (!landings_.empty())
            land();
        while (!leaving_.empty() || !desk_.nal.submitted.empty())
            leave();
        for (const auto& queue : queues_seen_)
            while (take(queue))
                continue;
        check("memory", desk_.memory == model_.memory);
        check("drops", desk_.drops() == model_.drops);
        check("bytes dropped", desk_.value(Register::kDropLength) == model_.dropped);
    }

  private:
    using Both = std::pair<Name, Handle>;
    struct Begun {
        Name deed;
        Landing landing;
        std::size_t length;
    };
    /// A message that the real one has submitted, as the model knows it.
    struct Leaving {
        Name deed = 0;  ///< 0: nothing waits for it to be sent
        Name md = 0;    ///< that answers will be for
        MessageType type = MessageType::kPut;
        std::optional<std::string> data{};  ///< if it is not what is in the memory
    };
    struct Asked {
        Name md;
        Header header;
    };

    void check(const std::string& what, bool same) const {
        if (!same) throw Difference{what};
    }
    void check(const std::string& what, Status real, Status expected) const {
        if (real == expected) return;
        std::ostringstream words;
        words << what << " returned " << real << " instead of " << expected;
        throw Difference{words.str()};
    }

    void step() {
        desk_.nal.injects = random_.once_in(3);
        switch (random_.below(25)) {
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
                return put();
            case 11:
                return get();
            case 12:
                return get_put();
            case 13:
            case 14:
                return land();
            case 15:
            case 16:
                return leave();
            case 17:
            case 18:
                return answer();
            case 19:
            case 20:
                take(queues_.pick(random_));
                return;
            case 21:
                return set_access();
            default:
                return arrive();
        }
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
            const std::size_t start = random_.below(kMemory / 2);
            segment = {desk_.memory.data() + start, random_.below(has_segments ? 8 : 20)};
            for (std::size_t i = 0; i < segment.length; ++i)
                specs.expected.bytes.push_back(start + i);
        }
        specs.expected.length = has_segments ? segments_.size() : specs.expected.bytes.size();
        specs.expected.threshold = kThresholds[random_.below(std::size(kThresholds))];
        specs.expected.max_size = random_.below(24);
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
        if (random_.once_in(4)) id.nid = kThere.nid + random_.below(2);
        if (random_.once_in(4)) id.pid = kThere.pid + random_.below(2);
        const MatchSpec real{id, bits(), random_.once_in(2) ? 3 : bits(),
                             random_.once_in(2) ? Unlink::kUnlink : Unlink::kRetain};
        return {
            real,
            {.id = id, .bits = real.bits, .ignore = real.ignore, .unlinks = real.unlink == Unlink::kUnlink}};
    }
    Unlink unlinks() { return random_.once_in(2) ? Unlink::kUnlink : Unlink::kRetain; }

    void open() {
        const Size count = 1 + random_.below(12);
        queues_seen_.emplace_back(model_.open(count), desk_.queue(count));
        queues_.add(queues_seen_.back().first, queues_seen_.back().second);
    }
    void free() {
        const auto [name, handle] = queues_.pick(random_);
        check("free_queue", desk_.ni.free_queue(handle), model_.free(name));
    }
    bool take(const Both& queue) {
        Event event{};
        Note note;
        const Status status = model_.take(queue.first, note);
        check("take", desk_.take(queue.second, event), status);
        if (status != Status::kOk && status != Status::kEqDropped) return false;
        std::ostringstream words;
        words << name_of(event.kind) << " instead of " << name_of(note.kind) << ", or something in it";
        check(words.str(), event.kind == note.kind && event.initiator == note.initiator &&
                               event.uid == note.uid && event.jid == note.jid &&
                               event.match_bits == note.bits && event.rlength == note.rlength &&
                               event.mlength == note.mlength && event.offset == note.offset &&
                               mds_.name_of(event.md) == note.md && event.spec.threshold == note.threshold &&
                               event.hdr_data == note.hdr_data && event.link == note.link &&
                               event.sequence == note.sequence && event.failure == note.failure);
        return true;
    }
    void enter() {
        const Matches matches = match();
        const Position at = position();
        entries_.add(model_.enter(matches.expected, at == Position::kBefore), desk_.entry(matches.real, at));
    }
    void insert() {
        const Matches matches = match();
        const auto [base, handle] = entries_.pick(random_);
        const Position at = position();
        Name name = 0;
        Handle made = kInvalid;
        const Status status = model_.insert(base, matches.expected, at == Position::kBefore, name);
        check("insert_entry", desk_.ni.insert_entry(handle, matches.real, at, made), status);
        if (status == Status::kOk) entries_.add(name, made);
    }
    void remove_entry() {
        const auto [name, handle] = entries_.pick(random_);
        check("unlink_entry", desk_.ni.unlink_entry(handle), model_.leave(name));
    }
    /// A queue that is gone makes an MD impossible, which the model need not know.
    bool possible(const Specs& specs) {
        Handle probe = kInvalid;
        if (desk_.ni.bind(specs.real, Unlink::kRetain, probe) != Status::kOk) return false;
        desk_.ni.unlink(probe);
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
        check("attach", desk_.ni.attach(handle, specs.real, exhausted, no_fit, made), status);
        if (status == Status::kOk) mds_.add(md, made);
    }
    void bind() {
        const Specs specs = spec();
        if (!possible(specs)) return;
        const Unlink exhausted = unlinks();
        mds_.add(model_.bind(specs.expected, exhausted == Unlink::kUnlink),
                 desk_.bind(specs.real, exhausted));
    }
    void unlink() {
        const auto [name, handle] = mds_.pick(random_);
        check("unlink", desk_.ni.unlink(handle), model_.unlink(name));
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
        const Status status = desk_.ni.update(handle, &old, fresh ? &specs.real : nullptr, test_handle);
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
        check("post",
              desk_.ni.post(handle, matches.real, at, specs.real, exhausted, test_handle, made, made_md),
              status);
        if (status != Status::kOk) return;
        entries_.add(name, made);
        mds_.add(md, made_md);
    }

    void set_access() {
        const std::uint32_t uids[] = {kAny, kUid, kUid + 1};
        const std::uint32_t jids[] = {kAny, kAny, 5, 6};
        const std::uint32_t portals[] = {kAny, kAny, 4, 3, 5};
        AccessEntry entry;
        if (random_.once_in(4)) entry.id.nid = kThere.nid + random_.below(2);
        if (random_.once_in(4)) entry.id.pid = kThere.pid + random_.below(2);
        entry.uid = uids[random_.below(std::size(uids))];
        entry.jid = jids[random_.below(std::size(jids))];
        entry.portal = portals[random_.below(std::size(portals))];
        const Index cookie = this->cookie();
        check("set_access", desk_.ni.set_access(cookie, entry),
              model_.set_access(cookie, {entry.id, entry.uid, entry.jid, entry.portal}));
    }
    /// One of them is too large.
    Index cookie() { return random_.below(kCookies + 1); }

    /// A message is on its way in the model, which the real one has submitted, or injected.
    void goes(Leaving leaving) {
        if (desk_.nal.injects && leaving.type != MessageType::kAck) {
            if (!leaving.data) leaving.data = model_.sends(leaving.deed);
            model_.sent(leaving.deed, false);
            leaving.deed = 0;
        }
        leaving_.push_back(std::move(leaving));
    }
    /// Takes over what a call has submitted, which must be one message.
    void submitted(const std::string& what, Status real, Status expected, Leaving leaving) {
        check(what, real, expected);
        check(what + " submits",
              desk_.nal.submitted.size() == leaving_.size() + (expected == Status::kOk ? 1 : 0));
        if (expected == Status::kOk) goes(std::move(leaving));
    }
    void put() {
        const auto [name, handle] = mds_.pick(random_);
        const Range range{random_.below(4), random_.below(12)};
        const Target to = Desk::to(bits());
        const AckRequest ack = random_.once_in(3) ? AckRequest::kNoAck : AckRequest::kAck;
        Leaving leaving{.md = ack == AckRequest::kAck ? name : 0};
        const Status status = model_.put(name, range.offset, range.length, to.match_bits, 9, leaving.deed);
        submitted("put", desk_.ni.put(handle, range, ack, to, 9), status, leaving);
    }
    void get() {
        const auto [name, handle] = mds_.pick(random_);
        const Range range{random_.below(4), random_.below(12)};
        Leaving leaving{.md = name, .type = MessageType::kGet, .data = ""};
        const Status status = model_.get(name, range.offset, range.length, leaving.deed);
        submitted("get", desk_.ni.get(handle, range, Desk::to()), status, leaving);
    }
    void get_put() {
        const auto [name, handle] = mds_.pick(random_);
        const auto [sink, sink_handle] = mds_.pick(random_);
        if (name < 0) return;
        const Target to = Desk::to(bits());
        Leaving leaving{.md = sink, .type = MessageType::kGetPut};
        const Status status = model_.get_put(sink, name, to.match_bits, leaving.deed);
        submitted("get_put", desk_.ni.get_put(sink_handle, handle, to, 5), status, leaving);
    }

    void arrive() {
        constexpr MessageType kTypes[] = {MessageType::kPut, MessageType::kPut, MessageType::kGet,
                                          MessageType::kGetPut};
        Header header = Desk::header(kTypes[random_.below(4)], random_.below(16), bits());
        header.initiator = {kThere.nid + random_.below(2), kThere.pid + random_.below(2)};
        header.uid = random_.once_in(6) ? kUid + 1 : kUid;
        header.jid = 5 + random_.below(2);
        header.cookie = random_.once_in(3) ? cookie() : 0;
        header.remote_offset = random_.below(12);
        if (random_.once_in(20)) header.remote_offset = ~Size{0} - random_.below(3);
        if (random_.once_in(16)) header.portal = 5;
        if (header.type == MessageType::kGet) header.hdr_data = 0;
        header.md = random_.once_in(2) ? kNone : 0x123;
        begin(header, 0);
    }
    std::string some_text(std::size_t length) {
        std::string text(length, '\0');
        for (char& byte : text)
            byte = static_cast<char>('a' + random_.below(26));
        return text;
    }
    /// With `md`, it is a reply. All of it arrives at once, or its data later.
    void begin(const Header& header, Name md) {
        Bytes where;
        const Name deed = header.type == MessageType::kReply ? model_.reply(md, header, where)
                                                             : model_.arrive(header, where);
        Begun begun{deed, {}, where.size()};
        const std::string data = some_text(header.payload());
        const bool at_once = random_.once_in(3);
        if (at_once)
            desk_.ni.deliver(header, std::as_bytes(std::span(data)));
        else
            begun.landing = desk_.begin(header);
        if (header.type == MessageType::kGet) {
            check("get accepted", desk_.nal.submitted.size() == leaving_.size() + (deed != 0 ? 1 : 0));
            if (deed != 0) goes({.deed = deed, .type = MessageType::kReply});
            return;
        }
        if (at_once) return deed != 0 ? answered(deed, model_.landed(deed, data, false)) : answered(deed, {});
        check("accepted", (begun.landing.operation != kNone) == (deed != 0));
        if (deed == 0) return;
        check("length", begun.landing.where.length == begun.length);
        landings_.push_back(begun);
    }

    template <typename T>
    T pick_out(std::deque<T>& from) {
        const auto at = from.begin() + random_.below(static_cast<unsigned>(from.size()));
        T picked = std::move(*at);
        from.erase(at);
        return picked;
    }
    void land() {
        if (landings_.empty()) return;
        const Begun begun = pick_out(landings_);
        const std::string data = some_text(begun.length);
        const bool fails = random_.once_in(10);
        copy(begun.landing.where, std::as_bytes(std::span(data)));
        desk_.ni.landed(begun.landing.operation, fails ? kFailed : kSuccess);
        answered(begun.deed, model_.landed(begun.deed, data, fails));
    }
    void answered(Name deed, const Model::Left& left) {
        check("answers", desk_.nal.submitted.size() == leaving_.size() + (left.ack || left.reply ? 1 : 0));
        if (left.ack) goes({.type = MessageType::kAck, .data = ""});
        if (left.reply) goes({.deed = deed, .type = MessageType::kReply, .data = left.reply});
    }
    void leave() {
        check("messages", desk_.nal.submitted.size() == leaving_.size());
        if (leaving_.empty()) return;
        const unsigned which = random_.below(static_cast<unsigned>(leaving_.size()));
        const PaperNal::Message message = desk_.nal.submitted[which];
        desk_.nal.submitted.erase(desk_.nal.submitted.begin() + which);
        const Leaving leaving = leaving_[which];
        leaving_.erase(leaving_.begin() + which);
        check("type of a message", message.header.type == leaving.type);
        check("data of a message",
              message.text() == (leaving.data ? *leaving.data : model_.sends(leaving.deed)));
        check("operation", (message.operation == kNone) == (leaving.deed == 0));
        const bool fails = leaving.deed != 0 && random_.once_in(10);
        if (leaving.deed != 0) {
            desk_.ni.sent(message.operation, fails ? kFailed : kSuccess);
            model_.sent(leaving.deed, fails);
        }
        if (leaving.md != 0 && !fails) asked_.push_back({leaving.md, message.header});
    }
    /// Sometimes an answer comes twice, or much too late.
    void answer() {
        if (asked_.empty()) return;
        const Asked asked = random_.once_in(8) ? asked_.front() : pick_out(asked_);
        const bool put = asked.header.type == MessageType::kPut;
        Header header = Desk::answer(asked.header, put ? MessageType::kAck : MessageType::kReply,
                                     random_.below(static_cast<unsigned>(asked.header.length) + 1));
        if (put) model_.ack(asked.md, header);
        if (put)
            desk_.begin(header);
        else
            begin(header, asked.md);
    }

    Random random_;
    Desk desk_;
    Model model_;
    Names queues_, entries_, mds_;
    std::vector<Both> queues_seen_;
    std::vector<Segment> segments_;  ///< of the MD that was made last
    std::deque<Begun> landings_;
    std::deque<Leaving> leaving_;  ///< as submitted
    std::deque<Asked> asked_;
};

std::string difference(std::uint64_t seed, const Planted& planted, int steps) {
    try {
        Run(seed, planted).steps(steps);
    } catch (const Difference& difference) {
        return difference.what;
    }
    return "";
}

}  // namespace

TEST(Model, an_interface_does_what_its_model_does) {
    test::for_each_seed(10'000, [](std::uint64_t seed) { ASSERT_EQ(difference(seed, {}, 80), ""); });
}

TEST(Model, finds_every_planted_defect) {
    constexpr std::pair<const char*, bool Planted::*> kDefects[] = {
        {"stop_at_no_fit", &Planted::stop_at_no_fit},     {"literal_match", &Planted::literal_match},
        {"one_portal_more", &Planted::one_portal_more},   {"inactive_at_end", &Planted::inactive_at_end},
        {"one_unlinks", &Planted::one_unlinks},           {"forgets_promises", &Planted::forgets_promises},
        {"keeps_offset", &Planted::keeps_offset},         {"acks_all", &Planted::acks_all},
        {"charges_get", &Planted::charges_get},           {"drops_uncounted", &Planted::drops_uncounted},
        {"admits_all_users", &Planted::admits_all_users}, {"counts_segments", &Planted::counts_segments},
    };
    constexpr std::uint64_t kEnough = 300;
    for (const auto& [name, defect] : kDefects) {
        Planted planted;
        planted.*defect = true;
        std::uint64_t seed = 1;
        while (seed <= kEnough && difference(seed, planted, 250).empty())
            ++seed;
        EXPECT_LE(seed, kEnough) << name << " was not found";
    }
}

}  // namespace isoplane::portals
