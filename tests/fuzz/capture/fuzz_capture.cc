// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Captures from elsewhere, as `isoplane diagram` and `isoplane replay` read them: files that are written as
/// ours are, of frames of logical time, with numbers near those that are expected and bytes turned here and
/// there; or the input itself. Nothing may crash, and what cannot be read is refused with a sentence.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <isoplane/runtime/pcapng.hh>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>

#include "../machines/in_time.hh"
#include "diagram/layout.hh"
#include "diagram/svg.hh"
#include "diagram/window.hh"
#include "replay/check.hh"
#include "replay/decode.hh"
#include "replay/survey.hh"
#include "replay/trace.hh"

namespace isoplane::fuzz {
namespace {

/// Frames as somebody sees them who is none of the nodes.
class Passing final : public InTime {
  public:
    Passing(Source& source, Sink& sink) : InTime(source, sink), source_(source) {}

    std::vector<std::byte> next(Bytes& in) {
        const auto what = in.take<std::uint8_t>();
        progress_.clock += what % 4 == 0;
        speak(what < 96 ? wire::Kind::kToken : static_cast<wire::Kind>(1 + what % 10), in);
        if (source_.waiting.empty()) return {};
        rte_mbuf* const packet = source_.waiting.front();
        source_.waiting.pop_front();
        const std::span<std::byte> bytes = runtime::Packet::bytes_of(packet);
        std::vector<std::byte> frame(bytes.begin(), bytes.end());
        rte_pktmbuf_free(packet);
        return frame;
    }

  private:
    Progress progress() const override { return progress_; }
    NodeId destination(wire::Kind, std::uint8_t who) const override {
        return static_cast<NodeId>(who / 4 % kNodes);
    }

    Source& source_;
    Progress progress_;
};

std::string written(wire::Transport transport, Bytes& in) {
    using namespace runtime::pcapng;
    Source source;
    Sink sink(transport);
    Passing frames(source, sink);
    std::string file;
    put_section(file, {});
    const auto interfaces = in.take<std::uint8_t>() % 4U;
    for (unsigned i = 0; i < interfaces; ++i)
        put_interface(file, {.name = "link"});
    std::uint64_t when = in.near(std::uint64_t{1'000'000'000});
    for (std::vector<std::byte> last; !in.empty();) {
        const auto how = in.take<std::uint8_t>();
        // The same frame is often seen twice: where it is sent, and where it arrives.
        if (how < 160 || last.empty()) last = frames.next(in);
        when += in.take<std::uint16_t>();
        put_packet(file, {.interface = in.near(interfaces == 0 ? 0 : how % interfaces),
                          .direction = static_cast<Direction>(how / 4 % 3),
                          .when = in.near(when),
                          .bytes = last,
                          .length = in.near(static_cast<std::uint32_t>(last.size()))});
        if (how % 32 == 31)
            file[in.take<std::uint16_t>() % file.size()] ^= static_cast<char>(in.take<std::uint8_t>());
    }
    return file;
}

/// A file in memory, and a name for it.
class File {
  public:
    explicit File(const std::string& content) : file_(memfd_create("capture", MFD_CLOEXEC)) {
        if (file_ < 0 || write(file_, content.data(), content.size()) != static_cast<ssize_t>(content.size()))
            std::abort();
    }
    ~File() { close(file_); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    std::string name() const { return "/proc/self/fd/" + std::to_string(file_); }

  private:
    int file_;
};

void draw(const std::string& file, const diagram::Wanted& wanted) {
    capture::Reader reader(file);
    diagram::Observer observer;
    for (capture::Frame frame; reader.next(frame);)
        observer.see(frame);
    const diagram::Time first = observer.first();
    const diagram::Story story = tell(std::move(observer).sightings(), observer.nodes());
    if (story.tokens.empty() && story.messages.empty()) return;
    std::ostringstream out;
    write_svg(out, lay_out(story, choose_window(story, wanted, first), first));
}

void check(const std::string& file) {
    replay::Trace trace(file, "");
    replay::Checker checker;
    std::uint64_t number = 0;
    for (replay::TraceFrame frame; trace.next(frame);) {
        checker.see(frame);
        replay::to_text(++number, frame);
        replay::to_json(number, frame).dump();
    }
    checker.finish();
}

void survey(const std::string& file) {
    replay::ProgressBar bar(replay::ProgressBar::Prints::kMeanwhile);
    const replay::Survey survey(file, bar);
    for (const auto& [node, its] : survey.nodes)
        survey.port_of(node);
}

/// What is refused, is in a sentence.
template <typename Read>
void read_with(Read&& read) {
    try {
        read();
    } catch (const std::runtime_error&) {
    }
}

void play(std::span<const std::byte> input) {
    Bytes in(input, 224);
    const auto kind = in.take<std::uint8_t>();
    diagram::Wanted wanted;
    if ((kind & 4) != 0) {
        const std::uint64_t first = in.take<std::uint8_t>();
        wanted.pulses = {first, first + in.take<std::uint8_t>()};
    }
    if ((kind & 8) != 0) wanted.from = diagram::Time{in.take<std::uint16_t>()};
    std::string content;
    if ((kind & 1) != 0) {
        const auto bytes = in.take(input.size());
        content.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    } else {
        content = written((kind & 2) != 0 ? wire::Transport::kUdp : wire::Transport::kEthernet, in);
    }
    const File file(content);
    read_with([&] { draw(file.name(), wanted); });
    read_with([&] { check(file.name()); });
    read_with([&] { survey(file.name()); });
}

}  // namespace
}  // namespace isoplane::fuzz

#include "../machines/target.hh"
