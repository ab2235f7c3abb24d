// SPDX-License-Identifier: Apache-2.0
// Models whose canonical forms are huge, or whose angles have awkward ratios, are printed all the same: soon, and not
// much longer than derived. That these end at all is the test; ctest has a limit for what does not.
#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "dalembert/report/equation_printer.h"
#include "dalembert/report/equations_text.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

Equations with_potential(const std::string& V, const std::string& define = {}) {
  const std::string text = fmt::format(
      "name = \"test\"\ncoordinates = [\"x\", \"y\"]\n[parameters]\nm = 1\nk = 2\na = 0.5\n{}[energy]\n"
      "kinetic = \"m/2*(x'^2 + y'^2)\"\npotential = \"{}\"\n",
      define, V);
  return derive_loaded(load_model(make_source("test", text), {}));
}

std::string printed(const Equations& eq, Form form, Notation notation = Notation::kText) {
  EquationsFormat format;
  format.form = form;
  format.notation = notation;
  return print_equations(eq, format);
}

std::string sum_of(int n, const std::string& separator, const std::string& pattern) {
  std::string text;
  for (int i = 1; i <= n; ++i)
    text +=
        (i > 1 ? separator : "") + fmt::format(fmt::runtime(pattern), fmt::arg("i", i), fmt::arg("w", 1 + 0.3571 * i));
  return text;
}

// Each entry is at most four times as long as derived, or 4000 characters (equation_printer.cpp); the sheet holds each
// slope twice, with names and headings.
void expect_bounded(const Equations& eq) {
  for (const Notation notation : {Notation::kText, Notation::kLatex}) {
    const std::size_t derived = printed(eq, Form::kAsDerived, notation).size();
    EXPECT_LE(printed(eq, Form::kCanonical, notation).size(), 8 * derived + 24000);
  }
}

TEST(PrintedSize, DecimalRatiosOfAngles) {
  for (const char* V :
       {"k*x*sin(2.37*t) + k*y*sin(1.001*t)", "cos(x)*cos(0.3587*x)", "k/(2 + cos(1001/2000*x)*cos(x))",
        "sin(47/19*x - 1001/2000*y)^2/(3 + cos(x - y))", "k*x/(2 + cos(x)*cos(0.3587*x)*cos(1.7123*y))"})
    expect_bounded(with_potential(V));
}

TEST(PrintedSize, ManyAnglesTermsAndPowers) {
  expect_bounded(with_potential(sum_of(40, "*", "cos({i}*x + y)")));
  expect_bounded(with_potential(sum_of(60, " + ", "sin({w}*x)/(x^2 + {i})")));
  expect_bounded(with_potential("(" + sum_of(40, " + ", "a*x^{i}*sin({i}*y)") + ")^3"));
  expect_bounded(with_potential("(x + y + sin(x) + a*cos(y))^64"));
}

TEST(PrintedSize, FunctionsOfFunctions) {
  std::string chain = "[define]\nd0 = \"x\"\n", fraction = chain;
  for (int i = 1; i <= 24; ++i) {
    chain += fmt::format("d{} = \"exp(d{}/k) + d{}*y\"\n", i, i - 1, i - 1);
    fraction += fmt::format("d{} = \"1/(d{} + y/d{})\"\n", i, i - 1, i - 1);
  }
  expect_bounded(with_potential("d24", chain));
  expect_bounded(with_potential("d24", fraction));
  std::string nested = "x";
  for (int i = 0; i < 60; ++i) nested = "sin(" + nested + " + y)";
  expect_bounded(with_potential(nested));
}

