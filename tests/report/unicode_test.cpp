// SPDX-License-Identifier: Apache-2.0
// Equations for people at a terminal. What is printed is held against the text that the parser reads, which other tests
// hold against closed forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <random>
#include <sstream>

#include "dalembert/expr/print.h"
#include "dalembert/expr/print_formula.h"
#include "dalembert/expr/unicode.h"
#include "dalembert/report/equations_text.h"
#include "dalembert/report/term_order.h"
#include "oracles/random_expressions.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string shown(const Equations& equations, int columns) {
  EquationsFormat format;
  format.notation = Notation::kUnicode;
  format.columns = columns;
  return print_equations(equations, format);
}

TEST(Unicode, NamesAndNumbers) {
  EXPECT_EQ(unicode_name("theta"), "θ");
  EXPECT_EQ(unicode_name("L1"), "L₁");
  EXPECT_EQ(unicode_name("omega_0"), "ω₀");
  EXPECT_EQ(unicode_name("x_1_2"), "x₁,₂");
  EXPECT_EQ(unicode_name("I_c"), "I_c");
  EXPECT_EQ(unicode_name("theta12", 2), "θ\u0308₁₂");
  EXPECT_EQ(unicode_name("x", 1), "ẋ");  // the letter that Unicode has
  EXPECT_EQ(unicode_name("pos1", 2), "pos₁''");
  EXPECT_EQ(unicode_name("i", 1), "i'");  // a dot over i would not be seen
  EXPECT_EQ(superscript("-12"), "⁻¹²");
  EXPECT_EQ(unicode_fraction(Rational(1, 2)), "½");
  EXPECT_EQ(unicode_fraction(Rational(5, 12)), "⁵⁄₁₂");
  EXPECT_EQ(unicode_unit("kg*m^2/s"), "kg·m²/s");
  EXPECT_EQ(unicode_unit("m^-1"), "m⁻¹");
  EXPECT_EQ(terminal_columns("θ\u0308² − ½"), 6U);
}

TEST(Unicode, Formulas) {
  Graph graph;
  const Expr th = graph.add_symbol({"theta", SymbolKind::kCoordinate, 0, {}}),
             w = graph.add_symbol({"theta", SymbolKind::kVelocity, 0, {}}),
             m = graph.add_symbol({"m", SymbolKind::kParameter, 0, {}}),
             pin = graph.add_symbol({"pin[1]", SymbolKind::kMultiplier, 0, {}});
  const auto text = [](const Expr& e) { return print(e, Notation::kUnicode); };
  EXPECT_EQ(text(m * square(w) / 2), "½ m θ\u0307²");
  EXPECT_EQ(text(square(sin(th))), "sin²(θ)");
  EXPECT_EQ(text(square(th + m)), "(θ + m)²");
  EXPECT_EQ(text(sqrt(m)), "√m");
  const Expr m2 = square(m);  // made before θ²: terms are in the order in which they were made
  EXPECT_EQ(text(sqrt(m2 + square(th))), "√(m² + θ²)");
  EXPECT_EQ(text(-m * abs(th)), "−m |θ|");
  EXPECT_EQ(text(m - pin * cos(th)), "m − λ_pin,1 cos(θ)");
  EXPECT_EQ(text(m / (th * w)), "m/(θ θ\u0307)");
}

// Two expressions look the same exactly where their texts are the same.
TEST(Unicode, TwoThingsNeverLookTheSame) {
  std::mt19937 random(5);
  Graph graph;
  std::vector<Expr> symbols;
  for (const char* name : {"theta", "m_1", "m1", "pos", "x_1_2", "x12"}) {
    const int index = static_cast<int>(symbols.size());
    symbols.push_back(graph.add_symbol({name, SymbolKind::kCoordinate, index, {}}));
    symbols.push_back(graph.add_symbol({name, SymbolKind::kVelocity, index, {}}));
  }
  std::map<std::string, std::string> seen;
  for (int round = 0; round < 2000; ++round) {
    const Expr e = random_expression(graph, symbols, 1 + round % 4, random);
    const std::string text = print(e, Notation::kText), unicode = print(e, Notation::kUnicode);
    EXPECT_EQ(seen.emplace(unicode, text).first->second, text) << unicode;
  }
}

