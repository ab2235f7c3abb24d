// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/run_options.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "dalembert/modelfile/load.h"

namespace dalembert {
namespace {

Result<IntegrateOptions> options_of(const std::string& simulation) {
  Result<Model> model = load_model(make_source("m.toml",
                                               "name = \"m\"\ncoordinates = [\"x\"]\n[energy]\n"
                                               "kinetic = \"x'^2\"\npotential = \"x^2\"\n[simulation]\n" +
                                                   simulation));
  if (!model) return model.diagnostics();
  return run_options(*model);
}

// Truth: docs/model-format.md, [simulation].
TEST(RunOptions, AreThoseOfTheModel) {
  const auto options = options_of(
      "until = \"3 s\"\nrtol = 1e-7\natol = 1e-10\nmethod = \"dopri5\"\noutput_step = \"10 ms\"\nmax_step = \"0.5 "
      "s\"\n");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->until, 3);
  EXPECT_EQ(options->rtol, 1e-7);
  EXPECT_EQ(options->atol, 1e-10);
  EXPECT_EQ(options->method, Method::kDopri5);
  EXPECT_EQ(options->output_step, 0.01);
  EXPECT_EQ(options->max_step, 0.5);
}

TEST(RunOptions, BeginWithTheDefaults) {
  const auto options = options_of("");
  ASSERT_TRUE(options);
  const IntegrateOptions defaults;
  EXPECT_EQ(options->until, kDefaultUntil);
  EXPECT_EQ(options->rtol, defaults.rtol);
  EXPECT_EQ(options->method, defaults.method);
  EXPECT_EQ(options->max_steps, defaults.max_steps);
}

// Every method steps either formulation.
TEST(RunOptions, HaveEachMethodInEachFormulation) {
  for (const std::string& method : method_names())
    for (const char* formulation : {"index1", "reduced"})
      EXPECT_TRUE(options_of("method = \"" + method + "\"\nformulation = \"" + formulation + "\"\n")) << method;
}

// Truth: the codes' explanations in base/explain.cpp; each error points at the line of its key.
TEST(RunOptions, SayWhereTheyAreWrong) {
  struct Case {
    std::string simulation, code;
  };
  for (const Case& wrong :
       {Case{"method = \"dop835\"\n", "E0410"}, Case{"formulation = \"index3\"\n", "E0410"},
        Case{"rtol = 2.0\n", "E0403"}, Case{"until = \"1 s\"\noutput_step = \"1e-12 s\"\n", "E0403"}}) {
    const auto options = options_of(wrong.simulation);
    ASSERT_FALSE(options) << wrong.simulation;
    ASSERT_EQ(options.diagnostics().size(), 1u);
    const Diagnostic& problem = options.diagnostics().front();
    EXPECT_EQ(problem.code, wrong.code);
    ASSERT_TRUE(problem.primary.span) << wrong.simulation;
    EXPECT_GE(problem.primary.span.source->position(problem.primary.span.begin).line, 6u) << wrong.simulation;
    EXPECT_FALSE(problem.help.empty());
  }
}

// Contacts decide by multipliers when they open, and impacts cannot be undone (theory §8).
TEST(RunOptions, KnowWhatContactsRefuse) {
  const auto of_ball = [](const std::string& simulation) {
    Result<Model> model = load_model(make_source("ball.toml", R"toml(name = "ball"
coordinates = [{name = "y", unit = "m"}]
[energy]
kinetic = "(0.5 kg)*y'^2"
potential = "(9.81 N)*y"
[[constraint]]
name = "ground"
holonomic = "y"
unilateral = true
[simulation]
)toml" + simulation));
    return run_options(*model);
  };
  struct Case {
    std::string simulation, message, help;
  };
  for (const Case& wrong :
       {Case{"formulation = \"reduced\"\n", "`reduced` cannot follow the contact `ground`", "index1"},
        Case{"until = \"-1 s\"\n", "backwards in time cannot pass the contact `ground`", "after"}}) {
    const auto options = of_ball(wrong.simulation);
    ASSERT_FALSE(options) << wrong.simulation;
    const Diagnostic& problem = options.diagnostics().front();
    EXPECT_EQ(problem.code, "E0446");
    EXPECT_NE(problem.message.find(wrong.message), std::string::npos) << problem.message;
    EXPECT_EQ(problem.primary.span.source->position(problem.primary.span.begin).line, 11u);
    ASSERT_EQ(problem.help.size(), 1u);
    EXPECT_NE(problem.help.front().find(wrong.help), std::string::npos);
  }
  EXPECT_TRUE(of_ball("until = \"1 s\"\nformulation = \"index1\"\n"));
}

}  // namespace
}  // namespace dalembert
