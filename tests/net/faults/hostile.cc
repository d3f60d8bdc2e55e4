// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Somebody on the network of a job who means it no good: hostile NODE_CONF LINK FRAMES EPOCH...
//
// Sends frames of many kinds, none of which may do more than count, to the nodes of the job in turn.
// NODE_CONF is that of a node, LINK the port to send by, EPOCHs are those of the nodes. It says, in a line of
// JSON, how many frames were sent to each node that are to count under which name, and stays until its input
// ends.

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <isoplane/job/settings.hh>
#include <isoplane/link/link.hh>
#include <isoplane/runtime/backlog.hh>
#include <isoplane/runtime/eal.hh>
#include <isoplane/wire/frame.hh>
#include <isoplane/wire/hello.hh>
#include <isoplane/wire/message.hh>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

namespace isoplane {

namespace {

using Bytes = std::vector<std::byte>;

constexpr wire::MacAddress kOwnMac{0x02, 0xba, 0xd0, 0, 0, 1};

/// A frame before it is packed; each kind of hostile frame is wrong in one thing.
struct Draft {
    wire::Header header{};
    Bytes payload{};
    std::uint16_t ethertype = wire::kDefaultEtherType;
};

class Forger {
  public:
    Forger(const job::Settings& settings, std::vector<std::uint32_t> epochs)
        : settings_(settings), epochs_(std::move(epochs)) {
        wire::encode_message(std::span(message_).first<wire::kMessageHeaderSize>(),
                             {wire::Protocol::kNoniso, wire::kWholeMessage, 4, 4});
    }

    /// What a frame is called where it is counted, and its bytes, for node `to` as if by the next one.
    struct Frame {
        const char* counts_as;
        Bytes bytes;
    };
    Frame make(std::size_t number, std::size_t to) {
        const Kind& kind = kKinds[number % kKinds.size()];
        Draft draft = right_frame(to);
        (this->*kind.spoil)(draft);
        Bytes bytes = pack(draft, to);
        if (kind.damage != nullptr) (this->*kind.damage)(bytes);
        return {kind.counts_as, std::move(bytes)};
    }

  private:
    struct Kind {
        const char* counts_as;
        void (Forger::*spoil)(Draft&);
        void (Forger::*damage)(Bytes&);
    };

    /// One of the beginning of a stream: it has come long ago, and acknowledges and grants nothing new.
    Draft right_frame(std::size_t to) const {
        const std::size_t from = (to + 1) % epochs_.size();
        return {{.kind = wire::Kind::kData,
                 .job_key = settings_.network.conf.job_key.value_or(0),
                 .source = static_cast<std::uint16_t>(from),
                 .destination = static_cast<std::uint16_t>(to),
                 .epoch = epochs_[from],
                 .peer_epoch = static_cast<std::uint16_t>(epochs_[to])},
                Bytes(message_.begin(), message_.end())};
    }

    Bytes pack(Draft& draft, std::size_t to) const {
        Bytes bytes(wire::kEthernetSize + wire::kHeaderSize);
        wire::encode_ethernet(std::span(bytes).first<wire::kEthernetSize>(),
                              settings_.network.mac(static_cast<topology::NodeId>(to)), kOwnMac,
                              draft.ethertype);
        wire::encode_frame(std::span(bytes).subspan<wire::kEthernetSize, wire::kHeaderSize>(), draft.header,
                           draft.payload);
        bytes.insert(bytes.end(), draft.payload.begin(), draft.payload.end());
        return bytes;
    }

    void leave(Draft&) {}
    void take_another_key(Draft& draft) { ++draft.header.job_key; }
    void take_an_early_epoch(Draft& draft) { draft.header.epoch -= 100; }
    void take_a_late_epoch(Draft& draft) { draft.header.epoch += 100; }
    void mean_another_life(Draft& draft) { ++draft.header.peer_epoch; }
    void come_from_nobody(Draft& draft) { draft.header.source = static_cast<std::uint16_t>(epochs_.size()); }
    void come_from_the_receiver(Draft& draft) { draft.header.source = draft.header.destination; }
    void mean_another_node(Draft& draft) { draft.header.destination = draft.header.source; }
    void run_ahead(Draft& draft) { draft.header.sequence = 1U << 30; }
    void acknowledge_too_much(Draft& draft) {
        draft.header.kind = wire::Kind::kAck;
        draft.header.ack = 1U << 30;
        draft.payload.clear();
    }
    void say_hello(Draft& draft) {
        draft.header.kind = wire::Kind::kHello;
        draft.header.peer_epoch = 0;
        draft.payload.resize(wire::kHelloSize + 4);
        wire::encode_hello(draft.payload,
                           {.roles = wire::kRoleHost, .mtu = 1500, .credit = 64, .name = "evil"});
    }
    void say_an_old_hello(Draft& draft) {
        say_hello(draft);
        draft.header.epoch -= 100;
    }
    void say_that_it_has_restarted(Draft& draft) {
        say_hello(draft);
        draft.header.epoch += 100;
    }
    void write_nonsense(Draft& draft) { draft.payload.assign(100, std::byte{0xee}); }
    void use_another_ethertype(Draft& draft) { draft.ethertype = 0x0806; }

