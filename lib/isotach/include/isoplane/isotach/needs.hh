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
        bool large = false;    ///< payloads follow

        /// Of the host's credit. A payload gets on with one frame at a time; but that it must have, as what
        /// is behind its pointer may be kept there until the payload has come.
        unsigned credit() const noexcept { return frames + (large ? 1 : 0); }
    };

    /// `shared`: short messages share frames. None is larger than `largest`, and each has so much `in_front`.
    Needs(NodeId here, std::size_t hosts, bool shared, std::size_t largest, std::size_t in_front)
        : here_(here),
          shared_(shared),
          largest_(largest),
          in_front_(wire::kMessageHeaderSize + in_front),
          by_host_(hosts) {}

    std::size_t largest() const noexcept { return largest_; }

    /// False when a message is too large, or one of the hosts not up. `open_room(to)` is what is left of a
    /// frame that is open to that host, `most_in_frame(to)` the largest message that fits one.
    /// What `is_lost(to, operation)` says is not counted.
    template <typename OpenRoom, typename MostInFrame, typename IsLost>
    bool find(const Isochron& isochron, OpenRoom&& open_room, MostInFrame&& most_in_frame,
              IsLost&& is_lost) noexcept {
        needs_.clear();
        own_ = 0;
        large_ = false;
        for (const Isochron::Part& part : isochron.parts_) {
            if (part.size > largest_) return false;
            if (part.to == here_) {
                if (!part.payload && part.size != 0) ++own_;
                continue;
            }
            const std::size_t most = most_in_frame(part.to);
            if (most == 0) [[unlikely]] {
                if (is_lost(part.to, part.operation)) continue;
                return false;
            }
            if (by_host_[part.to] >= needs_.size() || needs_[by_host_[part.to]].to != part.to) {
                by_host_[part.to] = static_cast<NodeId>(needs_.size());
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
    /// Messages to this host that take a packet each.
    unsigned own() const noexcept { return own_; }
    /// Some messages to others go by pointer.
    bool large() const noexcept { return large_; }

  private:
    void add(Need& need, const Isochron::Part& part, std::size_t most) noexcept {
        const bool large = part.is_large(most);
        const std::size_t size = in_front_ + (large ? wire::kPointerSize : part.size);
        need.large |= large;
        large_ |= large;
        if (part.packet && !large) {
            ++need.frames;
            ++need.ready;
            need.room = 0;
        } else if (size <= need.room) {
            need.room -= size;
        } else {
            ++need.frames;
            need.room = shared_ ? in_front_ + most - size : 0;
        }
    }

    NodeId here_;
    bool shared_;
    std::size_t largest_;
    std::size_t in_front_;
    std::vector<Need> needs_;
    std::vector<NodeId> by_host_;  ///< where in needs_, if it is there
    unsigned own_ = 0;
    bool large_ = false;
};

}  // namespace isoplane::isotach
