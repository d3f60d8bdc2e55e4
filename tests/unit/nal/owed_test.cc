// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Those who ask for more than they take.
#include "nal_test.hh"

namespace isoplane::test {

namespace {

/// A process that offers memory, and asks for much at once.
class Side {
  public:
    static constexpr Size kSize = 100'000;
    static constexpr unsigned kRounds = 150;  ///< of a get and a put each
    static constexpr Size kSizes[] = {8, 900, 3000, kSize};

    Side(niu::NodeId node, runtime::Ring& from, runtime::Ring& to, runtime::Pool& pool, niu::Options options,
         const nal::OverNiuOptions& its)
        : other_(1 - node),
          niu_("niu", from.input(), to.output(), pool, std::move(options)),
          dispatcher_(niu_),
          nal_("nal", {{&niu_, &dispatcher_}}, hands_, its),
          ni_(0, nal_, Options{}) {
        EXPECT_EQ(ni_.open(1), Status::kOk);
        EXPECT_EQ(ni_.open_queue(16 * kRounds, nullptr, queue_), Status::kOk);
        Handle entry = kInvalid;
        EXPECT_EQ(ni_.attach_entry(0, {.id = {kAny, kAny}}, Position::kAfter, entry), Status::kOk);
        EXPECT_EQ(ni_.attach(entry, memory(offered_, kOpGet | kOpPut | kManageRemote), Unlink::kRetain,
                             Unlink::kRetain, offer_),
                  Status::kOk);
        EXPECT_EQ(ni_.bind(memory(own_, 0), Unlink::kRetain, mine_), Status::kOk);
    }

    /// Seldom answers, so that much is asked for meanwhile.
    void poll(runtime::Time now) {
        if (++polls_ % 16 == 0) nal_.poll(now);
        niu_.poll(now);
        dispatcher_.dispatch();
    }
    void ask() {
        for (unsigned i = 0; i < kRounds; ++i) {
            const Target target{.process = {other_, 1}};
            const Range range{0, kSizes[i % std::size(kSizes)]};
            EXPECT_EQ(ni_.get(mine_, range, target), Status::kOk);
            EXPECT_EQ(ni_.put(mine_, range, AckRequest::kAck, target, 0), Status::kOk);
        }
    }
    /// How much of it has been answered.
    unsigned answered() {
        Event event{};
        std::size_t which = 0;
        EventHandler handler = nullptr;
        while (ni_.take({&queue_, 1}, event, which, handler) == Status::kOk) {
            EXPECT_EQ(event.failure, kSuccess);
            if (event.kind == EventKind::kReplyEnd || event.kind == EventKind::kAck) ++answered_;
        }
        return answered_;
    }
    const nal::OverNiu::Counters& counters() const { return nal_.counters(); }
    bool is_up() const { return niu_.all_up(); }

  private:
    MdSpec memory(std::vector<std::byte>& bytes, unsigned options) {
        bytes.resize(kSize);
        return {.start = bytes.data(),
                .length = bytes.size(),
                .threshold = kInfinite,
                .max_size = 0,
                .options = options,
                .user_ptr = nullptr,
                .eq = options == 0 ? queue_ : kNoQueue};
    }

    Nid other_;
    Hands hands_;
    std::vector<std::byte> offered_;
    std::vector<std::byte> own_;
    niu::Niu niu_;
    niu::Dispatcher dispatcher_;
    nal::OverNiu nal_;
    Interface ni_;
    Handle queue_ = kNoQueue;
    Handle offer_ = kInvalid;
    Handle mine_ = kInvalid;
    unsigned answered_ = 0;
    unsigned polls_ = 0;
};

/// The test asks the process for what it offers.
class OwedTest : public NalTest {
  protected:
    void offer() { test::offer(*ni_, offered_); }
    /// False when there is no credit for it.
    bool ask(MessageType type, std::uint64_t length, std::uint8_t flags = 0) {
        if (!other_->send(0, Protocol::kPortals, request(type, asked_, length, flags))) return false;
        ++asked_;
        return true;
    }
    bool ask_for_little() { return ask(MessageType::kGet, 8); }
    /// What the process sends of its own until the other, who keeps it, has given it no credit for more.
    void use_up_credit() {
        for (unsigned i = 0; i < kWindow; ++i)
            put(1000);
        while (!hear().empty()) {
        }
        ASSERT_EQ(kept_.size(), kWindow - 1);
    }

