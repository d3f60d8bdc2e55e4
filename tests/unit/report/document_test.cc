// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <stdexcept>

#include "report/document.hh"

namespace isoplane::test {
namespace {

report::Record scale() {
    report::Record record;
    record.tables.push_back(
        {.name = "scale", .title = "Hosts", .lines = {{"hosts", "us"}, {"2", "2.7"}}, .note = "A note."});
    record.plots.push_back({.name = "cycles", .title = "Cycles", .form = report::Form::kBars});
    record.targets = {{.sentence = "fast", .limit = 1, .value = 2.0}};
    record.plots.push_back({.name = "added",
                            .title = "What ordering adds <or not>",
                            .x = {.title = "hosts"},
                            .y = {.title = "us"},
                            .series = {{.name = "added", .dots = {{2, 0.7}, {4, 0.9}}}}});
    return record;
}

const report::Record* only_scale(const std::string& command) {
    static const report::Record record = scale();
    return command.starts_with("scale") ? &record : nullptr;
}

const std::string kTables =
    "Prose.\n<!-- figures: isoplane perf scale --link ring:x,ring:y: scale targets -->\nold\n<!-- end of "
    "figures -->\n";
const std::string kPlots =
    "<!-- plots: isoplane perf scale: added -->\n![Added](added.svg)\n<!-- end of plots -->\nEnd.\n";

std::string complaint_of(const std::string& text) {
    try {
        report::images_of(report::fill_in(text, only_scale), only_scale);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST(Document, has_its_tables_written_anew_and_nothing_else) {
    const std::string text = report::fill_in(kTables + kPlots, only_scale);
    EXPECT_EQ(text.find("old"), std::string::npos) << text;
    EXPECT_NE(text.find("```text\nHosts\nhosts   us\n2      2.7\nA note.\n\nTargets\n"), std::string::npos)
        << text;
    EXPECT_TRUE(text.starts_with("Prose.\n<!-- figures: isoplane perf scale --link")) << text;
    EXPECT_TRUE(text.ends_with("```\n<!-- end of figures -->\n" + kPlots)) << text;
    EXPECT_EQ(report::commands_in(kTables + kPlots),
              (std::vector<std::string>{"scale --link ring:x,ring:y", "scale"}));
    EXPECT_EQ(report::fill_in(text, only_scale), text);
}

TEST(Document, keeps_what_has_not_been_run) {
    const auto nothing = [](const std::string&) -> const report::Record* { return nullptr; };
    EXPECT_EQ(report::fill_in(kTables + kPlots, nothing), kTables + kPlots);
    EXPECT_TRUE(report::images_of(kTables + kPlots, nothing).empty());
}

TEST(Document, has_its_images_drawn) {
    const auto images = report::images_of(kTables + kPlots, only_scale);
    ASSERT_EQ(images.size(), 1U);
    EXPECT_EQ(images[0].file, "added.svg");
    for (const char* part : {"<svg xmlns=\"http://www.w3.org/2000/svg\"", "What ordering adds &lt;or not&gt;",
                             "<title>added: 0.7 at 2</title>", "</svg>\n"})
        EXPECT_NE(images[0].content.find(part), std::string::npos) << part << " in " << images[0].content;
}

TEST(Document, says_what_is_wrong_with_its_marks) {
    const std::string figures = "<!-- figures: isoplane perf scale: scale -->\n";
    const std::string plots = "<!-- plots: isoplane perf scale: added -->\n";
    for (const auto& [text, sentence] : {
             std::pair(figures, "line 1 begins figures that do not end"),
             std::pair(figures + plots, "line 2 begins plots within others"),
             std::pair(figures + "<!-- end of plots -->\n", "line 2 ends plots that have not begun"),
             std::pair(std::string("<!-- end of figures -->\n"), "line 1 ends figures that have not begun"),
             std::pair(std::string("<!-- plots: isoplane perf scale -->\n"), "does not say whose and which"),
             std::pair(std::string("x\n<!-- figures: isoplane perf pair: -->\n"),
                       "line 2 names none of them"),
             std::pair(
                 std::string(
                     "<!-- plots: isoplane perf scale: cycles -->\n![](a.svg)\n<!-- end of plots -->\n"),
                 "'cycles' of isoplane perf scale is of bars"),
             std::pair(plots + "<!-- end of plots -->\n", "there is no image"),
             std::pair(std::string(
                           "<!-- plots: isoplane perf scale: addde -->\n![](a.svg)\n<!-- end of plots -->\n"),
                       "has no plot 'addde'; it has cycles, added, and no more"),
             std::pair(std::string("<!-- figures: isoplane perf scale: sale -->\n<!-- end of figures -->\n"),
                       "has no table 'sale'; it has scale, and targets"),
         }) {
        const std::string said = complaint_of(text);
        EXPECT_NE(said.find(sentence), std::string::npos) << text << said;
    }
}

}  // namespace isoplane::test
