// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/functions.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dalembert/base/text.h"

namespace dalembert {

const FunctionInfo* find_function(std::string_view name) {
  const auto known = functions();
  const auto found =
      std::ranges::find_if(known, [&](const FunctionInfo& row) { return row.called && row.name == name; });
  return found == known.end() ? nullptr : &*found;
}

Expr call(const FunctionInfo& function, std::span<const Expr> arguments) {
  const auto made = [&](std::span<const Expr> x) {
    return function.make ? function.make(x) : common_graph(x).function(function.op, x);
  };
  if (!function.any_number) return made(arguments);
  Expr result = arguments[0];
  for (const Expr& next : arguments.subspan(1)) result = made(std::array{result, next});
  return result;
}

std::string help_for_function(std::string_view word) {
  struct Habit {
    std::string_view written, here;
  };
  static constexpr Habit kHabits[] = {{"ln", "log"},
                                      {"arcsin", "asin"},
                                      {"arccos", "acos"},
                                      {"arctan", "atan"},
                                      {"arctan2", "atan2"},
                                      {"fabs", "abs"},
                                      {"pow", "^"},
                                      {"sgn", "sign"},
                                      {"der", "dot"},
                                      {"diff", "dot"},
                                      {"ddt", "dot"},
                                      {"cot", "1/tan(x)"},
                                      {"ctg", "1/tan(x)"},
                                      {"cotan", "1/tan(x)"},
                                      {"tg", "tan"},
                                      {"arctg", "atan"},
                                      {"sh", "sinh"},
                                      {"ch", "cosh"},
                                      {"th", "tanh"},
                                      {"acosh", "log(x + sqrt(x^2 - 1))"},
                                      {"atanh", "log((1 + x)/(1 - x))/2"},
                                      {"sec", "1/cos(x)"},
                                      {"csc", "1/sin(x)"},
                                      {"cosec", "1/sin(x)"},
                                      {"sinc", "sin(x)/x"},
                                      {"arsinh", "log(x + sqrt(x^2 + 1))"},
                                      {"asinh", "log(x + sqrt(x^2 + 1))"},
                                      {"root", "sqrt"},
                                      {"ceil", "-floor(-x)"},
                                      {"round", "floor(x + 0.5)"},
                                      {"int", "floor"},
                                      {"fmod", "mod"},
                                      {"rem", "mod"},
                                      {"modulo", "mod"},
                                      {"cbrt", "x^(1/3)"},
                                      {"log10", "log(x)/log(10)"},
                                      {"log2", "log(x)/log(2)"},
                                      {"pow2", "x^2"},
                                      {"step", "if(x > 0, 1, 0)"},
                                      {"heaviside", "if(x > 0, 1, 0)"}};
  for (const Habit& habit : kHabits)
    if (habit.written == word) return fmt::format("write `{}`", habit.here);
  // Angles are in radians, and `30 deg` is an angle: which way a conversion goes is not guessed.
  for (const std::string_view turn : {"deg", "rad", "degrees", "radians", "deg2rad", "rad2deg"})
    if (word == turn)
      return "angles are in radians: an angle `x` is `x*180/pi` degrees, and `y` degrees are the angle `y*pi/180`, as "
             "`30 deg` is";
  if (word == "d") return "the time derivative `d(…)/dt` is written `dot(…)`, and that of a coordinate `x'`";
  std::vector<std::string> names;
  for (const FunctionInfo& function : functions())
    if (function.called) names.emplace_back(function.name);
  for (const char* other : {"dot", "if", "sum", "lambda"}) names.emplace_back(other);
  if (const auto similar = nearest(word, names)) return fmt::format("did you mean `{}`?", *similar);
  return fmt::format("the functions are {}; a product needs its `*`: `{}*(…)`", fmt::join(names, ", "), word);
}

bool is_reserved(std::string_view name) {
  static constexpr std::string_view kKeywords[] = {"and", "or", "not", "in", "if", "sum", "dot", "lambda", "pi", "t"};
  return std::ranges::find(kKeywords, name) != std::end(kKeywords) || find_function(name) != nullptr;
}

std::string help_for_reserved(std::string_view name) {
  if (name == "t") return "`t` is the time";
  if (name == "pi") return "`pi` is the number 3.14159…";
  if (name == "lambda")
    return "`lambda(pin)` is the multiplier of the constraint `pin`; take another name, such as `lam`";
  return find_function(name) || name == "sum" || name == "dot" || name == "if"
             ? fmt::format("`{}(…)` is a function", name)
             : fmt::format("`{}` is a word of the language", name);
}

}  // namespace dalembert