// Definitions that double each other: degrees of 2^n with numbers as long, products of n factors in n products.
TEST(PrintedSize, DefinitionsThatDouble) {
  for (const auto& [pattern, levels] : {std::pair{"d{0}*d{0} + 1", 20},
                                        {"d{0} + d{0}*x", 100},
                                        {"d{0}*d{0}*sin(d{0})", 100},
                                        {"d{0}*cos(d{0})", 1000},
                                        {"d{0}*exp(d{0})", 300},
                                        {"(2 + sin(x))^d{0}", 1000},
                                        {"1/(d{0} + y)", 300}}) {
    std::string define = "[define]\nd0 = \"x\"\n";
    for (int i = 1; i <= levels; ++i)
      define += fmt::format("d{} = \"{}\"\n", i, fmt::format(fmt::runtime(pattern), i - 1));
    expect_bounded(with_potential(fmt::format("d{}", levels), define));
  }
}

// What one printer writes is counted: after some megabytes what is long is a note, and what is short is written as ever.
TEST(PrintedSize, EverythingTogether) {
  const Equations eq = with_potential(sum_of(4000, " + ", "sin({i}*x*y)") + " + k*y");
  EquationPrinter printer(*eq.graph, Form::kAsDerived, Notation::kText);
  std::size_t written = 0, notes = 0;
  for (int k = 0; k < 300; ++k) {
    const std::string text = text_of(printer.entry(eq.V));
    written += text.size();
    notes += text.starts_with("<omitted");
  }
  EXPECT_GT(notes, 10u);
  EXPECT_LT(notes, 290u);
  EXPECT_LT(written, 9'000'000u);
  EXPECT_EQ(text_of(printer.entry(eq.q[0] * 2)), "2*x");
}

// The LaTeX of one name, fractions in fractions 1000 levels deep: it is one thing, of which no part is named or broken.
TEST(PrintedSize, LongNames) {
  std::string latex = "a";
  for (int k = 0; k < 1000; ++k) latex = "\\frac{1}{" + latex + "}";
  const std::string text = fmt::format(
      "name = \"test\"\ncoordinates = [\"x\"]\n[parameters]\na = {{value = 1, latex = '{}'}}\n[energy]\n"
      "kinetic = \"x'^2/2\"\npotential = \"a*x^2/2\"\n",
      latex);
  const Equations eq = derive_loaded(load_model(make_source("test", text), {}));
  const std::string shown = printed(eq, Form::kCanonical, Notation::kLatex);
  EXPECT_NE(shown.find(latex), std::string::npos);
  EXPECT_EQ(shown.find("z_{1}"), std::string::npos);
}

// Numbers that all terms share come out, however long they are: here 2^-55 of sums whose own numbers have 17 digits.
TEST(PrintedSize, SharedDenominators) {
  const Equations eq = with_potential(sum_of(60, " + ", "(2*{i} + 1)/36028797018963968*x^{i}*y"));
  const std::string text = printed(eq, Form::kCanonical);
  std::size_t longest = 0, digits = 0;
  for (const char c : text) longest = std::max(longest, digits = c >= '0' && c <= '9' ? digits + 1 : 0);
  EXPECT_LE(longest, 17);
}

// Lines that are short each, and too many: a listing ends, and says how many lines it lacks. Laid out, a character of LaTeX takes some 130
// bytes, so that 1,000 bodies with quaternions took 750 MB.
TEST(PrintedSize, ManyShortLines) {
  std::string product = "x{i}";
  for (int k = 1; k <= 9; ++k) product += fmt::format("*cos({}*x{{i}} + 0.123456789)", k);
  const std::string text =
      "name = \"test\"\ncoordinates = [{name = \"x{i}\", for = \"i in 1..1200\"}]\n[energy]\n"
      "kinetic = \"sum(i in 1..1200, x{i}'^2/2)\"\npotential = \"sum(i in 1..1200, " +
      product + ")\"\n";
  const Equations eq = derive_loaded(load_model(make_source("test", text), {}));
  EquationsFormat format;
  format.only = {"G"};
  format.notation = Notation::kLatex;
  format.form = Form::kAsDerived;
  const std::string shown = print_equations(eq, format);
  EXPECT_LT(shown.size(), 2 * 1'687'500u);
  EXPECT_NE(shown.find("more lines left out: a listing has at most 1687500 characters"), std::string::npos);
}

}  // namespace
}  // namespace dalembert
