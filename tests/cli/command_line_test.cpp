// SPDX-License-Identifier: Apache-2.0
// The command line itself: verbs, options, help, colour, streams, exit status. What is demanded here is in
// docs/command-line.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(CommandLine, HelpGoesToStandardOutput) {
  const Outcome outcome = run({"--help"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("dalembert simulate slider-crank"));
  EXPECT_THAT(outcome.out, HasSubstr("analyze"));
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_EQ(run({"help"}).out, outcome.out);
}

TEST(CommandLine, EveryVerbHasHelpWithExamples) {
  for (const char* verb :
       {"new", "models", "check", "derive", "eval", "assemble", "simulate", "explain", "completion"}) {
    const Outcome outcome = run({verb, "--help"});
    EXPECT_EQ(outcome.status, 0) << verb;
    EXPECT_THAT(outcome.out, HasSubstr(std::string("  dalembert ") + verb)) << verb;
    EXPECT_EQ(run({"-h", verb}).out, outcome.out);
    EXPECT_EQ(run({"help", verb}).out, outcome.out);
  }
}

TEST(CommandLine, VersionCommitAndBackEndsAreSaid) {
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, ::testing::MatchesRegex("dalembert [0-9]+\\.[0-9]+\\.[0-9]+\ncommit .+\nwith .*\n"));
}

TEST(CommandLine, NothingIsAskedForHelpOnStandardError) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("usage"));
}

struct Wrong {
  std::vector<std::string> arguments;
  const char* code;
  const char* text;
};

class WrongCommandLine : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongCommandLine, ExitsWithTwoAndSaysWhatIsMeant) {
  const Outcome outcome = run(GetParam().arguments);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().code));
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(
    CommandLine, WrongCommandLine,
    ::testing::Values(Wrong{{"simluate", "slider-crank"}, "E0401", "did you mean `simulate`?"},
                      Wrong{{"frobnicate"}, "E0401", "--help"}, Wrong{{"serve"}, "E0401", "`serve`"},
                      Wrong{{"simulate", "slider-crank", "--unitl", "5"}, "E0402", "did you mean `--until`?"},
                      // No abbreviations: --unt is not --until.
                      Wrong{{"simulate", "slider-crank", "--unt", "5"}, "E0402", "unknown option `--unt`"},
                      Wrong{{"--jsno"}, "E0402", "did you mean `--json`?"},
                      Wrong{{"check", "slider-crank", "-x"}, "E0402", "`-x`"}, Wrong{{"check"}, "E0408", "MODEL"},
                      Wrong{{"check", "slider-crank", "four-bar"}, "E0408", "four-bar"},
                      Wrong{{"simulate", "slider-crank", "--until"}, "E0403", "`--until` needs a value"},
                      Wrong{{"simulate", "slider-crank", "--until", "soon"}, "E0403", "soon"},
                      Wrong{{"simulate", "slider-crank", "--until", "3 kg"}, "E0403", "kg"},
                      Wrong{{"simulate", "slider-crank", "--rtol", "-1"}, "E0403", "--rtol"},
                      Wrong{{"simulate", "slider-crank", "--rtol", "nan"}, "E0403", "--rtol"},
                      Wrong{{"simulate", "slider-crank", "--every", "0"}, "E0403", "--every"},
                      Wrong{{"simulate", "slider-crank", "--method", "dop583"}, "E0403", "did you mean `dop853`?"},
                      Wrong{{"simulate", "slider-crank", "--output", "run.h5"}, "E0407", "not supported yet"},
                      Wrong{{"simulate", "slider-crank", "--output", "run.xyz"}, "E0403", ".csv"},
                      Wrong{{"simulate", "slider-crank", "--expect", "x"}, "E0402", "`--expect`"},
                      Wrong{{"derive", "slider-crank", "--format", "text2"}, "E0403", "did you mean `text`?"},
                      Wrong{{"derive", "slider-crank", "--only", "gama"}, "E0403", "did you mean `gamma`?"},
                      Wrong{{"derive", "slider-crank", "--only", "redused"}, "E0403", "did you mean `reduced`?"},
                      Wrong{{"check", "slider-crank", "--set", "L1"}, "E0405", "L1"},
                      Wrong{{"models", "shwo", "slider-crank"}, "E0408", "shwo"},
                      Wrong{{"completion", "zhs"}, "E0403", "did you mean `zsh`?"}));

TEST(CommandLine, OptionsMayStandAnywhere) {
  const std::string expected = run({"check", "slider-crank", "--set", "L1=0.16", "--json"}).out;
  EXPECT_THAT(expected, StartsWith("{"));
  EXPECT_EQ(run({"--json", "check", "--set", "L1=0.16", "slider-crank"}).out, expected);
  EXPECT_EQ(run({"--set", "L1=0.16", "check", "slider-crank", "--json"}).out, expected);
  EXPECT_EQ(run({"check", "--json", "--set=L1=0.16", "--", "slider-crank"}).out, expected);
}

