// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/link/link.hh>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include <isoplane/runtime/capture.hh>
#include <isoplane/runtime/engine.hh>

namespace isoplane::node {

/// What a node captures: where, which packets, and into which files.
///
/// A place is a link, with both its directions; an edge, such as `link0.rx` or a ring between two stages; or
/// a stage, with all its edges. What passes a ring is seen where a stage puts it in, and again where another
/// takes it out.
class Captures {
  public:
    using Links = std::vector<std::unique_ptr<link::Link>>;

    /// Both outlive it, or its stop().
    Captures(runtime::Engine& engine, const Links& links) : engine_(engine), links_(links) {}

    // What the next capture is to be. Each throws std::invalid_argument with a sentence.
    void set_places(const std::string& places);      ///< `links`, `all`, or names, separated by commas
    void set_filter(const std::string& expression);  ///< as tcpdump takes it, or `none`
    void set_comment(const std::string& text);       ///< or `none`
    void set_ring(const std::string& size_of_a_file, const std::string& files);
    void set_no_ring();

    /// Throws with a sentence when a capture is under way, or cannot be.
    void start(const std::string& file);
    /// The same when there is none.
    runtime::Capture::Figures stop();
    bool running() const;
    nlohmann::json describe() const;

  private:
    /// Where a tap can be.
    struct Point {
        runtime::Stage* stage;
        runtime::Edge* edge;
        runtime::pcapng::Direction direction;
        std::string interface;  ///< the link, or the edge
        std::string spec;       ///< of the link
    };

    std::vector<Point> all_points() const;
    std::vector<Point> points_at(const std::string& places) const;
    std::string names() const;
    void set_tap(const Point& point, runtime::Tap* tap);

    runtime::Engine& engine_;
    const Links& links_;
    mutable std::mutex lock_{};  ///< reports are made on several threads
    std::string places_ = "links";
    runtime::CaptureOptions next_{};
    std::vector<Point> tapped_{};
    std::unique_ptr<runtime::Capture> capture_{};
};

}  // namespace isoplane::node
