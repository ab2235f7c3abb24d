// SPDX-License-Identifier: Apache-2.0
// Integrability of constraints whose growth vector is known by how they are made: exact forms, chained forms, cars with
// trailers, disguised by what changes no growth vector. tests/judge/judge_integrability.py makes more of them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "dalembert/analyze/constraints.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using Strings = std::vector<std::string>;

System with_rows(int coordinates, const Strings& rows, const std::string& kind = "pfaffian", const Strings& more = {}) {
  std::string names, kinetic, text;
  for (int i = 1; i <= coordinates; ++i) {
    const std::string x = "x" + std::to_string(i);
    names += (i > 1 ? ", \"" : "\"") + x + "\"";
    kinetic += (i > 1 ? " + " : "") + x + "'^2/2";
  }
  text = "name = \"made\"\ncoordinates = [" + names + "]\n[energy]\nkinetic = \"" + kinetic + "\"\n";
  for (std::size_t j = 0; j < rows.size(); ++j)
    text += "[[constraint]]\nname = \"c" + std::to_string(j) + "\"\n" + kind + " = \"" + rows[j] + "\"\n";
  for (const std::string& part : more) text += part;
  return System(derive_loaded(load_model(make_source("made", text))));
}

Integrability found(const System& system) { return find_integrability(system.equations, system.dynamics); }
Integrability found_near_start(const System& system) {
  const State start = system.start();
  return find_integrability(system.equations, system.dynamics, &start);
}

class Made {
 public:
  explicit Made(unsigned seed) : random_(seed) {}
  std::string any(const Strings& list) { return list[random_() % list.size()]; }
  // Has a value everywhere.
  std::string function(const Strings& of) {
    const std::string a = any(of), b = any(of);
    return any({"exp(" + a + ")", "exp(0.5*" + a + ")", "sin(" + a + " + " + b + ")", "atan(" + a + ")", a + "*" + b,
                "log(1 + " + a + "^2)", "sqrt(1 + " + a + "^2)", a + "/(2 + sin(" + b + "))", "cosh(" + a + ")",
                a + "^2"});
  }
  // Each row gets multiples of others, one after the other.
  void mix(Strings& rows, const Strings& names) {
    for (std::size_t k = 0; k <= rows.size(); ++k) {
      const std::size_t i = random_() % rows.size(), j = random_() % rows.size();
      if (i != j) rows[i] += " + " + function(names) + "*(" + rows[j] + ")";
    }
    for (std::string& row : rows) row = any({"exp(x1)", "(2 + sin(x2))", "(1 + x1^2)"}) + "*(" + row + ")";
  }

 private:
  std::mt19937 random_;
};

unsigned first_seed() {
  const char* const given = std::getenv("DALEMBERT_TEST_SEED");
  return given == nullptr ? 1 : static_cast<unsigned>(std::atoi(given));
}

// d(y_i + g_i) of other coordinates is exact, and so is any invertible combination together.
TEST(Integrability, OfExactFormsCombined) {
  for (unsigned seed = first_seed() * 1000; seed < first_seed() * 1000 + 15; ++seed) {
    Made made(seed);
    const Strings free{"x1", "x2", "x3"};
    Strings rows{"dot(x4 + " + made.function(free) + ")", "dot(x5 + x5^3 + " + made.function(free) + ")"};
    made.mix(rows, {"x1", "x2", "x3", "x4", "x5"});
    const Integrability of = found(with_rows(5, rows));
    EXPECT_EQ(of.kind, "holonomic") << seed << " " << rows[0] << "\n" << rows[1];
    EXPECT_EQ(of.growth, (std::vector<int>{3})) << seed;
    EXPECT_TRUE(of.exact) << seed << " " << rows[0] << "\n" << rows[1];
  }
}

