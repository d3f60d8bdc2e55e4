// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// What planes that die leave to others.
#include <array>

#include "nal_test.hh"

namespace isoplane::test {

namespace {

constexpr std::size_t kSize = 900;  ///< no two of them fit a frame

/// Of a node 0, which has Portals, to a node 1, for which the test speaks.
class Link {
  public:
    Link(runtime::Pool& pool, const std::string& name, unsigned window)
        : to_here_(name + "_to_here"),
          to_other_(name + "_to_other"),
          here_(name, to_here_.input(), to_other_.output(), pool, options(0, 16)),
          other_(name + "_other", to_other_.input(), to_here_.output(), pool, options(1, window)),
          dispatcher_(here_) {}
    ~Link() {
        here_.discard();
        other_.discard();
        to_here_.drain();
        to_other_.drain();
    }
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    void poll(runtime::Time now) {
        here_.poll(now);
        dispatcher_.dispatch();
        if (!deaf) other_.poll(now);
    }
    bool is_up() const { return here_.state(1) == niu::PeerState::kUp; }
    /// The numbers of the messages that have come, which are kept.
    void hear(std::vector<std::uint32_t>& numbers) {
        for (niu::Received received; other_.receive(received); kept_.push_back(received))
            numbers.push_back(wire::portals_begin_layout::Number::get(received.data.data()));
    }
    void release() {
        for (const niu::Received& received : kept_)
            other_.release(received);
        kept_.clear();
    }
    /// False when there is no credit for it.
    bool ask(std::uint32_t number) {
        return other_.send(0, Protocol::kPortals, request(MessageType::kGet, number, kSize));
    }
    nal::OverNiu::Plane plane() { return {&here_, &dispatcher_}; }

    bool deaf = false;  ///< node 1, here

  private:
    static niu::Options options(niu::NodeId node, unsigned window) {
        return {.node = node,
                .nodes = {"a", "b"},
                .job_key = 7,
                .mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(node)},
                .window = window,
                .silence = 50ms};
    }

    runtime::Ring to_here_;
    runtime::Ring to_other_;
    niu::Niu here_;
    niu::Niu other_;
    niu::Dispatcher dispatcher_;
    std::vector<niu::Received> kept_;
};

/// Three of them, and a process at node 0.
class PlanesTest : public testing::Test {
  protected:
    PlanesTest() {
        EXPECT_EQ(ni_.open(1), Status::kOk);
        run_until([this] { return std::ranges::all_of(links_, &Link::is_up); });
    }

    template <typename Condition>
    void run_until(Condition&& condition, runtime::Duration limit = 1s) {
        for (const runtime::Time end = now_ + limit; now_ < end && !condition(); now_ += 5us) {
            nal_.poll(now_);
            for (Link& link : links_)
                link.poll(now_);
        }
    }

    static constexpr std::size_t kOwed = 8;

    runtime::Pool pool_{"unit_planes", 1023};
    std::array<Link, 3> links_{
        {{pool_, "unit_plane0", 8}, {pool_, "unit_plane1", 2}, {pool_, "unit_plane2", 8}}};
    Hands hands_;
    nal::OverNiu nal_{
        "nal", {links_[0].plane(), links_[1].plane(), links_[2].plane()}, hands_, {.owed = kOwed}};
    Interface ni_{0, nal_, Options{}};
    runtime::Time now_{1s};
};

}  // namespace

TEST_F(PlanesTest, that_die_one_after_the_other_leave_messages_in_their_order) {
    links_[0].deaf = true;
    std::vector<std::byte> memory(kSize);
    const MdSpec spec{.start = memory.data(),
                      .length = memory.size(),
                      .threshold = kInfinite,
                      .max_size = 0,
                      .options = 0,
                      .user_ptr = nullptr,
                      .eq = kNoQueue};
    Handle md = kInvalid;
    ASSERT_EQ(ni_.bind(spec, Unlink::kRetain, md), Status::kOk);
    constexpr std::size_t kMessages = 8;
    for (std::size_t i = 0; i < kMessages; ++i)
        ASSERT_EQ(ni_.put(md, {}, AckRequest::kNoAck, {.process = {1, 1}}, 0), Status::kOk);
    run_until([&] { return !links_[0].is_up(); });
    links_[1].deaf = true;  // when it has been told the first two of them again
    std::vector<std::uint32_t> numbers;
    run_until([&] {
        links_[2].hear(numbers);
        links_[2].release();
        return numbers.size() == kMessages;
    });
    EXPECT_EQ(numbers, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_FALSE(links_[0].is_up() || links_[1].is_up());
}

/// Its answers come after what one that died has left, for which there is no credit.
TEST_F(PlanesTest, that_die_leave_a_little_to_who_is_owed_too_much) {
    std::vector<std::byte> offered(kSize);
    offer(ni_, offered);
    links_[0].deaf = true;
    std::uint32_t asked = 0;
    const auto ask = [&] { asked += links_[1].ask(asked) ? 1 : 0; };
    const auto is_withheld = [&] { return nal_.counters().withheld.get() > 0; };
    run_until([&] {
        ask();
        return is_withheld();
    });
    ASSERT_TRUE(is_withheld());
    run_until([&] { return !links_[0].is_up(); });
    std::vector<std::uint32_t> numbers;
    const auto asks_on = [&] {
        ask();
        links_[1].hear(numbers);
        return false;
    };
    run_until(asks_on, 10ms);
    const std::uint32_t before = asked;
    run_until(asks_on, 50ms);
    EXPECT_FALSE(numbers.empty());
    EXPECT_GT(asked, before + 10);
    EXPECT_LT(asked, before + 60);
    links_[1].release();
}

}  // namespace isoplane::test
