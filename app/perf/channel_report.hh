// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>

#include "../report/record.hh"
#include "results.hh"

namespace isoplane::perf {

/// Who sends back what comes.
namespace relay {
inline const std::string kForward = "forward";
inline const std::string kDatagram = "relay";
inline const std::string kReliable = "relay_reliable";
}  // namespace relay

/// What there is to say of relays; `as_is`: of the datagrams that need not have been copied to be sent back.
void add_to(report::Record& record, const Results& relays, double as_is);
/// And on a link that is no faster than such a wire; after that.
void add_to(report::Record& record, const Results& relays, const std::string& wire);

}  // namespace isoplane::perf
