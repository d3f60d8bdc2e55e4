// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// A program of a job that sends large messages to all others, and checks those it receives: bulk SIZE COUNT
// plain|registered. Each sends COUNT messages of SIZE bytes to each other, from one place, and at the end
// prints a line of JSON: how many have come, and what its NIU has copied and sent again.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <isoplane/job/job.hh>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace isoplane {

namespace {

void write_message(std::span<std::byte> out, niu::NodeId from) {
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::byte>(i * 31 + (i >> 8) + from);
}

/// What is exchanged with one other node.
struct Way {
    std::vector<std::byte> expected{};
    std::vector<niu::Ticket> sent{};
    std::size_t at = 0;  ///< in the message that is coming
    std::size_t received = 0;
};

class Bulk {
  public:
    Bulk(job::Job& job, std::size_t size, std::size_t count, bool registered)
        : job_(job), count_(count), ways_(job.size()), plain_(registered ? 0 : size) {
        if (registered) memory_ = niu::Memory::allocate(size);
        write_message(message(), job.node());
        for (std::size_t i = 0; i < ways_.size(); ++i) {
            ways_[i].expected.resize(size);
            write_message(ways_[i].expected, static_cast<niu::NodeId>(i));
        }
    }

    void exchange() {
        while (!finished()) {
            for (std::size_t to = 0; to < ways_.size(); ++to) {
                if (to != job_.node()) send(static_cast<niu::NodeId>(to));
            }
            receive();
            job_.poll();
            if (++polls_ % 4096 != 0) continue;
            if (const std::string trouble = job_.trouble(); !trouble.empty())
                throw std::runtime_error(trouble);
        }
    }

    nlohmann::json report() const {
        std::size_t received = 0;
        for (const Way& way : ways_)
            received += way.received;
        nlohmann::json niu;
        job_.describe(niu);
        const auto count = [&](const char* key) { return niu[key].get<std::uint64_t>(); };
        return {{"node", job_.node()},
                {"received", received},
                {"copied_bytes", count("copied_bytes")},
                {"resent", count("resent_timeout") + count("resent_overtaken")}};
    }

  private:
    std::span<std::byte> message() { return memory_ ? memory_.bytes() : std::span(plain_); }

    void send(niu::NodeId to) {
        std::vector<niu::Ticket>& sent = ways_[to].sent;
        while (sent.size() < count_) {
            const niu::Ticket ticket = job_.messages().transfer(to, message(), memory_);
            if (!ticket) return;
            sent.push_back(ticket);
        }
    }

    void receive() {
        for (niu::Received part; job_.messages().receive(part); job_.messages().release(part)) {
            Way& way = ways_[part.source];
            if (part.size != way.expected.size() || part.offset != way.at ||
                !std::equal(part.data.begin(), part.data.end(), way.expected.begin() + part.offset))
                throw std::runtime_error("node " + std::to_string(part.source) + " sent something else");
            way.at += part.data.size();
            if (way.at < part.size) continue;
            way.at = 0;
            ++way.received;
        }
    }

    bool finished() const {
        if (memory_.busy()) return false;
        for (std::size_t i = 0; i < ways_.size(); ++i) {
            if (i == job_.node()) continue;
            if (ways_[i].received < count_ || ways_[i].sent.size() < count_) return false;
            if (job_.messages().state(ways_[i].sent.back()) != niu::TransferState::kArrived) return false;
        }
        return true;
    }

    job::Job& job_;
    std::size_t count_;
    std::vector<Way> ways_;
    std::vector<std::byte> plain_;
    niu::Memory memory_;
    unsigned polls_ = 0;
};

int run(std::span<char*> words) {
    job::Job job(job::settings_from_environment());
    job.join();
    {
        Bulk bulk(job, std::strtoul(words[1], nullptr, 10), std::strtoul(words[2], nullptr, 10),
                  std::string(words[3]) == "registered");
        bulk.exchange();
        std::printf("%s\n", bulk.report().dump().c_str());
        std::fflush(stdout);
    }
    while (!job.try_close())
        job.poll();
    return 0;
}

}  // namespace

}  // namespace isoplane

int main(int argc, char** argv) {
    try {
        if (argc != 4) throw std::runtime_error("say bulk SIZE COUNT plain|registered");
        return isoplane::run(std::span(argv, 4));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bulk: %s\n", error.what());
        return 1;
    }
}
