// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string_view>
#include <vector>

#include <isoplane/auth/replay_window.hh>
#include <isoplane/auth/sealer.hh>

namespace isoplane::auth {

/// What has become of a frame that came.
enum class Verdict : std::uint8_t {
    kAuthentic,
    kNotSealed,  ///< no frame with a trailer behind it, or by no node of the job
    kOtherKey,   ///< of another secret, or job: what says whose frame it is has not been said by who knows
                 ///< ours
    kForged,     ///< the tag does not hold: changed on its way, or made up
    kReplayed,   ///< has been here before, or is our own
    kOutdated,   ///< so far behind that it cannot be told from one that has been here; or of an earlier life
    kNoKey,      ///< there was no room for its sender's key
};
inline constexpr std::size_t kVerdicts = static_cast<std::size_t>(Verdict::kNoKey) + 1;

/// The verdict as counters name it, for example "forged".
std::string_view name(Verdict verdict);

/// Judges what comes on one link.
///
/// What it knows of a node is its present life, the keys of its newest generation and of the one before, and
/// which numbers of that life have been here. It learns of another life, or generation, by any frame that
/// proves it; the proof costs two hashes, so that who makes frames up cannot have keys set up. Nothing goes
/// back: lives by the time at which they began, generations by their number.
class Opener {
  public:
    /// For the node `station` among as many as there are `stations`.
    Opener(Crypto& crypto, Algorithm algorithm, std::uint32_t job_key, std::uint16_t station,
           std::size_t stations);
    ~Opener();
    Opener(const Opener&) = delete;
    Opener& operator=(const Opener&) = delete;

    /// At most runtime::kBurst frames, and a verdict for each.
    void open(std::span<const SealedFrame> frames, std::span<Verdict> verdicts) noexcept;

    /// Keys that a Crypto has to have for so many nodes, our own among them.
    static unsigned keys(std::size_t stations) { return static_cast<unsigned>(2 * stations + 2); }

  private:
    struct KeyInUse {
        Crypto::Session session = nullptr;
        std::uint64_t proof = 0;
        std::uint32_t generation = 0;
    };
    struct Sender {
        std::uint64_t born = 0;
        std::uint64_t salt = 0;
        KeyInUse newest;
        KeyInUse before;
        ReplayWindow window;
    };
    /// Frames of one key whose tags are computed together.
    struct Run {
        Crypto::Session session = nullptr;
        std::size_t size = 0;
        std::array<Piece, runtime::kBurst> pieces;
        std::array<std::array<std::byte, wire::kTagSize>, runtime::kBurst> tags;
        std::array<std::uint16_t, runtime::kBurst> frames;
        std::array<Sender*, runtime::kBurst> senders;
    };

    Verdict identify(const wire::Trailer& trailer, Sender*& sender, Crypto::Session& session, Run& run,
                     std::span<const SealedFrame> frames, std::span<Verdict> verdicts) noexcept;
    Verdict learn(Sender& sender, const wire::Trailer& trailer) noexcept;
    void judge(Run& run, std::span<const SealedFrame> frames, std::span<Verdict> verdicts) noexcept;

    Crypto& crypto_;
    Algorithm algorithm_;
    std::uint32_t job_key_;
    std::uint16_t station_;
    std::vector<Sender> senders_;
};

}  // namespace isoplane::auth
