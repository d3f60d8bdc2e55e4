// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <isoplane/fabric/random.hh>
#include <span>
#include <vector>

namespace isoplane::test {

/// How much the nodes of one seed have to say. Most seeds are brief, so that there can be thousands of them:
/// what goes wrong mostly does where something starts, stops or is lost. A few are long, and have messages
/// that take many windows.
struct Traffic {
    std::uint64_t messages = 0;  ///< from each node to each other
    unsigned huge = 0;           ///< of a thousand messages: up to 1 MB
    unsigned large = 0;          ///< up to 64 KB
    unsigned medium = 0;         ///< up to 8 KB; the others up to 256 bytes

    static Traffic of(fabric::Random& random) {
        const std::uint64_t kind = random.below(100);
        if (kind < 5) return {10 + random.below(60), 5, 15, 130};
        if (kind < 25) return {10 + random.below(60), 0, 15, 130};
        return {3 + random.below(12), 0, 1, 30};
    }
};

/// The content of message `number` from one node to another: both ends know it without being told. It is a
/// part of one long noise, from where the number says, so that it is copied and compared at the speed of
/// memory, and nothing of it looks like the same message a little further on.
class Script {
  public:
    Script(const Traffic& traffic, std::uint64_t seed, unsigned from, unsigned to)
        : traffic_(traffic), draws_(seed, 1000 + 64 * from + to) {}

    /// From nothing to the most of its kind.
    std::size_t size(std::uint64_t number) const {
        const std::uint64_t kind = fabric::Draws::below(draws_.at(2 * number), 1000);
        const std::size_t most = kind < traffic_.huge                                      ? kHuge
                                 : kind < traffic_.huge + traffic_.large                   ? 1U << 16
                                 : kind < traffic_.huge + traffic_.large + traffic_.medium ? 8192U
                                                                                           : 256U;
        return fabric::Draws::below(draws_.at(2 * number + 1), most + 1);
    }
    void write(std::uint64_t number, std::span<std::byte> out) const {
        std::copy_n(content(number), out.size(), out.begin());
    }
    bool matches(std::uint64_t number, std::size_t offset, std::span<const std::byte> data) const {
        return data.empty() || std::memcmp(content(number) + offset, data.data(), data.size()) == 0;
    }

  private:
    static constexpr std::size_t kHuge = 1 << 20;
    static constexpr std::size_t kStarts = 1 << 16;

    const std::byte* content(std::uint64_t number) const {
        return noise().data() + fabric::Draws::below(draws_.at(2 * number + 1) * 0x9e3779b97f4a7c15, kStarts);
    }
    static const std::vector<std::byte>& noise() {
        static const std::vector<std::byte> made = [] {
            std::vector<std::byte> bytes(kStarts + kHuge);
            fabric::Random random(0, 0);
            for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
                const std::uint64_t word = random.next();
                std::memcpy(bytes.data() + i, &word, sizeof word);
            }
            return bytes;
        }();
        return made;
    }

    Traffic traffic_;
    fabric::Draws draws_;
};

}  // namespace isoplane::test
