// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Channels: numbered queues of messages at every node, which are written and read in the packets that carry
/// them.
///
/// - A node has one send channel, for all who send, and some receive channels, each for one user at a time.
/// - A buffer is its user's until he frees it, also while it is being sent; then it may not be changed, but
///   freed. What was received may be sent on as it is.
/// - Messages arrive intact and in order. A channel whose user does not receive holds what it can; of what
///   comes beyond that, datagrams are dropped and counted, while a reliable message is not sent before there
///   is room for it. Neither holds up other channels, nor anything else that comes over the network.
/// - Nothing waits: a call that cannot go on says so, and is tried again after poll().
///
/// doc/channels.md has it all. One thread uses it, that of its endpoint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <isoplane/noniso/endpoint.hh>
#include <isoplane/runtime/fifo.hh>
#include <isoplane/runtime/pool.hh>
#include <isoplane/wire/channel.hh>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <isoplane/channel/counters.hh>
#include <isoplane/channel/credit.hh>
#include <isoplane/channel/options.hh>

namespace isoplane::channel {

using niu::NodeId;
using ChannelId = std::uint16_t;

enum class Status : std::uint8_t {
    kOk,
    kFull,       ///< it cannot go now: poll, and try again
    kNotUp,      ///< the node is not up
    kNoChannel,  ///< there is no such channel
    kInUse,      ///< the channel is somebody's
    kNotInUse,   ///< the channel is nobody's
    kTooLarge,   ///< more than the buffer has, or a frame to that node
    kBusy,       ///< the buffer is still being sent
};

enum class Mode : std::uint8_t {
    kDatagram,  ///< dropped where the channel is full
    kReliable,  ///< not sent before the channel has room
};

class Channels;

/// A buffer in its user's hands, who frees it by letting go of it: at any time, before its Channels go.
class Buffer {
  public:
    Buffer() = default;
    Buffer(Buffer&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)),
          id_(other.id_),
          data_(other.data_),
          size_(other.size_),
          source_(other.source_) {}
    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(owner_, other.owner_);
        std::swap(id_, other.id_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(source_, other.source_);
        return *this;
    }
    ~Buffer() { reset(); }
    void reset() noexcept;

    explicit operator bool() const noexcept { return owner_ != nullptr; }

    /// Room to write a message in, or the message that came. That may be written over, too; on a link within
    /// the process it is then written over where it was sent from.
    std::span<std::byte> data() const noexcept { return {data_, size_}; }
    /// Who has sent it; of one that was got to send from, this node.
    NodeId source() const noexcept { return source_; }

  private:
    friend class Channels;
    Buffer(Channels& owner, std::uint32_t id, NodeId source, std::span<std::byte> data) noexcept
        : owner_(&owner),
          id_(id),
          data_(data.data()),
          size_(static_cast<std::uint32_t>(data.size())),
          source_(source) {}

    // No two beside each other that one load could take: it is moved as soon as it has been made, after the
    // last message has been written, and would wait until all of that has left the core.
    Channels* owner_ = nullptr;
    std::uint32_t id_ = 0;
    std::byte* data_ = nullptr;
    std::uint32_t size_ = 0;
    NodeId source_ = 0;
};

class Channels {
  public:
    /// Of `node`, one of so many. Buffers are packets of the pool that the endpoint's NIU has, of which they
    /// are an eighth at the most. Throws std::invalid_argument for options that cannot be.
    Channels(noniso::Endpoint& endpoint, runtime::Pool& pool, NodeId node, std::size_t nodes,
             const Options& options = {});
    ~Channels();
    Channels(const Channels&) = delete;
    Channels& operator=(const Channels&) = delete;

    /// Takes what has come to its channels. Returns whether there was anything to do.
    bool poll() noexcept;

    // Who has which receive channel.

    Status open(ChannelId channel) noexcept;
    /// One that nobody has: not number 0, which is only given to who asks for it.
    std::optional<ChannelId> open_any() noexcept;
    /// What waits in it is dropped; buffers received from it stay their user's. What comes for a channel that
    /// is nobody's waits for the next one who opens it.
    Status close(ChannelId channel) noexcept;
    bool is_open(std::size_t channel) const noexcept {
        return channel < channels_.size() && channels_[channel].open;
    }

    // Sending.

    /// Room for a message, inside the packet that will carry it. Empty when all are in use: some may be free
    /// again after poll().
    Buffer buffer() noexcept;
    /// Sends the first `size` bytes of a buffer to a channel of any node, this one too. The buffer stays its
    /// user's.
    /// A message to this node itself is copied.
    Status send(NodeId to, ChannelId channel, const Buffer& buffer, std::size_t size,
                Mode mode = Mode::kDatagram) noexcept;
    /// The same, and frees the buffer: cheaper than to do so afterwards. When the message does not go, the
    /// buffer stays its user's.
    Status send(NodeId to, ChannelId channel, Buffer&& buffer, std::size_t size,
                Mode mode = Mode::kDatagram) noexcept;
    /// Whether it is being sent, and so must not be changed: until it has arrived or is lost, and on a link
    /// within the process, where it is the receiver's too, until he has freed it.
    bool busy(const Buffer& buffer) const noexcept { return buffer && is_busy(records_[buffer.id_]); }
    /// Looks which buffers have been sent; those that are freed are free then. poll() does some of it.
    void reap() noexcept;
    /// Buffers that are being sent; at times more than there are, never fewer.
    unsigned pending() noexcept {
        reap();
        return pending_;
    }
    /// The largest message to that node; 0 before it is up.
    std::size_t max_size(NodeId to) const noexcept;

