// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "node/prompt.hh"

#include "commands.hh"

namespace isoplane::node {
namespace {

using Result = Prompt::Result;

TEST_F(PromptTest, gives_a_command_its_words_and_prints_what_it_returns) {
    const Said words = said([&] { EXPECT_EQ(prompt_.run("set rate 10pps"), Result::kDone); });
    EXPECT_EQ(heard_, "set.rate.10pps. ");
    EXPECT_EQ(words.out, "did set\n");
    EXPECT_EQ(words.err, "");
}

TEST_F(PromptTest, takes_json_as_the_wish_for_it_and_not_as_a_name) {
    said([&] {
        for (const char* line : {"show pool", "show pool json", "show stage a", "show stage a json"})
            EXPECT_EQ(prompt_.run(line), Result::kDone) << line;
    });
    EXPECT_EQ(heard_, "show.pool. show.pool.json. show.stage.a. show.stage.a.json. ");
}

TEST_F(PromptTest, takes_the_rest_of_a_line_as_one_word_where_the_syntax_says_so) {
    said([&] { EXPECT_EQ(prompt_.run("write a file with blanks"), Result::kDone); });
    EXPECT_EQ(heard_, "write.a file with blanks. ");
}

TEST_F(PromptTest, passes_over_blank_lines_and_comments) {
    const Said nothing = said([&] {
        for (const char* line : {"", "   ", "# show pool"})
            EXPECT_EQ(prompt_.run(line), Result::kDone) << line;
    });
    EXPECT_EQ(heard_ + nothing.out + nothing.err, "");
}

TEST_F(PromptTest, passes_over_a_comment_behind_a_command) {
    said([&] {
        for (const char* line : {"set rate 10pps # slow", "write a file  # of ours"})
            EXPECT_EQ(prompt_.run(line), Result::kDone) << line;
    });
    EXPECT_EQ(heard_, "set.rate.10pps. write.a file. ");
}

TEST_F(PromptTest, refuses_a_word_that_a_comment_would_cut) {
    for (const std::string line : {"write a#b", "write a file#1 # of ours", "show stage a#b"}) {
        const Said wrong = said([&] { EXPECT_EQ(prompt_.run(line), Result::kUnknown); });
        EXPECT_EQ(wrong.err,
                  "'" + line + "' does not fit: a '#' begins a comment, so that no word can have one\n");
    }
    EXPECT_EQ(heard_, "");
}

TEST_F(PromptTest, says_how_a_command_is_written_whose_words_do_not_fit) {
    const Said wrong = said([&] { EXPECT_EQ(prompt_.run("show pond"), Result::kUnknown); });
    EXPECT_EQ(wrong.err,
              "'show pond' does not fit: it is written `show pool|stage [json]` or `show pool|stage <name> "
              "[json]`\n");
    EXPECT_EQ(heard_, "");
}

TEST_F(PromptTest, names_help_where_no_command_begins_so) {
    const Said wrong = said([&] { EXPECT_EQ(prompt_.run("shwo"), Result::kUnknown); });
    EXPECT_EQ(wrong.err, "'shwo' is no command here; `help` lists them\n");
}

TEST_F(PromptTest, refuses_a_line_longer_than_its_parser_takes) {
    const Said wrong =
        said([&] { EXPECT_EQ(prompt_.run("write " + std::string(2000, 'x')), Result::kUnknown); });
    EXPECT_EQ(wrong.err, "a command has at most 1024 characters\n");
    EXPECT_EQ(heard_, "");
}

TEST_F(PromptTest, tells_a_failure_apart_and_prints_its_sentence) {
    const Said failure = said([&] { EXPECT_EQ(prompt_.run("fail"), Result::kFailed); });
    EXPECT_EQ(failure.err, "it is full\n");
    said([&] { EXPECT_EQ(prompt_.run("set rate 1pps"), Result::kDone); });
}

TEST_F(PromptTest, lists_every_command_and_its_own_two) {
    const Said help = said([&] { EXPECT_EQ(prompt_.run("help"), Result::kDone); });
    for (const char* line : {"  show pool|stage [json]         show a report\n",
                             "  write <file...>                write a file\n", "  help ", "  quit "})
        EXPECT_NE(help.out.find(line), std::string::npos) << line << "is not in\n" << help.out;
}

TEST_F(PromptTest, remembers_that_it_was_told_to_quit) {
    EXPECT_FALSE(prompt_.quit());
    said([&] { EXPECT_EQ(prompt_.run("quit"), Result::kDone); });
    EXPECT_TRUE(prompt_.quit());
}

}  // namespace
}  // namespace isoplane::node
