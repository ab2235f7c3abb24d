// SPDX-License-Identifier: Apache-2.0
// The functions of expressions. Everything that is known of a function is in its row of one table (function_table.cpp). Parser, dimensions,
// derivatives, printers, evaluation, tapes, C source and exact algebra read it there.
//
// A row may omit properties that are not known. Every default is on the safe side: a function without a sign, a domain or an enclosure
// (algebra/enclosure.h) leaves questions open but never causes a wrong answer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dalembert/expr/expr.h"

namespace dalembert {

enum class FunctionRule : std::uint8_t {
  kPure,   // dimensionless arguments, dimensionless value: sin, exp
  kSame,   // value and arguments have the same dimension: abs, min
  kRoot,   // square root of the argument's dimension
  kRatio,  // arguments of the same dimension, dimensionless value: atan2, sign
};

enum class Parity : std::uint8_t { kNone, kOdd, kEven };

/// How printed formulas write a power of the function.
enum class Powers : std::uint8_t {
  kParentheses,  // the power of a function in parentheses: (ln x)²
  kOnName,       // exponent after the function's name: sin² x
  kAfter,        // exponent after the call: |x|²
};

/// Where the function has a value.
enum class Domain : std::uint8_t {
  kAll,
  kPositive,  // the argument must be positive: log
  kUnit,      // the argument must be in [−1, 1]: asin
};

/// Where the function has a Taylor series.
enum class Smooth : std::uint8_t {
  kUnknown,
  kInside,     // wherever the function has a value, except at the ends of its domain
  kButAtZero,  // everywhere except where its argument is 0: abs
};

/// What is known of the sign of the function's value.
enum class ValueSign : std::uint8_t {
  kAny,
  kPositive,
  kNotNegative,  // 0 only where the argument is 0, else positive: abs
  kOfArgument,   // the sign of its argument: sinh
};

/// Which number selects the branch of the function by its sign: none, the argument, or the difference of two arguments.
enum class Guard : std::uint8_t { kNone, kArgument, kDifference };

/// The function (eˣ + down·e⁻ˣ) / D. If `below` is true, D = eˣ + e⁻ˣ, otherwise D is the number of terms in the
/// numerator.
struct ByExponentials {
  int down = 0;  ///< factor of e⁻ˣ: 1 or −1, or 0 for a numerator of eˣ alone
  bool below = false;
};

/// A function call: the call itself and its arguments; missing arguments are null.
struct FunctionCall {
  Expr self, x, y, z;
};

/// The function of <cmath> that compiled code calls (for sine and cosine, base/sine_cosine.h is used instead).
struct LibraryFunction {
  std::string_view name;  ///< its name in libm; empty: libm has no such function
  double (*unary)(double) = nullptr;
  double (*binary)(double, double) = nullptr;
  bool vectors = false;  ///< SLEEF has a SIMD version, within rounding of libm
};

struct FunctionInfo {
  Op op = Op::kConstant;
  std::string_view name = {};
  int arguments = 1;

  // The function in the language of models.
  bool called = false;      ///< models may call it as `name(…)`
  bool any_number = false;  ///< models may call it with two or more arguments: min(a, b, c) is min(min(a, b), c)
  FunctionRule rule = FunctionRule::kPure;
  int divides_by = -1;                            ///< index of the argument that must not be 0; -1: none
  Expr (*make)(std::span<const Expr>) = nullptr;  ///< builds the call from other operations; null: `op` is called

  // The function in printed formulas.
  std::string_view latex = {};  ///< the function's name in LaTeX; empty: \operatorname{name}
  Powers powers = Powers::kParentheses;

  // The function in exact algebra.
  Parity parity = Parity::kNone;
  std::optional<int> at_zero = {}, at_one = {};               ///< value at 0 and at 1, if it is an integer
  Expr (*simplify)(Graph&, std::span<const Expr>) = nullptr;  ///< returns a simpler form of a call; null: there is none
  /// Derivative with respect to argument `which`. A null pointer or result means 0 wherever the derivative exists.
  Expr (*derivative)(const FunctionCall&, std::size_t which) = nullptr;
  Smooth smooth = Smooth::kUnknown;
  Domain domain = Domain::kAll;
  ValueSign sign = ValueSign::kAny;
  bool monotone = false;       ///< strictly increasing, or strictly decreasing, on its whole domain
  bool rises_outward = false;  ///< even, and increasing in |x|, as cosh
  std::optional<ByExponentials> exponentials = {};  ///< the function in terms of eˣ, as of sinh
  bool truth = false;                               ///< a condition, with the value 1 or 0
  bool jumps = false;
  Guard guard = Guard::kNone;

  // The function in numbers.
  double (*value)(const double* arguments) = nullptr;  ///< the only definition of the function's numerical value
  LibraryFunction library = {};
};

/// All that is known of an operation. For operations that are not functions (sums, symbols), only the name.
const FunctionInfo& function_info(Op op);

/// The whole table: all operations in the order of Op, then functions that are built from others.
std::span<const FunctionInfo> functions();

/// The function that models call by this name; null if there is none.
const FunctionInfo* find_function(std::string_view name);
/// The call of `function` with these arguments.
Expr call(const FunctionInfo& function, std::span<const Expr> arguments);

/// True for words that mean something in expressions and cannot be names: `t`, `pi`, `sin`, `if`, …
bool is_reserved(std::string_view name);
/// What a reserved word means: "`t` is the time".
std::string help_for_reserved(std::string_view name);

/// Help text for an unknown function: what to write instead.
std::string help_for_function(std::string_view word);

}  // namespace dalembert
