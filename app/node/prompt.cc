// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "prompt.hh"

#include <cmdline.h>
#include <cmdline_parse.h>
#include <cmdline_parse_string.h>
#include <cmdline_socket.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace isoplane::node {

namespace {

/// Parsed words lie one after the other; only the last may be a long one.
constexpr std::size_t kWordSize = STR_TOKEN_SIZE;
constexpr std::size_t kMaxWords = 12;
constexpr std::size_t kMaxLine = 1024;
static_assert(kMaxWords * kWordSize + STR_MULTI_TOKEN_SIZE <= CMDLINE_PARSE_RESULT_BUFSIZE);

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/// Whether a '#' stands within a word, at which librte_cmdline would cut that.
bool cuts_word(std::string_view line) {
    const std::size_t at = line.find('#');
    return at != 0 && at != std::string_view::npos && !is_blank(line[at - 1]);
}

/// A word, or the rest of a line, that a '#' does not cut: comments stand apart.
int parse_uncut(cmdline_parse_token_hdr_t* token, const char* text, void* result, unsigned size) {
    const int length = cmdline_parse_string(token, text, result, size);
    if (length <= 0) return length;
    const auto end = static_cast<std::size_t>(length);
    return text[end] == '#' && !is_blank(text[end - 1]) ? -1 : length;
}

/// Without the blanks at its end, as in front of a comment.
int parse_rest(cmdline_parse_token_hdr_t* token, const char* text, void* result, unsigned size) {
    const int length = parse_uncut(token, text, result, size);
    if (length <= 0 || result == nullptr) return length;
    auto* const word = static_cast<char*>(result);
    std::size_t end = std::strlen(word);
    while (end > 0 && is_blank(word[end - 1]))
        word[--end] = '\0';
    return length;
}

/// Any word but the one that asks for JSON, which would else stand for a name as well.
int parse_any_word(cmdline_parse_token_hdr_t* token, const char* text, void* result, unsigned size) {
    const int length = parse_uncut(token, text, result, size);
    const bool reserved = length == 4 && std::strncmp(text, "json", 4) == 0;
    return reserved ? -1 : length;
}

/// One completion that cannot be had: librte_cmdline passes it over, where of none at all it would list the
/// help.
int one_completion(cmdline_parse_token_hdr_t* /*token*/) {
    return 1;
}
int no_completion(cmdline_parse_token_hdr_t* /*token*/, int /*which*/, char* /*to*/, unsigned /*size*/) {
    return -1;
}

cmdline_token_ops any_word_ops = {
    .parse = parse_any_word,
    .complete_get_nb = nullptr,
    .complete_get_elt = nullptr,
    .get_help = cmdline_get_help_string,
};

cmdline_token_ops offered_any_word_ops = {
    .parse = parse_any_word,
    .complete_get_nb = one_completion,
    .complete_get_elt = no_completion,
    .get_help = cmdline_get_help_string,
};

cmdline_token_ops rest_ops = {
    .parse = parse_rest,
    .complete_get_nb = cmdline_complete_get_nb_string,
    .complete_get_elt = cmdline_complete_get_elt_string,
    .get_help = cmdline_get_help_string,
};

cmdline_token_ops offered_rest_ops = {
    .parse = parse_rest,
    .complete_get_nb = one_completion,
    .complete_get_elt = no_completion,
    .get_help = cmdline_get_help_string,
};

cmdline_token_ops offered_word_ops = {
    .parse = cmdline_parse_string,
    .complete_get_nb = one_completion,
    .complete_get_elt = no_completion,
    .get_help = cmdline_get_help_string,
};

}  // namespace

/// A word of a command's syntax; librte_cmdline keeps pointers to both members.
struct Prompt::Token {
    std::string choices;  ///< "a#b", or empty for any word
    cmdline_token_string token{};
};

/// What librte_cmdline knows as a command: cmdline_inst ends in an array of unknown length, so it is laid out
/// by hand.
struct Prompt::Instance {
    Prompt* prompt = nullptr;
    std::size_t command = 0;
    std::string help;
    std::vector<std::string> words;  ///< of the syntax, one for each token
    std::vector<std::unique_ptr<Token>> tokens;
    std::unique_ptr<void, decltype(&std::free)> raw{nullptr, &std::free};
};

Prompt::Prompt(std::vector<PromptCommand> commands) : commands_(std::move(commands)) {
    commands_.push_back({"help", "show this list", [this](const auto&) { return help_text(); }});
    commands_.push_back({"quit", "end the node", [this](const auto&) {
                             quit_ = true;
                             return std::string();
                         }});
    build();
    script_ = cmdline_new(static_cast<cmdline_parse_ctx_t*>(static_cast<void*>(context_.data())), "", -1, -1);
    if (script_ == nullptr) throw std::runtime_error("no memory for the command parser");
}

Prompt::~Prompt() {
    close_terminal();
    cmdline_free(script_);
}

void Prompt::build() {
    constexpr std::string_view kOptionalJson = " [json]";
    for (std::size_t i = 0; i < commands_.size(); ++i) {
        std::string syntax = commands_[i].syntax;
        if (syntax.ends_with(kOptionalJson)) {
            syntax.resize(syntax.size() - kOptionalJson.size());
            add(syntax + " json", i);
        }
        add(syntax, i);
    }
    for (const auto& instance : instances_)
        context_.push_back(instance->raw.get());
    context_.push_back(nullptr);
}

/// Whether an earlier command begins with these words: a Tab lists the last of them once, for all of those.
bool Prompt::is_offered(const std::vector<std::string>& words) const {
    return std::any_of(instances_.begin(), instances_.end(), [&](const auto& earlier) {
        return earlier->words.size() >= words.size() &&
               std::equal(words.begin(), words.end(), earlier->words.begin());
    });
}

