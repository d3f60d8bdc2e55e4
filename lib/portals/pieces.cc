// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/portals/pieces.hh>

#include <cstring>
#include <functional>
#include <vector>

namespace isoplane::portals {

namespace {

using Bytes = std::span<std::byte>;

bool overlap(Bytes a, Bytes b) {
    const std::less<> before;
    return before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

bool overlap(const Pieces& a, const Pieces& b) {
    bool any = false;
    a.for_each([&](Bytes in_a) { b.for_each([&](Bytes in_b) { any = any || overlap(in_a, in_b); }); });
    return any;
}

}  // namespace

void copy(const Pieces& to, std::span<const std::byte> from) noexcept {
    to.sub(0, from.size()).for_each([&from](Bytes piece) {
        std::memmove(piece.data(), from.data(), piece.size());
        from = from.subspan(piece.size());
    });
}

void copy(Bytes to, const Pieces& from) noexcept {
    from.for_each([&to](Bytes piece) {
        std::memmove(to.data(), piece.data(), piece.size());
        to = to.subspan(piece.size());
    });
}

void copy(const Pieces& to, const Pieces& from) {
    const Pieces target = to.sub(0, from.length);
    // What is in one piece at both ends memmove does right however it lies.
    if ((target.segments.size() > 1 || from.segments.size() > 1) && overlap(target, from)) {
        std::vector<std::byte> between(static_cast<std::size_t>(from.length));
        copy(between, from);
        copy(target, between);
        return;
    }
    Size at = 0;
    from.for_each([&](Bytes piece) {
        copy(target.sub(at, piece.size()), piece);
        at += piece.size();
    });
}

}  // namespace isoplane::portals
