// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/shmem_map.hh>

#include <algorithm>
#include <numeric>
#include <utility>

#include "text.hh"

namespace isoplane::topology {

class ShmemMapReader {
  public:
    ShmemMapReader(std::string_view text, std::string_view file, const ShmemMapRules& rules)
        : lines_(text, file), rules_(rules) {
        if (rules.pages == 0)
            lines_.refuse({}, "a shared memory of 0 pages is asked for: give it 1 page or more");
    }

    ShmemMap read() {
        while (lines_.next())
            read_entry();
        return sorted();
    }

  private:
    void read_entry();
    std::uint32_t read_page(std::string_view word) const;
    NodeId read_node(std::string_view word) const;
    NodeId named_node(std::string_view word) const;
    std::vector<NodeId> read_nodes(Cursor& cursor) const;
    void expect(Cursor& cursor, char c, std::string_view after) const;
    ShmemMap sorted() const;

    Lines lines_;
    ShmemMapRules rules_;
    std::vector<Copyset> runs_;
    std::vector<Position> places_;  ///< of runs_
    std::vector<std::uint32_t>
        listed_on_;  ///< by node: the last line that lists it, so that doubles are seen
};

void ShmemMapReader::expect(Cursor& cursor, char c, std::string_view after) const {
    if (cursor.take(c)) return;
    const std::string_view rest = cursor.rest();
    const std::string found = rest.empty() ? "the line ends" : quote(rest.substr(0, 1)) + " stands";
    lines_.refuse(lines_.at(rest), found + " where '" + c + "' was expected after " + std::string(after) +
                                       ": write an entry as PAGE: NODE, NODE; or PAGE-PAGE: NODE, NODE;");
}

std::uint32_t ShmemMapReader::read_page(std::string_view word) const {
    const auto page = parse_number<std::uint32_t>(word);
    if (!page)
        lines_.refuse(lines_.at(word), quote(word) + " stands for a page; a number from 0 to " +
                                           std::to_string(rules_.pages - 1) + " was expected: write one");
    if (*page >= rules_.pages)
        lines_.refuse(lines_.at(word), "page " + std::to_string(*page) +
                                           " is beyond the shared memory, which has " +
                                           count(rules_.pages, "page") +
                                           ", counted from 0: use a lower one, or "
                                           "make the memory larger");
    return *page;
}

NodeId ShmemMapReader::named_node(std::string_view word) const {
    if (const std::string fault = word.empty() ? "no node stands here; a node id or the name of a host was "
                                                 "expected: write one"
                                               : name_fault(word);
        !fault.empty())
        lines_.refuse(lines_.at(word), fault);
    if (rules_.topology == nullptr)
        lines_.refuse(lines_.at(word), "host " + quote(word) +
                                           " is named, but without a topology no names are "
                                           "known: write its node id, or give a topology too");
    const auto node = rules_.topology->find(word);
    if (!node)
        lines_.refuse(lines_.at(word), "no host of the network is called " + quote(word) +
                                           ": write a name from the topology, or a node id");
    return *node;
}

NodeId ShmemMapReader::read_node(std::string_view word) const {
    const bool is_number = all_digits(word);
    const std::size_t hosts = rules_.topology ? rules_.topology->host_count() : kMaxNodes;
    const std::size_t node =
        is_number ? parse_number<std::size_t>(word).value_or(hosts) : std::size_t{named_node(word)};
    if (node >= hosts)
        lines_.refuse(
            lines_.at(word),
            is_number ? "node " + quote(word) + " is not there; hosts are nodes 0 to " +
                            std::to_string(hosts - 1) + ": write one of these"
                      : quote(word) + " is a token manager, which holds no pages: write the name of a host");
    return static_cast<NodeId>(node);
}

std::vector<NodeId> ShmemMapReader::read_nodes(Cursor& cursor) const {
    std::vector<std::pair<NodeId, std::string_view>> words;
    do {
        const std::string_view word = cursor.word(",;:");
        words.emplace_back(read_node(word), word);
    } while (cursor.take(','));
    std::stable_sort(words.begin(), words.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<NodeId> nodes;
    for (const auto& [node, word] : words) {
        if (!nodes.empty() && nodes.back() == node)
            lines_.refuse(lines_.at(word),
                          "node " + quote(word) + " stands twice in this copyset: remove one");
        nodes.push_back(node);
    }
    return nodes;
}

void ShmemMapReader::read_entry() {
    Cursor cursor(lines_.text());
    Copyset run;
    run.first = run.last = read_page(cursor.word("-:,;"));
    if (cursor.take('-')) {
        const std::string_view word = cursor.word("-:,;");
        run.last = read_page(word);
        if (run.last < run.first)
            lines_.refuse(lines_.at(word), "the pages run from " + std::to_string(run.first) + " down to " +
                                               std::to_string(run.last) + ": write the lower page first");
    }
    expect(cursor, ':', "the pages");
    run.nodes = read_nodes(cursor);
    expect(cursor, ';', "the nodes");
    if (!cursor.rest().empty())
        lines_.refuse(lines_.at(cursor.rest()), quote(cursor.rest()) +
                                                    " follows the ';' that ends the entry: write "
                                                    "the next entry on a line of its own");
    runs_.push_back(std::move(run));
    places_.push_back(lines_.at());
}

ShmemMap ShmemMapReader::sorted() const {
    std::vector<std::size_t> order(runs_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return runs_[a].first < runs_[b].first; });
    ShmemMap map;
    map.runs_.reserve(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i > 0 && runs_[order[i]].first <= runs_[order[i - 1]].last) {
            const auto [earlier, later] = std::minmax(order[i - 1], order[i]);
            lines_.refuse(places_[later], "page " + std::to_string(runs_[order[i]].first) +
                                              " is in this entry and in that of line " +
                                              std::to_string(places_[earlier].line) +
                                              ": a page has one copyset, so name it once");
        }
        map.runs_.push_back(runs_[order[i]]);
    }
    return map;
}

std::span<const NodeId> ShmemMap::copyset(std::uint32_t page) const {
    const auto run = std::partition_point(runs_.begin(), runs_.end(),
                                          [page](const Copyset& set) { return set.last < page; });
    if (run == runs_.end() || run->first > page) return {};
    return run->nodes;
}

std::optional<NodeId> ShmemMap::nearest_copy(std::uint32_t page, NodeId host, const Paths& paths) const {
    std::optional<NodeId> best;
    std::uint32_t fewest = 0;
    for (const NodeId node : copyset(page)) {
        const std::uint32_t hops = node == host ? 0 : paths.token_hops(host, node);
        if (best && hops >= fewest) continue;
        best = node;
        fewest = hops;
    }
    return best;
}

ShmemMap parse_shmem_map(std::string_view text, std::string_view file, const ShmemMapRules& rules) {
    return ShmemMapReader(text, file, rules).read();
}

ShmemMap load_shmem_map(const std::string& path, const ShmemMapRules& rules) {
    return parse_shmem_map(read_file(path), path, rules);
}

std::string write_shmem_map(const ShmemMap& map) {
    std::string text = "# pages: the nodes with a copy\n";
    for (const Copyset& run : map.runs()) {
        text += std::to_string(run.first);
        if (run.last != run.first) text += "-" + std::to_string(run.last);
        char separator = ':';
        for (const NodeId node : run.nodes) {
            text += separator + std::string(" ") + std::to_string(node);
            separator = ',';
        }
        text += ";\n";
    }
    return text;
}

}  // namespace isoplane::topology
