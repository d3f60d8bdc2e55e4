// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/wire/channel.hh>
#include <isoplane/wire/portals.hh>

#include "frames.hh"
#include "services.hh"

namespace isoplane::fuzz {

/// What strangers say to services on one plane: much of it answers, or nearly, to what they heard.
class ServiceFrames final : public Frames {
  public:
    ServiceFrames(Services& services, std::size_t plane, std::uint16_t mtu)
        : Frames(services.source(plane), services.sink(plane), {}, mtu) {
        services.sink(plane).hears = [this](NodeId node, const wire::Message& message) {
            auto& heard = nodes_[node].heard[static_cast<std::size_t>(message.header.protocol)];
            heard.emplace_back(message.body.begin(), message.body.end());
            if (heard.size() > kHeard) heard.pop_front();
        };
    }

    /// They know each other already.
    void meet() {
        for (int i = 1; i < kHosts; ++i) {
            const std::array who{static_cast<std::byte>(i - 1)};
            Bytes in(who);
            speak(wire::Kind::kHello, in);
        }
    }
    /// A node starts again.
    void start_again(Bytes& in) {
        const auto node = static_cast<NodeId>(1 + in.take<std::uint8_t>() % (kHosts - 1));
        Frames::start_again(node);
        nodes_[node] = {};
    }

  private:
    static constexpr std::size_t kHeard = 6;

    struct Node {
        std::uint32_t begun = 0;  ///< Portals messages
        std::array<std::uint32_t, ChannelUser::kChannels> numbers{};
        wire::ActiveHeader request{};  ///< of the transfer that was begun last
        wire::ActiveTransfer transfer{};
        std::array<std::deque<std::vector<std::byte>>, wire::kProtocolCount> heard;
    };

    /// One of the last messages that the node heard for which `is_meant`; empty when there is none.
    template <typename Is>
    std::span<const std::byte> recall(Node& node, wire::Protocol protocol, Bytes& in, Is&& is_meant) {
        auto skip = in.take<std::uint8_t>() % 4U;
        std::span<const std::byte> found;
        const auto& heard = node.heard[static_cast<std::size_t>(protocol)];
        for (auto message = heard.rbegin(); message != heard.rend(); ++message) {
            if (!is_meant(std::span<const std::byte>(*message))) continue;
            found = *message;
            if (skip-- == 0) break;
        }
        return found;
    }

    void add_messages(NodeId from, Bytes& in) override {
        Node& node = nodes_[from];
        for (unsigned n = 1 + in.take<std::uint8_t>() % 3; n > 0 && size() < kMostPayload / 2; --n) {
            body_.clear();
            wire::Protocol protocol = wire::Protocol::kPortals;
            switch (in.take<std::uint8_t>() % 16) {
                case 0:
                case 1:
                case 2:
                    ask(node, in);
                    break;
                case 3:
                case 4:
                    answer(node, in);
                    break;
                case 5:
                    pull(node, in);
                    break;
                case 6:
                    done(node, in);
                    break;
                case 7:
                    add_data(in);
                    break;
                case 8:
                case 9:
                    protocol = wire::Protocol::kPortalsData;
                    slice(node, in);
                    break;
                case 10:
                case 11:
                    protocol = wire::Protocol::kActive;
                    request(node, in);
                    break;
                case 12:
                    protocol = wire::Protocol::kActive;
                    reply(node, in);
                    break;
                case 13:
                case 14:
                    protocol = wire::Protocol::kChannel;
                    say_in_channel(node, in);
                    break;
                default:
                    protocol = static_cast<wire::Protocol>(in.take<std::uint8_t>() % 11);
                    if (wire::is_ordered(protocol)) return;
                    add(in.take(in.take<std::uint8_t>()));
            }
            if (size() + wire::kMessageHeaderSize + body_.size() > kMostPayload) return;
            wire::encode_message(room(wire::kMessageHeaderSize).first<wire::kMessageHeaderSize>(),
                                 {.protocol = protocol,
                                  .fragment = in.near(wire::kWholeMessage),
                                  .length = static_cast<std::uint16_t>(body_.size()),
                                  .size_or_offset = in.near(static_cast<std::uint32_t>(body_.size()))});
            add_bytes(body_);
        }
    }

