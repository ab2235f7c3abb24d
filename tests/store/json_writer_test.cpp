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
