// SPDX-License-Identifier: Apache-2.0
// The description of programs, and how each language writes it. The texts expected are read from the rules of the languages:
// what binds how, where indices begin, which words are taken.
#include "dalembert/codegen/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/codegen/identifiers.h"
#include "dalembert/codegen/spread.h"
#include "dalembert/codegen/writers.h"

namespace dalembert {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Program program_of(const std::string& text) {
  Program program{{{"nv", 3}}, {}};
  EXPECT_EQ(add_routines(program, text), "");
  return program;
}

// One statement in every language, without what is around it.
std::vector<std::string> written(const std::string& statement) {
  const Program program = program_of(
      "routine other(in q[nv], out x[nv]) -> status {\nx[0] = q[0]\nreturn 0\n}\n"
      "routine f(real t, in lambda[nv], inout x[nv]) -> status {\nint k\n" +
      statement + "\nreturn 1\n}\n");
  std::vector<std::string> lines;
  CWriter c(program, "m");
  PythonWriter python(program);
  MatlabWriter matlab(program);
  JsWriter js(program);
  for (Writer* writer : {static_cast<Writer*>(&c), static_cast<Writer*>(&python), static_cast<Writer*>(&matlab),
                         static_cast<Writer*>(&js)}) {
    const std::string text = writer->write(program.routines[1]);
    // Before the last statement.
    const std::size_t end = text.rfind(writer == &matlab ? "  status = 1" : "  return 1");
    const std::size_t begin = text.rfind('\n', end - 2) + 1;
    lines.push_back(text.substr(begin + 2, end - begin - 3));
  }
  return lines;
}

// Arrays of whole numbers may be handed on; tables are constants, of the state only where a language has no others.
TEST(Writers, KnowTablesAndWholeNumbers) {
  Program program = program_of("routine f(inout int rows[nv], out x[nv]) {\nx[0] = times[rows[1]]\n}\n");
  program.tables.emplace_back("times", std::vector<double>{1, 2});
  const Routine& routine = program.routines[0];
  EXPECT_TRUE(routine.parameters[0].whole);
  EXPECT_FALSE(routine.parameters[1].whole);
  const std::string c = CWriter(program, "m").write(routine);
  EXPECT_THAT(c, HasSubstr("int* rows, double* x"));
  EXPECT_THAT(c, HasSubstr("x[0] = m_times[rows[1]];"));
  EXPECT_THAT(PythonWriter(program).write(routine), HasSubstr("x[0] = _times[rows[1]]\n"));
  EXPECT_THAT(MatlabWriter(program).write(routine), HasSubstr("x(1) = s.times(rows(2) + 1);"));
  EXPECT_THAT(JsWriter(program).write(routine), HasSubstr("x[0] = _times[rows[1]];"));
}

TEST(Writers, KeepWhatIsMeant) {
  EXPECT_THAT(written("x[0] = t - (t - x[1]) * -t"),
              ElementsAre("x[0] = t - (t - x[1]) * (-t);", "x[0] = t - (t - x[1]) * (-t)",
                          "x(1) = t - (t - x(2)) * (-t);", "x[0] = t - (t - x[1]) * (-t);"));
  EXPECT_THAT(written("x[k + 2] = lambda[nv - k] / t"),
              ElementsAre("x[k + 2] = lambda[m_NV - k] / t;", "x[k + 2] = _divide(lam[NV - k], t)",
                          "x(k + 2 + 1) = lambda(3 - k + 1) / t;", "x[k + 2] = lambda[NV - k] / t;"));
  EXPECT_THAT(written("x[0] = abs(p[2]) + sqrt(nan)"),
              ElementsAre("x[0] = fabs(s->p[2]) + sqrt(NAN);", "x[0] = abs(s.p[2]) + _sqrt(_nan)",
                          "x(1) = abs(s.p(3)) + real_sqrt(NaN);", "x[0] = Math.abs(s.p[2]) + Math.sqrt(NaN);"));
  EXPECT_THAT(written("k = other(lambda, x)"), ElementsAre("k = m_other(s, lambda, x);", "k = _other(s, lam, x)",
                                                           "[x, k] = other(s, lambda);", "k = _other(s, lambda, x);"));
}

TEST(Writers, Blocks) {
  const Program program = program_of(
      "routine f(inout x[nv]) {\nfor i = nv - 1 down to 0 {\nif not (x[i] < 1.0) or x[i] == 2.0 and i != 1 {\nx[i] = "
      "0.0\n} "
      "else {\n}\n}\n}\n");
  EXPECT_THAT(
      CWriter(program, "m").write(program.routines[0]),
      HasSubstr("for (int i = m_NV - 1; i >= 0; --i) {\n    if (!(x[i] < 1.0) || (x[i] == 2.0 && i != 1)) {\n"));
  EXPECT_THAT(
      PythonWriter(program).write(program.routines[0]),
      HasSubstr("for i in range(NV - 1, 0 - 1, -1):\n    if (not (x[i] < 1.0)) or (x[i] == 2.0 and i != 1):\n"));
  EXPECT_THAT(MatlabWriter(program).write(program.routines[0]),
              HasSubstr("for i = 3 - 1:-1:0\n    if ~(x(i + 1) < 1.0) || (x(i + 1) == 2.0 && i ~= 1)\n"));
}

TEST(Program, SaysWhatIsWrongAndWhere) {
  Program program;
  EXPECT_EQ(add_routines(program, "\nroutine f(real t) {\n  t = \n}\n"), "line 3: ends too early");
  EXPECT_THAT(add_routines(program, "routine f(in x[n]) {\n}\n"), HasSubstr("line 1: `n` is not a constant"));
  EXPECT_THAT(add_routines(program, "routine f(real t) {\n  t = 1.0 2.0\n}\n"), HasSubstr("line 2: `2.0` is too much"));
  EXPECT_THAT(add_routines(program, "routine f(real t) {\n"), HasSubstr("is not closed"));
}

TEST(Identifiers, OfAnyName) {
  EXPECT_THAT(
      identifiers({"pin[1]", "pin_1", "pin.1", "θ", "Ω0", "lambda", "3d", "", "theta'", "new"}),
      ElementsAre("pin_1", "pin_1_2", "pin_1_3", "theta", "Omega0", "lambda_", "n3d", "model", "theta_dot", "new_"));
}

// Oracle: the pattern itself, of which each entry is named once: a chain's, and one without repetition.
TEST(Spread, RepetitionBecomesALoop) {
  Pattern chain{100, 100, {}, {}};
  for (int i = 0; i < 100; ++i)
    for (int j = std::max(0, i - 1); j < std::min(100, i + 2); ++j) chain.row.push_back(i), chain.col.push_back(j);
  const auto statement = [](const std::string& entry, const std::string& row, const std::string& column) {
    return "x[" + entry + "] = " + row + " * 1000 + (" + column + ")\n";
  };
  const std::string loops = for_each_entry(chain, statement);
  EXPECT_LT(loops.size(), 400U);
  // Run by hand: entry = value.
  std::vector<int> found(chain.row.size(), -1);
  Program program;
  ASSERT_EQ(add_routines(program, "routine f(inout x[1]) {\n" + loops + "}\n"), "");
  const auto value = [](auto&& self, const Term& term, long j) -> long {
    if (term.kind == Term::kNumber) return std::stol(term.text);
    if (term.kind == Term::kName) return j;
    const long a = self(self, term.arguments[0], j), b = self(self, term.arguments[1], j);
    return term.text == "+" ? a + b : term.text == "-" ? a - b : a * b;
  };
  const auto assign = [&](const Step& step, long j) {
    found[static_cast<std::size_t>(value(value, step.target.arguments[0], j))] =
        static_cast<int>(value(value, step.value.arguments[1], j));
  };
  for (const Step& step : program.routines[0].body) {
    if (step.kind != Step::kFor) assign(step, 0);
    for (long j = 0; step.kind == Step::kFor && j < value(value, step.second, 0); ++j)
      for (const Step& inner : step.body) assign(inner, j);
  }
  EXPECT_EQ(found, chain.col);

  const Pattern odd{9, 9, {0, 3, 4, 8, 1}, {5, 1, 7, 8, 2}};
  EXPECT_THAT(for_each_entry(odd, statement), Not(HasSubstr("for")));
}

}  // namespace
}  // namespace dalembert