// Matrices in full where they fit, by their entries where they do not.
TEST(Unicode, MatricesAreGrids) {
  const Equations equations = derive_shipped("slider-crank");
  EXPECT_THAT(shown(equations, 100), HasSubstr("      ⎡  (m₁ + 4 m₂) L₁² + I₁   −2 m₂ L₁ L₂ cos(θ − φ)  0  ⎤\n"
                                               "  M = ⎢ −2 m₂ L₁ L₂ cos(θ − φ)       m₂ L₂² + I₂        0  ⎥\n"
                                               "      ⎣           0                       0             m₃ ⎦\n"));
  EXPECT_THAT(shown(equations, 50), HasSubstr("  M[θ,φ] = −2 m₂ L₁ L₂ cos(θ − φ)\n"));
  EXPECT_THAT(shown(derive_shipped("chaplygin-sleigh"), 100), HasSubstr("  W = [ −sin(θ)  cos(θ)  −b ]\n"));
  EXPECT_THAT(shown(derive_shipped("chaplygin-sleigh"), 100), HasSubstr("\n  B = 0, G = 0, F = 0\n"));
}

// Lines stay on the terminal, and what follows the first line of an equation is indented and begins with its sign.
TEST(Unicode, LinesStayOnTheTerminal) {
  for (const char* model :
       {"slider-crank", "double-pendulum", "four-bar", "rolling-disk", "heavy-top", "delta-robot"}) {
    const Equations equations = derive_shipped(model);
    for (const int columns : {80, 100, 160})
      for (const std::string& line : lines_of(shown(equations, columns)))
        EXPECT_LE(terminal_columns(line), static_cast<std::size_t>(columns)) << model << ": " << line;
  }
  EXPECT_THAT(
      shown(derive_shipped("slider-crank"), 100),
      HasSubstr("  ((m₁ + 4 m₂) L₁² + I₁) θ\u0308 − 2 m₂ L₁ L₂ φ\u0308 cos(θ − φ) − 2 m₂ L₁ L₂ φ\u0307² sin(θ − φ)\n"
                "    + (m₁ + 2 m₂) g L₁ cos(θ) = −2 L₁ λ_pin,1 sin(θ) + 2 L₁ λ_pin,2 cos(θ) + τ\n"));
}

TEST(Unicode, StepsAreInItToo) {
  const std::string text =
      print_derivation(derive_shipped("slider-crank"), Form::kCanonical, Notation::kUnicode, false, 100);
  EXPECT_THAT(text, HasSubstr("∂L/∂θ\u0307 = "));
  EXPECT_THAT(text, HasSubstr("W M⁻¹ Wᵀ λ = W M⁻¹ (B + G − F) − γ"));
  for (const std::string& line : lines_of(text)) EXPECT_LE(terminal_columns(line), 100U) << line;
}

// ------------------------------------------------------------------------------------------------- the order of terms

std::string ordered(const std::string& typed, const std::vector<std::string>& terms) {
  Formula sum;
  FormulaWriter writer;
  for (const std::string& term : terms) {
    add_sign(writer, term.starts_with('-'), Notation::kText);
    writer.add(term.substr(term.starts_with('-') ? 1 : 0));
  }
  const std::vector<SignedTerm> parts = terms_of(writer.take());
  std::string text;
  for (const std::size_t k : typed_order(parts, typed, [](const std::string& n) { return n == "x" || n == "y'"; }))
    text += (text.empty() ? "" : " ") + std::string(parts[k].negative ? "-" : "+") + text_of(parts[k].formula);
  return text;
}

TEST(TermOrder, IsThatOfTheModel) {
  EXPECT_EQ(ordered("r - L", {"-L", "r"}), "+r -L");
  EXPECT_EQ(ordered("r = L", {"-L", "r"}), "+r -L");
  EXPECT_EQ(ordered("-sin(a)*dot(x) + cos(a)*y'", {"y'*cos(a)", "-x'*sin(a)"}), "-x'*sin(a) +y'*cos(a)");
  EXPECT_EQ(ordered("a*cos(b) + a*sin(b)", {"a*sin(b)", "a*cos(b)"}), "+a*cos(b) +a*sin(b)");
}

// Where the text says nothing: what moves first, and of that what is positive.
TEST(TermOrder, WithoutTheModelsText) {
  EXPECT_EQ(ordered("", {"-L", "-x", "y'", "c"}), "+y' -x +c -L");
  EXPECT_EQ(ordered("loop", {"-L", "x"}), "+x -L");
}

}  // namespace
}  // namespace dalembert