    std::span<std::byte> head(std::size_t size) {
        const std::size_t at = body_.size();
        body_.resize(at + size);
        return std::span(body_).subspan(at);
    }
    void add(std::span<const std::byte> bytes) { body_.insert(body_.end(), bytes.begin(), bytes.end()); }
    /// Mostly a few bytes, sometimes as many as fit.
    static std::size_t some_size(Bytes& in) {
        const auto size = in.take<std::uint8_t>();
        return size < 192 ? size % 64U : (size - 190U) * 20U;
    }
    void add_data(Bytes& in) { body_.resize(body_.size() + some_size(in), std::byte{0xab}); }

    // Portals.

    static bool is_begin(std::span<const std::byte> message) {
        return wire::is_portals_message(message) && kind_of(message) == wire::PortalsKind::kBegin;
    }
    static wire::PortalsKind kind_of(std::span<const std::byte> message) {
        return static_cast<wire::PortalsKind>(wire::portals_layout::Kind::get(message.data()));
    }

    /// A put, get or get-put of its own.
    void ask(Node& node, Bytes& in) {
        using namespace wire::portals_begin_layout;
        constexpr std::uint8_t kTypes[] = {1, 1, 2, 4};
        const auto how = in.take<std::uint8_t>();
        const std::uint8_t type = in.near(kTypes[how % 4]);
        const std::uint8_t flags = type == 2 ? 0 : how / 4 % 4 % 3;
        const std::size_t data = type == 2 ? 0 : some_size(in);
        const std::size_t rest = flags == 0 ? 0 : 1U + in.take<std::uint16_t>() % 8192U;
        std::byte* const at = begin(node, type, flags, in);
        portals_target(at, in);
        RemoteOffset::put(at, in.near(std::uint64_t{0}));
        Extra::put(at, in.take<std::uint8_t>());
        Length::put(at, in.near(type == 2 ? in.take<std::uint16_t>() : std::uint64_t{data + rest}));
        Md::put(at, how >= 128 ? portals::kNone : 5);
        body_.resize(body_.size() + data, std::byte{0xab});
    }
    void portals_target(std::byte* at, Bytes& in) {
        using namespace wire::portals_begin_layout;
        const auto where = in.take<std::uint8_t>();
        TargetPid::put(at, where < 250 ? 1 + where % Services::kProcesses : where);
        InitiatorPid::put(at, 1);
        wire::portals_begin_layout::Uid::put(at, in.near(PortalsUser::kUid));
        wire::portals_begin_layout::Jid::put(at, 1);
        Portal::put(at, in.near(where / 2 % PortalsUser::kPortals));
        Cookie::put(at, in.near(std::uint32_t{0}));
        MatchBits::put(at, in.take<std::uint8_t>());
    }

    /// To a request that it heard, what it waits for; or the wrong one.
    void answer(Node& node, Bytes& in) {
        using namespace wire::portals_begin_layout;
        const auto asked = recall(node, wire::Protocol::kPortals, in, [](auto message) {
            return is_begin(message) && !wire::is_portals_answer(Type::get(message.data()));
        });
        if (asked.empty()) return add_data(in);
        const std::byte* const to = asked.data();
        const std::uint8_t type =
            in.near(std::uint8_t{Type::get(to) == 1 ? std::uint8_t{0} : std::uint8_t{3}});
        const auto length = Length::get(to);
        const auto how = in.take<std::uint8_t>();
        const std::uint8_t flags = type == 0 ? 0 : how % 3;
        const std::size_t data =
            type == 0 ? 0 : std::min<std::size_t>(some_size(in), static_cast<std::size_t>(length));
        const std::uint64_t moved = type == 0 || flags != 0 ? in.near(length) : data;
        std::byte* const at = begin(node, type, flags, in);
        TargetPid::put(at, in.near(InitiatorPid::get(to)));
        InitiatorPid::put(at, TargetPid::get(to));
        wire::portals_begin_layout::Uid::put(at, PortalsUser::kUid);
        Portal::put(at, Portal::get(to));
        MatchBits::put(at, MatchBits::get(to));
        RemoteOffset::put(at, RemoteOffset::get(to));
        Extra::put(at, in.near(Extra::get(to)));
        Length::put(at, in.near(length));
        Md::put(at, in.near(Md::get(to)));
        MdGeneration::put(at, in.near(MdGeneration::get(to)));
        if (wire::is_portals_answer(type))
            wire::portals_more_layout::Moved::put(at + wire::kPortalsBeginSize, moved);
        body_.resize(body_.size() + data, std::byte{0xcd});
    }

