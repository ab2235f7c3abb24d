// SPDX-License-Identifier: Apache-2.0
// The integrals over a run that outputs and events of a model read, as parameters of its kernel.
#pragma once

#include "dalembert/derive/equations.h"

namespace dalembert {

/// The equations in which each integral that an output or event reads is a parameter of its own, 0 at the start of a run (Layout::integrals,
/// Integral::parameter). These parameters follow those of the model. Other integrals are left out. Equations without integrals are returned
/// unchanged.
Equations with_integral_parameters(Equations equations);

}  // namespace dalembert
