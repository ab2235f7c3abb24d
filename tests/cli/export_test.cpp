// SPDX-License-Identifier: Apache-2.0
// export: which files, where; what is wrong with the command line, the model or the folder. What the code computes:
// tests/codegen.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::set<std::string> files_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

TEST(Export, WritesTheFilesOfALanguage) {
  const std::pair<const char*, std::set<std::string>> expected[] = {
      {"c", {"pendulum.h", "pendulum.c", "pendulum_selftest.c"}},
      {"c++", {"pendulum.h", "pendulum.c", "pendulum.hpp", "pendulum_selftest.cpp"}},
      {"python", {"pendulum.py", "pendulum_selftest.py"}},
      {"matlab", {"pendulum.m", "pendulum_selftest.m"}},
      {"js", {"pendulum.mjs", "pendulum_selftest.mjs"}},
      {"casadi", {"pendulum.h", "pendulum.c", "pendulum_casadi.c", "pendulum_selftest.c"}},
      {"latex", {"pendulum.tex"}},
      {"fmu", {"pendulum.fmu"}}};
  for (const auto& [language, files] : expected) {
    const Folder folder;
    const std::string at = folder.file("deep/down");
    const Outcome outcome = run({"export", "-", "--to", language, "-o", at, "--json"}, {.input = kPendulum});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(files_in(at), files) << language;
    const auto document = outcome.json();
    EXPECT_EQ(document["to"], language);
    EXPECT_EQ(document["files"].size(), files.size());
    for (const auto& file : document["files"]) EXPECT_TRUE(std::filesystem::exists(file.get<std::string>()));
  }
}

// Numbers of the type `float`, where the language and the model have them.
TEST(Export, WritesSinglePrecision) {
  const Folder folder;
  const std::string at = folder.file("c");
  const Outcome made =
      run({"export", "-", "--to", "c", "--precision", "single", "-o", at, "--json"}, {.input = kPendulum});
  ASSERT_EQ(made.status, 0);
  EXPECT_EQ(made.json()["precision"], "single");
  EXPECT_EQ(read_text(at + "/pendulum.c").find("double"), std::string::npos);
  for (const char* language : {"python", "matlab", "js", "casadi", "latex", "fmu"}) {
    const Outcome refused =
        run({"export", "-", "--to", language, "--precision", "single", "-o", at}, {.input = kPendulum});
    EXPECT_EQ(refused.status, 2) << language;
    EXPECT_THAT(refused.err, HasSubstr("E0442")) << language;
    EXPECT_THAT(refused.err, HasSubstr("--to c --precision single")) << language;
  }
  EXPECT_EQ(files_in(at).size(), 3U);
  const Outcome huge =
      run({"export", "-", "--to", "c", "--precision", "single", "--set", "m=1e39", "-o", folder.file("none")},
          {.input = kPendulum});
  EXPECT_EQ(huge.status, 1);
  EXPECT_THAT(huge.err, HasSubstr("E0443"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("none")));
  EXPECT_EQ(run({"export", "-", "--to", "c", "--precision", "half", "-o", at}, {.input = kPendulum}).status, 2);
}

// Who gets the code gets to know under which licence it stands; C holds what fdlibm asks to be kept besides.
TEST(Export, SaysItsLicence) {
  const Folder folder;
  const std::pair<const char*, const char*> heads[] = {{"c", "pendulum.h"},
                                                       {"c++", "pendulum.h"},
                                                       {"python", "pendulum.py"},
                                                       {"matlab", "pendulum.m"},
                                                       {"js", "pendulum.mjs"}};
  for (const auto& [language, file] : heads) {
    ASSERT_EQ(run({"export", "-", "--to", language, "-o", folder.path()}, {.input = kPendulum}).status, 0);
    EXPECT_NE(read_text(folder.file(file)).find("SPDX-License-Identifier: Apache-2.0\n"), std::string::npos)
        << language;
  }
  ASSERT_EQ(run({"export", "slider-crank", "--to", "c", "-o", folder.path()}).status, 0);
  EXPECT_NE(read_text(folder.file("slider_crank.c")).find("Sun Microsystems"), std::string::npos);
}

