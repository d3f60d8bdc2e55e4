// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What benchmarks have in common on their command lines. Each adds its own in its own file.
#pragma once

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "../options.hh"
#include "frame_form.hh"
#include "plan.hh"

namespace isoplane::perf {

namespace po = boost::program_options;

/// What a benchmark between two links is told.
struct Options {
    std::string link;                ///< as it was written
    std::vector<std::size_t> sizes;  ///< of messages; none where they are given
    unsigned rounds = 7;
    double duration = 0.03;      ///< seconds of each measurement
    std::vector<unsigned> cpus;  ///< one for each side; empty: wherever the system puts them
    unsigned mtu = 1500;
    bool quick = false;                 ///< only to see that all of it runs: what is not said is small
    Plan plan{};                        ///< with the duration
    std::vector<double> percentiles{};  ///< of round trips
};

/// What those that compare transports are told besides.
struct PairOptions : Options {
    FrameForm frames{};
    bool kernel = true;
};

/// What is chosen unless the user says otherwise.
struct Defaults {
    const char* sizes = nullptr;  ///< nullptr: there is no such option
    const char* size_text = "bytes of a message";
    unsigned rounds = 7;
    double duration = 0.03;
    const char* quick_sizes = "64,1K";
    std::size_t least_size = 1;
};

/// --link, --mtu, --cpus, --size, --rounds, --duration, --quick.
void describe_links(po::options_description& options, const Defaults& defaults);
/// --warm-up, --iterations, --window, --percentiles: of those whose messages go there and back, and in a
/// stream.
void describe_plan(po::options_description& options);
/// --no-kernel.
void describe_kernel(po::options_description& options);
/// --no-kernel, --encapsulation and --trust-fcs beside all of the above.
void describe_pair(po::options_description& options, const Defaults& defaults);

// Read what has been described; throw std::invalid_argument with a sentence for what cannot be.

Options read_links(const po::variables_map& values, const Defaults& defaults);
void read_plan(Options& options, const po::variables_map& values);
PairOptions read_pair(const po::variables_map& values, const Defaults& defaults);

/// Throws unless messages of all sizes fit a frame, with so many bytes more in front of them.
void check_fits(const Options& options, std::size_t overhead, const std::string& what);

/// The words between commas; throws when there is none.
std::vector<std::string> words_of(const std::string& option, const std::string& list);

/// Numbers from 1 to `most`, in ascending order.
template <typename Number>
std::vector<Number> numbers_of(const std::string& option, const std::string& list, Number most) {
    std::vector<Number> all;
    for (const std::string& word : words_of(option, list)) {
        Number number = 0;
        const char* const last = word.data() + word.size();
        const auto [end, error] = std::from_chars(word.data(), last, number);
        if (error != std::errc{} || end != last || number < 1 || number > most)
            throw std::invalid_argument(option + " names '" + word + "'; write numbers from 1 to " +
                                        std::to_string(most) + ", as in 1,2,4");
        all.push_back(number);
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

/// Throws unless it is 1 to `most`.
unsigned number_of(const po::variables_map& values, const char* option, unsigned most);

/// What the user has said, or, where only all of it is to be seen running, what is quick.
template <typename Value>
Value said_or_quick(const po::variables_map& values, const char* option, Value quick) {
    return values["quick"].as<bool>() && values[option].defaulted() ? quick : values[option].as<Value>();
}

}  // namespace isoplane::perf
