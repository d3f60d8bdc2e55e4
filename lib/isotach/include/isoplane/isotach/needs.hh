// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/wire/isotach.hh>
#include <isoplane/wire/message.hh>
#include <vector>

#include <isoplane/isotach/isochron.hh>

namespace isoplane::isotach {

/// The frames that an isochron takes, host by host.
class Needs {
  public:
    struct Need {
        NodeId to = 0;
        unsigned frames = 0;   ///< new ones
        unsigned ready = 0;    ///< of them, packets that there are already
        std::size_t room = 0;  ///< left in the frame that is open, or would be
    };

    /// `shared`: short messages share frames.
    Needs(NodeId here, std::size_t hosts, bool shared)
        : here_(here), shared_(shared), by_host_(hosts, kNone), rounds_(hosts) {}

    /// False when a message is larger than max_message(to). `open_room(to)` is what is left of a frame that
    /// is open to that host.
    template <typename OpenRoom, typename MaxMessage>
    bool find(const Isochron& isochron, OpenRoom&& open_room, MaxMessage&& max_message) noexcept {
        needs_.clear();
        own_ = 0;
        ++round_;
        for (const Isochron::Part& part : isochron.parts_) {
            if (part.to == here_) {
                ++own_;
                continue;
            }
            const std::size_t most = max_message(part.to);
            if (part.size > most) return false;
            if (rounds_[part.to] != round_) {
                rounds_[part.to] = round_;
                by_host_[part.to] = static_cast<std::uint32_t>(needs_.size());
                needs_.push_back({.to = part.to, .room = open_room(part.to)});
            }
            add(needs_[by_host_[part.to]], part, most);
        }
        return true;
    }

    auto begin() const noexcept { return needs_.begin(); }
    auto end() const noexcept { return needs_.end(); }
    /// All messages of the isochron are to this host.
    bool empty() const noexcept { return needs_.empty(); }
    /// Messages to this host, each of which takes a packet.
    unsigned own() const noexcept { return own_; }

  private:
    static constexpr std::uint32_t kNone = UINT32_MAX;
    static constexpr std::size_t kInFront = wire::kMessageHeaderSize + wire::kIsotachSize;

    void add(Need& need, const Isochron::Part& part, std::size_t most) const noexcept {
        const std::size_t size = kInFront + part.size;
        if (part.packet) {
            ++need.frames;
            ++need.ready;
            need.room = 0;
        } else if (size <= need.room) {
            need.room -= size;
        } else {
            ++need.frames;
            need.room = shared_ ? kInFront + most - size : 0;
        }
    }

    NodeId here_;
    bool shared_;
    std::vector<Need> needs_;
    std::vector<std::uint32_t> by_host_;  ///< where in needs_
    std::vector<std::uint64_t> rounds_;   ///< by host: the last isochron that went there
    std::uint64_t round_ = 0;
    unsigned own_ = 0;
};

}  // namespace isoplane::isotach
