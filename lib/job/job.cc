// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <chrono>
#include <isoplane/job/job.hh>
#include <isoplane/link/kind.hh>
#include <isoplane/niu/epoch.hh>
#include <isoplane/topology/mac.hh>
#include <nlohmann/json.hpp>

#include "driver.hh"
#include "movement.hh"
#include "reports.hh"
#include "roster.hh"

namespace isoplane::job {

namespace {

/// Programs that do not speak Portals have no use for any.
std::vector<std::string> planes_of(const Settings& settings) {
    return settings.portals ? settings.planes : std::vector<std::string>{};
}

runtime::EalOptions eal_options(const Settings& settings) {
    // What the packets take, twice over for rings and the link's own.
    const unsigned room = runtime::Pool::room_for(settings.mtu);
    std::vector<link::LinkSpec> links{link::LinkSpec::parse(settings.link)};
    for (const std::string& plane : planes_of(settings))
        links.push_back(link::LinkSpec::parse(plane));
    const unsigned each =
        std::max(64U, static_cast<unsigned>(std::uint64_t{settings.packets} * room * 2 >> 20));
    const unsigned keys =
        settings.key ? auth::Crypto::memory_mb(auth::Opener::keys(settings.network.topology->node_count()))
                     : 0;
    return {.workers = settings.progress == Progress::kLcore ? 1U : 0U,
            .memory_mb = (each + keys) * static_cast<unsigned>(links.size()),
            .pci = link::pci_devices(links)};
}

/// Of all nodes; token managers have no NIU to talk to.
std::vector<std::string> names(const Settings& settings) {
    std::vector<std::string> names = settings.hosts();
    names.resize(settings.network.topology->node_count());
    return names;
}

/// This host is the token manager of its switch.
bool manages(const Settings& settings) {
    const bool in_time = settings.logical_time || settings.shared_memory;
    if (!in_time || settings.token_manager.empty()) return false;
    const topology::Topology& topology = *settings.network.topology;
    return topology.switch_of(find_manager(topology, settings.token_manager)) ==
           topology.switch_of(settings.node());
}

share::Identity identity(const Settings& settings) {
    const topology::UdpNetwork udp = settings.network.udp(settings.node());
    const auto transport = udp.addresses.empty() ? wire::Transport::kEthernet : wire::Transport::kUdp;
    return {.mac = settings.network.mac(settings.node()),
            .job_key = settings.network.conf.job_key.value_or(0),
            .node = settings.node(),
            .hosts = static_cast<std::uint16_t>(settings.network.topology->host_count()),
            .encapsulation = {.transport = transport, .udp_port = udp.port},
            .address = udp.addresses.empty() ? 0 : udp.addresses[settings.node()]};
}

/// Within which logical time goes on without a node, if it does.
std::optional<runtime::Duration> survival_limit(const Settings& settings) {
    const std::optional<double>& survive = settings.network.conf.survive;
    if (!survive || !(settings.logical_time || settings.shared_memory)) return {};
    return std::chrono::duration_cast<runtime::Duration>(std::chrono::duration<double>(*survive));
}

runtime::Duration silence(const Settings& settings) {
    const auto limit = survival_limit(settings);
    return limit ? std::max<runtime::Duration>(settings.silence, membership::silence_for(*limit))
                 : settings.silence;
}

noniso::Loss loss(const Settings& settings) {
    return survival_limit(settings) ? noniso::Loss::kLeavesOut : noniso::Loss::kBreaks;
}

niu::Options niu_options(const Settings& settings) {
    return {.node = settings.node(),
            .nodes = names(settings),
            .job_key = settings.network.conf.job_key.value_or(0),
            .epoch = niu::epoch_now(),
            .mac = settings.network.mac(settings.node()),
            .udp = settings.network.udp(settings.node()),
            .manages = manages(settings),
            .trust_fcs = settings.trust_fcs || settings.key,  // a tag says more than a checksum
            .silence = silence(settings),
            .hello_limit = settings.hello_limit};
}

/// The job key of a plane, so that one network may carry several of a job: the first has the job's own.
constexpr std::uint32_t key_of_plane(std::uint32_t job_key, std::size_t plane) {
    return job_key + static_cast<std::uint32_t>(plane) * 0x9e3779b9U;
}

siu::SiuOptions siu_options(const Settings& settings) {
    siu::SiuOptions options;
    options.exchange.ahead = settings.network.conf.tokens_ahead.value_or(topology::kDefaultTokensAhead);
    options.exchange.in_views = survival_limit(settings).has_value();
    options.pulse_interval = settings.pulse_interval;
    return options;
}

}  // namespace

Job::Job(Settings settings)
    : settings_(std::move(settings)),
      size_(settings_.hosts().size()),
      eal_(eal_options(settings_)),
      pool_("packets", settings_.packets, runtime::Pool::room_for(settings_.mtu),
            runtime::Pool::kDefaultCache, link::place_of_pool({link::LinkSpec::parse(settings_.link)})),
      link_(std::make_unique<GatedLink>(
          link::open_link(link::LinkSpec::parse(settings_.link), "link0",
                          {.pool = &pool_, .mtu = settings_.mtu, .identity = identity(settings_)}),
          settings_.key, niu_options(settings_), pool_)),
      network_(std::make_unique<Network>(
          *link_, pool_,
          on_link(niu_options(settings_), link_->link(), settings_.mtu, settings_.key.has_value()),
          loss(settings_))),
      roster_(std::make_unique<Roster>(network_->niu)),
      idler_(runtime::IdlePolicy::kYield) {
    link_->link().start();
    settings_.logical_time |= settings_.shared_memory;
    settings_.isotach.with_pages = settings_.shared_memory;
    if (settings_.logical_time)
        network_->time = std::make_unique<LogicalTime>(*settings_.network.topology, network_->niu,
                                                       network_->dispatcher, pool_, siu_options(settings_),
                                                       settings_.isotach, settings_.token_manager,
                                                       survival_limit(settings_).value_or(settings_.silence));
    if (settings_.portals) make_portals();
    driver_ = make_driver(settings_.progress, *network_, pool_);
    if (movement_) movement_->drive(*driver_);
    endpoint_ = &driver_->endpoint(wire::Protocol::kNoniso);
    isotach_ = driver_->isotach();
    if (settings_.progress == Progress::kLcore) reports_ = std::make_unique<Reports>(*driver_, *network_);
    if (settings_.shared_memory) make_memory();
    if (settings_.portals) driver_->start();  // others do when they join
}

/// Its planes are of one life of this node, whatever their number.
void Job::make_portals() {
    const bool reads_memory = settings_.reads_memory.value_or(settings_.link.starts_with("shared:"));
    std::vector<nal::OverNiu::Plane> planes{{&network_->niu, &network_->dispatcher}};
    for (const std::string& spec : settings_.planes) {
        const std::size_t number = planes.size();
        niu::Options options = network_->niu.options();
        options.job_key = key_of_plane(options.job_key, number);
        options.mac = topology::default_mac(node(), static_cast<std::uint8_t>(number));
        options.manages = false;
        network_->planes.push_back(std::make_unique<Plane>(std::to_string(number), spec, settings_.packets,
                                                           settings_.mtu, settings_.key, std::move(options)));
        planes.push_back({&network_->planes.back()->niu(), &network_->planes.back()->dispatcher()});
    }
    movement_ = std::make_unique<Movement>(settings_.progress, settings_.portals_locked);
    network_->portals = std::make_unique<nal::OverNiu>(
        "portals", planes, *movement_,
        nal::OverNiuOptions{.reads_memory = reads_memory, .absent = 2 * settings_.hello_limit});
}

/// Without a shmem_map there is not a page.
void Job::make_memory() {
    const topology::Network& network = settings_.network;
    shmem::Pages pages(
        network.shmem.value_or(topology::ShmemMap()), topology::Paths(*network.topology), node(),
        {.pages = network.conf.pages.value_or(topology::kDefaultPages), .page_words = settings_.page_words});
    driver_->call([&] {
        isotach::Endpoint* const program = settings_.progress == Progress::kLcore ? isotach_ : nullptr;
        memory_ =
            std::make_unique<shmem::Memory>(std::move(pages), network_->time->isotach(), *driver_->answers(),
                                            shmem::Options{.life = network_->niu.options().epoch}, program);
        driver_->filter(memory_.get());
    });
}

/// What has come and was not received goes with the driver.
Job::~Job() {
    reports_.reset();
    if (memory_) {
        driver_->call([this] {
            driver_->filter(nullptr);
            memory_.reset();
        });
    }
    driver_.reset();
    link_->link().stop();
}

void Job::poll() {
    const bool moved = driver_->poll();
    idler_.step((memory_ && memory_->poll() != 0) || moved);
}

unsigned Job::mtu() const noexcept {
    return network_->niu.options().mtu;
}

noniso::Endpoint& Job::messages(wire::Protocol protocol) {
    return driver_->endpoint(protocol);
}

/// Or time stands still, and nothing more will be executed; or does not go on without one who is lost, of
/// whom parts of a message may be missing.
bool Job::settled() {
    if (driver_->settled() && (!memory_ || memory_->settled())) return true;
    if (isotach_ == nullptr) return false;
    bool stands = false;
    driver_->call([&] {
        stands = !network_->time->trouble(settings_.silence).empty() ||
                 (!network_->time->survives() && !roster_->trouble().empty());
    });
    return stands;
}

bool Job::try_close() {
    // A broken barrier holds nobody up: those who live leave without the lost.
    const bool running = endpoint_->barrier() == noniso::BarrierState::kRunning;
    switch (closing_) {
        case Closing::kNo:
            if (running || !settled()) return false;
            endpoint_->enter_barrier();
            closing_ = isotach_ == nullptr ? Closing::kAgreeing : Closing::kArriving;
            return false;
        case Closing::kArriving:
            if (running) return false;
            closing_ = Closing::kExecuting;
            return false;
        case Closing::kExecuting:
            // All isochrons have arrived. Time needs all hosts until everyone has executed them.
            if (!settled()) return false;
            endpoint_->enter_barrier();
            closing_ = Closing::kAgreeing;
            return false;
        case Closing::kAgreeing:
            if (running) return false;
            driver_->call([this] {
                network_->niu.close();
                for (const auto& plane : network_->planes)
                    plane->niu().leave();
            });
            closing_ = Closing::kLeaving;
            return false;
        case Closing::kLeaving: {
            bool closed = false;
            driver_->call([&] { closed = network_->niu.closed(); });
            if (closed) closing_ = Closing::kDone;
            return closed;
        }
        case Closing::kDone:
            break;
    }
    return true;
}

portals::Nal& Job::portals() noexcept {
    return *network_->portals;
}

bool Job::progress() {
    return movement_->progress();
}

std::uint32_t Job::life(niu::NodeId node) {
    std::uint32_t life = 0;
    movement_->call([&] { life = network_->portals->life(node); });
    return life;
}

const std::atomic<std::uint64_t>& Job::changes_of_lives() const noexcept {
    return network_->portals->changes_of_lives();
}

bool Job::all_arrived() {
    bool arrived = false;
    movement_->call([&] {
        const auto sent_all = [](const niu::Niu& niu) {
            for (std::size_t i = 0; i < niu.options().nodes.size(); ++i) {
                const auto node = static_cast<niu::NodeId>(i);
                if (niu.state(node) == niu::PeerState::kUp && !niu.peer(node).sent_all()) return false;
            }
            return true;
        };
        arrived = network_->portals->idle() && sent_all(network_->niu) &&
                  std::all_of(network_->planes.begin(), network_->planes.end(),
                              [&](const auto& plane) { return sent_all(plane->niu()); });
    });
    return arrived;
}

bool Job::try_leave() {
    bool left = false;
    movement_->poll();
    movement_->call([&] {
        const bool idle = network_->portals->idle();
        if (idle) network_->niu.leave();
        left = network_->niu.closed();
        for (const auto& plane : network_->planes) {
            if (idle) plane->niu().leave();
            left = left && plane->niu().closed();
        }
    });
    return left;
}

std::string Job::trouble() {
    std::string sentence;
    driver_->call([&] {
        // Without who has died it goes on.
        if (!network_->time || !network_->time->survives()) sentence = roster_->trouble();
        if (sentence.empty()) sentence = network_->niu.left_open();
        if (sentence.empty() && network_->time) sentence = network_->time->trouble(settings_.silence);
    });
    return sentence;
}

std::string Job::news() {
    std::string sentence;
    driver_->call([&] { sentence = roster_->news(); });
    return sentence;
}

void Job::describe(nlohmann::json& out) {
    if (memory_) memory_->describe(out["shmem"]);
    driver_->call([&] {
        network_->describe(out);
        if (network_->time) network_->time->describe(out);
        if (network_->portals) network_->portals->describe(out["portals"]);
    });
}

}  // namespace isoplane::job
