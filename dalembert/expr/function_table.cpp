// SPDX-License-Identifier: Apache-2.0
// The table of functions. A new function needs its operation and its builder in expr.h, and a row here. With enclosures
// (algebra/enclosure.cpp, enclosed_balls.cpp) audits can decide statements about it.
#include <math.h>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <numbers>

#include "dalembert/base/sine_cosine.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

using Arguments = std::span<const Expr>;
using Call = FunctionCall;

template <double (*Function)(double)>
double unary(const double* x) {
  return Function(x[0]);
}
template <double (*Function)(double, double)>
double binary(const double* x) {
  return Function(x[0], x[1]);
}
// Sine and cosine with the same bits on every machine, and the same bits as evaluation by tapes.
double sine(double x) { return sine_cosine(x).sine; }
double cosine(double x) { return sine_cosine(x).cosine; }

double undefined(const double*) { return std::nan(""); }

Expr function(Op op, std::initializer_list<Expr> arguments) {
  for (const Expr& argument : arguments)
    if (!argument) return argument;
  const std::span all(arguments.begin(), arguments.size());
  return common_graph(all).function(op, all);
}

// --- simplifications of calls

// x·2/π modulo 4 (0 to 3) if x is an integer multiple of π/2, else nothing.
std::optional<int> quarter_turns(const Graph& graph, const Expr& x) {
  if (x.is_zero()) return 0;
  Rational factor = 1;
  if (x.op() == Op::kProduct) {
    const auto items = graph.items(x.id());
    if (items.size() != 1 || graph.op(items[0].node) != Op::kPi || !graph.number(items[0]).is_one())
      return std::nullopt;
    factor = graph.number(x.id());
  } else if (x.op() != Op::kPi) {
    return std::nullopt;
  }
  const auto turns = (factor * Rational(2)).as_int();
  return turns ? std::optional(((*turns % 4) + 4) % 4) : std::nullopt;
}

// sin(x + Shift·π/2), if it is known exactly.
template <int Shift>
Expr simple_sine(Graph& graph, Arguments x) {
  static constexpr int kSines[] = {0, 1, 0, -1};
  const auto turns = quarter_turns(graph, x[0]);
  return turns ? graph.constant(kSines[(*turns + Shift) % 4]) : Expr();
}

// The absolute value of a constant x. Here x is not negative, because abs is even and its sign was removed before.
Expr simple_abs(Graph&, Arguments x) { return x[0].is_constant() ? x[0] : Expr(); }
Expr simple_sign(Graph& graph, Arguments x) {
  return x[0].is_constant() ? graph.constant(x[0].constant().sign()) : Expr();
}
Expr simple_floor(Graph& graph, Arguments x) {
  if (x[0].op() == Op::kFloor) return x[0];
  return x[0].is_constant() ? graph.constant(x[0].constant().floor()) : Expr();
}

template <bool Smaller>
Expr simple_extreme(Graph&, Arguments x) {
  if (x[0].same(x[1])) return x[0];
  if (!x[0].is_constant() || !x[1].is_constant()) return {};
  return (x[0].constant() < x[1].constant()) == Smaller ? x[0] : x[1];
}

template <Op Relation>
Expr simple_comparison(Graph& graph, Arguments x) {
  if (x[0].same(x[1])) return graph.constant(Relation == Op::kLess ? 0 : 1);
  if (!x[0].is_constant() || !x[1].is_constant()) return {};
  const auto order = x[0].constant() <=> x[1].constant();
  const bool holds = Relation == Op::kLess ? order < 0 : Relation == Op::kLessEqual ? order <= 0 : order == 0;
  return graph.constant(holds ? 1 : 0);
}

