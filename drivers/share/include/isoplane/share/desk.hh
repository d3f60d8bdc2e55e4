// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <thread>
#include <vector>

#include <isoplane/runtime/counter.hh>
#include <isoplane/runtime/poll_watch.hh>
#include <isoplane/share/exchange.hh>

namespace isoplane::share {

class Listener;
struct Received;

/// Where clients of a shared node register: a socket, and a thread that waits there.
///
/// A client is one for as long as its process lives and its connection is open: the system says when either
/// ends, however that happens. Then all that the node has of it is taken back, and its peers are told.
class Desk {
  public:
    /// Runs something where the exchange may be touched, and waits for it.
    using Call = std::function<void(const std::function<void()>&)>;

    /// Listens at `path`. Throws std::runtime_error when that cannot be. `exchange` outlives this.
    Desk(std::string path, Exchange& exchange, Call call, unsigned mtu);
    /// All clients are detached. The exchange need not run.
    ~Desk();
    Desk(const Desk&) = delete;
    Desk& operator=(const Desk&) = delete;

    /// An array with an object for each client.
    nlohmann::json clients() const;
    /// Whom to ask for what clients themselves report.
    struct Client {
        std::string name;
        pid_t pid;  ///< 0 where it cannot be seen from here
        std::string program;
        std::uint16_t node;
        std::string telemetry;  ///< its socket, if it answers
    };
    std::vector<Client> whom_to_ask() const;
    /// Nobody is here any more, of those that have been; or nobody has come for a minute. Then nobody is
    /// admitted from here on, and another node may listen at the path.
    bool close_if_deserted();
    /// How many have come and gone, and how.
    nlohmann::json totals() const;

  private:
    /// A connection; it is a client once it has a guest.
    struct Visitor {
        std::string who() const;
        void hang_up() noexcept;

        int socket = -1;
        int life = -1;  ///< readable once its process has ended; -1 where the system does not tell
        pid_t pid = 0;
        uid_t uid = 0;
        runtime::Patience patience;  ///< with one that has not registered yet
        std::string name{};          ///< its process, or one that no process has
        std::string program{};
        std::string telemetry{};
        std::unique_ptr<Guest> guest{};
    };

    static bool is_client(const Visitor& visitor) noexcept { return visitor.guest != nullptr; }

    void run() noexcept;
    void turn_away();
    void welcome();
    std::string name_for(pid_t pid) const;
    bool is_crowded(uid_t user) const;
    bool attend(Visitor& visitor, bool ended);
    bool admit(Visitor& visitor);
    void sign_in(Visitor& visitor, Received& received);
    std::string objection(const Visitor& visitor, const Identity& who) const;
    void tell_peers(const Guest& guest);
    void see_off(Visitor& visitor, bool orderly);
    void dismiss_broken();
    bool is_deserted();
    void end();

    const std::string path_;
    Exchange& exchange_;
    const Call call_;
    const unsigned mtu_;
    runtime::Patience first_{std::chrono::minutes(1)};  ///< for the first client
    std::unique_ptr<Listener> listener_;
    int wake_ = -1;
    mutable std::mutex mutex_;  ///< of what follows, between the thread and those who ask for reports
    std::vector<Visitor> visitors_;
    bool ended_ = false;  ///< the path is another's
    std::string trouble_;
    runtime::Counter attached_;
    runtime::Counter left_;
    runtime::Counter reaped_;
    runtime::Counter expelled_;
    runtime::Counter refused_;
    std::thread thread_;
};

}  // namespace isoplane::share