TEST(Export, TakesValuesOfParameters) {
  const Folder folder;
  ASSERT_EQ(run({"export", "-", "--to", "js", "-o", folder.path(), "--set", "L=1234 mm"}, {.input = kPendulum}).status,
            0);
  EXPECT_THAT(read_text(folder.file("pendulum.mjs")), HasSubstr("1.234"));
}

TEST(Export, LatexIsThatOfDerive) {
  const Folder folder;
  ASSERT_EQ(run({"export", "slider-crank", "--to", "latex", "-o", folder.path()}).status, 0);
  EXPECT_EQ(read_text(folder.file("slider_crank.tex")), run({"derive", "slider-crank", "--format", "latex"}).out);
}

TEST(Export, SaysWhichLanguagesThereAre) {
  const Folder folder;
  const Outcome near = run({"export", "slider-crank", "--to", "pyton", "-o", folder.file("x")});
  EXPECT_EQ(near.status, 2);
  EXPECT_THAT(near.err, HasSubstr("did you mean `python`?"));
  const Outcome none = run({"export", "slider-crank", "-o", folder.file("x")});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("--to"));
  EXPECT_THAT(none.err, HasSubstr("matlab"));
  EXPECT_FALSE(folder.has("x"));
}

TEST(Export, OnlyChosenFunctions) {
  const Folder folder;
  ASSERT_EQ(
      run({"export", "-", "--only", "accelerations,start", "--to", "c", "-o", folder.path()}, {.input = kPendulum})
          .status,
      0);
  const std::string header = read_text(folder.file("pendulum.h"));
  EXPECT_THAT(header, HasSubstr("int pendulum_accelerations("));
  EXPECT_THAT(header, HasSubstr("void pendulum_start("));
  EXPECT_THAT(header, Not(HasSubstr("pendulum_step(")));
  const Folder empty;
  const Outcome unknown =
      run({"export", "-", "--only", "acceleration", "--to", "c", "-o", empty.path()}, {.input = kPendulum});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean `accelerations`?"));
  for (const char* whole : {"fmu", "latex", "casadi"}) {
    const Outcome refused =
        run({"export", "-", "--only", "step", "--to", whole, "-o", empty.path()}, {.input = kPendulum});
    EXPECT_EQ(refused.status, 2) << whole;
    EXPECT_THAT(refused.err, HasSubstr(fmt::format("E0445]: what is exported to `{}` has no functions", whole)));
  }
  EXPECT_THAT(files_in(empty.path()), IsEmpty());
}

TEST(Export, RefusedModelsLeaveNothing) {
  const Folder folder;
  const Outcome outcome = run({"export", "n-link-chain", "--set", "N=130", "--to", "c", "-o", folder.file("x")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("error[E0532]"));
  EXPECT_THAT(outcome.err, HasSubstr("together may be at most 120"));
  EXPECT_FALSE(folder.has("x"));
}

TEST(Export, WritesAllFilesOrNone) {
  const Folder folder;
  folder.write("taken", "a file");
  const Outcome taken = run({"export", "slider-crank", "--to", "c", "-o", folder.file("taken")});
  EXPECT_EQ(taken.status, 5);
  EXPECT_THAT(taken.err, HasSubstr("E0501"));
  EXPECT_EQ(read_text(folder.file("taken")), "a file");

  // The second file cannot be written, for a folder has its name; the first one is taken back.
  std::filesystem::create_directories(folder.file("some/slider_crank.c/full"));
  const Outcome half = run({"export", "slider-crank", "--to", "c", "-o", folder.file("some")});
  EXPECT_EQ(half.status, 5);
  EXPECT_EQ(files_in(folder.file("some")), std::set<std::string>{"slider_crank.c"});

  // What was there before stays as it was.
  folder.write("some/slider_crank.h", "of someone");
  EXPECT_EQ(run({"export", "slider-crank", "--to", "c", "-o", folder.file("some")}).status, 5);
  EXPECT_EQ(read_text(folder.file("some/slider_crank.h")), "of someone");
}

}  // namespace
}  // namespace dalembert::testing
