// SPDX-License-Identifier: Apache-2.0
// Programs run here: statements by hand-computed results, operations that are moved by what floating-point arithmetic leaves
// (Higham, 2nd ed., §2.1: exact ones have no error), and that what self-tests compare with is sharp.
#include "dalembert/codegen/program_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "codegen/exported.h"
#include "dalembert/codegen/reference.h"

namespace dalembert::testing {
namespace {

using ::testing::ElementsAre;
using Numbers = std::vector<double>;

constexpr const char* kStatements = R"(
public routine prepare() -> state {
prepared[0] = p[0] * 2.0
}
routine add(in x[n], real by, inout y[n]) -> status {
int k
k = 0
for i = n - 1 down to 0 {
if x[i] < 0.0 and not (i == 0) {
break
}
y[i] = y[i] + by * x[i]
k = k + 1
}
return k
}
routine mean(in x[n]) -> real {
real sum, local[n] = 0
sum = 0.0
for i = 0 to n {
sum = sum + x[i] + local[i]
local[i] = 1.0
}
return sum / 3.0
}
public routine f(real t, in x[n], inout y[n], out z[2*n]) -> status {
int count
real half
count = add(x, t, y)
half = t
while half > 1.0 {
half = half * 0.5
}
z[0] = half
z[1] = mean(x)
z[2] = table[1] + prepared[0]
sine_cosine z[3], z[4] = 0.0
if z[4] == 1.0 or count > 7 {
z[5] = sqrt(abs(-4.0)) - pow(2.0, 3.0)
} else {
z[5] = nan
}
return count
}
)";

// What every language has: calls with arrays, loops both ways, breaks, tables, the state, statuses.
TEST(ProgramRun, DoesWhatStatementsSay) {
  Program program{{{"n", 3}}, {}, {{"table", {5, 7}}}};
  ASSERT_EQ(add_routines(program, kStatements), "");
  ProgramRun run(program, 1);
  for (int round = 0; round < 2; ++round) {
    const ProgramRun::Result result =
        run.call("f", Numbers{10}, {{"t", {6}}, {"x", {1, -2, 4.5}}, {"y", {1, 1, 1}}}, 0);
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.array("y"), ElementsAre(1, 1, 28));
    EXPECT_THAT(result.array("z"), ElementsAre(0.75, 3.5 / 3, 27, 0, 1, -6));
  }
}

TEST(ProgramRun, GivesUp) {
  Program program;
  ASSERT_EQ(add_routines(program,
                         "public routine prepare() -> state {\n}\n"
                         "public routine f(real t) -> status {\nwhile t > 0.0 {\nt = 1.0\n}\nreturn 0\n}\n"),
            "");
  EXPECT_EQ(ProgramRun(program, 0).call("f", {}, {{"t", {1}}}, 0).status, ProgramRun::kTooLong);
}

// x: what an operation gives as it stands and in many runs that are moved.
void expect_moved(const std::string& expression, double least, double most) {
  Program program;
  ASSERT_EQ(
      add_routines(program, "public routine prepare() -> state {\n}\npublic routine f(in q[3]) -> real {\nreturn " +
                                expression + "\n}\n"),
      "");
  ProgramRun run(program, 0);
  const ProgramRun::Arrays given{{"q", {0.1, 3, 0}}};
  const double x = run.call("f", {}, given, 0).array("")[0];
  double farthest = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const double by = std::abs(run.call("f", {}, given, seed).array("")[0] - x);
    EXPECT_EQ(run.call("f", {}, given, seed).array("")[0], run.call("f", {}, given, seed).array("")[0]);
    farthest = std::max(farthest, by);
  }
  EXPECT_GE(farthest, least) << expression;
  EXPECT_LE(farthest, most) << expression;
}

