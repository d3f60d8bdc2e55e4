// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <chrono>
#include <string>

#include <isoplane/fabric/egress.hh>
#include <isoplane/runtime/edge.hh>
#include <isoplane/sim/scheduler.hh>
#include <isoplane/sim/trace.hh>

namespace isoplane::sim {

struct LinkModel {
    runtime::Duration latency = std::chrono::microseconds{1};  ///< each way, beside an impairment's delay
    fabric::Impairment a_to_b{};
    fabric::Impairment b_to_a{};
    unsigned capacity = 1024;  ///< frames under way in one direction, rounded up to a power of two
};

/// What links of one world share.
struct Ground {
    std::uint64_t seed;
    runtime::Pool& pool;
    Scheduler& scheduler;
    Trace& trace;
};

/// One direction of a link: a queue of mbufs with the fabric's impairments. Full, it refuses, as a transmit
/// queue does; Impairment::queue and capacity say when.
class Channel {
  public:
    Channel(const std::string& name, std::uint32_t number, const Ground& ground, const LinkModel& model,
            const fabric::Impairment& impairment);

    runtime::Input& input() noexcept { return input_; }
    runtime::Output& output() noexcept { return output_; }
    void set(const fabric::Impairment& impairment) noexcept;
    void wakes(Scheduler::Unit receiver) noexcept { receiver_ = receiver; }

    runtime::Time next_due() const noexcept { return egress_.next_due(); }
    unsigned held() const noexcept { return egress_.held(); }
    std::size_t discard() noexcept { return egress_.discard(); }
    const fabric::EgressCounters& counters() const noexcept { return egress_.counters(); }

  private:
    class Head final : public runtime::Input {
      public:
        Head(const std::string& name, Channel& channel) : Input(name), channel_(channel) {}
        unsigned waiting() const noexcept override { return channel_.held(); }

      private:
        std::uint16_t do_receive(rte_mbuf** packets, std::uint16_t room) noexcept override {
            return channel_.take(packets, room);
        }
        Channel& channel_;
    };
    class Tail final : public runtime::Output {
      public:
        Tail(const std::string& name, Channel& channel) : Output(name), channel_(channel) {}

      private:
        std::uint16_t do_send(rte_mbuf** packets, std::uint16_t n) noexcept override {
            return channel_.put(packets, n);
        }
        Channel& channel_;
    };

    std::uint16_t put(rte_mbuf** packets, std::uint16_t n) noexcept;
    std::uint16_t take(rte_mbuf** packets, std::uint16_t room) noexcept;
    void wake_receiver() noexcept;

    std::uint32_t number_;
    runtime::Duration latency_;
    Scheduler& scheduler_;
    Trace& trace_;
    Scheduler::Unit receiver_ = Scheduler::kNobody;
    fabric::Egress egress_;
    Head input_;
    Tail output_;
};

/// A link between two stages of a world: what goes out at one end comes in at the other.
class Link {
  public:
    /// What a stage at one end is given.
    struct End {
        runtime::Input& input;
        runtime::Output& output;
    };

    /// World::connect() makes links; `number` and the one after it number its channels.
    Link(const std::string& name, std::uint32_t number, const Ground& ground, const LinkModel& model)
        : a_to_b_(name + ">", number, ground, model, model.a_to_b),
          b_to_a_(name + "<", number + 1, ground, model, model.b_to_a) {}

    End a() noexcept { return {b_to_a_.input(), a_to_b_.output()}; }
    End b() noexcept { return {a_to_b_.input(), b_to_a_.output()}; }
    Channel& a_to_b() noexcept { return a_to_b_; }
    Channel& b_to_a() noexcept { return b_to_a_; }

  private:
    Channel a_to_b_;
    Channel b_to_a_;
};

}  // namespace isoplane::sim
