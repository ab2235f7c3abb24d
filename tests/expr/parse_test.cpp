// SPDX-License-Identifier: Apache-2.0
// The language of expressions. Oracles: values worked out by hand, Python's operator precedence for + - * / and unary
// minus with ^ for **, and the printer (what it writes must read back as the same node).
#include "dalembert/base/units.h"
#include "dalembert/expr/dimension_solver.h"
#include "dalembert/expr/lower.h"
#include "dalembert/expr/print.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "dalembert/expr/scope.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

struct World {
  Graph graph;
  Expr t = graph.add_symbol({"t", SymbolKind::kTime, 0, {}});
  Expr x = graph.add_symbol({"x", SymbolKind::kCoordinate, 0, {}});
  Expr xd = graph.add_symbol({"x", SymbolKind::kVelocity, 0, {}});
  Expr xdd = graph.add_symbol({"x", SymbolKind::kAcceleration, 0, {}});
  Expr y = graph.add_symbol({"y", SymbolKind::kCoordinate, 1, {}});
  Expr yd = graph.add_symbol({"y", SymbolKind::kVelocity, 1, {}});
  Expr a = graph.add_symbol({"a", SymbolKind::kParameter, 0, {}});
  Expr row = graph.add_symbol({"pin[1]", SymbolKind::kMultiplier, 0, {}});
  Expr row_x = graph.add_symbol({"joint.x", SymbolKind::kMultiplier, 1, {}});

  Expr operator()(const std::string& text) {
    const auto parsed = parse(text, graph);
    EXPECT_TRUE(parsed.ok()) << text << "\n" << render(parsed.diagnostics());
    return parsed.ok() ? *parsed : Expr{};
  }
  double value(const std::string& text) {
    const Expr e = (*this)(text);
    return e ? evaluate(e,
                        [&](SymbolId s) {
                          return s == x.symbol() ? 3.0 : s == y.symbol() ? 5.0 : s == a.symbol() ? 7.0 : 0.5;
                        })
             : std::nan("");
  }
};

TEST(Parse, BindsAsArithmeticDoes) {
  // x = 3, y = 5, a = 7. Right-hand sides by hand.
  const std::pair<const char*, double> table[] = {
      {"1 + 2*3", 7},
      {"(1 + 2)*3", 9},
      {"10 - 4 - 3", 3},
      {"24/4/3", 2},
      {"24/4*3", 18},
      {"2^3^2", 512},
      {"(2^3)^2", 64},
      {"-2^2", -4},
      {"(-2)^2", 4},
      {"2^-1", 0.5},
      {"2^-2^2", 1.0 / 16},
      {"-x^2", -9},
      {"2*-x", -6},
      {"x - -y", 8},
      {"--x", 3},
      {"---x", -3},
      {"+x", 3},
      {"x*y^2", 75},
      {"x/y*a", 4.2},
      {"1e-3", 1e-3},
      {".5", 0.5},
      {"5.", 5},
      {"1.5e2", 150},
      {"sqrt(16)", 4},
      {"abs(-x)", 3},
      {"min(x, y)", 3},
      {"max(x, y, a)", 7},
      {"hypot(x, 4)", 5},
      {"sign(-y)", -1},
      {"floor(a/2)", 3},
      {"floor(-a/2)", -4},
      {"floor(-2)", -2},
      {"floor(2.999)", 2},
      {"mod(a, x)", 1},
      {"mod(-a, x)", 2},
      {"mod(a, -x)", -2},
      {"mod(7.5, 2)", 1.5},
      {"mod(0.3, 0.1)", 0},
      {"atan2(0, -1)", M_PI},
      {"pi", M_PI},
      {"exp(0) + log(1)", 1},
      {"if(x < y, 1, 2)", 1},
      {"if(x > y, 1, 2)", 2},
      {"if(x >= 3 and not y == 4, 1, 2)", 1},
      {"if(x == 4 or y <= 5, 1, 2)", 1},
      {"if(not not x < 1, 1, 2)", 2},
      {"sum(i in 1..4, i)", 10},
      {"sum(i in 1..3, {2*i-1}*x)", 27},
      {"sum(i in 1..0, x)", 0},
      {"sum(i in 1..3, sum(j in i..3, 1))", 6},
      {"((((x))))", 3},
      {"  x\n +\t y ", 8},
  };
  World world;
  for (const auto& [text, expected] : table)
    EXPECT_NEAR(world.value(text), expected, 1e-14 * std::abs(expected)) << text;
}

TEST(Parse, KeepsNumbersExact) {
  World world;
  EXPECT_TRUE(world("0.1 + 0.2").same(world.graph.constant(Rational(3, 10))));
  EXPECT_TRUE(world("1e-3*x").same(Rational(1, 1000) * world.x));
  EXPECT_TRUE(world("1/3 + 1/6").same(world.graph.constant(Rational(1, 2))));
}

