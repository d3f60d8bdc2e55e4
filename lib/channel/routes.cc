// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <charconv>
#include <fstream>
#include <isoplane/channel/routes.hh>
#include <sstream>
#include <stdexcept>

namespace isoplane::channel {

namespace {

std::optional<std::size_t> number_in(const std::string& text) {
    std::size_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    if (text.empty() || error != std::errc{} || stopped != end) return std::nullopt;
    return number;
}

std::size_t node_named(const std::string& word, const std::vector<std::string>& names) {
    const auto found = std::find(names.begin(), names.end(), word);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    return number_in(word).value_or(names.size());
}

}  // namespace

Routes::Routes(NodeId node, std::size_t nodes) : node_(node), nodes_(nodes) {
    clear();
}

void Routes::clear() {
    routes_.assign(1, std::nullopt);
    if (nodes_ == 2) routes_[0] = static_cast<NodeId>(1 - node_);
}

bool Routes::set(RouteId id, NodeId to) {
    if (id == 0 || id >= kMost || to >= nodes_) return false;
    if (id >= routes_.size()) routes_.resize(id + std::size_t{1});
    routes_[id] = to;
    return true;
}

std::optional<RouteId> Routes::add(NodeId to) {
    const auto free = std::find(routes_.begin() + 1, routes_.end(), std::nullopt);
    const auto id = static_cast<RouteId>(free - routes_.begin());
    return set(id, to) ? std::optional(id) : std::nullopt;
}

void Routes::load(const std::string& file, const std::vector<std::string>& names) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error("cannot read the route file " + file + "; see that it is there");
    std::string line;
    for (unsigned row = 1; std::getline(in, line); ++row) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::string id;
        std::string node;
        std::string more;
        if (!(words >> id)) continue;
        const std::string where = file + ", line " + std::to_string(row) + ": ";
        if (!(words >> node) || words >> more)
            throw std::runtime_error(where + "a route is two words, its number and a node, as in '1 host2'");
        const std::size_t number = number_in(id).value_or(0);
        if (number == 0 || number >= kMost)
            throw std::runtime_error(where + "'" + id + "' is no number of a route; give one from 1 to " +
                                     std::to_string(kMost - 1));
        const std::size_t to = node_named(node, names);
        if (to >= nodes_)
            throw std::runtime_error(where + "there is no node '" + node +
                                     "'; give a name, or a number below " + std::to_string(nodes_));
        set(static_cast<RouteId>(number), static_cast<NodeId>(to));
    }
}

}  // namespace isoplane::channel
