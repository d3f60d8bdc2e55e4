// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <cassert>

#include <isoplane/wire/hello.hh>

namespace isoplane::wire {
namespace {

/// Names reach terminals and logs, so control characters are refused here, once.
bool is_printable(std::string_view name) {
    return std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

std::size_t encode_hello(std::span<std::byte> out, const Hello& hello) {
    assert(hello.name.size() <= kMaxNameSize && out.size() >= kHelloSize + hello.name.size());
    std::byte* at = out.data();
    hello_layout::Roles::put(at, hello.roles);
    hello_layout::Features::put(at, hello.features);
    hello_layout::Mtu::put(at, hello.mtu);
    hello_layout::Credit::put(at, hello.credit);
    hello_layout::BuildId::put(at, hello.build_id);
    hello_layout::NameSize::put(at, static_cast<std::uint8_t>(hello.name.size()));
    std::ranges::copy(std::as_bytes(std::span(hello.name)), at + kHelloSize);
    return kHelloSize + hello.name.size();
}

std::optional<Hello> decode_hello(std::span<const std::byte> payload) {
    if (payload.size() < kHelloSize) return std::nullopt;
    const std::byte* in = payload.data();
    const std::size_t name_size = hello_layout::NameSize::get(in);
    if (name_size > kMaxNameSize || payload.size() != kHelloSize + name_size) return std::nullopt;

    const Hello hello{.roles = hello_layout::Roles::get(in),
                      .features = hello_layout::Features::get(in),
                      .mtu = hello_layout::Mtu::get(in),
                      .credit = hello_layout::Credit::get(in),
                      .build_id = hello_layout::BuildId::get(in),
                      .name = {reinterpret_cast<const char*>(in) + kHelloSize, name_size}};
    if ((hello.roles & ~kKnownRoles) != 0 || (hello.features & ~kKnownFeatures) != 0 || hello.mtu < kMinMtu ||
        !is_printable(hello.name))
        return std::nullopt;
    return hello;
}

}  // namespace isoplane::wire
