// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <isoplane/runtime/time.hh>
#include <isoplane/wire/ethernet.hh>
#include <isoplane/wire/token.hh>
#include <isoplane/wire/view.hh>
#include <isoplane/wire/view_parts.hh>
#include <map>
#include <memory>
#include <vector>

#include <isoplane/niu/options.hh>

namespace isoplane::niu {

/// Whose token it is, and for whom.
struct TokenAddress {
    NodeId from = 0;
    NodeId to = 0;
    std::uint32_t epoch = 0;       ///< of the sender
    std::uint16_t peer_epoch = 0;  ///< low half of the receiver's, as the sender knows it; 0 unknown
};

/// Who takes the tokens that come for a node of this process: a host, or a token manager.
class TokenReceiver {
  public:
    virtual ~TokenReceiver() = default;
    /// Called at the beginning of each poll of the NIU, and when it is flushed: tokens that go now leave
    /// together with what has been sent since the last poll. Returns how many have gone.
    virtual unsigned before_sending(runtime::Time now) noexcept = 0;
    /// Called while the NIU is polled or flushed. Returns whether it is from its sender's present life, as
    /// far as that is known: then the sender is where the token has come from.
    virtual bool on_token(const TokenAddress& address, const wire::TokenView& token) noexcept = 0;
};

/// Who takes part in the agreement on who takes part in logical time.
class ViewReceiver {
  public:
    virtual ~ViewReceiver() = default;
    /// Called while the NIU is polled.
    virtual void on_view(NodeId from, std::uint32_t epoch, const wire::ViewMessage& message) noexcept = 0;
};

/// A token from a node of this process to another one.
struct OwnToken {
    TokenAddress address{};
    std::vector<std::byte> payload{};
};

/// A node whose tokens come to this process.
struct TokenNode {
    NodeId node = 0;
    TokenReceiver* receiver = nullptr;
};

/// A message about views that is on its way to a node.
struct ViewOut {
    NodeId to = 0;
    std::shared_ptr<const std::vector<wire::ViewMessage>> parts{};
    std::size_t gone = 0;  ///< of them
};

/// What an NIU knows about the nodes that it exchanges tokens with: a few of all.
struct TokenNodes {
    explicit TokenNodes(const Options& options)
        : places(options.nodes.size(), kNowhere), known(options.macs ? options.macs->data() : nullptr) {}

    /// nullptr for a node that is elsewhere.
    TokenReceiver* receiver(NodeId node) const noexcept {
        for (const TokenNode& its : here)
            if (its.node == node) return its.receiver;
        return nullptr;
    }
    /// Who plays that token manager; all others play themselves.
    NodeId player(NodeId node) const noexcept { return players.empty() ? node : players[node]; }
    void set_player(NodeId manager, NodeId player) {
        if (players.empty() && player == manager) return;
        for (std::size_t node = players.size(); node < places.size(); ++node)
            players.push_back(static_cast<NodeId>(node));
        players[manager] = player;
    }

    /// The Ethernet address that a node was heard from, or is known to have; or that of all.
    const wire::MacAddress& mac(NodeId node) const noexcept {
        return places[node] == kNowhere && known != nullptr ? known[node] : macs[places[node]];
    }
    void heard(NodeId node, const std::uint8_t* from) noexcept {
        if (places[node] == kNowhere) [[unlikely]] {
            places[node] = static_cast<NodeId>(macs.size());
            macs.emplace_back();
        }
        std::copy_n(from, wire::MacAddress{}.size(), macs[places[node]].begin());
    }

    static constexpr NodeId kNowhere = 0;

    std::vector<TokenNode> here{};
    std::vector<NodeId> players{};  ///< by node; none as long as all play themselves
    std::vector<NodeId> places;     ///< of each node among those that were heard
    std::vector<wire::MacAddress> macs{wire::kBroadcastMac};
    const wire::MacAddress* known;  ///< by node; or nullptr
    std::vector<NodeId> beside{};   ///< those here, but for the NIU's own
    std::vector<OwnToken> own{};    ///< on their way
    ViewReceiver* views = nullptr;
    std::map<NodeId, wire::ViewParts> view_parts{};                   ///< of each node that was heard
    wire::ViewMessage said{};                                         ///< last; mostly to many
    std::shared_ptr<const std::vector<wire::ViewMessage>> said_in{};  ///< these parts
    std::deque<ViewOut> views_out{};
};

}  // namespace isoplane::niu
