// SPDX-License-Identifier: Apache-2.0
// The functions of expressions: all that is known of each is in one row of one table (function_table.cpp), and
// parser, dimensions, derivatives, printers, evaluation, tapes, C source and exact algebra read it there.
//
// A row may leave out what is not known: every default is on the safe side, so that a function without a sign, a domain
// or an enclosure (algebra/enclosure.h) leaves questions open and decides none wrongly.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dalembert/expr/expr.h"

namespace dalembert {

enum class FunctionRule : std::uint8_t {
  kPure,   // pure numbers in, a pure number out: sin, exp
  kSame,   // the argument's dimension: abs, min
  kRoot,   // its square root
  kRatio,  // arguments of one dimension in, a pure number out: atan2, sign
};

enum class Parity : std::uint8_t { kNone, kOdd, kEven };

/// How its name takes an exponent in formulas.
enum class Powers : std::uint8_t {
  kParentheses,  // (ln x)²
  kOnName,       // sin² x
  kAfter,        // |x|²
};

/// Where it has a value.
enum class Domain : std::uint8_t {
  kAll,
  kPositive,  // x > 0: log
  kUnit,      // |x| <= 1: asin
};

/// Where it has a Taylor series.
enum class Smooth : std::uint8_t {
  kUnknown,
  kInside,     // wherever it has a value, but for the ends of its domain
  kButAtZero,  // but where its argument is 0: abs
};

/// What is certain of its value's sign.
enum class ValueSign : std::uint8_t {
  kAny,
  kPositive,
  kNotNegative,  // 0 only where the argument is 0: abs
  kOfArgument,   // sinh
};

/// Which number chooses a branch by its sign.
enum class Guard : std::uint8_t { kNone, kArgument, kDifference };

/// One call: itself and its arguments, those beyond its number null.
struct FunctionCall {
  Expr self, x, y, z;
};

/// A function of <cmath>, as compiled code calls it (sine and cosine: base/sine_cosine.h in its place).
struct LibraryFunction {
  std::string_view name;  ///< in libm; empty: no such function
  double (*unary)(double) = nullptr;
  double (*binary)(double, double) = nullptr;
  bool vectors = false;  ///< SLEEF has it for several numbers at once, within rounding of libm
};

struct FunctionInfo {
  Op op = Op::kConstant;
  std::string_view name = {};
  int arguments = 1;

  // In the language.
  bool called = false;      ///< written `name(…)` in models
  bool any_number = false;  ///< … with any number of arguments from two: min(a, b, c) is min(min(a, b), c)
  FunctionRule rule = FunctionRule::kPure;
  int divides_by = -1;                            ///< the argument that must not be 0
  Expr (*make)(std::span<const Expr>) = nullptr;  ///< what it is built of; null: an operation of its own, `op`

  // In formulas.
  std::string_view latex = {};  ///< empty: \operatorname{name}
  Powers powers = Powers::kParentheses;

  // In exact algebra.
  Parity parity = Parity::kNone;
  std::optional<int> at_zero = {}, at_one = {};               ///< values that are whole numbers
  Expr (*simplify)(Graph&, std::span<const Expr>) = nullptr;  ///< null result: stays as it is
  /// ∂/∂(argument `which`); null result or null: 0 wherever it has one.
  Expr (*derivative)(const FunctionCall&, std::size_t which) = nullptr;
  Smooth smooth = Smooth::kUnknown;
  Domain domain = Domain::kAll;
  ValueSign sign = ValueSign::kAny;
  bool monotone = false;  ///< rises, or falls, on the whole of its domain
  bool truth = false;     ///< 1 or 0: a condition
  bool jumps = false;
  Guard guard = Guard::kNone;

  // In numbers.
  double (*value)(const double* arguments) = nullptr;  ///< the one definition of what it means
  LibraryFunction library = {};
};

/// Everything that is known of an operation; of those that are no functions (sums, symbols) the name alone.
const FunctionInfo& function_info(Op op);

/// The whole table: operations in their order, then what is built of others.
std::span<const FunctionInfo> functions();

/// What models may call by this name; null when there is no such function.
const FunctionInfo* find_function(std::string_view name);
/// The function of these arguments.
Expr call(const FunctionInfo& function, std::span<const Expr> arguments);

/// True for words that mean something in expressions and cannot be names: `t`, `pi`, `sin`, `if`, …
bool is_reserved(std::string_view name);

/// What to write instead of a function that is not known.
std::string help_for_function(std::string_view word);

}  // namespace dalembert
