// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/active/active.hh>

#include "part.hh"

namespace isoplane::soak {

/// Active messages: requests, each of which is answered once with what it asks.
class Requests final : public Part {
  public:
    explicit Requests(job::Job& job)
        : Part(job, "requests"),
          messages_(*this, job.messages(wire::Protocol::kActive), images_,
                    {.node = job.node(), .nodes = static_cast<NodeId>(job.size())}),
          answers_(job.size()) {}

    void act(NodeId to, Random& /*random*/) override {
        const std::uint64_t number = next(to);
        const active::Ticket ticket = messages_.request(to, serve, {number, ~number, here(), 0});
        if (ticket) went(to);
    }
    void poll() override {
        messages_.poll(clock_.now());
        for (active::Failure failure; messages_.next_failure(failure);)
            throw Wrong("requests: one to node " + std::to_string(failure.request.to) + " has no answer");
    }
    bool settled() const override { return messages_.open() == 0 && !messages_.waiting(); }
    std::string verdict() const override {
        for (NodeId to = 0; to < answers_.size(); ++to)
            if (answers_[to].count() != sent(to)) return "requests without an answer";
        return {};
    }

  private:
    /// So that handlers know whose they are.
    struct OfPart final : active::Active {
        OfPart(Requests& owner, noniso::Endpoint& endpoint, active::Images& images,
               const active::Options& options)
            : Active(endpoint, images, options), part(owner) {}
        Requests& part;
    };
    static void serve(active::Active& messages, const active::Call& call) {
        Requests& part = static_cast<OfPart&>(messages).part;
        if (call.words[1] != ~call.words[0] || call.words[2] != call.source)
            throw Wrong("requests: one with other words than it was sent with");
        part.take(call.source, call.words[0]);
        messages.reply(call.source, hear, {call.words[0], call.words[1], part.here(), 1});
    }
    static void hear(active::Active& messages, const active::Call& call) {
        if (call.words[1] != ~call.words[0] || call.words[3] != 1)
            throw Wrong("requests: an answer with other words than it was sent with");
        static_cast<OfPart&>(messages).part.answers_[call.source].take(call.words[0], "answers");
    }

    active::Images images_;
    OfPart messages_;
    std::vector<Once> answers_;
    runtime::TscClock clock_;
};

}  // namespace isoplane::soak
