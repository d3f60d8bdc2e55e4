// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <deque>
#include <isoplane/portals/interface.hh>
#include <map>

namespace isoplane::nal {

/// Joins the interfaces of one process, each to itself and to the others: every message is delivered by the
/// call that makes progress next, whose thread copies the data from MD to MD.
///
/// Messages to a process that has not been here yet wait for it. Those to one that has left fail.
class Loopback final : public portals::Nal {
  public:
    /// All its interfaces have this nid.
    explicit Loopback(portals::Nid nid = 0) : nid_(nid) {}

    portals::Status attach(portals::Interface& interface, portals::Pid wanted,
                           portals::ProcessId& id) override;
    void detach(portals::Interface& interface) noexcept override;
    void submit(portals::Interface& from, const portals::Header& header, const portals::Pieces& data,
                portals::Operation operation) override;
    bool progress(portals::Interface& interface) override;
    /// Every call that sends makes progress for all afterwards.
    bool moves_alone() const noexcept override { return true; }
    bool distance(const portals::ProcessId& from, const portals::ProcessId& to,
                  unsigned long& distance) const noexcept override;

  private:
    struct Message {
        portals::Interface* from = nullptr;
        portals::Header header{};
        portals::Pieces data{};
        portals::Operation operation = portals::kNone;
    };
    using Lock = std::lock_guard<std::mutex>;

    bool next(Message& message, portals::Interface*& target);
    static void deliver(const Message& message, portals::Interface* target);

    const portals::Nid nid_;
    std::mutex moving_;  ///< held while messages are delivered, and taken before any other lock
    std::mutex mutex_;   ///< of what follows; taken last
    std::map<portals::Pid, portals::Interface*> interfaces_;  ///< nullptr for one that has left
    std::deque<Message> messages_;
    std::deque<Message> early_;  ///< for processes that have not been here
};

}  // namespace isoplane::nal
