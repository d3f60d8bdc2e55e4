// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// The same updates with a lock for each variable, at a server that has the variables, too: whoever takes the
/// locks of an update gets the values with them, and gives both back. All of a worker's next update goes in
/// one message with what it gives back of the last.
#pragma once

#include <deque>
#include <span>

#include "memory_updates.hh"

namespace isoplane::perf {

struct LockRequest {
    std::uint32_t worker = 0;
    Choice give{};                          ///< locks that it has
    std::array<std::uint32_t, 2> values{};  ///< of their variables, from now on
    Choice take{};                          ///< locks that it wants
};

struct LockGrant {
    std::uint32_t worker = 0;
    std::array<std::uint32_t, 2> values{};  ///< of the variables whose locks it has got
};

template <typename Message>
std::span<const std::byte> bytes_of(const Message& message) {
    return std::as_bytes(std::span(&message, 1));
}

/// Locks and variables. Locks are taken in ascending order, so nobody waits in a circle.
class LockServer {
  public:
    LockServer(unsigned variables, unsigned workers) : locks_(variables), takers_(workers) {}

    /// Calls `grant(LockGrant)` for each worker that has all its locks now.
    template <typename Grant>
    void serve(const LockRequest& request, Grant&& grant) {
        for (std::uint32_t i = 0; i < request.give.count; ++i) {
            Lock& lock = locks_[request.give.which[i]];
            lock.value = request.values[i];
            if (lock.waiting.empty()) {
                lock.held = false;
                continue;
            }
            const std::uint32_t next = lock.waiting.front();
            lock.waiting.pop_front();
            ++takers_[next].got;
            go_on(next, grant);
        }
        if (request.take.count == 0) return;
        takers_[request.worker] = {request.take, 0};
        go_on(request.worker, grant);
    }

    std::uint64_t sum() const noexcept {
        std::uint64_t all = 0;
        for (const Lock& lock : locks_)
            all += lock.value;
        return all;
    }

  private:
    struct Lock {
        std::uint32_t value = 0;
        bool held = false;
        std::deque<std::uint32_t> waiting{};  ///< workers
    };
    struct Taker {
        Choice take{};
        std::uint32_t got = 0;
    };

    template <typename Grant>
    void go_on(std::uint32_t worker, Grant& grant) {
        Taker& taker = takers_[worker];
        for (; taker.got < taker.take.count; ++taker.got) {
            Lock& lock = locks_[taker.take.which[taker.got]];
            if (lock.held) return lock.waiting.push_back(worker);
            lock.held = true;
        }
        LockGrant out{.worker = worker};
        for (std::uint32_t i = 0; i < taker.take.count; ++i)
            out.values[i] = locks_[taker.take.which[i]].value;
        grant(out);
    }

    std::vector<Lock> locks_;
    std::vector<Taker> takers_;
};

/// Workers and server on an lcore each, with a transport between them.
template <Transport End>
class LockUpdater final : public Updater {
  public:
    LockUpdater(std::string name, Workers& workers, std::unique_ptr<End> workers_end,
                std::unique_ptr<End> servers_end)
        : Updater(std::move(name)),
          lcores_(workers),
          workers_end_(std::move(workers_end)),
          servers_end_(std::move(servers_end)) {}

  private:
    std::uint64_t update(const UpdateWork& work, Tally& tally) override {
        LockServer server(work.variables, work.workers);
        ready_ = 0;
        sent_ = kGoesOn;
        bool arrived = true;
        bool served = true;
        lcores_.run([&] { arrived = run_workers(work, tally); }, [&] { served = run_server(server, work); });
        if (!arrived || !served)
            throw std::runtime_error(
                "the two ends of '" + name() +
                "' do not find each other, or lose each other; the links of a pair have to "
                "be joined");
        return server.sum();
    }

    class Limit {
      public:
        bool passed() noexcept { return ++looks_ % 64 == 0 && rte_rdtsc() > at_; }
        void extend() noexcept { at_ = rte_rdtsc() + to_ticks(5); }

      private:
        unsigned looks_ = 0;
        std::uint64_t at_ = rte_rdtsc() + to_ticks(5);
    };

