// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstring>
#include <isoplane/active/active.hh>

#include "program_end.hh"

namespace isoplane::perf {

/// What a message is: four words, or data that goes to the receiver's memory.
enum class Form : std::uint8_t { kRequest, kTransfer };

/// One end of active messages, as a program in C has them that makes progress itself. Each message is a
/// request; one that is answered has its reply from the handler, of the same form.
class ActiveEnd : private ProgramEnd {
  public:
    static constexpr bool kKeepsContent = true;
    static constexpr std::size_t kRequestSize = sizeof(active::Words);

    ActiveEnd(Form form, runtime::Input& from, runtime::Output& to, runtime::Pool& pool, niu::Options options)
        : ProgramEnd(from, to, pool, std::move(options), wire::Protocol::kActive),
          messages_(*this, endpoint_, images_, {.node = here(), .nodes = kNodes}),
          form_(form) {
        messages_.check_with(&memory_);
    }

    /// The other end: addresses in its memory are known here, as they are to a program that is at the same
    /// place on all nodes.
    void face(const ActiveEnd& other) noexcept { other_ = &other; }
    bool carries(std::size_t size) const noexcept { return form_ == Form::kTransfer || size == kRequestSize; }
    void answer(bool answered) noexcept { answered_ = answered; }
    void use(std::span<std::byte> room) noexcept { room_ = room; }
    void begin(std::size_t /*size*/) noexcept { came_ = 0; }
    bool ready() noexcept {
        poll();
        return niu_.all_up();
    }

    bool send(std::span<const std::byte> message) noexcept {
        if (form_ == Form::kTransfer)
            return messages_.transfer(peer_, message, address(other_->room_),
                                      answered_ ? answer_data : take_data, address(room_));
        active::Words words;
        std::memcpy(words.data(), message.data(), kRequestSize);
        return messages_.request(peer_, answered_ ? answer_words : take_words, words);
    }

    bool poll() noexcept {
        const bool moved = move();
        serve();
        return moved;
    }
    /// It is there already.
    bool receive(std::span<std::byte> /*room*/) noexcept {
        if (came_ == 0) return false;
        --came_;
        return true;
    }

    bool settled() const noexcept { return messages_.open() == 0 && !messages_.waiting() && all_sent(); }

  protected:
    using ProgramEnd::move;
    void serve() noexcept {
        dispatcher_.dispatch();
        messages_.poll(niu_.now());
    }

  private:
    static active::Word address(std::span<const std::byte> memory) noexcept {
        return reinterpret_cast<active::Word>(memory.data());
    }
    /// So that handlers know whose they are.
    struct Messages final : active::Active {
        Messages(ActiveEnd& owner, noniso::Endpoint& endpoint, active::Images& images,
                 const active::Options& options)
            : Active(endpoint, images, options), end(owner) {}
        ActiveEnd& end;
    };
    static ActiveEnd& end_of(active::Active& messages) noexcept {
        return static_cast<Messages&>(messages).end;
    }

    static void take_words(active::Active& messages, const active::Call& call) {
        ActiveEnd& end = end_of(messages);
        std::memcpy(end.room_.data(), call.words.data(), kRequestSize);
        ++end.came_;
    }
    static void answer_words(active::Active& messages, const active::Call& call) {
        std::memcpy(end_of(messages).room_.data(), call.words.data(), kRequestSize);
        messages.reply(call.source, take_words, call.words);
    }
    static void take_data(active::Active& messages, const active::Call& /*call*/) {
        ++end_of(messages).came_;
    }
    static void answer_data(active::Active& messages, const active::Call& call) {
        messages.reply_transfer(call.source, call.data, call.words[0], take_data, 0);
    }

    active::Images images_;
    active::MemoryMap memory_;
    Messages messages_;
    Form form_;
    const ActiveEnd* other_ = nullptr;
    bool answered_ = false;
    std::span<std::byte> room_{};
    std::size_t came_ = 0;
};

}  // namespace isoplane::perf
