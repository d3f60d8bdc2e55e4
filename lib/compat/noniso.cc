// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cstdio>
#include <cstdlib>
#include <isoplane/job/job.hh>
#include <memory>
#include <optional>

// Behind all others, whose words its macros are; here they are not wanted.
#include "include/noniso.h"
#undef send
#undef receive
#undef poll

namespace isoplane::compat {

namespace {

/// These interfaces have one connection a program, and no word for a peer that has died: a program that tried
/// again would do so for ever. So it ends, as a program does whose MPI has lost a rank.
[[noreturn]] void give_up(const std::string& sentence) {
    std::fflush(stdout);
    std::fprintf(stderr, "isoplane: %s\n", sentence.c_str());
    std::exit(1);
}

class Net {
  public:
    static Net& instance() {
        static Net net;
        return net;
    }

    const job::Settings& settings() {
        if (!settings_) {
            try {
                settings_ = job::settings_from_environment();
            } catch (const std::exception& error) {
                give_up(error.what());
            }
        }
        return *settings_;
    }

    bool open() const noexcept { return job_ != nullptr; }
    job::Job& job() noexcept { return *job_; }
    int max_payload() {
        return static_cast<int>(settings().mtu - wire::kHeaderSize - wire::kMessageHeaderSize);
    }

    int open_net() {
        if (open() || closed_) return FAILURE;
        try {
            job_ = std::make_unique<job::Job>(settings());
            job_->join();
        } catch (const std::exception& error) {
            give_up(error.what());
        }
        return SUCCESS;
    }

    int try_close() {
        if (closed_) return SUCCESS;
        if (!open()) return FAILURE;
        poll();
        if (!job_->try_close()) return FAILURE;
        release_last();
        if (const std::string trouble = job_->trouble(); !trouble.empty()) give_up(trouble);
        job_.reset();
        closed_ = true;
        return SUCCESS;
    }

    /// Every so often: a look at whether all peers live.
    void poll() {
        job_->poll();
        if (++polls_ % kLookEvery != 0) return;
        if (const std::string trouble = job_->trouble(); !trouble.empty()) give_up(trouble);
    }

    int send(int target, const void* data, int size) {
        if (!open() || target < 0 || target >= static_cast<int>(job_->size()) || target == job_->node())
            return FAILURE;
        if (size < 0 || size > max_payload()) return FAILURE;
        const std::span message(static_cast<const std::byte*>(data), static_cast<std::size_t>(size));
        if (job_->messages().send(static_cast<niu::NodeId>(target), message)) return SUCCESS;
        poll();
        return FAILURE;
    }

    int receive(noniso_mbm& out) {
        if (!open()) return FAILURE;
        release_last();
        noniso::Endpoint& messages = job_->messages();
        niu::Received message;
        if (!messages.receive(message)) {
            poll();
            if (!messages.receive(message)) return -1;
        }
        out.sender_id = message.source;
        out.size = static_cast<int>(message.size);
        if (message.data.size() <= sizeof out.msg.data) {
            out.msg.data_ptr = nullptr;
            std::copy(message.data.begin(), message.data.end(), reinterpret_cast<std::byte*>(&out.msg.data));
            messages.release(message);
        } else {
            // A program may scribble over what it received.
            out.msg.data_ptr = const_cast<std::byte*>(message.data.data());
            last_ = message;
        }
        return SUCCESS;
    }

  private:
    static constexpr unsigned kLookEvery = 4096;

    void release_last() {
        if (last_) job_->messages().release(*last_);
        last_.reset();
    }

    std::optional<job::Settings> settings_;
    std::unique_ptr<job::Job> job_;
    std::optional<niu::Received> last_;  ///< valid until the next receive
    unsigned polls_ = 0;
    bool closed_ = false;
};

}  // namespace

}  // namespace isoplane::compat

using isoplane::compat::Net;

int isoplane_noniso_open() {
    return Net::instance().open_net();
}

int isoplane_noniso_try_close() {
    return Net::instance().try_close();
}

int isoplane_noniso_poll() {
    Net& net = Net::instance();
    if (!net.open()) return FAILURE;
    net.poll();
    return net.job().messages().waiting() ? SUCCESS : -1;
}

int isoplane_noniso_node_number(const char* hostname) {
    const auto& topology = *Net::instance().settings().network.topology;
    const auto node = topology.find(hostname);
    return node && topology.is_host(*node) ? *node : -1;
}

int isoplane_noniso_my_node_number() {
    return Net::instance().settings().node();
}

int isoplane_noniso_number_of_hosts() {
    return static_cast<int>(Net::instance().settings().network.topology->host_count());
}

int isoplane_noniso_max_payload() {
    return Net::instance().max_payload();
}

int isoplane_noniso_siu_state() {
    return FALSE;
}

int isoplane_noniso_mbm_version() {
    return 2;
}

int isoplane_noniso_send(int target, const void* data, int size) {
    return Net::instance().send(target, data, size);
}

int isoplane_noniso_receive(noniso_mbm* message) {
    return Net::instance().receive(*message);
}

int isoplane_noniso_initiate_barrier() {
    Net& net = Net::instance();
    return net.open() && net.job().messages().enter_barrier() ? SUCCESS : FAILURE;
}

int isoplane_noniso_barrier_completed() {
    Net& net = Net::instance();
    if (!net.open()) return FAILURE;
    if (net.job().messages().barrier() == isoplane::noniso::BarrierState::kRunning) net.poll();
    return net.job().messages().barrier() == isoplane::noniso::BarrierState::kComplete ? SUCCESS : FAILURE;
}
