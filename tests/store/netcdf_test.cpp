// SPDX-License-Identifier: Apache-2.0
// What is read from a NetCDF file is what was written. tests/python/test_sweep.py reads such files with other programs.
#include "dalembert/store/netcdf.h"
#include "folder.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dalembert {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class NetcdfFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (const Diagnostics missing = require_netcdf("a.nc", ""); !missing.empty()) GTEST_SKIP() << render(missing);
  }
  std::string file(const std::string& name) const { return folder_.file(name); }

 private:
  const Folder folder_;
};

TEST_F(NetcdfFiles, HoldNumbersBytesCharactersAndTexts) {
  NetcdfHead head;
  head.dimensions = {{"dot(θ)", 2}, {"n", 3}, {"letters", 2}};
  head.variables = {{"x", NetcdfType::kNumber, {0, 1}, {{"units", "m"}}},
                    {"yes", NetcdfType::kByte, {1}},
                    {"word", NetcdfType::kCharacter, {1, 2}},
                    {"why", NetcdfType::kText, {1}}};
  head.attributes = {{"model", "a \"model\""}, {"empty", ""}};
  {
    Result<std::unique_ptr<NetcdfWriter>> writer = NetcdfWriter::create(file("a.nc"), "a.nc", head);
    ASSERT_TRUE(writer) << render(writer.diagnostics());
    NetcdfWriter& to = **writer;
    EXPECT_EQ(to.put(0, {{0, 0}, {1, 3}}, std::vector<double>{0.1, NAN, INFINITY}), "");
    EXPECT_EQ(to.put(0, {{1, 1}, {1, 2}}, std::vector{5e-324, -0.0}), "");
    EXPECT_EQ(to.put(0, {{1, 0}, {1, 1}}, std::vector{1 / 3.0}), "");
    EXPECT_EQ(to.put(1, {{0}, {3}}, std::vector<signed char>{1, 0, 1}), "");
    EXPECT_EQ(to.put(2, {{0, 0}, {3, 2}}, std::string("okno\0\0", 6)), "");
    EXPECT_EQ(to.put(3, {{0}, {3}}, std::vector<std::string>{"", "because", "ä, \"b\""}), "");
    EXPECT_EQ(to.close(), "");
  }
  Result<std::unique_ptr<NetcdfReader>> reader = NetcdfReader::open(file("a.nc"));
  ASSERT_TRUE(reader) << render(reader.diagnostics());
  NetcdfReader& from = **reader;
  ASSERT_EQ(from.head().variables.size(), 4U);
  EXPECT_EQ(from.head().dimensions[0].name, "dot(θ)");
  EXPECT_THAT(from.head().variables[0].dimensions, ElementsAre(0, 1));
  EXPECT_EQ(attribute_of(from.head().variables[0].attributes, "units"), "m");
  EXPECT_EQ(attribute_of(from.head().attributes, "model"), "a \"model\"");
  NetcdfValues values;
  EXPECT_EQ(from.get(0, {{0, 0}, {2, 3}}, values), "");
  const auto numbers = std::get<std::vector<double>>(values);
  EXPECT_THAT(numbers, ElementsAre(0.1, testing::IsNan(), INFINITY, 1 / 3.0, 5e-324, -0.0));
  EXPECT_TRUE(std::signbit(numbers[5]));
  EXPECT_EQ(from.get(1, {{1}, {2}}, values), "");
  EXPECT_THAT(std::get<std::vector<signed char>>(values), ElementsAre(0, 1));
  EXPECT_EQ(from.get(2, {{0, 0}, {3, 2}}, values), "");
  EXPECT_EQ(std::get<std::string>(values), std::string("okno\0\0", 6));
  EXPECT_EQ(from.get(3, {{0}, {3}}, values), "");
  EXPECT_THAT(std::get<std::vector<std::string>>(values), ElementsAre("", "because", "ä, \"b\""));
  EXPECT_NE(from.get(3, {{2}, {3}}, values), "");
}

TEST_F(NetcdfFiles, SayWhatIsWrong) {
  std::ofstream(file("text.nc")) << "no such thing\n";
  EXPECT_THAT(render(NetcdfReader::open(file("text.nc")).diagnostics()), HasSubstr("E0502"));
  EXPECT_THAT(render(NetcdfReader::open(file("nowhere.nc")).diagnostics()), HasSubstr("No such file"));
  const NetcdfHead bad{{{"n", 1}}, {{"a/b", NetcdfType::kNumber, {0}}}};
  EXPECT_THAT(render(NetcdfWriter::create(file("b.nc"), "named.nc", bad).diagnostics()),
              testing::AllOf(HasSubstr("named.nc"), HasSubstr("a/b")));
}

}  // namespace
}  // namespace dalembert
