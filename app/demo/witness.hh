// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/isotach/delivery.hh>
#include <optional>
#include <string>
#include <vector>

#include "script.hh"

namespace isoplane::demo {

/// A host enters the barrier, for the nth time, between its isochrons n * kBarrierEvery - 1 and
/// n * kBarrierEvery.
inline constexpr std::uint32_t kBarrierEvery = 64;

/// Checks what a host executes as it does so, and keeps of it only what the others are compared with: so it
/// can go on for as long as one likes.
///
/// - Logical time goes on with everything executed. Hosts that agree on the time of each isochron then agree
///   on the order of all.
/// - Of each host's isochrons, those that reach this one come in the order of issue, none is missing, none
///   comes twice, and the parts of one come together and unchanged.
/// - Nothing is executed before what its issuer had seen.
/// - When a barrier is complete, all has been executed that anybody had issued before it.
class Witness {
  public:
    Witness(unsigned hosts, std::uint16_t self);

    void see(const isotach::Delivery& delivery);

    /// The pulse of what was executed last.
    std::uint64_t pulse() const noexcept { return last_.pulse; }
    std::uint64_t messages() const noexcept { return messages_; }
    std::uint64_t signals() const noexcept { return signals_; }
    std::uint32_t barriers() const noexcept { return barriers_; }

    /// What was wrong first, in a sentence; empty while nothing was.
    const std::string& complaint() const noexcept { return complaint_; }

    friend std::vector<std::string> compare(const std::vector<const Witness*>& witnesses,
                                            const std::vector<std::uint32_t>& issued);

  private:
    /// Where the messages of a host are: all before it have been executed, or do not reach this host.
    struct Cursor {
        std::uint32_t isochron = 0;
        unsigned message = 0;
    };
    /// A sequence as one number: two that are equal are of equal sequences.
    struct Digest {
        std::uint64_t value = 0xcbf29ce484222325;
        std::uint64_t count = 0;

        void add(std::uint64_t a, std::uint64_t b, std::uint64_t c) noexcept;
        bool operator==(const Digest&) const = default;
    };

    void check_message(const isotach::Delivery& delivery);
    void check_barrier();
    void executed(const Script& script, std::uint16_t issuer, std::uint32_t number);
    /// The message that reaches this host next.
    Cursor next_of(std::uint16_t issuer) const;
    void complain(const std::string& what);
    std::string name() const { return "host " + std::to_string(self_); }

    unsigned hosts_;
    std::uint16_t self_;
    std::vector<Cursor> next_;           ///< by host
    std::vector<Digest> with_;           ///< by host: isochrons that reach it and this one
    Digest notices_;                     ///< signals and barriers
    std::optional<std::uint16_t> open_;  ///< the host of whose last isochron more is to come
    isotach::LogicalTime last_{};        ///< of what was executed last
    std::uint64_t messages_ = 0;
    std::uint64_t signals_ = 0;
    std::uint32_t barriers_ = 0;
    std::string complaint_;
};

/// When all is quiet: what is missing at a host, or differs between hosts, in sentences. `issued` says how
/// many isochrons each has issued; both are by host.
std::vector<std::string> compare(const std::vector<const Witness*>& witnesses,
                                 const std::vector<std::uint32_t>& issued);

}  // namespace isoplane::demo
