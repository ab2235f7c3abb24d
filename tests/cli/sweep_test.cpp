// SPDX-License-Identifier: Apache-2.0
// `sweep` as users and their job schedulers call it: killed, interrupted, in shards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "cli/process.h"
#include "dalembert/store/netcdf.h"

namespace dalembert::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> noisy(const std::string& runs, const std::string& output) {
  return {"sweep",     "slider-crank",
          "--sample",  "L1~normal(0.15 m, 0.01 m)",
          "--runs",    runs,
          "--seed",    "7",
          "--measure", "peak=max(abs(lambda(pin[1])))",
          "--until",   "0.5",
          "-o",        output};
}

TEST(Sweep, PrintsATableOfAFewRuns) {
  const Outcome outcome = run({"sweep", "slider-crank", "--vary", "L1=0.1 m:0.2 m:3", "--measure",
                               "peak=max(lambda(pin[1]))", "--until", "0.5"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("3 runs, 3 ok"), HasSubstr("L1 [m]"), HasSubstr("peak [N]"), HasSubstr("0.15")));
}

TEST(Sweep, IsOneJsonDocument) {
  const Outcome outcome = run({"sweep", "slider-crank", "--vary", "L1=0.1,0.2", "--until", "0.5", "--json"});
  const auto document = outcome.json();
  EXPECT_EQ(document["runs"], 2);
  EXPECT_EQ(document["ok"], 2);
  EXPECT_EQ(document["holds"], 2);
  EXPECT_EQ(document["rows"][1]["L1"], 0.2);
}

TEST(Sweep, ExitsWith4WhereARunFails) {
  const Folder folder;
  const Outcome outcome =
      run({"sweep", "slider-crank", "--vary", "L2=0.01,0.4", "--until", "0.5", "-o", folder.file("a.csv")});
  EXPECT_EQ(outcome.status, 4);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("W0307"), HasSubstr("run 0")));
  EXPECT_THAT(read_text(folder.file("a.csv")), HasSubstr(",0,failed,"));
}

// As `simulate` with the same value, which ends with E0285.
TEST(Sweep, FailsRunsOfValuesThatNoModelMayHave) {
  const auto document =
      run({"sweep", "bouncing-ball", "--vary", "e=-0.1,0.5,1,1.2", "--until", "0.2", "--json"}).json();
  EXPECT_EQ(document["failed"], 2);
  EXPECT_EQ(document["holds"], 2);
  EXPECT_EQ(document["rows"][0]["reason"], "the restitution of `ground` is -0.1, not in [0, 1]");
  EXPECT_EQ(document["rows"][3]["reason"], "the restitution of `ground` is 1.2, not in [0, 1]");
}

TEST(Sweep, SaysThatWhatItVariesIsNotSet) {
  const Outcome outcome = run({"sweep", "slider-crank", "--vary", "L1=0.1,0.2", "--set", "L1=0.15", "--set", "m1=2",
                               "--until", "0.1", "--json"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.json()["rows"][1]["L1"], 0.2);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("W0334"), HasSubstr("`--set L1` has no effect"), Not(HasSubstr("--set m1"))));
}

// A grid has no samples, and what an option says does not stand at a place of the file.
TEST(Sweep, SaysWhichOptionsOfSamplesHaveNoEffect) {
  const Outcome grid = run({"sweep", "slider-crank", "--vary", "L1=0.1,0.2", "--seed", "7", "--sampling", "lhs",
                            "--until", "0.1", "--measure", "x=final(x)"});
  EXPECT_EQ(grid.status, 0) << grid.err;
  EXPECT_THAT(grid.err, AllOf(HasSubstr("`--seed` has no effect"), HasSubstr("`--sampling` has no effect")));
  const Folder folder;
  folder.write("a.toml", R"toml(name = "a"
coordinates = ["x"]
[parameters]
m = 1
[energy]
kinetic = "m*x'^2/2"
[study]
sample = {m = "normal(2, 0.1)"}
runs = 3
measure = {end = "final(x)"}
)toml");
  const auto sweep = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"sweep", "a.toml", "--until", "1", "--json"});
    return run(options, {.folder = folder.path()});
  };
  EXPECT_EQ(sweep({"--sample", "m~uniform(1,2)"}).json()["runs"], 3);
  EXPECT_EQ(sweep({"--vary", "m=1,2"}).json()["runs"], 2);
  const Outcome refused = sweep({"--vary", "m=1,2", "--runs", "4"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("nothing is sampled"), Not(HasSubstr("a.toml:"))));
}

