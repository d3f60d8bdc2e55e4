// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "example.hh"

#include <boost/program_options/parsers.hpp>
#include <boost/program_options/variables_map.hpp>
#include <cstdio>
#include <iostream>
#include <isoplane/topology/shmem_map.hh>

namespace isoplane::example {

namespace po = boost::program_options;

namespace {

constexpr shmem::Variable<std::uint32_t> kHere{0};  ///< how many have come to meetings

job::Settings settings(std::uint32_t pages,
                       const std::function<std::string(std::uint32_t, std::uint32_t)>& copyset) {
    job::Settings settings = job::settings_from_environment();
    const auto hosts = static_cast<std::uint32_t>(settings.hosts().size());
    std::string map = "0: " + everywhere(0, hosts) + ";\n";
    for (std::uint32_t page = 1; page <= pages; ++page)
        map += std::to_string(page) + ": " + copyset(page, hosts) + ";\n";
    settings.shared_memory = true;
    settings.network.shmem = topology::parse_shmem_map(map);
    return settings;
}

}  // namespace

std::string everywhere(std::uint32_t /*page*/, std::uint32_t hosts) {
    std::string all = "0";
    for (std::uint32_t host = 1; host < hosts; ++host)
        all += ", " + std::to_string(host);
    return all;
}

std::string at_two(std::uint32_t page, std::uint32_t hosts) {
    const std::string first = std::to_string(page % hosts);
    return hosts == 1 ? first : first + ", " + std::to_string((page + 1) % hosts);
}

Host::Host(std::uint32_t pages, const std::function<std::string(std::uint32_t, std::uint32_t)>& copyset)
    : job_(settings(pages, copyset)) {
    job_.join();
}

void Host::poll() {
    constexpr unsigned kLookEvery = 4096;
    job_.poll();
    if (++polls_ % kLookEvery != 0) return;
    if (const std::string trouble = job_.trouble(); !trouble.empty()) throw std::runtime_error(trouble);
}

void Host::issue(shmem::Isochron& isochron) {
    while (!job_.memory().issue(isochron))
        poll();
}

void Host::wait(const shmem::AnyFuture& future) {
    while (!future.ready())
        poll();
}

/// In logical time, as a barrier outside it says nothing about what has been executed.
void Host::meet() {
    shmem::Isochron isochron = this->isochron();
    isochron.fetch_add(kHere, 1);
    issue(isochron);
    ++meetings_;
    for (std::uint32_t here = 0; here < meetings_ * nodes();) {
        const auto now_here = isochron.read(kHere);
        issue(isochron);
        here = value(now_here);
        poll();
    }
}

void Host::leave() {
    while (!job_.try_close())
        poll();
}

void add_number(po::options_description& options, const char* name, unsigned& value, unsigned most,
                const char* text) {
    const auto check = [name, &value, most](long number) {
        if (number < 1 || number > static_cast<long>(most))
            throw po::error("--" + std::string(name) + " " + std::to_string(number) +
                            " does not fit: give a whole number from 1 to " + std::to_string(most));
        value = static_cast<unsigned>(number);
    };
    options.add_options()(name, po::value<long>()->value_name("N")->default_value(value)->notifier(check),
                          text);
}

int run(int argc, char** argv, const About& about, po::options_description& options,
        const std::function<void(Host&)>& example) {
    options.add_options()("help,h", "print this");
    po::variables_map values;
    try {
        po::store(po::parse_command_line(argc, argv, options), values);
        if (values.count("help") != 0) {
            std::cout << "Usage: isoplane run -n " << std::max(2U, about.least_nodes) << " -- " << about.name
                      << " [OPTION...]\n\n"
                      << about.text << "\n\n"
                      << options;
            return 0;
        }
        po::notify(values);
    } catch (const po::error& error) {
        std::fprintf(stderr, "%s: %s. Run `%s --help` for the options there are.\n", about.name, error.what(),
                     about.name);
        return 2;
    }
    try {
        Host host(about.pages, about.copyset);
        if (host.nodes() < about.least_nodes)
            throw Wrong("needs " + std::to_string(about.least_nodes) +
                        " nodes: start it with isoplane run -n " + std::to_string(about.least_nodes));
        example(host);
        std::fflush(stdout);
        host.leave();
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", about.name, error.what());
        return 1;
    }
}

}  // namespace isoplane::example
