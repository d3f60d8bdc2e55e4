// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "report/record.hh"

#include <gtest/gtest.h>

#include "report/comparison.hh"
#include "report/page.hh"

namespace isoplane::report {
namespace {

Record record_with(const std::vector<double>& round_trips, const std::vector<double>& rates = {}) {
    Record record{
        .benchmark = "pair", .summary = "s", .command = "isoplane perf pair", .setup = "Two <links>."};
    record.environment.set("cpu", "Some CPU");
    record.environment.set("kernel", "Linux 1");
    for (const double value : round_trips)
        record.figures.add({"message", "niu", 64, "round_trip_ns_p50"}, value);
    for (const double value : rates)
        record.figures.add({"message", "niu", 64, "messages_per_second"}, value);
    record.tables = {
        {.name = "rate", .title = "Rate", .lines = {{"bytes", "niu"}, {"64", "1.5"}}, .note = "A note."}};
    record.plots = {{.name = "rate",
                     .title = "Rate & more",
                     .x = {.title = "bytes", .scale = Scale::kLog, .notation = Notation::kBytes},
                     .y = {.title = "million"},
                     .series = {{.name = "niu", .dots = {{64, 1.5}, {128, 3}}},
                                {.name = "raw", .role = Role::kLimit, .dots = {{64, 2}}}}},
                    {.name = "cycles",
                     .title = "Cycles",
                     .form = Form::kBars,
                     .y = {.title = "cycles"},
                     .series = {{.name = "send", .dots = {{0, 10}}}},
                     .categories = {"raw"}}};
    record.bounds = {{"niu", 64, "link", "because"}};
    record.targets = {{.sentence = "fast", .limit = 1, .value = 2.0},
                      {.sentence = "small", .limit = 1, .at_most = true}};
    record.failures = {"a packet is gone"};
    record.details["mtu"] = 1500;
    return record;
}

TEST(Record, comes_back_from_its_json) {
    const Record record = record_with({100, 110}, {1e6});
    const nlohmann::json json = to_json(record);
    EXPECT_EQ(json["mtu"], 1500);
    EXPECT_EQ(json["targets"][1]["verdict"], "not measured");
    Record back = record_of(json);
    back.details = record.details;
    EXPECT_EQ(to_json(back), json);
}

TEST(Record, is_refused_where_something_is_missing) {
    nlohmann::json json = to_json(record_with({1}));
    json.erase("figures");
    EXPECT_THROW(record_of(json), std::invalid_argument);
}

TEST(Record, has_a_line_of_csv_for_each_figure) {
    EXPECT_EQ(to_csv({record_with({100, 110}, {2e6})}),
              "benchmark,what,by,at,figure,value,rounds\n"
              "pair,message,niu,64,round_trip_ns_p50,105,2\n"
              "pair,message,niu,64,messages_per_second,2000000,1\n");
}

TEST(Environment, has_the_cpu_and_nothing_where_there_is_none) {
    EXPECT_EQ(cpu_model("processor\t: 0\nmodel name\t: A CPU @ 3 GHz\nflags\t\t: x\n"), "A CPU @ 3 GHz");
    EXPECT_EQ(cpu_model("processor\t: 0\n"), "unknown");
    EXPECT_EQ(Environment{}.at("cpu"), "");
}

TEST(Comparison, is_above_1_where_it_is_better) {
    const Comparison better = compare({record_with({200, 204, 196}, {1e6, 1.02e6})},
                                      {record_with({100, 102, 98}, {2e6, 2.04e6})}, "old.json");
    ASSERT_EQ(better.changes.size(), 2U);
    for (const Change& change : better.changes)
        EXPECT_NEAR(change.ratio.value, 2, 0.01) << change.name.figure << " takes half, or has twice";
    EXPECT_EQ(better.significant(), 2U);
    EXPECT_TRUE(below(better, 0.9).empty());
    EXPECT_TRUE(better.differences.empty());
}

TEST(Comparison, fails_for_what_is_surely_worse_only) {
    const Record before = record_with({100, 102, 98});
    const Comparison worse = compare({before}, {record_with({200, 204, 196})}, "old.json");
    ASSERT_EQ(below(worse, 0.9).size(), 1U);
    EXPECT_NE(below(worse, 0.9)[0].find("0.5"), std::string::npos);
    EXPECT_TRUE(below(worse, 0.4).empty());
    const Comparison noisy = compare({before}, {record_with({90, 400, 100})}, "old.json");
    EXPECT_TRUE(below(noisy, 0.9).empty()) << "the interval reaches above it";
    EXPECT_NE(to_text(noisy).find("0 differ significantly"), std::string::npos);
    const Comparison once = compare({before}, {record_with({400})}, "old.json");
    EXPECT_TRUE(below(once, 0.9).empty());
    EXPECT_NE(to_text(once).find("use --rounds"), std::string::npos);
}

TEST(Comparison, says_where_the_runs_were_not_made_alike) {
    Record now = record_with({1, 1});
    now.environment.set("kernel", "Linux 2");
    now.command += " --mtu 9000";
    const std::string text = to_text(compare({record_with({1, 1})}, {now}, "old.json"));
    EXPECT_NE(text.find("kernel was Linux 1, is Linux 2"), std::string::npos) << text;
    EXPECT_NE(text.find("is 'isoplane perf pair --mtu 9000'"), std::string::npos) << text;
    Record other = now;
    other.benchmark = "order";
    EXPECT_NE(to_text(compare({other}, {now}, "old.json")).find("Nothing was measured in both"),
              std::string::npos);
}

TEST(Page, has_all_and_asks_for_nothing) {
    const std::string page = to_page({record_with({100, 110})}, std::nullopt);
    for (const char* part : {"<svg class=\"plot\"", "Rate &amp; more", "Two &lt;links&gt;.", "Some CPU",
                             "a packet is gone", "<td class=\"met\">met</td>", "bound by", "1.5"})
        EXPECT_NE(page.find(part), std::string::npos) << part;
    for (const char* part : {"http://", "https://", "<script", "src=", "@import", "url("})
        EXPECT_EQ(page.find(part), std::string::npos) << part;
}

TEST(Page, leads_to_each_of_several_runs) {
    const Record record = record_with({100, 110});
    const std::string page = to_page({record, record}, compare({record}, {record}, "old.json"));
    for (const char* part : {"href=\"#compared\"", "href=\"#b0\"", "href=\"#b1\"", "id=\"b1\""})
        EXPECT_NE(page.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace isoplane::report