TEST(Sweep, TakesItsRunsFromAFile) {
  const Folder folder;
  folder.write("runs.csv", "L1,theta'\n0.1,4\n0.2,5\n");
  const Outcome outcome = run(
      {"sweep", "slider-crank", "--runs-from", folder.file("runs.csv"), "--until", "0.2", "-o", folder.file("a.csv")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(read_text(folder.file("a.csv")), AllOf(HasSubstr("\n0,0.1,4,"), HasSubstr("\n1,0.2,5,")));
  folder.write("bad.csv", "L1\n0.1\nlong\n");
  const Outcome bad = run({"sweep", "slider-crank", "--runs-from", folder.file("bad.csv")});
  EXPECT_EQ(bad.status, 2);
  EXPECT_THAT(bad.err, HasSubstr("bad.csv:3:1"));
}

// Units of the header, and the place of what is wrong in it.
TEST(Sweep, TakesUnitsFromTheHeaderOfItsFile) {
  const Folder folder;
  folder.write("cm.csv", "L1 [cm],theta [deg]\n15,60\n");
  folder.write("si.csv", "L1,theta\n0.15,1.0471975511965976\n");
  for (const char* name : {"cm", "si"})
    EXPECT_EQ(run({"sweep", "slider-crank", "--until", "0.1", "--measure", "x=final(x)", "--runs-from",
                   folder.file(std::string(name) + ".csv"), "-o", folder.file(std::string(name) + "_out.csv")})
                  .status,
              0);
  EXPECT_EQ(read_text(folder.file("cm_out.csv")), read_text(folder.file("si_out.csv")));
  const std::vector<std::pair<std::string, const char*>> cases{
      {"theta,L1 [kg]\n1,2\n", "`L1` must be in `m`, not in `kg`"},
      {"theta,L1 [furlong]\n1,2\n", "the unit of the column `L1 [furlong]`"},
      {"theta,L7 [m]\n1,2\n", "did you mean `L1`?"}};
  for (const auto& [text, message] : cases) {
    const Outcome bad = run({"sweep", "slider-crank", "--runs-from", folder.write("bad.csv", text)});
    EXPECT_EQ(bad.status, 2);
    EXPECT_THAT(bad.err, AllOf(HasSubstr("bad.csv:1:7"), HasSubstr(message)));
  }
  EXPECT_THAT(run({"sweep", "slider-crank", "--runs-from", folder.file("none.csv")}).err,
              Not(HasSubstr("simulate MODEL")));
}

// Of a length in mm 80 is 80 m, as with --set; 0 is the same in every unit, and numbers are what belongs to a file in SI.
TEST(Sweep, WarnsOfNumbersWithoutTheUnitOfTheFile) {
  const Folder folder;
  const std::string model = folder.write("swing.toml", R"toml(coordinates = [{name = "theta", unit = "rad"}]
[parameters]
m = "1 kg"
L = "500 mm"
g = "9.81 m/s^2"
c = 0
[energy]
kinetic = "m*L^2*theta'^2/2"
potential = "-m*g*L*cos(theta)"
[initial]
position = {theta = "30 deg"}
[simulation]
until = "10 ms"
)toml");
  const auto warned = [&](std::vector<std::string> words) {
    words.insert(words.begin() + 1, model);
    const std::string said = run(words).err;
    return said.find("W0103") != std::string::npos ? said : std::string("nothing");
  };
  EXPECT_THAT(warned({"sweep", "--vary", "L=400:600:3"}),
              AllOf(HasSubstr("`L` is given without a unit, and read as 400 m"), HasSubstr("the file has it in mm"),
                    HasSubstr("write `400 mm`, or `400 m` if that is meant"), HasSubstr("--vary:1:3")));
  EXPECT_THAT(warned({"sweep", "--vary", "theta=0,45"}), HasSubstr("read as 45 rad"));
  // Numbers that are nearer to those of the file in SI than in its unit: 30 deg is 0.52 rad, 500 mm is 0.5 m.
  EXPECT_EQ(warned({"sweep", "--vary", "theta=0.1:1.2:5", "--vary", "L=0.4:0.6:3"}), "nothing");
  EXPECT_THAT(warned({"sweep", "--sample", "L~lognormal(500,0.1)", "--runs", "2"}), HasSubstr("read as 500 m"));
  EXPECT_EQ(warned({"sweep", "--sample", "L~lognormal(500 mm,0.1)", "--runs", "2"}), "nothing");
  EXPECT_EQ(warned({"sweep", "--vary", "L=400 mm:600 mm:3", "--vary", "m=1,2", "--vary", "g=9:10:2"}), "nothing");
  EXPECT_THAT(warned({"optimize", "--minimize", "final(theta)", "--free", "L=400:600", "--starts", "1"}),
              HasSubstr("read as 400 m"));
  const std::string data = folder.write("d.csv", "time,a\n0.001,0.5\n0.002,0.5\n0.003,0.5\n");
  EXPECT_THAT(warned({"fit", data, "--free", "L", "--measure", "a=theta", "--bounds", "L=0:600"}),
              HasSubstr("read as 600 m"));
  EXPECT_THAT(warned({"fit", data, "--free", "theta", "--measure", "a=theta", "--prior", "theta~normal(30,1)"}),
              HasSubstr("read as 30 rad"));
  // Each quantity once, whichever options have its numbers.
  const std::string both = warned({"fit", data, "--free", "theta,L", "--measure", "a=theta", "--bounds", "L=0.1:600",
                                   "--prior", "L~normal(500,1)", "--prior", "theta~normal(30,1)"});
  for (const char* said : {"`L` is given", "`theta` is given"}) {
    EXPECT_THAT(both, HasSubstr(said));
    EXPECT_EQ(both.find(said), both.rfind(said)) << both;
  }
  // 500 mm are outside of 1 m : 600 m; 600 is near 500, and 1 is not.
  EXPECT_THAT(warned({"fit", data, "--free", "L", "--measure", "a=theta", "--bounds", "L=1:600"}),
              AllOf(HasSubstr("outside of its bounds"), HasSubstr("`L` is given without a unit, and read as 600 m")));
}

// Rows are on disk before a process is killed, so the same command makes the rest, and the result has the same bytes.
TEST(Sweep, GoesOnAfterItWasKilled) {
  const Folder folder;
  ASSERT_EQ(run(noisy("3000", folder.file("whole.csv"))).status, 0);
  const std::vector<std::string> command = noisy("3000", folder.file("killed.csv"));
  for (int k = 0; k < 20 && !folder.has("killed.csv"); ++k) {
    Process process(command, {.folder = folder.path()});
    std::this_thread::sleep_for(std::chrono::milliseconds(60 + 37 * k % 100));
    process.send(SIGKILL);
    process.wait();
  }
  const Outcome outcome = run(command);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read_text(folder.file("killed.csv")), read_text(folder.file("whole.csv")));
  EXPECT_FALSE(folder.has("killed.csv.parts"));
}

// A kill between the finished file and the end of its rows leaves these: the same command removes them, and none of another study.
TEST(Sweep, RemovesRowsThatAKillLeftBesideTheFinishedFile) {
  const Folder folder;
  const std::vector<std::string> command = noisy("3000", folder.file("a.csv"));
  {
    Process process(command, {.folder = folder.path()});
    while (!folder.has("a.csv.parts/1.rows")) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    process.send(SIGINT);
    process.wait();
  }
  ASSERT_TRUE(folder.has("a.csv.parts/study"));
  std::filesystem::copy(folder.file("a.csv.parts"), folder.file("left"), std::filesystem::copy_options::recursive);
  ASSERT_EQ(run(command).status, 0);
  EXPECT_FALSE(folder.has("a.csv.parts"));
  std::filesystem::copy(folder.file("left"), folder.file("a.csv.parts"), std::filesystem::copy_options::recursive);
  EXPECT_EQ(run(command).status, 0);
  EXPECT_FALSE(folder.has("a.csv.parts"));
  std::filesystem::create_directory(folder.file("a.csv.parts"));
  folder.write("a.csv.parts/study", "another\n");
  EXPECT_EQ(run(command).status, 0);
  EXPECT_TRUE(folder.has("a.csv.parts/study"));
}

TEST(Sweep, KeepsItsRowsWhenItIsInterrupted) {
  const Folder folder;
  Process process(noisy("1000000", folder.file("a.csv")), {.folder = folder.path()});
  while (!folder.has("a.csv.parts/1.rows")) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  process.send(SIGINT);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.status, 130);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("W0302"), HasSubstr("the same command goes on")));
  EXPECT_TRUE(folder.has("a.csv.parts/study"));
  const Outcome other = run({"sweep", "slider-crank", "--vary", "L1=0.1,0.2", "-o", folder.file("a.csv")});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("E0423"));
}