TEST(Parse, KnowsRatesAndMultipliers) {
  World world;
  EXPECT_TRUE(world("x'").same(world.xd));
  EXPECT_TRUE(world("dot(x)").same(world.xd));
  EXPECT_TRUE(world("x''").same(world.xdd));
  EXPECT_TRUE(world("dot(x')").same(world.xdd));
  EXPECT_TRUE(world("dot(x*y)").same(world.xd * world.y + world.x * world.yd));
  EXPECT_TRUE(world("dot(t)").same(world.graph.constant(1)));
  EXPECT_TRUE(world("lambda(pin[1])").same(world.row));
  EXPECT_TRUE(world("lambda(joint.x)").same(world.row_x));
  EXPECT_TRUE(world("lambda(pin[{3-2}])").same(world.row));
}

// A sum of thousands of terms is one node, so that its derivative is one pass and nothing nests.
TEST(Parse, MakesFlatSums) {
  World world;
  std::string text = "x";
  for (int i = 2; i <= 2000; ++i) text += " + sin(" + std::to_string(i) + "*x)";
  EXPECT_EQ(world.graph.items(world(text).id()).size(), 2000u);
}

// Random trees; the printer's text must read back as the very node.
TEST(Parse, ReadsWhatThePrinterWrites) {
  World world;
  std::mt19937 random(7);
  std::vector<Expr> pool{world.x,
                         world.y,
                         world.xd,
                         world.a,
                         world.t,
                         world.row,
                         world.graph.constant(Rational(-3, 7)),
                         world.graph.constant(2),
                         world.graph.pi()};
  const auto pick = [&] { return pool[std::uniform_int_distribution<std::size_t>(0, pool.size() - 1)(random)]; };
  for (int i = 0; i < 2000; ++i) {
    Expr made;
    switch (std::uniform_int_distribution<int>(0, 9)(random)) {
      case 0:
        made = pick() + pick();
        break;
      case 1:
        made = pick() - pick() * 2;
        break;
      case 2:
        made = pick() * pick();
        break;
      case 3:
        made = pow(pick(), Rational(std::uniform_int_distribution<int>(1, 3)(random)));
        break;
      case 4:
        made = sin(pick());
        break;
      case 5:
        made = cos(pick() + pick());
        break;
      case 6:
        made = sqrt(abs(pick()) + 1);
        break;
      case 7:
        made = atan2(pick(), exp(pick()));
        break;
      case 8:
        made = i % 2 == 0 ? min(pick(), pick()) : floor(pick());
        break;
      default:
        made = pick() / (square(pick()) + 2);
    }
    const std::string text = to_text(made);
    if (text.size() > 2000) continue;
    const auto back = parse(text, world.graph);
    ASSERT_TRUE(back.ok()) << text << "\n" << render(back.diagnostics());
    ASSERT_TRUE(back->same(made)) << text << "\nbecame\n" << to_text(*back);
    if (text.size() < 200) pool.push_back(made);
  }
}

TEST(Parse, ReportsSeveralProblemsOnce) {
  World world;
  const auto parsed = parse("sin(x +) + 2 z*foo(x) + (a", world.graph);
  ASSERT_FALSE(parsed.ok());
  std::string codes;
  for (const Diagnostic& d : parsed.diagnostics()) codes += d.code + "@" + std::to_string(d.primary.span.begin) + " ";
  // `)` where an operand should be, the missing `*`, the function foo, the parenthesis before a.
  EXPECT_EQ(codes, "E0101@7 E0101@13 E0103@15 E0101@24 ");
}

// A frame or point that has the name of a word or a function: what stands behind the name goes with it.
TEST(Parse, ReportsAWordThatIsUsedAsANameOnce) {
  World world;
  for (const char* text : {"x*in.R[1,2] + y", "x*sin.R[1,2]", "or.x*2 + sin.y"}) {
    const auto parsed = parse(text, world.graph);
    ASSERT_FALSE(parsed.ok());
    EXPECT_EQ(parsed.diagnostics().size(), text[0] == 'o' ? 2U : 1U) << render(parsed.diagnostics());
  }
}

TEST(Parse, SuggestsWhatWasMeant) {
  World world;
  const std::pair<const char*, const char*> table[] = {
      {"2x", "write `2*x`"},
      {"x**2", "write `^` for a power"},
      {"ln(x)", "write `log`"},
      {"sni(x)", "did you mean `sin`?"},
      {"flor(x)", "did you mean `floor`?"},
      {"ceil(x)", "write `-floor(-x)`"},
      {"fmod(x, 2)", "write `mod`"},
      {"xdot", "write `x'` for the time derivative of coordinate `x`"},
      {"dx", "write `x'` for the time derivative of coordinate `x`"},
      {"x·y", "write `*`"},
      {"x²", "write `^2`"},
      {"θ", "write `theta`"},
      {"x'''", "write `x'` or `x''`"},
  };
  for (const auto& [text, help] : table) {
    const auto parsed = parse(text, world.graph);
    ASSERT_FALSE(parsed.ok()) << text;
    ASSERT_FALSE(parsed.diagnostics()[0].help.empty()) << text;
    EXPECT_EQ(parsed.diagnostics()[0].help[0], help) << text;
  }
}

