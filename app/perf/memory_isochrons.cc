// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "memory_isochrons.hh"

namespace isoplane::perf {

namespace {

using Word = shmem::Variable<std::uint32_t>;

/// Polls host b while a's workers update what b has.
class IsochronUpdater : public Updater {
  public:
    IsochronUpdater(std::string name, MemoryPair& pair) : Updater(std::move(name)), pair_(pair) {}

  protected:
    /// One update of a worker.
    struct Worker {
        Choice choice{};
        std::uint64_t begin = 0;
        bool busy = false;
        std::array<shmem::Future<std::uint32_t>, 2> old{};
        std::array<shmem::Scheduled, 2> scheduled{};

        bool has_values() const noexcept {
            for (std::uint32_t i = 0; i < choice.count; ++i)
                if (!old[i].ready()) return false;
            return true;
        }
    };

    shmem::Memory& memory() { return pair_.a().memory(); }
    Word variable(std::uint32_t which) { return {pair_.a().others(which)}; }

  private:
    /// Begins the next update of the worker.
    virtual void begin(shmem::Isochron& isochron, Worker& worker) = 0;
    /// It has its values, and ends.
    virtual void end(shmem::Isochron& isochron, Worker& worker) = 0;
    /// What has been put into the isochron is on its way.
    virtual void issued(Worker& worker) = 0;

    std::uint64_t sum(unsigned variables) {
        const shmem::Store& store = pair_.b().memory().store();
        std::uint64_t all = 0;
        for (unsigned i = 0; i < variables; ++i)
            all += store.word(variable(i).at);
        return all;
    }

    std::uint64_t update(const UpdateWork& work, Tally& tally) override {
        const std::uint64_t before = sum(work.variables);
        pair_.run([&](runtime::Idler& idler) { return run(work, tally, idler); },
                  [&](runtime::Idler& idler) {
                      pair_.b().poll();
                      idler.step(false);
                  });
        return sum(work.variables) - before;
    }

    bool run(const UpdateWork& work, Tally& tally, runtime::Idler& idler) {
        MemoryHost& host = pair_.a();
        shmem::Isochron isochron = host.memory().isochron();
        const auto poll = [&] { host.poll(); };
        Chooser chooser(work.variables);
        std::vector<Worker> workers(work.workers);
        unsigned busy = 0;
        const auto turn = [&](Worker& worker) {
            if (worker.busy && !worker.has_values()) return true;
            const std::uint64_t now = rte_rdtsc();
            if (worker.busy) {
                tally.done(worker.begin, now, worker.choice);
                end(isochron, worker);
                --busy;
            }
            worker.busy = tally.goes_on(now);
            if (worker.busy) {
                worker.choice = chooser.next();
                worker.begin = now;
                begin(isochron, worker);
                ++busy;
            }
            if (!MemoryPair::poll_until(idler, poll, [&] { return host.memory().issue(isochron); }))
                return false;
            issued(worker);
            return true;
        };
        do {
            for (Worker& worker : workers)
                if (!turn(worker)) return false;
            host.poll();
            idler.step(false);
        } while (busy != 0);
        return true;
    }

    MemoryPair& pair_;
};

class AddUpdater final : public IsochronUpdater {
  public:
    explicit AddUpdater(MemoryPair& pair) : IsochronUpdater("isochron", pair) {}

  private:
    void begin(shmem::Isochron& isochron, Worker& worker) override {
        for (std::uint32_t i = 0; i < worker.choice.count; ++i)
            worker.old[i] = isochron.fetch_add(variable(worker.choice.which[i]), 1);
    }
    void end(shmem::Isochron& /*isochron*/, Worker& /*worker*/) override {}
    void issued(Worker& /*worker*/) override {}
};

class SchedUpdater final : public IsochronUpdater {
  public:
    explicit SchedUpdater(MemoryPair& pair) : IsochronUpdater("sched", pair) {}

  private:
    void begin(shmem::Isochron& isochron, Worker& worker) override {
        for (std::uint32_t i = 0; i < worker.choice.count; ++i) {
            worker.old[i] = isochron.read(variable(worker.choice.which[i]));
            worker.scheduled[i] = isochron.sched(variable(worker.choice.which[i]));
        }
    }
    void end(shmem::Isochron& isochron, Worker& worker) override {
        for (std::uint32_t i = 0; i < worker.choice.count; ++i)
            isochron.assign(worker.scheduled[i], worker.old[i].value() + 1);
    }
    /// Other workers of this host may schedule the same variables.
    void issued(Worker& worker) override {
        for (std::uint32_t i = 0; worker.busy && i < worker.choice.count; ++i)
            memory().give_away(worker.scheduled[i]);
    }
};

}  // namespace

std::unique_ptr<Updater> make_isochron_updater(MemoryPair& pair) {
    return std::make_unique<AddUpdater>(pair);
}

std::unique_ptr<Updater> make_sched_updater(MemoryPair& pair) {
    return std::make_unique<SchedUpdater>(pair);
}

}  // namespace isoplane::perf