    std::vector<std::byte> offered_ = std::vector<std::byte>(20'000);
    unsigned asked_ = 0;
};

}  // namespace

TEST_F(OwedTest, to_who_takes_no_answers_is_a_bounded_number_of_them) {
    start();
    offer();
    constexpr unsigned kTries = 2000;
    unsigned heard = 0;
    for (unsigned i = 0; i < kTries; ++i) {
        ask_for_little();
        heard += hear().empty() ? 0 : 1;
    }
    EXPECT_GT(asked_, kOwed);
    EXPECT_LT(asked_, 100U);
    EXPECT_LT(heard, asked_);
    EXPECT_GT(nal_->counters().withheld.get(), 0U);

    // Who takes what it has asked for may ask again.
    for (unsigned i = 0; i < kTries; ++i) {
        release();
        ask_for_little();
        heard += hear().empty() ? 0 : 1;
    }
    for (release(); !hear().empty(); ++heard)
        release();
    EXPECT_GT(asked_, kTries);
    EXPECT_EQ(heard, asked_);
    EXPECT_EQ(nal_->counters().malformed.get(), 0U);
}

/// Or two that hold each other up would have none for them.
TEST_F(OwedTest, is_answered_with_the_last_of_the_credit_which_no_request_uses) {
    start();
    offer();
    use_up_credit();
    EXPECT_TRUE(ask_for_little());
    const std::vector<std::byte> answer = hear();
    ASSERT_TRUE(wire::is_portals_message(answer));
    EXPECT_EQ(wire::portals_begin_layout::Type::get(answer.data()), static_cast<int>(MessageType::kReply));
}

TEST_F(OwedTest, is_pulled_with_the_last_of_the_credit) {
    start();
    offer();
    use_up_credit();
    EXPECT_TRUE(ask(MessageType::kPut, offered_.size(), wire::kPortalsRestWaits));
    const std::vector<std::byte> pull = hear();
    ASSERT_TRUE(wire::is_portals_message(pull));
    EXPECT_EQ(wire::portals_layout::Kind::get(pull.data()), static_cast<int>(wire::PortalsKind::kPull));
}

/// Before its answers there is the rest of what it has begun, for which there is no credit. So that the other
/// can go on with what it may have begun itself, it is given back a little now and then.
TEST_F(OwedTest, is_less_and_less_to_who_has_it_wait_in_the_middle_of_a_message) {
    start(1500, 20'000);
    offer();
    put(20'000);
    while (!hear().empty()) {
    }
    ASSERT_EQ(kept_.size(), kWindow - 1);
    while (ask_for_little() || nal_->counters().withheld.get() == 0)
        run(20us);
    const unsigned before = asked_;
    for (const runtime::Time end = now_ + 50ms; now_ < end;) {
        ask_for_little();
        run(20us);
    }
    EXPECT_GT(asked_, before + 10);
    EXPECT_LT(asked_, before + 60);
    unsigned answers = 0;
    for (release(); answers < asked_;) {
        const std::vector<std::byte> heard = hear();
        if (heard.empty()) break;
        answers += heard.size() == wire::portals_begin_size(3, 0) + 8 ? 1 : 0;
        release();
    }
    EXPECT_EQ(answers, asked_);
    EXPECT_EQ(niu_->state(1), niu::PeerState::kUp);
}

/// There is always an answer that waits, and never credit for more than a few.
TEST_F(OwedTest, does_not_keep_who_owes_it_from_asking_himself) {
    start();
    offer();
    while (ask_for_little() || nal_->counters().withheld.get() == 0)
        run(20us);
    put(8);
    unsigned answers = 0;
    for (bool asks = false; !asks && answers < 100; release()) {
        while (ask_for_little())
            run(20us);
        const std::vector<std::byte> heard = hear();
        ASSERT_FALSE(heard.empty()) << "after " << answers << " answers";
        asks = wire::portals_begin_layout::Type::get(heard.data()) == static_cast<int>(MessageType::kPut);
        answers += asks ? 0 : 1;
    }
    EXPECT_GE(answers, kOwed);
    EXPECT_LT(answers, 100U);
}

/// A request takes turns with answers, but never overtakes one.
TEST_F(OwedTest, goes_before_what_is_asked_later) {
    start(1500, 20'000);
    offer();
    put(20'000);
    while (!hear().empty()) {
    }
    while (ask_for_little() || nal_->counters().withheld.get() == 0)
        run(20us);
    for (const runtime::Time end = now_ + 50ms; now_ < end; run(20us))
        ask_for_little();
    ASSERT_GT(asked_, 16 + kWindow);
    put(20'000);
    unsigned answers = 0;
    release();
    for (bool asks = false; !asks; release()) {
        const std::vector<std::byte> heard = hear();
        ASSERT_FALSE(heard.empty()) << "after " << answers << " answers";
        if (wire::portals_layout::Kind::get(heard.data()) != static_cast<int>(wire::PortalsKind::kBegin))
            continue;
        asks = wire::portals_begin_layout::Type::get(heard.data()) == static_cast<int>(MessageType::kPut);
        answers += asks ? 0 : 1;
    }
    EXPECT_GE(answers, asked_ - kWindow);
}

/// Each owes the other too much at once, and is in the middle of messages whose rest takes credit.
TEST(Owed, two_nodes_that_ask_for_much_at_once_hold_each_other_up_and_go_on) {
    for (const std::size_t followed : {std::size_t{0}, std::size_t{65536}}) {
        std::uint64_t withheld = 0;
        for (const unsigned window : {1U, 4U, 16U, 64U}) {
            runtime::Pool pool("unit_nal_owed", 2047);
            runtime::Ring to_a("unit_nal_to_a");
            runtime::Ring to_b("unit_nal_to_b");
            {
                const auto options = [window](niu::NodeId node) {
                    return niu::Options{.node = node,
                                        .nodes = {"a", "b"},
                                        .job_key = 7,
                                        .mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(node)},
                                        .window = window};
                };
                const nal::OverNiuOptions its{.followed = followed, .slice = 5000, .owed = 2};
                Side a(0, to_a, to_b, pool, options(0), its);
                Side b(1, to_b, to_a, pool, options(1), its);
                runtime::Time now{1s};
                const auto run = [&](auto&& until) {
                    for (const runtime::Time end = now + 5s; now < end && !until(); now += 5us) {
                        a.poll(now);
                        b.poll(now);
                    }
                };
                run([&] { return a.is_up() && b.is_up(); });
                a.ask();
                b.ask();
                run([&] { return a.answered() == 2 * Side::kRounds && b.answered() == 2 * Side::kRounds; });
                EXPECT_EQ(a.answered(), 2 * Side::kRounds) << "window " << window << ", " << followed;
                EXPECT_EQ(b.answered(), 2 * Side::kRounds) << "window " << window << ", " << followed;
                withheld += a.counters().withheld.get();
                run([n = 0]() mutable { return ++n == 100; });
            }
            to_a.drain();
            to_b.drain();
            EXPECT_EQ(pool.in_use(), 0U);
        }
        EXPECT_GT(withheld, 0U) << followed;
    }
}

}  // namespace isoplane::test
