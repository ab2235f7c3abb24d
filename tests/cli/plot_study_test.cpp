// SPDX-License-Identifier: Apache-2.0
// plot STUDY --map: from a sweep to a picture, and what it says on the way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/process.h"
#include "dalembert/store/netcdf.h"

namespace dalembert::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

void sweep_rods(const std::string& output) {
  const Outcome outcome = run({"sweep", "slider-crank", "--vary", "L1=0.1:0.2:3", "--vary", "L2=0.01,0.4,0.5",
                               "--measure", "peak=max(abs(lambda(pin[1])))", "--until", "0.2", "-o", output});
  EXPECT_EQ(outcome.status, 4) << outcome.err;
}

TEST(PlotStudy, DrawsAMapOfEitherFormat) {
  const Folder folder;
  sweep_rods(folder.file("a.csv"));
  const Outcome outcome = run({"plot", folder.file("a.csv"), "--map", "peak", "-o", folder.file("a.svg"), "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto document = outcome.json();
  EXPECT_EQ(document["kind"], "map");
  EXPECT_EQ(document["failed"], 3);
  EXPECT_EQ(document["runs"], 9);
  EXPECT_EQ(document["file"], folder.file("a.svg"));
  EXPECT_THAT(read_text(folder.file("a.svg")), AllOf(HasSubstr("failed: 3 runs"), HasSubstr("peak [N]")));
  EXPECT_EQ(run({"plot", folder.file("a.csv"), "--map", "peak", "-x", "L1", "-o", folder.file("a.pdf")}).status, 0);
  EXPECT_THAT(read_text(folder.file("a.pdf")), ::testing::StartsWith("%PDF"));
  if (!require_netcdf("a.nc", "").empty()) GTEST_SKIP() << "no NetCDF";
  sweep_rods(folder.file("a.nc"));
  EXPECT_EQ(run({"plot", folder.file("a.nc"), "--map", "peak", "-o", "-"}).out, read_text(folder.file("a.svg")));
}

// The measure is an angle by what it is made of, with no output that is one; a CSV file's units are those of its .log.
TEST(PlotStudy, HasAnglesInDegrees) {
  const Folder folder;
  for (const char* name : {"a.csv", "a.nc"}) {
    if (name == std::string("a.nc") && !require_netcdf("a.nc", "").empty()) GTEST_SKIP() << "no NetCDF";
    const Outcome swept =
        run({"sweep", "cart-pendulum", "--vary", "theta=0.1,0.3", "--vary", "L=0.5,0.6", "--until", "1", "--measure",
             "swing=max(abs(theta))", "--measure", "far=max(x)", "-o", folder.file(name)});
    EXPECT_EQ(swept.status, 0) << swept.err;
    const Outcome plain = run({"plot", folder.file(name), "--map", "swing", "-o", folder.file("a.svg"), "--json"});
    const Outcome turned =
        run({"plot", folder.file(name), "--map", "swing", "--degrees", "-o", folder.file("b.svg"), "--json"});
    EXPECT_EQ(plain.json()["unit"], "rad");
    EXPECT_EQ(turned.json()["unit"], "deg");
    EXPECT_THAT(read_text(folder.file("b.svg")), HasSubstr("swing [deg]"));
  }
}

TEST(PlotStudy, IsAPageWithEachMeasure) {
  const Folder folder;
  sweep_rods(folder.file("a.csv"));
  EXPECT_EQ(run({"report", folder.file("a.csv"), "-o", folder.file("a.html")}).status, 0);
  const std::string page = read_text(folder.file("a.html"));
  EXPECT_THAT(page, AllOf(HasSubstr("slider-crank: a study"), HasSubstr("3 failed"), HasSubstr("no consistent start")));
  EXPECT_EQ(run({"plot", folder.file("a.csv"), "-o", folder.file("b.html")}).status, 0);
  EXPECT_THAT(read_text(folder.file("b.html")), HasSubstr("9 runs"));
  const Outcome both = run({"plot", folder.file("a.csv"), "--map", "peak", "-o", folder.file("b.html")});
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.err, HasSubstr("a page, which shows every measure"));
  const Outcome until = run({"report", folder.file("a.csv"), "--until", "2", "-o", folder.file("c.html")});
  EXPECT_EQ(until.status, 2);
  EXPECT_THAT(until.err, HasSubstr("not with a STUDY"));
}

TEST(PlotStudy, SaysWhatIsWrong) {
  const Folder folder;
  const std::string study = folder.file("a.csv");
  sweep_rods(study);
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases{
      {{study, "-o", "a.svg"}, "--map NAME -o map.svg"},
      {{study, "--map", "peak"}, "needs `--output FILE`"},
      {{study, "--map", "peek", "-o", "a.svg"}, "did you mean `peak`"},
      {{study, study, "--map", "peak", "-o", "a.svg"}, "takes one study"},
      {{study, "--map", "peak", "--phase", "a,b", "-o", "a.svg"}, "`--phase` does not go together with `--map`"},
      {{study, "--map", "peak", "--log-y", "--y-range", "0:1", "-o", "a.svg"}, "above 0"},
      {{"slider-crank", "--map", "peak", "-o", "a.svg"}, "cannot read `slider-crank`"},
      {{"nowhere.nc", "--map", "peak", "-o", "a.svg"}, "nowhere.nc"}};
  for (const auto& [words, message] : cases) {
    std::vector<std::string> command{"plot"};
    command.insert(command.end(), words.begin(), words.end());
    const Outcome outcome = run(command, {.folder = folder.path()});
    EXPECT_NE(outcome.status, 0) << message;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_FALSE(folder.has("a.svg"));
  }
}

}  // namespace
}  // namespace dalembert::testing