    void cut_in_the_header(Bytes& bytes) {
        bytes.resize(wire::kEthernetSize + random_() % wire::kHeaderSize);
    }
    void cut_in_the_payload(Bytes& bytes) { bytes.resize(bytes.size() - 1); }
    void damage_the_payload(Bytes& bytes) { bytes.back() ^= std::byte{1}; }
    void damage_the_header(Bytes& bytes) { bytes[wire::kEthernetSize + 5] ^= std::byte{1}; }
    void fill_at_random(Bytes& bytes) {
        bytes.resize(wire::kEthernetSize + wire::kHeaderSize + random_() % 1000);
        for (std::size_t i = wire::kEthernetSize; i < bytes.size(); ++i)
            bytes[i] = static_cast<std::byte>(random_());
        bytes[wire::kEthernetSize] = std::byte{0x5a};  // no version there is
    }

    static constexpr std::array kKinds{
        Kind{"bad_key", &Forger::take_another_key},
        Kind{"stale_epoch", &Forger::take_an_early_epoch},
        Kind{"stale_epoch", &Forger::take_a_late_epoch},
        Kind{"stale_epoch", &Forger::mean_another_life},
        Kind{"stale_epoch", &Forger::say_an_old_hello},
        Kind{"doubted", &Forger::say_that_it_has_restarted},
        // Right in all but the address that they come from. With that, too, they would not even arrive: the
        // fabric would take this port for the way to their source.
        Kind{"bad_source", &Forger::leave},
        Kind{"bad_source", &Forger::run_ahead},
        Kind{"bad_source", &Forger::acknowledge_too_much},
        Kind{"bad_source", &Forger::come_from_nobody},
        Kind{"bad_source", &Forger::come_from_the_receiver},
        Kind{"bad_destination", &Forger::mean_another_node},
        Kind{"bad_body", &Forger::write_nonsense},
        Kind{"not_ours", &Forger::use_another_ethertype},
        Kind{"short_frame", &Forger::leave, &Forger::cut_in_the_header},
        Kind{"bad_length", &Forger::leave, &Forger::cut_in_the_payload},
        Kind{"bad_payload_crc", &Forger::leave, &Forger::damage_the_payload},
        Kind{"bad_header_crc", &Forger::leave, &Forger::damage_the_header},
        Kind{"bad_version", &Forger::leave, &Forger::fill_at_random},
    };

    const job::Settings& settings_;
    std::vector<std::uint32_t> epochs_;
    std::array<std::byte, wire::kMessageHeaderSize + 4> message_{};
    std::mt19937 random_{1};
};

/// The forged frames in bursts, with pauses in which those who receive them get the CPU.
class Sender {
  public:
    explicit Sender(const std::string& spec)
        : eal_({.workers = 0, .memory_mb = 64}),
          pool_("packets", 4095),
          link_(link::open_link(link::LinkSpec::parse(spec), "link0", {.pool = &pool_})),
          out_(link_->output()) {
        link_->start();
        while (!link_->up())
            usleep(1000);
    }
    ~Sender() {
        out_.discard();
        link_->stop();
    }

    void send(const Bytes& bytes) {
        runtime::Packet packet = pool_.packet();
        while (!packet) {
            flush();
            packet = pool_.packet();
        }
        std::copy(bytes.begin(), bytes.end(),
                  reinterpret_cast<std::byte*>(
                      rte_pktmbuf_append(packet.get(), static_cast<std::uint16_t>(bytes.size()))));
        burst_[count_++] = packet.release();
        if (count_ == burst_.size()) flush();
    }

    void flush() {
        out_.send(burst_.data(), std::exchange(count_, std::uint16_t{0}));
        do
            usleep(1000);
        while (!out_.flush());
    }

  private:
    runtime::Eal eal_;
    runtime::Pool pool_;
    std::unique_ptr<link::Link> link_;
    runtime::Backlog out_;
    runtime::Burst burst_{};
    std::uint16_t count_ = 0;
};

int run(std::span<char*> words) {
    const job::Settings settings = job::load_settings(words[1]);
    const std::size_t frames = std::strtoul(words[3], nullptr, 10);
    std::vector<std::uint32_t> epochs;
    for (const char* word : words.subspan(4))
        epochs.push_back(static_cast<std::uint32_t>(std::strtoul(word, nullptr, 10)));
    Forger forger(settings, epochs);
    Sender sender(words[2]);
    nlohmann::json sent;
    for (std::size_t i = 0; i < frames; ++i) {
        const std::size_t to = i % epochs.size();
        const Forger::Frame frame = forger.make(i / epochs.size(), to);
        sender.send(frame.bytes);
        nlohmann::json& count = sent[std::to_string(to)][frame.counts_as];
        count = count.is_null() ? 1 : count.get<unsigned>() + 1;
    }
    sender.flush();
    std::printf("%s\n", sent.dump().c_str());
    std::fflush(stdout);
    for (char byte = 0; read(STDIN_FILENO, &byte, 1) > 0;) {
    }
    return 0;
}

}  // namespace

}  // namespace isoplane

int main(int argc, char** argv) {
    if (argc < 6) {
        std::fprintf(stderr, "use: hostile NODE_CONF LINK FRAMES EPOCH EPOCH...\n");
        return 2;
    }
    try {
        return isoplane::run({argv, static_cast<std::size_t>(argc)});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "hostile: %s\n", error.what());
        return 1;
    }
}
