// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <charconv>
#include <isoplane/link/kind.hh>
#include <isoplane/link/spec.hh>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace isoplane::link {

namespace {

/// How many letters must be put in, taken out or changed to make one word of the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

/// "; did you mean 'X'?" when one of `words` is close to `word`.
std::string suggestion(std::string_view word, const std::vector<std::string_view>& words) {
    const auto nearest = std::ranges::min_element(words, {}, [&](auto w) { return edit_distance(word, w); });
    if (nearest == words.end() || edit_distance(word, *nearest) > 2) return {};
    return "; did you mean '" + std::string(*nearest) + "'?";
}

std::string joined(const std::vector<std::string_view>& words) {
    std::string all;
    for (std::string_view word : words)
        all += (all.empty() ? "" : ", ") + std::string(word);
    return all;
}

std::vector<std::string_view> kind_names() {
    std::vector<std::string_view> names;
    for (const LinkKind& kind : link_kinds())
        names.push_back(kind.name);
    return names;
}

std::vector<std::string_view> option_names(const LinkKind& kind) {
    std::vector<std::string_view> names;
    for (const LinkOption& option : kind.options)
        names.push_back(option.key);
    return names;
}

std::string usage(const LinkKind& kind) {
    return std::string(kind.name) + ":" + std::string(kind.target);
}

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> pieces;
    for (std::size_t comma; (comma = text.find(',')) != text.npos; text.remove_prefix(comma + 1))
        pieces.push_back(text.substr(0, comma));
    pieces.push_back(text);
    return pieces;
}

/// `key=...` with a key made of letters; a path that looks like one can be written `./key=...`.
bool is_option(std::string_view piece) {
    const std::size_t equals = piece.find('=');
    return equals != piece.npos && equals > 0 && std::ranges::all_of(piece.substr(0, equals), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
           });
}

const LinkKind& kind_of(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const LinkKind* kind = find_kind(name);
    if (kind == nullptr) {
        throw std::invalid_argument("'" + std::string(text) + "' names no link: '" + std::string(name) +
                                    "' is not a kind of link (" + joined(kind_names()) + ")" +
                                    suggestion(name, kind_names()));
    }
    if (colon == text.npos) {
        throw std::invalid_argument("'" + std::string(text) +
                                    "' lacks the colon after the kind of link; write it as " + usage(*kind));
    }
    return *kind;
}

void add_option(LinkSpec& spec, const LinkKind& kind, std::string_view piece) {
    const std::size_t equals = piece.find('=');
    const std::string_view key = piece.substr(0, equals);
    if (std::ranges::find(kind.options, key, &LinkOption::key) == kind.options.end()) {
        const auto known = option_names(kind);
        throw std::invalid_argument("'" + spec.text + "': links of kind " + spec.kind + " have no option '" +
                                    std::string(key) + "' (" +
                                    (known.empty() ? "they have none" : "there is " + joined(known)) + ")" +
                                    suggestion(key, known));
    }
    if (!spec.options.emplace(key, piece.substr(equals + 1)).second)
        throw std::invalid_argument("'" + spec.text + "' gives the option '" + std::string(key) + "' twice");
}

void add_target(LinkSpec& spec, const LinkKind& kind, std::string_view piece, bool first) {
    const bool pair = kind.target.find(',') != kind.target.npos;
    const bool second = pair && spec.target.find(',') == spec.target.npos;
    if (kind.target.empty() ? !piece.empty() : !first && !second) {
        throw std::invalid_argument("'" + spec.text + "': '" + std::string(piece) +
                                    "' is neither an option of " + spec.kind +
                                    " links (KEY=VALUE) nor the start of another link; a link of " +
                                    "this kind is written " + usage(kind));
    }
    if (!first && second) spec.target += ",";
    spec.target += piece;
}

}  // namespace

LinkSpec LinkSpec::parse(std::string_view text) {
    const LinkKind& kind = kind_of(text);
    LinkSpec spec{.kind = std::string(kind.name), .target = {}, .options = {}, .text = std::string(text)};
    bool first = true;
    for (std::string_view piece : split(text.substr(text.find(':') + 1))) {
        if (is_option(piece) && (!first || kind.target.empty()))
            add_option(spec, kind, piece);
        else
            add_target(spec, kind, piece, first);
        first = false;
    }
    if (!kind.target.empty() && (spec.target.empty() || spec.target == ",")) {
        throw std::invalid_argument("'" + spec.text +
                                    "' does not say which: a link of this kind is written " + usage(kind));
    }
    return spec;
}

std::string LinkSpec::option(const std::string& key, const std::string& otherwise) const {
    const auto found = options.find(key);
    return found == options.end() ? otherwise : found->second;
}

unsigned LinkSpec::number(const std::string& key, unsigned otherwise, unsigned least, unsigned most) const {
    const auto found = options.find(key);
    if (found == options.end()) return otherwise;
    const std::string& value = found->second;
    unsigned number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || end != value.data() + value.size() || number < least || number > most) {
        throw std::invalid_argument("'" + text + "': " + key + "=" + value + " is not a whole number from " +
                                    std::to_string(least) + " to " + std::to_string(most));
    }
    return number;
}

std::vector<LinkSpec> parse_links(std::string_view list) {
    std::vector<LinkSpec> specs;
    std::size_t start = 0;
    for (std::size_t comma = list.find(','); comma != list.npos; comma = list.find(',', comma + 1)) {
        const std::string_view rest = list.substr(comma + 1);
        const std::size_t colon = rest.find(':');
        if (colon == rest.npos || find_kind(rest.substr(0, colon)) == nullptr) continue;
        specs.push_back(LinkSpec::parse(list.substr(start, comma - start)));
        start = comma + 1;
    }
    specs.push_back(LinkSpec::parse(list.substr(start)));
    return specs;
}

}  // namespace isoplane::link
