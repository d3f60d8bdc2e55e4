// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "replay/subject.hh"

#include <algorithm>
#include <bit>
#include <isoplane/niu/niu.hh>
#include <isoplane/topology/fmconfig.hh>
#include <isoplane/wire/token.hh>
#include <stdexcept>

#include "node/host_stage.hh"
#include "node/manager_stage.hh"

namespace isoplane::replay {

/// Where frames are fed in.
class Subject::Front final : public runtime::Input {
  public:
    Front() : Input("front") {}
    ~Front() override {
        for (rte_mbuf* packet : waiting_)
            rte_pktmbuf_free(packet);
    }
    void add(rte_mbuf* packet) { waiting_.push_back(packet); }

  private:
    std::uint16_t do_receive(rte_mbuf** packets, std::uint16_t room) noexcept override {
        std::uint16_t n = 0;
        for (; n < room && !waiting_.empty(); waiting_.pop_front())
            packets[n++] = waiting_.front();
        return n;
    }
    std::deque<rte_mbuf*> waiting_;
};

/// Where what the stage sends ends, looked at.
class Subject::Back final : public runtime::Output {
  public:
    Back() : Output("back") {}
    std::vector<std::string> kinds{};

  private:
    std::uint16_t do_send(rte_mbuf** packets, std::uint16_t n) noexcept override {
        for (std::uint16_t i = 0; i < n; ++i)
            kinds.push_back(kind_of(packets[i]));
        rte_pktmbuf_free_bulk(packets, n);
        return n;
    }
    static std::string kind_of(rte_mbuf* packet) {
        const capture::AnyFrame any = capture::read_any(runtime::Packet::bytes_of(packet));
        std::string kind(wire::name(any.decoded.header.kind));
        if (any.decoded.header.kind != wire::Kind::kToken) return kind;
        const auto view = wire::TokenView::parse(any.decoded.payload, capture::kAnyNode);
        return view ? kind + ' ' + std::to_string(view->token().number) : kind;
    }
};

namespace {

constexpr unsigned kLeastWindow = 16;

/// An NIU whose user takes each message and gives it back.
class NiuStage final : public runtime::Stage {
  public:
    NiuStage(runtime::Input& from, runtime::Output& to, runtime::Pool& pool, const niu::Options& options)
        : Stage("niu"), niu_("niu", from, to, pool, options) {
        takes_from(from);
        gives_to(to);
    }
    unsigned poll(runtime::Time now) override {
        unsigned moved = niu_.poll(now);
        for (niu::Received message; niu_.receive(message); ++moved)
            niu_.release(message);
        return moved;
    }
    std::size_t discard() override { return niu_.discard(); }
    void describe(nlohmann::json& out) const override { niu_.describe(out); }

  private:
    niu::Niu niu_;
};

/// One switch, with as many hosts as there are in the capture; numbers in between are hosts that kept silent.
topology::Topology one_switch(const Survey& survey) {
    std::uint16_t hosts = 0;
    for (const auto& [number, node] : survey.nodes)
        if (!node.name.empty()) hosts = std::max(hosts, static_cast<std::uint16_t>(number + 1));
    std::string text = "0";
    for (std::uint16_t host = 0; host < hosts; ++host)
        text += " node" + std::to_string(host);
    return topology::parse_fmconfig(text + '\n', "the capture");
}

niu::Options options_of(const Survey& survey, const topology::Topology& network,
                        const SubjectOptions& options) {
    const auto found = survey.nodes.find(options.node);
    if (found == survey.nodes.end())
        throw std::invalid_argument(
            "--node " + std::to_string(options.node) +
            " has sent nothing in this capture, which would tell in what life it was");
    const Survey::Node& node = found->second;
    const bool manages = options.layer == Layer::kTm;
    // A token manager has no peers.
    return {.node = options.node,
            .nodes = manages ? std::vector<std::string>(network.node_count()) : niu::names_of_hosts(network),
            .job_key = survey.job_key,
            .epoch = node.epoch,
            .mac = node.mac,
            .mtu = node.mtu != 0 ? node.mtu : std::uint16_t{1500},
            .window = manages ? 1 : std::bit_ceil(std::max(node.credit, kLeastWindow))};
}

}  // namespace

unsigned longest_mtu(const Survey& survey, std::uint16_t node, unsigned mtu) {
    const auto found = survey.nodes.find(node);
    if (found == survey.nodes.end()) return mtu;
    if (found->second.mtu > runtime::kMaxMtu)
        throw std::invalid_argument("--node " + std::to_string(node) + " says that its MTU is " +
                                    std::to_string(found->second.mtu) + ", and none is above " +
                                    std::to_string(runtime::kMaxMtu));
    return std::max<unsigned>(mtu, found->second.mtu);
}

Subject::Subject(const Survey& survey, const SubjectOptions& options, runtime::Pool& pool)
    : pool_(pool), front_(std::make_unique<Front>()), back_(std::make_unique<Back>()) {
    const auto ways =
        std::make_shared<const node::Ways>(options.network ? *options.network : one_switch(survey));
    const topology::Topology& network = ways->topology;
    if (options.node >= network.node_count() ||
        network.is_host(options.node) == (options.layer == Layer::kTm))
        throw std::invalid_argument(
            "--node " + std::to_string(options.node) + " is no " +
            (options.layer == Layer::kTm ? "token manager" : "host") +
            " of the network: its hosts are 0 to " + std::to_string(network.host_count() - 1) +
            ", its token managers the numbers behind. --fmconfig names another network than one switch");
    const niu::Options niu = options_of(survey, network, options);
    switch (options.layer) {
        case Layer::kNiu:
            stage_ = std::make_unique<NiuStage>(*front_, *back_, pool_, niu);
            break;
        case Layer::kSiu:
            stage_ = std::make_unique<node::HostStage>("host", *front_, *back_, pool_, ways, niu,
                                                       node::TimeOptions{.ahead = options.ahead});
            break;
        case Layer::kTm:
            stage_ = std::make_unique<node::ManagerStage>("manager", *front_, *back_, pool_, ways, niu,
                                                          node::TimeOptions{.ahead = options.ahead});
            break;
    }
}

Subject::~Subject() {
    stage_->discard();
}

void Subject::feed(std::span<const std::byte> frame) {
    runtime::Packet packet = pool_.packet();
    if (!packet) throw std::runtime_error("the stage holds more frames than there is memory for");
    if (frame.size() > rte_pktmbuf_tailroom(packet.get()))
        throw std::runtime_error("a frame of " + std::to_string(frame.size()) +
                                 " bytes is longer than --mtu allows");
    auto* const at = reinterpret_cast<std::byte*>(
        rte_pktmbuf_append(packet.get(), static_cast<std::uint16_t>(frame.size())));
    std::ranges::copy(frame, at);
    front_->add(packet.release());
}

std::vector<std::string> Subject::sent() {
    return std::exchange(back_->kinds, {});
}

}  // namespace isoplane::replay
