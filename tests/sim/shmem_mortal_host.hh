// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/noniso/direct_endpoint.hh>
#include <memory>

#include "chance.hh"
#include "shmem_mortal_program.hh"
#include "sim/host.hh"

namespace isoplane::test {

/// From a start of a host to its end: logical time that survives deaths, shared memory, and its program.
class MortalShmemLife {
  public:
    struct Setting {
        const topology::Paths& paths;
        const topology::ShmemMap& map;
        siu::SiuOptions siu{};
        shmem::Planted planted{};
        std::uint64_t seed = 0;
        unsigned isochrons = 0;
    };

    MortalShmemLife(const std::string& name, runtime::Input& in, runtime::Output& out,
                    const niu::Options& options, const membership::Options& membership,
                    const Setting& setting, ShmemLife& life)
        : niu_(name, in, out, pool(), options),
          dispatcher_(niu_),
          siu_(niu_, setting.paths, setting.siu),
          isotach_(niu_, siu_, pool(), isotach::Options{.with_pages = true}),
          membership_(niu_, siu_, isotach_, setting.paths, setting.siu.exchange, membership),
          barrier_(niu_, noniso::Loss::kLeavesOut),
          answers_(niu_, barrier_, wire::Protocol::kShmem),
          memory_(std::make_unique<shmem::Memory>(
              shmem::Pages(setting.map, setting.paths, options.node, kMortalExtent), isotach_, answers_,
              shmem::Options{.life = options.epoch, .planted = setting.planted})),
          program_(std::make_unique<MortalProgram>(
              *memory_, static_cast<std::uint16_t>(setting.paths.topology().host_count()), setting.seed,
              setting.isochrons, life)) {
        isotach_.attach_to(dispatcher_);
        dispatcher_.attach(wire::Protocol::kControl, &barrier_);
        // Some find what has come in the next poll of their memory, as those with an lcore do.
        niu::Receiver* const now = memory_.get();
        dispatcher_.attach(wire::Protocol::kShmem, setting.seed % 4 == 0 ? &answers_ : now);
    }

    unsigned poll(runtime::Time now) {
        unsigned moved = niu_.poll(now);
        moved += dispatcher_.dispatch();
        if (!memory_->hurries()) moved += isotach_.poll(now);
        membership_.poll(now);
        return moved + program_->poll(isotach_.started());
    }
    void set_quiet(bool quiet) {
        niu_.set_quiet(quiet);
        siu_.be_quiet(quiet);
        membership_.be_quiet(quiet);
    }
    /// The program goes first, and its memory, which give back what they have received.
    std::size_t discard() {
        program_.reset();
        memory_.reset();
        for (niu::Received message; answers_.receive(message);)
            answers_.release(message);
        return isotach_.discard() + niu_.discard();
    }

    niu::Niu& niu() noexcept { return niu_; }
    const siu::Siu& siu() const noexcept { return siu_; }
    const isotach::Isotach& isotach() const noexcept { return isotach_; }
    const membership::Agreement& agreement() const noexcept { return membership_.agreement(); }
    const shmem::Memory& memory() const noexcept { return *memory_; }
    bool rests() const {
        return program_->has_finished() && isotach_.settled() && isotach_.ordering().behind() == 0 &&
               !isotach_.waiting() && siu_.started() && isotach_.started() && !isotach_.flushing();
    }

  private:
    niu::Niu niu_;
    niu::Dispatcher dispatcher_;
    siu::Siu siu_;
    isotach::Isotach isotach_;
    membership::Host membership_;
    noniso::Barrier barrier_;
    noniso::DirectEndpoint answers_;
    std::unique_ptr<shmem::Memory> memory_;
    std::unique_ptr<MortalProgram> program_;
};

class MortalShmemHost final : public sim::Mortal<MortalShmemLife> {
  public:
    using Mortal::Mortal;

    template <typename... Arguments>
    void start(Arguments&&... arguments) {
        begin(std::forward<Arguments>(arguments)...);
    }
    /// It lives, and has not been told that the others go on without it.
    bool takes_part() const { return !dead() && !life().agreement().given_up(); }
    const MortalShmemLife& present() const noexcept { return life(); }
};

}  // namespace isoplane::test
