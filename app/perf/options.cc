// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "options.hh"

#include <algorithm>
#include <isoplane/runtime/eal.hh>
#include <isoplane/runtime/pool.hh>
#include <isoplane/wire/frame.hh>
#include <isoplane/wire/message.hh>
#include <sstream>

namespace isoplane::perf {

namespace {

constexpr std::size_t kLargest = std::size_t{64} << 20;
constexpr double kShortest = 0.001;  ///< seconds: of less, some measurements would find nothing
constexpr double kLongest = 60;
constexpr unsigned kMostRounds = 1000;

/// "64", "8K", "1M".
std::size_t size_of(const std::string& word, std::size_t least) {
    std::size_t size = 0;
    const char* const last = word.data() + word.size();
    const auto [end, error] = std::from_chars(word.data(), last, size);
    const std::string_view unit(end, static_cast<std::size_t>(last - end));
    const std::size_t scale = unit.empty() ? 1 : unit == "K" ? 1024 : unit == "M" ? 1024 * 1024 : 0;
    const bool read = error == std::errc{} && scale != 0 && size <= kLargest / scale;
    if (!read || size < least) {
        throw std::invalid_argument("--size names '" + word +
                                    "', which is no size of a message; write bytes from " +
                                    std::to_string(least) + " to 64M, as in 64,8K,1M");
    }
    return size * scale;
}

std::vector<std::size_t> sizes_of(const std::string& list, std::size_t least) {
    std::vector<std::size_t> sizes;
    for (const std::string& word : words_of("--size", list))
        sizes.push_back(size_of(word, least));
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

std::vector<double> percentiles_of(const std::string& list) {
    std::vector<double> percentiles;
    for (const std::string& word : words_of("--percentiles", list)) {
        double percentile = 0;
        const char* const last = word.data() + word.size();
        const auto [end, error] = std::from_chars(word.data(), last, percentile);
        if (error != std::errc{} || end != last || !(percentile > 0 && percentile <= 100))
            throw std::invalid_argument("--percentiles names '" + word +
                                        "'; write numbers above 0, at most 100, as in 50,99,99.9");
        percentiles.push_back(percentile);
    }
    std::sort(percentiles.begin(), percentiles.end());
    percentiles.erase(std::unique(percentiles.begin(), percentiles.end()), percentiles.end());
    return percentiles;
}

/// Two, so that each side has its own; one, when that is what there is.
std::vector<unsigned> choose_cpus(const po::variables_map& values) {
    if (values.count("cpus") != 0) {
        std::vector<unsigned> cpus = app::parse_cpus(values["cpus"].as<std::string>());
        if (cpus.size() == 2 && cpus[0] == cpus[1]) cpus.pop_back();
        if (cpus.size() > 2)
            throw std::invalid_argument("--cpus names " + std::to_string(cpus.size()) +
                                        " CPUs; a pair has two sides, so give two, or one for both");
        return cpus;
    }
    std::vector<unsigned> cpus = runtime::allowed_cpus();
    if (cpus.size() > 2) cpus.erase(cpus.begin() + 2, cpus.end());
    return cpus;
}

po::typed_value<app::Whole<unsigned>>* whole(const char* name, unsigned value) {
    return po::value<app::Whole<unsigned>>()->value_name(name)->default_value({value}, std::to_string(value));
}

std::string short_text(double value) {
    std::ostringstream out;
    out << value;
    return out.str();
}

}  // namespace

std::vector<std::string> words_of(const std::string& option, const std::string& list) {
    std::vector<std::string> words;
    std::istringstream in(list);
    for (std::string word; std::getline(in, word, ',');)
        words.push_back(word);
    if (words.empty())
        throw std::invalid_argument(option + " names nothing; write words with commas between them");
    return words;
}

unsigned number_of(const po::variables_map& values, const char* option, unsigned most) {
    const unsigned number = values[option].as<app::Whole<unsigned>>().value;
    if (number < 1 || number > most)
        throw std::invalid_argument("--" + std::string(option) + " " + std::to_string(number) +
                                    " is out of range: it can be 1 to " + std::to_string(most));
    return number;
}

void describe_links(po::options_description& options, const Defaults& defaults) {
    options.add_options()  //
        ("link", po::value<std::string>()->value_name("SPEC[,SPEC]")->default_value("ring"),
         "the two links, or ring, virtio or memif for both ends of one wire in this process");
    if (defaults.sizes != nullptr)
        options.add_options()("size",
                              po::value<std::string>()->value_name("LIST")->default_value(defaults.sizes),
                              defaults.size_text);
    options.add_options()  //
        ("rounds", whole("N", defaults.rounds),
         "how often everything is measured; the figures are medians")  //
        ("duration",
         po::value<double>()->value_name("S")->default_value(defaults.duration,
                                                             short_text(defaults.duration)),
         "seconds of each measurement")                                         //
        ("mtu", whole("BYTES", 1500), "largest Ethernet payload of the links")  //
        ("cpus", po::value<std::string>()->value_name("LIST"),
         "a CPU for each side, as in 2,3; else the first two there are")  //
        ("quick", po::bool_switch(),
         "only see that all of it runs: less of what is not given, figures of no use");
}

void describe_plan(po::options_description& options) {
    options.add_options()  //
        ("warm-up", po::value<double>()->value_name("S"),
         "seconds of each measurement that do not count; else a tenth")  //
        ("iterations", po::value<app::Whole<unsigned>>()->value_name("N"),
         "end a measurement after so many round trips, or messages of a stream, instead of its duration")  //
        ("window", po::value<app::Whole<unsigned>>()->value_name("N"),
         "messages of a stream under way at most; else as many as go")  //
        ("percentiles", po::value<std::string>()->value_name("LIST")->default_value("50,99,99.9"),
         "of round trips");
}

void describe_kernel(po::options_description& options) {
    options.add_options()("no-kernel", po::bool_switch(), "leave out what uses sockets of the kernel");
}

void describe_pair(po::options_description& options, const Defaults& defaults) {
    describe_links(options, defaults);
    describe_plan(options);
    describe_kernel(options);
    options.add_options()  //
        ("encapsulation", po::value<std::string>()->value_name("HOW")->default_value("ethernet"),
         "how the NIU's frames travel: ethernet or udp")  //
        ("trust-fcs", po::bool_switch(), "leave out the NIU's checksum over payloads");
}

Options read_links(const po::variables_map& values, const Defaults& defaults) {
    constexpr unsigned kQuickRounds = 2;
    constexpr double kQuickDuration = 0.003;
    Options options;
    options.link = values["link"].as<std::string>();
    options.quick = values["quick"].as<bool>();
    if (defaults.sizes != nullptr)
        options.sizes =
            sizes_of(said_or_quick(values, "size", std::string(defaults.quick_sizes)), defaults.least_size);
    options.rounds = options.quick && values["rounds"].defaulted() ? kQuickRounds
                                                                   : number_of(values, "rounds", kMostRounds);
    options.duration = said_or_quick(values, "duration", kQuickDuration);
    options.mtu = values["mtu"].as<app::Whole<unsigned>>().value;
    options.cpus = choose_cpus(values);
    if (!(options.duration >= kShortest && options.duration <= kLongest))
        throw std::invalid_argument("--duration must be a number of seconds from 0.001 to 60");
    if (options.mtu < 576 || options.mtu > runtime::kMaxMtu)
        throw std::invalid_argument("--mtu " + std::to_string(options.mtu) +
                                    " is out of range: it can be 576 to " + std::to_string(runtime::kMaxMtu));
    options.plan.seconds = options.duration;
    return options;
}

void read_plan(Options& options, const po::variables_map& values) {
    options.percentiles = percentiles_of(values["percentiles"].as<std::string>());
    if (values.count("iterations") != 0)
        options.plan.iterations = number_of(values, "iterations", 1'000'000'000);
    if (values.count("window") != 0) options.plan.window = number_of(values, "window", 1'000'000);
    if (values.count("warm-up") == 0) return;
    options.plan.warm_up = values["warm-up"].as<double>();
    const bool ends = options.plan.iterations == 0;
    if (!(options.plan.warm_up >= 0 && options.plan.warm_up <= kLongest) ||
        (ends && options.plan.warm_up >= options.duration))
        throw std::invalid_argument(
            "--warm-up must be a number of seconds from 0 on, and shorter than a measurement (--duration)");
}

PairOptions read_pair(const po::variables_map& values, const Defaults& defaults) {
    PairOptions options{read_links(values, defaults)};
    read_plan(options, values);
    options.kernel = !values["no-kernel"].as<bool>();
    const std::string encapsulation = values["encapsulation"].as<std::string>();
    if (encapsulation != "ethernet" && encapsulation != "udp")
        throw std::invalid_argument("--encapsulation " + encapsulation +
                                    " is not known: it can be ethernet or udp");
    options.frames = {.udp = encapsulation == "udp", .trust_fcs = values["trust-fcs"].as<bool>()};
    return options;
}

void check_fits(const Options& options, std::size_t overhead, const std::string& what) {
    const std::size_t most = options.mtu - wire::kHeaderSize - wire::kMessageHeaderSize - overhead;
    if (options.sizes.back() > most)
        throw std::invalid_argument("--size names " + std::to_string(options.sizes.back()) +
                                    " bytes, but with an MTU of " + std::to_string(options.mtu) + " " + what +
                                    " has at most " + std::to_string(most));
}

}  // namespace isoplane::perf
