// SPDX-License-Identifier: Apache-2.0
// The table of functions against itself: whatever a row states of a function must be true of its values.
#include "dalembert/expr/functions.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "dalembert/base/diagnostic.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

// Inside the domain, away from 0 and from whole numbers.
std::vector<double> points_of(const FunctionInfo& f) {
  switch (f.domain) {
    case Domain::kPositive:
      return {0.13, 0.7, 1.4, 3.3};
    case Domain::kUnit:
      return {-0.9, -0.35, 0.2, 0.8};
    case Domain::kAll:
      break;
  }
  return {-2.6, -1.2, -0.3, 0.4, 1.3, 2.7};
}

std::vector<const FunctionInfo*> operations_of(int arguments) {
  std::vector<const FunctionInfo*> found;
  for (const FunctionInfo& f : functions())
    if (!f.make && f.arguments == arguments) found.push_back(&f);
  return found;
}

double value_at(const FunctionInfo& f, double x, double y = 0) {
  const double arguments[] = {x, y, 0};
  return f.value(arguments);
}

// f(−x) = ±f(x); the sign; f(0), f(1); monotone: no two differences of opposite signs; exponentials: to the round-off of its terms. By the definitions of the words.
TEST(FunctionTable, RowsAreTrueOfTheValues) {
  for (const FunctionInfo* f : operations_of(1)) {
    SCOPED_TRACE(f->name);
    const std::vector<double> points = points_of(*f);
    double rise = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double x = points[i], y = value_at(*f, x);
      ASSERT_TRUE(std::isfinite(y)) << x;
      if (f->parity == Parity::kOdd) {
        EXPECT_EQ(value_at(*f, -x), -y) << x;
      }
      if (f->parity == Parity::kEven) {
        EXPECT_EQ(value_at(*f, -x), y) << x;
      }
      if (f->sign == ValueSign::kPositive) {
        EXPECT_GT(y, 0) << x;
      }
      if (f->sign == ValueSign::kNotNegative) {
        EXPECT_GT(y, 0) << x;
      }
      if (f->sign == ValueSign::kOfArgument) {
        EXPECT_GT(x * y, 0) << x;
      }
      if (f->truth) {
        EXPECT_TRUE(y == 0 || y == 1) << x;
      }
      if (f->rises_outward) {
        EXPECT_GT(value_at(*f, 1.1 * x), y) << x;
      }
      if (f->exponentials) {
        const double up = std::exp(x), down = std::exp(-x), above = up + f->exponentials->down * down;
        const double below = f->exponentials->below ? up + down : f->exponentials->down == 0 ? 1 : 2;
        EXPECT_NEAR(y, above / below, 8 * std::numeric_limits<double>::epsilon() * std::cosh(x)) << x;
      }
      if (!f->monotone || i == 0) continue;
      const double step = y - value_at(*f, points[i - 1]);
      EXPECT_GT(step * (rise == 0 ? step : rise), 0) << x;
      rise = step;
    }
    if (f->at_zero) {
      EXPECT_EQ(value_at(*f, 0), *f->at_zero);
    }
    if (f->at_one) {
      EXPECT_EQ(value_at(*f, 1), *f->at_one);
    }
    if (f->domain == Domain::kPositive) {
      EXPECT_FALSE(std::isfinite(value_at(*f, 0)));
    }
    if (f->domain == Domain::kUnit) {
      EXPECT_TRUE(std::isnan(value_at(*f, 1.001)));
    }
  }
}

// The stated derivative against a central difference with h = 1e-5: truncation h²/6 f''' and round-off ε/h, both below
// 1e-9 at these points, where |f'''| < 30. What has no derivative jumps, and is constant between the jumps.
TEST(FunctionTable, DerivativesAreThoseOfTheValues) {
  Graph graph;
  const Expr x = graph.add_symbol({"x", SymbolKind::kCoordinate, 0, {}}),
             y = graph.add_symbol({"y", SymbolKind::kCoordinate, 1, {}});
  for (const int arguments : {1, 2})
    for (const FunctionInfo* f : operations_of(arguments)) {
      SCOPED_TRACE(f->name);
      EXPECT_TRUE(f->derivative || f->jumps || f->truth);
      const Expr call = arguments == 1        ? graph.function(f->op, std::array{x})
                        : f->op == Op::kPower ? pow(x, y)
                                              : graph.function(f->op, std::array{x, y});
      const std::vector<Expr> slopes = gradient(call, std::array{x, y});
      for (const double at : points_of(*f)) {
        if (f->op == Op::kPower && at < 0) continue;
        const auto value_of = [&](const Expr& e, double dx, double dy) {
          return evaluate(e, [&](SymbolId s) { return s == x.symbol() ? at + dx : 0.85 + dy; });
        };
        constexpr double h = 1e-5;
        for (int k = 0; k < arguments; ++k) {
          const double up = value_of(call, k == 0 ? h : 0, k == 1 ? h : 0),
                       down = value_of(call, k == 0 ? -h : 0, k == 1 ? -h : 0);
          const double slope = value_of(slopes[static_cast<std::size_t>(k)], 0, 0);
          EXPECT_NEAR((up - down) / (2 * h), slope, 1e-8 * (1 + std::abs(slope))) << at << " argument " << k;
        }
      }
    }
}

// A library function is the one that its value is computed with.
TEST(FunctionTable, LibraryFunctionsAreTheValues) {
  for (const FunctionInfo& f : functions()) {
    if (f.library.name.empty()) continue;
    SCOPED_TRACE(f.name);
    for (const double x : points_of(f)) {
      if (f.library.unary) {
        EXPECT_EQ(value_at(f, x), f.library.unary(x));
      }
      if (f.library.binary && x > 0) {
        EXPECT_EQ(value_at(f, x, 0.7), f.library.binary(x, 0.7));
      }
    }
  }
}

// What models may call is read, printed and read back as the same node; the long text of E0103 names it.
TEST(FunctionTable, CallsAreReadAndPrinted) {
  const std::string known = explain("E0103");
  Graph graph;
  graph.add_symbol({"x", SymbolKind::kCoordinate, 0, {}});
  graph.add_symbol({"y", SymbolKind::kCoordinate, 1, {}});
  for (const FunctionInfo& f : functions()) {
    if (!f.called) continue;
    SCOPED_TRACE(f.name);
    const std::string written = std::string(f.name) + (f.arguments == 1 ? "(x)" : "(x, y)");
    const auto expression = parse(written, graph);
    ASSERT_TRUE(expression.ok());
    const auto again = parse(to_text(*expression), graph);
    ASSERT_TRUE(again.ok());
    EXPECT_TRUE(again->same(*expression)) << to_text(*expression);
    EXPECT_FALSE(to_latex(*expression).empty());
    EXPECT_NE(known.find(std::string(f.name)), std::string::npos);
    EXPECT_TRUE(is_reserved(f.name));
  }
}

// Truth: the header: an operation has a value of its own, every other function is built of operations.
TEST(FunctionTable, EveryRowCanBeEvaluated) {
  for (const FunctionInfo& info : functions())
    EXPECT_TRUE((info.value != nullptr) != (info.make != nullptr)) << info.name;
}

}  // namespace
}  // namespace dalembert
