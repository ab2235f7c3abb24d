// SPDX-License-Identifier: Apache-2.0
// 05  One support too many.
//
// A rigid beam on three supports: two would do, so rank W = 2 < 3. The motion (here: rest) is unique all the same. How
// the load is shared is not; rigid bodies do not tell. The answer says so, and is the one with the least Σ λ². For
// supports at s and a load m g at b, Σ λ = m g and Σ s λ = m g b, that is λ_k = m g (1/n + b s_k/Σ s²) where Σ s = 0.
#include <dalembert/dalembert.h>
#include <fmt/format.h>

#include <cmath>
#include <vector>

using namespace dalembert;

constexpr double kMass = 2, kGravity = 9.81, kB = 0.3;

// Whether the beam on supports at `s` answers as it must: rank 2, at rest, these λ, unique or not.
bool supported(const std::vector<double>& s) {
  Model model("beam");
  const Coordinate y = model.coordinate("y", "m"), theta = model.coordinate("theta", "rad");
  const Expr m = model.parameter("m", kMass, "kg"), I = model.parameter("I", 0.5, "kg*m^2");
  const Expr g = model.parameter("g", kGravity, "m/s^2"), b = model.parameter("b", kB, "m");
  const Expr length = model.parameter("length", 1, "m");

  const Vec2 middle{0, y};
  model.gravity(Vec2{0, -g});
  model.body("beam", m, I, middle + b * direction(theta), theta);
  std::vector<Expr> heights;
  for (const double position : s) heights.push_back(middle.y + position * length * sin(theta));
  model.holonomic("support", heights);

  const Dynamics dynamics = compile(derive(model));
  const State start = assemble(dynamics, {.fixed = {{y, 0, 0}, {theta, 0, 0}}}).state();
  const NamedSolution now = named(dynamics, solve_kkt(dynamics, start));

  double squares = 0;
  for (const double position : s) squares += position * position;
  bool right = now.status == KktStatus::kOk && now.rank == 2 && std::abs(now.qdd[y]) + std::abs(now.qdd[theta]) < 1e-12;
  fmt::print("{} supports: rank W = {}\n", s.size(), now.rank);
  for (std::size_t k = 0; k < s.size(); ++k) {
    const bool unique = now.lambda_unique[k];
    const double exact = kMass * kGravity * (1.0 / static_cast<double>(s.size()) + kB * s[k] / squares);
    fmt::print("  {} at {:+} m: {:.6f} N{}\n", now.lambda.names()[k], s[k], now.lambda[k],
               unique ? "" : " (not unique)");
    right = right && unique == (s.size() == 2) && std::abs(now.lambda[k] - exact) < 1e-12;
  }
  return right;
}

int main() {
  const bool two = supported({-1, 1});
  const bool three = supported({-1, 0, 1});
  return two && three ? 0 : 1;
}
