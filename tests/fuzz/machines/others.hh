// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "host.hh"
#include "in_time.hh"

namespace isoplane::fuzz {

/// What the others say to a host.
class Others final : public InTime {
  public:
    explicit Others(Host& host) : InTime(host.source, host.sink), host_(host) {}

  private:
    Progress progress() const override {
        const siu::Siu& siu = host_.siu();
        return {siu.options().node, siu.view(), siu.base(), siu.clock()};
    }

    Host& host_;
};

}  // namespace isoplane::fuzz
