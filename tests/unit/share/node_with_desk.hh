// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <isoplane/share/attachment.hh>
#include <isoplane/share/desk.hh>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "clients.hh"
#include "registration.hh"

namespace isoplane::test {

/// A shared node, polled by a thread of its own that makes calls for others, as an lcore does.
class Desk : public testing::Test {
  public:
    Desk() : thread_([this] { run(); }) { open(); }
    ~Desk() override {
        desk.reset();
        stop_ = true;
        thread_.join();
    }
    void open() {
        desk = std::make_unique<share::Desk>(
            path, node.exchange, [this](const std::function<void()>& what) { call(what); }, 1500);
    }
    void call(const std::function<void()>& what) {
        const std::lock_guard lock(control_);
        mail_ = &what;
        while (mail_ != nullptr)
            std::this_thread::yield();
    }
    /// Waits until a total of the desk is this.
    void await(const char* total, int n) {
        while (desk->totals()[total] < n)
            std::this_thread::yield();
        EXPECT_EQ(desk->totals()[total], n);
    }

    const std::string path = std::filesystem::temp_directory_path() / ("desk" + std::to_string(getpid()));
    SharedNode node;
    std::unique_ptr<share::Desk> desk;

  private:
    void run() {
        while (!stop_) {
            node.poll();
            if (const auto* what = mail_.load()) {
                (*what)();
                mail_ = nullptr;
            }
            std::this_thread::yield();
        }
    }

    std::mutex control_;
    std::atomic<const std::function<void()>*> mail_{nullptr};
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

/// A client of its own memory.
struct Attached {
    Attached(const std::string& path, const Identity& who)
        : pool("attached" + std::to_string(next++), 1023, runtime::Pool::kDefaultRoom, 0,
               runtime::Pool::Place::kShared),
          attachment(path, who, *pool.shared(), std::chrono::seconds(10)),
          in("in", attachment.area().in, pool, 128),
          out("out", attachment.area().out, pool, 1514) {
        in.post();
    }
    void send(const Identity& from, const Identity& to, wire::Kind kind = wire::Kind::kAck) {
        rte_mbuf* packet = frame(pool, from, to, 64, kind).release();
        while (out.send(&packet, 1) != 1)
            std::this_thread::yield();
    }
    runtime::Packet receive() {
        rte_mbuf* packet = nullptr;
        while (in.receive(&packet, 1) != 1)
            std::this_thread::yield();
        return runtime::Packet(packet);
    }

    static inline unsigned next = 0;
    runtime::Pool pool;
    share::Attachment attachment;
    share::ClientInput in;
    share::ClientOutput out;
};

inline int connected(const std::string& path) {
    const int descriptor = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path.c_str());
    EXPECT_EQ(connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return descriptor;
}

}  // namespace isoplane::test
