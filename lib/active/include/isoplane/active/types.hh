// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <isoplane/noniso/endpoint.hh>
#include <isoplane/wire/active.hh>
#include <span>

#include <isoplane/runtime/counter.hh>
#include <isoplane/runtime/time.hh>

namespace isoplane::active {

using niu::NodeId;

/// What a message without data carries: as wide as a pointer, which it often is, into the receiver's memory.
using Word = std::uint64_t;
using Words = std::array<Word, wire::kActiveWords>;

class Active;

/// What a handler of this library's own kind is called with.
struct Call {
    NodeId source = 0;
    bool is_request = false;  ///< that may be replied to
    bool is_transfer = false;
    Words words{};                ///< of a transfer, the first is its argument
    std::span<std::byte> data{};  ///< of a transfer, where it has been put
};
using Handler = void (*)(Active& active, const Call& call);

/// How a function is called that is a handler.
enum class Convention : std::uint8_t {
    kCall,   ///< as Handler says
    kPlain,  ///< with the words; or with a transfer's argument, address and size
    /// With the number of the sender, and the words; or a transfer's address, size and argument.
    kSource,
};
inline constexpr unsigned kConventions = 3;

/// A function and how it is called.
struct Function {
    Function(Handler handler) : at(reinterpret_cast<const void*>(handler)) {}
    Function(const void* function, Convention called) : at(function), convention(called) {}

    const void* at;
    Convention convention = Convention::kCall;
};

/// Why something was not done; then nothing has changed.
enum class Refusal : std::uint8_t {
    kNone,
    kFull,       ///< as many requests as may be have no answer, or the node is not up yet: poll, try again
    kDead,       ///< the node is, or it was up, and is not
    kInHandler,  ///< a request handler may only reply, and a reply handler may not use the network
    kNoRequest,  ///< there is nothing to reply to
    kReplied,    ///< that has been done
    kNotSender,  ///< a reply goes to who has made the request
    kNoSuchNode,
    kNoSuchCode,  ///< the handler is no function of the program or of a library that it has loaded
    kTooLarge,    ///< 4 GB or more
};

/// Says which request, to whoever made it; or, being false, why there is none.
struct Ticket {
    Refusal refusal = Refusal::kNone;
    std::uint8_t slot = 0;
    NodeId to = 0;
    std::uint16_t number = 0;

    operator bool() const noexcept { return refusal == Refusal::kNone; }
    bool operator==(const Ticket&) const = default;
};

enum class RequestState : std::uint8_t {
    kSending,  ///< its data has to stay as it is
    kOpen,     ///< it has no answer yet
    kOver,     ///< it has been answered, or has failed
};

/// Why a request has no answer.
enum class Reason : std::uint8_t {
    kSilent = 1,   ///< none came within the limit; whether it has been handled, nobody knows
    kLost,         ///< the node is dead, or has started again; the same
    kUnknownCode,  ///< the node has no such handler, being another program or another build of it
    kProtocol,     ///< what came as an answer was none
    kNoMemory,     ///< where data was to be copied from or to, there is none
};

struct Failure {
    Ticket request;
    Reason reason{};
};

/// Defects that tests plant to see that they would be found.
struct Planted {
    bool forget_replies = false;  ///< those that have to wait
    bool acknowledge_twice = false;
    bool reply_anywhere = false;  ///< from any handler
};

struct Options {
    NodeId node = 0;
    std::size_t nodes = 0;
    unsigned depth = 32;        ///< requests to one node that may have no answer; at most wire::kActiveSlots
    std::uint16_t program = 0;  ///< among those of the job on this node
    std::uint32_t life = 1;     ///< of this program: another one when it starts again
    /// Within which a request has to be answered, while no data of others moves that it may have to wait for.
    runtime::Duration limit = std::chrono::seconds{30};
    Planted planted{};
};

struct Counters {
    runtime::Counter requests;          ///< sent
    runtime::Counter handled;           ///< requests of others
    runtime::Counter replies;           ///< sent
    runtime::Counter acknowledgements;  ///< sent
    runtime::Counter answered;          ///< requests
    runtime::Counter failed;            ///< requests
    runtime::Counter refused;           ///< requests of others
    runtime::Counter late;              ///< answers that had to wait for room at the NIU
    runtime::Counter stray;             ///< answers to no request, or not to one that waits
    runtime::Counter foreign;           ///< for another program
    runtime::Counter malformed;
};

}  // namespace isoplane::active
