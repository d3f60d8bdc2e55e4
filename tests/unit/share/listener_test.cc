// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <fstream>

#include "node_with_desk.hh"

namespace isoplane::test {

namespace {

/// Desks of nodes that nobody registers at.
struct Listening : testing::Test {
    ~Listening() override { std::filesystem::remove(path); }

    std::unique_ptr<share::Desk> desk() {
        return std::make_unique<share::Desk>(
            path, node.exchange, [](const std::function<void()>& what) { what(); }, 1500);
    }
    void leave_a_socket_behind() const {
        const int dead = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        const sockaddr_un address = share::socket_address(path);
        ASSERT_EQ(bind(dead, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        close(dead);
    }

    const std::string path = std::filesystem::temp_directory_path() / ("listen" + std::to_string(getpid()));
    SharedNode node;
};

TEST_F(Listening, of_nodes_that_start_at_one_path_at_once_one_has_it) {
    constexpr unsigned kNodes = 4;
    for (unsigned round = 0; round < 300; ++round) {
        leave_a_socket_behind();
        std::array<std::unique_ptr<share::Desk>, kNodes> desks;
        std::atomic<unsigned> ready = 0;
        std::vector<std::thread> starts;
        for (auto& one : desks) {
            starts.emplace_back([&] {
                ++ready;
                while (ready != kNodes)
                    std::this_thread::yield();
                try {
                    one = desk();
                } catch (const std::runtime_error&) {
                    // Another has it.
                }
            });
        }
        for (std::thread& start : starts)
            start.join();
        ASSERT_EQ(std::ranges::count_if(desks, [](const auto& one) { return one != nullptr; }), 1) << round;
        close(connected(path));
    }
}

TEST_F(Listening, who_lets_nobody_in_keeps_nobody_waiting_for_longer_than_he_says) {
    const int other = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    const sockaddr_un address = share::socket_address(path);
    ASSERT_EQ(bind(other, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(listen(other, 0), 0);
    const int first = connected(path);  // for whom there is room
    EXPECT_THROW(desk(), std::runtime_error);
    const runtime::SharedMemory memory("memory", 4096);
    EXPECT_THROW(share::Attachment(path, identity(0), memory, std::chrono::seconds(0)), std::runtime_error);
    close(first);
    close(other);
}

TEST_F(Listening, what_is_anothers_by_now_is_left_there) {
    std::unique_ptr<share::Desk> first = desk();
    std::filesystem::remove(path);
    const std::unique_ptr<share::Desk> second = desk();
    first.reset();
    close(connected(path));
}

TEST_F(Listening, what_is_no_socket_is_left_there) {
    std::ofstream(path) << "precious";
    EXPECT_THROW(desk(), std::runtime_error);
    EXPECT_EQ(std::filesystem::file_size(path), 8U);
}

}  // namespace

}  // namespace isoplane::test
