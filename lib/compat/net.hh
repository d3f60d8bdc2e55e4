// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <deque>
#include <isoplane/job/job.hh>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace isoplane::compat {

/// The historical interfaces have no word for a peer that has died, nor for what can never be done: a program
/// that tried again would do so for ever. So it ends, as a program does whose MPI has lost a rank.
[[noreturn]] void give_up(const std::string& sentence);

/// The connection of this program: one, whichever interfaces it uses.
class Net {
  public:
    /// What a program takes part in, beside messages.
    enum class Time { kNone, kLogical, kWithMemory };

    static Net& instance();

    const job::Settings& settings();
    int node() { return settings().node(); }
    int hosts() { return static_cast<int>(settings().network.topology->host_count()); }
    bool is_host(int target) { return target >= 0 && target < hosts(); }
    /// Bytes of the largest message; in logical time, of either kind.
    int max_payload(bool logical_time);

    /// False when it is open, or has been.
    bool open(Time time);
    bool is_open() const noexcept { return job_ != nullptr; }
    job::Job& job() noexcept { return *job_; }
    /// Ends the program when it is not open, or not in logical time.
    isotach::Endpoint& isotach(const char* caller);
    /// Ends the program when it has no shared memory.
    shmem::Memory& memory(const char* caller);
    /// The next in logical time, from the shared memory if there is one.
    bool receive(isotach::Delivery& next);
    /// Whether a message or notice of any kind can be received.
    bool anything_waits();
    /// So that accesses go on: what waits to be received is received later.
    void put_off();
    /// Whether such a notice is put off. The program knows nothing of it yet.
    bool has_put_off(isotach::DeliveryKind kind, unsigned channel) const;
    /// It does not want to hear of it any more.
    void forget(isotach::DeliveryKind kind, unsigned channel);

    /// Ends the program, every so often, when a peer is lost or time stands still.
    void poll();
    /// True once all have closed.
    bool try_close();
    /// A protocol that an interface speaks; called before open().
    void speak(wire::Protocol protocol) { spoken_.push_back(protocol); }
    /// What an interface does with every poll, as long as there is a connection.
    void also_poll(void (*what)()) { also_poll_.push_back(what); }
    /// All is being given up, at exit(): nobody else waits for what is still wanted.
    bool leaving() const noexcept { return leaving_; }
    /// Whose threads may be in the middle of a call when the program ends: each of them has this lock then.
    void exclude_while_leaving(std::recursive_mutex& lock) noexcept { threads_ = &lock; }
    /// Whether an interface is in the middle of an isochron, of messages or accesses.
    void ask_when_in_isochron(bool (*asked)()) { in_isochron_.push_back(asked); }
    bool is_in_isochron() const {
        return std::ranges::any_of(in_isochron_, [](bool (*asked)()) { return asked(); });
    }
    /// What an interface has of the job, it is to give back before that goes.
    void before_closing(void (*give_back)()) { give_back_.push_back(give_back); }
    /// What has begun when a program ends in the middle of it.
    void before_leaving(void (*finish)()) { finish_.push_back(finish); }

    /// Ends the program when there is some.
    void look_for_trouble();
    /// The same when a node has left that this one waits for: the barrier will never complete.
    void end_if_barrier_broken();
    bool somebody_is_missing();

  private:
    static constexpr unsigned kLookEvery = 4096;

    /// What authentication takes of each frame of the link.
    std::size_t trailer();
    void poll_all();
    static void leave_at_exit(int status, void* net);
    void close();

    std::optional<job::Settings> settings_;
    std::unique_ptr<job::Job> job_;
    std::vector<wire::Protocol> spoken_;
    std::vector<void (*)()> also_poll_;
    std::vector<bool (*)()> in_isochron_;
    std::vector<void (*)()> give_back_;
    std::vector<void (*)()> finish_;
    std::deque<isotach::Delivery> put_off_;
    std::recursive_mutex* threads_ = nullptr;
    std::size_t told_ = 0;  ///< bytes of a frame, before the link was there
    unsigned polls_ = 0;
    bool closed_ = false;
    bool leaving_ = false;
};

/// Ends the program when that isochron can never go.
void end_if_too_large(Net& net, const isotach::Isochron& isochron);
void end_if_too_large(Net& net, shmem::Isochron& isochron);

}  // namespace isoplane::compat
