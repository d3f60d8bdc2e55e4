// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// A program of a job of which node VICTIM dies and is started again: returner VICTIM. All send isochrons to
// all and change shared memory with them, of which all have copies. One variable is scheduled by node 0, and
// added to by all, before VICTIM is back, and assigned afterwards. Of what has been written since VICTIM
// joined each digests what it receives; at the end, what is in its own copies. All, VICTIM's new life too,
// come to the same. What was written before may be issued after, and is not for VICTIM.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <isoplane/job/job.hh>
#include <isoplane/topology/shmem_map.hh>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace isoplane {

namespace {

using Json = nlohmann::json;

constexpr std::uint32_t kPages = 40;
constexpr std::uint32_t kWords = kPages * shmem::kDefaultPageWords;
constexpr shmem::Variable<std::uint32_t> kScheduled{0};
constexpr std::uint32_t kAssigned = 1000;
constexpr unsigned kUnderWay = 16;
constexpr unsigned kMore = 1000;  ///< after the victim is back
constexpr unsigned kLookEvery = 4096;

void say(const Json& line) {
    std::printf("%s\n", line.dump().c_str());
    std::fflush(stdout);
}

struct Message {
    std::uint64_t number = 0;
    std::uint64_t after = 0;  ///< of those that are sent since the victim is back; 0 of one before
};

class Returner {
  public:
    Returner(job::Job& job, niu::NodeId victim)
        : job_(job), victim_(victim), hosts_(job.size()), isochron_(job.memory().isochron()) {}

    void live() {
        schedule();
        while (!finished()) {
            send();
            poll();
        }
        digest_memory();
    }
    Json verdict() const {
        return {{"node", job_.node()}, {"digest", digest_}, {"memory", memory_}, {"pulse", joined_at_}};
    }

  private:
    struct Host {
        bool left = false;
        bool heard = false;
        bool done = false;
    };

    /// As soon as it is clear that there was no life of the victim before.
    void schedule() {
        poll();
        if (joined_ || job_.node() == victim_) return;
        if (job_.node() == 0) isochron_.sched(kScheduled);
        if (job_.node() == 0) issue();
        isochron_.fetch_add(kScheduled, 1);
        issue();
    }
    void issue() {
        while (!job_.memory().issue(isochron_))
            poll();
    }
    void poll() {
        job_.poll();
        receive();
        if (++polls_ % kLookEvery != 0) return;
        if (const std::string trouble = job_.trouble(); !trouble.empty()) throw std::runtime_error(trouble);
    }

    void send() {
        if (after_ == kMore || sent_ - own_ >= kUnderWay) return;
        if (isochron_.empty()) {
            if (joined_ && after_ == 0 && job_.node() == 0) isochron_.assign(kScheduled, kAssigned);
            const Message message{sent_ + 1, joined_ ? after_ + 1 : 0};
            is_after_ = joined_;
            const std::uint64_t some = (sent_ + 1) * 0x9e3779b97f4a7c15 + job_.node();
            const auto at = static_cast<std::uint32_t>(2 + (some >> 20) % (kWords - 2));
            isochron_.fetch_add(shmem::Variable<std::uint32_t>{at}, static_cast<std::uint32_t>(some));
            std::byte bytes[sizeof message];
            std::memcpy(bytes, &message, sizeof message);
            for (std::size_t host = 0; host < hosts_.size(); ++host)
                if (!hosts_[host].left) isochron_.message(static_cast<niu::NodeId>(host), bytes);
        }
        if (!job_.memory().issue(isochron_)) return;
        ++sent_;
        if (is_after_) ++after_;
    }

    void receive() {
        for (isotach::Delivery next; job_.memory().receive(next); job_.memory().release(next)) {
            if (next.kind == isotach::DeliveryKind::kLeft) {
                hosts_.at(next.channel) = {.left = true};
                digest(next, 1);
                say({{"left", next.channel}, {"pulse", next.time.pulse}, {"view", next.isochron}});
            } else if (next.kind == isotach::DeliveryKind::kJoined) {
                join(next);
            } else if (next.kind == isotach::DeliveryKind::kMessage) {
                take(next);
            }
        }
    }

