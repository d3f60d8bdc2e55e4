// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <isoplane/nal/over_niu.hh>
#include <isoplane/runtime/ring.hh>
#include <isoplane/wire/hello.hh>
#include <isoplane/wire/portals.hh>
#include <memory>
#include <optional>
#include <vector>

namespace isoplane::test {

using namespace std::chrono_literals;
using namespace portals;
using wire::Protocol;

/// The test polls.
class Hands final : public nal::Mover {
  public:
    bool poll() override { return false; }
    bool moves_alone() const noexcept override { return false; }
    void call(const std::function<void()>& what) override { what(); }
    bool enter() noexcept override { return true; }
    void leave() noexcept override {}
};

/// Memory that any process may read and write.
inline void offer(Interface& ni, std::span<std::byte> memory) {
    Handle entry = kInvalid;
    ASSERT_EQ(ni.attach_entry(0, {.id = {kAny, kAny}}, Position::kAfter, entry), Status::kOk);
    const MdSpec offered{.start = memory.data(),
                         .length = memory.size(),
                         .threshold = kInfinite,
                         .max_size = 0,
                         .options = kOpGet | kOpPut | kManageRemote,
                         .user_ptr = nullptr,
                         .eq = kNoQueue};
    Handle md = kInvalid;
    ASSERT_EQ(ni.attach(entry, offered, Unlink::kRetain, Unlink::kRetain, md), Status::kOk);
}

/// What process 1 of another node says for it.
inline std::vector<std::byte> request(MessageType type, std::uint32_t number, std::uint64_t length,
                                      std::uint8_t flags = 0) {
    using namespace wire::portals_begin_layout;
    std::vector<std::byte> message(wire::portals_begin_size(static_cast<std::uint8_t>(type), flags));
    Type::put(message.data(), static_cast<std::uint8_t>(type));
    Flags::put(message.data(), flags);
    Number::put(message.data(), number);
    TargetPid::put(message.data(), 1);
    InitiatorPid::put(message.data(), 1);
    Length::put(message.data(), length);
    return message;
}

/// A process at node 0, and at node 1 nothing but an NIU, for which the test speaks.
class NalTest : public testing::Test {
  protected:
    static constexpr std::byte kFull{0x11};
    static constexpr unsigned kWindow = 4;
    static constexpr unsigned kOwed = 8;

    void start(std::uint16_t mtu_of_other = 1500, std::size_t followed = 0, bool reads_memory = false,
               bool in_one_process = true) {
        niu_ = std::make_unique<niu::Niu>("niu", to_niu_.input(), to_other_.output(), pool_, options(0));
        niu::Options small = options(1);
        small.mtu = mtu_of_other;
        other_ = std::make_unique<niu::Niu>("other", to_other_.input(), to_niu_.output(), pool_, small);
        dispatcher_ = std::make_unique<niu::Dispatcher>(*niu_);
        nal_ = std::make_unique<nal::OverNiu>(
            "nal", std::vector<nal::OverNiu::Plane>{{niu_.get(), dispatcher_.get()}}, hands_,
            nal::OverNiuOptions{.followed = followed,
                                .owed = kOwed,
                                .reads_memory = reads_memory,
                                .in_one_process = in_one_process});
        ni_.emplace(0, *nal_, Options{});
        ASSERT_EQ(ni_->open(1), Status::kOk);
        ASSERT_EQ(ni_->open_queue(16, nullptr, queue_), Status::kOk);
        run(1ms);
        ASSERT_EQ(niu_->state(1), niu::PeerState::kUp);
    }
    void TearDown() override {
        release();
        ni_.reset();
        nal_.reset();
        dispatcher_.reset();
        niu_.reset();
        other_.reset();
        to_niu_.drain();
        to_other_.drain();
        EXPECT_EQ(pool_.in_use(), 0U);
    }

