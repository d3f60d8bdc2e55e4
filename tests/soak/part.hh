// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// A part of the soak test: one protocol, which sends numbered messages whose content follows from their
/// sender, receiver and number, and checks each that comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <isoplane/job/job.hh>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace isoplane::soak {

using niu::NodeId;
using Random = std::mt19937_64;

/// What must not be: ends the rank with a sentence.
struct Wrong : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Byte `at` of a message.
inline std::byte content(NodeId from, NodeId to, std::uint64_t number, std::size_t at) {
    const std::uint64_t mixed = (number * 65536 + from * 256U + to + at / 8) * 0x9e3779b97f4a7c15;
    return static_cast<std::byte>(mixed >> (8 * (at % 8)));
}

inline void fill(std::span<std::byte> out, NodeId from, NodeId to, std::uint64_t number) {
    for (std::size_t at = 0; at < out.size(); ++at)
        out[at] = content(from, to, number, at);
}

inline void check(std::span<const std::byte> in, NodeId from, NodeId to, std::uint64_t number,
                  const char* where) {
    for (std::size_t at = 0; at < in.size(); ++at) {
        if (in[at] == content(from, to, number, at)) continue;
        throw Wrong(std::string(where) + ": byte " + std::to_string(at) + " of message " +
                    std::to_string(number) + " of node " + std::to_string(from) +
                    " is not what it was sent with");
    }
}

/// Numbers 0, 1, 2, …, each of which has to come once, in any order.
class Once {
  public:
    std::uint64_t count() const { return next_ + ahead_.size(); }
    void take(std::uint64_t number, const char* where) {
        if (number < next_ || !ahead_.insert(number).second)
            throw Wrong(std::string(where) + ": number " + std::to_string(number) + " has come twice");
        while (ahead_.erase(next_) != 0)
            ++next_;
    }

  private:
    std::uint64_t next_ = 0;
    std::set<std::uint64_t> ahead_;
};

class Part {
  public:
    Part(job::Job& job, const char* name)
        : job_(job), name_(name), sent_(job.size()), came_(job.size()), due_(job.size()) {}
    virtual ~Part() = default;
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

    const char* name() const { return name_; }
    /// Sends something, to that other node if it goes to one; or nothing, when there is no room.
    virtual void act(NodeId to, Random& random) = 0;
    /// Takes and checks what has come.
    virtual void poll() = 0;
    /// All that it began has ended, as far as this node can tell.
    virtual bool settled() const { return true; }
    /// Ends what others wait for, once it is asked for no more; to be called until it is true.
    virtual bool wind_up() { return true; }
    /// All nodes do it together, each as often as the one that has done it most: `times`.
    virtual bool together() const { return false; }
    virtual void catch_up(std::uint64_t /*times*/) {}
    /// Messages of any node that were dropped here, as they may be.
    virtual std::uint64_t dropped() const { return 0; }
    /// Times that what all nodes have done together was found right here.
    virtual std::uint64_t audits() const { return 0; }
    /// What all nodes have to agree on in the end; empty when there is nothing.
    virtual std::string verdict() const { return {}; }

    /// Messages sent to that node, and received from it.
    std::uint64_t sent(NodeId to) const { return sent_[to]; }
    std::uint64_t came(NodeId from) const { return came_[from].count(); }
    std::uint64_t came_in_all() const {
        std::uint64_t all = 0;
        for (const Once& from : came_)
            all += from.count();
        return all;
    }

  protected:
    NodeId here() const { return job_.node(); }
    /// The next number to that node, once its message has gone.
    std::uint64_t next(NodeId to) const { return sent_[to]; }
    void went(NodeId to) { ++sent_[to]; }
    void take(NodeId from, std::uint64_t number) { came_[from].take(number, name_); }
    /// One that others may have been dropped before.
    void take_later(NodeId from, std::uint64_t number) {
        if (number < due_[from])
            throw Wrong(std::string(name_) + ": message " + std::to_string(number) + " of node " +
                        std::to_string(from) + " came where " + std::to_string(due_[from]) + " was due");
        due_[from] = number + 1;
        take(from, came(from));
    }
    void take_in_order(NodeId from, std::uint64_t number) {
        if (number != came(from))
            throw Wrong(std::string(name_) + ": message " + std::to_string(number) + " of node " +
                        std::to_string(from) + " came where " + std::to_string(came(from)) + " was due");
        take(from, number);
    }

    job::Job& job_;

  private:
    const char* name_;
    std::vector<std::uint64_t> sent_;
    std::vector<Once> came_;
    std::vector<std::uint64_t> due_;  ///< by node: the least number that may come of it
};

}  // namespace isoplane::soak
