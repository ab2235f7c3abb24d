// SPDX-License-Identifier: Apache-2.0
// The methods of integrate(). A new explicit pair is a file with its coefficients, a line in the enumeration (integrate_options.h) and one in
// kExplicitPairs; a new implicit method a OneStepMethod, a line in the enumeration and one in kImplicitMethods (method.cpp).
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "dalembert/integrate/integrate_options.h"

namespace dalembert {

struct Tableau;
class OneStepMethod;
class ShiftedSolver;

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
/// Creates the implicit method of these options; for the other methods, the one that auto switches to. For fixed steps the equations of the stages
/// are solved to round-off. The other arguments are those of Radau.
std::unique_ptr<OneStepMethod> make_implicit_method(const IntegrateOptions& options, ShiftedSolver& solver, int size,
                                                    int room);
/// The name of the method that make_implicit_method() creates, for messages.
std::string_view name_of_implicit_method(Method method);

}  // namespace dalembert