    bool meet(End& end, runtime::Idler& idler) {
        end.begin(sizeof(LockRequest));
        Limit limit;
        for (bool said = false; ready_.load(std::memory_order_acquire) < 2;) {
            if (end.ready() && !said) {
                ready_.fetch_add(1, std::memory_order_acq_rel);
                said = true;
            }
            if (limit.passed()) return false;
            idler.step(false);
        }
        return true;
    }

    bool send(End& end, std::span<const std::byte> message) {
        for (Limit limit; !end.send(message); end.poll())
            if (limit.passed()) return false;
        return true;
    }

    /// A request stays where it is until it has been answered.
    struct Worker {
        LockRequest request{};
        std::uint64_t begin = 0;
    };

    bool run_workers(const UpdateWork& work, Tally& tally) {
        End& end = *workers_end_;
        runtime::Idler idler = lcores_.idler();
        std::uint64_t sent = 0;
        bool well = meet(end, idler);
        if (well) {
            Chooser chooser(work.variables);
            workers_.assign(work.workers, {});
            for (std::uint32_t i = 0; i < work.workers; ++i) {
                workers_[i].request = {.worker = i, .take = chooser.next()};
                workers_[i].begin = rte_rdtsc();
                well = well && send(end, bytes_of(workers_[i].request));
                ++sent;
            }
            LockGrant grant;
            Limit limit;
            for (unsigned busy = work.workers; well && busy != 0;) {
                end.poll();
                bool came = false;
                while (busy != 0 && end.receive(std::as_writable_bytes(std::span(&grant, 1)))) {
                    came = true;
                    Worker& worker = workers_[grant.worker];
                    LockRequest& request = worker.request;
                    const std::uint64_t now = rte_rdtsc();
                    tally.done(worker.begin, now, request.take);
                    request.give = request.take;
                    for (std::uint32_t i = 0; i < request.give.count; ++i)
                        request.values[i] = grant.values[i] + 1;
                    request.take = tally.goes_on(now) ? chooser.next() : Choice{};
                    worker.begin = now;
                    if (request.take.count == 0) --busy;
                    well = well && send(end, bytes_of(request));
                    ++sent;
                }
                if (came) limit.extend();
                well = well && !limit.passed();
                idler.step(came);
            }
        }
        sent_.store(well ? sent : 0, std::memory_order_release);
        return settle(end, idler) && well;
    }

    bool run_server(LockServer& server, const UpdateWork& work) {
        End& end = *servers_end_;
        runtime::Idler idler = lcores_.idler();
        bool well = meet(end, idler);
        grants_.assign(work.workers, {});
        std::uint64_t served = 0;
        LockRequest request;
        const auto grant = [&](const LockGrant& out) {
            grants_[out.worker] = out;
            well = send(end, bytes_of(grants_[out.worker])) && well;
        };
        while (well && served < sent_.load(std::memory_order_acquire)) {
            end.poll();
            bool came = false;
            while (end.receive(std::as_writable_bytes(std::span(&request, 1)))) {
                came = true;
                ++served;
                server.serve(request, grant);
            }
            idler.step(came);
        }
        return settle(end, idler) && well;
    }

    /// What is left of this would come in the middle of the next measurement.
    bool settle(End& end, runtime::Idler& idler) {
        ready_.fetch_add(1, std::memory_order_acq_rel);
        std::uint64_t quiet_at = rte_rdtsc() + to_ticks(kQuiet);
        for (Limit limit; ready_.load(std::memory_order_acquire) < 4 || rte_rdtsc() < quiet_at;) {
            end.poll();
            if (!end.settled()) quiet_at = rte_rdtsc() + to_ticks(kQuiet);
            if (limit.passed()) return false;
            idler.step(false);
        }
        return true;
    }

    static constexpr std::uint64_t kGoesOn = UINT64_MAX;
    static constexpr double kQuiet = 200e-6;  ///< more than acknowledgements are delayed

    Workers& lcores_;
    std::unique_ptr<End> workers_end_;
    std::unique_ptr<End> servers_end_;
    std::vector<Worker> workers_;
    std::vector<LockGrant> grants_;
    std::atomic<unsigned> ready_{0};      ///< sides that are ready, then also those that have ended
    std::atomic<std::uint64_t> sent_{0};  ///< requests in all, when there will be no more
};

}  // namespace isoplane::perf
