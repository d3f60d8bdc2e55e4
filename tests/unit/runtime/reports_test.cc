// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/runtime/views.hh>
#include <nlohmann/json.hpp>

namespace isoplane::runtime {
namespace {

using Json = nlohmann::json;

TEST(Table, has_a_row_an_object_and_a_column_a_figure) {
    const Json report = Json::array(
        {{{"name", "a"}, {"in", {{"packets", 5}}}}, {{"name", "bbb"}, {"in", {{"packets", 12345}}}}});
    EXPECT_EQ(to_table(report),
              "name  in.packets\n"
              "a              5\n"
              "bbb        12345\n");
}

TEST(Table, marks_what_a_row_does_not_have) {
    const Json report = Json::array({{{"name", "a"}, {"x", 1}}, {{"name", "b"}, {"y", 2}}});
    EXPECT_EQ(to_table(report),
              "name  x  y\n"
              "a     1  -\n"
              "b     -  2\n");
}

TEST(Table, lists_a_single_object_and_then_its_inner_reports) {
    const Json report{{"seed", 7}, {"ports", Json::array({{{"port", 0}}, {{"port", 1}}})}};
    EXPECT_EQ(to_table(report), "seed  7\n\nports:\nport\n0   \n1   \n");
}

TEST(Table, keeps_columns_in_order_when_the_first_row_lacks_some) {
    const Json report = Json::array({{{"name", "a"}, {"z", 1}}, {{"name", "b"}, {"m", 2}, {"z", 3}}});
    EXPECT_EQ(to_table(report),
              "name  m  z\n"
              "a     -  1\n"
              "b     2  3\n");
}

TEST(Table, turns_what_is_wider_than_a_screen) {
    Json row{{"port", 7}};
    for (const char* key : {"a", "b", "c"})
        row[std::string(60, *key)] = 1;
    EXPECT_EQ(to_table(Json::array({row})), "port" + std::string(58, ' ') + "7\n" + std::string(60, 'a') +
                                                "  1\n" + std::string(60, 'b') + "  1\n" +
                                                std::string(60, 'c') + "  1\n");
}

TEST(Table, names_need_not_be_words) {
    const Json inner = Json::array({{{"name", 7}, {"x", 1}}});
    EXPECT_EQ(to_table(Json::array({{{"name", 3}, {"in", inner}}})),
              "name\n3   \n\n3 in:\nname  x\n7     1\n");
}

TEST(Table, is_empty_for_an_empty_report) {
    EXPECT_EQ(to_table(Json::array()), "");
}

TEST(Prometheus, turns_numbers_into_gauges_and_names_into_labels) {
    Views views;
    views.add("stage", [] {
        return Json::array(
            {{{"name", "rx0"}, {"in", {{"packets", 3}}}}, {{"name", "tx\"0"}, {"in", {{"packets", 4}}}}});
    });
    EXPECT_EQ(to_prometheus(views),
              "# TYPE isoplane_stage_in_packets gauge\n"
              "isoplane_stage_in_packets{stage=\"rx0\"} 3\n"
              "isoplane_stage_in_packets{stage=\"tx\\\"0\"} 4\n");
}

TEST(Prometheus, keeps_the_samples_of_a_metric_together) {
    Views views;
    views.add("b", [] { return Json{{"x", 1}, {"up", true}}; });
    views.add("a", [] { return Json{{"ports", Json::array({{{"lost", 1}}, {{"lost", 2}}})}}; });
    EXPECT_EQ(to_prometheus(views),
              "# TYPE isoplane_a_ports_lost gauge\n"
              "isoplane_a_ports_lost{ports=\"0\"} 1\n"
              "isoplane_a_ports_lost{ports=\"1\"} 2\n"
              "# TYPE isoplane_b_up gauge\n"
              "isoplane_b_up 1\n"
              "# TYPE isoplane_b_x gauge\n"
              "isoplane_b_x 1\n");
}

/// With two of one name in a sample, nothing of all that is served would be read.
TEST(Prometheus, has_no_two_labels_of_one_name) {
    Views views;
    views.add("a", [] {
        return Json::array({{{"name", "x"}, {"a", Json::array({{{"b c", Json::array({1})}}})}}});
    });
    EXPECT_EQ(to_prometheus(views),
              "# TYPE isoplane_a_a_b_c gauge\n"
              "isoplane_a_a_b_c{a=\"x\",a_a=\"0\",b_c=\"0\"} 1\n");
}

TEST(Prometheus, has_labels_in_utf8) {
    Views views;
    views.add("a", [] { return Json::array({{{"name", "caf\xe9"}, {"b", 1}}}); });
    EXPECT_EQ(to_prometheus(views),
              "# TYPE isoplane_a_b gauge\n"
              "isoplane_a_b{a=\"caf\xef\xbf\xbd\"} 1\n");
}

TEST(Table, shows_what_is_no_utf8) {
    EXPECT_EQ(to_table(Json::array({{{"a", Json::array({"caf\xe9"})}}})),
              "a         \n[\"caf\xef\xbf\xbd\"]\n");
}

}  // namespace
}  // namespace isoplane::runtime
