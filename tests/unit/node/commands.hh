// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "node/prompt.hh"

namespace isoplane::node {

/// What a command printed, and what was said against it.
struct Said {
    std::string out;
    std::string err;
};

template <typename What>
Said said(What what) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    what();
    Said said;
    said.out = testing::internal::GetCapturedStdout();
    said.err = testing::internal::GetCapturedStderr();
    return said;
}

/// A prompt whose commands remember the words they were given.
class PromptTest : public testing::Test {
  protected:
    using Words = std::vector<std::string>;

    std::string remember(const Words& words) {
        for (const std::string& word : words)
            heard_ += word + '.';
        heard_ += ' ';
        return "did " + words.front() + '\n';
    }

    std::vector<PromptCommand> commands() {
        const auto run = [this](const Words& words) { return remember(words); };
        return {
            {"show pool|stage [json]", "show a report", run},
            {"show pool|stage <name> [json]", "show one entry", run},
            {"set rate <rate>", "send so fast", run},
            {"write <file...>", "write a file", run},
            {"fail", "never works",
             [](const Words&) -> std::string { throw std::runtime_error("it is full"); }},
        };
    }

    std::string heard_;  ///< "show.pool. ": the words of each command that ran
    Prompt prompt_{commands()};
};

}  // namespace isoplane::node
