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

using model::Model;
using model::Name;
using model::Note;

constexpr std::size_t kMemory = 96;

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
          desk_({.limits = {.max_pt_index = 4}, .uid = kUid, .planted = planted}),
          model_(kMemory) {
        desk_.memory = std::string(kMemory, '.');
        model_.here = kHere;
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
        Header header;
        std::size_t where;
        Size length;
    };
    /// A message that the real one has submitted, as the model knows it.
    struct Leaving {
        Name deed = 0;  ///< 0: an ACK
        Name md = 0;    ///< that answers will be for
        MessageType type = MessageType::kPut;
        std::string data{};
        bool is_fixed = false;  ///< the data is not in the memory
        std::size_t where = 0;
        Size length = 0;
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
        switch (random_.below(24)) {
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
        specs.expected.start = random_.below(kMemory / 2);
        specs.expected.length = random_.below(20);
        specs.expected.threshold = kThresholds[random_.below(std::size(kThresholds))];
        specs.expected.max_size = random_.below(24);
        specs.expected.options = random_.once_in(2) ? kOpPut | kOpGet : random_.below(4);
        for (const unsigned option :
             {kManageRemote, kTruncate, kAckDisable, kMaxSize, kStartDisable, kEndDisable})
            specs.expected.options |= random_.once_in(3) ? option : 0;
        const Both eq = queue_or_none();
        specs.expected.eq = eq.first;
        specs.real = {desk_.memory.data() + specs.expected.start,
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
        check("update", desk_.ni.update(handle, nullptr, fresh ? &specs.real : nullptr, test_handle),
              model_.update(name, fresh ? &specs.expected : nullptr, test));
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

    /// Takes over what a call has submitted, which must be one message.
    void submitted(const std::string& what, Status real, Status expected, Leaving leaving) {
        check(what, real, expected);
        check(what + " submits",
              desk_.nal.submitted.size() == leaving_.size() + (expected == Status::kOk ? 1 : 0));
        if (expected == Status::kOk) leaving_.push_back(std::move(leaving));
    }
    void put() {
        const auto [name, handle] = mds_.pick(random_);
        const Range range{random_.below(4), random_.below(12)};
        const Target to = Desk::to(bits());
        const AckRequest ack = random_.once_in(3) ? AckRequest::kNoAck : AckRequest::kAck;
        Leaving leaving{.md = ack == AckRequest::kAck ? name : 0, .length = range.length};
        const Status status = model_.put(name, range.offset, range.length, to.match_bits, 9, leaving.deed);
        submitted("put", desk_.ni.put(handle, range, ack, to, 9), status, leaving);
    }
    void get() {
        const auto [name, handle] = mds_.pick(random_);
        const Range range{random_.below(4), random_.below(12)};
        Leaving leaving{.md = name, .type = MessageType::kGet, .is_fixed = true};
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
        header.remote_offset = random_.below(12);
        if (random_.once_in(20)) header.remote_offset = ~Size{0} - random_.below(3);
        if (random_.once_in(16)) header.portal = 5;
        if (header.type == MessageType::kGet) header.hdr_data = 0;
        header.md = random_.once_in(2) ? kNone : 0x123;
        begin(header, 0);
    }
    /// With `md`, it is a reply.
    void begin(const Header& header, Name md) {
        Begun begun{0, {}, header, 0, 0};
        begun.deed = header.type == MessageType::kReply ? model_.reply(md, header, begun.where, begun.length)
                                                        : model_.arrive(header, begun.where, begun.length);
        begun.landing = desk_.begin(header);
        if (header.type == MessageType::kGet) {
            check("get accepted", desk_.nal.submitted.size() == leaving_.size() + (begun.deed != 0 ? 1 : 0));
            if (begun.deed == 0) return;
            leaving_.push_back({.deed = begun.deed,
                                .type = MessageType::kReply,
                                .where = begun.where,
                                .length = begun.length});
            return;
        }
        check("accepted", (begun.landing.operation != kNone) == (begun.deed != 0));
        if (begun.deed == 0) return;
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
        std::string data(begun.length, '\0');
        for (char& byte : data)
            byte = static_cast<char>('a' + random_.below(26));
        const bool fails = random_.once_in(10);
        copy(begun.landing.where, std::as_bytes(std::span(data)));
        desk_.ni.landed(begun.landing.operation, fails ? kFailed : kSuccess);
        const Model::Left left = model_.landed(begun.deed, data, fails);
        check("answers", desk_.nal.submitted.size() == leaving_.size() + (left.ack || left.reply ? 1 : 0));
        if (left.ack) leaving_.push_back({.type = MessageType::kAck, .is_fixed = true});
        if (left.reply)
            leaving_.push_back(
                {.deed = begun.deed, .type = MessageType::kReply, .data = *left.reply, .is_fixed = true});
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
        if (leaving.type == MessageType::kReply && !leaving.is_fixed)
            check("data of a reply", message.text() == model_.memory.substr(leaving.where, leaving.length));
        if (leaving.is_fixed) check("data of a message", message.text() == leaving.data);
        check("operation", (message.operation == kNone) == (leaving.deed == 0));
        if (leaving.deed == 0) return;
        const bool fails = random_.once_in(10);
        desk_.ni.sent(message.operation, fails ? kFailed : kSuccess);
        model_.sent(leaving.deed, fails);
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
        {"stop_at_no_fit", &Planted::stop_at_no_fit},   {"literal_match", &Planted::literal_match},
        {"one_portal_more", &Planted::one_portal_more}, {"inactive_at_end", &Planted::inactive_at_end},
        {"one_unlinks", &Planted::one_unlinks},         {"forgets_promises", &Planted::forgets_promises},
        {"keeps_offset", &Planted::keeps_offset},       {"acks_all", &Planted::acks_all},
        {"charges_get", &Planted::charges_get},         {"drops_uncounted", &Planted::drops_uncounted},
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
