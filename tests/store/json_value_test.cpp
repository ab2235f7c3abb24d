// SPDX-License-Identifier: Apache-2.0
#include "dalembert/store/json_value.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace dalembert {
namespace {

// Truth: RFC 8259, read by an independent parser.
TEST(JsonValue, SaysWhatItWasGiven) {
  const std::vector<std::string> names{"theta", "phi"};
  const Json json{{"text", "a \"quoted\" \\ line\nand a tab\t"},
                  {"empty", ""},
                  {"truth", true},
                  {"integer", std::int64_t{-9007199254740993}},
                  {"place", std::size_t{7}},
                  {"number", 0.1},
                  {"nothing", nullptr},
                  {"not a number", std::nan("")},
                  {"infinite", -std::numeric_limits<double>::infinity()},
                  {"names", names},
                  {"list", {1, 2.5, "three"}},
                  {"inside", {{"q", {{"theta", 1e-300}}}, {"none", Json::object()}}},
                  {"nobody", Json::array()}};
  const auto read = nlohmann::json::parse(json.text());
  EXPECT_EQ(read["text"], "a \"quoted\" \\ line\nand a tab\t");
  EXPECT_EQ(read["empty"], "");
  EXPECT_EQ(read["truth"], true);
  EXPECT_EQ(read["integer"], -9007199254740993);
  EXPECT_EQ(read["place"], 7);
  EXPECT_EQ(read["number"], 0.1);
  for (const char* null : {"nothing", "not a number", "infinite"}) EXPECT_TRUE(read[null].is_null()) << null;
  EXPECT_EQ(read["names"], nlohmann::json(names));
  EXPECT_EQ(read["list"], nlohmann::json({1, 2.5, "three"}));
  EXPECT_EQ(read["inside"]["q"]["theta"], 1e-300);
  EXPECT_TRUE(read["inside"]["none"].is_object());
  EXPECT_TRUE(read["nobody"].is_array());
  EXPECT_EQ(read.size(), 13u);
}

// Truth: the layout that the header states: members in their order, nested values over lines, scalars on one.
TEST(JsonValue, IsBrokenOverLinesWhereValuesAreNested) {
  Json json = Json::object();
  json["b"] = Json{1, 2};
  json["a"] = Json{{1, 2}, {3, 4}};
  json["b"].push_back("x");
  json.append("c", Json{{"k", 1}, {"l", nullptr}});
  json["d"] = Json::array();
  EXPECT_EQ(json.text(),
            "{\n"
            "  \"b\": [1, 2, \"x\"],\n"
            "  \"a\": [\n"
            "    [1, 2],\n"
            "    [3, 4]\n"
            "  ],\n"
            "  \"c\": {\"k\": 1, \"l\": null},\n"
            "  \"d\": []\n"
            "}\n");
}

// Truth: RFC 3629 and RFC 8259: a document is UTF-8 whatever bytes a model file has, and control characters are escaped.
TEST(JsonValue, IsReadableWhateverTheBytes) {
  std::string bytes;
  for (int c = 0; c < 256; ++c) bytes += static_cast<char>(c);
  const auto read = nlohmann::json::parse(Json(bytes).text());
  EXPECT_EQ(read.get<std::string>().substr(0, 128), bytes.substr(0, 128));
}

}  // namespace
}  // namespace dalembert
