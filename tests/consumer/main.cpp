// SPDX-License-Identifier: Apache-2.0
// A program outside of the source tree: it loads an installed reference model, and compares a rod's multiplier with the
// closed form λ = −m L θ̇² − m g cos θ (the polar pendulum, no horizontal force).
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "dalembert/base/diagnostic.h"
#include "dalembert/compile/compile.h"
#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/modelfile/load.h"

int main() {
  using namespace dalembert;
  const auto fail = [](const Diagnostics& diagnostics) {
    std::fputs(render(diagnostics).c_str(), stderr);
    return 1;
  };
  Result<Model> model = load_model_file(std::string(MODELS_DIR) + "/polar-pendulum.toml");
  if (!model) return fail(model.diagnostics());
  const auto shared = std::make_shared<const Model>(std::move(*model));
  const Result<Equations> equations = derive(shared);
  if (!equations) return fail(equations.diagnostics());

  const Dynamics dynamics = compile(*equations);
  const Assembly start = assemble(dynamics, initial_state(*shared), held_values(*shared));
  const KktSolution now = solve_kkt(dynamics, start.state);

  // m, L, g and the initial θ, θ̇ of models/polar-pendulum.toml.
  const double expected = -0.5 * 0.8 * 2 * 2 - 0.5 * 9.81 * std::cos(30 * std::acos(-1.0) / 180);
  if (!start.ok() || now.lambda.size() != 1) return std::fputs("no consistent start\n", stderr), 1;
  std::printf("lambda(rod) = %.12g N, closed form %.12g N\n", now.lambda[0], expected);
  return std::abs(now.lambda[0] - expected) < 1e-9 ? 0 : 1;
}
