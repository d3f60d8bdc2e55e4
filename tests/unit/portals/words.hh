// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/portals/interface.hh>
#include <ostream>

namespace isoplane::portals {

inline std::ostream& operator<<(std::ostream& out, Status status) {
    return out << name_of(status);
}
inline std::ostream& operator<<(std::ostream& out, EventKind kind) {
    return out << name_of(kind);
}

}  // namespace isoplane::portals
