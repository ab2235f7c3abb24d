// SPDX-License-Identifier: Apache-2.0
// Forces of constraints that are formulas: a force f at a point P is right where Jᵀf with J = ∂P/∂q is what the row does
// to the coordinates that move P's body, λ ∂h/∂q (theory §2).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "dalembert/compile/compile.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/scene/scene.h"

namespace dalembert {
namespace {

struct Shown {
  std::shared_ptr<const Equations> equations;
  Dynamics dynamics;
  State start;
  Scene scene;
};

Shown show(Result<Model> model) {
  const auto equations =
      std::make_shared<const Equations>(derive(std::make_shared<const Model>(std::move(model).value())).value());
  Dynamics dynamics = compile(*equations, {.machine_code = false});
  const State start = assemble_start(*equations, dynamics, initial_state(*equations->model)).state;
  Scene scene = scene_of(*equations, dynamics, start);
  return {equations, std::move(dynamics), start, std::move(scene)};
}
Shown show_shipped(const std::string& name) {
  return show(load_model_file(std::string(DALEMBERT_SOURCE_DIR) + "/models/" + name + ".toml"));
}

// The closure of the loop, 2 L1 (cos θ, sin θ) − …: λ is the force on the crank at its pin A.
TEST(Reactions, AreAtThePointWhoseSlopesTheRowHas) {
  const Shown shown = show_shipped("slider-crank");
  ASSERT_EQ(shown.scene.forces.size(), 1u);
  const SceneForce& force = shown.scene.forces[0];
  EXPECT_EQ(shown.scene.tracks[static_cast<std::size_t>(force.track)].name, "A");
  EXPECT_EQ(force.rows, (std::vector<int>{0, 1}));
  EXPECT_EQ(force.name, "pin");
  const SceneInstant instant = SceneEvaluator(shown.scene, shown.dynamics).at(shown.start, std::vector<double>{3, -5});
  EXPECT_DOUBLE_EQ(instant.force[0][0], 3);
  EXPECT_DOUBLE_EQ(instant.force[0][1], -5);
}

// h = r − L, bob at r (sin θ, −cos θ): the force is along the rod, away from the pivot for λ > 0.
TEST(Reactions, AreAlongARodStatedByItsLength) {
  const Shown shown = show_shipped("polar-pendulum");
  const auto rod = std::ranges::find(shown.scene.forces, "rod", &SceneForce::name);  // beside the applied force
  ASSERT_NE(rod, shown.scene.forces.end());
  const auto force = static_cast<std::size_t>(rod - shown.scene.forces.begin());
  SceneEvaluator evaluator(shown.scene, shown.dynamics);
  for (const double theta : {0.3, 2.0, -1.1}) {
    State state = shown.start;
    state.q[1] = theta;
    const SceneInstant instant = evaluator.at(state, std::vector<double>{2});
    EXPECT_NEAR(instant.force[force][0], 2 * std::sin(theta), 1e-12);
    EXPECT_NEAR(instant.force[force][1], -2 * std::cos(theta), 1e-12);
  }
}

// x + h cot θ − c moves the whole rod: no force at its foot does to it what the corner does.
TEST(Reactions, AreNotAtAPointOfABodyThatTheRowMovesOtherwise) {
  EXPECT_TRUE(show_shipped("rod-on-corner").scene.forces.empty());
}

// A point mass on the circle x² + y² = L²: f = λ ∂h/∂(x, y); and a mass on the line y = c.
TEST(Reactions, OfPointMasses) {
  const std::string text =
      "coordinates = [\"x\", \"y\"]\n[[body]]\nname = \"m\"\nmass = 1\nposition = [\"x\", \"y\"]\n"
      "[initial]\nposition = {x = 0.6}\nguess = {y = 0.8}\n";
  const Shown circle =
      show(load_model(make_source("c.toml", text + "[[constraint]]\nname = \"c\"\nholonomic = \"x^2 + y^2 - 1\"\n")));
  ASSERT_EQ(circle.scene.forces.size(), 1u);
  const SceneInstant instant = SceneEvaluator(circle.scene, circle.dynamics).at(circle.start, std::vector<double>{1});
  EXPECT_NEAR(instant.force[0][0], 1.2, 1e-12);
  EXPECT_NEAR(instant.force[0][1], 1.6, 1e-12);
  const Shown line =
      show(load_model(make_source("l.toml", text + "[[constraint]]\nname = \"c\"\nholonomic = \"0.8 - y\"\n")));
  ASSERT_EQ(line.scene.forces.size(), 1u);
  EXPECT_EQ(SceneEvaluator(line.scene, line.dynamics).at(line.start, std::vector<double>{1}).force[0][1], -1);
}

}  // namespace
}  // namespace dalembert
