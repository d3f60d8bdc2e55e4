// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// What one node learns of another: what has arrived there, what is closed, and that it is killed, and starts
// again.
#include <endian.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "world.hh"

namespace isoplane::fi_test {
namespace {

namespace fs = std::filesystem;
using Data = std::vector<std::uint8_t>;
constexpr std::uint64_t kHello = 100;
const Data kGreeting{1};  ///< of which nobody waits for the end

/// Waits until it is so. False: it never will be.
bool comes(const std::function<bool()>& that) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!that()) {
        if (std::chrono::steady_clock::now() >= end) return false;
        usleep(1000);
    }
    return true;
}

/// Two nodes, each a process. One stays, the other is killed and comes again.
class Stage {
  public:
    /// What a node does with its world, and the first endpoint of the other.
    using Part = std::function<void(World&, fi_addr_t other)>;

    /// To be made before this process has used the provider. The first life goes on when its part is over,
    /// the second ends.
    explicit Stage(
        const Part& first, const Part& second = [](World&, fi_addr_t) {},
        fi_progress progress = FI_PROGRESS_AUTO)
        : progress_(progress) {
        std::string pattern = (fs::temp_directory_path() / "isoplane-fi-peers-XXXXXX").string();
        directory_ = mkdtemp(pattern.data());
        std::ofstream(directory_ / "fmconfig") << "0 here there\n";
        for (const int node : {0, 1})
            std::ofstream(directory_ / (std::to_string(node) + ".conf"))
                << "id=" << node << "\njob-key=7\nlink=memif:" << (directory_ / "link").string()
                << ",role=" << (node == 0 ? "server" : "client") << "\nfmconfig=fmconfig\n";
        if (pipe(gate_) != 0) throw std::runtime_error("no pipe");
        void* const shared =
            mmap(nullptr, sizeof *ready_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED) throw std::runtime_error("no memory");
        ready_ = new (shared) std::atomic<int>(0);
        first_ = fork();
        if (first_ == 0) {
            begin();
            act(1, first);
            if (testing::Test::HasFailure()) end();
            pause();
        }
        second_ = fork();
        if (second_ != 0) return;
        begin();
        char word = 0;
        if (read(gate_[0], &word, 1) == 1) act(1, second);
        end();
    }
    /// The part of this process, and then its end.
    [[noreturn]] void play(const Part& here) {
        act(0, here);
        kill(first_, SIGKILL);
        kill(second_, SIGKILL);
        fs::remove_all(directory_);
        end();
    }
    /// The next life begins when the one before is over.
    void replace() {
        kill(first_, SIGKILL);
        waitpid(first_, nullptr, 0);
        EXPECT_EQ(write(gate_[1], "x", 1), 1);
    }
    void await_second() const {
        int status = 0;
        waitpid(second_, &status, 0);
        EXPECT_EQ(status, 0);
    }
    /// The same, for who makes progress meanwhile.
    bool has_second() const {
        int status = 0;
        if (waitpid(second_, &status, WNOHANG) == 0) return true;
        EXPECT_EQ(status, 0);
        return false;
    }

  private:
    /// The other process does not wait for this one for ever, nor is it outlived.
    void begin() const {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(25);
        close(gate_[1]);
    }
    /// Says what has failed, which is printed of nothing but the process that runs the tests.
    [[noreturn]] static void end() {
        const testing::TestResult& result = *testing::UnitTest::GetInstance()->current_test_info()->result();
        for (int i = 0; i < result.total_part_count(); ++i)
            std::fprintf(stderr, "line %d: %s\n", result.GetTestPartResult(i).line_number(),
                         result.GetTestPartResult(i).message());
        std::_Exit(testing::Test::HasFailure() ? 1 : 0);
    }
    void act(int node, const Part& part) const {
        try {
            perform(node, part);
        } catch (const std::exception& problem) {
            ADD_FAILURE() << problem.what();
        }
    }
    void perform(int node, const Part& part) const {
        setenv("ISOPLANE_CONFIG", (directory_ / (std::to_string(node) + ".conf")).c_str(), 1);
        static World* world = nullptr;  // stays as it is when the process ends
        world = new World({.progress = progress_});
        // What is for an endpoint that is not there yet is dropped.
        ++*ready_;
        if (!comes([this] { return *ready_ >= 2; })) throw std::runtime_error("the other is not there");
        fi_addr_t other = FI_ADDR_UNSPEC;
        EXPECT_EQ(fi_av_insertsvc(world->vector.get(), node == 0 ? "1" : "0", nullptr, &other, 0, nullptr),
                  1);
        part(*world, other);
    }