// The chained form ż_{k+1} = z_k ż_1 of five coordinates grows by one each time; here z_4 and z_5 are others, and one row more
// is an exact form.
TEST(Integrability, OfChainedFormsInOtherCoordinates) {
  for (unsigned seed = first_seed() * 1000; seed < first_seed() * 1000 + 15; ++seed) {
    Made made(seed);
    const std::string z4 = "(x4 + " + made.function({"x1", "x2", "x3"}) + ")",
                      z5 = "(2*x5 + " + made.function({"x1", "x3", "x4"}) + ")";
    Strings rows{"dot(x3) - x2*dot(x1)", "dot(" + z4 + ") - x3*dot(x1)", "dot(" + z5 + ") - " + z4 + "*dot(x1)",
                 "dot(x6 + " + made.function({"x1", "x2", "x3", "x4", "x5"}) + ")"};
    made.mix(rows, {"x1", "x2", "x3", "x4", "x5", "x6"});
    const Integrability of = found(with_rows(6, rows));
    EXPECT_EQ(of.kind, "mixed") << seed;
    EXPECT_EQ(of.integrable, 1) << seed;
    EXPECT_EQ(of.growth, (std::vector<int>{2, 3, 4, 5})) << seed;
    EXPECT_TRUE(of.exact) << seed;
  }
}

System car(int trailers) {
  Strings rows;
  std::string x = "x1", y = "x2";
  for (int k = 0; k <= trailers; ++k) {
    const std::string h = "x" + std::to_string(k + 3);
    if (k > 0) x += " - cos(" + h + ")", y += " - sin(" + h + ")";
    rows.push_back("-sin(" + h + ")*dot(" + x + ") + cos(" + h + ")*dot(" + y + ")");
  }
  return with_rows(trailers + 3, rows);
}

// (2, 3, …, n + 3) in general position: J.-P. Laumond, Controllability of a multibody mobile robot, IEEE Trans. Robotics and
// Automation 9 (1993) 755-763.
TEST(Integrability, OfCarsWithTrailers) {
  for (int trailers = 0; trailers <= 6; ++trailers) {
    const Integrability of = found(car(trailers));
    std::vector<int> growth;
    for (int d = 2; d <= trailers + 3; ++d) growth.push_back(d);
    EXPECT_EQ(of.kind, "nonholonomic") << trailers;
    EXPECT_EQ(of.growth, growth) << trailers;
    EXPECT_TRUE(of.exact) << trailers;
  }
}

// What ends for want of work is said to be undecided: nothing is integrable for that.
TEST(Integrability, IsUndecidedWhereItIsTooMuchWork) {
  const Integrability of = found(car(10));
  EXPECT_EQ(of.kind, "undecided");
  EXPECT_FALSE(of.complete);
  EXPECT_EQ(of.integrable, 0);
  EXPECT_EQ(of.integrable_at_most, 13 - of.growth.back());
  for (std::size_t k = 0; k < of.growth.size(); ++k) EXPECT_EQ(of.growth[k], static_cast<int>(k) + 2);
}

