// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_mbuf.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <isoplane/runtime/overwrite.hh>
#include <stdexcept>

#include "pcap_edges.hh"

namespace isoplane::link {

namespace {

namespace fs = std::filesystem;

/// Not the ethdev driver of that name: it loses a record when the pool is empty, does not say that a file has
/// ended or is damaged, and does not see that a disk is full.
class PcapLink final : public Link {
  public:
    PcapLink(const LinkSpec& spec, const std::string& name, const LinkOptions& options, PcapHandle in,
             PcapHandle dead, PcapDumper out)
        : Link(name, spec),
          reads_(in != nullptr),
          input_(name + ".rx", std::move(in), options.pool->raw()),
          output_(name + ".tx", std::move(dead), std::move(out)) {
        mac_ = mac_option(spec);
        mtu_ = options.mtu;
    }

    runtime::Input& input() noexcept override { return input_; }
    runtime::Output& output() noexcept override { return output_; }
    void start() override { started_ = true; }
    void stop() override {
        output_.flush();
        started_ = false;
    }
    bool up() const override { return started_; }
    bool ended() const override { return reads_ && input_.ended(); }
    std::string failure() const override;
    LinkStats stats() const override;
    void clear_stats() override;

  private:
    bool reads_;
    bool started_ = false;
    PcapInput input_;
    PcapOutput output_;
};

std::string PcapLink::failure() const {
    const std::size_t comma = spec().target.find(',');
    if (reads_ && input_.ended()) {
        if (const std::string why = input_.failure(); !why.empty()) {
            return "the capture file '" + spec().target.substr(0, comma) + "' is damaged after packet " +
                   std::to_string(input_.records.get()) + ": " + why + "; what stands before that was read";
        }
    }
    if (output_.error() != 0) {
        return "the capture file '" + spec().target.substr(comma + 1) + "' could not be written (" +
               std::strerror(output_.error()) + "): at least its last " +
               std::to_string(output_.failed.get()) +
               " packets are missing; make room or choose another place";
    }
    return {};
}

LinkStats PcapLink::stats() const {
    return {.ipackets = input_.packets().get(),
            .opackets = output_.packets().get() - output_.failed.get() - output_.oversized.get(),
            .ibytes = input_.bytes().value_or(0),
            .obytes = output_.bytes().value_or(0),
            .ierrors = input_.cut.get() + (input_.ended() && !input_.failure().empty() ? 1 : 0),
            .oerrors = output_.failed.get(),
            .rx_nombuf = input_.missed_pool.get(),
            .oversized = output_.oversized.get()};
}

void PcapLink::clear_stats() {
    input_.clear_counters();
    output_.clear_counters();
    for (runtime::Counter* counter : {&input_.missed_pool, &input_.cut, &output_.failed, &output_.oversized})
        counter->set(0);
}

PcapHandle open_input(const LinkSpec& spec, const std::string& path) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
        throw std::runtime_error("'" + spec.text + "': there is no capture file '" + path +
                                 "'; check the path, relative to " + fs::current_path(ignored).string());
    }
    std::array<char, PCAP_ERRBUF_SIZE> reason{};
    PcapHandle file(pcap_open_offline(path.c_str(), reason.data()));
    if (file == nullptr) {
        throw std::runtime_error("'" + spec.text + "': '" + path +
                                 "' cannot be read as a capture file: " + reason.data());
    }
    if (pcap_datalink(file.get()) != DLT_EN10MB) {
        const char* type = pcap_datalink_val_to_name(pcap_datalink(file.get()));
        throw std::runtime_error("'" + spec.text + "': '" + path + "' holds packets of type " +
                                 (type != nullptr ? type : "unknown") + ", expected Ethernet (EN10MB)");
    }
    return file;
}

std::unique_ptr<Link> open_pcap(const LinkSpec& spec, const std::string& name, const LinkOptions& options) {
    const std::size_t comma = spec.target.find(',');
    const std::string in_path = spec.target.substr(0, comma);
    const std::string out_path = comma == std::string::npos ? "" : spec.target.substr(comma + 1);
    PcapHandle in = in_path.empty() ? nullptr : open_input(spec, in_path);
    runtime::refuse_to_overwrite("'" + spec.text + "'", in_path, out_path);
    PcapHandle dead;
    PcapDumper out;
    if (!out_path.empty()) {
        dead.reset(pcap_open_dead_with_tstamp_precision(DLT_EN10MB, PcapOutput::kLongest,
                                                        PCAP_TSTAMP_PRECISION_NANO));
        out.reset(pcap_dump_open(dead.get(), out_path.c_str()));
        if (out == nullptr) {
            throw std::runtime_error("'" + spec.text + "': cannot create the capture file: " +
                                     pcap_geterr(dead.get()) + "; its directory must exist and be writable");
        }
    }
    return std::make_unique<PcapLink>(spec, name, options, std::move(in), std::move(dead), std::move(out));
}

}  // namespace

Driver pcap_driver() {
    return {.kind = {.name = "pcap",
                     .summary = "reads packets from one capture file, once, and writes to another",
                     .target = "IN[,OUT]",
                     .options = {kMacOption},
                     .root = false,
                     .multi_segment = true,
                     .max_mtu = kAnyMtu,
                     .queues = 1,
                     .zero_copy = false,
                     .rate = "10 M/s in, 1 M/s out",
                     .needs = "the file to read, a directory to write to"},
            .open = open_pcap};
}

}  // namespace isoplane::link
