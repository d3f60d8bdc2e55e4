// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "memory_redis.hh"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <isoplane/runtime/fifo.hh>
#include <stdexcept>
#include <thread>

extern char** environ;

namespace isoplane::perf {

namespace {

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return at;
}

/// One that nobody uses now.
std::uint16_t free_port() {
    const Descriptor fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in at = loopback(0);
    socklen_t size = sizeof at;
    if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&at), size) != 0 ||
        getsockname(fd.get(), reinterpret_cast<sockaddr*>(&at), &size) != 0)
        throw std::runtime_error(std::string("no port is free: ") + std::strerror(errno));
    return ntohs(at.sin_port);
}

/// The server's answers, line by line.
class Connection {
  public:
    explicit Connection(Descriptor fd) : fd_(std::move(fd)), inbox_(std::size_t{64} << 10) {}

    void add(std::string_view command) { out_ += command; }
    /// Sends what has been added, and takes what has come. False when the connection has ended.
    bool poll() {
        if (!out_.empty()) {
            const ssize_t n = ::send(fd_.get(), out_.data(), out_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
            if (n < 0 && errno != EAGAIN) return false;
            out_.erase(0, static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
        }
        if (begin_ != 0) std::memmove(inbox_.data(), inbox_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
        const ssize_t n = recv(fd_.get(), inbox_.data() + end_, inbox_.size() - end_, MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EAGAIN)) return false;
        end_ += static_cast<std::size_t>(std::max<ssize_t>(n, 0));
        return true;
    }
    /// The next line of an answer. Nothing when it has not come.
    std::optional<std::string_view> line() {
        const std::string_view rest(inbox_.data() + begin_, end_ - begin_);
        const std::size_t end = rest.find("\r\n");
        if (end == std::string_view::npos) return std::nullopt;
        begin_ += end + 2;
        return rest.substr(0, end);
    }

  private:
    Descriptor fd_;
    std::string out_;
    std::vector<char> inbox_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

/// A command as an array of words.
std::string command(std::initializer_list<std::string_view> words) {
    std::string out = "*" + std::to_string(words.size()) + "\r\n";
    for (const std::string_view word : words)
        out.append("$").append(std::to_string(word.size())).append("\r\n").append(word).append("\r\n");
    return out;
}

class RedisUpdater final : public Updater {
  public:
    RedisUpdater(Workers& workers, Descriptor fd)
        : Updater("redis"), lcores_(workers), connection_(std::move(fd)) {}

  private:
    /// A transaction, in the order in which they were sent.
    struct Sent {
        std::uint64_t begin = 0;
        Choice choice{};
        unsigned lines = 0;  ///< of its answer that are to come
    };

    std::uint64_t update(const UpdateWork& work, Tally& tally) override {
        static const std::string kMulti = command({"MULTI"});
        static const std::string kExec = command({"EXEC"});
        std::vector<std::string> increments;
        for (unsigned i = 0; i < work.variables; ++i)
            increments.push_back(command({"INCR", "v" + std::to_string(i)}));
        const std::uint64_t before = sum(work.variables);
        lcores_.run(
            [&] {
                runtime::Idler idler = lcores_.idler();
                Chooser chooser(work.variables);
                runtime::Fifo<Sent> sent;
                const auto begin = [&](std::uint64_t now) {
                    const Choice choice = chooser.next();
                    connection_.add(kMulti);
                    for (std::uint32_t i = 0; i < choice.count; ++i)
                        connection_.add(increments[choice.which[i]]);
                    connection_.add(kExec);
                    // OK, QUEUED for each, how many there are, and each.
                    sent.push({now, choice, 2 + 2 * choice.count});
                };
                for (unsigned i = 0; i < work.workers; ++i)
                    begin(rte_rdtsc());
                const std::uint64_t limit = rte_rdtsc() + to_ticks(work.seconds * 4 + 5);
                while (!sent.empty() && connection_.poll() && rte_rdtsc() < limit) {
                    bool came = false;
                    while (const auto line = connection_.line()) {
                        came = true;
                        if (--sent.front().lines != 0) continue;
                        const std::uint64_t now = rte_rdtsc();
                        tally.done(sent.front().begin, now, sent.front().choice);
                        sent.pop();
                        if (tally.goes_on(now)) begin(now);
                    }
                    idler.step(came);
                }
            },
            [] {});
        return sum(work.variables) - before;
    }

    std::uint64_t sum(unsigned variables) {
        for (unsigned i = 0; i < variables; ++i)
            connection_.add(command({"INCRBY", "v" + std::to_string(i), "0"}));
        std::uint64_t all = 0;
        const std::uint64_t limit = rte_rdtsc() + to_ticks(5);
        for (unsigned come = 0; come < variables;) {
            if (!connection_.poll() || rte_rdtsc() > limit)
                throw std::runtime_error(
                    "redis-server does not answer any more; leave it out with --no-kernel");
            while (const auto line = connection_.line()) {
                std::uint64_t value = 0;
                std::from_chars(line->data() + 1, line->data() + line->size(), value);
                all += value;
                ++come;
            }
        }
        return all;
    }

    Workers& lcores_;
    Connection connection_;
};

}  // namespace

Redis::Redis(std::optional<unsigned> cpu) {
    try {
        start(cpu);
    } catch (const std::exception& reason) {
        why_not_ = reason.what();
    }
}

void Redis::start(std::optional<unsigned> cpu) {
    std::string pattern = std::filesystem::temp_directory_path() / "isoplane-perf-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no directory can be made for it");
    directory_ = pattern;
    port_ = free_port();
    // Whatever becomes of this process, the server ends with it.
    std::vector<std::string> words{"setpriv",      "--pdeathsig",
                                   "KILL",         "redis-server",
                                   "--bind",       "127.0.0.1",
                                   "--port",       std::to_string(port_),
                                   "--save",       "",
                                   "--appendonly", "no",
                                   "--dir",        directory_,
                                   "--logfile",    directory_ + "/log"};
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    // The socket of a virtio wire, too: its other end would wait for ever for it to close.
    posix_spawn_file_actions_addclosefrom_np(&quiet, STDERR_FILENO + 1);
    // What a terminal sends to all is for this process: the server is there for as long as it is.
    posix_spawnattr_t apart;
    posix_spawnattr_init(&apart);
    posix_spawnattr_setflags(&apart, POSIX_SPAWN_SETPGROUP);
    const int spawned = posix_spawnp(&server_, "setpriv", &quiet, &apart, argv.data(), environ);
    posix_spawnattr_destroy(&apart);
    posix_spawn_file_actions_destroy(&quiet);
    if (spawned != 0) {
        server_ = -1;
        throw std::runtime_error("the program setpriv cannot be run");
    }
    if (cpu) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(*cpu, &set);
        sched_setaffinity(server_, sizeof set, &set);
    }
    await();
}

