// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/auth/opener.hh>
#include <utility>

namespace isoplane::auth {

namespace {

/// In a time that tells nothing of where two tags differ.
bool same_tag(const std::byte* a, const std::byte* b) noexcept {
    using Word = wire::Field<std::uint64_t, 0>;
    using Next = wire::Field<std::uint64_t, 8>;
    static_assert(Next::kEnd == wire::kTagSize);
    return ((Word::get(a) ^ Word::get(b)) | (Next::get(a) ^ Next::get(b))) == 0;
}

}  // namespace

std::string_view name(Verdict verdict) {
    static constexpr std::array<std::string_view, kVerdicts> kNames = {
        "authentic", "not_sealed", "other_key", "forged", "replayed", "outdated", "no_key"};
    return kNames[static_cast<std::size_t>(verdict)];
}

Opener::Opener(Crypto& crypto, Algorithm algorithm, std::uint32_t job_key, std::uint16_t station,
               std::size_t stations)
    : crypto_(crypto), algorithm_(algorithm), job_key_(job_key), station_(station), senders_(stations) {}

Opener::~Opener() {
    for (const Sender& sender : senders_) {
        crypto_.close(sender.newest.session);
        crypto_.close(sender.before.session);
    }
}

/// What names a life or generation that is not the one we know.
Verdict Opener::learn(Sender& sender, const wire::Trailer& trailer) noexcept {
    const bool same_life = trailer.born == sender.born && trailer.salt == sender.salt;
    const bool is_known = sender.newest.session != nullptr;
    const std::uint32_t generation = trailer.generation();
    const bool forward = same_life ? generation > sender.newest.generation : trailer.born > sender.born;
    const Life life{job_key_, trailer.born, trailer.salt};
    if (proof_of(crypto_, algorithm_, life, generation) != trailer.proof) return Verdict::kOtherKey;
    if (is_known && !forward) return Verdict::kOutdated;
    crypto_.close(std::exchange(sender.before, same_life ? sender.newest : KeyInUse{}).session);
    if (!same_life) {
        crypto_.close(sender.newest.session);
        sender.window.reset();
    }
    sender.born = trailer.born;
    sender.salt = trailer.salt;
    sender.newest = {crypto_.open(key_of(crypto_, algorithm_, life, generation)), trailer.proof, generation};
    return sender.newest.session != nullptr ? Verdict::kAuthentic : Verdict::kNoKey;
}

/// The sender and key that a frame names; kAuthentic so far.
Verdict Opener::identify(const wire::Trailer& trailer, Sender*& sender, Crypto::Session& session, Run& run,
                         std::span<const SealedFrame> frames, std::span<Verdict> verdicts) noexcept {
    const std::uint16_t station = trailer.station();
    if (station >= senders_.size()) return Verdict::kNotSealed;
    sender = &senders_[station];
    const bool same_life = trailer.born == sender->born && trailer.salt == sender->salt;
    for (const KeyInUse* key : {&sender->newest, &sender->before}) {
        if (!same_life || key->session == nullptr || key->generation != trailer.generation()) continue;
        if (key->proof != trailer.proof) return Verdict::kOtherKey;
        session = key->session;
        return Verdict::kAuthentic;
    }
    judge(run, frames, verdicts);  // whose keys may be closed now
    const Verdict verdict = learn(*sender, trailer);
    session = sender->newest.session;
    return verdict;
}

/// A number is judged again where its tag holds: a frame may be twice in one burst.
void Opener::judge(Run& run, std::span<const SealedFrame> frames, std::span<Verdict> verdicts) noexcept {
    const bool computed = run.size > 0 && crypto_.tag(run.session, std::span(run.pieces).first(run.size));
    for (std::size_t i = 0; i < run.size; ++i) {
        Verdict& verdict = verdicts[run.frames[i]];
        const std::byte* const tag = frames[run.frames[i]].trailer + wire::trailer_layout::kTag;
        ReplayWindow& window = run.senders[i]->window;
        const std::uint64_t number = run.pieces[i].number;
        if (!computed || !same_tag(run.tags[i].data(), tag)) {
            verdict = Verdict::kForged;
        } else if (window.place(number) == ReplayWindow::Place::kNew) [[likely]] {
            window.mark(number);
            verdict = Verdict::kAuthentic;
        } else {
            verdict =
                window.place(number) == ReplayWindow::Place::kSeen ? Verdict::kReplayed : Verdict::kOutdated;
        }
    }
    run.size = 0;
}

void Opener::open(std::span<const SealedFrame> frames, std::span<Verdict> verdicts) noexcept {
    Run run;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const wire::Trailer trailer = wire::read_trailer(frames[i].trailer);
        if (trailer.station() == station_) {
            verdicts[i] = Verdict::kReplayed;
            continue;
        }
        Sender* sender = nullptr;
        Crypto::Session session = nullptr;
        const Verdict known = identify(trailer, sender, session, run, frames, verdicts);
        if (known != Verdict::kAuthentic) {
            verdicts[i] = known;
            continue;
        }
        if (sender->window.place(trailer.number) == ReplayWindow::Place::kBefore) [[unlikely]] {
            verdicts[i] = Verdict::kOutdated;
            continue;
        }
        if (session != run.session) {
            judge(run, frames, verdicts);
            run.session = session;
        }
        run.pieces[run.size] = {frames[i].covered(), trailer.number, run.tags[run.size].data()};
        run.frames[run.size] = static_cast<std::uint16_t>(i);
        run.senders[run.size++] = sender;
    }
    judge(run, frames, verdicts);
}

}  // namespace isoplane::auth
