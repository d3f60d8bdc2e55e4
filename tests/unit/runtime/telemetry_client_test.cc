// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <isoplane/runtime/telemetry_client.hh>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

namespace isoplane::runtime {
namespace {

using Json = nlohmann::json;

/// Answers one command with these words, as rte_telemetry or whoever has its place.
class Liar {
  public:
    explicit Liar(std::string words) {
        std::copy(path.begin(), path.end(), std::begin(address_.sun_path));
        EXPECT_EQ(bind(listener_, reinterpret_cast<const sockaddr*>(&address_), sizeof address_), 0);
        EXPECT_EQ(listen(listener_, 1), 0);
        thread_ = std::thread([this, said = std::move(words)] {
            const int caller = accept(listener_, nullptr, nullptr);
            char command[64];
            EXPECT_EQ(send(caller, "{}", 2, MSG_NOSIGNAL), 2);
            EXPECT_GT(recv(caller, command, sizeof command, 0), 0);
            EXPECT_GT(send(caller, said.data(), said.size(), MSG_NOSIGNAL), 0);
            close(caller);
        });
    }
    ~Liar() {
        thread_.join();
        close(listener_);
        unlink(path.c_str());
    }

    const std::string path = std::filesystem::temp_directory_path() / ("liar" + std::to_string(getpid()));

  private:
    sockaddr_un address_{.sun_family = AF_UNIX, .sun_path = {}};
    int listener_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    std::thread thread_;
};

Json told(const std::string& report) {
    const Liar liar(R"({"/isoplane/portals":)" + report + "}");
    return ask_telemetry(liar.path, getpid(), "/isoplane/portals");
}

std::string nested(int levels) {
    std::string text;
    for (int i = 0; i < levels; ++i)
        text += R"({"a":)";
    return text + "1" + std::string(static_cast<std::size_t>(levels), '}');
}

TEST(TelemetryClient, a_report_is_as_it_was_told) {
    const Json report{{"begun", 3}, {"interfaces", {{"0", {{"sent_bytes", 5}}}}}, {"state", "up"}};
    EXPECT_EQ(told(report.dump()), report);
    EXPECT_EQ(told(nested(30)), Json::parse(nested(30)));
    EXPECT_TRUE(told("null").is_null());
    EXPECT_TRUE(told("{").is_null());
}

/// Whoever copies, shows or frees it calls itself for each level.
TEST(TelemetryClient, what_is_nested_too_deeply_is_nothing) {
    EXPECT_TRUE(told(std::string(100'000, '[') + std::string(100'000, ']')).is_null());
    EXPECT_TRUE(told(std::string(7'000, '[') + std::string(7'000, ']')).is_null());
    EXPECT_TRUE(told(nested(2'000)).is_null());
    EXPECT_TRUE(told(nested(33)).is_null());
    EXPECT_TRUE(told(R"({"a":1,"b":[)" + nested(40) + R"(,2],"c":3})").is_null());
}

TEST(TelemetryClient, what_would_steer_a_terminal_is_nothing) {
    EXPECT_TRUE(told(R"({"state":"\u001b[2J"})").is_null());
    EXPECT_TRUE(told("{\"\x7f\":1}").is_null());
    EXPECT_TRUE(told("{\"state\":\"\xff\"}").is_null());
}

}  // namespace
}  // namespace isoplane::runtime