    // Receiving.

    /// How many messages receive() would give.
    unsigned waiting(ChannelId channel) const noexcept;
    /// The next message; empty when there is none, or its user has all that the channel gives at a time.
    Buffer receive(ChannelId channel) noexcept;

    const Counters& counters() const noexcept { return counters_; }
    const Options& options() const noexcept { return options_; }

  private:
    friend class Buffer;
    using Id = std::uint32_t;
    static constexpr ChannelId kNoChannel = UINT16_MAX;

    /// A buffer, or a message that waits for its user.
    struct Record {
        runtime::Packet packet;  ///< a reference of ours; none once it is freed, and others send it
        std::span<std::byte> data{};
        niu::Ticket ticket{};            ///< of the last time that it was sent
        ChannelId channel = kNoChannel;  ///< that it came to; none of a send buffer
        NodeId source = 0;
        bool alone = true;      ///< nothing else is in the packet
        bool promised = false;  ///< it came with credit
        bool received = false;  ///< its user has had it
        bool in_hand = false;   ///< it is its user's
        bool sent = false;      ///< as it is, at least once
        bool pending = false;   ///< it is among those being sent
    };

    struct Channel {
        explicit Channel(std::size_t nodes) : promises(nodes), claims(nodes) {}

        runtime::Fifo<Id> ready;
        bool open = false;
        unsigned in_hand = 0;          ///< messages of it that have been received, and not freed and sent
        unsigned datagrams = 0;        ///< messages there are of it that came without credit
        unsigned reserved = 0;         ///< room for those that come with it
        runtime::Fifo<NodeId> askers;  ///< for whom there was no such room
        std::vector<Promise> promises;
        std::vector<Claim> claims;  ///< on this channel of other nodes
    };
    /// What is being sent to a node; some of it may have arrived.
    struct Sent {
        runtime::Fifo<Id> ids;
        bool listed = false;  ///< in awaited_
    };
    struct Owed {
        ChannelId channel = 0;
        NodeId node = 0;
    };

    // channels.cc: buffers, and whose they are.
    Id new_record() noexcept;
    void free(Id id) noexcept;
    void recycle(Id id) noexcept;
    bool has_arrived(const Record& record) const noexcept;
    bool is_busy(const Record& record) const noexcept;
    void begin(Id id, const niu::Ticket& ticket) noexcept;
    bool sweep(NodeId to) noexcept;
    bool sweep_next() noexcept;

    // receive.cc: what comes.
    void arrive(const niu::Received& message) noexcept;
    void deliver(const niu::Received& message, const wire::ChannelHeader& header) noexcept;
    Record& append(ChannelId channel) noexcept;
    void drop(const niu::Received& message, Drop why) noexcept;
    void count_drop(Drop why, std::uint64_t messages = 1) noexcept;
    /// For a datagram. Those who have asked for room come first, or they would never have it.
    bool has_room(const Channel& channel) const noexcept {
        const unsigned asked_for = channel.askers.empty() ? 0 : window_;
        return channel.datagrams + channel.reserved + asked_for < options_.capacity();
    }

    // send.cc: what goes.
    wire::ChannelHeader header_for(NodeId to, ChannelId channel, Mode mode) const noexcept;
    Status send_copy(NodeId to, const wire::ChannelHeader& header, std::span<const std::byte> data) noexcept;
    Status send_as_is(NodeId to, const wire::ChannelHeader& header, Id id, std::size_t size,
                      bool freed) noexcept;
    Status send_here(ChannelId channel, std::span<const std::byte> data, Mode mode) noexcept;
    Status send(NodeId to, ChannelId channel, const Buffer& buffer, std::size_t size, Mode mode,
                bool freed) noexcept;
    bool may_change(const Record& record, bool freed) const noexcept;

    // credit.cc: room for what may not be dropped.
    bool may_send(NodeId to, ChannelId channel) noexcept;
    void on_ask(NodeId from, const wire::ChannelHeader& header, std::uint32_t life) noexcept;
    void on_grant(NodeId from, const wire::ChannelHeader& header, std::uint32_t life) noexcept;
    void reserve(ChannelId channel) noexcept;
    void owe(ChannelId channel, NodeId node, bool again = false) noexcept;
    bool tell() noexcept;
    bool send_credit(NodeId to, const wire::ChannelHeader& header, std::uint32_t life) noexcept;

    noniso::Endpoint& endpoint_;
    runtime::Pool& pool_;
    NodeId node_;
    Options options_;
    std::uint32_t window_;  ///< reliable messages that each other node may have sent to a channel; as much
                            ///< is always left for datagrams, and for messages of this node
    std::size_t room_;      ///< of a send buffer
    std::vector<Channel> channels_;
    std::vector<Record> records_;
    std::vector<Id> free_;
    std::vector<Sent> sent_;         ///< to each node
    runtime::Fifo<NodeId> awaited_;  ///< nodes to whom something is being sent, to be looked at in turn
    unsigned pending_ = 0;           ///< buffers that are being sent to any node
    unsigned send_buffers_ = 0;      ///< in use
    runtime::Fifo<Owed> owed_;       ///< grants
    Counters counters_;
};

inline void Buffer::reset() noexcept {
    if (owner_ != nullptr) std::exchange(owner_, nullptr)->free(id_);
}

}  // namespace isoplane::channel
