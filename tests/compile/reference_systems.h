// SPDX-License-Identifier: Apache-2.0
// Systems built in C++ with their closed forms in the notation of docs/notation.md.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "dalembert/derive/equations.h"

namespace dalembert::testing {

/// Two thin rods of half lengths L1, L2 and a slider; three coordinates, two closure equations; torque tau, slider
/// force f.
class SliderCrank {
 public:
  std::shared_ptr<Model> model = std::make_shared<Model>("slider-crank");
  Coordinate theta = model->coordinate("theta", "rad"), phi = model->coordinate("phi", "rad"),
             x = model->coordinate("x", "m");
  Expr g = model->parameter("g", 9.81, "m/s^2"), L1 = model->parameter("L1", 0.15, "m"),
       L2 = model->parameter("L2", 0.35, "m"), m1 = model->parameter("m1", 0.36, "kg"),
       m2 = model->parameter("m2", 0.84, "kg"), m3 = model->parameter("m3", 1.2, "kg"),
       I1 = model->parameter("I1", 0.0027, "kg*m^2"), I2 = model->parameter("I2", 0.0343, "kg*m^2");
  Expr tau = model->input("tau"), force = model->input("f");

  SliderCrank() {
    const Expr zero = model->constant(0);
    model->gravity({zero, -g});
    model->body("crank", m1, I1, {L1 * cos(theta), L1 * sin(theta)}, theta);
    model->body("rod", m2, I2, {2 * L1 * cos(theta) - L2 * cos(phi), 2 * L1 * sin(theta) - L2 * sin(phi)}, phi);
    model->body("slider", m3, {x, zero});
    model->holonomic("pin", {2 * L1 * cos(theta) - 2 * L2 * cos(phi) - x, 2 * L1 * sin(theta) - 2 * L2 * sin(phi)});
    model->power(tau * theta.qd + force * x.qd);
    model->output("pin_force", hypot(model->lambda("pin[1]"), model->lambda("pin[2]")));
    model->output("slider_acceleration", x.qdd);
  }

  Equations equations() const {
    Result<Equations> result = derive(model);
    EXPECT_TRUE(result) << render(result.diagnostics());
    return std::move(result).value();
  }
};

}  // namespace dalembert::testing
