// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/channel/channels.hh>
#include <stdexcept>
#include <string>

namespace isoplane::channel {

namespace {

/// The largest message that the NIU copies in any case.
constexpr std::size_t kAlwaysCopied = niu::kWorthCopying - wire::kChannelHeaderSize;

/// What all channels and the send channel can hold.
std::size_t packets_of(const Options& options) {
    return std::size_t{options.channels} * options.capacity() + options.send_buffers;
}

Options checked(const Options& options, std::size_t nodes, const runtime::Pool& pool) {
    if (options.channels == 0 || options.channels > 256) {
        throw std::invalid_argument("a node cannot have " + std::to_string(options.channels) +
                                    " receive channels; give 1 to 256");
    }
    if (options.slots == 0) {
        throw std::invalid_argument("a channel of no slots gives its user nothing; give one at least");
    }
    if (options.capacity() < nodes) {
        throw std::invalid_argument("a channel that holds " + std::to_string(options.capacity()) +
                                    " messages has no room for one of each of " + std::to_string(nodes) +
                                    " nodes; let it hold so many");
    }
    if (packets_of(options) > pool.size() / 8) {
        throw std::invalid_argument("channels that hold " + std::to_string(packets_of(options)) +
                                    " packets need a pool eight times as large, and there are " +
                                    std::to_string(pool.size()) +
                                    "; raise packets= in node.conf, or let them hold fewer");
    }
    Options checked = options;
    checked.copy_below = std::max(options.copy_below, kAlwaysCopied + 1);
    return checked;
}

}  // namespace

Channels::Channels(noniso::Endpoint& endpoint, runtime::Pool& pool, NodeId node, std::size_t nodes,
                   const Options& options)
    : endpoint_(endpoint),
      pool_(pool),
      node_(node),
      options_(checked(options, nodes, pool)),
      window_(options.capacity() / static_cast<std::uint32_t>(nodes)),
      room_(rte_pktmbuf_data_room_size(pool.raw()) - RTE_PKTMBUF_HEADROOM - wire::kChannelHeaderSize),
      records_(packets_of(options)),
      sent_(nodes) {
    channels_.reserve(options.channels);
    for (unsigned i = 0; i < options.channels; ++i)
        channels_.emplace_back(nodes);
    awaited_.reserve(nodes);
    for (Id id = static_cast<Id>(records_.size()); id != 0;)
        free_.push_back(--id);
}

Channels::~Channels() = default;

bool Channels::poll() noexcept {
    bool moved = false;
    for (niu::Received message; endpoint_.receive(message); moved = true)
        arrive(message);
    if (!owed_.empty()) moved |= tell();
    if (pending_ != 0) moved |= sweep_next();
    return moved;
}

Status Channels::open(ChannelId channel) noexcept {
    if (channel >= channels_.size()) return Status::kNoChannel;
    if (channels_[channel].open) return Status::kInUse;
    channels_[channel].open = true;
    return Status::kOk;
}

std::optional<ChannelId> Channels::open_any() noexcept {
    for (ChannelId channel = 1; channel < channels_.size(); ++channel) {
        if (open(channel) == Status::kOk) return channel;
    }
    return std::nullopt;
}

Status Channels::close(ChannelId channel) noexcept {
    if (channel >= channels_.size()) return Status::kNoChannel;
    Channel& closed = channels_[channel];
    if (!closed.open) return Status::kNotInUse;
    closed.open = false;
    count_drop(Drop::kClosed, closed.ready.size());
    for (; !closed.ready.empty(); closed.ready.pop())
        recycle(closed.ready.front());
    return Status::kOk;
}

/// There is always one: no more are ever used than packets_of() says.
Channels::Id Channels::new_record() noexcept {
    const Id id = free_.back();
    free_.pop_back();
    return id;
}

Buffer Channels::buffer() noexcept {
    if (send_buffers_ == options_.send_buffers) reap();
    if (send_buffers_ == options_.send_buffers) return {};
    runtime::Packet packet = pool_.packet();
    if (!packet) return {};
    std::byte* const data = rte_pktmbuf_mtod_offset(packet.get(), std::byte*, wire::kChannelHeaderSize);
    ++send_buffers_;
    const Id id = new_record();
    Record& record = records_[id];
    record.packet = std::move(packet);
    record.data = {data, room_};
    record.source = node_;
    record.in_hand = true;
    return Buffer(*this, id, node_, record.data);
}

void Channels::free(Id id) noexcept {
    Record& record = records_[id];
    record.in_hand = false;
    if (!record.pending) return recycle(id);
    record.packet.reset();  // so that whoever sends it need not think of us any more
}

/// Nobody has it any more.
void Channels::recycle(Id id) noexcept {
    Record& record = records_[id];
    if (record.channel == kNoChannel) {
        --send_buffers_;
    } else {
        Channel& channel = channels_[record.channel];
        if (record.received) --channel.in_hand;
        if (record.promised) {
            channel.promises[record.source].released();
            owe(record.channel, record.source);
        } else {
            --channel.datagrams;
            reserve(record.channel);
        }
    }
    record = {};
    free_.push_back(id);
}

/// Or is lost. A driver may refer to the packet for long after that.
bool Channels::has_arrived(const Record& record) const noexcept {
    const niu::TransferState state = endpoint_.state(record.ticket);
    return state == niu::TransferState::kArrived || state == niu::TransferState::kLost;
}

bool Channels::is_busy(const Record& record) const noexcept {
    if (!record.sent || options_.planted.always_idle) return false;
    if (record.pending && !has_arrived(record)) return true;
    return endpoint_.in_process() && runtime::references(record.packet.get()) != 1;
}

/// It is being sent.
void Channels::begin(Id id, const niu::Ticket& ticket) noexcept {
    Record& record = records_[id];
    if (record.pending) sweep(record.ticket.to());  // it had arrived, and nobody had looked
    record.ticket = ticket;
    record.sent = true;
    if (std::exchange(record.pending, true)) return;
    ++pending_;
    Sent& sent = sent_[ticket.to()];
    sent.ids.push(id);
    if (!std::exchange(sent.listed, true)) awaited_.push(ticket.to());
}

/// Those to one node arrive in turn. Returns whether one has: if it was freed, only its receiver can have it
/// from here on.
bool Channels::sweep(NodeId to) noexcept {
    runtime::Fifo<Id>& sent = sent_[to].ids;
    const std::size_t before = sent.size();
    for (; !sent.empty() && has_arrived(records_[sent.front()]); sent.pop()) {
        const Id id = sent.front();
        --pending_;
        records_[id].pending = false;
        if (!records_[id].in_hand) recycle(id);
    }
    return sent.size() != before;
}

/// Those to the node that has not been looked at for the longest.
bool Channels::sweep_next() noexcept {
    const NodeId to = awaited_.front();
    awaited_.pop();
    const bool arrived = sweep(to);
    sent_[to].listed = !sent_[to].ids.empty();
    if (sent_[to].listed) awaited_.push(to);
    return arrived;
}

void Channels::reap() noexcept {
    for (std::size_t looks = awaited_.size(); looks > 0; --looks)
        sweep_next();
}

}  // namespace isoplane::channel
