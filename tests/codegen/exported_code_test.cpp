// SPDX-License-Identifier: Apache-2.0
// Exported C called from here: bits, derivatives, order of the steps, sizes, names.
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "codegen/loaded.h"
#include "dalembert/base/text.h"
#include "dalembert/compile/compile.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/integrate/integrate.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Numbers = std::vector<double>;

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

class BitsOfModel : public ::testing::TestWithParam<std::string> {};

// Oracle: the interpreter, where its formulas are used. Both round every operation alike and have the same sines, so results
// are the same to the bit. Where the library's dense solver answered the other one must to 1e-13 of the largest, or, where λ
// is large because rows nearly depend on each other, of what that makes of round-off.
TEST_P(BitsOfModel, AreThoseOfTheInterpreter) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const Equations equations = equations_of_text(shipped_text(GetParam()));
  if (equations.load_dependent()) return;  // no such formulas: friction_code_test.cpp
  if (const std::string why = refusal(equations, CodeLanguage::kC); !why.empty()) GTEST_SKIP() << why;
  const Dynamics dynamics = compile(equations, {.machine_code = false});
  Loaded loaded(equations);
  Workspace workspace(dynamics);
  const Layout& layout = dynamics.layout();
  const State start = initial_state(*equations.model);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> any(-0.3, 0.3);
  Numbers u(as_size(layout.inputs) + 1), work(layout.work), vdot(as_size(layout.nv)), lambda(as_size(layout.m));
  int same = 0, near = 0;
  for (int round = 0; round < 100; ++round) {
    Numbers q = start.q, v = start.v;
    for (double& x : q) x += any(random);
    for (double& x : v) x += any(random);
    dynamics.inputs(0.2, work.data(), u.data());
    const std::int64_t fallbacks = workspace.fallbacks;
    Numbers expected_vdot(vdot.size()), expected_lambda(lambda.size());
    if (solve_kkt(dynamics, 0.2, q.data(), v.data(), workspace, expected_vdot.data(), expected_lambda.data()) !=
        KktStatus::kOk)
      continue;
    ASSERT_EQ(loaded.call<Loaded::Accelerations>("accelerations")(loaded.state(), 0.2, q.data(), v.data(), u.data(),
                                                                  vdot.data(), lambda.data()),
              0);
    Numbers got = vdot, expected = expected_vdot;
    got.insert(got.end(), lambda.begin(), lambda.end());
    expected.insert(expected.end(), expected_lambda.begin(), expected_lambda.end());
    if (dynamics.kernel().solves_kkt() && workspace.fallbacks == fallbacks) {
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(bits(got[i]), bits(expected[i])) << i;
      ++same;
    } else if (workspace.kkt.rank() == layout.m && workspace.kkt.independence() > 1e-2) {
      double largest = 0;
      for (const double x : expected) largest = std::max(largest, std::abs(x));
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-13 * largest) << i;
      ++near;
    }
  }
  EXPECT_GE(same + near, 30);
}

INSTANTIATE_TEST_SUITE_P(Models, BitsOfModel, ::testing::ValuesIn(shipped_names()), test_name);

// Oracle: central differences of the accelerations, whose error with steps of 1e-5 is about 1e-9 of the entries.
TEST(ExportedC, TheJacobianIsTheDerivative) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const Equations equations = equations_of_text(shipped_text("slider-crank"));
  Loaded loaded(equations);
  const auto accelerations = loaded.call<Loaded::Accelerations>("accelerations");
  Numbers x{1.05, 2.75, 0.8, 4, -0.4, -1.3, 0.7, -2};  // q, v, u
  Numbers J(5 * 8, std::nan(""));
  ASSERT_EQ(loaded.call<Loaded::Jacobian>("jacobian")(loaded.state(), 0, &x[0], &x[3], &x[6], J.data()), 0);
  const auto values = [&](const Numbers& at) {
    Numbers out(5);
    EXPECT_EQ(accelerations(loaded.state(), 0, &at[0], &at[3], &at[6], &out[0], &out[3]), 0);
    return out;
  };
  constexpr double kStep = 1e-5;
  for (std::size_t c = 0; c < x.size(); ++c) {
    Numbers ahead = x, back = x;
    ahead[c] += kStep;
    back[c] -= kStep;
    const Numbers more = values(ahead), less = values(back);
    for (std::size_t r = 0; r < 5; ++r) {
      const double slope = (more[r] - less[r]) / (2 * kStep);
      EXPECT_NEAR(J[r * 8 + c], slope, 1e-6 * (1 + std::abs(slope))) << r << " " << c;
    }
  }
}

