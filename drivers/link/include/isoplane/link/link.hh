// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include <isoplane/link/spec.hh>
#include <isoplane/runtime/edge.hh>
#include <isoplane/runtime/pool.hh>
#include <isoplane/share/identity.hh>

namespace isoplane::link {

using Mac = std::array<std::uint8_t, 6>;

struct LinkOptions {
    runtime::Pool* pool = nullptr;  ///< received packets come from here; outlives the link
    unsigned rx_descriptors = 1024;
    unsigned tx_descriptors = 1024;
    unsigned mtu = 1500;         ///< more than the link allows is an error
    unsigned wait_seconds = 10;  ///< how long the second side of a socket waits for the first
    share::Identity identity{};  ///< who this is at a shared node
};

/// What the port itself counts, by ethdev's names, and what the link adds.
struct LinkStats {
    std::uint64_t ipackets = 0;
    std::uint64_t opackets = 0;
    std::uint64_t ibytes = 0;
    std::uint64_t obytes = 0;
    std::uint64_t imissed = 0;
    std::uint64_t ierrors = 0;
    std::uint64_t oerrors = 0;
    std::uint64_t rx_nombuf = 0;
    std::uint64_t linearised = 0;  ///< chained packets copied into one piece, as the port sends no others
    std::uint64_t oversized = 0;   ///< packets freed instead of sent, longer than the port takes
};

/// An open port: where a stage takes packets from and puts them.
///
/// Everything but the two edges belongs to the control thread. The edges belong to the lcore that polls them,
/// and are not touched while the link is not started. Destruction closes the port and gives every packet in
/// it back to its pool.
class Link {
  public:
    static constexpr std::uint16_t kNoPort = 0xffff;

    virtual ~Link() = default;
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    const std::string& name() const noexcept { return name_; }
    const LinkSpec& spec() const noexcept { return spec_; }
    const Mac& mac() const noexcept { return mac_; }
    unsigned mtu() const noexcept { return mtu_; }

    virtual runtime::Input& input() noexcept = 0;
    virtual runtime::Output& output() noexcept = 0;

    /// Throws std::runtime_error. A peer that is not there yet is no error: up() tells.
    virtual void start() = 0;
    /// What is on its way is sent or freed. Harmless when the link is not started.
    virtual void stop() = 0;

    /// Packets sent now would reach somebody.
    virtual bool up() const = 0;
    /// The source is exhausted: a file that has been read to its end. Others never end.
    virtual bool ended() const { return false; }
    /// A sentence about what the link lost for good since it was opened, such as the tail of a file on a full
    /// disk; empty when all is well. Complete after stop().
    virtual std::string failure() const { return {}; }

    virtual LinkStats stats() const = 0;
    /// On the lcore that polls the link, or while it does not.
    virtual void clear_stats() = 0;
    /// The ethdev port, or kNoPort for a link that is none.
    virtual std::uint16_t port_id() const noexcept { return kNoPort; }

    /// Adds name, spec, address, state and statistics to `out`, an object.
    void describe(nlohmann::json& out) const;

  protected:
    Link(std::string name, LinkSpec spec) : name_(std::move(name)), spec_(std::move(spec)) {}

    Mac mac_{};
    unsigned mtu_ = 0;

  private:
    std::string name_;
    LinkSpec spec_;
};

/// Opens and configures one link; start() makes it run. Throws std::invalid_argument for a spec that can
/// never work and std::runtime_error for what the machine does not have at present, both with what to do.
/// Links over sockets (virtio, memif) have the process ignore SIGPIPE from here on, unless it handles it.
std::unique_ptr<Link> open_link(const LinkSpec& spec, const std::string& name, const LinkOptions& options);

/// Opens all links of a node, named link0, link1, and so on. A ring named twice joins the two links that name
/// it; a ring named once leads back to itself. Throws as open_link() does, with the others closed again.
std::vector<std::unique_ptr<Link>> open_links(const std::vector<LinkSpec>& specs, const LinkOptions& options);

/// The NICs that `specs` name: what runtime::EalOptions::pci has to list for them to be opened.
std::vector<std::string> pci_devices(const std::vector<LinkSpec>& specs);

/// Where the pool for links of these kinds has to be. Throws std::invalid_argument for a link that has to be
/// alone with its pool and is not.
runtime::Pool::Place place_of_pool(const std::vector<LinkSpec>& specs);

}  // namespace isoplane::link
