// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "side.hh"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <thread>

namespace isoplane::perf {

namespace {

/// Enough for the queues of any link, three windows of an NIU and the caches of two lcores; few enough that a
/// stream does not walk through memory for its own sake.
constexpr unsigned kPackets = 8191;

constexpr std::chrono::seconds kComingUp{10};

}  // namespace

bool joins_itself(const std::string& kind) {
    return kind == "ring" || kind == "virtio" || kind == "memif";
}

Sides::Sides(const std::vector<link::LinkSpec>& specs, unsigned mtu) : sides_(specs.size()) {
    for (std::size_t i = 0; i < sides_.size(); ++i) {
        const std::string name(1, static_cast<char>('a' + i));
        const link::LinkSpec& other = specs[i ^ 1];
        link::LinkSpec spec = specs[i];
        if (spec.kind == "ring" && other.kind == "ring" && spec.target == other.target)
            spec.options.emplace("end", i % 2 == 0 ? "a" : "b");
        sides_[i].pool =
            std::make_unique<runtime::Pool>("packets_" + name, kPackets, runtime::Pool::room_for(mtu));
        sides_[i].link = link::open_link(spec, "link_" + name, {.pool = sides_[i].pool.get(), .mtu = mtu});
    }
    for (Side& side : sides_)
        side.link->start();
    await_up();
}

void Sides::await_up() {
    const auto deadline = std::chrono::steady_clock::now() + kComingUp;
    for (const Side& side : sides_) {
        while (!side.link->up()) {
            if (std::chrono::steady_clock::now() >= deadline) {
                throw std::runtime_error("the link '" + side.link->spec().text + "' is not up after " +
                                         std::to_string(kComingUp.count()) +
                                         " s; the two links of a pair have to be joined to each other");
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
}

std::vector<std::string> Sides::close() {
    for (Side& side : sides_) {
        if (side.link) side.link->stop();
    }
    for (Side& side : sides_)
        side.link.reset();
    std::vector<std::string> failures;
    for (Side& side : sides_) {
        if (side.pool && side.pool->in_use() != 0) {
            failures.push_back(std::to_string(side.pool->in_use()) + " of " +
                               std::to_string(side.pool->size()) + " packets did not come back to the pool");
        }
        side.pool.reset();
    }
    return failures;
}

PairOfSpecs::PairOfSpecs(const std::string& text, const std::string& ring) {
    std::string exact = text;
    if (text == "ring") {
        exact = "ring:" + ring;
    } else if (joins_itself(text)) {
        std::string pattern = std::filesystem::temp_directory_path() / "isoplane-perf-XXXXXX";
        if (mkdtemp(pattern.data()) == nullptr)
            throw std::runtime_error("no directory for the link's socket can be made in '" +
                                     std::filesystem::temp_directory_path().string() +
                                     "'; choose another with TMPDIR");
        directory_ = pattern;
        exact = text + ":" + directory_ + "/wire";
    }
    specs_ = link::parse_links(exact);
    if (specs_.size() == 1 && joins_itself(specs_[0].kind)) specs_.push_back(specs_[0]);
    if (specs_.size() != 2) {
        throw std::invalid_argument("--link " + text + " names " + std::to_string(specs_.size()) +
                                    (specs_.size() == 1 ? " link" : " links") +
                                    "; a pair is two, or ring, virtio or memif for both ends of one wire");
    }
}

PairOfSpecs::~PairOfSpecs() {
    std::error_code ignored;
    if (!directory_.empty()) std::filesystem::remove_all(directory_, ignored);
}

}  // namespace isoplane::perf