// Files that the loader refuses stand where libnetcdf would be.
TEST(Sweep, NamesThePackageThatNetcdfNeeds) {
  const Folder folder;
  for (const char* name : {"libnetcdf.so.19", "libnetcdf.so.22", "libnetcdf.so"}) folder.write(name, "");
  const Outcome outcome = run({"sweep", "slider-crank", "--vary", "L1=0.1,0.2", "-o", folder.file("a.nc")},
                              {.environment = {{"LD_LIBRARY_PATH", folder.path()}}});
  EXPECT_EQ(outcome.status, 5);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("E0510"), HasSubstr("write FILE.csv")));
  if (require_netcdf("a.nc", "").empty()) EXPECT_THAT(outcome.err, HasSubstr("apt-get install libnetcdf19"));
  EXPECT_FALSE(folder.has("a.nc.parts"));
}

TEST(Sweep, WritesNetcdfOfShardsAndTellsItsFailures) {
  const Folder folder;
  if (!require_netcdf("a.nc", "").empty()) GTEST_SKIP() << "no NetCDF";
  const std::vector<std::string> study{"sweep", "slider-crank", "--vary", "L2=0.01,0.4", "--until", "0.2", "-o"};
  const auto made = [&](const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> words = study;
    words.push_back(folder.file(name));
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  const Outcome whole = made("whole.nc", {});
  EXPECT_EQ(whole.status, 4);
  EXPECT_THAT(whole.err, AllOf(HasSubstr("W0307"), HasSubstr("run 0"), HasSubstr("whole.nc.log")));
  for (const char* shard : {"1", "2"}) made(std::string(shard) + ".csv", {"--shard", std::string(shard) + "/2"});
  EXPECT_EQ(
      run({"sweep", "--merge", folder.file("1.csv"), folder.file("2.csv"), "-o", folder.file("merged.nc")}).status, 4);
  EXPECT_EQ(read_text(folder.file("merged.nc")), read_text(folder.file("whole.nc")));
  EXPECT_THAT(made("whole.nc", {}).out, HasSubstr("2 of them made earlier"));
  for (const char* shard : {"1", "2"}) std::filesystem::remove(folder.file(std::string(shard) + ".csv.log"));
  EXPECT_THAT(run({"sweep", "--merge", folder.file("1.csv"), folder.file("2.csv"), "-o", folder.file("m.csv")}).err,
              HasSubstr("W0329"));
}

TEST(Sweep, DoesNotCallAParameterUnusedThatAMeasureReads) {
  const Folder folder;
  folder.write("a.toml", R"toml(coordinates = [{name = "x", unit = "m"}]
[parameters]
m = "1 kg"
limit = "2 m"
idle = 3
[energy]
kinetic = "m*x'^2/2"
)toml");
  const Outcome outcome =
      run({"sweep", "a.toml", "--vary", "x'=1,2", "--measure", "part=final(x)/limit", "--until", "1"},
          {.folder = folder.path()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("`idle`"), ::testing::Not(HasSubstr("`limit`"))));
}

TEST(Sweep, SaysWhatIsWrongWithItsOptions) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases{
      {{"--vary", "L1"}, "it needs a name and `=`"},
      {{"--sample", "L1=normal(1,2)"}, "it needs a name and `~`"},
      {{"--vary", "L1=0.1,0.2", "--shard", "3/2", "-o", "a.csv"}, "i from 1 to n"},
      {{"--vary", "L1=0.1,0.2", "--shard", "1/2"}, "`--shard` needs a file"},
      {{"--vary", "L1=0.1,0.2", "-o", "a.txt"}, "write FILE.csv or FILE.nc"},
      {{"--vary", "L1=0.1,0.2", "--shard", "1/2", "-o", "a.nc"}, "dalembert sweep --merge part*.csv -o a.nc"},
      {{"--vary", "L1=0:1:1000000"}, "need a file"},
      {{"--runs-from", "nowhere.csv"}, "nowhere.csv"},
      {{"--vary", "L1=0.1,0.2", "--runs", "3"}, "nothing is sampled"}};
  for (const auto& [options, message] : cases) {
    std::vector<std::string> words{"sweep", "slider-crank"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome outcome = run(words);
    EXPECT_NE(outcome.status, 0);
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }
}

}  // namespace
}  // namespace dalembert::testing