TEST(CommandLine, UnknownModelNamesTheNearest) {
  const Outcome outcome = run({"check", "slider-crnk"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("E0404"));
  EXPECT_THAT(outcome.err, HasSubstr("did you mean `slider-crank`?"));
  EXPECT_EQ(run({"models", "show", "slider-crnk"}).status, 2);
}

TEST(CommandLine, FilesThatCannotBeReadExitWithFive) {
  const Folder folder;
  EXPECT_EQ(run({"check", folder.file("missing.toml")}).status, 5);
  EXPECT_EQ(run({"check", folder.path() + "/"}).status, 5);
  folder.write("pendulum.toml", kPendulum);
  EXPECT_THAT(run({"check", "pendulm.toml"}, {.folder = folder.path()}).err,
              HasSubstr("did you mean `pendulum.toml`?"));
}

// docs/command-line.md, Options: NO_COLOR that is not empty wins over CLICOLOR_FORCE; neither: a pipe gets no colour.
TEST(CommandLine, ColourFollowsTheEnvironment) {
  const auto colored = [](const std::vector<std::string>& more, const Setting& setting) {
    std::vector<std::string> arguments{"check", "slider-crnk"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments, setting).err.find('\033') != std::string::npos;
  };
  EXPECT_FALSE(colored({}, {}));
  EXPECT_TRUE(colored({}, {.environment = {{"CLICOLOR_FORCE", "1"}}}));
  EXPECT_TRUE(colored({}, {.environment = {{"FORCE_COLOR", "1"}}}));
  EXPECT_FALSE(colored({}, {.environment = {{"CLICOLOR_FORCE", "0"}}}));
  EXPECT_TRUE(colored({}, {.environment = {{"FORCE_COLOR", "1"}, {"NO_COLOR", ""}}}));
  EXPECT_FALSE(colored({}, {.environment = {{"FORCE_COLOR", "1"}, {"NO_COLOR", "1"}}}));
  EXPECT_FALSE(colored({"--no-color"}, {.environment = {{"FORCE_COLOR", "1"}}}));
}

TEST(CommandLine, FullStandardOutputIsAFailureToWrite) {
  const Outcome outcome = run({"models", "--quiet"}, {.standard_output = "/dev/full"});
  EXPECT_EQ(outcome.status, 5);
  EXPECT_THAT(outcome.err, HasSubstr("No space left"));
}

TEST(CommandLine, ReaderThatGoesAwayIsNoError) {
  Process process({"models", "show", "slider-crank"});
  process.close_output();
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, IsEmpty());
}

// With descriptor 1 closed, the next file that is opened gets its number: results must not end up in it.
TEST(CommandLine, ClosedStandardOutputIsQuietAndSpoilsNoFile) {
  const Folder folder;
  const std::string model = folder.write("oscillator.toml", kOscillator);
  const Outcome outcome = run({"simulate", model, "-o", folder.file("run.csv")}, {.close_output = true});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(read_text(folder.file("run.csv")), StartsWith("time,"));
  EXPECT_THAT(read_text(folder.file("run.csv")), Not(HasSubstr("verdict")));
}

TEST(CommandLine, ExplainKnowsWhatOthersPrint) {
  const Outcome wrong = run({"explain", "E9999"});
  EXPECT_EQ(wrong.status, 2);
  const Outcome outcome = run({"explain", "e0102"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_FALSE(outcome.out.empty());
}

// The scripts are asked to do their work by the shell itself, where it is there.
TEST(CommandLine, BashCompletionCompletes) {
  const Folder folder;
  const Outcome script = run({"completion", "bash"});
  ASSERT_EQ(script.status, 0);
  folder.write("complete.bash", script.out);
  folder.write("try.bash",
               "source complete.bash\n"
               "try() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _dalembert 2>/dev/null; echo "
               "\"${COMPREPLY[@]}\"; }\n"
               "try dalembert si\ntry dalembert simulate --unt\ntry dalembert derive --format la\n");
  const std::string command = "cd '" + folder.path() + "' && bash try.bash > result 2>&1";
  if (std::system("command -v bash >/dev/null") != 0) GTEST_SKIP();
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(read_text(folder.file("result")), "simulate\n--until\nlatex\n");
}

TEST(CommandLine, OtherCompletionsNameEveryVerb) {
  for (const char* shell : {"zsh", "fish"}) {
    const Outcome outcome = run({"completion", shell});
    EXPECT_EQ(outcome.status, 0);
    for (const char* word : {"simulate", "derive", "until", "formulation"})
      EXPECT_THAT(outcome.out, HasSubstr(word)) << shell;
  }
}

}  // namespace
}  // namespace dalembert::testing
