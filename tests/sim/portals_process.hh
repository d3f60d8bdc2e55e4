// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// A process of Portals that is honest, and knows what must come of all it does.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "portals_host.hh"
#include "portals_meddler.hh"

namespace isoplane::test {

/// A process that has a region of its memory for each other, and does all that can be done with its own at
/// the others: each keeps a mirror of what must be there.
class Process final : public runtime::Stage {
  public:
    Process(niu::NodeId node, const std::vector<nal::OverNiu::Plane>& planes, const Plan& plan,
            const Meddling& meddling = {})
        : Stage("process" + std::to_string(node)),
          node_(node),
          plan_(plan),
          random_(plan.seed, 900 + node),
          nal_(std::make_unique<nal::OverNiu>("nal", planes, hands_, plan.nal)),
          meddler_(*nal_, meddling),
          ni_(0, meddler_, {.uid = 7}),
          registered_(niu::Memory::allocate(kSlotSize)) {
        nal_->add(registered_);
        EXPECT_EQ(ni_.open(kPid), Status::kOk);
        EXPECT_EQ(ni_.open_queue(4096, nullptr, own_), Status::kOk);
        EXPECT_EQ(ni_.open_queue(4096, nullptr, theirs_), Status::kOk);
        for (niu::NodeId other = 0; other < kHosts; ++other) {
            ways_[other].region.resize(kRegion);
            ways_[other].mirror.resize(kRegion);
            Handle entry = kInvalid;
            Handle md = kInvalid;
            ni_.attach_entry(kPortal, {.id = {other, kAny}, .ignore = ~Bits{1}}, Position::kAfter, entry);
            const MdSpec spec{.start = ways_[other].region.data(),
                              .length = kRegion,
                              .threshold = kInfinite,
                              .max_size = 0,
                              .options = kOpPut | kOpGet | kManageRemote | kTruncate,
                              .user_ptr = nullptr,
                              .eq = theirs_};
            EXPECT_EQ(ni_.attach(entry, spec, Unlink::kRetain, Unlink::kRetain, md), Status::kOk);
        }
    }

    /// It has done with Portals; what its node does for the others goes on.
    void close() {
        closed_ = true;
        ni_.close();
        // Its memory is gone with it.
        for (Way& way : ways_) {
            way.operations.clear();
            std::fill(way.region.begin(), way.region.end(), std::byte{0xdd});
        }
    }
    void die() {
        ni_.close();
        nal_.reset();
    }

    unsigned poll(Time now) override {
        if (!nal_) return 0;
        unsigned moved = nal_->poll(now);
        if (closed_ || random_.below(3) != 0) return moved;
        moved += read_events();
        unsigned asked = 0;
        for (niu::NodeId other = 0; other < kHosts; ++other)
            asked += ask(other);
        if (asked == 0) meddler_.settle();
        return moved + asked;
    }

    /// What has become of whoever is asked.
    enum class Fate { kLives, kHasClosed, kHasLeft, kHasDied };

    /// All that it wanted of that host has been done, or has failed. What a node drops that lives has no
    /// answer, and one that has left gave all ACKs that it wanted to.
    bool finished(niu::NodeId other, Fate fate) const {
        const Way& way = ways_[other];
        const auto has_end = [fate](const auto& operation) {
            const bool has_left = operation->sent || !operation->needs_sending();
            const bool has_none =
                fate == Fate::kHasClosed || (fate == Fate::kHasLeft && operation->kind == Kind::kPut);
            return operation->is_over() || (has_none && has_left);
        };
        return (fate != Fate::kLives || way.begun == plan_.operations) &&
               std::all_of(way.operations.begin(), way.operations.end(), has_end);
    }
    /// What this one has done to its region there is what is there, except where it cannot know.
    bool agrees_with(const Process& other) const {
        const Way& way = ways_[other.node_];
        const std::vector<std::byte>& region = other.ways_[node_].region;
        if (way.operations.empty()) return way.mirror == region;
        std::vector<std::byte> known = region;
        for (const auto& operation : way.operations) {
            const auto at = static_cast<std::ptrdiff_t>(operation->offset);
            std::copy_n(way.mirror.begin() + at, operation->content.size(), known.begin() + at);
        }
        return way.mirror == known;
    }
    /// All that this one has asked of the other has begun there, and ended.
    bool is_done_by(const Process& other) const {
        const Heard& heard = other.ways_[node_].heard;
        const Way& way = ways_[other.node_];
        return heard.begun + way.to_be_dropped == way.begun && heard.open.empty();
    }
    std::uint64_t dropped() const {
        std::uint64_t count = 0;
        ni_.read(Register::kDropCount, count);
        return count;
    }
    std::uint64_t to_be_dropped_by(niu::NodeId other) const { return ways_[other].to_be_dropped; }
    std::uint64_t failed() const { return failed_; }
    std::uint64_t bytes() const { return bytes_; }
    std::uint64_t largest() const { return largest_; }
    const nal::OverNiu& nal() const { return *nal_; }
    const std::string& complaint() const { return complaint_; }

