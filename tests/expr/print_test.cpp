// SPDX-License-Identifier: Apache-2.0
// What is printed is read back, and two things never look the same.
#include "dalembert/expr/print.h"

#include <array>
#include <set>

#include <gtest/gtest.h>

#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

// Oracle: the values of the derivative itself on both sides of the kink.
TEST(Print, ComparisonsAsNumbersAreReadBack) {
  Graph graph;
  const Expr x = graph.add_symbol({"x", SymbolKind::kCoordinate, 0, ""});
  const Expr y = graph.add_symbol({"y", SymbolKind::kCoordinate, 1, ""});
  const Expr less = graph.function(Op::kLess, std::array{x, y});
  const Expr small = graph.function(Op::kLessEqual, std::array{x + y, graph.constant(2)});
  const Expr both = graph.function(Op::kAnd, std::array{less, small});
  const Expr f = square(min(x, y)) * y + max(2 * x - y, x * y) / 2 + abs(x - y);
  std::vector<Expr> tried = gradient(f, std::array{x, y});
  tried.push_back(3 * both + x);
  tried.push_back(graph.function(Op::kNot, std::array{both}) * x);
  tried.push_back(graph.function(Op::kSelect, std::array{graph.function(Op::kNot, std::array{less}), less * y, small}));
  tried.push_back(graph.function(Op::kLess, std::array{less, small}) - y);
  tried.push_back(less);
  for (const Expr& e : tried) {
    const std::string text = print(e, Notation::kText);
    const auto back = parse(text, graph);
    ASSERT_TRUE(back.ok()) << text << "\n" << render(back.diagnostics());
    for (const auto& [a, b] : {std::pair{0.3, 0.7}, std::pair{0.7, 0.3}, std::pair{-1.5, 0.4}, std::pair{1.9, 2.3}}) {
      const auto value = [&, a = a, b = b](SymbolId s) { return s == x.symbol() ? a : b; };
      EXPECT_EQ(evaluate(e, value), evaluate(*back, value)) << text;
    }
  }
}

TEST(Print, LatexNamesDiffer) {
  Graph graph;
  std::set<std::string> seen;
  int count = 0;
  for (const char* name : {"x1", "x_1", "x1_2", "x_1_2", "x_12", "x12", "tau1", "tau_1", "tau", "e", "x_a1", "x_a_1"})
    for (const SymbolKind kind : {SymbolKind::kCoordinate, SymbolKind::kVelocity, SymbolKind::kAcceleration}) {
      seen.insert(to_latex(graph.add_symbol({name, kind, count, ""})));
      ++count;
    }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(count));
  // Alone, a name looks as ever; what the user asked for stays.
  Graph alone;
  EXPECT_EQ(to_latex(alone.add_symbol({"x_1", SymbolKind::kParameter, 0, ""})), "x_{1}");
  EXPECT_EQ(to_latex(alone.add_symbol({"x1", SymbolKind::kParameter, 1, "x_{1}"})), "x_{1}");
  EXPECT_EQ(to_latex(alone.add_symbol({"tau_1", SymbolKind::kParameter, 2, ""})), "\\tau_{1}");
}

TEST(Print, PowersOfAParameterEAreNoExponentials) {
  Graph graph;
  const Expr e = graph.add_symbol({"e", SymbolKind::kParameter, 0, ""});
  const Expr x = graph.add_symbol({"x_1", SymbolKind::kParameter, 1, ""});
  const Expr a = graph.add_symbol({"a", SymbolKind::kParameter, 2, ""});
  const std::array made{pow(e, x),
                        exp(x),
                        pow(e, Rational(2)),
                        exp(graph.constant(2)),
                        pow(e, Rational(1, 3)),
                        exp(graph.constant(Rational(1, 3))),
                        exp(a),
                        pow(e, a)};
  std::set<std::string> seen;
  for (const Expr& each : made) seen.insert(to_latex(each));
  EXPECT_EQ(seen.size(), made.size());
  EXPECT_EQ(to_latex(exp(x)), "e^{x_{1}}");
  EXPECT_EQ(to_latex(exp(a)), "e^{a}");
  EXPECT_EQ(to_latex(square(e)), "e^{2}");
}

// A formula within a formula, 600 deep, takes time in proportion to its length: what is in brackets is not moved at
// every level. Oracle: the text, put together from inside out.
TEST(Print, DeepFormulasAreWrittenOnce) {
  Graph graph;
  const Expr a = graph.add_symbol({"a", SymbolKind::kParameter, 0, {}});
  Expr deep = sin(a) + 1;
  std::string text = "sin(a) + 1", latex = "\\sin a + 1";
  std::string before, after;
  for (int depth = 0; depth < 600; ++depth) {
    deep = depth % 3 == 2 ? sin(a * deep) + 1 : a * deep + 1;
    const bool called = depth % 3 == 2;
    before = (called ? "sin(a*(" : "a*(") + before;
    after += called ? ")) + 1" : ") + 1";
  }
  EXPECT_EQ(to_text(deep), before + text + after);
  // Brackets around two or more others are all of one size.
  const std::string written = to_latex(deep);
  EXPECT_NE(written.find("(" + latex + ")"), std::string::npos) << written.size();
  EXPECT_NE(written.find("\\bigl(a (" + latex + ") + 1\\bigr)"), std::string::npos);
  std::size_t large = 0;
  for (std::size_t at = written.find("\\Bigl("); at != std::string::npos; at = written.find("\\Bigl(", at + 1)) ++large;
  EXPECT_EQ(large, 600u + 200u - 2u);
}

}  // namespace
}  // namespace dalembert
