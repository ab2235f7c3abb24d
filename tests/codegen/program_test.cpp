// SPDX-License-Identifier: Apache-2.0
// The description of programs, and how each language writes it. The texts expected are read from the rules of the languages:
// what binds how, where indices begin, which words are taken.
#include "dalembert/codegen/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "codegen/exported.h"
#include "dalembert/codegen/c_writer.h"
#include "dalembert/codegen/identifiers.h"
#include "dalembert/codegen/language.h"
#include "dalembert/codegen/split_routines.h"
#include "dalembert/codegen/spread.h"
#include "dalembert/expr/functions.h"

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
  const auto python = python_writer(program), matlab = matlab_writer(program), js = js_writer(program);
  for (Writer* writer : {static_cast<Writer*>(&c), python.get(), matlab.get(), js.get()}) {
    const std::string text = writer->write(program.routines[1]);
    // Before the last statement.
    const std::size_t end = text.rfind(writer == matlab.get() ? "  status = 1" : "  return 1");
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
  EXPECT_THAT(python_writer(program)->write(routine), HasSubstr("x[0] = _times[rows[1]]\n"));
  EXPECT_THAT(matlab_writer(program)->write(routine), HasSubstr("x(1) = s.times(rows(2) + 1);"));
  EXPECT_THAT(js_writer(program)->write(routine), HasSubstr("x[0] = _times[rows[1]];"));
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
      python_writer(program)->write(program.routines[0]),
      HasSubstr("for i in range(NV - 1, 0 - 1, -1):\n    if (not (x[i] < 1.0)) or (x[i] == 2.0 and i != 1):\n"));
  EXPECT_THAT(matlab_writer(program)->write(program.routines[0]),
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
  for (const FunctionInfo& function : functions()) {
    const std::string name(function.library.name);
    if (!name.empty()) {
      EXPECT_EQ(identifier(name), name + "_");
    }
  }
  const std::string most(48, 'a'), longest(1000, 'a');
  EXPECT_THAT(identifiers({longest, longest + "b", most}), ElementsAre(most, most + "_2", most + "_3"));
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

// A random routine of 2,500 statements, with choices and loops, as it is and in parts: both are compiled and print the same
// digits. Numbers are handed on from part to part, some unchanged through several of them, some written in a choice alone.
TEST(SplitRoutines, ComputeTheSame) {
  if (!testing::has_program("cc --version")) GTEST_SKIP() << "no cc";
  std::mt19937 random(5);
  constexpr int kNumbers = 60, kStatements = 2500;
  const auto r = [&] { return "r" + std::to_string(random() % kNumbers); };
  std::string text = "routine f(real t, in q[nv], out x[60]) {\nreal work[8]\n";
  for (int k = 0; k < kNumbers; ++k) text += "real r" + std::to_string(k) + "\n";
  for (int k = 0; k < kNumbers; ++k) text += "r" + std::to_string(k) + " = t + q[1] * " + std::to_string(k) + ".0\n";
  for (int k = 0; k < kStatements; ++k) {
    const std::string to = r(), from = r(), by = r(), other = r();
    switch (random() % 6) {
      case 0:
        text += "if " + from + " < " + by + " {\n" + to + " = " + other + "\n}\n";
        break;
      case 1:
        text += to == from ? "" : "sine_cosine " + to + ", " + from + " = " + by + "\n";
        break;
      case 2:
        text += "for j = 0 to 8 {\nwork[j] = " + from + " * 0.5\n" + to + " = work[j] + 0.25 * " + by + "\n}\n";
        break;
      case 3:
        text += "x[" + std::to_string(k % kNumbers) + "] = " + from + "\n";
        break;
      default:
        text += to + " = sin(" + from + ") - 0.5 * " + by + "\n";
    }
  }
  for (int k = 0; k < kNumbers; k += 2) text += "x[" + std::to_string(k) + "] = r" + std::to_string(k) + "\n";
  Program whole = program_of(text + "}\n"), parts = whole;
  split_long_routines(parts);
  ASSERT_GE(parts.routines.size(), 3U);
  EXPECT_EQ(parts.routines.back().name, "f");
  for (const Routine& routine : parts.routines) EXPECT_LE(routine.body.size(), kStatementsOfPart + 2 * kNumbers);
  const auto prints = [](const Program& program) {
    std::string c =
        "#include <math.h>\n#include <stdio.h>\ntypedef struct { double work[8]; } m_system;\n"
        "static double m_sine(double a) { return sin(a); }\n"
        "static void m_sine_cosine(double a, double* s, double* c) { *s = sin(a); *c = cos(a); }\n";
    CWriter writer(program, "m");
    for (const Routine& routine : program.routines) c += writer.write(routine);
    c += "int main(void) {\n  m_system s;\n  double q[3] = {0.3, 0.7, 0.1}, x[60] = {0};\n  m_f(&s, 0.2, q, x);\n"
         "  for (int i = 0; i < 60; ++i) printf(\"%.17g\\n\", x[i]);\n  return 0;\n}\n";
    const std::string base = ::testing::TempDir() + "split_" + std::to_string(program.routines.size());
    std::ofstream(base + ".c") << c;
    return testing::shell("cc -std=c99 -O0 -ffp-contract=off " + base + ".c -o " + base + " -lm && " + base).out;
  };
  const std::string expected = prints(whole);
  EXPECT_EQ(std::ranges::count(expected, '\n'), 60);
  EXPECT_EQ(prints(parts), expected);
}

// What returns something, or is short, stays.
TEST(SplitRoutines, LeaveOthersAsTheyAre) {
  std::string lines;
  for (std::size_t k = 0; k <= kLongestRoutine; ++k) lines += "x[0] = x[0] + 1.0\n";
  Program program = program_of("routine f(inout x[nv]) -> status {\n" + lines +
                               "return 0\n}\nroutine g(inout x[nv]) {\nx[0] = 1.0\n}\n");
  split_long_routines(program);
  EXPECT_EQ(program.routines.size(), 2U);
}

}  // namespace
}  // namespace dalembert
