// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <cassert>
#include <functional>
#include <iterator>
#include <utility>

#include <isoplane/wire/crc32c.hh>
#include <isoplane/wire/frame.hh>
#include <isoplane/wire/hello.hh>
#include <isoplane/wire/view_parts.hh>

namespace isoplane::wire {

namespace {

static_assert(kMinMtu >= kHeaderSize + kViewSize + kMemberSize);

std::size_t size_of(const ViewMessage& message) {
    return view_size(message.doubts.size(), message.next.members.size());
}

template <typename Nodes, typename Projection = std::identity>
bool is_ascending(const Nodes& nodes, Projection node = {}) {
    return std::ranges::adjacent_find(nodes, std::greater_equal{}, node) == nodes.end();
}

std::uint32_t digest_of(const ViewMessage& whole) {
    std::vector<std::byte> bytes(size_of(whole));
    encode_view(bytes, whole);
    return crc32c(bytes);
}

/// As many of `from` as fit, from `first` on, which is moved behind them.
template <typename Node>
std::vector<Node> take(const std::vector<Node>& from, std::size_t& first, std::size_t fit) {
    const std::size_t n = std::min(from.size() - first, fit);
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first);
    first += n;
    return {begin, begin + static_cast<std::ptrdiff_t>(n)};
}

template <typename Node>
void append(std::vector<Node>& to, const std::vector<Node>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

/// All that is in the parts. Nothing when they are no message together: the checksum is of others, or of
/// other nodes.
std::optional<ViewMessage> joined(const std::map<std::uint16_t, ViewMessage>& parts) {
    ViewMessage whole = parts.begin()->second;
    for (auto part = std::next(parts.begin()); part != parts.end(); ++part) {
        append(whole.doubts, part->second.doubts);
        append(whole.next.members, part->second.next.members);
    }
    const std::uint32_t digest = std::exchange(whole.digest, 0);
    whole.part = whole.last_part = 0;
    const bool in_order = is_ascending(whole.doubts) && is_ascending(whole.next.members, &Member::node);
    if (!in_order || digest_of(whole) != digest) return std::nullopt;
    return whole;
}

}  // namespace

std::vector<ViewMessage> parts_of(const ViewMessage& whole, std::size_t room) {
    assert(room >= view_size(0, 1));
    if (size_of(whole) <= room) return {whole};
    ViewMessage head = whole;
    head.doubts.clear();
    head.next.members.clear();
    head.digest = digest_of(whole);
    std::vector<ViewMessage> parts;
    for (std::size_t doubt = 0, member = 0;
         doubt < whole.doubts.size() || member < whole.next.members.size();) {
        ViewMessage& part = parts.emplace_back(head);
        const std::size_t left = room - kViewSize;
        part.doubts = take(whole.doubts, doubt, left / kDoubtSize);
        part.next.members =
            take(whole.next.members, member, (left - part.doubts.size() * kDoubtSize) / kMemberSize);
        part.part = static_cast<std::uint16_t>(parts.size() - 1);
    }
    for (ViewMessage& part : parts)
        part.last_part = parts.back().part;
    return parts;
}

std::optional<ViewMessage> ViewParts::add(std::uint32_t epoch, ViewMessage part) {
    if (part.last_part == 0) return part;
    const auto same = [&](const ViewMessage& other) {
        return other.digest == part.digest && other.last_part == part.last_part;
    };
    if (epoch != epoch_ || (!parts_.empty() && !same(parts_.begin()->second))) parts_.clear();
    epoch_ = epoch;
    const std::size_t all = std::size_t{part.last_part} + 1;
    parts_.insert_or_assign(part.part, std::move(part));
    if (parts_.size() < all) return std::nullopt;
    return joined(std::exchange(parts_, {}));
}

}  // namespace isoplane::wire
