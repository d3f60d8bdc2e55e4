// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <climits>
#include <isoplane/nal/over_niu.hh>
#include <isoplane/niu/niu.hh>

#include <isoplane/runtime/time.hh>

namespace isoplane::perf {

/// One end of Portals, as a program has it that makes progress itself: each message is a put to the beginning
/// of what the other end offers.
class PortalsEnd final : public nal::Mover {
  public:
    static constexpr bool kKeepsContent = true;
    /// All: events that wait are overwritten in the end by those of what comes.
    static constexpr unsigned kTaken = UINT_MAX;

    PortalsEnd(runtime::Input& from, runtime::Output& to, runtime::Pool& pool, niu::Options options)
        : peer_{1U - options.node, kPid},
          niu_("niu", from, to, pool, std::move(options)),
          dispatcher_(niu_),
          nal_("portals", {{&niu_, &dispatcher_}}, *this),
          ni_(0, nal_, {}) {
        ni_.open(kPid);
        ni_.open_queue(kEvents, nullptr, sent_);
        ni_.open_queue(kEvents, nullptr, received_);
    }

    void use(std::span<std::byte> room) {
        if (entry_ != portals::kInvalid) ni_.unlink_entry(entry_);
        ni_.attach_entry(kPortal, {}, portals::Position::kAfter, entry_);
        portals::Handle md = portals::kInvalid;
        ni_.attach(entry_,
                   spec(room.data(), room.size(), portals::kOpPut | portals::kManageRemote, received_),
                   portals::Unlink::kRetain, portals::Unlink::kRetain, md);
    }
    /// What it has been given to use, and to send.
    void forget() {
        if (entry_ != portals::kInvalid) ni_.unlink_entry(entry_);
        if (md_ != portals::kInvalid) ni_.unlink(md_);
        entry_ = md_ = portals::kInvalid;
        source_ = {};
    }
    void begin(std::size_t /*size*/) {
        while (take(received_)) {
        }
    }
    bool ready() noexcept {
        poll();
        return niu_.all_up();
    }

    bool send(std::span<const std::byte> message) {
        if (sending_ == kMostSending) return false;
        if (md_ == portals::kInvalid || message.data() != source_.data() || message.size() != source_.size())
            bind(message);
        if (ni_.put(md_, {}, portals::AckRequest::kNoAck, {.process = peer_, .portal = kPortal}, 0) !=
            portals::Status::kOk)
            return false;
        ++sending_;
        return true;
    }

    bool poll() override {
        const runtime::Time now = clock_.now();
        const unsigned moved = nal_.poll(now) + niu_.poll(now) + dispatcher_.dispatch();
        // What has been sent is on its way by now, as with a program that waits for what comes.
        note_sent();
        return moved != 0;
    }
    bool moves_alone() const noexcept override { return false; }
    void call(const std::function<void()>& what) override { what(); }
    bool enter() noexcept override { return true; }
    void leave() noexcept override {}

    /// It is there already.
    bool receive(std::span<std::byte> /*room*/) { return take(received_); }

    bool settled() { return sending_ == 0 && nal_.idle() && niu_.peer(niu_id()).sent_all(); }

  private:
    static constexpr portals::Pid kPid = 1;
    static constexpr portals::Index kPortal = 4;
    static constexpr portals::Size kEvents = 4096;
    static constexpr unsigned kMostSending = 64;

    niu::NodeId niu_id() const noexcept { return static_cast<niu::NodeId>(peer_.nid); }

    portals::MdSpec spec(void* start, std::size_t length, unsigned options, portals::Handle queue) const {
        return {.start = start,
                .length = length,
                .threshold = portals::kInfinite,
                .max_size = 0,
                .options = options | portals::kStartDisable,
                .user_ptr = nullptr,
                .eq = queue};
    }
    void bind(std::span<const std::byte> message) {
        if (md_ != portals::kInvalid) ni_.unlink(md_);
        ni_.bind(spec(const_cast<std::byte*>(message.data()), message.size(), 0, sent_),
                 portals::Unlink::kRetain, md_);
        source_ = message;
    }
    bool take(portals::Handle queue) {
        portals::Event event;
        std::size_t which = 0;
        portals::EventHandler handler = nullptr;
        return ni_.take({&queue, 1}, event, which, handler) == portals::Status::kOk;
    }
    void note_sent() {
        while (sending_ != 0 && take(sent_))
            --sending_;
    }

    portals::ProcessId peer_;
    runtime::TscClock clock_;
    niu::Niu niu_;
    niu::Dispatcher dispatcher_;
    nal::OverNiu nal_;
    portals::Interface ni_;
    portals::Handle sent_ = portals::kInvalid;
    portals::Handle received_ = portals::kInvalid;
    portals::Handle entry_ = portals::kInvalid;
    portals::Handle md_ = portals::kInvalid;
    std::span<const std::byte> source_{};
    unsigned sending_ = 0;
};

}  // namespace isoplane::perf