    std::byte* begin(Node& node, std::uint8_t type, std::uint8_t flags, Bytes& in) {
        using namespace wire::portals_begin_layout;
        const std::size_t size = wire::portals_begin_size(type, flags);
        std::byte* const at = head(size).data();
        wire::portals_layout::Kind::put(at, static_cast<std::uint8_t>(wire::PortalsKind::kBegin));
        Type::put(at, type);
        Flags::put(at, flags);
        const std::uint32_t number = in.near(node.begun);
        node.begun += number == node.begun ? 1 : 0;
        Number::put(at, number);
        if (size > wire::kPortalsBeginSize)
            wire::portals_more_layout::Source::put(at + wire::kPortalsBeginSize, in.take<std::uint8_t>());
        return at;
    }

    /// Of data that the host said it has.
    std::uint32_t some_source(Node& node, Bytes& in, std::uint64_t& length) {
        using namespace wire;
        const auto begun = recall(node, Protocol::kPortals, in, [](auto message) {
            return is_begin(message) && portals_begin_layout::Flags::get(message.data()) == kPortalsRestWaits;
        });
        length = begun.empty() ? 0 : portals_begin_layout::Length::get(begun.data());
        const std::uint32_t source =
            begun.empty() ? 0 : portals_more_layout::Source::get(begun.data() + kPortalsBeginSize);
        return in.near(source);
    }
    void pull(Node& node, Bytes& in) {
        using namespace wire::portals_pull_layout;
        std::byte* const at = head(wire::kPortalsPullSize).data();
        wire::portals_layout::Kind::put(at, static_cast<std::uint8_t>(wire::PortalsKind::kPull));
        std::uint64_t length = 0;
        wire::portals_pull_layout::Source::put(at, some_source(node, in, length));
        const auto how = in.take<std::uint8_t>();
        const std::uint64_t offset = how < 128 ? length * how / 128 : in.near(length);
        wire::portals_pull_layout::Offset::put(at, offset);
        wire::portals_pull_layout::Length::put(at, in.near(static_cast<std::uint32_t>(length - offset)));
    }
    void done(Node& node, Bytes& in) {
        std::byte* const at = head(wire::kPortalsDoneSize).data();
        wire::portals_layout::Kind::put(at, static_cast<std::uint8_t>(wire::PortalsKind::kDone));
        std::uint64_t length = 0;
        wire::portals_done_layout::Source::put(at, some_source(node, in, length));
    }
    /// As much as was pulled, as far as it fits a frame.
    void slice(Node& node, Bytes& in) {
        const auto pulled = recall(node, wire::Protocol::kPortals, in, [](auto message) {
            return wire::is_portals_message(message) && kind_of(message) == wire::PortalsKind::kPull;
        });
        if (pulled.empty()) return add_data(in);
        const auto length = in.near(wire::portals_pull_layout::Length::get(pulled.data()));
        body_.resize(std::min<std::size_t>(length, kMostPayload - size() - wire::kMessageHeaderSize),
                     std::byte{0xef});
    }

    // Active messages.

