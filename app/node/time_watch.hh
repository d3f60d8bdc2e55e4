// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>

#include "node.hh"

namespace isoplane::node {

/// Has the node say when that host or token manager takes no part in logical time any more, and when it does
/// again.
template <typename Stage>
void watch(Node& node, const Stage& stage, const std::string& who) {
    const auto trouble = [&node, &stage] {
        std::string sentence;
        node.engine().call(stage, [&] { sentence = stage.trouble(); });
        return sentence;
    };
    node.watch().add(who, trouble, "logical time goes on");
}

}  // namespace isoplane::node
