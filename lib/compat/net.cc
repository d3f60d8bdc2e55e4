// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "net.hh"

#include <cstdio>
#include <cstdlib>
#include <isoplane/wire/isotach.hh>
#include <isoplane/wire/trailer.hh>

namespace isoplane::compat {

void give_up(const std::string& sentence) {
    std::fflush(stdout);
    std::fprintf(stderr, "isoplane: %s\n", sentence.c_str());
    std::exit(1);
}

Net& Net::instance() {
    static Net net;
    return net;
}

const job::Settings& Net::settings() {
    if (!settings_) {
        try {
            settings_ = job::settings_from_environment();
        } catch (const std::exception& error) {
            give_up(error.what());
        }
    }
    return *settings_;
}

std::size_t Net::trailer() {
    return settings().key ? wire::kTrailerSize : 0;
}

int Net::max_payload(bool logical_time) {
    const bool udp = settings().network.conf.encapsulation == topology::Encapsulation::kUdp;
    const std::size_t in_front = (udp ? wire::kIpv4Size + wire::kUdpSize : 0) + wire::kHeaderSize +
                                 wire::kMessageHeaderSize + (logical_time ? wire::kIsotachSize : 0);
    const std::size_t mtu = is_open() ? job_->mtu() : settings().mtu - trailer();
    if (!is_open()) told_ = mtu;
    return static_cast<int>(mtu - in_front);
}

bool Net::open(Time time) {
    if (is_open() || closed_) return false;
    job::Settings settings = this->settings();
    settings.logical_time = time != Time::kNone;
    settings.shared_memory = time == Time::kWithMemory;
    try {
        job_ = std::make_unique<job::Job>(std::move(settings));
        for (const wire::Protocol protocol : spoken_)
            job_->messages(protocol);
        job_->join();
    } catch (const std::exception& error) {
        give_up(error.what());
    }
    if (job_->mtu() < told_)
        give_up("the link carries frames of " + std::to_string(job_->mtu() + trailer()) +
                " bytes, less than the program was told: give mtu= in node.conf what the link has");
    on_exit(leave_at_exit, this);
    return true;
}

isotach::Endpoint& Net::isotach(const char* caller) {
    if (!is_open()) [[unlikely]]
        give_up(std::string(caller) + "() needs a connection: open it first, and close it last");
    if (!job_->settings().logical_time) [[unlikely]]
        give_up(std::string(caller) +
                "() needs logical time: include iso_mbm.h in the file that calls open_net(), too");
    return job_->isotach();
}

shmem::Memory& Net::memory(const char* caller) {
    isotach(caller);
    if (!job_->settings().shared_memory) [[unlikely]]
        give_up(std::string(caller) +
                "() needs shared memory: include iso_smm.h in the file that calls open_net(), too");
    return job_->memory();
}

bool Net::receive(isotach::Delivery& next) {
    if (!put_off_.empty()) {
        next = put_off_.front();
        put_off_.pop_front();
        return true;
    }
    return job_->settings().shared_memory ? job_->memory().receive(next) : job_->isotach().receive(next);
}

bool Net::anything_waits() {
    if (job_->messages().waiting() || !put_off_.empty()) return true;
    if (job_->settings().shared_memory) return job_->memory().waiting();
    return job_->settings().logical_time && job_->isotach().waiting();
}

void Net::put_off() {
    for (isotach::Delivery next; job_->memory().receive(next);)
        put_off_.push_back(next);
}

namespace {

auto is_notice(isotach::DeliveryKind kind, unsigned channel) {
    return [=](const isotach::Delivery& its) { return its.kind == kind && its.channel == channel; };
}

}  // namespace

bool Net::has_put_off(isotach::DeliveryKind kind, unsigned channel) const {
    return std::ranges::any_of(put_off_, is_notice(kind, channel));
}

void Net::forget(isotach::DeliveryKind kind, unsigned channel) {
    std::erase_if(put_off_, is_notice(kind, channel));
}

void Net::poll_all() {
    job_->poll();
    for (void (*what)() : also_poll_)
        what();
}

void Net::poll() {
    poll_all();
    if (++polls_ % kLookEvery == 0) look_for_trouble();
}

void Net::look_for_trouble() {
    if (const std::string trouble = job_->trouble(); !trouble.empty()) give_up(trouble);
}

void Net::end_if_barrier_broken() {
    if (job_->messages().barrier() != noniso::BarrierState::kBroken) return;
    look_for_trouble();
    give_up("a node has left the job while this one was at a barrier");
}

bool Net::somebody_is_missing() {
    for (std::size_t i = 0; i < job_->size(); ++i) {
        const auto host = static_cast<niu::NodeId>(i);
        if (host != job_->node() && job_->messages().state(host) != niu::PeerState::kUp) return true;
    }
    return false;
}

bool Net::try_close() {
    if (closed_) return true;
    if (!is_open()) return false;
    poll();
    if (!job_->try_close()) return false;
    look_for_trouble();
    close();
    return true;
}

void Net::close() {
    for (void (*give_back)() : give_back_)
        give_back();
    also_poll_.clear();
    for (const isotach::Delivery& unread : put_off_)
        job_->isotach().release(unread);
    put_off_.clear();
    job_.reset();
    closed_ = true;
}

/// A program that ends well without closing may still have messages under way, and others need it for time to
/// go on: so it leaves with all. One that ends otherwise just goes, and so does what it has forked: the place
/// in the job is not its.
void Net::leave_at_exit(int status, void* self) {
    Net& net = *static_cast<Net*>(self);
    if (!net.is_open()) return;
    if (net.job_->is_of_parent()) return static_cast<void>(net.job_.release());
    if (status != 0) return;
    std::fflush(stdout);
    std::unique_lock<std::recursive_mutex> alone;
    if (net.threads_ != nullptr) alone = std::unique_lock(*net.threads_);
    net.leaving_ = true;
    for (void (*finish)() : net.finish_)
        finish();
    job::Job& job = *net.job_;
    while (!job.try_close()) {
        net.poll_all();
        for (niu::Received unread; job.messages().receive(unread);)
            job.messages().release(unread);
        if (job.settings().logical_time) {
            for (isotach::Delivery unread; net.receive(unread);)
                job.isotach().release(unread);
        }
        if (++net.polls_ % kLookEvery == 0 && !job.trouble().empty()) break;
    }
    if (const std::string trouble = job.trouble(); !trouble.empty()) {
        std::fprintf(stderr, "isoplane: %s\n", trouble.c_str());
        net.close();
        std::_Exit(1);
    }
    net.close();
}

namespace {

/// To who is missing nothing fits, for as long as logical time has not gone on without him.
void too_large(Net& net, const std::string& what) {
    net.look_for_trouble();
    if (net.somebody_is_missing()) return;
    give_up("an isochron of " + what +
            " is more than hosts can have on their way: send it as several, or raise packets= in node.conf");
}

}  // namespace

void end_if_too_large(Net& net, const isotach::Isochron& isochron) {
    if (!net.job().isotach().fits(isochron)) too_large(net, std::to_string(isochron.size()) + " messages");
}

void end_if_too_large(Net& net, shmem::Isochron& isochron) {
    if (!net.job().memory().fits(isochron))
        too_large(net, std::to_string(isochron.size()) + " accesses and messages");
}

}  // namespace isoplane::compat

