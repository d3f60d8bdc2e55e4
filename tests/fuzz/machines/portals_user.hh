// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <sanitizer/asan_interface.h>

#include <isoplane/nal/over_niu.hh>
#include <isoplane/portals/interface.hh>
#include <memory>
#include <optional>
#include <vector>

#include "bytes.hh"

namespace isoplane::fuzz {

/// Memory that others may be given, in the middle of memory that nobody may touch.
class Plot {
  public:
    explicit Plot(std::size_t size) : bytes_(size + 2 * kAround) {
        ASAN_POISON_MEMORY_REGION(bytes_.data(), kAround);
        ASAN_POISON_MEMORY_REGION(bytes_.data() + kAround + size, kAround);
    }
    ~Plot() { ASAN_UNPOISON_MEMORY_REGION(bytes_.data(), bytes_.size()); }
    Plot(const Plot&) = delete;
    Plot& operator=(const Plot&) = delete;

    std::span<std::byte> bytes() { return std::span(bytes_).subspan(kAround, bytes_.size() - 2 * kAround); }

  private:
    static constexpr std::size_t kAround = 4096;
    std::vector<std::byte> bytes_;
};

/// What is registered for sending without a copy.
inline const niu::Memory& registered() {
    static const niu::Memory memory = niu::Memory::allocate(32768);
    return memory;
}

/// A process of Portals that does what it is told. Its memory goes as soon as it may.
class PortalsUser {
  public:
    PortalsUser(unsigned number, nal::OverNiu& nal) : number_(number), nal_(nal) { open(); }

    portals::Pid pid() const { return number_ + 1; }

    void act(Bytes& in) {
        using namespace portals;
        switch (in.take<std::uint8_t>() % 16) {
            case 0:
            case 1:
            case 2:
                return offer(in);
            case 3:
            case 4:
                return bind(in);
            case 5:
            case 6:
                return put(in);
            case 7:
            case 8:
                static_cast<void>(ni_->get(some_md(in), some_part(in), somewhere(in)));
                return;
            case 9:
                static_cast<void>(ni_->get_put(some_md(in), some_md(in), somewhere(in), 7));
                return;
            case 10:
            case 11:
                return unlink(in);
            case 12:
                return post(in);
            case 13:
                return update(in);
            case 14:
                static_cast<void>(ni_->set_access(
                    in.take<std::uint8_t>() % 4U,
                    {.id = {in.take<std::uint8_t>() % 3U, kAny}, .uid = in.near(kUid), .portal = kAny}));
                return;
            default:
                if (in.take<std::uint8_t>() % 4 == 0) open();
        }
    }

    /// Reads events, if it is one who does.
    void listen() {
        using namespace portals;
        Event event;
        std::size_t which = 0;
        EventHandler handler = nullptr;
        Status status = Status::kOk;
        while (status == Status::kOk || status == Status::kEqDropped) {
            status = ni_->take({&queue_, 1}, event, which, handler);
            if (status != Status::kOk || event.kind != EventKind::kUnlink) continue;
            std::erase_if(pieces_, [&event](const Piece& piece) { return piece.md == event.md; });
        }
    }

    static constexpr portals::Uid kUid = 7;
    static constexpr unsigned kPortals = 4;

  private:
    /// An MD, and what it is of.
    struct Piece {
        portals::Handle entry = portals::kInvalid;
        portals::Handle md = portals::kInvalid;
        std::unique_ptr<Plot> plot{};
    };
    /// Of a description, that has to be there when it is used.
    struct Spec {
        portals::MdSpec md{};
        std::array<portals::Segment, 3> segments{};
        std::unique_ptr<Plot> plot{};
    };

    /// Another life of it, and everything of the last is gone.
    void open() {
        ni_.reset();
        pieces_.clear();
        ni_.emplace(number_, nal_,
                    portals::Options{.uid = kUid, .jid = portals::kAny, .generation = ++life_});
        static_cast<void>(ni_->open(pid()));
        static_cast<void>(ni_->open_queue(16, nullptr, queue_));
    }

