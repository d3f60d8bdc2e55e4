// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <isoplane/auth/gate.hh>
#include <isoplane/niu/niu.hh>

#include <isoplane/runtime/time.hh>

namespace isoplane::perf {

/// One end of the NIU, as an application that polls for itself uses it.
class NiuEnd {
  public:
    static constexpr bool kKeepsContent = true;

    /// `node` is 0 or 1, and the other end the other.
    NiuEnd(runtime::Input& from, runtime::Output& to, runtime::Pool& pool, niu::Options options)
        : peer_(static_cast<niu::NodeId>(1 - options.node)),
          niu_("niu", from, to, pool, std::move(options)) {}
    /// The same behind a gate.
    NiuEnd(std::unique_ptr<auth::Gate> gate, runtime::Pool& pool, niu::Options options)
        : NiuEnd(gate->input(), gate->output(), pool, std::move(options)) {
        gate_ = std::move(gate);
    }

    bool ready() noexcept {
        poll();
        return niu_.all_up();
    }
    void begin(std::size_t /*size*/) noexcept {
        for (niu::Received part; niu_.receive(part);)
            niu_.release(part);
    }

    bool send(std::span<const std::byte> message) noexcept {
        return niu_.transfer(peer_, wire::Protocol::kNoniso, message);
    }

    bool poll() noexcept { return niu_.poll(clock_.now()) > 0; }

    bool receive(std::span<std::byte> room) noexcept {
        for (niu::Received part; niu_.receive(part);) {
            std::copy(part.data.begin(), part.data.end(), room.begin() + part.offset);
            const bool last = part.offset + part.data.size() == part.size;
            niu_.release(part);
            if (last) return true;
        }
        return false;
    }

    bool settled() noexcept { return niu_.peer(peer_).sent_all(); }

  private:
    std::unique_ptr<auth::Gate> gate_;
    niu::NodeId peer_;
    runtime::TscClock clock_;
    niu::Niu niu_;
};

}  // namespace isoplane::perf
