// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/runtime/views.hh>
#include <nlohmann/json.hpp>

namespace isoplane::runtime {

void Views::add(const std::string& name, Make make) {
    makers_[name] = std::move(make);
}

nlohmann::json Views::show(const std::string& name) const {
    return makers_.at(name)();
}

}  // namespace isoplane::runtime