template <Op Connective>
Expr simple_connective(Graph& graph, Arguments x) {
  for (const auto& [a, b] : {std::pair{x[0], x[1]}, std::pair{x[1], x[0]}})
    if (a.is_constant())
      return a.is_zero() == (Connective == Op::kAnd) ? graph.constant(Connective == Op::kAnd ? 0 : 1)
                                                     : function(Op::kNot, {function(Op::kNot, {b})});
  return {};
}
Expr simple_not(Graph& graph, Arguments x) {
  return x[0].is_constant() ? graph.constant(x[0].is_zero() ? 1 : 0) : Expr();
}
Expr simple_select(Graph&, Arguments x) {
  if (x[0].is_constant()) return x[0].is_zero() ? x[2] : x[1];
  return x[1].same(x[2]) ? x[1] : Expr();
}

// --- derivatives that need more than a line

// a² is built first. Terms of a sum are sorted by creation, and C++ does not fix the order in which operands of + are evaluated.
Expr sum_of_squares(const Expr& a, const Expr& b) {
  const Expr first = square(a);
  return first + square(b);
}

Expr derivative_of_atan2(const Call& f, std::size_t which) {
  const Expr radius = sum_of_squares(f.x, f.y);
  return which == 0 ? f.y / radius : -f.x / radius;
}

// Derivatives of min (Smaller) and max: 1 for the argument that is chosen. Of equal arguments the second is chosen.
template <bool Smaller>
Expr derivative_of_extreme(const Call& f, std::size_t which) {
  const Expr first = Smaller ? function(Op::kLess, {f.x, f.y}) : function(Op::kLess, {f.y, f.x});
  return which == 0 ? first : 1 - first;
}

Expr derivative_of_select(const Call& f, std::size_t which) {
  if (which == 0) return {};
  Graph& graph = f.x.graph();
  const Expr one = graph.constant(1), zero = graph.constant(0);
  return which == 1 ? function(Op::kSelect, {f.x, one, zero}) : function(Op::kSelect, {f.x, zero, one});
}

constexpr bool kVectors = true;

