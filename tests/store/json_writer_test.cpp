// SPDX-License-Identifier: Apache-2.0
#include "dalembert/store/json_writer.h"

#include <cmath>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

namespace dalembert {
namespace {

// Truth: RFC 8259, by hand.
TEST(JsonWriter, WritesNestedDocuments) {
  std::ostringstream out;
  JsonWriter json(out);
  json.begin_object()
      .member("name", "slider-crank")
      .member("n", 3)
      .member("ok", true)
      .member("q", std::vector<double>{0.1, -2, 1e300})
      .member("empty", std::vector<std::string>{})
      .key("inner")
      .begin_object()
      .key("nothing")
      .null()
      .end_object()
      .key("list")
      .begin_array()
      .begin_object()
      .member("a", std::size_t{1})
      .end_object()
      .begin_array()
      .end_array()
      .end_array()
      .end_object();
  EXPECT_EQ(
      out.str(),
      R"({"name":"slider-crank","n":3,"ok":true,"q":[0.1,-2,1e+300],"empty":[],"inner":{"nothing":null},"list":[{"a":1},[]]})");
}

TEST(JsonWriter, IndentsObjects) {
  std::ostringstream out;
  JsonWriter json(out, 2);
  json.begin_object().member("a", std::vector<double>{1, 2}).key("b").begin_array();
  json.begin_object().member("c", 1).end_object().begin_object().end_object().end_array().end_object();
  EXPECT_EQ(out.str(), "{\n  \"a\": [1, 2],\n  \"b\": [\n    {\n      \"c\": 1\n    },\n    {}\n  ]\n}\n");
}

// Truth: RFC 8259 §7 for escapes; JSON has no NaN or infinity; invalid UTF-8 must not make the document unreadable.
// What stands on a line is what the caller says, also where an array holds objects.
TEST(JsonWriter, ItemsStandWhereTheyAreTold) {
  using Items = JsonWriter::Items;
  std::ostringstream out;
  JsonWriter json(out, 2);
  json.begin_object(Items::kOnLines).key("a").begin_array(Items::kOnOneLine).begin_object(Items::kOnOneLine);
  json.member("x", 1).member("y", 2).end_object().value(3).end_array();
  json.key("b").begin_array(Items::kOnLines).value(4).value(5).end_array();
  EXPECT_EQ(out.str(), "") << "small documents are written when they are complete";
  json.end_object();
  EXPECT_EQ(out.str(), "{\n  \"a\": [{\"x\": 1, \"y\": 2}, 3],\n  \"b\": [\n    4,\n    5\n  ]\n}\n");
}

// Large documents pass through: what is kept is a piece of them.
TEST(JsonWriter, WritesLargeDocumentsInPieces) {
  std::ostringstream out;
  JsonWriter json(out);
  json.begin_array();
  for (int i = 0; i < 200'000; ++i) json.value(i);
  EXPECT_GT(out.str().size(), 1'000'000U);
  json.end_array();
  EXPECT_TRUE(out.str().ends_with(",199999]"));
}

TEST(JsonWriter, EscapesAndNulls) {
  EXPECT_EQ(json_quote("a\"b\\c\n\t\x01"), "\"a\\\"b\\\\c\\n\\t\\u0001\"");
  EXPECT_EQ(json_quote("θ̇"), "\"θ̇\"");
  EXPECT_EQ(json_quote("a\xFFz"), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(json_quote("\xE2\x82"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
  std::ostringstream out;
  JsonWriter(out).value(std::vector<double>{std::nan(""), std::numeric_limits<double>::infinity(), -0.0});
  EXPECT_EQ(out.str(), "[null,null,-0]");
}

}  // namespace
}  // namespace dalembert
