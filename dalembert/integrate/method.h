// SPDX-License-Identifier: Apache-2.0
// The methods of integrate(). A new explicit pair needs a file with its coefficients, a line in the enumeration and
// one in kExplicitPairs. A new implicit method needs a OneStepMethod, a line in the enumeration and one in
// kImplicitMethods (method.cpp).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dalembert {

struct Tableau;
class OneStepMethod;
class ShiftedSolver;

enum class Method {
  kDop853,  ///< Dormand–Prince 8(5,3): for accuracy, the default
  kDopri5,  ///< Dormand–Prince 5(4): for rough answers and rough right-hand sides
  kRadau,   ///< Radau IIA of order 5: implicit, for stiff systems
  kAuto,    ///< dop853, but radau while the motion is stiff
};
inline constexpr std::array kMethods{Method::kDop853, Method::kDopri5, Method::kRadau, Method::kAuto};

std::string_view to_text(Method method);
std::optional<Method> parse_method(std::string_view name);
/// Names that parse_method knows.
std::vector<std::string> method_names();

/// 12 stages, continuous extension of order 7 (3 more stages). Hairer, Nørsett & Wanner, Solving ODEs I, 2nd ed., II.5;
/// code dop853.
const Tableau& dormand_prince_853();
/// 6 stages, continuous extension of order 4. The same, table II.5.2; code dopri5.
const Tableau& dormand_prince_54();

struct ExplicitPair {
  Method method;
  const Tableau& (*tableau)();
};
inline constexpr std::array kExplicitPairs{ExplicitPair{Method::kDop853, dormand_prince_853},
                                           ExplicitPair{Method::kDopri5, dormand_prince_54}};
/// The tableau of an explicit method; for implicit methods and auto, the explicit method that they fall back on.
const Tableau& explicit_tableau(Method method);

/// Whether the method makes implicit steps wherever possible.
bool is_implicit(Method method);
/// Whether the method may make implicit steps.
bool may_be_implicit(Method method);
/// Creates an implicit method; for the other methods, the one that auto switches to. The arguments are those of Radau.
std::unique_ptr<OneStepMethod> make_implicit_method(Method method, ShiftedSolver& solver, int size, double rtol,
                                                    double atol, int room);
/// The name of the method that make_implicit_method() creates, for messages.
std::string_view name_of_implicit_method(Method method);

}  // namespace dalembert
