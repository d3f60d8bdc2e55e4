// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "replay/into.hh"

#include <algorithm>
#include <cstdio>
#include <isoplane/runtime/eal.hh>
#include <isoplane/runtime/packet_filter.hh>
#include <isoplane/runtime/stop_signal.hh>
#include <isoplane/runtime/views.hh>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "../command.hh"
#include "replay/decode.hh"

namespace isoplane::replay {

namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

constexpr unsigned kPackets = 32767;
/// The stage is polled so often between frames; over longer gaps, less often.
constexpr runtime::Duration kStep = 100us;
constexpr std::int64_t kMostSteps = 1000;
/// How long it goes on after the last frame: acknowledgements that wait for more go out.
constexpr runtime::Duration kAfterwards = 10ms;

/// The figures of a report by their paths; words stand for themselves.
void flatten(const nlohmann::json& report, const std::string& path,
             std::map<std::string, nlohmann::json>& out) {
    if (!report.is_structured()) {
        out[path] = report;
        return;
    }
    for (const auto& [key, value] : report.items())
        flatten(value, path.empty() ? key : path + '.' + key, out);
}

std::map<std::string, nlohmann::json> figures_of(const runtime::Stage& stage) {
    nlohmann::json report = nlohmann::json::object();
    stage.describe(report);
    std::map<std::string, nlohmann::json> figures;
    flatten(report, {}, figures);
    return figures;
}

bool is_time(const std::string& name) {
    return name.ends_with("_ns");
}

/// What has changed: by how much a number, to what a word.
Json difference(const std::map<std::string, nlohmann::json>& from,
                const std::map<std::string, nlohmann::json>& to) {
    Json out = Json::object();
    for (const auto& [name, value] : to) {
        const auto before = from.find(name);
        if (is_time(name) || (before != from.end() && before->second == value)) continue;
        if (!value.is_number_integer()) {
            out[name] = value;
            continue;
        }
        const auto was = before == from.end() ? 0 : before->second.get<std::int64_t>();
        out[name] = value.get<std::int64_t>() - was;
    }
    return out;
}

/// The stage has sent nothing that could be acknowledged.
void forget_acknowledgements(std::span<std::byte> frame, const wire::Decoded& decoded) {
    if (!decoded || (decoded.header.ack == 0 && decoded.header.selective == 0)) return;
    wire::Header header = decoded.header;
    header.ack = 0;
    header.selective = 0;
    wire::encode_header(frame.subspan<wire::kEthernetSize, wire::kHeaderSize>(), header);
}

class Feeding {
  public:
    Feeding(const IntoTask& task, const Survey& survey, runtime::Pool& pool, ProgressBar& bar)
        : task_(task),
          survey_(survey),
          bar_(bar),
          port_(survey.port_of(task.subject.node)),
          filter_(task.filter),
          subject_(survey, task.subject, pool) {
        subject_.poll(now_);
        figures_ = figures_of(subject_.stage());
        print_begin();
    }

    /// Says why it could not go on; nothing at the end of the file.
    std::string run(const runtime::StopSignal& signal) {
        capture::Reader reader(task_.file);
        for (capture::Frame frame; fed_ < task_.limit && reader.next(frame);) {
            if (signal.raised()) throw std::runtime_error("interrupted before the end of the trace");
            ++number_;
            bytes_ += frame.bytes.size();
            if (bar_.due())
                bar_.show(static_cast<double>(number_) / static_cast<double>(survey_.frames), number_,
                          bytes_);
            const capture::AnyFrame any = capture::read_any(frame.bytes);
            if (is_for_it(frame, any)) feed(frame, any);
        }
        pass_time(now_ + kAfterwards);
        print_end();
        return reader.damage();
    }

  private:
    bool is_for_it(const capture::Frame& frame, const capture::AnyFrame& any) const {
        if (frame.bytes.empty() || frame.cut || any.decoded.reason == wire::Reject::kNotOurs) return false;
        if (port_ && (frame.interface != port_->interface || frame.direction != port_->inward)) return false;
        const wire::Header& header = any.decoded.header;
        const bool addressed =
            header.destination == task_.subject.node || header.destination == wire::kBroadcast;
        // Whose a frame is that is refused, nobody can say; at its own port it is for this one.
        if (any.decoded && (any.job_key != survey_.job_key || header.source == task_.subject.node))
            return false;
        if (any.decoded ? !addressed && !port_ : !port_) return false;
        return filter_.passes(frame.bytes, static_cast<std::uint32_t>(frame.bytes.size()));
    }

