// SPDX-License-Identifier: Apache-2.0
// MuJoCo 2.2: mj_forward from new qpos and qvel to qacc and constraint forces. Its constraints are soft by design and
// leave out Ẇq̇, so that results are compared at rest, with the stiffest impedance it takes (0.9999).
#include <mujoco/mujoco.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/reference/reference.h"
#include "bench/states.h"

namespace dalembert::bench {
namespace {

const std::string kWho = "MuJoCo 2.2";

struct World {
  mjModel* model = nullptr;
  mjData* data = nullptr;
  std::string error;

  explicit World(const std::string& text) {
    auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(text.size()));
    std::memcpy(files->filedata[0], text.data(), text.size());
    char message[1000] = "";
    model = mj_loadXML("model.xml", files.get(), message, sizeof message);
    mj_deleteVFS(files.get());
    if (model == nullptr)
      error = message;
    else
      data = mj_makeData(model);
  }
  ~World() {
    if (data != nullptr) mj_deleteData(data);
    if (model != nullptr) mj_deleteModel(model);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
};

const std::string kHead = R"(<mujoco><compiler angle="radian"/>
<size njmax="500" nconmax="0" nstack="4000000"/>
<option gravity="0 -9.81 0" solver="Newton"><flag contact="disable"/></option><worldbody>)";

void slider_crank(benchmark::State& bench) {
  constexpr int kStates = 64;
  World world(kHead + R"(
<body name="crank"><joint type="hinge" axis="0 0 1"/><inertial pos="0.15 0 0" mass="0.36" diaginertia="1e-6 0.0027 0.0027"/>
  <body name="rod" pos="0.3 0 0"><joint type="hinge" axis="0 0 1"/>
    <inertial pos="0.35 0 0" mass="0.84" diaginertia="1e-6 0.0343 0.0343"/></body></body>
<body name="slider" pos="1 0 0"><joint type="slide" axis="1 0 0"/>
  <inertial pos="0 0 0" mass="1.2" diaginertia="1e-3 1e-3 1e-3"/></body>
</worldbody><equality><connect body1="slider" body2="rod" anchor="0 0 0" solimp="0.9999 0.9999 0.001 0.5 2"/></equality></mujoco>)");
  if (world.model == nullptr) return bench.SkipWithError(world.error.c_str());
  const States states = slider_crank_states(kStates);
  const auto set = [&](int j, double speed) {
    const double *q = states.position(j), *v = states.velocity(j);
    world.data->qpos[0] = q[0];
    world.data->qpos[1] = q[1] + kPi - q[0];
    world.data->qpos[2] = q[2] - 1;
    world.data->qvel[0] = speed * v[0];
    world.data->qvel[1] = speed * (v[1] - v[0]);
    world.data->qvel[2] = speed * v[2];
  };
  double largest = 0;
  for (int j = 0; j < kStates; ++j) {
    const double rest[3] = {};
    double qdd[3], lambda[2];
    reference::slider_crank(reference::Trigonometry::kLibrary)(states.position(j), rest, qdd, lambda);
    set(j, 0);
    mj_forward(world.model, world.data);
    const double* found = world.data->qacc;
    const double theirs[3] = {found[0], found[0] + found[1], found[2]};
    largest = std::max(largest, difference(theirs, qdd));
  }
  if (!same_physics(bench, largest, 1e-2)) return;
  int j = 0;
  for (auto _ : bench) {
    set(j, 1);
    mj_forward(world.model, world.data);
    j = (j + 1) % kStates;
  }
  count_as(bench, 1);
}

// N rods by relative angles; with forces: the pins' too (mj_rnePostConstraint).
void chain(benchmark::State& bench, int n, bool with_forces) {
  std::string text = kHead;
  for (int i = 0; i < n; ++i) {
    text += i == 0 ? "<body>" : R"(<body pos="1 0 0">)";
    text +=
        R"(<joint type="hinge" axis="0 0 1"/><inertial pos="0.5 0 0" mass="1" diaginertia="1e-6 0.08333333333333333 0.08333333333333333"/>)";
  }
  for (int i = 0; i < n; ++i) text += "</body>";
  World world(text + "</worldbody></mujoco>");
  if (world.model == nullptr) return bench.SkipWithError(world.error.c_str());

  constexpr int kStates = 4;
  const auto size = static_cast<std::size_t>(n);
  States states(n, kStates);
  for (int j = 0; j < kStates; ++j) chain_state(n, j, states.position(j), states.velocity(j));
  const auto evaluate = [&](int j) {
    const double *theta = states.position(j), *omega = states.velocity(j);
    for (int i = 0; i < n; ++i) {
      world.data->qpos[i] = theta[i] - (i == 0 ? 0 : theta[i - 1]);
      world.data->qvel[i] = omega[i] - (i == 0 ? 0 : omega[i - 1]);
    }
    mj_forward(world.model, world.data);
    if (with_forces) mj_rnePostConstraint(world.model, world.data);
  };
  reference::Chain hand(n);
  std::vector<double> alpha(size), ax(size), ay(size), force(2 * size), theirs(size);
  double largest = 0;
  for (int j = 0; j < kStates; ++j) {
    hand.evaluate(reference::Trigonometry::kLibrary, states.position(j), states.velocity(j),
                  {alpha.data(), ax.data(), ay.data(), force.data()});
    evaluate(j);
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) theirs[i] = sum += world.data->qacc[i];
    largest = std::max(largest, difference(theirs, alpha));
  }
  if (!same_physics(bench, largest, 1e-8 * n)) return;
  int j = 0;
  for (auto _ : bench) {
    evaluate(j);
    j = (j + 1) % kStates;
  }
  count_as(bench, with_forces ? n : 1);
}

const bool registered = [] {
  measure("slider_crank.scalar", kWho, slider_crank);
  // Its parser takes no deeper tree than some 97 bodies.
  measure("chain_maximal.10", kWho + ", tree", [](benchmark::State& state) { chain(state, 10, true); });
  measure("chain_minimal.10", kWho, [](benchmark::State& state) { chain(state, 10, false); });
  return true;
}();

}  // namespace
}  // namespace dalembert::bench
