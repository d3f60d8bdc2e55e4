// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "batch.hh"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "benchmark.hh"
#include "names.hh"

namespace isoplane::perf {

namespace {

/// A file that goes with this.
class Scratch {
  public:
    Scratch() {
        std::string pattern = std::filesystem::temp_directory_path() / "isoplane-perf-XXXXXX";
        const int fd = mkstemp(pattern.data());
        if (fd < 0)
            throw std::runtime_error("no file can be made in '" + pattern +
                                     "'; choose another place with TMPDIR");
        close(fd);
        path_ = pattern;
    }
    ~Scratch() { std::remove(path_.c_str()); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    const std::string& path() const noexcept { return path_; }

  private:
    std::string path_;
};

/// Until it ends; when this program is to stop, it is told so once: by a second signal it would end at once.
int await(pid_t child, const runtime::StopSignal& signal) {
    const auto fd = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
    pollfd of[] = {{.fd = fd, .events = POLLIN, .revents = 0},
                   {.fd = signal.fd(), .events = POLLIN, .revents = 0}};
    while (fd >= 0 && of[0].revents == 0 && of[1].revents == 0)
        poll(of, 2, -1);
    if (signal.raised()) kill(child, SIGTERM);
    close(fd);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/// Returns its exit code, or 128 and the number of the signal that ended it.
int run_program(std::vector<std::string> words, bool shown, const runtime::StopSignal& signal) {
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error(std::string("no process can be made: ") + std::strerror(errno));
    if (child == 0) {
        // What a terminal sends to all comes to it by its parent only. It does not go on when nobody waits
        // for it any more.
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent) _exit(app::kRunFailed);
        if (!shown) dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
        execv("/proc/self/exe", argv.data());
        _exit(app::kRunFailed);
    }
    const int status = await(child, signal);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string joined(const Words& words) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

std::vector<Words> read_batch(const std::string& file) {
    std::ifstream in(file);
    if (!in) throw std::invalid_argument("--batch: the file '" + file + "' cannot be read");
    std::vector<Words> all;
    unsigned number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        Words words = split(line);
        if (words.empty()) continue;
        if (const std::string wrong = unknown_benchmark(words[0]); !wrong.empty())
            throw std::invalid_argument("--batch: line " + std::to_string(number) + " of '" + file +
                                        "': " + wrong);
        all.push_back(std::move(words));
    }
    if (all.empty())
        throw std::invalid_argument("--batch: the file '" + file +
                                    "' has no benchmark; write one a line, as pair --size 64");
    return all;
}

}  // namespace

Words split(const std::string& line) {
    Words words;
    std::string word;
    bool begun = false;
    char quote = 0;
    for (const char c : line) {
        if (quote == 0 && c == '#' && !begun) break;
        if (c == quote) {
            quote = 0;
        } else if (quote == 0 && (c == '"' || c == '\'')) {
            quote = c;
            begun = true;
        } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\r')) {
            if (begun) words.push_back(std::exchange(word, {}));
            begun = false;
        } else {
            word += c;
            begun = true;
        }
    }
    if (begun) words.push_back(word);
    return words;
}

report::Record run_one(const Words& words, bool shown, const runtime::StopSignal& signal) {
    const Scratch scratch;
    Words command{"isoplane", "perf"};
    command.insert(command.end(), words.begin(), words.end());
    command.insert(command.end(), {"--json", scratch.path()});
    if (shown) std::printf("\n== isoplane perf %s\n\n", joined(words).c_str());
    std::fflush(stdout);
    const int code = run_program(command, shown, signal);
    if (signal.raised()) throw std::runtime_error("interrupted before the end; nothing is reported");
    const std::string failed =
        "isoplane perf " + joined(words) + " ended with exit code " + std::to_string(code);
    if (std::filesystem::file_size(scratch.path()) == 0) throw std::runtime_error(failed);
    report::Record record = report::read_records(scratch.path()).front();
    if (code != 0 && record.failures.empty()) record.failures.push_back(failed);
    return record;
}

int run_batch(int argc, char** argv) {
    po::options_description visible("Options");
    visible.add_options()("batch", po::value<std::string>()->value_name("FILE")->required(),
                          "a benchmark with its options on each line");
    describe_outputs(visible);
    po::variables_map values;
    const std::string text = benchmarks_text();
    if (const auto end =
            app::parse_options({"perf", "BENCHMARK [OPTION...]", text}, visible, argc, argv, values))
        return *end;
    try {
        const Outputs outputs = read_outputs(values);
        const runtime::StopSignal signal;
        std::vector<report::Record> records;
        bool failed = false;
        for (const Words& words : read_batch(values["batch"].as<std::string>())) {
            try {
                records.push_back(run_one(words, outputs.tables(), signal));
            } catch (const std::exception& error) {
                if (signal.raised()) throw;
                std::fprintf(stderr, "isoplane perf: %s\n", error.what());
                failed = true;
            }
        }
        if (records.empty()) return app::kRunFailed;
        const int code = deliver("perf", records, outputs);
        return failed ? static_cast<int>(app::kRunFailed) : code;
    } catch (const std::invalid_argument& error) {
        return app::wrong_usage("perf", error.what());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "isoplane perf: %s\n", error.what());
        return app::kRunFailed;
    }
}

}  // namespace isoplane::perf