    void feed(capture::Frame& frame, const capture::AnyFrame& any) {
        const TraceFrame shown{.bytes = frame.bytes,
                               .when = frame.when,
                               .length = static_cast<std::uint32_t>(frame.bytes.size())};
        Json line = to_json(number_, shown);
        const std::string text = task_.json ? std::string() : to_text(number_, shown);
        pass_time(kStart + frame.when);
        // What happened meanwhile is not its doing.
        const Json meanwhile = news();
        forget_acknowledgements(frame.bytes, any.decoded);
        subject_.feed(frame.bytes);
        subject_.poll(now_);
        subject_.poll(now_);
        ++fed_;
        const Json did = news();
        if (task_.json) {
            if (!meanwhile.empty()) line["before"] = meanwhile;
            line["then"] = did;
            std::puts(line.dump().c_str());
        } else {
            if (!meanwhile.empty()) std::printf("         -- %s\n", words(meanwhile).c_str());
            std::printf("%s\n         -> %s\n", text.c_str(), did.empty() ? "nothing" : words(did).c_str());
        }
    }

    /// What has changed in its figures since this was asked last, and what it has sent.
    Json news() {
        auto now = figures_of(subject_.stage());
        Json news = difference(figures_, now);
        figures_ = std::move(now);
        const std::vector<std::string> sent = subject_.sent();
        if (!sent.empty()) news["sends"] = sent;
        return news;
    }

    /// Timers go off on the way there. Frames that were captured out of order come together.
    void pass_time(runtime::Time until) {
        if (until <= now_) return;
        const runtime::Duration step = std::max(kStep, (until - now_) / kMostSteps);
        for (now_ += step; now_ < until; now_ += step)
            subject_.poll(now_);
        now_ = until;
        subject_.poll(now_);
    }

    static std::string words(const Json& news) {
        std::string out;
        for (const auto& [name, value] : news.items()) {
            out += (out.empty() ? "" : ", ") + name;
            if (value.is_array()) {
                for (const Json& each : value)
                    out += (&each == &value.front() ? " " : " + ") + each.get<std::string>();
            } else if (value.is_number_integer()) {
                out += value.get<std::int64_t>() < 0 ? " " + value.dump() : " +" + value.dump();
            } else {
                out += ' ' + (value.is_string() ? value.get<std::string>() : value.dump());
            }
        }
        return out;
    }

    void print_begin() const {
        if (task_.json) return;
        std::printf("node %u of job %u, in epoch %u%s\n", task_.subject.node, survey_.job_key,
                    survey_.nodes.at(task_.subject.node).epoch,
                    port_ ? "" : "; the capture does not say which way frames went: those to it are taken");
    }

    void print_end() {
        nlohmann::json report = nlohmann::json::object();
        subject_.stage().describe(report);
        if (task_.json) {
            std::puts(Json{{"frames", number_}, {"fed", fed_}, {"stage", Json(report)}}.dump().c_str());
            return;
        }
        std::printf("%llu of %llu frames fed\n%s", static_cast<unsigned long long>(fed_),
                    static_cast<unsigned long long>(number_), runtime::to_table(report).c_str());
    }

    /// Clocks do not begin at 0.
    static constexpr runtime::Time kStart{1s};

    const IntoTask& task_;
    const Survey& survey_;
    ProgressBar& bar_;
    std::optional<Survey::Port> port_;
    runtime::PacketFilter filter_;
    runtime::Time now_ = kStart;
    Subject subject_;
    std::map<std::string, nlohmann::json> figures_{};
    std::uint64_t number_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t fed_ = 0;
};

}  // namespace

int feed_into(const IntoTask& task) {
    ProgressBar bar(ProgressBar::Prints::kMeanwhile);
    const Survey survey(task.file, bar);
    bar.clear();
    const runtime::StopSignal signal;
    const runtime::Eal environment({.workers = 0, .telemetry = false});
    runtime::Pool pool("packets", kPackets,
                       runtime::Pool::room_for(longest_mtu(survey, task.subject.node, task.mtu)));
    std::string damage;
    {
        Feeding feeding(task, survey, pool, bar);
        damage = feeding.run(signal);
    }
    bar.clear();
    if (!damage.empty())
        std::fprintf(stderr, "isoplane replay: %s What stands before that was used.\n", damage.c_str());
    if (pool.in_use() != 0)
        throw std::runtime_error(std::to_string(pool.in_use()) + " packets did not come back to the pool");
    return damage.empty() ? app::kSuccess : app::kRunFailed;
}

}  // namespace isoplane::replay