    static niu::Options options(niu::NodeId node) {
        return {.node = node,
                .nodes = {"a", "b"},
                .job_key = 7,
                .mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(node)},
                .window = kWindow};
    }
    void run(runtime::Duration duration) {
        for (const runtime::Time end = now_ + duration; now_ < end; now_ += 5us) {
            nal_->poll(now_);
            niu_->poll(now_);
            dispatcher_->dispatch();
            other_->poll(now_);
        }
    }

    /// A put of so many bytes.
    void put(std::size_t size) {
        memory_.assign(size, kFull);
        const MdSpec spec{.start = memory_.data(),
                          .length = size,
                          .threshold = kInfinite,
                          .max_size = 0,
                          .options = 0,
                          .user_ptr = nullptr,
                          .eq = queue_};
        ASSERT_EQ(ni_->bind(spec, Unlink::kRetain, md_), Status::kOk);
        ASSERT_EQ(ni_->put(md_, {}, AckRequest::kNoAck, {.process = {1, 1}}, 0), Status::kOk);
    }
    /// The next message that the other has received, and keeps.
    std::vector<std::byte> hear() {
        run(200us);
        niu::Received received;
        if (!other_->receive(received)) return {};
        kept_.push_back(received);
        return {received.data.begin(), received.data.end()};
    }
    void release() {
        for (const niu::Received& received : kept_)
            other_->release(received);
        kept_.clear();
    }
    void pull(std::uint32_t source, std::size_t size) {
        std::array<std::byte, wire::kPortalsPullSize> message{};
        wire::portals_layout::Kind::put(message.data(), static_cast<std::uint8_t>(wire::PortalsKind::kPull));
        wire::portals_pull_layout::Source::put(message.data(), source);
        wire::portals_pull_layout::Length::put(message.data(), static_cast<std::uint32_t>(size));
        ASSERT_TRUE(other_->send(0, Protocol::kPortals, message));
    }
    void say_done(std::uint32_t source) {
        std::array<std::byte, wire::kPortalsDoneSize> message{};
        wire::portals_layout::Kind::put(message.data(), static_cast<std::uint8_t>(wire::PortalsKind::kDone));
        wire::portals_done_layout::Source::put(message.data(), source);
        ASSERT_TRUE(other_->send(0, Protocol::kPortals, message));
    }
    /// What has become of the put, and whether its memory is the user's again; who writes over it then.
    EventKind take_memory_back() {
        Event event{};
        std::size_t which = 0;
        EventHandler handler = nullptr;
        while (ni_->take({&queue_, 1}, event, which, handler) == Status::kOk) {
        }
        EXPECT_EQ(ni_->unlink(md_), Status::kOk);
        std::fill(memory_.begin(), memory_.end(), std::byte{0xdd});
        return event.kind;
    }
    /// All data that comes from here on is what the memory held at first.
    std::size_t hear_what_it_was() {
        std::size_t heard = 0;
        for (int idle = 0; idle < 10; ++idle) {
            for (std::vector<std::byte> data = hear(); !data.empty(); data = hear(), idle = 0) {
                EXPECT_TRUE(std::all_of(data.begin(), data.end(), [](std::byte b) { return b == kFull; }));
                heard += data.size();
                release();
            }
        }
        return heard;
    }

    static std::uint32_t source_of(std::span<const std::byte> begin) {
        return wire::portals_more_layout::Source::get(begin.data() + wire::kPortalsBeginSize);
    }

    runtime::Pool pool_{"unit_nal", 1023};
    runtime::Ring to_niu_{"unit_nal_to_niu"};
    runtime::Ring to_other_{"unit_nal_to_other"};
    std::unique_ptr<niu::Niu> niu_;
    std::unique_ptr<niu::Niu> other_;
    std::unique_ptr<niu::Dispatcher> dispatcher_;
    Hands hands_;
    std::unique_ptr<nal::OverNiu> nal_;
    std::optional<Interface> ni_;
    Handle queue_ = kNoQueue;
    Handle md_ = kInvalid;
    std::vector<std::byte> memory_;
    std::vector<niu::Received> kept_;
    runtime::Time now_{1s};
};

}  // namespace isoplane::test