// Behind all others, whose words its macros are; here they are not wanted.
#include <isoplane_net.h>
#undef poll

using isoplane::compat::Net;

int isoplane_net_open(int logical_time) {
    Net& net = Net::instance();
    const auto time = static_cast<Net::Time>(logical_time);
    if (!net.open(time)) return FAILURE;
    // Others wait for what this program holds, whether it receives its notices or not.
    if (time == Net::Time::kWithMemory) net.also_poll([] { Net::instance().put_off(); });
    return SUCCESS;
}

int isoplane_net_try_close() {
    return Net::instance().try_close() ? SUCCESS : FAILURE;
}

int isoplane_net_poll() {
    Net& net = Net::instance();
    if (!net.is_open()) return FAILURE;
    net.poll();
    return net.anything_waits() ? SUCCESS : -1;
}

int isoplane_net_node_number(const char* hostname) {
    const auto& topology = *Net::instance().settings().network.topology;
    const auto node = topology.find(hostname);
    return node && topology.is_host(*node) ? *node : -1;
}

int isoplane_net_my_node_number() {
    return Net::instance().node();
}

int isoplane_net_number_of_hosts() {
    return Net::instance().hosts();
}

int isoplane_net_max_payload(int logical_time) {
    return Net::instance().max_payload(logical_time != 0);
}

int isoplane_net_siu_state() {
    return FALSE;
}

int isoplane_net_mbm_version() {
    return 2;
}
