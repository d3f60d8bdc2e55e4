// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <gtest/gtest.h>

#include <isoplane/niu/niu.hh>
#include <vector>

namespace isoplane::test {

using niu::NodeId;

/// A host whose tokens the test writes itself, and that writes down what comes.
class Hand final : public niu::TokenReceiver {
  public:
    struct Came {
        wire::Token token;
        niu::TokenAddress address;
        std::vector<wire::TokenEntry> entries;
    };

    Hand(niu::Niu& niu, NodeId manager) : niu_(niu), manager_(manager) { niu_.attach(node(), this); }
    ~Hand() override { niu_.attach(node(), nullptr); }
    Hand(const Hand&) = delete;
    Hand& operator=(const Hand&) = delete;

    void send(std::uint64_t number, const std::vector<wire::TokenEntry>& entries = {}) {
        send(wire::Token{.number = number}, entries);
    }
    void send(const wire::Token& token, const std::vector<wire::TokenEntry>& entries = {}) {
        const niu::TokenAddress address{
            .from = node(), .to = manager_, .epoch = niu_.options().epoch, .peer_epoch = known_};
        EXPECT_TRUE(niu_.send_token(address, token, entries));
        niu_.push_out();
    }

    unsigned before_sending(runtime::Time /*now*/) noexcept override { return 0; }
    bool on_token(const niu::TokenAddress& address, const wire::TokenView& view) noexcept override {
        Came came{.token = view.token(), .address = address, .entries = {}};
        for (std::size_t i = 0; i < view.size(); ++i)
            came.entries.push_back(view.entry(i));
        all.push_back(came);
        ++frames;
        // Those that came with it are tokens like others.
        came.entries.clear();
        for (unsigned further = came.token.further; further > 0; --further) {
            ++came.token.number;
            --came.token.further;
            all.push_back(came);
        }
        return true;
    }

    /// The numbers of the tokens that have come since this was asked.
    std::vector<std::uint64_t> numbers() {
        std::vector<std::uint64_t> numbers;
        for (; asked_ < all.size(); ++asked_)
            numbers.push_back(all[asked_].token.number);
        return numbers;
    }
    /// The entries of all parts of that token, in the order in which they came.
    std::vector<wire::TokenEntry> entries(std::uint64_t number) const {
        std::vector<wire::TokenEntry> entries;
        for (const Came& came : all) {
            if (came.token.number == number)
                entries.insert(entries.end(), came.entries.begin(), came.entries.end());
        }
        return entries;
    }
    /// Says from now on that this is the life of the token manager it talks to.
    void know(std::uint16_t epoch) { known_ = epoch; }

    std::vector<Came> all;
    unsigned frames = 0;  ///< that they took

  private:
    NodeId node() const { return niu_.options().node; }

    niu::Niu& niu_;
    NodeId manager_;
    std::uint16_t known_ = 0;
    std::size_t asked_ = 0;
};

}  // namespace isoplane::test
