// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/channel/channels.hh>

namespace isoplane::channel {

std::size_t Channels::max_size(NodeId to) const noexcept {
    if (to == node_) return room_;
    return std::max(endpoint_.max_message(to), wire::kChannelHeaderSize) - wire::kChannelHeaderSize;
}

Status Channels::send(NodeId to, ChannelId channel, const Buffer& buffer, std::size_t size,
                      Mode mode) noexcept {
    return send(to, channel, buffer, size, mode, false);
}

Status Channels::send(NodeId to, ChannelId channel, Buffer&& buffer, std::size_t size, Mode mode) noexcept {
    const Status status = send(to, channel, buffer, size, mode, true);
    if (status == Status::kOk) buffer.reset();
    return status;
}

Status Channels::send(NodeId to, ChannelId channel, const Buffer& buffer, std::size_t size, Mode mode,
                      bool freed) noexcept {
    if (channel >= channels_.size()) return Status::kNoChannel;
    if (!buffer || size > buffer.size_) return Status::kTooLarge;
    if (busy(buffer)) return Status::kBusy;
    const std::span data(buffer.data_, size);
    if (to == node_) return send_here(channel, data, mode);
    if (endpoint_.state(to) != niu::PeerState::kUp) return Status::kNotUp;
    if (size > max_size(to)) return Status::kTooLarge;
    if (mode == Mode::kReliable && !may_send(to, channel)) return Status::kFull;
    const wire::ChannelHeader header = header_for(to, channel, mode);
    const bool copied = size < options_.copy_below || !may_change(records_[buffer.id_], freed);
    const Status status =
        copied ? send_copy(to, header, data) : send_as_is(to, header, buffer.id_, size, freed);
    if (status != Status::kOk) return status;
    counters_.sent.add();
    if (mode == Mode::kReliable) {
        channels_[channel].claims[to].sent();
        counters_.sent_reliable.add();
    }
    return Status::kOk;
}

wire::ChannelHeader Channels::header_for(NodeId to, ChannelId channel, Mode mode) const noexcept {
    const auto number = static_cast<std::uint8_t>(channel);
    if (mode == Mode::kDatagram) return {.subtype = wire::ChannelSubtype::kDatagram, .channel = number};
    return {.subtype = wire::ChannelSubtype::kReliable,
            .channel = number,
            .number = channels_[channel].claims[to].next()};
}

/// Into a frame that others share, or one of its own where the packet is not to be touched.
Status Channels::send_copy(NodeId to, const wire::ChannelHeader& header,
                           std::span<const std::byte> data) noexcept {
    const niu::SendBuffer room = endpoint_.buffer(to, wire::kChannelHeaderSize + data.size());
    if (!room) return Status::kFull;
    wire::encode_channel(room.data.first<wire::kChannelHeaderSize>(), header);
    endpoint_.send(room, data);
    counters_.copied_bytes.add(data.size());
    return Status::kOk;
}

/// A reference to the packet goes, whose headers are written in front of the data: ours if the buffer is
/// freed with that, since to make another and give it back is to wait until the message has left the core.
Status Channels::send_as_is(NodeId to, const wire::ChannelHeader& header, Id id, std::size_t size,
                            bool freed) noexcept {
    Record& record = records_[id];
    std::byte* const at = record.data.data() - wire::kChannelHeaderSize;
    wire::encode_channel(std::span<std::byte, wire::kChannelHeaderSize>(at, wire::kChannelHeaderSize),
                         header);
    rte_mbuf* const m = record.packet.get();
    m->data_off = static_cast<std::uint16_t>(at - static_cast<const std::byte*>(m->buf_addr));
    m->data_len = static_cast<std::uint16_t>(wire::kChannelHeaderSize + size);
    m->pkt_len = m->data_len;
    m->ol_flags = 0;
    if (!freed) rte_mbuf_refcnt_update(m, 1);
    runtime::Packet going(freed ? record.packet.release() : m);
    const niu::Ticket ticket = endpoint_.send(to, going);
    if (!ticket) {
        if (freed) record.packet = std::move(going);
        return Status::kFull;
    }
    begin(id, ticket);
    counters_.sent_as_is.add();
    return Status::kOk;
}

/// Whether nobody else reads the packet: no other message of its frame, and where packets are handed over as
/// they are, nobody but who sent it. He may have a reference, but leaves it alone while others have it, too.
/// Who keeps the buffer would not know when it is idle again, as long as that is there.
bool Channels::may_change(const Record& record, bool freed) const noexcept {
    if (options_.planted.overwrite_shared) return true;
    const unsigned most = freed ? 2 : 1;
    return record.alone && (!endpoint_.in_process() || runtime::references(record.packet.get()) <= most);
}

/// To a channel of this node.
Status Channels::send_here(ChannelId channel, std::span<const std::byte> data, Mode mode) noexcept {
    const bool room = has_room(channels_[channel]);
    if (!room && mode == Mode::kReliable) return Status::kFull;
    if (room) {
        runtime::Packet packet = pool_.packet();
        if (!packet) return Status::kFull;
        Record& record = append(channel);
        std::byte* const at = rte_pktmbuf_mtod_offset(packet.get(), std::byte*, wire::kChannelHeaderSize);
        std::copy(data.begin(), data.end(), at);
        record.packet = std::move(packet);
        record.data = {at, data.size()};
        record.source = node_;
        ++channels_[channel].datagrams;
        counters_.copied_bytes.add(data.size());
    } else {
        count_drop(Drop::kFull);
    }
    counters_.sent.add();
    if (mode == Mode::kReliable) counters_.sent_reliable.add();
    return Status::kOk;
}

}  // namespace isoplane::channel
