// SPDX-License-Identifier: Apache-2.0
// Forces of constraints that are formulas: a force f at a point P is right where Jᵀf with J = ∂P/∂q is what the row does
// to the coordinates that move P's body, λ ∂h/∂q (theory §2).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include "dalembert/base/file.h"
#include "dalembert/compile/compile.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/scene/scene.h"
#include "source_tree.h"
#include "systems/shipped_model.h"

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
  const State start = assemble_start(*equations, dynamics).state;
  Scene scene = scene_of(*equations, dynamics, start);
  return {equations, std::move(dynamics), start, std::move(scene)};
}
Shown show_shipped(const std::string& name) {
  return show(load_model_file(source_tree() + "/models/" + name + ".toml"));
}

// The closure of the loop, 2 L1 (cos θ, sin θ) − …: λ is the force on the crank at its pin A.
TEST(Reactions, AreAtThePointWhoseSlopesTheRowHas) {
  const Shown shown = show_shipped("slider-crank");
  const auto pin = std::ranges::find(shown.scene.forces, "pin", &SceneForce::name);  // beside the applied ones
  ASSERT_NE(pin, shown.scene.forces.end());
  const SceneForce& force = *pin;
  EXPECT_EQ(shown.scene.tracks[static_cast<std::size_t>(force.track)].name, "A");
  EXPECT_EQ(force.rows, (std::vector<int>{0, 1}));
  const SceneInstant instant = SceneEvaluator(shown.scene, shown.dynamics).at(shown.start, std::vector<double>{3, -5});
  const auto which = static_cast<std::size_t>(pin - shown.scene.forces.begin());
  EXPECT_DOUBLE_EQ(instant.force[which][0], 3);
  EXPECT_DOUBLE_EQ(instant.force[which][1], -5);
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

// x + h cot θ − c moves the whole rod: no force at its foot does to it what the corner Q does, which is a normal force on the rod,
// N = −λ/sin θ along (−sin θ, cos θ), as the model says; its friction, with v_s = x' cos θ, is −f along the rod.
TEST(Reactions, OfABarOnACornerAreAtTheCorner) {
  for (const bool rough : {false, true}) {
    const Shown shown = show_shipped(rough ? "rod-on-corner-friction" : "rod-on-corner");
    SceneEvaluator evaluator(shown.scene, shown.dynamics);
    for (const double theta : {0.5, 1.1}) {
      State state = shown.start;
      state.q[1] = theta;
      state.q[0] = 1 - 0.5 / std::tan(theta);  // c = 1 m, h = 0.5 m
      const SceneInstant instant = evaluator.at(state, rough ? std::vector<double>{-3, 0.8} : std::vector<double>{-3});
      std::size_t seen = 0;
      for (std::size_t f = 0; f < shown.scene.forces.size(); ++f) {
        const SceneForce& force = shown.scene.forces[f];
        if (force.rows.empty()) continue;
        ++seen;
        EXPECT_EQ(shown.scene.tracks[static_cast<std::size_t>(force.track)].name, "Q");
        const double along = force.rows[0] == 0 ? 0 : -0.8, across = force.rows[0] == 0 ? 3 / std::sin(theta) : 0;
        EXPECT_NEAR(instant.force[f][0], along * std::cos(theta) - across * std::sin(theta), 1e-12) << force.name;
        EXPECT_NEAR(instant.force[f][1], along * std::sin(theta) + across * std::cos(theta), 1e-12) << force.name;
      }
      EXPECT_EQ(seen, rough ? 2u : 1u);
    }
  }
}

// y − l cos θ = 0 moves the hip's y as well, but what the ground does is done at the foot: there nothing of the row is left over.
TEST(Reactions, AreAtThePointThatFeelsTheWholeRow) {
  const Shown shown = show_shipped("compass-gait");
  const auto ground = std::ranges::find(shown.scene.forces, "ground", &SceneForce::name);
  ASSERT_NE(ground, shown.scene.forces.end());
  EXPECT_EQ(shown.scene.tracks[static_cast<std::size_t>(ground->track)].name, "foot");
}

// ‖p − p_k‖² − L² = 0, with the ends p_k of arms that do not move the platform: each rod pushes it along itself, λ 2 (p − p_k).
TEST(Reactions, OfRodsOnAPlatformAreAlongTheRods) {
  const Shown shown = show_shipped("delta-robot");
  ASSERT_EQ(shown.scene.forces.size(), 3u);
  const SceneInstant instant =
      SceneEvaluator(shown.scene, shown.dynamics).at(shown.start, std::vector<double>{1, 2, 3});
  const double R = 0.16, r = 0.04, l = 0.2, pi = std::acos(-1.0);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(shown.scene.tracks[static_cast<std::size_t>(shown.scene.forces[k].track)].name, "P");
    const double turn = 2 * pi * static_cast<double>(k) / 3, alpha = shown.start.q[3 + k],
                 lambda = static_cast<double>(k + 1);
    const double reach = R - r + l * std::cos(alpha);
    EXPECT_NEAR(instant.force[k][0], 2 * lambda * (shown.start.q[0] - reach * std::cos(turn)), 1e-12);
    EXPECT_NEAR(instant.force[k][1], 2 * lambda * (shown.start.q[1] - reach * std::sin(turn)), 1e-12);
    EXPECT_NEAR(instant.force[k][2], 2 * lambda * (shown.start.q[2] + l * std::sin(alpha)), 1e-12);
  }
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

// A skate x' cos α − y' sin α = 0 of a point mass: f = λ w, with w the row of W; and in space z' − y x' = 0.
TEST(Reactions, OfPointMassesOnPfaffianRows) {
  const Shown shown = show_shipped("nonholonomic-particle");
  ASSERT_EQ(shown.scene.forces.size(), 1u);
  State state = shown.start;
  state.q = {0.4, -0.7, 0.2};
  const SceneInstant instant = SceneEvaluator(shown.scene, shown.dynamics).at(state, std::vector<double>{2});
  const Terms terms = evaluate_terms(shown.dynamics, state);
  const Pattern& W = shown.dynamics.layout().W;
  ScenePoint expected{};
  for (std::size_t k = 0; k < terms.W.size(); ++k) expected[static_cast<std::size_t>(W.col[k])] = 2 * terms.W[k];
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(instant.force[0][k], expected[k], 1e-12) << k;
}

// The force that keeps a block on a plane tilted by α about y is along the plane's normal; its friction −(f₁, f₂) lies in the plane.
TEST(Reactions, OfATiltedPlaneAreAcrossIt) {
  const Shown shown = show_shipped("block-across-incline");
  ASSERT_EQ(shown.scene.forces.size(), 2u);
  const double alpha = 20 * std::acos(-1.0) / 180, N = 7, f1 = 3, f2 = -2;
  const SceneInstant instant =
      SceneEvaluator(shown.scene, shown.dynamics).at(shown.start, std::vector<double>{N, f1, f2});
  for (const SceneForce& force : shown.scene.forces)
    EXPECT_EQ(shown.scene.tracks[static_cast<std::size_t>(force.track)].name, "P");
  const double c = std::cos(alpha), s = std::sin(alpha);
  const ScenePoint normal{N * s, 0, N * c}, friction{-f1 * c, -f2, f1 * s};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(instant.force[0][k], normal[k], 1e-12);
    EXPECT_NEAR(instant.force[1][k], friction[k], 1e-12);
  }
}