// Chains of anything are loops, not recursion; parentheses have a limit. A crash here is a stack overflow.
TEST(Parse, SurvivesLongChains) {
  World world;
  const auto repeat = [](const std::string& piece, int n) {
    std::string text;
    for (int i = 0; i < n; ++i) text += piece;
    return text;
  };
  constexpr int kMany = 200000;
  EXPECT_TRUE(parse(repeat("-", kMany) + "x", world.graph).ok());
  EXPECT_TRUE(parse(repeat("x+", kMany) + "x", world.graph)->same(world.x * (kMany + 1)));
  EXPECT_TRUE(parse(repeat("x*", kMany) + "x", world.graph).ok());
  EXPECT_TRUE(parse(repeat("1^", kMany) + "x", world.graph).ok());
  EXPECT_FALSE(parse("x" + repeat("'", kMany), world.graph).ok());
  EXPECT_FALSE(parse(repeat("(", kMany), world.graph).ok());
  EXPECT_FALSE(parse(repeat("sin(", kMany) + "x", world.graph).ok());
  EXPECT_FALSE(parse(repeat("2^(", kMany), world.graph).ok());
  EXPECT_FALSE(parse(repeat("not ", kMany) + "x", world.graph).ok());
  EXPECT_FALSE(parse(repeat("x{", kMany), world.graph).ok());
  EXPECT_FALSE(parse(repeat("θ", kMany), world.graph).ok());
}

// Random bytes from the language's own alphabet: any answer but a crash.
TEST(Parse, SurvivesRandomText) {
  World world;
  std::mt19937 random(11);
  const std::string pieces[] = {
      "x",   "y'", "(", ")", "+",    "-", "*",   "/",  "^",      ",",    "sin(", "if(",     "sum(i in 1..3,",
      "{i}", "[",  "]", ".", "..",   "2", "1e9", "=",  "<",      "and ", "not ", "lambda(", "pin",
      "[1]", ".x", "'", " ", "dot(", "θ", "0",   "pi", "R[1,2]", "a{",   "}"};
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (int n = std::uniform_int_distribution<int>(1, 14)(random); n > 0; --n)
      text += pieces[std::uniform_int_distribution<std::size_t>(0, std::size(pieces) - 1)(random)];
    const auto parsed = parse(text, world.graph);
    EXPECT_TRUE(parsed.ok() || !parsed.diagnostics().empty()) << text;
    for (const Diagnostic& d : parsed.diagnostics()) EXPECT_LE(d.primary.span.end, text.size()) << text;
  }
}

TEST(ParseRange, ReadsIntegersAndNames) {
  World world;
  SymbolScope scope(world.graph);
  const auto range = parse_range(MappedText::of("k in 2*i-1 .. (i+3)*2"), scope, {{"i", 2}});
  ASSERT_TRUE(range.ok()) << render(range.diagnostics());
  EXPECT_EQ(range->index, "k");
  EXPECT_EQ(range->first, 3);
  EXPECT_EQ(range->last, 10);
}

TEST(ReplaceIndices, KeepsPlaces) {
  World world;
  SymbolScope scope(world.graph);
  const auto text = replace_indices(MappedText::of("theta{i-1}_{2*i}"), scope, {{"i", 12}});
  ASSERT_TRUE(text.ok()) << render(text.diagnostics());
  EXPECT_EQ(text->text, "theta11_24");
  // `theta11` was written as theta{i-1}, bytes 0 to 10.
  EXPECT_EQ(text->span(0, 7).begin, 0u);
  EXPECT_EQ(text->span(0, 7).end, 10u);
}

TEST(DimensionSolver, SolvesForUnknownUnits) {
  DimensionSolver solver;
  const DimensionTerm mass = solver.fresh(), length = solver.fresh();
  // m l² is kg·m², m g l is a joule: then l is a metre and m a kilogram, given g.
  const DimensionTerm g(Dimension::length() / Dimension::time().power(2));
  ASSERT_TRUE(solver.equate(mass * length.power(2), Dimension::mass() * Dimension::length().power(2)));
  EXPECT_FALSE(solver.value(mass).has_value());
  ASSERT_TRUE(solver.equate(mass * g * length, Dimension::energy()));
  EXPECT_EQ(solver.value(mass), std::optional(Dimension::mass()));
  EXPECT_EQ(solver.value(length), std::optional(Dimension::length()));
  EXPECT_FALSE(solver.equate(mass, Dimension::length()));
  EXPECT_TRUE(solver.equate(length.power(0.5) * length.power(0.5), Dimension::length()));
}

}  // namespace
}  // namespace dalembert
