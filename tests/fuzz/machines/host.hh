// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/isotach/isotach.hh>
#include <isoplane/membership/host.hh>
#include <isoplane/niu/dispatcher.hh>
#include <isoplane/noniso/barrier.hh>
#include <isoplane/noniso/direct_endpoint.hh>
#include <isoplane/shmem/memory.hh>
#include <isoplane/topology/builders.hh>
#include <optional>
#include <vector>

#include "memory_words.hh"
#include "strangers.hh"

namespace isoplane::fuzz {

inline const topology::Topology& network() {
    static const topology::Topology topology = topology::single_switch(kHosts);
    return topology;
}
inline const topology::Paths& paths() {
    static const topology::Paths paths(network());
    return paths;
}

/// With all that it does in logical time, and a program that does what it is told.
class Host {
  public:
    Host(bool survives, bool manages, wire::Transport transport)
        : sink(transport),
          niu_("niu", source, sink, pool(), niu_options(manages, transport)),
          dispatcher_(niu_),
          barrier_(niu_),
          siu_(niu_, paths(), {.exchange = {.in_views = survives}}),
          isotach_(niu_, siu_, pool(), {.most_outstanding = 64, .max_message = 1U << 16}),
          answers_(niu_, barrier_, wire::Protocol::kShmem),
          memory_(shmem::Pages(topology::parse_shmem_map("0: 0, 1;\n1: 1, 2;\n2: 0, 1, 2;\n"), paths(), kHere,
                               {.pages = kPages, .page_words = kPageWords}),
                  isotach_, answers_) {
        dispatcher_.attach(wire::Protocol::kControl, &barrier_);
        dispatcher_.attach(wire::Protocol::kShmem, &memory_);
        isotach_.attach_to(dispatcher_);
        if (survives)
            membership_.emplace(
                niu_, siu_, isotach_, paths(), tm::ExchangeOptions{},
                membership::Options{.limit = 5ms, .plays = manages ? NodeId{kHosts} : wire::kNoNode});
    }
    ~Host() {
        isochron_.reset();
        reads_.clear();
        for (noniso::Received message; answers_.receive(message);)
            answers_.release(message);
        isotach_.discard();
        niu_.discard();
    }

    void pass(runtime::Duration time) {
        now_ += time;
        niu_.poll(now_);
        dispatcher_.dispatch();
        if (!memory_.hurries()) isotach_.poll(now_);
        if (membership_) membership_->poll(now_);
        barrier_.poll();
        memory_.poll();
        for (isotach::Delivery delivery; memory_.receive(delivery);)
            memory_.release(delivery);
        std::erase_if(reads_, [](const auto& read) { return read.ready(); });
    }

    /// As a program would, whatever comes of it.
    void act(Bytes& in) {
        const auto channel = in.take<std::uint8_t>() % 8U;
        switch (in.take<std::uint8_t>() % 10) {
            case 0:
                isotach_.register_signal(channel);
                break;
            case 1:
                isotach_.send_signal(channel);
                break;
            case 2:
                isotach_.join_barrier(channel, isotach::BarrierMode::kWeak);
                break;
            case 3:
                isotach_.enter_barrier(channel);
                break;
            case 4:
                isotach_.leave_barrier(channel);
                break;
            case 5:
                barrier_.enter();
                break;
            case 6:
                niu_.send(static_cast<NodeId>(1 + channel % 2), wire::Protocol::kNoniso,
                          in.take(channel * 100));
                break;
            case 7:
                niu_.close();
                break;
            default:
                access(in);
        }
    }

    const siu::Siu& siu() const { return siu_; }

    Source source;
    Sink sink;

  private:
    void access(Bytes& in) {
        if (!isochron_) isochron_.emplace(memory_);
        try {
            for (auto n = in.take<std::uint8_t>() % 4U; n > 0; --n) {
                const shmem::Variable<std::uint32_t> at{in.take<std::uint8_t>() % (kPages * kPageWords + 1)};
                switch (in.take<std::uint8_t>() % 6) {
                    case 0:
                        reads_.push_back(isochron_->read(at));
                        break;
                    case 1:
                        isochron_->write(at, 1);
                        break;
                    case 2:
                        isochron_->sched(at);
                        break;
                    case 3:
                        isochron_->assign(at, 2);
                        break;
                    case 4:
                        reads_.push_back(isochron_->fetch_add(at, 1));
                        break;
                    default:
                        isochron_->message(static_cast<NodeId>(in.take<std::uint8_t>() % kHosts),
                                           in.take(40));
                }
            }
        } catch (const shmem::Misuse&) {
        }
        memory_.issue(*isochron_);
    }

    runtime::Time now_{1s};
    niu::Niu niu_;
    niu::Dispatcher dispatcher_;
    noniso::Barrier barrier_;
    siu::Siu siu_;
    isotach::Isotach isotach_;
    noniso::DirectEndpoint answers_;
    shmem::Memory memory_;
    std::optional<membership::Host> membership_;
    std::vector<shmem::Future<std::uint32_t>> reads_;
    std::optional<shmem::Isochron> isochron_;
};

}  // namespace isoplane::fuzz
