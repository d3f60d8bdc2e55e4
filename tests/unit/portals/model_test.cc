// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Random calls and messages, at an interface and at its model: whatever can be seen must be the same.
#include "desk.hh"
#include "seeds.hh"
#include "twin.hh"

namespace isoplane::portals {

namespace {

struct Sheet {
    Sheet(std::uint64_t seed, const Options& options) : random(seed), desk(options) {}

    Random random;
    Desk desk;
};

/// Messages come from a sheet of paper, and go there, in any order.
class Run : Sheet, Twin {
  public:
    Run(std::uint64_t seed, const Planted& planted)
        : Sheet(seed, {.limits = {.max_ac_index = kCookies - 1, .max_pt_index = kPortal},
                       .uid = kUid,
                       .jid = kJid,
                       .planted = planted}),
          Twin(random, desk.ni, kThere) {}

    void steps(int count) {
        while (count-- > 0)
            step();
        while (!landings_.empty())
            land();
        while (!leaving_.empty() || !desk.nal.submitted.empty())
            leave();
        compare_all();
    }

  private:
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

    void step() {
        desk.nal.injects = random.once_in(3);
        switch (below(25)) {
            case 0:
                return put();
            case 1:
                return get();
            case 2:
                return get_put();
            case 3:
            case 4:
                return land();
            case 5:
            case 6:
                return leave();
            case 7:
            case 8:
                return answer();
            case 9:
            case 10:
            case 11:
                return arrive();
            default:
                return call_something();
        }
    }

    /// A message is on its way in the model, which the real one has submitted, or injected.
    void goes(Leaving leaving) {
        if (desk.nal.injects && leaving.type != MessageType::kAck) {
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
              desk.nal.submitted.size() == leaving_.size() + (expected == Status::kOk ? 1 : 0));
        if (expected == Status::kOk) goes(std::move(leaving));
    }
    void put() {
        const auto [name, handle] = mds_.pick(random_);
        const Range range{below(4), below(12)};
        const Target to = Desk::to(bits(), below(8));
        const AckRequest ack = random.once_in(3) ? AckRequest::kNoAck : AckRequest::kAck;
        Leaving leaving{.md = ack == AckRequest::kAck ? name : 0};
        const Status status =
            model_.put(name, range.offset, range.length, to.match_bits, to.remote_offset, 9, leaving.deed);
        submitted("put", desk.ni.put(handle, range, ack, to, 9), status, leaving);
    }
    void get() {
        const auto [name, handle] = mds_.pick(random_);
        const Range range{below(4), below(12)};
        Leaving leaving{.md = name, .type = MessageType::kGet, .data = ""};
        const Status status = model_.get(name, range.offset, range.length, leaving.deed);
        submitted("get", desk.ni.get(handle, range, Desk::to()), status, leaving);
    }
    void get_put() {
        const auto [name, handle] = mds_.pick(random_);
        const auto [sink, sink_handle] = mds_.pick(random_);
        if (name < 0) return;
        const Target to = Desk::to(bits(), below(8));
        Leaving leaving{.md = sink, .type = MessageType::kGetPut};
        const Status status = model_.get_put(sink, name, to.match_bits, to.remote_offset, 5, leaving.deed);
        submitted("get_put", desk.ni.get_put(sink_handle, handle, to, 5), status, leaving);
    }

    void arrive() {
        constexpr MessageType kTypes[] = {MessageType::kPut, MessageType::kPut, MessageType::kGet,
                                          MessageType::kGetPut};
        Header header = Desk::header(kTypes[below(4)], below(16), bits());
        header.initiator = {kThere.nid + below(2), kThere.pid + below(2)};
        header.uid = random.once_in(6) ? kUid + 1 : kUid;
        header.jid = 5 + below(2);
        header.cookie = random.once_in(3) ? cookie() : 0;
        header.remote_offset = below(12);
        if (random.once_in(20)) header.remote_offset = ~Size{0} - below(3);
        if (random.once_in(16)) header.portal = 5;
        if (header.type == MessageType::kGet) header.hdr_data = 0;
        header.md = random.once_in(2) ? kNone : 0x123;
        begin(header, 0);
    }
    std::string some_text(std::size_t length) {
        std::string text(length, '\0');
        for (char& byte : text)
            byte = static_cast<char>('a' + below(26));
        return text;
    }
    /// With `md`, it is a reply. All of it arrives at once, or its data later.
    void begin(const Header& header, Name md) {
        Bytes where;
        const Name deed = header.type == MessageType::kReply ? model_.reply(md, header, where)
                                                             : model_.arrive(header, where);
        Begun begun{deed, {}, where.size()};
        const std::string data = some_text(header.payload());
        const bool at_once = random.once_in(3);
        if (at_once)
            desk.ni.deliver(header, std::as_bytes(std::span(data)));
        else
            begun.landing = desk.begin(header);
        if (header.type == MessageType::kGet) {
            check("get accepted", desk.nal.submitted.size() == leaving_.size() + (deed != 0 ? 1 : 0));
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
        const auto at = from.begin() + below(static_cast<unsigned>(from.size()));
        T picked = std::move(*at);
        from.erase(at);
        return picked;
    }
    void land() {
        if (landings_.empty()) return;
        const Begun begun = pick_out(landings_);
        const std::string data = some_text(begun.length);
        const bool fails = random.once_in(10);
        copy(begun.landing.where, std::as_bytes(std::span(data)));
        desk.ni.landed(begun.landing.operation, fails ? kFailed : kSuccess);
        answered(begun.deed, model_.landed(begun.deed, data, fails));
    }
    void answered(Name deed, const Model::Left& left) {
        check("answers", desk.nal.submitted.size() == leaving_.size() + (left.ack || left.reply ? 1 : 0));
        if (left.ack) goes({.type = MessageType::kAck, .data = ""});
        if (left.reply) goes({.deed = deed, .type = MessageType::kReply, .data = left.reply});
    }
    void leave() {
        check("messages", desk.nal.submitted.size() == leaving_.size());
        if (leaving_.empty()) return;
        const unsigned which = below(static_cast<unsigned>(leaving_.size()));
        const PaperNal::Message message = desk.nal.submitted[which];
        desk.nal.submitted.erase(desk.nal.submitted.begin() + which);
        const Leaving leaving = leaving_[which];
        leaving_.erase(leaving_.begin() + which);
        check("type of a message", message.header.type == leaving.type);
        check("data of a message",
              message.text() == (leaving.data ? *leaving.data : model_.sends(leaving.deed)));
        check("operation", (message.operation == kNone) == (leaving.deed == 0));
        const bool fails = leaving.deed != 0 && random.once_in(10);
        if (leaving.deed != 0) {
            desk.ni.sent(message.operation, fails ? kFailed : kSuccess);
            model_.sent(leaving.deed, fails);
        }
        if (leaving.md != 0 && !fails) asked_.push_back({leaving.md, message.header});
    }
    /// Sometimes an answer comes twice, or much too late.
    void answer() {
        if (asked_.empty()) return;
        const Asked asked = random.once_in(8) ? asked_.front() : pick_out(asked_);
        const bool put = asked.header.type == MessageType::kPut;
        Header header = Desk::answer(asked.header, put ? MessageType::kAck : MessageType::kReply,
                                     below(static_cast<unsigned>(asked.header.length) + 1));
        if (put) model_.ack(asked.md, header);
        if (put)
            desk.begin(header);
        else
            begin(header, asked.md);
    }

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
