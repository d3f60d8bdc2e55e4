// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "diagram/diagram.hh"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <isoplane/fabric/impairment.hh>
#include <isoplane/runtime/overwrite.hh>
#include <stdexcept>

#include "../command.hh"
#include "../subcommand.hh"
#include "diagram/layout.hh"
#include "diagram/svg.hh"

namespace isoplane::diagram {

namespace {

namespace po = boost::program_options;

constexpr app::Usage kUsage{
    "diagram", "[OPTION...] CAPTURE.pcapng",
    "Draws what a capture shows in logical time, as an SVG file: nodes as lines along which time goes by,\n"
    "tokens between them, pulses as columns, and each ordered message as an arrow from where it was sent to\n"
    "where it arrived, the messages of an isochron in one colour. Captures come from `capture start` at a\n"
    "node's prompt, from `isoplane run --pcap` and from `isoplane sim --pcap`.\n"};

void say(const std::string& sentence) {
    std::fprintf(stderr, "isoplane diagram: %s\n", sentence.c_str());
}

/// Times are written as everywhere, as in 250us.
Time parse_time(const char* option, const std::string& word) {
    fabric::Impairment impairment;
    try {
        fabric::set_key(impairment, "delay", word);
        return std::chrono::duration_cast<Time>(impairment.delay);
    } catch (const std::invalid_argument&) {
        throw std::invalid_argument("--" + std::string(option) + ' ' + word +
                                    " is no time: write it with its unit, as in 250us or 1.5ms");
    }
}

PulseRange parse_pulses(const std::string& word) {
    PulseRange range;
    const std::size_t dots = word.find("..");
    const auto read = [](std::string_view text, std::uint64_t& value) {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        return error == std::errc{} && end == text.data() + text.size();
    };
    if (dots == std::string::npos || !read(std::string_view(word).substr(0, dots), range.first) ||
        !read(std::string_view(word).substr(dots + 2), range.second) || range.first > range.second)
        throw std::invalid_argument("--pulses " + word +
                                    " is no range: write the first and the last, as in 10..20");
    return range;
}

struct Task {
    std::string capture;
    std::string drawing;
    Wanted wanted;
};

Task read_task(const po::variables_map& values) {
    const auto word = [&](const char* name) { return values[name].as<std::string>(); };
    if (values.count("capture") == 0)
        throw std::invalid_argument("there is no capture to draw; name its file");
    if (values.count("output") == 0) throw std::invalid_argument("name the file to draw into with --output");
    Task task{.capture = word("capture"), .drawing = word("output"), .wanted = {}};
    runtime::refuse_to_overwrite("--output " + task.drawing, task.capture, task.drawing);
    if (values.count("pulses") != 0 && values.count("from") + values.count("to") != 0)
        throw std::invalid_argument(
            "--pulses and --from or --to choose a part in two ways; give one of them");
    if (values.count("pulses") != 0) task.wanted.pulses = parse_pulses(word("pulses"));
    if (values.count("from") != 0) task.wanted.from = parse_time("from", word("from"));
    if (values.count("to") != 0) task.wanted.to = parse_time("to", word("to"));
    if (task.wanted.to && task.wanted.from.value_or(Time{0}) >= *task.wanted.to)
        throw std::invalid_argument("--to is not after --from: nothing is between them");
    return task;
}

/// Why there is nothing to draw.
std::string nothing_in(const Task& task, const Observer& observer) {
    const std::string file = "'" + task.capture + "'";
    if (observer.frames() == 0) return file + " has no frames: nothing passed while it was captured.";
    if (observer.ours() == 0)
        return "none of the " + std::to_string(observer.frames()) + " frames in " + file + " is of isoplane" +
               (observer.damaged() != 0 ? " and whole." : ".") + " Capture on the links of a job.";
    return file + " has " + std::to_string(observer.ours()) +
           " frames of isoplane, but neither tokens nor ordered messages: draw programs that use logical "
           "time.";
}

std::string range(PulseRange pulses) {
    return std::to_string(pulses.first) + ".." + std::to_string(pulses.second);
}

void say_what_is_left_out(const Observer& observer, const Window& window) {
    if (observer.foreign() != 0)
        say(std::to_string(observer.foreign()) +
            " frames are of other jobs than the first one, and left out.");
    if (window.shortened && window.drawn && window.all)
        say("the capture has pulses " + range(*window.all) + "; drawn are " + range(*window.drawn) +
            ". Choose others with --pulses.");
}

void write(const std::string& file, const Drawing& drawing) {
    std::ofstream out(file);
    if (out) write_svg(out, drawing);
    out.close();
    if (!out)
        throw std::runtime_error("cannot write '" + file + "': " + std::strerror(errno) +
                                 "; name a file in a directory you may write to, with room on its disk.");
}

int draw(const Task& task) {
    capture::Reader reader(task.capture);
    Observer observer;
    for (capture::Frame frame; reader.next(frame);)
        observer.see(frame);
    const bool whole = reader.damage().empty();
    if (!whole) say(reader.damage() + " Drawn is what stands before that.");

    const Time first = observer.first();
    const Story story = tell(std::move(observer).sightings(), observer.nodes());
    if (story.tokens.empty() && story.messages.empty()) throw std::runtime_error(nothing_in(task, observer));
    const Window window = choose_window(story, task.wanted, first);
    say_what_is_left_out(observer, window);
    write(task.drawing, lay_out(story, window, first));
    return whole ? app::kSuccess : app::kRunFailed;
}

}  // namespace

int run(int argc, char** argv) {
    po::options_description visible("Options");
    visible.add_options()  //
        ("capture", po::value<std::string>()->value_name("FILE"),
         "the capture, where it has no other name")                                              //
        ("output,o", po::value<std::string>()->value_name("FILE"), "the SVG file to draw into")  //
        ("pulses", po::value<std::string>()->value_name("A..B"), "draw these pulses")            //
        ("from", po::value<std::string>()->value_name("TIME"),
         "draw from then on, as in 250us after the first frame")  //
        ("to", po::value<std::string>()->value_name("TIME"), "draw until then");
    po::positional_options_description positional;
    positional.add("capture", 1);
    return app::run_subcommand(kUsage, visible, argc, argv, positional,
                               [](const po::variables_map& values) { return draw(read_task(values)); });
}

}  // namespace isoplane::diagram
