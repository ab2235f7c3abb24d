// SPDX-License-Identifier: Apache-2.0
// Fields of CSV, by RFC 4180 (doi:10.17487/RFC4180), section 2; blanks around bare fields are no part of them.
#include "dalembert/base/csv.h"

#include <gtest/gtest.h>

namespace dalembert {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(const std::string& text, std::size_t most_fields = 100) {
  CsvReader reader(make_source("test.csv", text), most_fields);
  Rows rows;
  std::vector<CsvField> fields;
  while (reader.next(fields)) {
    rows.emplace_back();
    for (const CsvField& field : fields) rows.back().push_back(field.text);
  }
  return rows;
}

TEST(Csv, FieldsAndLines) {
  EXPECT_EQ(rows_of("a,b\n1,2\n"), (Rows{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(rows_of("\xEF\xBB\xBF"
                    "a,b\r\n1,2"),
            (Rows{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(rows_of("a,,b,\n\nc"), (Rows{{"a", "", "b", ""}, {""}, {"c"}}));
  EXPECT_EQ(rows_of(""), Rows{});
  EXPECT_EQ(rows_of("a,b,c\n", 2), (Rows{{"a", "b"}}));
}

TEST(Csv, QuotesAndBlanks) {
  EXPECT_EQ(rows_of("\"a,b\",\"say \"\"x\"\"\",\"two\nlines\"\n"), (Rows{{"a,b", "say \"x\"", "two\nlines"}}));
  EXPECT_EQ(rows_of(" a b ,\t1 , \" c \" \n"), (Rows{{"a b", "1", " c "}}));
  EXPECT_EQ(rows_of("\"never closed,1\n2"), (Rows{{"never closed,1\n2"}}));
}

// Where a field stands is where an error about it points.
TEST(Csv, PlacesAreThoseOfTheText) {
  const SourcePtr source = make_source("test.csv", "ab, \"c\" ,d\nx");
  CsvReader reader(source);
  std::vector<CsvField> fields;
  ASSERT_TRUE(reader.next(fields));
  ASSERT_EQ(fields.size(), 3U);
  EXPECT_EQ(source->text().substr(fields[1].begin, fields[1].end - fields[1].begin), "\"c\"");
  EXPECT_EQ(reader.line().begin, 0U);
  EXPECT_EQ(reader.line().end, 10U);
}

// What is written is what is read.
TEST(Csv, QuotedFieldsAreReadBack) {
  for (const std::string field : {"plain", "a,b", "q\"q", "two\r\nlines", " blank", "blank\t", ""})
    EXPECT_EQ(rows_of(csv_quote(field) + ",end\n"), (Rows{{field, "end"}})) << field;
  EXPECT_EQ(csv_quote("q/theta"), "q/theta");
}

}  // namespace
}  // namespace dalembert
