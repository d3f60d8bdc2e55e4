// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <isoplane/runtime/time.hh>
#include <isoplane/wire/ethernet.hh>
#include <isoplane/wire/token.hh>
#include <isoplane/wire/view.hh>
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
    /// Called at the beginning of each poll of the NIU: tokens that go now leave together with what has been
    /// sent since the last poll. Returns how many have gone.
    virtual unsigned before_sending(runtime::Time now) noexcept = 0;
    /// Called while the NIU is polled.
    virtual void on_token(const TokenAddress& address, const wire::TokenView& token) noexcept = 0;
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

/// What an NIU knows about the nodes that it exchanges tokens with.
struct TokenNodes {
    explicit TokenNodes(std::size_t nodes) : receivers(nodes), macs(nodes, wire::kBroadcastMac) {}

    std::vector<TokenReceiver*> receivers;  ///< by node; nullptr for those that are elsewhere
    std::vector<TokenReceiver*> here{};     ///< those that are not
    std::vector<wire::MacAddress> macs;     ///< by node, as heard
    std::vector<NodeId> beside{};           ///< those here, but for the NIU's own
    std::vector<OwnToken> own{};            ///< on their way
    ViewReceiver* views = nullptr;
};

}  // namespace isoplane::niu