void Redis::await() {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    for (;;) {
        const Descriptor fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const sockaddr_in at = loopback(port_);
        if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0) return;
        int status = 0;
        if (waitpid(server_, &status, WNOHANG) == server_) {
            server_ = -1;
            throw std::runtime_error(WIFEXITED(status) && WEXITSTATUS(status) == 127
                                         ? "it is not installed (tools/setup --perf)"
                                         : "it does not start");
        }
        if (std::chrono::steady_clock::now() > limit) throw std::runtime_error("it is not there after 10 s");
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

Redis::~Redis() {
    if (server_ > 0) {
        kill(server_, SIGKILL);
        while (waitpid(server_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    std::error_code ignored;
    if (!directory_.empty()) std::filesystem::remove_all(directory_, ignored);
}

std::string Redis::name() const {
    return runs() ? "redis-server over loopback" : "no redis-server: " + why_not_;
}

Descriptor Redis::connect() const {
    Descriptor fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in at = loopback(port_);
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0)
        throw std::runtime_error(std::string("redis-server cannot be connected to: ") + std::strerror(errno) +
                                 "; leave it out with --no-kernel");
    const int on = 1;
    setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

std::unique_ptr<Updater> make_redis_updater(Workers& workers, const Redis& redis) {
    return std::make_unique<RedisUpdater>(workers, redis.connect());
}

}  // namespace isoplane::perf