  private:
    enum class Kind { kPut, kGet, kGetPut, kDropped };

    struct Operation {
        Kind kind = Kind::kPut;
        unsigned number = 0;  ///< of those for its target
        std::size_t slot = 0;
        std::size_t offset = 0;            ///< in the region
        std::vector<std::byte> content{};  ///< of what is sent
        std::vector<std::byte> out{};      ///< where it is sent from
        std::vector<std::byte> in{};
        std::vector<Segment> segments{};
        bool registered = false;
        Handle out_md = kInvalid;
        Handle in_md = kInvalid;
        bool sent = false;
        bool answered = false;
        bool failed = false;

        bool needs_sending() const { return kind != Kind::kGet; }
        bool needs_answer() const { return kind != Kind::kDropped; }
        bool is_over() const { return (sent || !needs_sending()) && (answered || !needs_answer()); }
    };
    /// What another has asked for here.
    struct Heard {
        Bits next = 0;  ///< the least number that may begin
        std::uint64_t begun = 0;
        std::map<Sequence, Bits> open{};  ///< numbers of those that have not ended
    };
    struct Way {
        std::vector<std::byte> region{};  ///< theirs, here
        std::vector<std::byte> mirror{};  ///< ours, there
        std::array<bool, kSlots> busy{};
        std::vector<std::unique_ptr<Operation>> operations{};  ///< under way
        unsigned begun = 0;
        std::uint64_t to_be_dropped = 0;
        Heard heard{};
    };

    /// Header data says whose an operation is, and which.
    static std::uint64_t stamp(niu::NodeId from, niu::NodeId to, Bits number) {
        return (number * kHosts * kHosts + from * kHosts + to + 1) * 0x9e3779b97f4a7c15U;
    }

