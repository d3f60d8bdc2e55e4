// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/runtime/pool.hh>
#include <isoplane/share/attachment.hh>
#include <isoplane/share/client_rings.hh>
#include <stdexcept>
#include <thread>

#include "driver.hh"

namespace isoplane::link {

namespace {

/// How long the end waits for a node that does not take what was sent.
constexpr auto kPatience = std::chrono::milliseconds(200);

/// A client's port at a shared node.
class SharedLink final : public Link {
  public:
    SharedLink(const LinkSpec& spec, const std::string& name, const LinkOptions& options)
        : Link(name, spec),
          attachment_(spec.target, options.identity, *options.pool->shared(),
                      std::chrono::seconds(spec.number("wait", options.wait_seconds, 0, 3600))),
          input_(name + ".rx", attachment_.area().in, *options.pool,
                 std::min(options.rx_descriptors, options.pool->size() / 4)),
          output_(name + ".tx", attachment_.area().out, *options.pool,
                  std::min(options.mtu, attachment_.mtu()) + static_cast<unsigned>(wire::kEthernetSize)) {
        mac_ = options.identity.mac;
        mtu_ = std::min(options.mtu, attachment_.mtu());
    }
    /// Only when the node is gone, or has let go, is what it had used again.
    ~SharedLink() override {
        stop();
        if (attachment_.leave()) return;
        input_.abandon();
        output_.abandon();
    }

    runtime::Input& input() noexcept override { return input_; }
    runtime::Output& output() noexcept override { return output_; }
    void start() override { input_.post(); }
    void stop() override;
    bool up() const override { return attachment_.alive(); }
    LinkStats stats() const override {
        return {.ipackets = input_.packets().get(),
                .opackets = output_.packets().get(),
                .ibytes = input_.bytes().value_or(0),
                .obytes = output_.bytes().value_or(0),
                .linearised = output_.linearised.get(),
                .oversized = output_.oversized.get()};
    }
    void clear_stats() override {
        input_.clear_counters();
        output_.clear_counters();
        output_.linearised.set(0);
        output_.oversized.set(0);
    }

  private:
    share::Attachment attachment_;
    share::ClientInput input_;
    share::ClientOutput output_;
};

void SharedLink::stop() {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!output_.idle() && attachment_.alive() && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::microseconds(100));
}

std::unique_ptr<Link> open_shared(const LinkSpec& spec, const std::string& name, const LinkOptions& options) {
    if (options.pool->shared() == nullptr) {
        throw std::invalid_argument(
            "'" + spec.text +
            "' is for programs and for `isoplane node`, whose packets a shared node can "
            "read; give a link of another kind here");
    }
    return std::make_unique<SharedLink>(spec, name, options);
}

}  // namespace

Driver shared_driver() {
    return {.kind = {.name = "shared",
                     .summary = "the port of a shared node, beside its other clients",
                     .target = "SOCKET",
                     .options = {{"wait", "SECONDS", "how long to wait for the node; 10 by default"}},
                     .root = false,
                     .multi_segment = false,
                     .max_mtu = runtime::kMaxMtu,
                     .queues = 1,
                     .zero_copy = false,
                     .shared_pool = true,
                     .rate = "10 M/s",
                     .needs = "a node with the role shared on this machine"},
            .open = open_shared};
}

}  // namespace isoplane::link