// The rows are in the order of Op; functions that are built from other operations follow.
constexpr FunctionInfo kTable[] = {
    {.op = Op::kConstant, .name = "constant", .arguments = 0, .value = undefined},
    {.op = Op::kPi, .name = "pi", .arguments = 0, .value = [](const double*) { return std::numbers::pi; }},
    {.op = Op::kSymbol, .name = "symbol", .arguments = 0, .value = undefined},
    {.op = Op::kSum, .name = "sum", .arguments = 0, .value = undefined},
    {.op = Op::kProduct, .name = "product", .arguments = 0, .value = undefined},
    {.op = Op::kPower,
     .name = "power",
     .arguments = 2,
     .derivative = [](const Call& f,
                      std::size_t which) { return which == 0 ? f.y * pow(f.x, f.y - 1) : f.self * log(f.x); },
     .value = binary<::pow>,
     .library = {.name = "pow", .binary = ::pow, .vectors = kVectors}},
    {.op = Op::kSin,
     .name = "sin",
     .called = true,
     .latex = "\\sin",
     .powers = Powers::kOnName,
     .parity = Parity::kOdd,
     .at_zero = 0,
     .simplify = simple_sine<0>,
     .derivative = [](const Call& f, std::size_t) { return cos(f.x); },
     .smooth = Smooth::kInside,
     .value = unary<sine>,
     .library = {.name = "sin", .unary = sine}},
    {.op = Op::kCos,
     .name = "cos",
     .called = true,
     .latex = "\\cos",
     .powers = Powers::kOnName,
     .parity = Parity::kEven,
     .at_zero = 1,
     .simplify = simple_sine<1>,
     .derivative = [](const Call& f, std::size_t) { return -sin(f.x); },
     .smooth = Smooth::kInside,
     .value = unary<cosine>,
     .library = {.name = "cos", .unary = cosine}},
    {.op = Op::kTan,
     .name = "tan",
     .called = true,
     .latex = "\\tan",
     .powers = Powers::kOnName,
     .parity = Parity::kOdd,
     .at_zero = 0,
     .derivative = [](const Call& f, std::size_t) { return 1 + square(f.self); },
     .smooth = Smooth::kInside,
     .value = unary<::tan>,
     .library = {.name = "tan", .unary = ::tan, .vectors = kVectors}},
    {.op = Op::kAsin,
     .name = "asin",
     .called = true,
     .latex = "\\arcsin",
     .parity = Parity::kOdd,
     .at_zero = 0,
     .derivative = [](const Call& f, std::size_t) { return pow(1 - square(f.x), Rational(-1, 2)); },
     .smooth = Smooth::kInside,
     .domain = Domain::kUnit,
     .monotone = true,
     .value = unary<::asin>,
     .library = {.name = "asin", .unary = ::asin, .vectors = kVectors}},
    {.op = Op::kAcos,
     .name = "acos",
     .called = true,
     .latex = "\\arccos",
     .at_one = 0,
     .derivative = [](const Call& f, std::size_t) { return -pow(1 - square(f.x), Rational(-1, 2)); },
     .smooth = Smooth::kInside,
     .domain = Domain::kUnit,
     .monotone = true,
     .value = unary<::acos>,
     .library = {.name = "acos", .unary = ::acos, .vectors = kVectors}},
    {.op = Op::kAtan,
     .name = "atan",
     .called = true,
     .latex = "\\arctan",
     .parity = Parity::kOdd,
     .at_zero = 0,
     .derivative = [](const Call& f, std::size_t) { return 1 / (1 + square(f.x)); },
     .smooth = Smooth::kInside,
     .sign = ValueSign::kOfArgument,
     .monotone = true,
     .value = unary<::atan>,
     .library = {.name = "atan", .unary = ::atan, .vectors = kVectors}},
    {.op = Op::kSinh,
     .name = "sinh",
     .called = true,
     .latex = "\\sinh",
     .powers = Powers::kOnName,
     .parity = Parity::kOdd,
     .at_zero = 0,
     .derivative = [](const Call& f, std::size_t) { return cosh(f.x); },
     .smooth = Smooth::kInside,
     .sign = ValueSign::kOfArgument,
     .monotone = true,
     .exponentials = ByExponentials{-1},
     .value = unary<::sinh>,
     .library = {.name = "sinh", .unary = ::sinh, .vectors = kVectors}},
    {.op = Op::kCosh,
     .name = "cosh",
     .called = true,
     .latex = "\\cosh",
     .powers = Powers::kOnName,
     .parity = Parity::kEven,
     .at_zero = 1,
     .derivative = [](const Call& f, std::size_t) { return sinh(f.x); },
     .smooth = Smooth::kInside,
     .sign = ValueSign::kPositive,
     .rises_outward = true,
     .exponentials = ByExponentials{1},
     .value = unary<::cosh>,
     .library = {.name = "cosh", .unary = ::cosh, .vectors = kVectors}},
    {.op = Op::kTanh,
     .name = "tanh",
     .called = true,
     .latex = "\\tanh",
     .powers = Powers::kOnName,
     .parity = Parity::kOdd,
     .at_zero = 0,
     .derivative = [](const Call& f, std::size_t) { return 1 - square(f.self); },
     .smooth = Smooth::kInside,
     .sign = ValueSign::kOfArgument,
     .monotone = true,
     .exponentials = ByExponentials{-1, true},
     .value = unary<::tanh>,
     .library = {.name = "tanh", .unary = ::tanh, .vectors = kVectors}},
    {.op = Op::kErf,
     .name = "erf",
     .called = true,
     .parity = Parity::kOdd,
     .at_zero = 0,
     .derivative = [](const Call& f, std::size_t) { return 2 * exp(-square(f.x)) / sqrt(f.x.graph().pi()); },
     .smooth = Smooth::kInside,
     .sign = ValueSign::kOfArgument,
     .monotone = true,
     .value = unary<::erf>,
     .library = {.name = "erf", .unary = ::erf}},
    {.op = Op::kExp,
     .name = "exp",
     .called = true,
     .latex = "\\exp",
     .at_zero = 1,
     .derivative = [](const Call& f, std::size_t) { return f.self; },
     .smooth = Smooth::kInside,
     .sign = ValueSign::kPositive,
     .monotone = true,
     .exponentials = ByExponentials{},
     .value = unary<::exp>,
     .library = {.name = "exp", .unary = ::exp, .vectors = kVectors}},
    {.op = Op::kLog,
     .name = "log",
     .called = true,
     .latex = "\\ln",
     .at_one = 0,
     .derivative = [](const Call& f, std::size_t) { return 1 / f.x; },
     .smooth = Smooth::kInside,
     .domain = Domain::kPositive,
     .monotone = true,
     .value = unary<::log>,
     .library = {.name = "log", .unary = ::log, .vectors = kVectors}},
    {.op = Op::kAbs,
     .name = "abs",
     .called = true,
     .rule = FunctionRule::kSame,
     .powers = Powers::kAfter,
     .parity = Parity::kEven,
     .at_zero = 0,
     .simplify = simple_abs,
     .derivative = [](const Call& f, std::size_t) { return sign(f.x); },
     .smooth = Smooth::kButAtZero,
     .sign = ValueSign::kNotNegative,
     .guard = Guard::kArgument,
     .value = [](const double* x) { return std::abs(x[0]); }},
    {.op = Op::kSign,
     .name = "sign",
     .called = true,
     .rule = FunctionRule::kRatio,
     .parity = Parity::kOdd,
     .at_zero = 0,
     .simplify = simple_sign,
     .sign = ValueSign::kOfArgument,
     .jumps = true,
     .guard = Guard::kArgument,
     .value = [](const double* x) { return std::isnan(x[0]) ? x[0] : static_cast<double>((x[0] > 0) - (x[0] < 0)); }},
    {.op = Op::kFloor,
     .name = "floor",
     .called = true,
     .simplify = simple_floor,
     .jumps = true,
     .guard = Guard::kArgument,
     .value = unary<::floor>,
     .library = {.name = "floor", .unary = ::floor}},
    {.op = Op::kAtan2,
     .name = "atan2",
     .arguments = 2,
     .called = true,
     .rule = FunctionRule::kRatio,
     .derivative = derivative_of_atan2,
     .value = binary<::atan2>,
     .library = {.name = "atan2", .binary = ::atan2, .vectors = kVectors}},
    {.op = Op::kMin,
     .name = "min",
     .arguments = 2,
     .called = true,
     .any_number = true,
     .rule = FunctionRule::kSame,
     .latex = "\\min",
     .powers = Powers::kAfter,
     .simplify = simple_extreme<true>,
     .derivative = derivative_of_extreme<true>,
     .guard = Guard::kDifference,
     .value = [](const double* x) { return x[0] < x[1] || std::isnan(x[0]) ? x[0] : x[1]; }},
    {.op = Op::kMax,
     .name = "max",
     .arguments = 2,
     .called = true,
     .any_number = true,
     .rule = FunctionRule::kSame,
     .latex = "\\max",
     .powers = Powers::kAfter,
     .simplify = simple_extreme<false>,
     .derivative = derivative_of_extreme<false>,
     .guard = Guard::kDifference,
     .value = [](const double* x) { return x[0] > x[1] || std::isnan(x[0]) ? x[0] : x[1]; }},
    {.op = Op::kLess,
     .name = "less",
     .arguments = 2,
     .rule = FunctionRule::kRatio,
     .simplify = simple_comparison<Op::kLess>,
     .truth = true,
     .jumps = true,
     .guard = Guard::kDifference,
     .value = [](const double* x) { return x[0] < x[1] ? 1.0 : 0.0; }},
    {.op = Op::kLessEqual,
     .name = "less or equal",
     .arguments = 2,
     .rule = FunctionRule::kRatio,
     .simplify = simple_comparison<Op::kLessEqual>,
     .truth = true,
     .jumps = true,
     .guard = Guard::kDifference,
     .value = [](const double* x) { return x[0] <= x[1] ? 1.0 : 0.0; }},
    {.op = Op::kEqual,
     .name = "equal",
     .arguments = 2,
     .rule = FunctionRule::kRatio,
     .simplify = simple_comparison<Op::kEqual>,
     .truth = true,
     .jumps = true,
     .value = [](const double* x) { return x[0] == x[1] ? 1.0 : 0.0; }},
    {.op = Op::kAnd,
     .name = "and",
     .arguments = 2,
     .simplify = simple_connective<Op::kAnd>,
     .truth = true,
     .value = [](const double* x) { return x[0] != 0 && x[1] != 0 ? 1.0 : 0.0; }},
    {.op = Op::kOr,
     .name = "or",
     .arguments = 2,
     .simplify = simple_connective<Op::kOr>,
     .truth = true,
     .value = [](const double* x) { return x[0] != 0 || x[1] != 0 ? 1.0 : 0.0; }},
    {.op = Op::kNot,
     .name = "not",
     .latex = "\\neg",
     .simplify = simple_not,
     .truth = true,
     .value = [](const double* x) { return x[0] == 0 ? 1.0 : 0.0; }},
    {.op = Op::kSelect,
     .name = "if",
     .arguments = 3,
     .simplify = simple_select,
     .derivative = derivative_of_select,
     .jumps = true,
     .value = [](const double* x) { return x[0] != 0 ? x[1] : x[2]; }},
    {.op = Op::kNothing, .name = "(nothing)", .arguments = 0, .value = undefined},

    {.name = "sqrt", .called = true, .rule = FunctionRule::kRoot, .make = [](Arguments x) { return sqrt(x[0]); }},
    {.name = "hypot",
     .arguments = 2,
     .called = true,
     .rule = FunctionRule::kSame,
     .make = [](Arguments x) { return hypot(x[0], x[1]); }},
    {.name = "mod",
     .arguments = 2,
     .called = true,
     .rule = FunctionRule::kSame,
     .divides_by = 1,
     .make = [](Arguments x) { return mod(x[0], x[1]); }},
};

