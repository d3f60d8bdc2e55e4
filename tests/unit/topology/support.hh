// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <isoplane/topology/error.hh>
#include <isoplane/topology/topology.hh>

namespace isoplane::topology::test {

/// What `action` is refused with, place and all; "accepted" when it is not.
template <typename Action>
std::string refusal(Action action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

using Random = std::mt19937;

inline std::size_t below(Random& random, std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
}

inline PortSpec link_to(std::uint32_t number) {
    return {PortKind::kLink, {}, number, {}};
}

/// A whole network of up to nine switches: a random tree, further links (cycles and parallel ones among
/// them), hosts anywhere, some token managers named, some ports unused, everything in random order.
inline std::vector<SwitchSpec> random_switches(Random& random) {
    std::vector<SwitchSpec> specs(1 + below(random, 9));
    std::uint32_t number = 0;
    for (SwitchSpec& spec : specs)
        spec.number = number += 1 + static_cast<std::uint32_t>(below(random, 50));
    const auto join = [&](SwitchSpec& a, SwitchSpec& b) {
        a.ports.push_back(link_to(b.number));
        b.ports.push_back(link_to(a.number));
    };
    for (std::size_t i = 1; i < specs.size(); ++i)
        join(specs[i], specs[below(random, i)]);
    for (std::size_t extra = below(random, specs.size() + 1); extra > 0; --extra) {
        const std::size_t a = below(random, specs.size());
        const std::size_t b = below(random, specs.size());
        if (a != b) join(specs[a], specs[b]);
    }
    const std::size_t hosts = 1 + below(random, 12);
    for (std::size_t i = 0; i < hosts; ++i)
        specs[below(random, specs.size())].ports.push_back(
            {PortKind::kHost, "host-" + std::to_string(i), 0, {}});
    for (SwitchSpec& spec : specs) {
        if (below(random, 2) == 0)
            spec.ports.push_back({PortKind::kTokenManager, "tm" + std::to_string(spec.number), 0, {}});
        spec.ports.resize(std::max<std::size_t>(1, spec.ports.size() + below(random, 3)));
        std::shuffle(spec.ports.begin(), spec.ports.end(), random);
    }
    std::shuffle(specs.begin(), specs.end(), random);
    return specs;
}

/// A directory that is gone with its content at the end of the test.
class Directory {
  public:
    Directory() {
        std::string pattern = (std::filesystem::temp_directory_path() / "isoplane-topology-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
        path_ = pattern;
    }
    ~Directory() { std::filesystem::remove_all(path_); }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;

    /// Writes a file and returns its path.
    std::string write(const std::string& name, const std::string& text) const {
        const std::string path = this->path(name);
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }
    std::string path(const std::string& name = {}) const {
        return name.empty() ? path_.string() : (path_ / name).string();
    }

  private:
    std::filesystem::path path_;
};

}  // namespace isoplane::topology::test