// Oracle: integrate() at 1e-12. Halving the step divides the error by 2⁴, and the constraints hold at each end.
TEST(ExportedC, StepsAreOfOrderFour) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  for (const char* name : {"slider-crank", "heavy-top"}) {
    const Equations equations = equations_of_text(shipped_text(name));
    const Dynamics dynamics = compile(equations);
    const Assembly start = assemble_start(equations, dynamics);
    ASSERT_TRUE(start.ok());
    constexpr double kEnd = 0.25;
    const Trajectory path = integrate(dynamics, start.state, {.until = kEnd, .rtol = 1e-12, .atol = 1e-14});
    const State end = path.state(path.size() - 1);
    Loaded loaded(equations);
    const auto error = [&](int steps) {
      Numbers q = start.state.q, v = start.state.v;
      for (int k = 0; k < steps; ++k)
        EXPECT_EQ(loaded.call<Loaded::Step>("step")(loaded.state(), k * kEnd / steps, kEnd / steps, q.data(), v.data()),
                  0);
      double largest = 0;
      for (std::size_t i = 0; i < q.size(); ++i) largest = std::max(largest, std::abs(q[i] - end.q[i]));
      return largest;
    };
    const int steps = std::string(name) == "heavy-top" ? 400 : 60;
    const double ratio = error(steps) / error(2 * steps);
    EXPECT_GT(ratio, 12) << name;
    EXPECT_LT(ratio, 21) << name;
  }
}

// No memory is allocated and none is shared: nothing is called but <math.h> (and what compilers call themselves), and no symbol
// is of data that can be written.
TEST(ExportedC, CallsTheMathLibraryAloneAndSharesNothing) {
  if (!has_program("cc --version") || !has_program("nm --version")) GTEST_SKIP() << "no cc, or no nm";
  const std::set<std::string> known{"sin",
                                    "cos",
                                    "tan",
                                    "asin",
                                    "acos",
                                    "atan",
                                    "atan2",
                                    "sinh",
                                    "cosh",
                                    "tanh",
                                    "exp",
                                    "log",
                                    "pow",
                                    "floor",
                                    "sqrt",
                                    "memset",
                                    "memcpy",
                                    "__stack_chk_fail",
                                    "_GLOBAL_OFFSET_TABLE_"};
  for (const char* name : {"slider-crank", "rattleback", "delta-robot", "n-link-chain-maximal", "block-on-belt"}) {
    const Exported exported(equations_of_text(shipped_text(name)), CodeLanguage::kC);
    const Ran ran =
        shell("cd " + exported.folder() + " && cc -std=c99 -c " + exported.name() + ".c -o it.o && nm -P it.o");
    ASSERT_EQ(ran.status, 0) << ran.out;
    std::istringstream lines(ran.out);
    int symbols = 0;
    for (std::string symbol, type, rest; lines >> symbol >> type && std::getline(lines, rest); ++symbols) {
      if (type == "U") {
        EXPECT_TRUE(known.contains(symbol)) << symbol;
      } else {
        EXPECT_THAT(type, ::testing::AnyOf("T", "t", "r", "R")) << symbol;
      }
    }
    EXPECT_GT(symbols, 20) << ran.out;
  }
}