// A ball that rolls on z = 0 feels the ground under its centre. By Newton's law for the centre the force is (λ₁, λ₂) along the axes in which
// the rows are stated: turned by ψ in Euler's angles, those of the ground with a quaternion.
TEST(Reactions, OfRollingBallsAreUnderTheirCentres) {
  for (const std::string name : {"rolling-sphere", "ball-on-turntable"}) {
    const Shown shown = show_shipped(name);
    ASSERT_EQ(shown.scene.forces.size(), 1u) << name;
    EXPECT_EQ(shown.scene.forces[0].name, "roll");
    State state = shown.start;
    state.q[0] = 0.3;
    state.q[1] = -0.2;
    const double psi = name == "rolling-sphere" ? state.q[2] = 0.7 : 0;
    const SceneInstant instant = SceneEvaluator(shown.scene, shown.dynamics).at(state, std::vector<double>{2, -5});
    EXPECT_EQ(instant.at[static_cast<std::size_t>(shown.scene.forces[0].track)], (ScenePoint{0.3, -0.2, 0}));
    EXPECT_NEAR(instant.force[0][0], 2 * std::cos(psi) + 5 * std::sin(psi), 1e-12);
    EXPECT_NEAR(instant.force[0][1], 2 * std::sin(psi) - 5 * std::cos(psi), 1e-12);
    EXPECT_EQ(instant.force[0][2], 0);
  }
}

