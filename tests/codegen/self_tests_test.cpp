// SPDX-License-Identifier: Apache-2.0
// Every shipped model in every language: its self-test agrees. The reference values are those of the interpreter and of the
// library's solvers and projection, so a self-test compares a language's arithmetic with other code, not with itself.
#include <gmock/gmock.h>

#include "codegen/exported.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;

// "NAME: 284 of 284 values agree", and there were values.
void expect_agreement(const Ran& ran, const Exported& exported) {
  EXPECT_EQ(ran.status, 0) << ran.out;
  const std::size_t of = ran.out.find(" of ");
  ASSERT_NE(of, std::string::npos) << ran.out;
  const std::size_t at = ran.out.rfind(exported.name() + ": ", of) + exported.name().size() + 2;
  EXPECT_GE(std::atoi(ran.out.c_str() + at), 40) << ran.out;
  EXPECT_EQ(std::atoi(ran.out.c_str() + at), std::atoi(ran.out.c_str() + of + 4)) << ran.out;
}

class SelfTests : public ::testing::TestWithParam<std::string> {
 protected:
  void run(CodeLanguage language) {
    if (!Exported::can_run(language)) GTEST_SKIP() << "what runs " << to_text(language) << " is not installed";
    const Equations equations = equations_of_text(shipped_text(GetParam()));
    const Exported exported(equations, language);
    // Warnings of what is used uninitialized need -O1, for which compilers take half a minute of long files.
    expect_agreement(exported.self_test(exported.size() < 70'000 ? "-O1" : "-O0"), exported);
    if (language != CodeLanguage::kC || !has_program("clang --version")) return;
    const Ran clang = shell("cd " + exported.folder() +
                            " && clang -std=c99 -Wall -Wextra -Wconversion -pedantic -Werror -fsyntax-only *.c");
    EXPECT_EQ(clang.status, 0) << clang.out;
  }
};

TEST_P(SelfTests, C) { run(CodeLanguage::kC); }
TEST_P(SelfTests, Python) { run(CodeLanguage::kPython); }
TEST_P(SelfTests, Js) { run(CodeLanguage::kJs); }
TEST_P(SelfTests, Matlab) { run(CodeLanguage::kMatlab); }

INSTANTIATE_TEST_SUITE_P(Models, SelfTests, ::testing::ValuesIn(shipped_names()), test_name);

// C++ is the C with another face, so a few models do: with constraints, with quaternions, without constraints, inputs or outputs,
// with friction.
TEST(SelfTestsOfCpp, Agree) {
  if (!Exported::can_run(CodeLanguage::kCpp)) GTEST_SKIP() << "no c++";
  for (const char* name : {"slider-crank", "heavy-top", "mass-spring", "rod-on-corner-friction"}) {
    const Exported exported(equations_of_text(shipped_text(name)), CodeLanguage::kCpp);
    expect_agreement(exported.self_test(), exported);
  }
}

// Someone changes a result: each language's self-test names it, and its exit status says so.
TEST(SelfTestsFail, WhereCodeIsWrong) {
  const Equations equations = equations_of_text(shipped_text("cart-pendulum"));
  for (const CodeLanguage language :
       {CodeLanguage::kC, CodeLanguage::kPython, CodeLanguage::kMatlab, CodeLanguage::kJs}) {
    if (!Exported::can_run(language)) continue;
    Exported exported(equations, language);
    const bool from_one = language == CodeLanguage::kMatlab;
    const std::string what = from_one ? "out(1) = " : "out[0] = ";
    ASSERT_GE(exported.replace(language == CodeLanguage::kC ? 1 : 0, what, what + "1.0 + "), 1U) << to_text(language);
    const Ran ran = exported.self_test();
    EXPECT_EQ(ran.status, 1) << to_text(language) << "\n" << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("accelerations: vdot")) << to_text(language);
    EXPECT_THAT(ran.out, HasSubstr("instead of")) << to_text(language);
  }
}

// Where the formulas' pivots cannot be trusted, and where there are none: a row that is stated twice (multipliers of least
// norm), rows that contradict each other, a coordinate without inertia, a term without a value. The library's answers and
// statuses are the reference.
constexpr const char* kPendulum = R"toml(name = "odd pendulum"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
gravity = ["0", "-9.81 m/s^2"]
[[body]]
name = "ball"
mass = "2 kg"
position = ["x", "y"]
[[constraint]]
name = "rod"
holonomic = ["x^2 + y^2 - 1", "SECOND"]
[initial]
position = {x = "0.6 m"}
guess = {y = "-0.7 m"}
velocity = {x = "0.5 m/s"}
)toml";

Exported exported_pendulum(const std::string& second, CodeLanguage language) {
  std::string text = kPendulum;
  text.replace(text.find("SECOND"), 6, second);
  return Exported(equations_of_text(text), language);
}

TEST(AnyRank, RedundantRowsHaveMultipliersOfLeastNorm) {
  for (const CodeLanguage language :
       {CodeLanguage::kC, CodeLanguage::kPython, CodeLanguage::kMatlab, CodeLanguage::kJs}) {
    if (!Exported::can_run(language)) continue;
    const Exported exported = exported_pendulum("3*x^2 + 3*y^2 - 3", language);
    const Ran ran = exported.self_test();
    EXPECT_EQ(ran.status, 0) << ran.out;
    // Accelerations, projection and a step are among what was compared.
    const std::string& test = exported.files().back().text;
    for (const char* routine : {"accelerations", "project", "step"}) EXPECT_THAT(test, HasSubstr(routine));
  }
}

TEST(AnyRank, StatusesAreTheLibrarys) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  std::string massless = kPendulum;
  massless.replace(massless.find("SECOND"), 6, "x - 0.6");
  massless.replace(massless.find("{name = \"y\", unit = \"m\"}"), 24,
                   "{name = \"y\", unit = \"m\"}, {name = \"z\", unit = \"m\"}");
  const Exported singular(equations_of_text(massless), CodeLanguage::kC);
  EXPECT_THAT(singular.files().back().text, HasSubstr("_accelerations(&s, 0.0, q, v, u, vdot, lambda), 1)"));
  const Ran ran = singular.self_test();
  EXPECT_EQ(ran.status, 0) << ran.out;
}

}  // namespace
}  // namespace dalembert::testing