// A body more does not make the code longer, but for the model's start: loops stay loops.
TEST(ExportedC, RepeatedStructureStaysALoop) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const std::string text = shipped_text("n-link-chain-maximal");
  const Exported chain(equations_of_text(text, {"N=1000"}), CodeLanguage::kC);
  EXPECT_LT(chain.size(), 200'000U);
  const Exported short_chain(equations_of_text(text, {"N=10"}), CodeLanguage::kC);
  EXPECT_GT(short_chain.size(), chain.size() / 2);
  // Of subnormal numbers where there may be some.
  EXPECT_THAT(chain.text(0), HasSubstr("numbers below 2.2e-308"));
  EXPECT_THAT(short_chain.text(0), Not(HasSubstr("2.2e-308")));
  const Ran ran = chain.self_test("-O1");
  EXPECT_EQ(ran.status, 0) << ran.out;
}

// Words of every language, names that collide, a model that is called like a file of C.
constexpr const char* kNames = R"toml(name = "math"
coordinates = [{name = "M", unit = "m"}, {name = "gamma", unit = "m"}]
[parameters]
class = "2 kg"
new = "3 kg"
function = "5 N/m"
end = "0.3 N"
y0 = 7
[inputs]
yield = "end"
[energy]
kinetic = "class/2*M'^2 + new/2*gamma'^2"
potential = "function/2*(M^2 + y0*gamma^2)"
[[force]]
power = "yield*M'"
[[constraint]]
name = "pin"
holonomic = ["M - 2*gamma"]
[outputs]
default = "M"
typeof = "lambda(pin)"
)toml";

TEST(ExportedNames, AreUniqueAndNoWordsOfALanguage) {
  const Equations equations = equations_of_text(kNames);
  for (const CodeLanguage language :
       {CodeLanguage::kC, CodeLanguage::kCpp, CodeLanguage::kPython, CodeLanguage::kMatlab, CodeLanguage::kJs}) {
    if (!Exported::can_run(language)) continue;
    const Exported exported(equations, language);
    EXPECT_EQ(exported.name(), "math_model");
    const Ran ran = exported.self_test("-O1");
    EXPECT_EQ(ran.status, 0) << to_text(language) << "\n" << ran.out;
  }
  const Exported exported(equations, CodeLanguage::kC);
  EXPECT_THAT(exported.text(0), HasSubstr("class     kg  (here: class_)"));
  EXPECT_THAT(exported.text(0), HasSubstr("math_model_p_class_ = 0"));
}

// Functions that languages spell, bound or lack in their own ways, selections, comparisons; what a comment must not end with.
TEST(ExportedCode, SpellsEveryFunction) {
  const Equations equations = equations_of_text(R"toml(name = "Πendel 2*/"
description = "a \"quoted\" \\ back */ slash"
coordinates = [{name = "x"}]
[parameters]
m = 2
[energy]
kinetic = "m/2*x'^2"
potential = "exp(tanh(x))*max(x, 0.2)*sign(x)^2 + abs(x)^1.5 + log(2 + x^2) + atan2(x, 1 + x^2) + floor(3*x) + if(x > 0.1 and x < 0.3 or not (x >= -1), x^2, x^3) + asin(x/9)*acos(x/9)*sinh(x)*cosh(x)*tan(x)*atan(x)*sqrt(4 + x)*min(x, 3) + erf(x)*erf(12*x)*erf(-30*x)"
[initial]
position = {x = 0.25}
)toml");
  for (const CodeLanguage language :
       {CodeLanguage::kC, CodeLanguage::kCpp, CodeLanguage::kPython, CodeLanguage::kMatlab, CodeLanguage::kJs}) {
    if (!Exported::can_run(language)) continue;
    const Exported exported(equations, language);
    const Ran ran = exported.self_test();
    EXPECT_EQ(ran.status, 0) << to_text(language) << "\n" << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("Piendel_2: ")) << to_text(language);
  }
}

