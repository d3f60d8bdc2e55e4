// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "domain.hh"

#include "address_vector.hh"
#include "atomics.hh"
#include "completion_queue.hh"
#include "counter.hh"
#include "endpoint.hh"
#include "info.hh"

namespace isoplane::fi {

Domain::Domain(Fabric& fabric, Network& network, bool is_basic, bool is_automatic)
    : fid_domain{}, network_(network), is_basic_(is_basic), is_automatic_(is_automatic) {
    fabric_ = &fabric;
    if (is_automatic_) network_.want_thread();
}

Domain::~Domain() {
    if (is_automatic_) network_.unwant_thread();
}

namespace {

int close(fid* its) {
    Domain& domain = object<Domain>(its);
    if (domain.is_held()) return -FI_EBUSY;
    delete &domain;
    return 0;
}

fi_ops kFidOps = fid_ops(close);

fi_ops_domain kOps{.size = sizeof(fi_ops_domain),
                   .av_open = open_address_vector,
                   .cq_open = open_completion_queue,
                   .endpoint = open_endpoint,
                   .scalable_ep = kUnsupported,
                   .cntr_open = open_counter,
                   .poll_open = kUnsupported,
                   .stx_ctx = kUnsupported,
                   .srx_ctx = kUnsupported,
                   .query_atomic = query_atomic,
                   .query_collective = kUnsupported,
                   .endpoint2 = kUnsupported};

}  // namespace

int open_domain(fid_fabric* fabric, fi_info* info, fid_domain** opened, void* context) {
    try {
        Network& network = Network::instance();
        auto* const domain = new Domain(object<Fabric>(fabric), network, is_basic(*info),
                                        info->domain_attr->data_progress == FI_PROGRESS_AUTO);
        domain->fid = {FI_CLASS_DOMAIN, context, &kFidOps};
        domain->ops = &kOps;
        domain->mr = region_ops();
        *opened = domain;
        return 0;
    } catch (const std::exception&) {
        return -FI_ENODEV;
    }
}

}  // namespace isoplane::fi