    void request(Node& node, Bytes& in) {
        const auto how = in.take<std::uint8_t>();
        wire::ActiveHeader header = node.request;
        if (how >= 64) {
            header = {.type = wire::ActiveType{static_cast<std::uint8_t>(1 + how % 3)},
                      .slot = in.near(std::uint8_t{1}),
                      .program = in.near(std::uint16_t{0}),
                      .number = in.take<std::uint8_t>(),
                      .life = in.near(std::uint32_t{1})};
            name_handler(header, in);
        }
        wire::encode_active(head(wire::kActiveHeaderSize).first<wire::kActiveHeaderSize>(), header);
        if (header.type != wire::ActiveType::kRequestTransfer) {
            const auto address = Arena::somewhere(in);
            add_words(
                {in.take<std::uint16_t>(), in.take<std::uint16_t>(), address,
                 in.near(in.take<std::uint16_t>() % (how % 4 == 0 ? std::uint64_t{Arena::kSize} : 256))});
            return;
        }
        node.request = header;
        wire::ActiveTransfer& transfer = node.transfer;
        if (how >= 64)
            transfer = {.argument = in.take<std::uint16_t>(),
                        .address = Arena::somewhere(in),
                        .size = in.near(std::uint32_t{in.take<std::uint8_t>()})};
        add_part(transfer, in);
    }
    /// Its next part.
    void add_part(wire::ActiveTransfer& transfer, Bytes& in) {
        wire::ActiveTransfer part = transfer;
        part.at = in.near(part.at);
        const std::size_t left = part.at < part.size ? part.size - part.at : 0;
        const std::size_t data = std::min(left, some_size(in));
        wire::encode_active_transfer(head(wire::kActiveTransferSize).first<wire::kActiveTransferSize>(),
                                     part);
        body_.resize(body_.size() + in.near(static_cast<std::uint8_t>(data % 256)) + data / 256 * 256,
                     std::byte{0x77});
        transfer.at = static_cast<std::uint32_t>(part.at + data);
    }
    static void name_handler(wire::ActiveHeader& header, Bytes& in) {
        const auto which = in.take<std::uint8_t>() % ActiveUser::kFunctions;
        // Called in another way than it is meant for it would do what nobody knows: so only in one there is
        // not.
        header.convention = static_cast<std::uint8_t>(which);
        if (in.take<std::uint8_t>() >= 240) header.convention = 3;
        header.handler = {which + 1, in.near(std::uint32_t{0})};
    }
    void add_words(const std::array<std::uint64_t, wire::kActiveWords>& words) {
        wire::encode_active_words(head(wire::kActiveWordsSize).first<wire::kActiveWordsSize>(), words);
    }

    void reply(Node& node, Bytes& in) {
        const auto asked = recall(node, wire::Protocol::kActive, in, [](auto message) {
            const auto request = wire::decode_active(message);
            return request && wire::is_request(request->header.type);
        });
        if (asked.empty()) return add_data(in);
        const wire::ActiveMessage to = *wire::decode_active(asked);
        const auto how = in.take<std::uint8_t>();
        wire::ActiveHeader header{.type = wire::ActiveType{static_cast<std::uint8_t>(4 + how % 4)},
                                  .slot = in.near(to.header.slot),
                                  .reason = how,
                                  .number = in.near(to.header.number),
                                  .life = in.near(to.header.life)};
        name_handler(header, in);
        wire::encode_active(head(wire::kActiveHeaderSize).first<wire::kActiveHeaderSize>(), header);
        if (header.type == wire::ActiveType::kReply)
            return add_words({in.take<std::uint16_t>(), 0, 0, in.take<std::uint16_t>()});
        if (header.type != wire::ActiveType::kReplyTransfer) return;
        const bool got = to.header.type == wire::ActiveType::kGet && how < 224;
        wire::ActiveTransfer& transfer = node.transfer;
        if (how >= 64)
            transfer = {.argument = in.take<std::uint16_t>(),
                        .address = got ? to.words[1] : Arena::somewhere(in),
                        .size = in.near(static_cast<std::uint32_t>(got ? to.words[3] : 100))};
        add_part(transfer, in);
    }

    // Channels.

    void say_in_channel(Node& node, Bytes& in) {
        const auto how = in.take<std::uint8_t>();
        const auto channel = static_cast<std::uint8_t>(how / 8 % (ChannelUser::kChannels + 1));
        std::uint32_t none = 0;
        std::uint32_t& number = channel < node.numbers.size() ? node.numbers[channel] : none;
        wire::ChannelHeader header{.type = in.near(wire::kChannelType),
                                   .subtype = wire::ChannelSubtype{static_cast<std::uint8_t>(how % 5)},
                                   .channel = channel,
                                   .number = in.near(how % 5 == 4 ? 8U : number)};
        wire::encode_channel(head(wire::kChannelHeaderSize).first<wire::kChannelHeaderSize>(), header);
        if (header.subtype < wire::ChannelSubtype::kAsk) {
            number += header.subtype == wire::ChannelSubtype::kReliable && header.number == number ? 1 : 0;
            return add_data(in);
        }
        const auto life = head(sizeof(std::uint32_t));
        wire::channel_layout::Life::put(life.data() - wire::kChannelHeaderSize, in.near(1U));
        if (how >= 248) add_data(in);
    }

    std::array<Node, kNodes> nodes_{};
    std::vector<std::byte> body_;
};

}  // namespace isoplane::fuzz