// Texts of a model stay texts: no control character of theirs is in the code of any language, and what they say adds no line to it but
// in comments. Oracle: the same model with texts of letters has as many lines, and the same ones but for these texts.
TEST(ExportedCode, TextsDoNotBecomeCode) {
  const auto lines_of = [](const std::string& name, const std::string& description, CodeLanguage language) {
    const Equations equations = equations_of_text(fmt::format(R"toml(name = "{}"
description = "{}"
coordinates = [{{name = "x"}}]
[parameters]
m = {{value = 2, meaning = "{}"}}
[energy]
kinetic = "m/2*x'^2"
)toml",
                                                              name, description, description));
    const Result<ExportedCode> code = export_code(equations, language);
    EXPECT_TRUE(code);
    std::vector<std::string> lines;
    if (!code) return lines;
    for (const CodeFile& file : code->files) {
      EXPECT_EQ(shown(file.text, "\n\t"), file.text) << to_text(language);
      std::istringstream text(file.text);
      for (std::string line; std::getline(text, line);) lines.push_back(line);
    }
    return lines;
  };
  for (const CodeLanguage language :
       {CodeLanguage::kC, CodeLanguage::kCpp, CodeLanguage::kPython, CodeLanguage::kMatlab, CodeLanguage::kJs}) {
    const std::vector<std::string> plain = lines_of("abc", "text", language);
    for (const char* control :
         {"\\r", "\\u2028", "\\u2029", "\\u001b[2J", "\\u0085", "\\u0000", "\\u202e", "\\f", "\\b"}) {
      const std::vector<std::string> odd = lines_of("abc", std::string("text") + control + "STRANGE = 1; //", language);
      ASSERT_EQ(odd.size(), plain.size()) << to_text(language) << " " << control;
      for (std::size_t i = 0; i < odd.size(); ++i)
        if (odd[i] != plain[i]) EXPECT_THAT(odd[i], HasSubstr("text<U+")) << to_text(language) << " " << control;
    }
  }
}

// Functions alone, in every language: no others are there, and their self-test agrees.
TEST(ExportedCode, HasOnlyTheFunctionsThatAreWanted) {
  for (const char* name : {"slider-crank", "bouncing-ball", "ball-with-spin"}) {
    const Equations equations = equations_of_text(shipped_text(name));
    for (const CodeLanguage language :
         {CodeLanguage::kC, CodeLanguage::kCpp, CodeLanguage::kPython, CodeLanguage::kMatlab, CodeLanguage::kJs}) {
      if (!Exported::can_run(language)) continue;
      const Exported one(equations, language, std::vector<std::string>{"accelerations"});
      const Ran ran = one.self_test();
      EXPECT_EQ(ran.status, 0) << name << " " << to_text(language) << "\n" << ran.out;
      EXPECT_THAT(ran.out, Not(HasSubstr(" of 0 values")));
      EXPECT_LT(one.size(), Exported(equations, language).size()) << name;
      for (const char* other : {"power_balance", "start", "energy"}) {
        const std::string declared = fmt::format("_{}(", other);
        if (language == CodeLanguage::kC) EXPECT_THAT(one.text(0), Not(HasSubstr(declared))) << name;
      }
    }
  }
  const Result<ExportedCode> unknown = export_code(equations_of_text(shipped_text("slider-crank")), CodeLanguage::kC,
                                                   std::vector<std::string>{"acceleration"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.diagnostics().front().code, "E0444");
  EXPECT_THAT(render(unknown.diagnostics()), HasSubstr("did you mean `accelerations`?"));
}

TEST(ExportedCode, RefusesWhatItCannotSay) {
  // A chain in minimal coordinates: every rod's inertia is coupled with every other's.
  const Result<ExportedCode> large =
      export_code(equations_of_text(shipped_text("n-link-chain"), {"N=130"}), CodeLanguage::kC);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.diagnostics().front().code, "E0532");
}

}  // namespace
}  // namespace dalembert::testing