constexpr std::size_t kOperations = static_cast<std::size_t>(std::ranges::count(kTable, nullptr, &FunctionInfo::make));
static_assert(
    [] {
      for (std::size_t i = 0; i < std::size(kTable); ++i)
        if (i < kOperations ? kTable[i].op != static_cast<Op>(i) : kTable[i].make == nullptr) return false;
      return true;
    }(),
    "one row for each operation, in their order");

}  // namespace

const FunctionInfo& function_info(Op op) {
  assert(static_cast<std::size_t>(op) < kOperations);
  return kTable[static_cast<std::size_t>(op)];
}

std::span<const FunctionInfo> functions() { return kTable; }

double evaluate_function(Op op, const double* x) { return function_info(op).value(x); }

Expr sin(const Expr& x) { return function(Op::kSin, {x}); }
Expr cos(const Expr& x) { return function(Op::kCos, {x}); }
Expr tan(const Expr& x) { return function(Op::kTan, {x}); }
Expr asin(const Expr& x) { return function(Op::kAsin, {x}); }
Expr acos(const Expr& x) { return function(Op::kAcos, {x}); }
Expr atan(const Expr& x) { return function(Op::kAtan, {x}); }
Expr atan2(const Expr& y, const Expr& x) { return function(Op::kAtan2, {y, x}); }
Expr sinh(const Expr& x) { return function(Op::kSinh, {x}); }
Expr cosh(const Expr& x) { return function(Op::kCosh, {x}); }
Expr tanh(const Expr& x) { return function(Op::kTanh, {x}); }
Expr erf(const Expr& x) { return function(Op::kErf, {x}); }
Expr exp(const Expr& x) { return function(Op::kExp, {x}); }
Expr log(const Expr& x) { return function(Op::kLog, {x}); }
Expr abs(const Expr& x) { return function(Op::kAbs, {x}); }
Expr sign(const Expr& x) { return function(Op::kSign, {x}); }
Expr floor(const Expr& x) { return function(Op::kFloor, {x}); }
Expr min(const Expr& a, const Expr& b) { return function(Op::kMin, {a, b}); }
Expr max(const Expr& a, const Expr& b) { return function(Op::kMax, {a, b}); }
Expr hypot(const Expr& a, const Expr& b) { return sqrt(sum_of_squares(a, b)); }
Expr mod(const Expr& a, const Expr& b) { return a - b * floor(a / b); }

}  // namespace dalembert
