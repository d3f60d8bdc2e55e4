// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "text.hh"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>

namespace isoplane::topology {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_word(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

void append_printable(std::string& out, char c) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
        out += c;
    } else {
        out += "\\x";
        out += kDigits[byte >> 4];
        out += kDigits[byte & 0xf];
    }
}

}  // namespace

std::string quote(std::string_view text) {
    constexpr std::size_t kLongest = 48;
    std::string out = "\"";
    for (const char c : text.substr(0, kLongest))
        append_printable(out, c);
    return out + (text.size() > kLongest ? "...\"" : "\"");
}

std::string count(std::size_t n, std::string_view one) {
    std::string text = std::to_string(n) + " " + std::string(one);
    if (n == 1) return text;
    return text + (one.ends_with("ch") ? "es" : "s");
}

std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return text.substr(0, 0);
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool all_digits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

std::string name_fault(std::string_view name) {
    if (name.size() > kMaxNameLength)
        return "the name " + quote(name) + " has " + count(name.size(), "character") + "; at most " +
               std::to_string(kMaxNameLength) + " are possible: use a shorter one";
    const auto bad =
        std::find_if_not(name.begin(), name.end(), [](char c) { return is_word(c) || c == '-' || c == '.'; });
    if (bad != name.end())
        return quote(name) + " is not a name, because of the character " + quote(std::string_view(&*bad, 1)) +
               ": use letters, digits, '.', '-' and '_'";
    if (name.empty() || !is_word(name.front()))
        return quote(name) + " is not a name: start it with a letter, a digit or '_'";
    if (all_digits(name))
        return quote(name) +
               " is not the name of a host, since a name of digits alone means a switch or a "
               "node number: put a letter into it";
    return {};
}

Lines::Lines(std::string_view text, std::string_view file) : rest_(text), file_(file) {
    if (text.size() > kMaxFileSize)
        refuse({}, "the file has " + count(text.size(), "byte") + "; at most " +
                       std::to_string(kMaxFileSize) + " are read: check that it is the right file");
}

bool Lines::next() {
    while (!rest_.empty()) {
        const std::size_t end = std::min(rest_.find('\n'), rest_.size());
        const std::string_view whole = rest_.substr(0, end);
        rest_.remove_prefix(std::min(end + 1, rest_.size()));
        ++number_;
        if (whole.size() > kMaxLineLength)
            refuse({number_, 0}, "the line has " + count(whole.size(), "byte") + "; at most " +
                                     std::to_string(kMaxLineLength) + " are possible: split it");
        line_ = trim(whole.substr(0, whole.find('#')));
        offset_ = static_cast<std::uint32_t>(line_.data() - whole.data());
        if (!line_.empty()) return true;
    }
    line_ = {};
    return false;
}

Position Lines::at(std::string_view part) const {
    return {number_, offset_ + static_cast<std::uint32_t>(part.data() - line_.data()) + 1};
}

void Lines::refuse(Position position, std::string sentence) const {
    throw Error(file_, position, std::move(sentence));
}

std::string_view Cursor::rest() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
    return rest_;
}

std::string_view Cursor::word(std::string_view stops) {
    const std::string_view from = rest();
    // One scan for both, since one that runs past the word would make a long line cost its square.
    std::size_t end = 0;
    while (end < from.size() && kBlanks.find(from[end]) == std::string_view::npos &&
           stops.find(from[end]) == std::string_view::npos)
        ++end;
    rest_.remove_prefix(end);
    return from.substr(0, end);
}

bool Cursor::take(char c) {
    if (!rest().starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
}

std::string read_file(const std::string& path) {
    const auto refuse = [&](const std::string& why) { throw Error(path, {}, why); };
    std::error_code fault;
    const auto status = std::filesystem::status(path, fault);
    if (!std::filesystem::exists(status)) refuse("there is no such file: check the path");
    if (std::filesystem::is_directory(status)) refuse("this is a directory: name a file in it");
    if (std::filesystem::is_regular_file(status) && std::filesystem::file_size(path, fault) > kMaxFileSize)
        refuse("the file is larger than " + count(kMaxFileSize, "byte") +
               ": check that it is the right file");
    std::ifstream in(path, std::ios::binary);
    if (!in)
        refuse("the file cannot be opened (" + std::generic_category().message(errno) +
               "): check its permissions");
    std::string text;
    char block[65536];
    while (in.read(block, sizeof block) || in.gcount() > 0) {
        text.append(block, static_cast<std::size_t>(in.gcount()));
        if (text.size() > kMaxFileSize)
            refuse("more than " + count(kMaxFileSize, "byte") +
                   " came out of it: check that it is the right file");
    }
    if (in.bad()) refuse("the file cannot be read to its end: check the disk it is on");
    return text;
}

}  // namespace isoplane::topology
