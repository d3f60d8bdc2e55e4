// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <isoplane/topology/error.hh>

namespace isoplane::topology::fuzz {

[[noreturn]] inline void fail(const char* claim, const std::string& text) {
    std::fprintf(stderr, "broken: %s\n%s\n", claim, text.c_str());
    std::abort();
}

/// Whether a refusal is one a user can work with.
inline void check(const Error& error, std::string_view text) {
    if (error.sentence().find(": ") == std::string::npos &&
        error.sentence().find("expected") == std::string::npos)
        fail("every refusal says what to do", error.what());
    if (std::string_view(error.what()).find_first_of(std::string_view("\0\n\r\x7f", 4)) !=
        std::string_view::npos)
        fail("no refusal repeats bytes that do not print", error.what());
    std::size_t lines = 1;
    for (const char c : text)
        lines += c == '\n';
    if (error.line() > lines) fail("the line of a refusal is in the file", error.what());
}

/// What is accepted is written, read again, and equal; what is refused is refused by an Error.
template <typename Parse, typename Write>
void round_trip(const std::uint8_t* data, std::size_t size, Parse parse, Write write) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const auto first = parse(text);
        const std::string written = write(first);
        try {
            if (!(parse(written) == first)) fail("what is written is read as the same", written);
        } catch (const Error& error) {
            fail(error.what(), written);
        }
    } catch (const Error& error) {
        check(error, text);
    }
}

}  // namespace isoplane::topology::fuzz
