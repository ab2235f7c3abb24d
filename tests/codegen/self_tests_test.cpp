// SPDX-License-Identifier: Apache-2.0
// Every shipped model in every language: its self-test agrees. The reference values are those of the interpreter and of the
// library's solvers and projection, so a self-test compares a language's arithmetic with other code, not with itself.
#include <gmock/gmock.h>

#include "codegen/exported.h"

namespace dalembert::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

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
    if (const std::string why = refusal(equations, language); !why.empty()) GTEST_SKIP() << why;
    const Exported exported(equations, language);
    // Warnings of what is used uninitialized need -O1, for which compilers take half a minute of long files.
    expect_agreement(exported.self_test(exported.size() < 70'000 ? "-O1" : "-O0"), exported);
    if (language != CodeLanguage::kC || !has_program("clang --version")) return;
    const Ran clang = shell("cd " + exported.folder() +
                            " && clang -std=c99 -Wall -Wextra -Wconversion -pedantic -Werror -fsyntax-only *.c");
    EXPECT_EQ(clang.status, 0) << clang.out;
  }
};

// The C of a processor that computes `float` alone: no `double` in the model's code, no conversion to it, none of the routines that stand in for it on a
// Cortex-M4F.
TEST_P(SelfTests, CInSinglePrecision) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const Equations equations = equations_of_text(shipped_text(GetParam()));
  if (const std::string why = refusal(equations, CodeLanguage::kC); !why.empty()) GTEST_SKIP() << why;
  const Exported exported(equations, CodeLanguage::kC, CodeShape{.single = true});
  expect_agreement(exported.self_test((exported.size() < 70'000 ? "-O1" : "-O0") + std::string(" -Wdouble-promotion")),
                   exported);
  // The name of the model may be that of a double pendulum.
  for (const std::size_t file : {0, 1})
    EXPECT_THAT(exported.text(file), Not(ContainsRegex("double(\\*| [a-z]+[][;,)=])")));
  if (!has_program("clang --target=arm-none-eabi -mcpu=cortex-m4 -x c -S -o /dev/null /dev/null")) return;
  const std::string functions = "fabs sqrt sin cos tan asin acos atan exp log sinh cosh tanh floor cbrt";
  const Ran assembly = shell(
      "cd " + exported.folder() + " && mkdir math && for f in " + functions +
      "; do echo \"float ${f}f(float);\"; done > math/math.h && printf '%s\\n' 'float fmaf(float, float, float);' "
      "'float atan2f(float, float);' 'float powf(float, float);' 'float hypotf(float, float);' "
      "'#define NAN __builtin_nanf(\"\")' '#define INFINITY __builtin_inff()' >> math/math.h && clang "
      "--target=arm-none-eabi -mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16 -std=c99 -Wall -Wextra "
      "-Wconversion -Wdouble-promotion -pedantic -Werror "
      "-isystem math -S " +
      exported.name() + ".c -o assembly && grep -c vmul.f32 assembly && ! grep __aeabi_[df] assembly");
  EXPECT_EQ(assembly.status, 0) << assembly.out;
}

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
    const Exported single(equations_of_text(shipped_text(name)), CodeLanguage::kCpp, CodeShape{.single = true});
    expect_agreement(single.self_test("-O0 -Wdouble-promotion"), single);
    EXPECT_THAT(single.text(2), Not(HasSubstr("double")));  // no model here has that in its name
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

// What arithmetic leaves open is not compared, or as far as it goes: rows that follow from others beside a prescribed coordinate (the
// Jacobian has no value there), a row that is nothing but round-off, both (formulas divide 0 by 0), frictions whose normal forces
// are 0 but for round-off. Of each the self-test failed.
constexpr const char* kOpen[] = {R"toml(name = "prescribed"
coordinates = ["x", "y", "z"]
[energy]
kinetic = "0.69*x'^2/2 + 1.7*y'^2 + z'^2/2 + x*y'*z'/4"
potential = "cos(x) + y^2"
[[constraint]]
name = "p"
pfaffian = ["1.1*x' + (2 + sin(x))*y' + z'/3", "7*(1.1*x' + (2 + sin(x))*y' + z'/3)"]
[prescribed]
z = "exp(-t)/2"
[initial]
position = {x = 0.3}
)toml",
                                 R"toml(name = "round-off"
coordinates = ["x", "g"]
[energy]
kinetic = "x'^2/2 + g'^2/2"
[[frame]]
name = "A"
rotate = "sinh(g/3)"
[[point]]
name = "P"
frame = "A"
at = [0.3, 0.7]
[[point]]
name = "O"
frame = "A"
at = [0.7, 0.7]
[[constraint]]
name = "dist"
distance = {between = ["P", "O"], value = 0.495}
[initial]
position = {g = -0.818}
)toml",
                                 R"toml(name = "round-off beside rows that follow from others"
coordinates = ["x", "g", "y"]
[energy]
kinetic = "x'^2/2 + g'^2/2 + y'^2/2 + x'*g'/9"
[[frame]]
name = "A"
origin = ["x", 1]
rotate = "sinh(g/3)"
[[point]]
name = "P"
frame = "A"
at = [0.3, 0.7]
[[point]]
name = "O"
frame = "A"
at = [0.7, 0.7]
[[constraint]]
name = "p"
pfaffian = "x*x' + 2*g' + 4*x'"
[[constraint]]
name = "dist"
distance = {between = ["P", "O"], value = 0.495}
[[constraint]]
name = "r"
pfaffian = "1/3*(x*x' + 2*g' + 4*x')"
[initial]
position = {x = 0.462, g = -0.818}
velocity = {x = 0.4, g = 0.3}
)toml",
                                 R"toml(name = "without a load"
coordinates = ["x", "y", "z"]
[energy]
kinetic = "x'^2/2 + y'^2 + z'^2/2"
potential = "cosh(z/4)"
[[constraint]]
name = "h"
holonomic = "3*y + sin(-z)"
[[force]]
coordinate = "x"
value = "0.2 - 0.1*lambda(h)"
[[friction]]
name = "f0"
normal = "(2 + sin(x))^0.5*lambda(h)"
velocity = "z'"
coefficient = 0.3
[[friction]]
name = "f1"
normal = "1.3*lambda(h)"
velocity = "x'/2"
coefficient = 0.3
)toml"};

TEST(SelfTestsAgree, WhereArithmeticDecidesLittle) {
  for (const CodeLanguage language : {CodeLanguage::kC, CodeLanguage::kJs}) {
    if (!Exported::can_run(language)) continue;
    for (const char* text : kOpen) {
      const Exported exported(equations_of_text(text), language);
      expect_agreement(exported.self_test(), exported);
    }
  }
}

}  // namespace
}  // namespace dalembert::testing
