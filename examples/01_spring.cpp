// SPDX-License-Identifier: Apache-2.0
// 01  A mass on a spring, from text to motion.
//
// The whole way once: a model file (here a string) becomes a model, equations, numbers, motion. The answer is known:
// m x'' + k x = 0 from rest at x = A gives x(t) = A cos(√(k/m) t).
#include <dalembert/dalembert.h>
#include <fmt/format.h>

#include <cmath>

using namespace dalembert;

constexpr const char* kModel = R"(
name = "mass-spring"
coordinates = [{name = "x", unit = "m"}]

[parameters]
m = "2 kg"
k = "0.5 N/cm"          # values may carry any unit; inside everything is SI

[energy]
kinetic = "m/2*dot(x)^2"
potential = "k/2*x^2"

[initial]
position = {x = "10 cm"}
velocity = {x = "0 m/s"}
)";

int main() try {
  const Equations equations = derive(parse_model(kModel));
  fmt::print("{}\n", print_equations(equations, {}));  // among them: m*x'' + k*x = 0

  const Dynamics dynamics = compile(equations);
  const State start = assemble(dynamics, *equations.model).state();  // the model's own initial values
  const Trajectory path = integrate(dynamics, start, {.until = 10, .rtol = 1e-11});

  // Every run judges itself; this one can be held against the exact solution besides.
  fmt::print("{}\n", to_text(path.verdict));
  const double omega = std::sqrt(50.0 / 2.0), exact = 0.1 * std::cos(omega * 10);
  const double x = path.series("x").back();
  fmt::print("x(10 s) = {:.12f} m, exact {:.12f} m\n", x, exact);
  return path.verdict.holds && std::abs(x - exact) < 1e-9 ? 0 : 1;
} catch (const ModelError& wrong) {
  // What is wrong in the text above, with the line and how to mend it, as the command would show it.
  fmt::print(stderr, "{}", wrong.what());
  return 2;
}
