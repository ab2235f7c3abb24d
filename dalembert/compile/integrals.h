// SPDX-License-Identifier: Apache-2.0
// The integrals over a run that outputs and events of a model read, as symbols of its kernel.
#pragma once

#include <functional>
#include <string>

#include "dalembert/derive/equations.h"

namespace dalembert {

/// The equations in which each integral that an output or event reads is a symbol of its own, Integral::symbol: the one that `add` returns, which is
/// given the model, the name and the number of the integral. Other integrals are left out. Equations without integrals are returned unchanged.
using AddIntegral = std::function<Expr(Model& model, const std::string& name, int number)>;
Equations with_integral_symbols(Equations equations, const AddIntegral& add);

/// The same with parameters, which follow those of the model; they are 0 at the start of a run (Layout::integrals, Integral::parameter).
Equations with_integral_parameters(Equations equations);

/// Whether the integral is a symbol of the kernel's, as with_integral_symbols() makes it.
bool is_in_kernel(const Integral& integral);

}  // namespace dalembert