TEST(ProgramRun, MovesOperationsThatRound) {
  constexpr double kUnit = std::numeric_limits<double>::epsilon();
  expect_moved("q[0] + q[1]", 3.1 * 0.8 * kMovedBy, 3.1 * (kMovedBy + kUnit));
  expect_moved("q[0] * q[1]", 0.3 * 0.8 * kMovedBy, 0.3 * (kMovedBy + kUnit));
  expect_moved("q[0] / q[1]", 0.8 / 30 * kMovedBy, (kMovedBy + kUnit) / 30);
  expect_moved("sin(q[1])", std::sin(3) * 0.8 * kMovedBy, std::sin(3) * (kMovedBy + kUnit));
  expect_moved("sqrt(q[1])", std::sqrt(3) * 0.8 * kMovedBy, std::sqrt(3) * (kMovedBy + kUnit));
  // What cancels leaves the round-off of its terms.
  expect_moved("q[1] + q[0] - q[1]", 3.1 * 0.8 * kMovedBy, 3.2 * kMovedBy);
  for (const char* exact : {"q[1] + 0.25", "q[1] - 3.0", "q[1] * 0.5", "6.0 / q[1]", "sqrt(q[1] + 6.0)", "cos(q[2])",
                            "q[2] * q[0]", "pow(q[1], 0.0)", "floor(q[0])", "-q[0]", "abs(q[0])"})
    expect_moved(exact, 0, 0);
}

// ------------------------------------------------------------------------------------------------ what self-tests compare

// Whether the program returns all that the cases expect.
bool agrees(const CodeModel& code, const Program& program, const std::vector<ReferenceCase>& cases) {
  ProgramRun run(program, code.prepared);
  for (const ReferenceCase& one : cases)
    for (const ReferenceCall& call : one.calls) {
      const ProgramRun::Result result = run.call(call.routine, one.parameters, call.given, 0);
      if (result.status != call.status) return false;
      for (const ExpectedArray& expected : call.expected) {
        const Numbers& got = result.array(expected.name);
        for (std::size_t k = 0; k < expected.values.size(); ++k)
          if (!(std::abs(got[k * expected.stride] - expected.values[k]) <= expected.tolerance(k))) return false;
      }
    }
  return true;
}

// A part of 1e-9 more in one number that a formula returns is seen, whichever it is (of long routines some are tried), but for
// those that are next to 0 wherever they are asked for. Steps onto the constraints need not be exact: they are repeated.
TEST(ReferenceCases, SeeWrongDigits) {
  for (const char* name : {"slider-crank", "cart-pendulum", "heavy-top", "chaplygin-sleigh", "block-on-incline"}) {
    const Equations equations = equations_of_text(shipped_text(name));
    const Result<CodeModel> code = make_code_model(equations);
    ASSERT_TRUE(code);
    const std::vector<ReferenceCase> cases = reference_cases(equations, *code);
    ASSERT_TRUE(agrees(*code, code->program, cases)) << name;
    ProgramRun run(code->program, code->prepared);
    Program wrong = code->program;
    int changed = 0;
    for (std::size_t r = 0; r < code->program.routines.size(); ++r) {
      const Routine& routine = code->program.routines[r];
      static const std::set<std::string> kJudged{"kernel_terms",    "kernel_energy",  "kernel_accelerations",
                                                 "kernel_jacobian", "kernel_outputs", "kernel_power",
                                                 "kernel_velocity", "kernel_friction"};
      if (!kJudged.contains(routine.name)) continue;
      const std::size_t results = routine.name == "kernel_accelerations" ? as_size(code->layout().nv + code->layout().m)
                                                                         : routine.parameters.back().size;
      for (std::size_t k = 0, tried = 0; k < routine.body.size(); ++k) {
        const Step& right = routine.body[k];
        Step& step = wrong.routines[r].body[k];
        if (tried > 25 && k % 16 != 0) continue;
        if (step.kind != Step::kAssign || step.target.kind != Term::kEntry || step.target.text != "out") continue;
        if (std::stoul(step.target.arguments[0].text) >= results) continue;
        // Whether the number is 0 wherever it is asked for.
        bool matters = false;
        for (const ReferenceCase& one : cases)
          for (const ReferenceCall& call : one.calls) {
            const ProgramRun::Result result = run.call(routine.name, one.parameters, call.given, 0);
            const double x = result.array("out")[std::stoul(step.target.arguments[0].text)];
            matters = matters || std::abs(x) > 1e-3;
          }
        if (!matters) continue;
        ++changed, ++tried;
        step.value = Term{Term::kBinary, "*", {Term{Term::kNumber, "1.000000001", {}}, right.value}};
        EXPECT_FALSE(agrees(*code, wrong, cases)) << name << ": " << routine.name << ", out[" << k << "]";
        step = right;
      }
    }
    EXPECT_GE(changed, 10) << name;
  }
}

}  // namespace
}  // namespace dalembert::testing
