// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <sys/mman.h>

#include <cstdlib>
#include <isoplane/active/active.hh>
#include <vector>

#include "bytes.hh"
#include "strangers.hh"

namespace isoplane::fuzz {

/// The memory in which active messages may do what they like, as the nodes of a job trust each other so far;
/// with none on either side of it.
class Arena {
  public:
    static constexpr std::size_t kSize = 8192;
    static constexpr std::size_t kAround = 4096;

    static std::byte* begin() { return instance().begin_; }
    /// A place in it, or near it, or where nothing is.
    static active::Word somewhere(Bytes& in) {
        const auto how = in.take<std::uint8_t>();
        const auto at = reinterpret_cast<active::Word>(begin());
        if (how < 200) return at + in.take<std::uint16_t>() % kSize;
        if (how < 240) return at - kAround + in.take<std::uint16_t>() % (kSize + 2 * kAround);
        return how % 2 == 0 ? how : ~active::Word{0} - how;
    }
    /// What this node says of its own memory is true.
    static active::Word somewhere_at(NodeId node, std::size_t size, Bytes& in) {
        return node == kHere ? reinterpret_cast<active::Word>(begin()) + (kSize - size) / 2 : somewhere(in);
    }
    static std::span<std::byte> part(Bytes& in) {
        const std::size_t at = in.take<std::uint16_t>() % kSize;
        return {begin() + at, in.take<std::uint16_t>() % (kSize - at)};
    }

  private:
    Arena() {
        void* const all = mmap(nullptr, kSize + 2 * kAround, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (all == MAP_FAILED) std::abort();
        begin_ = static_cast<std::byte*>(all) + kAround;
        if (mprotect(begin_, kSize, PROT_READ | PROT_WRITE) != 0) std::abort();
    }
    static Arena& instance() {
        static Arena arena;
        return arena;
    }
    std::byte* begin_;
};

/// A program of active messages, whose handlers do as they are told by what they are called with.
class ActiveUser {
  public:
    explicit ActiveUser(noniso::Endpoint& endpoint)
        : active_(endpoint, images(),
                  {.node = kHere, .nodes = kNodes, .depth = 4, .limit = std::chrono::milliseconds{20}}) {
        static active::MemoryMap memory;
        active_.check_with(&memory);
        running() = &active_;
    }

    void act(Bytes& in) {
        const auto how = in.take<std::uint8_t>();
        const auto to = static_cast<NodeId>(how % kNodes);
        const active::Function function = functions()[how / 4 % kFunctions];
        active::Ticket ticket;
        switch (how / 16 % 4) {
            case 0:
                ticket = active_.request(to, function, {in.take<std::uint8_t>()});
                break;
            case 1:
            case 2: {
                const auto data = Arena::part(in);
                ticket = active_.transfer(to, data, Arena::somewhere_at(to, data.size(), in), function, how);
                break;
            }
            default: {
                const auto data = Arena::part(in);
                ticket = active_.get(to, Arena::somewhere_at(to, data.size(), in), data, function, how);
            }
        }
        if (ticket) tickets_.push_back(ticket);
    }

    void poll(runtime::Time now) {
        active_.poll(now);
        for (active::Failure failure; active_.next_failure(failure);) {
        }
        std::erase_if(tickets_, [this](const active::Ticket& ticket) {
            return active_.state(ticket) == active::RequestState::kOver;
        });
    }

    static constexpr unsigned kFunctions = 3;
    /// One for each way of calling, each an image of its own, so that there is nothing else to be called.
    static std::array<active::Function, kFunctions> functions() {
        return {active::Function(&called),
                {reinterpret_cast<const void*>(&plain), active::Convention::kPlain},
                {reinterpret_cast<const void*>(&from_source), active::Convention::kSource}};
    }

  private:
    static active::Images& images() {
        static active::Images all = [] {
            std::vector<active::Image> images;
            for (const active::Function& function : functions()) {
                const auto at = reinterpret_cast<std::uintptr_t>(function.at);
                images.push_back({static_cast<std::uint32_t>(images.size() + 1), at, at, at + 1});
            }
            return active::Images(std::move(images));
        }();
        return all;
    }
    static active::Active*& running() {
        static active::Active* program = nullptr;
        return program;
    }

    static void called(active::Active& active, const active::Call& call) {
        for (std::byte& byte : call.data)
            byte ^= std::byte{1};
        answer(active, call.words[0]);
    }
    static void plain(active::Word first, active::Word, active::Word, active::Word) {
        answer(*running(), first);
    }
    static void from_source(active::Word, active::Word first, active::Word, active::Word, active::Word) {
        answer(*running(), first);
    }
    static void answer(active::Active& active, active::Word how) {
        const NodeId to = active.requester();
        const active::Function function = functions()[how / 8 % kFunctions];
        switch (how % 8) {
            case 0:
            case 1:
                active.reply(to, function, {how / 16});
                break;
            case 2:
            case 3:
            case 4:
                active.reply_transfer(to, {Arena::begin(), static_cast<std::size_t>(how % Arena::kSize)},
                                      reinterpret_cast<active::Word>(Arena::begin()), function, how / 16);
                break;
            case 5:
                active.request(to, function, {});
                break;
            default:
                break;
        }
    }

    std::vector<active::Ticket> tickets_;
    active::Active active_;
};

}  // namespace isoplane::fuzz
