// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// A program of a job in which each node sends to all others, and isochrons to all, until it gets SIGTERM, as
// all do: steady SIZE, in bytes. Each checks that all comes once and in order, and says twenty times a second
// how fresh is what it has of each: the least of the times at which the last message, and the last isochron,
// of each node was sent. In the end it says in what order isochrons were executed, by a digest.

#include <csignal>
#include <vector>

#include "member.hh"

namespace isoplane::overload {

namespace {

volatile std::sig_atomic_t ending = 0;

job::Settings settings() {
    job::Settings settings = job::settings_from_environment();
    settings.logical_time = true;
    return settings;
}

/// What has come of one node, or of one in logical time. The last message has no more than a head.
class Stream {
  public:
    void take(std::span<const std::byte> message, std::size_t size) {
        Head head;
        if (message.size() != size && message.size() != sizeof head)
            throw std::runtime_error("a message of another size");
        std::memcpy(&head, message.data(), sizeof head);
        if (head.number != next_++)
            throw std::runtime_error("message " + std::to_string(head.number) + " is not the next");
        newest_ = head.sent;
        ended_ = message.size() != size;
    }
    std::uint64_t count() const { return next_; }
    std::int64_t newest() const { return newest_; }
    bool ended() const { return ended_; }

  private:
    std::uint64_t next_ = 0;
    std::int64_t newest_ = 0;
    bool ended_ = false;
};

class Steady : private Member {
  public:
    explicit Steady(std::size_t size)
        : Member(settings()),
          message_(size),
          sent_(job_.size()),
          messages_(job_.size()),
          isochrons_(job_.size()) {}

    void run() {
        meet();
        nlohmann::json out{{"node", job_.node()}, {"before", at_rest()}};
        meet();
        while (ending == 0) {
            for (niu::NodeId to = 0; to < job_.size(); ++to)
                send(to, message_.size());
            if (issued_ - isochrons_[job_.node()].count() < kUnderWay) issue(message_.size());
            step();
        }
        for (niu::NodeId to = 0; to < job_.size(); ++to)
            while (!send(to, sizeof(Head)))
                step();
        while (!issue(sizeof(Head)))
            step();
        while (!all_ended())
            step();
        meet();
        out["after"] = at_rest();
        out["digest"] = digest_;
        out["messages"] = total(messages_);
        out["isochrons"] = total(isochrons_);
        say(out);
        leave();
    }

  private:
    static constexpr std::uint64_t kUnderWay = 16;

    std::span<const std::byte> written(std::uint64_t number, std::size_t size) {
        const Head head{number, now_ns()};
        std::memcpy(message_.data(), &head, sizeof head);
        return std::span(message_).first(size);
    }

    bool send(niu::NodeId to, std::size_t size) {
        if (to == job_.node()) return true;
        if (!job_.messages().send(to, written(sent_[to], size))) return false;
        ++sent_[to];
        return true;
    }

    bool issue(std::size_t size) {
        isotach::Isochron isochron = job_.isotach().isochron();
        const auto message = written(issued_, size);
        for (niu::NodeId to = 0; to < job_.size(); ++to)
            isochron.add(to, message);
        if (!job_.isotach().send(isochron)) return false;
        ++issued_;
        return true;
    }

    void step() {
        poll();
        for (noniso::Received message; job_.messages().receive(message); job_.messages().release(message))
            messages_[message.source].take(message.data, message_.size());
        for (isotach::Delivery delivery; job_.isotach().receive(delivery); job_.isotach().release(delivery)) {
            if (delivery.kind != isotach::DeliveryKind::kMessage) continue;
            Stream& stream = isochrons_[delivery.time.host];
            stream.take(delivery.data, message_.size());
            digest_ = (digest_ ^ (stream.count() << 8 | delivery.time.host)) * 0xff51afd7ed558ccd +
                      delivery.time.pulse;
        }
        if (const std::int64_t now = now_ns(); now >= tell_at_) {
            tell_at_ = now + 50'000'000;
            say({{"at", seconds(now)},
                 {"message", seconds(oldest(messages_))},
                 {"isochron", seconds(oldest(isochrons_))}});
        }
    }

    static double seconds(std::int64_t time) { return static_cast<double>(time) / 1e9; }
    bool is_from(const std::vector<Stream>& streams, std::size_t node) const {
        return &streams != &messages_ || node != job_.node();
    }
    /// Of the nodes, the one of which nothing has come for longest.
    std::int64_t oldest(const std::vector<Stream>& streams) const {
        std::int64_t oldest = INT64_MAX;
        for (std::size_t node = 0; node < streams.size(); ++node)
            if (is_from(streams, node)) oldest = std::min(oldest, streams[node].newest());
        return oldest;
    }
    bool all_ended() const {
        for (std::size_t node = 0; node < job_.size(); ++node)
            if ((is_from(messages_, node) && !messages_[node].ended()) || !isochrons_[node].ended())
                return false;
        return true;
    }
    static std::uint64_t total(const std::vector<Stream>& streams) {
        std::uint64_t sum = 0;
        for (const Stream& stream : streams)
            sum += stream.count();
        return sum;
    }

    std::vector<std::byte> message_;
    std::vector<std::uint64_t> sent_;  ///< messages to each
    std::uint64_t issued_ = 0;
    std::vector<Stream> messages_;
    std::vector<Stream> isochrons_;
    std::uint64_t digest_ = 0;
    std::int64_t tell_at_ = 0;
};

}  // namespace

}  // namespace isoplane::overload

int main(int argc, char** argv) {
    using namespace isoplane::overload;
    std::signal(SIGTERM, [](int) { ending = 1; });
    return run([&] {
        const std::size_t size = argc == 2 ? number<std::size_t>(argv[1]) : 0;
        if (size <= sizeof(Head)) throw std::runtime_error("say steady SIZE, with a SIZE of 17 at least");
        Steady(size).run();
    });
}
