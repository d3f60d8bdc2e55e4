// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <isoplane/runtime/stop_signal.hh>

#include "prompt_command.hh"

struct cmdline;

namespace isoplane::node {

/// librte_cmdline over a table of commands: parsing, completion, history and help at a terminal; the same
/// parser for lines from elsewhere. `help` and `quit` are its own.
class Prompt {
  public:
    enum class Result : std::uint8_t {
        kDone,
        kUnknown,  ///< no such command, or its words do not fit
        kFailed,   ///< the command threw; its sentence has been printed
    };

    explicit Prompt(std::vector<PromptCommand> commands);
    ~Prompt();
    Prompt(const Prompt&) = delete;
    Prompt& operator=(const Prompt&) = delete;

    /// Runs one line, printing to standard output. Blank lines and comments (#) are done at once. What went
    /// wrong is printed to standard error.
    Result run(const std::string& line);

    /// Puts the terminal on standard input into line editing and shows the prompt.
    void open_terminal();
    /// Feeds what has been typed. Call when standard input is readable. Returns false at its end.
    bool read_terminal();
    void close_terminal();

    bool quit() const noexcept { return quit_; }

  private:
    struct Instance;
    struct Token;
    void add(const std::string& syntax, std::size_t command);
    void build();
    void execute(std::size_t command, const void* parsed, std::size_t words);
    bool is_offered(const std::vector<std::string>& words) const;
    std::string help_text() const;
    std::string why_not(const std::string& line) const;

    std::vector<PromptCommand> commands_;
    std::vector<std::unique_ptr<Instance>> instances_;
    std::vector<void*>
        context_;  ///< the instances as librte_cmdline wants them: a list that ends in a null pointer
    cmdline* script_ = nullptr;
    cmdline* terminal_ = nullptr;
    std::optional<runtime::KeptTerminal> kept_;  ///< as long as there is `terminal_`
    Result result_ = Result::kDone;
    bool quit_ = false;
};

}  // namespace isoplane::node