    const fi_progress progress_;
    fs::path directory_;
    int gate_[2]{};
    std::atomic<int>* ready_ = nullptr;  ///< nodes, whose endpoints are there
    pid_t first_ = -1;
    pid_t second_ = -1;
};

void say(World& world, std::uint64_t tag, const Data& said, fi_addr_t to) {
    EXPECT_EQ(fi_tsend(world.a.endpoint.get(), said.data(), said.size(), nullptr, to, tag, context(tag)), 0);
}

void want(World& world, std::uint64_t tag, Data& got) {
    EXPECT_EQ(fi_trecv(world.a.endpoint.get(), got.data(), got.size(), nullptr, FI_ADDR_UNSPEC, tag, 0,
                       context(tag)),
              0);
}

/// Until a message with that tag is there, which nobody has asked for.
void await(World& world, std::uint64_t tag) {
    fi_msg_tagged message{};
    message.addr = FI_ADDR_UNSPEC;
    message.tag = tag;
    const bool is_there = comes([&] {
        EXPECT_EQ(fi_trecvmsg(world.a.endpoint.get(), &message, FI_PEEK), 0);
        fi_cq_tagged_entry entry{};
        if (fi_cq_sread(world.a.queue.get(), &entry, 1, nullptr, 20000) == 1) return true;
        fi_cq_err_entry error{};
        fi_cq_readerr(world.a.queue.get(), &error, 0);
        EXPECT_EQ(error.err, FI_ENOMSG);
        return error.err != FI_ENOMSG;
    });
    EXPECT_TRUE(is_there) << tag;
}

TEST(FiPeersDeathTest, a_long_message_of_an_earlier_life_is_not_received) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto scene = [] {
        const Data before = content(kLong, 1);
        const Data after = content(kLong, 2);
        Data answer(kLong);
        Stage stage(
            [&](World& world, fi_addr_t other) {
                say(world, 1, before, other);
                pause();
            },
            [&](World& world, fi_addr_t other) {
                want(world, 2, answer);
                say(world, kHello, kGreeting, other);
                say(world, 1, after, other);
                for (const std::uint64_t tag : {kHello, std::uint64_t{2}, std::uint64_t{1}})
                    EXPECT_NE(world.a.next().op_context, context(0)) << tag;
                EXPECT_EQ(answer, before);
            });
        stage.play([&](World& world, fi_addr_t other) {
            await(world, 1);
            Data hello(1);
            Data got(kLong);
            want(world, kHello, hello);
            stage.replace();
            EXPECT_EQ(world.a.next().op_context, context(kHello));
            // At once, whatever else is known of the other yet.
            say(world, 2, before, other);
            want(world, 1, got);
            for (int i = 0; i < 2; ++i)
                world.a.next();
            EXPECT_EQ(got, after);
            stage.await_second();
        });
    };
    EXPECT_EXIT(scene(), testing::ExitedWithCode(0), "");
}

