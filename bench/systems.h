// SPDX-License-Identifier: Apache-2.0
// The systems that are measured, built in C++ so that no file is read: the same as models/*.toml.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dalembert/model/model.h"

namespace dalembert::bench {

/// Two rods and a slider, three coordinates, two closure equations.
inline std::shared_ptr<Model> slider_crank() {
  auto model = std::make_shared<Model>("slider-crank");
  const Coordinate theta = model->coordinate("theta"), phi = model->coordinate("phi"), x = model->coordinate("x");
  const Expr g = model->parameter("g", 9.81), L1 = model->parameter("L1", 0.15), L2 = model->parameter("L2", 0.35),
             m1 = model->parameter("m1", 0.36), m2 = model->parameter("m2", 0.84), m3 = model->parameter("m3", 1.2),
             I1 = model->parameter("I1", 0.0027), I2 = model->parameter("I2", 0.0343), zero = model->constant(0);
  const Expr tau = model->input("tau"), f = model->input("f");
  model->gravity({zero, -g});
  model->body("crank", m1, I1, {L1 * cos(theta), L1 * sin(theta)}, theta);
  model->body("rod", m2, I2, {2 * L1 * cos(theta) - L2 * cos(phi), 2 * L1 * sin(theta) - L2 * sin(phi)}, phi);
  model->body("slider", m3, {x, zero});
  model->holonomic("pin", {2 * L1 * cos(theta) - 2 * L2 * cos(phi) - x, 2 * L1 * sin(theta) - 2 * L2 * sin(phi)});
  model->power(tau * theta.qd + f * x.qd);
  return model;
}

/// Three free bars and four pins: nine coordinates, eight pin equations.
inline std::shared_ptr<Model> four_bar() {
  auto model = std::make_shared<Model>("four-bar");
  const Expr g = model->parameter("g", 9.81), l0 = model->parameter("l0", 0.45), zero = model->constant(0);
  model->gravity({zero, -g});
  struct Bar {
    Vector tail, head;
  };
  std::vector<Bar> bars;
  for (const auto& [name, length, mass] :
       {std::tuple{"1", 0.2, 0.4}, std::tuple{"2", 0.5, 1.0}, std::tuple{"3", 0.4, 0.8}}) {
    const std::string i = name;
    const Coordinate x = model->coordinate("x" + i), y = model->coordinate("y" + i),
                     theta = model->coordinate("theta" + i);
    const Expr l = model->parameter("l" + i, length), m = model->parameter("m" + i, mass);
    model->body("bar" + i, m, m * square(l) / 12, {x, y}, theta);
    const Expr dx = l / 2 * cos(theta), dy = l / 2 * sin(theta);
    bars.push_back({{x - dx, y - dy}, {x + dx, y + dy}});
  }
  model->coincide("A", bars[0].tail, {zero, zero});
  model->coincide("B", bars[1].tail, bars[0].head);
  model->coincide("C", bars[2].head, bars[1].head);
  model->coincide("D", bars[2].tail, {l0, zero});
  model->torque(model->coordinates[2].q, model->input("tau"));
  return model;
}

/// n equal rods hanging from a pin, in minimal coordinates: the mass matrix is full.
inline std::shared_ptr<Model> chain(int n) {
  auto model = std::make_shared<Model>("n-link-chain");
  const Expr g = model->parameter("g", 9.81), m = model->parameter("m", 0.1), l = model->parameter("l", 0.2);
  Expr x = model->constant(0), y = model->constant(0);
  model->gravity({x, -g});
  for (int i = 1; i <= n; ++i) {
    const Coordinate theta = model->coordinate("theta" + std::to_string(i));
    model->body("link" + std::to_string(i), m, m * square(l) / 12, {x + l / 2 * cos(theta), y + l / 2 * sin(theta)},
                theta);
    x = x + l * cos(theta);
    y = y + l * sin(theta);
  }
  return model;
}

}  // namespace dalembert::bench
