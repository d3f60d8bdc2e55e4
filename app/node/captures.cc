// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "captures.hh"

#include <algorithm>
#include <charconv>
#include <isoplane/runtime/overwrite.hh>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

namespace isoplane::node {

namespace {

constexpr std::uint64_t kLeastFile = 4096;
constexpr unsigned kMostFiles = 10000;
constexpr const char* kNone = "none";

bool read_number(std::string_view text, std::uint64_t& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}

/// "500K", "10M", "2G".
std::uint64_t parse_file_size(const std::string& word) {
    const std::map<char, unsigned> shifts{{'K', 10}, {'M', 20}, {'G', 30}};
    std::uint64_t size = 0;
    const auto unit = word.empty() ? shifts.end() : shifts.find(word.back());
    const std::string_view digits(word.data(), word.size() - (unit == shifts.end() ? 0 : 1));
    const bool read = read_number(digits, size) && size < (std::uint64_t{1} << 30);
    if (read && unit != shifts.end()) size <<= unit->second;
    if (!read || size < kLeastFile)
        throw std::invalid_argument("'" + word +
                                    "' is no size of a file: write at least 4K, as in 500K or 10M");
    return size;
}

}  // namespace

/// An edge belongs to the stage that uses it, which is one.
std::vector<Captures::Point> Captures::all_points() const {
    std::map<const runtime::Edge*, const link::Link*> of_link;
    for (const auto& link : links_) {
        of_link[&link->input()] = link.get();
        of_link[&link->output()] = link.get();
    }
    std::vector<Point> points;
    const auto add = [&](runtime::Stage& stage, runtime::Edge& edge, runtime::pcapng::Direction direction) {
        const auto link = of_link.find(&edge);
        const bool is_links = link != of_link.end();
        points.push_back({&stage, &edge, direction, is_links ? link->second->name() : edge.name(),
                          is_links ? link->second->spec().text : std::string()});
    };
    for (const auto& stage : engine_.stages()) {
        for (runtime::Input* input : stage->inputs())
            add(*stage, *input, runtime::pcapng::Direction::kIn);
        for (runtime::Output* output : stage->outputs())
            add(*stage, *output, runtime::pcapng::Direction::kOut);
    }
    return points;
}

/// Each once, however often it is named.
std::vector<Captures::Point> Captures::points_at(const std::string& places) const {
    const std::vector<Point> all = all_points();
    std::vector<bool> chosen(all.size());
    std::istringstream in(places);
    for (std::string place; std::getline(in, place, ',');) {
        bool any = place == "links" || place == "all";
        for (std::size_t i = 0; i < all.size(); ++i) {
            const Point& point = all[i];
            const bool named = place == point.interface || place == point.edge->name() ||
                               place == point.stage->name() || place == "all" ||
                               (place == "links" && !point.spec.empty());
            if (named) any = chosen[i] = true;
        }
        if (!any)
            throw std::invalid_argument("nothing is called '" + place +
                                        "' where packets could be captured; there is " + names());
    }
    std::vector<Point> points;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (chosen[i]) points.push_back(all[i]);
    return points;
}

std::string Captures::names() const {
    std::set<std::string> names;
    for (const Point& point : all_points())
        names.insert({point.interface, point.edge->name(), point.stage->name()});
    std::string list = "links, all";
    for (const std::string& name : names)
        list += ", " + name;
    return list;
}

void Captures::set_places(const std::string& places) {
    points_at(places);
    const std::lock_guard lock(lock_);
    places_ = places;
}

void Captures::set_filter(const std::string& expression) {
    const std::string filter =
        runtime::PacketFilter(expression == kNone ? std::string() : expression).expression();
    const std::lock_guard lock(lock_);
    next_.filter = filter;
}

void Captures::set_comment(const std::string& text) {
    const std::lock_guard lock(lock_);
    next_.comment = text == kNone ? std::string() : text;
}

void Captures::set_ring(const std::string& size_of_a_file, const std::string& files) {
    const std::uint64_t size = parse_file_size(size_of_a_file);
    std::uint64_t number = 0;
    if (!read_number(files, number) || number == 0 || number > kMostFiles)
        throw std::invalid_argument("'" + files + "' is no number of files: write one from 1 to " +
                                    std::to_string(kMostFiles));
    const std::lock_guard lock(lock_);
    next_.file_size = size;
    next_.files = static_cast<unsigned>(number);
}

void Captures::set_no_ring() {
    const std::lock_guard lock(lock_);
    next_.file_size = next_.files = 0;
}

bool Captures::running() const {
    const std::lock_guard lock(lock_);
    return capture_ != nullptr;
}

/// An edge is touched by its lcore alone.
void Captures::set_tap(const Point& point, runtime::Tap* tap) {
    engine_.call(*point.stage, [&] { point.edge->set_tap(tap); });
}

void Captures::start(const std::string& file) {
    const std::lock_guard lock(lock_);
    if (capture_)
        throw std::runtime_error("already capturing to '" + capture_->figures().file +
                                 "'; `capture stop` ends that");
    const std::vector<Point> points = points_at(places_);
    if (points.empty())
        throw std::runtime_error(
            "nothing passes here that could be captured: this node has no links; `set "
            "capture at all` takes what passes between its stages");
    for (const auto& link : links_) {
        const std::string& target = link->spec().target;
        if (link->spec().kind == "pcap")
            runtime::refuse_to_overwrite("capture start " + file, target.substr(0, target.find(',')), file);
    }
    next_.file = file;
    auto capture = std::make_unique<runtime::Capture>(next_);
    std::map<std::string, std::uint32_t> interfaces;
    for (const Point& point : points)
        if (!interfaces.contains(point.interface))
            interfaces[point.interface] = capture->add_interface(point.interface, point.spec);
    // All are made before one is put on: when there is no memory for them, there is no capture, and no edge
    // has a tap of it.
    std::vector<runtime::Tap*> taps;
    for (const Point& point : points)
        taps.push_back(&capture->tap(interfaces[point.interface], point.direction));
    tapped_ = points;
    capture_ = std::move(capture);
    for (std::size_t i = 0; i < points.size(); ++i)
        set_tap(points[i], taps[i]);
}

runtime::Capture::Figures Captures::stop() {
    const std::lock_guard lock(lock_);
    if (!capture_) throw std::runtime_error("nothing is being captured; `capture start FILE` begins it");
    for (const Point& point : tapped_)
        set_tap(point, nullptr);
    const auto figures = capture_->finish();
    capture_.reset();
    return figures;
}

nlohmann::json Captures::describe() const {
    const std::lock_guard lock(lock_);
    nlohmann::json report{{"running", capture_ != nullptr}};
    const runtime::CaptureOptions& options = capture_ ? capture_->options() : next_;
    report["at"] = places_;
    if (!options.filter.empty()) report["filter"] = options.filter;
    if (!options.comment.empty()) report["comment"] = options.comment;
    if (options.file_size != 0) {
        report["file_size"] = options.file_size;
        report["files"] = options.files;
    }
    if (!capture_) return report;
    const auto figures = capture_->figures();
    report["file"] = figures.file;
    report["written"] = figures.written;
    report["missed"] = figures.missed;
    if (!figures.error.empty()) report["error"] = figures.error;
    return report;
}

}  // namespace isoplane::node
