// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace isoplane::link {

/// What a user wrote to name a link: `KIND:TARGET[,KEY=VALUE...]`, for example `virtio:/tmp/s,side=vhost`.
/// `link_kinds()` says which kinds there are, what their targets are and which options they take.
struct LinkSpec {
    std::string kind;
    std::string target;
    std::map<std::string, std::string> options;
    std::string text;  ///< as it was written

    /// Throws std::invalid_argument when the kind or an option is unknown or the target is missing.
    static LinkSpec parse(std::string_view text);

    /// The option's value, or `otherwise` when it was not given.
    std::string option(const std::string& key, const std::string& otherwise = {}) const;
    /// The same for a whole number. Throws std::invalid_argument unless it is one between `least` and `most`.
    unsigned number(const std::string& key, unsigned otherwise, unsigned least, unsigned most) const;
};

/// Several specs, separated by commas: a comma starts a new one when what follows begins with a known
/// `kind:`, otherwise it belongs to the spec before it (`pcap:IN,OUT`, options). Throws as parse() does.
std::vector<LinkSpec> parse_links(std::string_view list);

}  // namespace isoplane::link
