// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// A program of a job that sends isochrons to all hosts, itself too, until so many hosts have left: survivor
// LOSSES [patient]. Then it sends some more, and ends when it has received those of all who are left. What it
// receives it digests, with the times: whoever is left at the end has received the same. One that is patient
// does not end while logical time stands still, and must receive nothing then.
//
// It prints lines of JSON: "ready" when it has received something of all, now and then how much that is, one
// for each host that leaves, how much it has received when time stands still and when it moves again, and the
// digest.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <isoplane/job/job.hh>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace isoplane {

namespace {

using Json = nlohmann::json;

constexpr unsigned kUnderWay = 16;
constexpr unsigned kMore = 1000;  ///< after the last loss
constexpr unsigned kLookEvery = 4096;
constexpr unsigned kTellEvery = 20000;

void say(const Json& line) {
    std::printf("%s\n", line.dump().c_str());
    std::fflush(stdout);
}

struct Message {
    std::uint64_t number = 0;  ///< from 1, of the sender's
    std::uint64_t last = 0;    ///< nothing follows
};

class Survivor {
  public:
    Survivor(job::Job& job, unsigned losses, bool patient)
        : job_(job),
          losses_(losses),
          patient_(patient),
          hosts_(job.size()),
          isochron_(job.isotach().isochron()) {}

    void live() {
        while (!finished()) {
            send();
            receive();
            job_.poll();
            if (++polls_ % kLookEvery == 0 || stands_) look();
        }
    }
    Json verdict() const {
        return {{"node", job_.node()}, {"digest", digest_}, {"received", received_}, {"sent", sent_}};
    }

  private:
    struct Host {
        std::uint64_t next = 1;  ///< expected of it
        bool left = false;
        bool done = false;
    };

    bool sends_last() const { return left_ >= losses_ && after_ + 1 == kMore; }

    void look() {
        const std::string trouble = job_.trouble();
        if (!trouble.empty() && (!patient_ || !trouble.starts_with("logical time stands still")))
            throw std::runtime_error(trouble);
        if (stands_ == !trouble.empty()) return;
        stands_ = !stands_;
        say({{stands_ ? "stands" : "moves", received_}});
    }

    void send() {
        if (after_ == kMore || sent_ - own_ >= kUnderWay) return;
        if (isochron_.empty()) {
            const Message message{sent_ + 1, sends_last() ? 1U : 0U};
            std::byte bytes[sizeof message];
            std::memcpy(bytes, &message, sizeof message);
            for (std::size_t host = 0; host < hosts_.size(); ++host)
                if (!hosts_[host].left && !isochron_.add(static_cast<niu::NodeId>(host), bytes))
                    return isochron_.clear();
        }
        if (!job_.isotach().send(isochron_)) return job_.isotach().forget_lost(isochron_);
        ++sent_;
        if (left_ >= losses_) ++after_;
    }

    void receive() {
        for (isotach::Delivery delivery; job_.isotach().receive(delivery); job_.isotach().release(delivery)) {
            if (stands_) look();
            if (stands_) throw std::runtime_error("something was received while time stood still");
            if (delivery.kind == isotach::DeliveryKind::kLeft) {
                hosts_.at(delivery.channel).left = true;
                ++left_;
                digest(delivery, 0);
                say({{"left", delivery.channel},
                     {"pulse", delivery.time.pulse},
                     {"view", delivery.isochron}});
            } else if (delivery.kind == isotach::DeliveryKind::kMessage) {
                take(delivery);
            }
        }
    }

    void take(const isotach::Delivery& delivery) {
        Message message;
        std::memcpy(&message, delivery.data.data(), sizeof message);
        Host& host = hosts_[delivery.time.host];
        if (message.number != host.next++)
            throw std::runtime_error("host " + std::to_string(delivery.time.host) + " sent number " +
                                     std::to_string(message.number) + " out of turn");
        host.done = message.last != 0;
        if (delivery.time.host == job_.node()) ++own_;
        ++received_;
        digest(delivery, message.number);
        if (received_ % kTellEvery == 0) say({{"goes_on", received_}});
        bool all = true;
        for (const Host& each : hosts_)
            all = all && each.next > kMore;
        if (all && !ready_) say({{"ready", getpid()}});
        ready_ = ready_ || all;
    }

    void digest(const isotach::Delivery& delivery, std::uint64_t number) {
        for (const std::uint64_t word : {delivery.time.pulse, std::uint64_t{delivery.time.host}, number})
            digest_ = (digest_ ^ word) * 0xff51afd7ed558ccd + (digest_ >> 29);
    }

    bool finished() const {
        if (left_ < losses_) return false;
        for (const Host& host : hosts_)
            if (!host.left && !host.done) return false;
        return isochron_.empty() && sent_ == own_;
    }

    job::Job& job_;
    unsigned losses_;
    bool patient_;
    std::vector<Host> hosts_;
    isotach::Isochron isochron_;
    std::uint64_t sent_ = 0;
    std::uint64_t own_ = 0;  ///< of them, received
    std::uint64_t received_ = 0;
    std::uint64_t digest_ = 0;
    unsigned left_ = 0;
    unsigned after_ = 0;  ///< sent since the last loss
    unsigned polls_ = 0;
    bool ready_ = false;
    bool stands_ = false;  ///< as it has last been told
};

void run(unsigned losses, bool patient) {
    job::Settings settings = job::settings_from_environment();
    settings.logical_time = true;
    job::Job job(std::move(settings));
    job.join();
    {
        Survivor survivor(job, losses, patient);
        survivor.live();
        say(survivor.verdict());
    }
    while (!job.try_close()) {
        for (isotach::Delivery unread; job.isotach().receive(unread);)
            job.isotach().release(unread);
        job.poll();
    }
}

}  // namespace

}  // namespace isoplane

int main(int argc, char** argv) {
    try {
        const bool patient = argc == 3 && std::string(argv[2]) == "patient";
        if (argc != (patient ? 3 : 2)) throw std::runtime_error("say survivor LOSSES [patient]");
        isoplane::run(static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)), patient);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "survivor: %s\n", error.what());
        return 1;
    }
}
