// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <isoplane/niu/options.hh>
#include <memory>
#include <new>
#include <span>

namespace isoplane::isotach {

using niu::NodeId;

/// The data of a message that does not fit a frame, in one piece: where it was written at its sender, and
/// where it is put together at its receiver.
///
/// Belongs to whoever has an isochron or a delivery of it; its references are counted, by one thread at a
/// time.
class Payload {
  public:
    struct LetGo {
        void operator()(Payload* payload) const noexcept { payload->let_go(); }
    };
    using Handle = std::unique_ptr<Payload, LetGo>;

    static constexpr NodeId kHere = UINT16_MAX;

    /// To be written, of a message of this host. Nothing when there is no memory.
    static Handle make(std::uint32_t size) noexcept {
        Handle payload = expect(kHere, size);
        if (payload && !payload->allocate()) payload.reset();
        if (payload) payload->here_ = size;
        return payload;
    }
    /// Of a message from that host, of which nothing is here yet.
    static Handle expect(NodeId from, std::uint32_t size) noexcept {
        return Handle(new (std::nothrow) Payload(from, size));
    }

    /// Memory for it, unless there is some already. False when there is none.
    bool allocate() noexcept {
        if (!data_) data_.reset(new (std::nothrow) std::byte[size_]);
        return data_ != nullptr;
    }
    bool allocated() const noexcept { return data_ != nullptr; }
    std::span<std::byte> bytes() const noexcept { return {data_.get(), size_}; }

    /// So much more of it is here.
    void came(std::size_t bytes) noexcept { here_ += static_cast<std::uint32_t>(bytes); }
    std::uint32_t here() const noexcept { return here_; }
    bool complete() const noexcept { return here_ == size_; }

    /// kHere for a message of this host.
    NodeId from() const noexcept { return from_; }
    std::uint32_t size() const noexcept { return size_; }

    Handle share() noexcept {
        ++references_;
        return Handle(this);
    }
    void let_go() noexcept {
        if (--references_ == 0) delete this;
    }

  private:
    Payload(NodeId from, std::uint32_t size) : from_(from), size_(size) {}

    std::unique_ptr<std::byte[]> data_;
    std::uint32_t references_ = 1;
    NodeId from_;
    std::uint32_t size_;
    std::uint32_t here_ = 0;
};

}  // namespace isoplane::isotach