/// Of more bytes than may be kept, so few that the answer to who asks for them is sent at once.
TEST(FiPeersDeathTest, what_is_delivered_is_in_the_buffer_of_its_receive) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto scene = [] {
        constexpr std::size_t kSize = 60000;
        constexpr std::uint64_t kMessages = 20;
        const Data said = content(kSize);
        auto* const got = static_cast<std::uint8_t*>(
            mmap(nullptr, kMessages * kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
        ASSERT_NE(got, MAP_FAILED);
        Stage stage([&](World& world, fi_addr_t) {
            for (std::uint64_t tag = 0; tag < kMessages && !testing::Test::HasFailure(); ++tag) {
                await(world, tag);
                EXPECT_EQ(fi_trecv(world.a.endpoint.get(), got + tag * kSize, kSize, nullptr, FI_ADDR_UNSPEC,
                                   tag, 0, nullptr),
                          0);
                world.a.next();
            }
        });
        stage.play([&](World& world, fi_addr_t other) {
            const iovec memory{const_cast<std::uint8_t*>(said.data()), kSize};
            for (std::uint64_t tag = 0; tag < kMessages && !testing::Test::HasFailure(); ++tag) {
                const fi_msg_tagged msg{&memory, nullptr, 1, other, tag, 0, nullptr, 0};
                EXPECT_EQ(fi_tsendmsg(world.a.endpoint.get(), &msg, FI_COMPLETION | FI_DELIVERY_COMPLETE), 0);
                world.a.next();
                EXPECT_EQ(std::memcmp(got + tag * kSize, said.data(), kSize), 0) << tag;
            }
        });
    };
    EXPECT_EXIT(scene(), testing::ExitedWithCode(0), "");
}

TEST(FiPeersDeathTest, who_waits_for_an_endpoint_that_is_closed_hears_that_it_is) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto scene = [] {
        const Data said = content(kLong);
        Stage stage([&](World& world, fi_addr_t other) {
            {
                const End closed = world.open_end();
                EXPECT_EQ(fi_tsend(closed.endpoint.get(), said.data(), kLong, nullptr, other, 1, nullptr), 0);
            }
            say(world, kHello, kGreeting, other);
        });
        stage.play([&](World& world, fi_addr_t) {
            fid_ep* const from = world.a.endpoint.get();
            const auto expect_error = [&world](std::uintptr_t number) {
                const fi_cq_err_entry error = world.a.next_error();
                EXPECT_EQ(error.op_context, context(number));
                EXPECT_EQ(error.err, FI_EHOSTDOWN) << number;
            };
            Data hello(1);
            Data got(kLong);
            want(world, kHello, hello);
            EXPECT_EQ(world.a.next().op_context, context(kHello));
            want(world, 1, got);
            expect_error(1);
            fi_addr_t closed = FI_ADDR_UNSPEC;
            EXPECT_EQ(fi_av_insertsvc(world.vector.get(), "1", "3", &closed, 0, nullptr), 1);
            say(world, 2, said, closed);
            expect_error(2);
            const iovec word{got.data(), 8};
            const fi_msg msg{&word, nullptr, 1, closed, context(3), 0};
            EXPECT_EQ(fi_sendmsg(from, &msg, FI_COMPLETION | FI_DELIVERY_COMPLETE), 0);
            expect_error(3);
            EXPECT_EQ(fi_read(from, got.data(), 8, nullptr, closed, 0, kKey, context(4)), 0);
            expect_error(4);
            EXPECT_EQ(fi_write(from, got.data(), 8, nullptr, closed, 0, kKey, context(5)), 0);
            expect_error(5);
            EXPECT_EQ(fi_atomic(from, got.data(), 1, nullptr, closed, 0, kKey, FI_UINT64, FI_SUM, context(6)),
                      0);
            expect_error(6);
        });
    };
    EXPECT_EXIT(scene(), testing::ExitedWithCode(0), "");
}