// x' − 2 a ω_y = 0 is no velocity of the ball's lowest point: where it acts is not known, and no arrow is drawn.
TEST(Reactions, OfRowsThatAreNoVelocityOfAPointAreNotDrawn) {
  const auto forces = [](const std::string& factor) {
    return show(load_model(make_source("b.toml", R"toml(
coordinates = ["x", "y", "psi", "theta", "phi"]
[parameters]
a = 0.1
[[frame]]
name = "ball"
origin = ["x", "y", "a"]
rotate = [["z", "psi"], ["x", "theta"], ["z", "phi"]]
[[body]]
name = "ball"
mass = 1
inertia = [0.004, 0.004, 0.004]
frame = "ball"
[[constraint]]
name = "roll"
pfaffian = ["x' - )toml" + factor + R"toml(*a*sum(j in 1..3, dot(ball.R[1,j])*ball.R[3,j])"]
[initial]
position = {theta = 1}
)toml")))
        .scene.forces.size();
  };
  EXPECT_EQ(forces("1"), 1u);
  EXPECT_EQ(forces("2"), 0u);
}

// A rod or a rope pulls both of its ends.
TEST(Reactions, OfADistanceHaveTwoEnds) {
  const Shown shown = show_shipped("mass-on-string");
  const auto string = std::ranges::find(shown.scene.forces, "string", &SceneForce::name);
  ASSERT_NE(string, shown.scene.forces.end());
  ASSERT_GE(string->opposite, 0);
  const auto place = [&](int track) { return shown.scene.tracks[static_cast<std::size_t>(track)].name; };
  EXPECT_EQ(place(string->track), "O");
  EXPECT_NE(place(string->opposite), "O");
}

// A corner of a block that slides with v_s = dot(A.x) feels −f along x, where N acts; f comes after the multipliers of the rows.
TEST(Frictions, AreWhereTheReactionThatLoadsThemIs) {
  const Shown shown = show_shipped("rocking-block");
  const SceneInstant instant =
      SceneEvaluator(shown.scene, shown.dynamics).at(shown.start, std::vector<double>{900, 80, 35, -6});
  const auto force = [&](const std::string& name) {
    const auto found = std::ranges::find(shown.scene.forces, name, &SceneForce::name);
    return found == shown.scene.forces.end() ? -1 : static_cast<int>(found - shown.scene.forces.begin());
  };
  for (const auto& [corner, N, f] : {std::tuple("A", 900.0, 35.0), std::tuple("B", 80.0, -6.0)}) {
    const int normal = force(corner), friction = force("friction(" + std::string(corner) + ")");
    ASSERT_TRUE(normal >= 0 && friction >= 0) << corner;
    EXPECT_EQ(shown.scene.forces[static_cast<std::size_t>(normal)].track,
              shown.scene.forces[static_cast<std::size_t>(friction)].track);
    EXPECT_EQ(instant.force[static_cast<std::size_t>(normal)], (ScenePoint{0, N, 0}));
    EXPECT_EQ(instant.force[static_cast<std::size_t>(friction)], (ScenePoint{-f, 0, 0}));
  }
}

// A point mass on a rough floor in space: the two directions of one friction are one arrow, −(f₁, f₂, 0).
TEST(Frictions, InAPlaneAreOneForce) {
  const Shown shown = show(load_model(make_source("p.toml", R"toml(
coordinates = ["x", "y", "z"]
[[body]]
name = "m"
mass = 1
position = ["x", "y", "z"]
[[constraint]]
name = "floor"
holonomic = "z"
[[friction]]
name = "rough"
normal = "lambda(floor)"
velocity = ["x'", "y'"]
coefficient = 0.5
[initial]
position = {x = 0, y = 0}
velocity = {x = 1, y = 2}
)toml")));
  ASSERT_EQ(shown.scene.forces.size(), 2u);
  EXPECT_EQ(shown.scene.forces[1].name, "friction(rough)");
  const SceneInstant instant =
      SceneEvaluator(shown.scene, shown.dynamics).at(shown.start, std::vector<double>{9, 3, 4});
  EXPECT_EQ(instant.force[0], (ScenePoint{0, 0, 9}));
  EXPECT_EQ(instant.force[1], (ScenePoint{-3, -4, 0}));
}

// tau*theta' + f*x' drives the crank, which turns by θ, and the slider, which moves by x.
TEST(AppliedForces, HaveAPlace) {
  const Shown shown =
      show(load_model_file(source_tree() + "/models/slider-crank.toml", load_options({"tau=0.5", "f=-2"})));
  const SceneInstant instant = SceneEvaluator(shown.scene, shown.dynamics).at(shown.start);
  int seen = 0;
  for (std::size_t f = 0; f < shown.scene.forces.size(); ++f) {
    const SceneForce& force = shown.scene.forces[f];
    if (!force.rows.empty()) continue;
    const std::string& name = shown.scene.tracks[static_cast<std::size_t>(force.track)].name;
    EXPECT_EQ(force.turns, name == "crank") << name;
    EXPECT_EQ(force.unit, force.turns ? "N*m" : "N");
    EXPECT_EQ(instant.force[f], (force.turns ? ScenePoint{0.5, 0, 0} : ScenePoint{-2, 0, 0})) << name;
    ++seen;
  }
  EXPECT_EQ(seen, 2);
}

// A motor in space turns the arm about the vertical, at the joint of the arm; a torque on the pendulum is along the arm, at its end.
TEST(AppliedForces, AreTorquesAtJointsInSpace) {
  const Shown shown =
      show(load_model_file(source_tree() + "/models/furuta-pendulum.toml", load_options({"tau=0.5", "phi=30 deg"})));
  const SceneInstant instant = SceneEvaluator(shown.scene, shown.dynamics).at(shown.start);
  ASSERT_EQ(shown.scene.forces.size(), 1u);
  EXPECT_TRUE(shown.scene.forces[0].turns);
  EXPECT_EQ(shown.scene.forces[0].unit, "N*m");
  EXPECT_EQ(instant.force[0], (ScenePoint{0, 0, 0.5}));
  EXPECT_EQ(instant.at[static_cast<std::size_t>(shown.scene.forces[0].track)], (ScenePoint{0, 0, 0}));

  std::string text = read_text(source_tree() + "/models/furuta-pendulum.toml", "E0001").value();
  text.replace(text.find("coordinate = \"phi\""), 18, "coordinate = \"theta\"");
  const Shown other = show(load_model(make_source("f.toml", text), load_options({"tau=0.5", "phi=30 deg"})));
  const SceneInstant there = SceneEvaluator(other.scene, other.dynamics).at(other.start);
  ASSERT_EQ(other.scene.forces.size(), 1u);
  const auto joint = static_cast<std::size_t>(other.scene.forces[0].track);
  const double c = std::cos(std::numbers::pi / 6), s = 0.5;
  for (std::size_t k = 0; k < 3; ++k) {
    const double along = std::array{c, s, 0.0}[k];
    EXPECT_NEAR(there.force[0][k], 0.5 * along, 1e-15);
    EXPECT_NEAR(there.at[joint][k], 0.278 * along, 1e-15);
  }
}

// The joint of a twistcar that holds its steering is a joint: two bars, not a plate.
TEST(Frozen, JointsAreJoints) {
  const Shown shown = show(load_model_file(source_tree() + "/models/twistcar.toml", load_options({"phi=0.5"})));
  EXPECT_EQ(std::ranges::count(shown.scene.shapes, ShapeKind::kPlate, &SceneShape::kind), 0);
  EXPECT_EQ(std::ranges::count(shown.scene.shapes, ShapeKind::kBar, &SceneShape::kind), 2);
  EXPECT_EQ(std::ranges::count(shown.scene.shapes, ShapeKind::kPin, &SceneShape::kind), 1);
}

}  // namespace
}  // namespace dalembert