void Prompt::add(const std::string& syntax, std::size_t command) {
    auto& instance = *instances_.emplace_back(std::make_unique<Instance>());
    instance.prompt = this;
    instance.command = command;
    instance.help = commands_[command].syntax + ": " + commands_[command].help;
    std::istringstream words(syntax);
    for (std::string word; words >> word;) {
        auto& token = *instance.tokens.emplace_back(std::make_unique<Token>());
        std::vector<std::string> with_it = instance.words;
        with_it.push_back(word);
        const bool offered = is_offered(with_it);
        instance.words = std::move(with_it);
        const bool rest = word.ends_with("...>");
        token.choices = word.starts_with('<') ? "" : word;
        std::replace(token.choices.begin(), token.choices.end(), '|', '#');
        if (rest)
            token.token.hdr.ops = offered ? &offered_rest_ops : &rest_ops;
        else if (token.choices.empty())
            token.token.hdr.ops = offered ? &offered_any_word_ops : &any_word_ops;
        else
            token.token.hdr.ops = offered ? &offered_word_ops : &cmdline_token_string_ops;
        token.token.hdr.offset = static_cast<unsigned>((instance.tokens.size() - 1) * kWordSize);
        if (rest)
            token.token.string_data.str = TOKEN_STRING_MULTI;
        else if (!token.choices.empty())
            token.token.string_data.str = token.choices.c_str();
    }
    if (instance.tokens.size() > kMaxWords) throw std::logic_error("too many words in '" + syntax + "'");

    const std::size_t size = sizeof(cmdline_inst) + (instance.tokens.size() + 1) * sizeof(void*);
    instance.raw.reset(std::calloc(1, size));
    auto* raw = static_cast<cmdline_inst*>(instance.raw.get());
    raw->f = [](void* parsed, cmdline*, void* data) {
        const auto* self = static_cast<Instance*>(data);
        self->prompt->execute(self->command, parsed, self->tokens.size());
    };
    raw->data = &instance;
    raw->help_str = instance.help.c_str();
    for (std::size_t i = 0; i < instance.tokens.size(); ++i)
        raw->tokens[i] = &instance.tokens[i]->token.hdr;
}

void Prompt::execute(std::size_t command, const void* parsed, std::size_t words) {
    std::vector<std::string> typed;
    for (std::size_t i = 0; i < words; ++i)
        typed.emplace_back(static_cast<const char*>(parsed) + i * kWordSize);
    try {
        const std::string text = commands_[command].run(typed);
        std::fputs(text.c_str(), stdout);
        std::fflush(stdout);
        result_ = Result::kDone;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        result_ = Result::kFailed;
    }
    if (quit_ && terminal_ != nullptr) cmdline_quit(terminal_);
}

Prompt::Result Prompt::run(const std::string& line) {
    result_ = Result::kDone;
    if (line.size() > kMaxLine) {
        std::fprintf(stderr, "a command has at most %zu characters\n", kMaxLine);
        return Result::kUnknown;
    }
    if (cmdline_parse(script_, (line + '\n').c_str()) >= 0) return result_;
    std::fprintf(stderr, "%s\n", why_not(line).c_str());
    return Result::kUnknown;
}

/// What to write instead of a line that is no command.
std::string Prompt::why_not(const std::string& line) const {
    const std::string first = line.substr(0, line.find(' '));
    std::string written;
    for (const PromptCommand& command : commands_) {
        if (command.syntax.substr(0, command.syntax.find(' ')) == first)
            written += (written.empty() ? "`" : " or `") + command.syntax + "`";
    }
    if (written.empty()) return "'" + line + "' is no command here; `help` lists them";
    if (cuts_word(line))
        return "'" + line + "' does not fit: a '#' begins a comment, so that no word can have one";
    return "'" + line + "' does not fit: it is written " + written;
}

std::string Prompt::help_text() const {
    std::size_t width = 0;
    for (const PromptCommand& command : commands_)
        width = std::max(width, command.syntax.size());
    std::string text;
    for (const PromptCommand& command : commands_) {
        text +=
            "  " + command.syntax + std::string(width - command.syntax.size() + 2, ' ') + command.help + '\n';
    }
    return text;
}

void Prompt::open_terminal() {
    kept_.emplace(STDIN_FILENO);
    terminal_ = cmdline_stdin_new(static_cast<cmdline_parse_ctx_t*>(static_cast<void*>(context_.data())),
                                  "isoplane> ");
    if (terminal_ == nullptr) throw std::runtime_error("the terminal cannot be used for commands");
    // librte_cmdline takes Ctrl-C as a character; here it ends the node as everywhere else.
    termios mode{};
    if (tcgetattr(STDIN_FILENO, &mode) == 0) {
        mode.c_lflag |= ISIG;
        tcsetattr(STDIN_FILENO, TCSANOW, &mode);
    }
}

bool Prompt::read_terminal() {
    std::array<char, 256> typed{};
    const ssize_t n = read(STDIN_FILENO, typed.data(), typed.size());
    if (n <= 0) return false;
    return cmdline_in(terminal_, typed.data(), static_cast<int>(n)) >= 0;
}

void Prompt::close_terminal() {
    if (terminal_ == nullptr) return;
    if (!quit_) std::fputs("\n", stdout);  // what follows stands below the prompt
    cmdline_stdin_exit(terminal_);         // which also frees it
    terminal_ = nullptr;
    kept_.reset();
}

}  // namespace isoplane::node
