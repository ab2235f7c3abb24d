// SPDX-License-Identifier: Apache-2.0
// Simbody 3.7: one realisation of stage Acceleration, from new q and u to accelerations and constraint multipliers.
#include <Simbody.h>

#include <cmath>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/reference/reference.h"
#include "bench/states.h"

namespace dalembert::bench {
namespace {

using namespace SimTK;
const std::string kWho = "Simbody 3.7";

// A rod along x of its frame, centre at `centre`.
Body rod(double mass, double central_inertia, double centre) {
  const Vec3 com(centre, 0, 0);
  return Body::Rigid(
      MassProperties(mass, com, Inertia(0, central_inertia, central_inertia).shiftFromMassCenter(com, mass)));
}

struct World {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  Force::UniformGravity gravity{forces, matter, Vec3(0, -9.81, 0)};
  State state;

  // Point of `follower` stays at `place` of `base`, in the plane.
  void pin(MobilizedBody& base, const Vec3& place, MobilizedBody& follower, const Vec3& point) {
    Constraint::PointInPlane(base, UnitVec3(1, 0, 0), place[0], follower, point);
    Constraint::PointInPlane(base, UnitVec3(0, 1, 0), place[1], follower, point);
  }
  void finish() { state = system.realizeTopology(); }
  void accelerations() { system.realize(state, Stage::Acceleration); }
};

// Two angles, each relative to the body before, and the slider; the loop is closed by two constraints.
void slider_crank(benchmark::State& bench) {
  constexpr int kStates = 64;
  constexpr double L1 = 0.15, L2 = 0.35;
  World world;
  MobilizedBody::Pin crank(world.matter.Ground(), Transform(), rod(0.36, 0.0027, L1), Transform());
  MobilizedBody::Pin link(crank, Transform(Vec3(2 * L1, 0, 0)), rod(0.84, 0.0343, L2), Transform());
  MobilizedBody::Slider slider(world.matter.Ground(), Transform(),
                               Body::Rigid(MassProperties(1.2, Vec3(0), Inertia(1e-3))), Transform());
  world.pin(slider, Vec3(0), link, Vec3(2 * L2, 0, 0));
  world.finish();

  // phi of the model points from the slider to the crank pin, the other way.
  const States states = slider_crank_states(kStates);
  const auto set = [&](int j) {
    const double *q = states.position(j), *v = states.velocity(j);
    Vector& position = world.state.updQ();
    position[0] = q[0];
    position[1] = q[1] + kPi - q[0];
    position[2] = q[2];
    Vector& rate = world.state.updU();
    rate[0] = v[0];
    rate[1] = v[1] - v[0];
    rate[2] = v[2];
  };
  double largest = 0;
  for (int j = 0; j < kStates; ++j) {
    double qdd[3], lambda[2];
    reference::slider_crank(reference::Trigonometry::kLibrary)(states.position(j), states.velocity(j), qdd, lambda);
    set(j);
    world.accelerations();
    const Vector &found = world.state.getUDot(), &multipliers = world.state.getMultipliers();
    const double theirs[5] = {found[0], found[0] + found[1], found[2], std::abs(multipliers[0]),
                              std::abs(multipliers[1])};
    const double ours[5] = {qdd[0], qdd[1], qdd[2], std::abs(lambda[0]), std::abs(lambda[1])};
    largest = std::max(largest, difference(theirs, ours));
  }
  if (!same_physics(bench, largest, 1e-8)) return;
  int j = 0;
  for (auto _ : bench) {
    set(j);
    world.accelerations();
    j = (j + 1) % kStates;
  }
  count_as(bench, 1);
}

// N rods by relative angles (a tree: O(N), pin forces on request) or each by its own place, with 2N constraints.
void chain(benchmark::State& bench, int n, bool maximal) {
  World world;
  std::vector<MobilizedBody> bodies{world.matter.Ground()};
  for (int i = 0; i < n; ++i) {
    if (maximal) {
      MobilizedBody::Planar body(world.matter.Ground(), Transform(), rod(1, 1.0 / 12, 0), Transform());
      world.pin(bodies.back(), Vec3(i == 0 ? 0 : 0.5, 0, 0), body, Vec3(-0.5, 0, 0));
      bodies.push_back(body);
    } else {
      bodies.push_back(
          MobilizedBody::Pin(bodies.back(), Transform(Vec3(i == 0 ? 0 : 1, 0, 0)), rod(1, 1.0 / 12, 0.5), Transform()));
    }
  }
  world.finish();

  constexpr int kStates = 4;
  const auto size = static_cast<std::size_t>(n);
  States states(n, kStates);
  for (int j = 0; j < kStates; ++j) chain_state(n, j, states.position(j), states.velocity(j));
  const auto set = [&](int j) {
    const double *theta = states.position(j), *omega = states.velocity(j);
    Vector &position = world.state.updQ(), &rate = world.state.updU();
    double x = 0, y = 0, vx = 0, vy = 0;
    for (int i = 0; i < n; ++i) {
      if (!maximal) {
        position[i] = theta[i] - (i == 0 ? 0 : theta[i - 1]);
        rate[i] = omega[i] - (i == 0 ? 0 : omega[i - 1]);
        continue;
      }
      const double dx = 0.5 * std::cos(theta[i]), dy = 0.5 * std::sin(theta[i]);
      const double q[3] = {theta[i], x + dx, y + dy}, u[3] = {omega[i], vx - dy * omega[i], vy + dx * omega[i]};
      for (int k = 0; k < 3; ++k) {
        position[3 * i + k] = q[k];
        rate[3 * i + k] = u[k];
      }
      x += 2 * dx;
      y += 2 * dy;
      vx -= 2 * dy * omega[i];
      vy += 2 * dx * omega[i];
    }
  };
  Vector_<SpatialVec> reactions;
  const auto evaluate = [&](int j) {
    set(j);
    world.accelerations();
    if (!maximal) world.matter.calcMobilizerReactionForces(world.state, reactions);
  };

  reference::Chain hand(n);
  std::vector<double> alpha(size), ax(size), ay(size), force(2 * size), theirs(size);
  double largest = 0;
  for (int j = 0; j < kStates; ++j) {
    hand.evaluate(reference::Trigonometry::kLibrary, states.position(j), states.velocity(j),
                  {alpha.data(), ax.data(), ay.data(), force.data()});
    evaluate(j);
    const Vector& found = world.state.getUDot();
    double sum = 0;
    for (int i = 0; i < n; ++i) theirs[static_cast<std::size_t>(i)] = maximal ? found[3 * i] : sum += found[i];
    largest = std::max(largest, difference(theirs, alpha));
  }
  if (!same_physics(bench, largest, 1e-8 * n)) return;
  int j = 0;
  for (auto _ : bench) {
    evaluate(j);
    j = (j + 1) % kStates;
  }
  count_as(bench, n);
}

const bool registered = [] {
  measure("slider_crank.scalar", kWho, slider_crank);
  for (const int n : {10, 100, 1000})
    measure("chain_maximal." + std::to_string(n), kWho + ", tree",
            [n](benchmark::State& state) { chain(state, n, false); });
  for (const int n : {10, 100})
    measure("chain_maximal." + std::to_string(n), kWho + ", constraints",
            [n](benchmark::State& state) { chain(state, n, true); });
  return true;
}();

}  // namespace
}  // namespace dalembert::bench
