// SPDX-License-Identifier: Apache-2.0
// A shipped model at its consistent start, ready to run.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/shipped.h"
#include "dalembert/compile/compile.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/project.h"

namespace dalembert::bench {

struct Started {
  Dynamics dynamics;
  State start;
};

/// With its machine code: what is measured does not contain compilation. Nothing where no start is consistent.
inline std::optional<Started> started(const std::string& model, const std::vector<std::string>& set) {
  const Equations equations = derive_shipped(model, set);
  Dynamics dynamics = compile(equations);
  Assembly assembly = assemble(dynamics, initial_state(*equations.model), held_values(*equations.model));
  if (!assembly.ok() || !project(dynamics, assembly.state).ok) return std::nullopt;
  dynamics.kernel().expect_many_calls();
  return Started{std::move(dynamics), std::move(assembly.state)};
}

}  // namespace dalembert::bench
