// SPDX-License-Identifier: Apache-2.0
// `dalembert optimize` as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;

// The slider-crank with the least force, for a second, with more options.
Outcome optimize_crank(const std::vector<std::string>& options) {
  std::vector<std::string> words{
      "optimize", "slider-crank",  "--until", "1", "--starts", "2", "--minimize", "max(abs(lambda(pin[1])))",
      "--free",   "L1=10 cm:0.2 m"};
  words.insert(words.end(), options.begin(), options.end());
  return run(words);
}

// Skips where the command was built without NLopt, or the library is not there.
class OptimizeCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    if (run({"optimize", "slider-crank", "--minimize", "final(x)", "--free", "L1=0.1:0.2", "--starts", "1", "--until",
             "0.01"})
            .err.find("E0438") != std::string::npos)
      GTEST_SKIP() << "NLopt is not there";
  }
};

TEST_F(OptimizeCommand, AnswersInJson) {
  const Outcome ran = optimize_crank({"--free", "L2=0.3:0.5", "--subject-to", "max(x) - min(x) == 0.5 m", "--json"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto found = ran.json();
  // The stroke is twice the crank, which is 2 L1 long.
  EXPECT_NEAR(found["parameters"]["L1"]["value"].get<double>(), 0.125, 1e-8);
  EXPECT_EQ(found["parameters"]["L1"]["unit"], "m");
  EXPECT_EQ(found["objective_unit"], "N");
  EXPECT_EQ(found["status"], "found");
  EXPECT_EQ(found["active"][0]["constraint"], "max(x) - min(x) == 0.5 m");
  EXPECT_EQ(found["active"][0]["unit"], "N/m");
  EXPECT_EQ(found["starts"].size(), 2);
  EXPECT_GT(found["runs"].get<int>(), 4);
  EXPECT_TRUE(found["verdict"]["holds"].get<bool>());
}

TEST_F(OptimizeCommand, WritesTheModelWithTheNewValues) {
  const Folder folder;
  const std::string file = folder.file("better.toml");
  const Outcome ran = optimize_crank({"--set", "m3=2", "-o", file});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("active        L1 >= 0.1 m"));
  EXPECT_EQ(run({"simulate", file, "--until", "1"}).status, 0);
  const std::string text = read_text(file);
  EXPECT_THAT(text, HasSubstr("L1 = \"0.1 m\"          # half lengths"));
  EXPECT_THAT(text, HasSubstr("m3 = \"2 kg\""));
  EXPECT_THAT(text, HasSubstr("L2 = \"0.35 m\""));
}

TEST_F(OptimizeCommand, RefusesWhatItCannotDo) {
  const auto refused = [](std::vector<std::string> options, const std::string& why) {
    options.insert(options.begin(), {"optimize", "slider-crank"});
    const Outcome ran = run(options);
    EXPECT_EQ(ran.status, 2) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(why));
  };
  const std::string range = "L1=0.1:0.2";
  refused({"--free", range}, "E0435");
  refused({"--minimize", "x", "--maximize", "x", "--free", range}, "E0435");
  refused({"--minimize", "final(x)"}, "nothing is free");
  refused({"--minimize", "final(x)", "--free", "L1"}, "E0403");
  refused({"--minimize", "final(xx)", "--free", range}, "xx");
  refused({"--minimize", "final(x)", "--free", "L1=0.1:0.2, L2=0.3:0.4"}, "an option of its own");
  refused({"--minimize", "final(x)", "--free", range, "-o", "better.csv"}, "FILE.toml");
  refused({"--minimize", "final(x)", "--free", range, "--set", "tau=1", "-o", "better.toml"}, "E0436");
  refused({"--minimize", "final(x)", "--free", range, "--subject-to", "max(x) = 1"}, "compares nothing");
}

// What has no value in a run is named.
TEST_F(OptimizeCommand, SaysWhyRunsDoNotCount) {
  const std::vector<std::string> words{"optimize", "bouncing-ball", "--until",  "0.1",
                                       "--free",   "e=0.5:0.8",     "--starts", "1"};
  for (const auto& [measure, why] : {std::pair("time(ground)", "1 run did not count: `ground` does not happen"),
                                     std::pair("at(y, 3 s)", "1 run did not count: the run ends before t = 3 s")}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--minimize", measure});
    const Outcome ran = run(all);
    EXPECT_EQ(ran.status, 3) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(why));
    EXPECT_THAT(ran.err, HasSubstr("no point that was tried counts"));
  }
  EXPECT_THAT(run({"optimize", "slider-crank", "--minimize", "time(tip)", "--free", "L1=0.1:0.2"}).err,
              HasSubstr("that the model states"));
  EXPECT_THAT(run({"optimize", "bouncing-ball", "--minimize", "time(tip)", "--free", "e=0.5:0.8"}).err,
              HasSubstr("there is `ground`"));
}

TEST_F(OptimizeCommand, SaysNoWhereConstraintsCannotBeMet) {
  const Outcome ran = optimize_crank({"--subject-to", "max(x) >= 9 m"});
  EXPECT_EQ(ran.status, 4);
  EXPECT_THAT(ran.err, HasSubstr("W0324"));
  EXPECT_THAT(ran.out, HasSubstr("comes nearest"));
}

}  // namespace
}  // namespace dalembert::testing
