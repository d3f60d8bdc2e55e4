// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "links.hh"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace isoplane::run {

namespace {

/// Names of interfaces have at most 15 characters; a pid has at most 7, a rank 3.
std::string interface_name(char side, unsigned rank) {
    return "iso" + std::to_string(getpid()) + side + std::to_string(rank);
}

/// The driver of packet sockets makes a number of 16 bits of pid XOR interface index, and the kernel refuses
/// it where another interface has it already, which is likely when pids and indexes both count upwards: so
/// indexes of a job are far apart in those bits. Those above keep jobs apart.
unsigned interface_index(unsigned number, unsigned interfaces) {
    constexpr unsigned kNumbers = 1U << 16;
    const unsigned apart = kNumbers / std::bit_ceil(interfaces);
    return (static_cast<unsigned>(getpid()) & 0x7fffU) * kNumbers + number * apart;
}

/// Carries out commands of ip(8), one a line.
void run_ip(const std::string& commands, const std::string& directory, const Guard& guard) {
    const std::string script = directory + "/ip";
    std::ofstream(script) << commands;
    const char* const words[] = {"ip", "-batch", script.c_str(), nullptr};
    posix_spawn_file_actions_t inherits;
    posix_spawn_file_actions_init(&inherits);
    posix_spawn_file_actions_adddup2(&inherits, guard.lifeline(), guard.lifeline());
    pid_t pid = 0;
    const int error = posix_spawnp(&pid, "ip", &inherits, nullptr, const_cast<char**>(words), environ);
    posix_spawn_file_actions_destroy(&inherits);
    if (error != 0)
        throw std::runtime_error(std::string("ip, which makes the interfaces, does not run: ") +
                                 std::strerror(error) + ". Install iproute2, or use --link virtio.");
    int status = 0;
    waitpid(pid, &status, 0);
    if (status != 0)
        throw std::runtime_error("the pairs of interfaces cannot be made; ip said why. Use --link virtio.");
}

/// The kernel speaks IPv6 on interfaces that come up, unless told not to: frames that no rank sent.
void silence(const std::string& interface) {
    std::ofstream("/proc/sys/net/ipv6/conf/" + interface + "/disable_ipv6") << 1;
}

}  // namespace

LinkKind parse_link_kind(std::string_view word) {
    if (word == "virtio") return LinkKind::kVirtio;
    if (word == "memif") return LinkKind::kMemif;
    if (word == "direct") return LinkKind::kDirect;
    if (word != "afpacket")
        throw std::invalid_argument("--link " + std::string(word) +
                                    " does not join ranks: virtio, memif and afpacket join them to a fabric, "
                                    "and direct two of them to each other.");
    if (geteuid() != 0)
        throw std::invalid_argument(
            "--link afpacket makes interfaces, which only root can: use virtio or memif.");
    return LinkKind::kAfpacket;
}

std::vector<RankLink> rank_links(LinkKind kind, unsigned ranks, const std::string& directory) {
    std::vector<RankLink> links;
    for (unsigned rank = 0; rank < ranks; ++rank) {
        const std::string socket = directory + "/" + std::to_string(rank) + ".sock";
        switch (kind) {
            case LinkKind::kVirtio:
                links.push_back({"virtio:" + socket + ",side=vhost", "virtio:" + socket + ",side=virtio"});
                break;
            case LinkKind::kMemif:
                links.push_back({"memif:" + socket + ",role=server", "memif:" + socket + ",role=client"});
                break;
            case LinkKind::kAfpacket:
                links.push_back(
                    {"afpacket:" + interface_name('f', rank), "afpacket:" + interface_name('r', rank)});
                break;
            case LinkKind::kDirect:
                break;
        }
    }
    return links;
}

std::vector<RankLink> direct_links(const std::string& directory) {
    const std::string link = "virtio:" + directory + "/direct.sock,side=";
    return {{.fabric = "", .rank = link + "vhost"}, {.fabric = "", .rank = link + "virtio,wait=60"}};
}

void make_interfaces(unsigned ranks, unsigned mtu, const std::string& directory, const Guard& guard) {
    const auto shape = [&](unsigned number) {
        return " index " + std::to_string(interface_index(number, 2 * ranks)) + " mtu " +
               std::to_string(mtu) + " numtxqueues 1 numrxqueues 1 ";
    };
    std::string make;
    std::string raise;
    for (unsigned rank = 0; rank < ranks; ++rank) {
        const std::string ours = interface_name('f', rank);
        const std::string theirs = interface_name('r', rank);
        guard.enter_interface(ours);  // its peer goes with it
        make += "link add name " + ours + shape(rank) + "type veth peer name " + theirs +
                shape(ranks + rank) + '\n';
        raise += "link set " + ours + " up\nlink set " + theirs + " up\n";
    }
    run_ip(make, directory, guard);
    for (unsigned rank = 0; rank < ranks; ++rank) {
        silence(interface_name('f', rank));
        silence(interface_name('r', rank));
    }
    run_ip(raise, directory, guard);
}

}  // namespace isoplane::run
