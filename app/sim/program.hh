// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/fabric/random.hh>
#include <isoplane/isotach/isotach.hh>
#include <string>
#include <vector>

#include "sim/history.hh"
#include "sim/scenario.hh"

namespace isoplane::sim {

/// The user of a simulated host: issues isochrons, registers, clears and sends signals, takes part in
/// barriers, as its seed says, keeps what it receives for a while, and writes down all that happens.
class Program {
  public:
    /// At the host with that NIU: it sends to those that this one talks to.
    Program(isotach::Isotach& isotach, const niu::Options& options, const Scenario& scenario,
            std::vector<Event>& events);
    ~Program();

    unsigned poll(runtime::Time now);

    /// It has issued all that it was to, and lets go of what it received.
    bool has_finished() const { return to_issue_ == 0 && isochron_.empty() && kept_.empty(); }
    /// What has gone wrong that no history shows; empty while all is well.
    const std::string& complaint() const { return complaint_; }

    std::uint64_t delivered() const { return delivered_; }
    std::uint64_t issued() const { return issued_; }      ///< isochrons
    std::uint64_t messages() const { return messages_; }  ///< in them

  private:
    struct Kept {
        isotach::Delivery delivery;
        std::uint64_t content;
    };

    unsigned receive();
    void note(const isotach::Delivery& delivery);
    void release(std::size_t n);
    unsigned send();
    void build();
    std::uint64_t some_parts();
    std::uint16_t some_host(std::uint64_t part);
    bool issue();
    void act();
    void change_mind();
    void change_registration(std::uint8_t signal);
    bool join(std::uint8_t barrier);
    bool enter(std::uint8_t barrier);
    void leave(std::uint8_t barrier);
    Pulse received() const;
    std::size_t some_size(std::uint16_t to);
    void fill(std::span<std::byte> out);

    isotach::Isotach& isotach_;
    std::uint16_t host_;
    std::vector<std::uint16_t> known_;  ///< hosts, itself among them
    std::uint16_t next_ = 0;            ///< of these, after itself
    Traffic traffic_;
    fabric::Random random_;
    std::vector<Event>& events_;
    isotach::Isochron isochron_;
    std::vector<Part> parts_;  ///< of isochron_
    unsigned to_issue_;
    runtime::Time until_ = runtime::Time::max();  ///< it issues isochrons
    std::vector<Kept> kept_;
    Pulse last_ = 0;  ///< that anything was received of
    std::uint64_t delivered_ = 0;
    std::uint64_t issued_ = 0;
    std::uint64_t messages_ = 0;
    std::string complaint_;
};

/// A number that stands for the bytes.
std::uint64_t content_of(std::span<const std::byte> bytes);

}  // namespace isoplane::sim
