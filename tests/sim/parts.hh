// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/noniso/direct_endpoint.hh>
#include <isoplane/noniso/remote_endpoint.hh>
#include <isoplane/sim/world.hh>
#include <memory>
#include <string>

#include "chance.hh"

namespace isoplane::test {

/// The NIU of a host, and an endpoint that is polled with it or stands behind rings.
struct Parts {
    Parts(sim::Link::End end, const niu::Options& options, bool remote,
          wire::Protocol protocol = wire::Protocol::kNoniso, noniso::Loss loss = noniso::Loss::kBreaks)
        : niu("niu" + std::to_string(options.node), end.input, end.output, pool(), options),
          dispatcher(niu),
          barrier(niu, loss),
          direct(niu, barrier, protocol) {
        dispatcher.attach(wire::Protocol::kControl, &barrier);
        dispatcher.attach(protocol, &direct);
        if (!remote) return;
        link = std::make_unique<noniso::EndpointLink>(options.nodes.size(),
                                                      "sim" + std::to_string(options.node));
        stage =
            std::make_unique<noniso::EndpointStage>("endpoint", *link, niu, dispatcher, barrier, protocol);
        program = std::make_unique<noniso::RemoteEndpoint>(*link, pool());
        dispatcher.attach(protocol, stage.get());
    }
    ~Parts() {
        for (niu::Received message; endpoint().receive(message);)
            endpoint().release(message);
        if (stage) stage->discard();
        niu.discard();
    }

    unsigned poll(runtime::Time now) {
        const unsigned moved = niu.poll(now);
        if (stage) return moved + stage->poll(now);
        return moved + dispatcher.dispatch() + (barrier.poll() ? 1 : 0);
    }
    noniso::Endpoint& endpoint() { return stage ? static_cast<noniso::Endpoint&>(*program) : direct; }

    niu::Niu niu;
    niu::Dispatcher dispatcher;
    noniso::Barrier barrier;
    noniso::DirectEndpoint direct;
    std::unique_ptr<noniso::EndpointLink> link;
    std::unique_ptr<noniso::EndpointStage> stage;
    std::unique_ptr<noniso::RemoteEndpoint> program;
};

}  // namespace isoplane::test
