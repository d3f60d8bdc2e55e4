// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "child.hh"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace isoplane::run {

namespace {

/// The form that execve() takes; it points into `words`.
std::vector<char*> pointers(const std::vector<std::string>& words) {
    std::vector<char*> list;
    list.reserve(words.size() + 1);
    for (const std::string& word : words)
        list.push_back(const_cast<char*>(word.c_str()));
    list.push_back(nullptr);
    return list;
}

/// All that a child needs between fork and exec, where nothing may be allocated.
struct Prepared {
    const char* path;
    char* const* words;
    char* const* environment;
    int input;
    int output;
    int error;
    int failure;  ///< where the errno of a failed exec goes; closed by one that succeeds
    pid_t parent;
    const sigset_t* mask;
};

[[noreturn]] void become(const Prepared& prepared, const Guard& guard) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != prepared.parent) _exit(127);  // which died before it could matter
    guard.enter_group();
    signal(SIGPIPE, SIG_DFL);
    const int input = prepared.input >= 0 ? prepared.input : open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (input != STDIN_FILENO) dup2(input, STDIN_FILENO);
    dup2(prepared.output, STDOUT_FILENO);
    dup2(prepared.error, STDERR_FILENO);
    sigprocmask(SIG_SETMASK, prepared.mask, nullptr);
    execve(prepared.path, prepared.words, prepared.environment);
    const int failure = errno;
    [[maybe_unused]] const auto written = write(prepared.failure, &failure, sizeof failure);
    _exit(127);
}

}  // namespace

Pipe make_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        throw std::runtime_error(std::string("no pipe can be made: ") + std::strerror(errno) +
                                 ". `ulimit -n` says how many descriptors there can be.");
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Child::Child(const Launch& launch, const Guard& guard, const sigset_t& mask) {
    Pipe out = make_pipe();
    Pipe err = make_pipe();
    Pipe failure = make_pipe();
    const std::vector<char*> words = pointers(launch.words);
    const std::vector<char*> environment = pointers(launch.environment);
    const Prepared prepared{launch.path.c_str(),  words.data(),     environment.data(),
                            launch.input,         out.writes.get(), err.writes.get(),
                            failure.writes.get(), getpid(),         &mask};
    pid_ = fork();
    if (pid_ == 0) become(prepared, guard);
    if (pid_ < 0)
        throw std::runtime_error(std::string("no process can be started: ") + std::strerror(errno) +
                                 ". `ulimit -u` says how many there can be.");
    failure.writes.reset();
    int error = 0;
    ssize_t n = 0;
    while ((n = read(failure.reads.get(), &error, sizeof error)) < 0 && errno == EINTR) {
    }
    if (n > 0)
        throw std::runtime_error("'" + launch.path + "' cannot be executed: " + std::strerror(error) + ".");
    out_ = std::move(out.reads);
    err_ = std::move(err.reads);
    // What poll() found there may have been read since.
    fcntl(out_.get(), F_SETFL, O_NONBLOCK);
    fcntl(err_.get(), F_SETFL, O_NONBLOCK);
}

bool Child::has_ended() {
    if (status_) return true;
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
        return false;
    // In the form that the macros of waitpid() take.
    status_ = info.si_code == CLD_EXITED ? (info.si_status & 0xff) << 8 : info.si_status & 0x7f;
    return true;
}

std::string how_it_ended(int status) {
    if (WIFEXITED(status)) return "exited with " + std::to_string(WEXITSTATUS(status));
    const int number = WTERMSIG(status);
    return "was killed by signal " + std::to_string(number) + " (" + strsignal(number) + ")";
}

}  // namespace isoplane::run
