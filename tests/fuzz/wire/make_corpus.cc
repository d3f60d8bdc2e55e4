// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Writes the seed corpus of fuzz_wire: the samples of every kind in both encapsulations, one file each.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "samples.hh"

int main(int argc, char** argv) {
    using namespace isoplane::wire;
    if (argc != 2) {
        std::fprintf(stderr, "usage: make_corpus DIRECTORY\n");
        return 2;
    }
    const std::filesystem::path directory = argv[1];
    for (const Transport transport : {Transport::kEthernet, Transport::kUdp})
        for (const auto& sample : samples::all(transport)) {
            const auto path = directory / ((transport == Transport::kUdp ? "udp_" : "eth_") + sample.name);
            std::ofstream file(path, std::ios::binary);
            file.write(reinterpret_cast<const char*>(sample.packet.data()),
                       static_cast<std::streamsize>(sample.packet.size()));
            if (!file.flush()) {
                std::fprintf(stderr, "cannot write %s: give a directory that exists and can be written to\n",
                             path.c_str());
                return 1;
            }
        }
    return 0;
}