    std::size_t some_size() {
        switch (random_.below(6)) {
            case 0:
                return 0;
            case 1:
                return 1 + random_.below(64);
            case 2:
                return random_.below(std::uint64_t{plan_.niu.mtu} * 2);
            case 3:
            case 4:
                return random_.below(20'000);
            default:
                return random_.below(kSlotSize);
        }
    }

    unsigned ask(niu::NodeId other) {
        Way& way = ways_[other];
        if (way.begun == plan_.operations) return 0;
        const std::size_t slot = random_.below(kSlots);
        if (way.busy[slot]) return 0;
        auto operation = std::make_unique<Operation>();
        operation->kind = static_cast<Kind>(random_.below(4));
        operation->slot = slot;
        std::size_t size = some_size();
        if (operation->kind == Kind::kGetPut) size %= 65;
        operation->offset = slot * kSlotSize + random_.below(kSlotSize - size + 1);
        way.busy[slot] = true;
        operation->number = way.begun++;
        bytes_ += size;
        largest_ = std::max<std::uint64_t>(largest_, size);
        Operation& its = *operation;
        way.operations.push_back(std::move(operation));
        request(other, its, size);
        return 1;
    }

    void request(niu::NodeId other, Operation& its, std::size_t size) {
        const Target target{.process = {other, kPid},
                            .portal = kPortal,
                            .cookie = 0,
                            .match_bits = Bits{its.number} * 2 + (its.kind == Kind::kDropped ? 1 : 0),
                            .remote_offset = its.offset};
        if (its.needs_sending()) {
            its.out.resize(size);
            std::uint64_t word = random_.below(1U << 30);
            for (std::byte& byte : its.out)
                byte =
                    static_cast<std::byte>((word = word * 6364136223846793005U + 1442695040888963407U) >> 56);
            its.content = its.out;
            its.out_md = bind(its, its.out, true);
        }
        if (its.kind == Kind::kGet || its.kind == Kind::kGetPut) {
            its.in.resize(size);
            its.in_md = bind(its, its.in, false);
        }
        const std::uint64_t header_data = stamp(node_, other, its.number);
        Status status = Status::kOk;
        switch (its.kind) {
            case Kind::kPut:
                status = ni_.put(its.out_md, {}, AckRequest::kAck, target, header_data);
                break;
            case Kind::kDropped:
                ++ways_[other].to_be_dropped;
                status = ni_.put(its.out_md, {}, AckRequest::kAck, target, header_data);
                break;
            case Kind::kGet:
                status = ni_.get(its.in_md, {}, target);
                break;
            case Kind::kGetPut:
                status = ni_.get_put(its.in_md, its.out_md, target, header_data);
                break;
        }
        if (status != Status::kOk) complain(std::string("was refused: ") + name_of(status));
    }

    /// In one piece, in several, or in registered memory.
    Handle bind(Operation& its, std::vector<std::byte>& data, bool may_be_registered) {
        MdSpec spec{.start = data.data(),
                    .length = data.size(),
                    .threshold = kInfinite,
                    .max_size = 0,
                    .options = 0,
                    .user_ptr = &its,
                    .eq = own_};
        if (may_be_registered && !registered_taken_ && random_.below(2) == 0) {
            registered_taken_ = its.registered = true;
            std::copy(data.begin(), data.end(), registered_.bytes().begin());
            spec.start = registered_.bytes().data();
        } else if (its.kind != Kind::kGetPut && random_.below(3) == 0) {
            std::size_t at = 0;
            for (unsigned i = 0; i < 5; ++i) {
                const std::size_t part = i == 4 ? data.size() - at : random_.below(data.size() - at + 1);
                its.segments.push_back({data.data() + at, part});
                at += part;
            }
            spec.start = its.segments.data();
            spec.length = its.segments.size();
            spec.options = kIovec;
        }
        Handle md = kInvalid;
        if (const Status status = ni_.bind(spec, Unlink::kRetain, md); status != Status::kOk)
            complain(std::string("could not bind: ") + name_of(status));
        return md;
    }

    unsigned read_events() {
        unsigned n = 0;
        Event event{};
        std::size_t which = 0;
        EventHandler handler = nullptr;
        const Handle queues[] = {own_, theirs_};
        for (; ni_.take(queues, event, which, handler) == Status::kOk; ++n) {
            if (which != 0) {
                witness(event);
                continue;
            }
            Operation& its = *static_cast<Operation*>(event.spec.user_ptr);
            if (event.failure != kSuccess) {
                its.failed = true;
                ++failed_;
            }
            switch (event.kind) {
                case EventKind::kSendEnd:
                    if (its.answered) complain("had the answer before the message was sent");
                    its.sent = true;
                    release(its);
                    break;
                case EventKind::kAck:
                    if (!its.failed && event.mlength != its.content.size())
                        complain("had an ACK of another length");
                    its.answered = true;
                    break;
                case EventKind::kReplyEnd:
                    if (!its.failed && event.mlength != its.in.size())
                        complain("had a reply of another length");
                    its.answered = true;
                    break;
                default:
                    break;
            }
        }
        if (n != 0) conclude();
        return n;
    }

    /// Of what one has asked for, the beginnings come in the order of its calls, each once, and each with
    /// one end.
    void witness(const Event& event) {
        if (event.initiator.nid >= kHosts) return complain("was asked by somebody that there is not");
        const auto from = static_cast<niu::NodeId>(event.initiator.nid);
        Heard& heard = ways_[from].heard;
        const Bits number = event.match_bits / 2;
        const bool has_data = event.kind != EventKind::kGetStart && event.kind != EventKind::kGetEnd;
        if (event.hdr_data != (has_data ? stamp(from, node_, number) : 0))
            complain("was told of other header data");
        switch (event.kind) {
            case EventKind::kPutStart:
            case EventKind::kGetStart:
            case EventKind::kGetPutStart:
                if (number < heard.next) complain("was asked twice, or out of turn");
                heard.next = number + 1;
                ++heard.begun;
                heard.open[event.link] = number;
                break;
            default: {
                const auto begun = heard.open.find(event.link);
                if (begun == heard.open.end() || begun->second != number)
                    return complain("was told of an end without a beginning");
                heard.open.erase(begun);
            }
        }
    }

    /// Its memory is free, and used for something else.
    void release(Operation& its) {
        if (!its.registered) return std::fill(its.out.begin(), its.out.end(), std::byte{0xee});
        std::fill(registered_.bytes().begin(), registered_.bytes().end(), std::byte{0xee});
        registered_taken_ = false;
    }

    void conclude() {
        for (niu::NodeId other = 0; other < kHosts; ++other) {
            auto& operations = ways_[other].operations;
            for (std::size_t i = 0; i < operations.size();) {
                if (!operations[i]->is_over() || operations[i]->failed) {
                    ++i;
                    continue;
                }
                conclude(ways_[other], *operations[i]);
                operations[i] = std::move(operations.back());
                operations.pop_back();
            }
        }
    }

    void conclude(Way& way, Operation& its) {
        const auto there = way.mirror.begin() + static_cast<std::ptrdiff_t>(its.offset);
        if (its.needs_sending()) ni_.unlink(its.out_md);
        if (its.kind == Kind::kGet || its.kind == Kind::kGetPut) {
            if (!std::equal(its.in.begin(), its.in.end(), there)) complain("got something else");
            ni_.unlink(its.in_md);
        }
        if (its.kind == Kind::kPut || its.kind == Kind::kGetPut)
            std::copy(its.content.begin(), its.content.end(), there);
        way.busy[its.slot] = false;
    }

    void complain(const std::string& what) {
        if (complaint_.empty()) complaint_ = name() + " " + what;
    }

    niu::NodeId node_;
    const Plan& plan_;
    Random random_;
    Hands hands_;
    std::unique_ptr<nal::OverNiu> nal_;
    Meddler meddler_;
    Interface ni_;
    Handle own_ = kInvalid;
    Handle theirs_ = kInvalid;
    std::array<Way, kHosts> ways_{};
    niu::Memory registered_;
    bool registered_taken_ = false;
    bool closed_ = false;
    std::uint64_t failed_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t largest_ = 0;
    std::string complaint_;
};

}  // namespace isoplane::test
