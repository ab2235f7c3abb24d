// SPDX-License-Identifier: Apache-2.0
// The ways in which tests run every shipped model.
#pragma once

#include <optional>

#include "dalembert/integrate/integrate_options.h"

namespace dalembert {

struct RunWay {
  const char* name;
  std::optional<Method> method;
  Formulation formulation;
};
// The model's own settings, and the others.
inline constexpr RunWay kRunWays[] = {{"stated", std::nullopt, Formulation::kIndex1},
                                      {"dopri5", Method::kDopri5, Formulation::kIndex1},
                                      {"radau", Method::kRadau, Formulation::kIndex1},
                                      {"auto", Method::kAuto, Formulation::kIndex1},
                                      {"reduced", Method::kDop853, Formulation::kReduced}};

}  // namespace dalembert