    portals::Handle some_md(Bytes& in) const {
        const auto which = in.take<std::uint8_t>();
        return pieces_.empty() ? portals::kInvalid : pieces_[which % pieces_.size()].md;
    }
    portals::Handle some_entry(Bytes& in) const {
        const auto which = in.take<std::uint8_t>();
        return pieces_.empty() ? portals::kInvalid : pieces_[which % pieces_.size()].entry;
    }
    static std::optional<portals::Range> some_part(Bytes& in) {
        if (in.take<std::uint8_t>() % 2 == 0) return {};
        return portals::Range{in.take<std::uint8_t>(), in.take<std::uint16_t>()};
    }
    /// Another node, this one, or one that there is not.
    static portals::Target somewhere(Bytes& in) {
        const auto where = in.take<std::uint8_t>();
        return {.process = {(where + 1U) % 5, 1 + (where >> 4 & 1U)},
                .portal = (where >> 5) % kPortals,
                .cookie = in.near(0U),
                .match_bits = in.take<std::uint8_t>(),
                .remote_offset = in.near(portals::Size{0})};
    }
    static portals::MatchSpec some_match(Bytes& in) {
        const unsigned what = in.take<std::uint8_t>();
        return {.id = {what % 4 != 0 ? portals::kAny : what >> 2 & 3U, portals::kAny},
                .bits = what >> 4,
                .ignore = in.near(~portals::Bits{0}),
                .unlink = portals::Unlink{what % 2 == 0}};
    }
    Spec some_spec(Bytes& in) const {
        using namespace portals;
        const auto kind = in.take<std::uint8_t>();
        const auto size = in.take<std::uint16_t>() % (kind % 4 == 0 ? 60'000U : 500U);
        Spec spec{.md = {.start = nullptr,
                         .length = size,
                         .threshold = kind % 8 < 5 ? kInfinite : kind % 8 - 4,
                         .max_size = in.take<std::uint8_t>(),
                         .options = kind % 3 == 0 ? in.take<std::uint16_t>() & 0x1ffU
                                                  : kOpPut | kOpGet | kManageRemote | kTruncate,
                         .user_ptr = nullptr,
                         .eq = kind % 5 == 0 ? kNoQueue : queue_},
                  .plot = std::make_unique<Plot>(size)};
        std::byte* const at = spec.plot->bytes().data();
        spec.md.start = at;
        spec.segments = {{{at, size / 3}, {at + size / 3, 0}, {at + size / 3, size - size / 3}}};
        return spec;
    }
    /// In its place, where its segments are found.
    static const portals::MdSpec& placed(Spec& spec) {
        if ((spec.md.options & portals::kIovec) != 0) {
            spec.md.start = spec.segments.data();
            spec.md.length = spec.segments.size();
        }
        return spec.md;
    }

    void offer(Bytes& in) {
        if (pieces_.size() >= 16) return;
        using namespace portals;
        const auto how = in.take<std::uint8_t>();
        Spec spec = some_spec(in);
        Handle entry = kInvalid;
        Handle md = kInvalid;
        Index portal = how % kPortals;
        if (how >= 240)
            static_cast<void>(ni_->attach_any_entry(portal, some_match(in), entry));
        else
            static_cast<void>(ni_->attach_entry(portal, some_match(in), Position{how >> 2 & 1}, entry));
        if (ni_->attach(entry, placed(spec), Unlink{(how & 8) != 0}, Unlink{(how & 16) != 0}, md) !=
            Status::kOk)
            return;
        pieces_.push_back({entry, md, std::move(spec.plot)});
    }

    void bind(Bytes& in) {
        if (pieces_.size() >= 16) return;
        const auto how = in.take<std::uint8_t>();
        Spec spec = some_spec(in);
        if (how >= 224) {
            spec.md.start = registered().bytes().data();
            spec.md.options &= ~static_cast<unsigned>(portals::kIovec);
        }
        portals::Handle md = portals::kInvalid;
        if (ni_->bind(placed(spec), portals::Unlink{how % 2 != 0}, md) != portals::Status::kOk) return;
        pieces_.push_back({portals::kInvalid, md, std::move(spec.plot)});
    }

    void put(Bytes& in) {
        const auto ack = portals::AckRequest{in.take<std::uint8_t>() % 2};
        static_cast<void>(ni_->put(some_md(in), some_part(in), ack, somewhere(in), 7));
    }

    void unlink(Bytes& in) {
        if (pieces_.empty()) return;
        const auto which = in.take<std::uint8_t>();
        const auto piece = pieces_.begin() + static_cast<std::ptrdiff_t>(which % pieces_.size());
        if (which >= 128 && piece->entry != portals::kInvalid) {
            if (ni_->unlink_entry(piece->entry) == portals::Status::kOk) pieces_.erase(piece);
        } else if (ni_->unlink(piece->md) != portals::Status::kMdInUse) {
            pieces_.erase(piece);  // or it had gone without a word
        }
    }

    void post(Bytes& in) {
        if (pieces_.size() >= 16) return;
        const portals::Handle base = some_entry(in);
        Spec spec = some_spec(in);
        Piece piece;
        if (ni_->post(base, some_match(in), portals::Position::kAfter, placed(spec), portals::Unlink::kUnlink,
                      queue_, piece.entry, piece.md) != portals::Status::kOk)
            return;
        piece.plot = std::move(spec.plot);
        pieces_.push_back(std::move(piece));
    }

    void update(Bytes& in) {
        if (pieces_.empty()) return;
        Piece& piece = pieces_[in.take<std::uint8_t>() % pieces_.size()];
        Spec spec = some_spec(in);
        if (ni_->update(piece.md, nullptr, &placed(spec), portals::kNoQueue) == portals::Status::kOk)
            piece.plot = std::move(spec.plot);
    }

    unsigned number_;
    nal::OverNiu& nal_;
    std::uint32_t life_ = 0;
    portals::Handle queue_ = portals::kNoQueue;
    std::vector<Piece> pieces_;
    std::optional<portals::Interface> ni_;
};

}  // namespace isoplane::fuzz
