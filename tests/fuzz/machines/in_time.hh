// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/wire/run.hh>

#include "memory_words.hh"
#include "time_frames.hh"

namespace isoplane::fuzz {

/// All that hosts and token managers say to each other in logical time.
class InTime : public TimeFrames {
  public:
    InTime(Source& source, Sink& sink, Place place = {}) : TimeFrames(source, sink, place) {
        sink.hears = [this](NodeId node, const wire::Message& message) { memory_[node].hear(message); };
    }

  private:
    void add_messages(NodeId from, Bytes& in) override {
        Stranger& stranger = this->stranger(from);
        bool may_follow = false;
        for (unsigned n = 1 + in.take<std::uint8_t>() % 3; n > 0 && size() < kMostPayload / 2; --n) {
            const auto how = in.take<std::uint8_t>();
            const auto protocol = static_cast<wire::Protocol>(how % 10);
            const bool ordered = wire::is_ordered(protocol);
            const bool in_run = ordered && may_follow && how >= 128;
            const std::size_t front = ordered && !in_run ? wire::kIsotachSize : 0;
            std::vector<std::byte> said;
            if (protocol == wire::Protocol::kShmem && how >= 100)
                said = memory_[from].say(progress().base, in);
            const auto body = said.empty() ? in.take(in.take<std::uint8_t>()) : said;
            wire::encode_message(
                room(wire::kMessageHeaderSize).first<wire::kMessageHeaderSize>(),
                {.protocol = protocol,
                 .fragment = in.near(in_run ? wire::kInRun : wire::kWholeMessage),
                 .length = in.near(static_cast<std::uint16_t>(front + body.size())),
                 .size_or_offset = in.near(in_run ? wire::run_step::of({}, 1, 1)
                                                  : static_cast<std::uint32_t>(body.size()))});
            if (front != 0)
                wire::encode_isotach(room(front).first<wire::kIsotachSize>(),
                                     {.pulse = in.near(progress().clock + 2),
                                      .host = in.near(from),
                                      .flags = in.near(std::uint8_t{0}),
                                      .operation = static_cast<wire::Operation>(in.near(std::uint8_t{0})),
                                      .rank = in.near(std::uint32_t{0}),
                                      .isochron = in.near(stranger.isochron++),
                                      .count = in.near(++stranger.count)});
            add_bytes(body);
            if (in_run) {
                ++stranger.isochron;
                ++stranger.count;
            }
            may_follow = ordered;
        }
    }

    std::array<MemoryWords, kMostNodes> memory_{};
};

}  // namespace isoplane::fuzz
