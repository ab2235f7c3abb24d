// SPDX-License-Identifier: Apache-2.0
// 08  Frames, bodies and joints in space: a top on its tip.
//
// A symmetric top of mass m, its centre of mass l above the tip, is a body of six coordinates whose tip is pinned to the
// ground: three rows. With C the moment about its axis and A that about the tip across it, it precesses steadily at Ω,
// leaning by θ, when  (C ω₃ − A Ω cos θ) Ω = m g l,  ω₃ the spin along its axis (Goldstein, §5.7). Then the pin carries the
// weight and what keeps the centre on its circle, of radius l sin θ: m Ω² l sin θ.
#include <dalembert/dalembert.h>
#include <fmt/format.h>

#include <cmath>

using namespace dalembert;

int main() {
  Model model("top");
  const Coordinate x = model.coordinate("x", "m"), y = model.coordinate("y", "m"), z = model.coordinate("z", "m"),
                   psi = model.coordinate("psi", "rad"), theta = model.coordinate("theta", "rad"),
                   phi = model.coordinate("phi", "rad");
  const double mass = 0.2, length = 0.05, along = 1e-4, across = 3e-4, gravity = 9.81;
  const Expr m = model.parameter("m", mass, "kg"), l = model.parameter("l", length, "m"),
             C = model.parameter("C", along, "kg*m^2"), A = model.parameter("A", across, "kg*m^2"),
             g = model.parameter("g", gravity, "m/s^2");

  // Euler's angles; the frame is the body's: its origin is the centre of mass, the tip is l below.
  const Frame axes = model.frame("axes", {.origin = {x, y, z}, .rotate = {{'z', psi}, {'x', theta}, {'z', phi}}});
  const Point tip = model.point("tip", axes, {0, 0, -l});
  model.gravity({0, 0, -g});
  model.body("top", {.mass = m, .inertia = {A, A, C}, .frame = axes});
  model.coincide("pin", tip, {0, 0, 0});

  const Equations equations = derive(model);
  fmt::print("{} holds {}\n", equations.rows[2], explain_multipliers(equations)[2].words);

  // Steady precession, leaning by 0.6 rad, at 6 rad/s: which spin does that take?
  const double lean = 0.6, precession = 6, about_tip = across + mass * length * length;
  const double spin = (mass * gravity * length / precession + about_tip * precession * std::cos(lean)) / along;
  const Start start{.fixed = {{psi, 0, precession}, {theta, lean, 0}, {phi, 0, spin - precession * std::cos(lean)}},
                    .guess = {{z, length}}};
  const Path path = simulate(model, start, {.until = 2, .rtol = 1e-10});
  const Moment end = path.at(2);
  const double turned = end.q(psi), leaning = end.q(theta);
  const double weight = end.lambda("pin.z"), outward = std::hypot(end.lambda("pin.x"), end.lambda("pin.y"));
  fmt::print("after {} s: turned {:.9f} rad (steady: {:.9f}), leaning {:.9f} rad (steady: {:.9f})\n", end.t(), turned,
             2 * precession, leaning, lean);
  fmt::print("the pin carries {:.6f} N and pulls with {:.6f} N\n{}\n", weight, outward, to_text(path.verdict));
  const bool right = std::abs(turned - 2 * precession) < 1e-6 && std::abs(leaning - lean) < 1e-7 &&
                     std::abs(weight - mass * gravity) < 1e-5 &&
                     std::abs(outward - mass * precession * precession * length * std::sin(lean)) < 1e-5;
  return right && path.verdict.holds ? 0 : 1;
}
