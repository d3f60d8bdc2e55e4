// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "capture/pcapng.hh"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace isoplane::test {
namespace {

using capture::Direction;
using capture::Frame;
using capture::Reader;
using capture::Writer;
using namespace std::chrono_literals;

/// A file that goes with the test.
class File {
  public:
    File()
        : path_(testing::TempDir() + "pcapng-" +
                testing::UnitTest::GetInstance()->current_test_info()->name()) {}
    ~File() { std::filesystem::remove(path_); }
    const std::string& path() const { return path_; }
    void put(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
    std::string get() const {
        std::ifstream in(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

  private:
    std::string path_;
};

std::vector<std::byte> bytes(std::size_t size) {
    std::vector<std::byte> some(size);
    for (std::size_t i = 0; i < size; ++i)
        some[i] = static_cast<std::byte>(i);
    return some;
}

void write_three(const File& file) {
    Writer writer(file.path());
    writer.add_interface("first");
    writer.add_interface("second");
    for (const std::uint32_t n : {0U, 1U, 2U})
        writer.add(n % 2, n == 1 ? Direction::kIn : Direction::kOut, (n + 1) * 1500ns, bytes(6 + n));
    writer.finish();
}

template <typename Value>
std::string raw(Value value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string block(std::uint32_t type, const std::string& body) {
    const std::string length = raw(static_cast<std::uint32_t>(body.size() + 12));
    return raw(type) + length + body + length;
}

std::string section() {
    std::string out;
    runtime::pcapng::put_section(out, {});
    return out;
}

/// With one option.
std::string interface_block(std::uint16_t code, const std::string& value) {
    std::string padded = value;
    padded.resize(runtime::pcapng::padded(value.size()));
    return block(runtime::pcapng::kInterface,
                 raw(std::uint32_t{runtime::pcapng::kEthernet}) + raw(std::uint32_t{0}) + raw(code) +
                     raw(static_cast<std::uint16_t>(value.size())) + padded + raw(std::uint32_t{0}));
}

std::string packet_block(std::uint32_t interface, std::uint64_t stamp) {
    return block(runtime::pcapng::kPacket, raw(interface) + raw(static_cast<std::uint32_t>(stamp >> 32)) +
                                               raw(static_cast<std::uint32_t>(stamp)) +
                                               raw(std::uint32_t{4}) + raw(std::uint32_t{4}) + "abcd");
}

/// When the frames of a file passed that has nothing wrong with it.
std::vector<capture::Time> times_in(const File& file) {
    std::vector<capture::Time> times;
    Reader reader(file.path());
    for (Frame frame; reader.next(frame);)
        times.push_back(frame.when);
    EXPECT_EQ(reader.damage(), "");
    return times;
}

std::string refusal(const File& file) {
    try {
        Reader reader(file.path());
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return {};
}

TEST(Pcapng, what_is_written_is_read) {
    const File file;
    write_three(file);
    Reader reader(file.path());
    Frame frame;
    for (const std::uint32_t n : {0U, 1U, 2U}) {
        ASSERT_TRUE(reader.next(frame));
        EXPECT_EQ(frame.bytes, bytes(6 + n));
        EXPECT_EQ(frame.when, n * 1500ns);
        EXPECT_EQ(frame.interface, n % 2);
        EXPECT_EQ(frame.direction, n == 1 ? Direction::kIn : Direction::kOut);
        EXPECT_FALSE(frame.cut);
    }
    EXPECT_FALSE(reader.next(frame));
    EXPECT_EQ(reader.damage(), "");
}

TEST(Pcapng, a_pipe_is_read_as_a_file_is) {
    const File file;
    write_three(file);
    const std::string whole = file.get();
    std::filesystem::remove(file.path());
    ASSERT_EQ(mkfifo(file.path().c_str(), 0600), 0);
    std::jthread writer([&] { file.put(whole); });
    Reader reader(file.path());
    Frame frame;
    unsigned frames = 0;
    while (reader.next(frame))
        EXPECT_EQ(frame.bytes, bytes(6 + frames++));
    EXPECT_EQ(frames, 3U);
    EXPECT_EQ(reader.damage(), "");
}

TEST(Pcapng, a_file_cut_anywhere_is_read_up_to_there) {
    const File file;
    write_three(file);
    const std::string whole = file.get();
    unsigned between_blocks = 0;
    for (std::size_t size = 4; size < whole.size(); ++size) {
        file.put(whole.substr(0, size));
        Reader reader(file.path());
        Frame frame;
        unsigned frames = 0;
        while (reader.next(frame))
            ++frames;
        EXPECT_LT(frames, 3U);
        if (reader.damage().empty()) ++between_blocks;
    }
    EXPECT_EQ(between_blocks, 5U);  // behind the section, its two interfaces, and two frames
}

TEST(Pcapng, no_byte_of_it_can_crash_the_reader) {
    const File file;
    write_three(file);
    const std::string whole = file.get();
    for (std::size_t at = 4; at < whole.size(); ++at) {
        for (const char value : {'\x00', '\xff'}) {
            std::string changed = whole;
            changed[at] = value;
            file.put(changed);
            Reader reader(file.path());
            Frame frame;
            while (reader.next(frame))
                EXPECT_LT(frame.bytes.size(), whole.size());
        }
    }
}

TEST(Pcapng, a_time_that_no_drawing_has_room_for_is_damage) {
    const File file;
    Writer writer(file.path());
    writer.add_interface("one");
    for (const capture::Time when :
         {capture::Time{0}, capture::Time{24h * 365}, capture::Time{24h * 365 * 200}})
        writer.add(0, Direction::kIn, when, bytes(6));
    writer.finish();
    Reader reader(file.path());
    Frame frame;
    EXPECT_TRUE(reader.next(frame));
    EXPECT_TRUE(reader.next(frame));
    EXPECT_FALSE(reader.next(frame));
    EXPECT_NE(reader.damage().find("decades"), std::string::npos) << reader.damage();
}

TEST(Pcapng, interfaces_have_offsets_of_their_times) {
    const File file;
    file.put(section() + interface_block(runtime::pcapng::kTimeOffset, raw(std::int64_t{-3})) +
             interface_block(runtime::pcapng::kTimeOffset, raw(std::int64_t{2})) +
             packet_block(0, 10'000'000) + packet_block(1, 6'000'000) + packet_block(0, 10'000'001));
    EXPECT_EQ(times_in(file), (std::vector<capture::Time>{0s, 1s, 1us}));
}

TEST(Pcapng, times_finer_than_nanoseconds_are_read_as_nanoseconds) {
    const File file;
    constexpr char kPicoseconds = 12;
    constexpr char kPowerOfTwo = -128;
    file.put(section() + interface_block(runtime::pcapng::kResolution, {kPicoseconds}) +
             packet_block(0, 1'000'500) + packet_block(0, 3'500'499));
    EXPECT_EQ(times_in(file), (std::vector<capture::Time>{0ns, 2500ns}));
    file.put(section() + interface_block(runtime::pcapng::kResolution, {kPowerOfTwo + 40}) +
             packet_block(0, std::uint64_t{5} << 40) + packet_block(0, std::uint64_t{11} << 39));
    EXPECT_EQ(times_in(file), (std::vector<capture::Time>{0ns, 500ms}));
    file.put(section() + interface_block(runtime::pcapng::kResolution, {'\x7f'}) + packet_block(0, 1) +
             packet_block(0, UINT64_MAX));
    EXPECT_EQ(times_in(file), (std::vector<capture::Time>{0ns, 1ns})) << "no clock is so fine";
}

TEST(Pcapng, long_blocks_of_other_kinds_are_skipped) {
    const File file;
    constexpr std::uint32_t kSecrets = 10;
    const std::string whole = section() + interface_block(runtime::pcapng::kResolution, {'\x09'}) +
                              packet_block(0, 1) + block(kSecrets, std::string(std::size_t{2} << 20, 's')) +
                              packet_block(0, 5);
    file.put(whole);
    EXPECT_EQ(times_in(file), (std::vector<capture::Time>{0ns, 4ns}));
    file.put(whole.substr(0, std::size_t{2} << 20));
    Reader reader(file.path());
    Frame frame;
    EXPECT_TRUE(reader.next(frame));
    EXPECT_FALSE(reader.next(frame));
    EXPECT_NE(reader.damage().find("it ends within a block"), std::string::npos) << reader.damage();
}

TEST(Pcapng, other_files_are_refused_with_a_sentence) {
    const File file;
    EXPECT_NE(refusal(file).find("cannot read"), std::string::npos);
    file.put("");
    EXPECT_NE(refusal(file).find("is empty"), std::string::npos);
    file.put("no capture at all");
    EXPECT_NE(refusal(file).find("is no capture"), std::string::npos);
    file.put("\xd4\xc3\xb2\xa1 and so on");
    EXPECT_NE(refusal(file).find("editcap -F pcapng"), std::string::npos);
}

}  // namespace
}  // namespace isoplane::test