// A term that is 0 by an identity between functions leaves dx₃ + … integrable; were the functions independent, it would
// not be.
TEST(Integrability, KnowsWhatHoldsBetweenFunctions) {
  for (const char* const zero :
       {"exp(2*x1) - exp(x1)^2", "sin(2*x1) - 2*sin(x1)*cos(x1)", "exp(x1 + x2) - exp(x1)*exp(x2)",
        "cosh(x1)^2 - sinh(x1)^2 - 1", "log((2 + sin(x1))*(1 + x2^2)) - log(2 + sin(x1)) - log(1 + x2^2)",
        "exp(2*log(2 + sin(x1))) - (2 + sin(x1))^2", "sqrt(4 + 4*x1^2) - 2*sqrt(1 + x1^2)",
        "sin(atan(x1)) - x1/sqrt(1 + x1^2)", "cos(x1 + pi/3) - cos(x1)/2 + sqrt(3)/2*sin(x1)",
        "exp(x1*(x2 + 1)) - exp(x1*x2)*exp(x1)", "sin(x1*(x2 + 2)) - sin(x1*x2)*cos(2*x1) - cos(x1*x2)*sin(2*x1)",
        "log(12*exp(x1)) - x1 - 2*log(2) - log(3)", "sin(asin(x1/9)) - x1/9", "tan(atan2(x1, x2)) - x1/x2",
        "sqrt(1 + x1^2)*sqrt(2 + x2^2) - sqrt((1 + x1^2)*(2 + x2^2))", "sqrt((1 + x1^2)^2) - 1 - x1^2",
        "(2 + sin(x1))^x2 - exp(x2*log(2 + sin(x1)))", "cos(acos(x1/9))^2 - x1^2/81"}) {
    const Integrability of = found(with_rows(3, {"dot(x3 + x1*x2) + x2*(" + std::string(zero) + ")*dot(x1)"}));
    EXPECT_EQ(of.kind, "holonomic") << zero;
    EXPECT_EQ(of.growth, (std::vector<int>{2})) << zero;
  }
  // And these are not 0.
  for (const char* const other : {"exp(2*x1) - exp(x1)", "sin(2*x1) - 2*sin(x1)", "exp(x1 + x2) - exp(x1) - exp(x2)",
                                  "log(2*x1^2 + 2) - log(1 + x1^2) - log(3)", "exp(x1*x2) - exp(x1)*exp(x2)",
                                  "cos(x1 + pi/3) - cos(x1)/2 - sqrt(3)/2*sin(x1)", "sqrt(1 + x1^2) - x1 - 1"}) {
    const Integrability of = found(with_rows(3, {"dot(x3 + x1*x2) + x2*(" + std::string(other) + ")*dot(x1)"}));
    EXPECT_EQ(of.kind, "nonholonomic") << other;
    EXPECT_TRUE(of.exact) << other;
  }
}

// The root of a square is one of two functions: what follows from it is not called exact.
TEST(Integrability, IsNotExactWhereASignIsUnknown) {
  const Integrability of = found(with_rows(3, {"dot(x3) + x2*(sqrt((1 + x1^2)^2) - 1 - x1^2)*dot(x1)"}));
  EXPECT_FALSE(of.exact);
  EXPECT_EQ(of.kind, "holonomic");
}

// A plate on three parallel rockers: at a position that they allow, six rows have rank 5; at others 6.
TEST(Integrability, OnTheManifoldOfRedundantRows) {
  Strings rows;
  for (const char* const i : {"-1", "0", "1"}) {
    const std::string h = "x" + std::to_string(std::atoi(i) + 5), w = std::string(i) + "*0.5";
    rows.push_back("x1 + " + w + "*cos(x3) - " + w + " - 0.4*sin(" + h + ")");
    rows.push_back("x2 + " + w + "*sin(x3) + 0.4*cos(" + h + ")");
  }
  const System plate = with_rows(
      6, rows, "holonomic", {"[initial]\nposition = {x4 = 0.7}\nguess = {x5 = 0.7, x6 = 0.7, x1 = 0.25, x2 = -0.3}\n"});
  const Integrability of = found_near_start(plate);
  EXPECT_EQ(of.kind, "holonomic");
  EXPECT_EQ(of.rank, 5);
  EXPECT_EQ(of.growth, (std::vector<int>{1}));
  EXPECT_FALSE(of.exact);
}

// ẋ₂ = x₃ x₄ ẋ₁ is no constraint of position unless x₃ is 0 for ever.
TEST(Integrability, OnTheManifoldOfHolonomicRows) {
  const auto at = [](const std::string& level) {
    return with_rows(4, {"dot(x2) - x3*x4*dot(x1)"}, "pfaffian",
                     {"[[constraint]]\nname = \"h\"\nholonomic = \"x3 - " + level +
                      "\"\n[initial]\nguess = {x3 = " + level + "}\n"});
  };
  const Integrability zero = found_near_start(at("0"));
  EXPECT_EQ(zero.kind, "holonomic");
  EXPECT_EQ(zero.growth, (std::vector<int>{2}));
  EXPECT_FALSE(zero.exact);
  const Integrability one = found_near_start(at("1"));
  EXPECT_EQ(one.kind, "mixed");
  EXPECT_EQ(one.integrable, 1);
  EXPECT_EQ(one.growth, (std::vector<int>{2, 3}));
  EXPECT_TRUE(one.exact);
}

}  // namespace
}  // namespace dalembert