    void join(const isotach::Delivery& notice) {
        say({{"joined", notice.channel}, {"pulse", notice.time.pulse}, {"view", notice.isochron}});
        if (notice.channel != victim_) throw std::runtime_error("another host has joined");
        hosts_[victim_] = {};
        joined_ = true;
        joined_at_ = notice.time.pulse;
        digest_ = 0;
    }

    void take(const isotach::Delivery& delivery) {
        Message message;
        std::memcpy(&message, delivery.data.data(), sizeof message);
        Host& host = hosts_[delivery.time.host];
        host.heard = true;
        host.done = message.after == kMore;
        if (delivery.time.host == job_.node()) ++own_;
        if (message.after != 0) digest(delivery, message.number);
        bool all = true;
        for (const Host& each : hosts_)
            all = all && each.heard;
        if (all && !ready_ && own_ > kMore) {
            ready_ = true;
            say({{"ready", getpid()}});
        }
    }

    void digest(const isotach::Delivery& delivery, std::uint64_t number) {
        for (const std::uint64_t word : {delivery.time.pulse, std::uint64_t{delivery.time.host}, number})
            digest_ = (digest_ ^ word) * 0xff51afd7ed558ccd + (digest_ >> 29);
    }

    void digest_memory() {
        for (std::uint32_t at = 0; at < kWords; at += shmem::kDefaultPageWords) {
            const auto block = isochron_.read({at, shmem::kDefaultPageWords});
            issue();
            while (!block.ready())
                poll();
            for (const std::uint32_t word : block.words())
                memory_ = (memory_ ^ word) * 0xff51afd7ed558ccd + (memory_ >> 29);
        }
        const auto scheduled = isochron_.read(kScheduled);
        issue();
        while (!scheduled.ready())
            poll();
        if (scheduled.value() < kAssigned) throw std::runtime_error("what was assigned is not there");
    }

    bool finished() const {
        if (!joined_ || after_ != kMore || sent_ != own_) return false;
        for (const Host& host : hosts_)
            if (!host.left && !host.done) return false;
        return true;
    }

    job::Job& job_;
    niu::NodeId victim_;
    std::vector<Host> hosts_;
    shmem::Isochron isochron_;
    std::uint64_t sent_ = 0;
    std::uint64_t own_ = 0;  ///< of them, received
    std::uint64_t digest_ = 0;
    std::uint64_t memory_ = 0;
    std::uint64_t joined_at_ = 0;
    unsigned after_ = 0;  ///< sent since the victim is back
    unsigned polls_ = 0;
    bool is_after_ = false;
    bool joined_ = false;
    bool ready_ = false;
};

void run(niu::NodeId victim) {
    job::Settings settings = job::settings_from_environment();
    settings.shared_memory = true;
    std::string all;
    for (std::size_t host = 0; host < settings.hosts().size(); ++host)
        all += (host == 0 ? "" : ", ") + std::to_string(host);
    settings.network.shmem =
        topology::parse_shmem_map("0-" + std::to_string(kPages - 1) + ": " + all + ";\n");
    job::Job job(std::move(settings));
    job.join();
    {
        Returner returner(job, victim);
        returner.live();
        say(returner.verdict());
    }
    while (!job.try_close()) {
        for (isotach::Delivery unread; job.memory().receive(unread);)
            job.memory().release(unread);
        job.poll();
    }
}

}  // namespace

}  // namespace isoplane

int main(int argc, char** argv) {
    try {
        if (argc != 2) throw std::runtime_error("say returner VICTIM");
        isoplane::run(static_cast<isoplane::niu::NodeId>(std::strtoul(argv[1], nullptr, 10)));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "returner: %s\n", error.what());
        return 1;
    }
}