/// Somebody is writing to it.
TEST(FiPeersDeathTest, what_has_begun_at_an_endpoint_that_is_closed_ends) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto scene = [] {
        constexpr std::size_t kSize = std::size_t{16} << 20;
        Stage stage([&](World& world, fi_addr_t other) {
            Data memory(kSize);
            const Owned<fid_mr> region = world.offer(memory.data(), kSize, kKey);
            {
                const End closed = world.open_end();
                say(world, kHello, kGreeting, other);
                const volatile std::uint8_t& first = memory.front();
                EXPECT_TRUE(comes([&first] { return first != 0; }));
            }
            say(world, kHello, kGreeting, other);
            pause();
        });
        stage.play([&](World& world, fi_addr_t) {
            const Data said(kSize, 1);
            Data hello(1);
            want(world, kHello, hello);
            EXPECT_EQ(world.a.next().op_context, context(kHello));
            fi_addr_t closed = FI_ADDR_UNSPEC;
            EXPECT_EQ(fi_av_insertsvc(world.vector.get(), "1", "3", &closed, 0, nullptr), 1);
            EXPECT_EQ(
                fi_write(world.a.endpoint.get(), said.data(), kSize, nullptr, closed, 0, kKey, context(1)),
                0);
            fi_cq_tagged_entry entry{};
            EXPECT_EQ(fi_cq_sread(world.a.queue.get(), &entry, 1, nullptr, 20000), 1);
            EXPECT_EQ(entry.op_context, context(1));
        });
    };
    EXPECT_EXIT(scene(), testing::ExitedWithCode(0), "");
}

/// A request that is asked for while the other node is between two lives waits for the second, and ends in
/// the meantime for who has asked: then others write to where it would be. What they write is a request, too.
TEST(FiPeersDeathTest, an_atomic_operation_that_has_ended_is_not_still_to_be_sent) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto scene = [] {
        constexpr std::uint64_t kWrong = 666;
        std::uint64_t value = 0;
        Stage stage(
            [&](World& world, fi_addr_t other) {
                say(world, kHello, kGreeting, other);
                for (;;)
                    world.a.is_quiet();
            },
            [&](World& world, fi_addr_t) {
                const Owned<fid_mr> region = world.offer(&value, sizeof value, kKey);
                Data hello(1);
                want(world, kHello, hello);
                world.a.next();
                EXPECT_NE(value, kWrong);
            },
            FI_PROGRESS_MANUAL);
        stage.play([&](World& world, fi_addr_t other) {
            Data hello(1);
            want(world, kHello, hello);
            world.a.next();
            stage.replace();
            // Nothing else makes progress: one of them is the first to meet the end of the first life.
            const std::uint64_t one = 1;
            ssize_t result = 0;
            unsigned asked = 0;
            comes([&] {
                ++asked;
                result = fi_atomic(world.a.endpoint.get(), &one, 1, nullptr, other, 0, kKey, FI_UINT64,
                                   FI_SUM, context(1));
                return result != 0;
            });
            EXPECT_EQ(result, -FI_EHOSTDOWN);
            struct {
                std::uint64_t key = htobe64(kKey);
                std::uint64_t offset = 0;
                std::uint32_t answer = 0;
                std::uint16_t count = htobe16(1);
                std::uint8_t type = FI_UINT64;
                std::uint8_t operation = FI_ATOMIC_WRITE;
                std::uint64_t operand = kWrong;
            } request;
            const iovec memory{&request, sizeof request};
            const fi_msg msg{&memory, nullptr, 1, world.b.address, nullptr, 0};
            for (unsigned i = 0; i < asked + 64; ++i)
                EXPECT_EQ(fi_sendmsg(world.a.endpoint.get(), &msg, FI_INJECT | FI_MORE), 0);
            EXPECT_TRUE(comes([&] {
                fi_cq_read(world.a.queue.get(), nullptr, 0);
                return fi_tinject(world.a.endpoint.get(), hello.data(), 1, other, kHello) == 0;
            }));
            while (stage.has_second())
                fi_cq_read(world.a.queue.get(), nullptr, 0);
        });
    };
    EXPECT_EXIT(scene(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace isoplane::fi_test
