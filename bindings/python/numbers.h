// SPDX-License-Identifier: Apache-2.0
// A compiled model with its own start, as the parts of the module about runs share it.
#pragma once

#include "bindings/python/core.h"

namespace dalembert::python {

/// Immutable, so several threads may use it.
struct Numbers {
  BuiltModel built;
  Dynamics with(const py::dict& parameters) const {
    return parameters.empty() ? built.dynamics
                              : built.dynamics.with_parameters(parameters_of(built.dynamics, parameters));
  }
};

}  // namespace dalembert::python
