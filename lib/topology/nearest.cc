// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/nearest.hh>

#include <algorithm>
#include <numeric>

namespace isoplane::topology {

namespace {

/// Edits (insert, remove, replace, swap two neighbours) that make one word of the other.
std::size_t edits(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before.swap(last);
        last.swap(row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = a[i - 1] == b[j - 1];
            row[j] = std::min({last[j - 1] + (same ? 0 : 1), last[j] + 1, row[j - 1] + 1});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row.back();
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
    constexpr std::size_t kLongest = 64;  // beyond it, the words are no typing mistake of each other
    if (word.size() > kLongest) return {};
    std::string best;
    std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string& candidate : known) {
        if (candidate.size() > kLongest) continue;
        const bool begun = word.size() > 2 && candidate.starts_with(word);
        const std::size_t n = begun ? 1 : edits(word, candidate);
        if (n < fewest) {
            fewest = n;
            best = candidate;
        }
    }
    return best;
}

}  // namespace isoplane::topology
