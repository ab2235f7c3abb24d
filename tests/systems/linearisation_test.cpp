// SPDX-License-Identifier: Apache-2.0
// Every shipped model linearised at its start, against differences of the constrained flow.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/QR>

#include "dalembert/analyze/stability/held_friction.h"
#include "dalembert/analyze/stability/linearize.h"
#include "dalembert/analyze/stability/relative.h"
#include "dalembert/analyze/stability/slopes.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/terms.h"
#include "source_tree.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

// A kernel with one of its inputs displaced.
class ShiftedInput : public Kernel {
 public:
  ShiftedInput(std::shared_ptr<const Kernel> kernel, std::size_t input, double by)
      : kernel_(std::move(kernel)), input_(input), by_(by) {}
  const Layout& layout() const override { return kernel_->layout(); }
  void call(KernelFunction function, const KernelArguments& in, double* out) const override {
    kernel_->call(function, in, out);
    if (function == KernelFunction::kInputs) out[input_] += by_;
  }
  void prepare(const double* p, double* prepared) const override { kernel_->prepare(p, prepared); }

 private:
  std::shared_ptr<const Kernel> kernel_;
  std::size_t input_;
  double by_;
};

using Columns = Eigen::MatrixXd;
using Column = Eigen::VectorXd;

// Rates of the chosen states, then outputs, with one of the states or inputs displaced: put back on the constraints by
// Newton's method with differences of h, |e|² and v_s for slopes, then accelerations from terms that the interpreter
// evaluates. It shares neither derivatives nor the tangent space with linearize, nor that frictions are held.
class Flow {
 public:
  Flow(const Equations& equations, const LinearMotion& motion, const FrictionMode& mode)
      : dynamics_(compile(equations, {.machine_code = false})), motion_(motion), mode_(mode) {
    std::vector<bool> q(motion.at.q.size()), v(motion.at.v.size());
    for (const MotionState& state : motion.states) (state.velocity ? v : q)[state.index] = true;
    for (std::size_t i = 0; i < q.size(); ++i)
      if (!q[i]) free_q_.push_back(i);
    for (std::size_t i = 0; i < v.size(); ++i)
      if (!v[i]) free_v_.push_back(i);
  }

  std::vector<double> by_state(std::size_t displaced, double by) const {
    State guess = state_at();
    const MotionState& moved = motion_.states[displaced];
    (moved.velocity ? guess.v : guess.q)[moved.index] += by;
    return rates(dynamics_, guess);
  }
  std::vector<double> by_input(std::size_t input, double by) const {
    const auto p = dynamics_.parameters();
    return rates(Dynamics(std::make_shared<ShiftedInput>(dynamics_.shared_kernel(), input, by), dynamics_.names(),
                          std::vector<double>(p.begin(), p.end())),
                 state_at());
  }

 private:
  State state_at() const { return {motion_.at.t, motion_.at.q, motion_.at.v}; }

  static std::vector<double> position_rows(const Dynamics& dynamics, const State& state) {
    std::vector<double> rows = position_residual(dynamics, state);
    for (const int first : dynamics.layout().quaternions) {
      double norm = -1;
      for (std::size_t k = as_size(first); k < as_size(first) + 4; ++k) norm += state.q[k] * state.q[k];
      rows.push_back(norm);
    }
    return rows;
  }
  std::vector<double> velocity_rows(const Dynamics& dynamics, const State& state) const {
    std::vector<double> rows = velocity_residual(dynamics, state);
    Workspace workspace(dynamics);
    if (!mode_.empty()) workspace.friction->evaluate(dynamics, state.t, state.q.data(), state.v.data(), workspace);
    for (std::size_t j = 0; j < mode_.size(); ++j)
      if (mode_[j].direction == 0) rows.push_back(workspace.friction->speed(static_cast<int>(j)));
    return rows;
  }

  // rows(state) = 0 by the free ones of `part`.
  template <class Rows>
  static void solve(State& state, std::vector<double> State::*part, const std::vector<std::size_t>& free, double step,
                    const Rows& rows) {
    for (int iteration = 0; iteration < 8; ++iteration) {
      const std::vector<double> now = rows(state);
      if (now.empty() || free.empty()) return;
      Columns slopes(now.size(), free.size());
      for (std::size_t k = 0; k < free.size(); ++k) {
        State up = state, down = state;
        (up.*part)[free[k]] += step;
        (down.*part)[free[k]] -= step;
        const std::vector<double> a = rows(up), b = rows(down);
        for (std::size_t i = 0; i < now.size(); ++i)
          slopes(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = (a[i] - b[i]) / (2 * step);
      }
      Eigen::CompleteOrthogonalDecomposition<Columns> factors;
      factors.setThreshold(1e-8);
      const Column by = factors.compute(slopes).solve(Eigen::Map<const Column>(now.data(), slopes.rows()));
      for (std::size_t k = 0; k < free.size(); ++k) (state.*part)[free[k]] -= by(static_cast<Eigen::Index>(k));
    }
    for (const double left : rows(state)) EXPECT_LE(std::abs(left), 1e-12);
  }

  std::vector<double> rates(const Dynamics& dynamics, State state) const {
    solve(state, &State::q, free_q_, 1e-6, [&](const State& at) { return position_rows(dynamics, at); });
    // Affine: any step will do.
    solve(state, &State::v, free_v_, 1, [&](const State& at) { return velocity_rows(dynamics, at); });
    const Terms terms = evaluate_terms(dynamics, state);
    EXPECT_TRUE(terms.has_motion()) << to_text(terms.solution.status);
    Workspace workspace(dynamics);
    std::vector<double> qdot(state.q.size());
    find_qdot(dynamics, state.t, state.q.data(), state.v.data(), workspace, qdot.data());
    std::vector<double> values;
    for (const MotionState& moves : motion_.states)
      values.push_back(moves.velocity ? terms.solution.qdd[moves.index] : qdot[moves.index]);
    values.insert(values.end(), terms.outputs.begin(), terms.outputs.end());
    return values;
  }

  Dynamics dynamics_;
  const LinearMotion& motion_;
  const FrictionMode& mode_;
  std::vector<std::size_t> free_q_, free_v_;
};

// Of outputs that have no slope at the start, and why.
bool has_no_slope(const std::string& model, const std::string& output) {
  return model == "snakeboard" && output == "speed";  // the root of 0: it starts from rest
}

// Central differences of order four with a step h of 1e-3 or 1e-4 are off by about h^4 of the fifth derivative and by
// 1e-16/h of the rates, more where what is put back is off by round-off: 1e-13/h of rates that are up to 1e2 as large.
// 1e-6 of the largest entry of a row is what is asked for.
void expect_slopes(const std::string& model, const LinearMotion& motion, const std::vector<std::string>& outputs,
                   const Flow& flow) {
  const std::size_t n = motion.states.size();
  const auto compare = [&](const Matrix& first, const Matrix& second, std::size_t column, const std::string& name,
                           double h, const auto& displaced) {
    const std::vector<double> up = displaced(h), down = displaced(-h), up2 = displaced(2 * h),
                              down2 = displaced(-2 * h);
    ASSERT_EQ(up.size(), n + outputs.size());
    for (std::size_t i = 0; i < up.size(); ++i) {
      const Matrix& matrix = i < n ? first : second;
      const std::size_t row = i < n ? i : i - n;
      if (i >= n && std::ranges::find(motion.lost, row) != motion.lost.end()) continue;
      if (i >= n && has_no_slope(model, outputs[row])) {
        EXPECT_TRUE(std::isnan(matrix(row, column)));
        continue;
      }
      double size = 1;
      for (std::size_t k = 0; k < matrix.cols; ++k) size = std::max(size, std::abs(matrix(row, k)));
      const double slope = (8 * (up[i] - down[i]) - (up2[i] - down2[i])) / (12 * h);
      EXPECT_NEAR(matrix(row, column), slope, 1e-6 * size)
          << model << ": " << (i < n ? motion.states[i].name : outputs[row]) << " by " << name;
    }
  };
  for (std::size_t j = 0; j < n; ++j)
    compare(motion.A, motion.C, j, motion.states[j].name, motion.states[j].velocity ? 1e-3 : 1e-4,
            [&](double by) { return flow.by_state(j, by); });
  for (std::size_t j = 0; j < motion.B.cols; ++j)
    compare(motion.B, motion.D, j, "input " + std::to_string(j), 1e-3, [&](double by) { return flow.by_input(j, by); });
}

struct Tried {
  std::string model, where;
  std::vector<std::pair<std::string, std::string>> changes;  // of the text of the file
};
void PrintTo(const Tried& tried, std::ostream* out) { *out << tried.model << " " << tried.where; }

// Models whose start is at a limit of a friction, where the motion is not smooth, are linearised elsewhere.
std::vector<Tried> at_a_limit() {
  return {{"block-on-belt", "start", {}}, {"ladder", "start", {}}, {"rod-on-corner-friction", "start", {}}};
}

std::vector<Tried> all_tried() {
  std::vector<Tried> all;
  for (const auto& entry : std::filesystem::directory_iterator(source_tree() + "/models")) {
    const std::string name = entry.path().stem();
    if (entry.path().extension() == ".toml" &&
        std::ranges::none_of(at_a_limit(), [&](const Tried& tried) { return tried.model == name; }))
      all.push_back({name, "start", {}});
  }
  all.push_back({"block-on-belt", "sticks", {{"x = \"5 m\"", "x = \"2 m\""}}});
  all.push_back({"block-on-belt", "slides", {{"x = \"3 m/s\"", "x = \"1 m/s\""}}});
  all.push_back({"block-on-belt", "overtakes", {{"x = \"3 m/s\"", "x = \"4 m/s\""}}});
  all.push_back({"ladder", "slides", {{"phi = \"0 rad/s\"", "phi = \"-0.1 rad/s\""}}});
  all.push_back({"ladder", "rests", {{"50 deg", "75 deg"}}});
  all.push_back({"rod-on-corner-friction", "slides", {{"theta = \"0 rad/s\"", "theta = \"0.3 rad/s\""}}});
  all.push_back({"rod-on-corner-friction", "sticks", {{"push = 0", "push = 10"}}});
  std::ranges::sort(all, {}, [](const Tried& tried) { return tried.model + tried.where; });
  return all;
}

std::string test_name(const Tried& tried) {
  std::string name = tried.model + "_" + tried.where;
  std::ranges::replace(name, '-', '_');
  return name;
}

State start_of(const System& system) {
  Assembly assembly = assemble_start(system.equations, system.dynamics);
  EXPECT_TRUE(assembly.ok());
  EXPECT_TRUE(project(system.dynamics, assembly.state).ok);
  return assembly.state;
}

class LinearisationOf : public ::testing::TestWithParam<Tried> {};

TEST_P(LinearisationOf, IsTheSlopeOfTheConstrainedFlow) {
  const System stated = modified(GetParam().model, GetParam().changes);
  const State start = start_of(stated);
  const System system = hold_contacts_at(stated, start);
  const Result<FrictionMode> mode = find_friction_mode(system.dynamics, start);
  ASSERT_TRUE(mode) << render(mode.diagnostics());
  const Equations held = mode->empty() ? system.equations : hold_frictions(system.equations, *mode);
  const Dynamics dynamics = mode->empty() ? system.dynamics : compile(held);
  const EquationDerivatives derivatives(held);
  const Result<LinearMotion> motion = linearize({&dynamics, &derivatives}, start);
  ASSERT_TRUE(motion.ok()) << render(motion.diagnostics());
  // 2N − 2m_h − m_n independent rows of them, and no norms of quaternions.
  const int rank = solve_kkt(dynamics, start).rank;
  const int holonomic = static_cast<int>(dynamics.layout().holonomic.size());
  const int dependent = mode->empty() ? dynamics.m() - rank : 0;  // of the holonomic rows, in the shipped models
  EXPECT_EQ(static_cast<int>(motion->states.size()), 2 * dynamics.nv() - rank - (holonomic - dependent));
  expect_slopes(GetParam().model, *motion, system.dynamics.names().outputs, Flow(system.equations, *motion, *mode));
}

INSTANTIATE_TEST_SUITE_P(Shipped, LinearisationOf, ::testing::ValuesIn(all_tried()),
                         [](const auto& tested) { return test_name(tested.param); });

struct Turning {
  std::string model;
  std::vector<std::pair<std::string, std::string>> changes;  // of the text of the file
  std::vector<std::string> states, left_out;
};
void PrintTo(const Turning& turning, std::ostream* out) { *out << turning.model; }

class RelativeLinearisationOf : public ::testing::TestWithParam<Turning> {};

// What turns in a relative equilibrium does not count: Flow may put it anywhere where the constraints hold.
TEST_P(RelativeLinearisationOf, IsTheSlopeOfTheConstrainedFlow) {
  const System system = modified(GetParam().model, GetParam().changes);
  const EquationDerivatives derivatives(system.equations);
  const State start = start_of(system);
  const auto found = find_relative_coordinates({&system.dynamics, &derivatives}, start);
  ASSERT_TRUE(found.has_value());
  std::vector<std::string> left_out, states;
  for (std::size_t i = 0; i < found->left_out.size(); ++i)
    if (found->left_out[i]) left_out.push_back(system.dynamics.names().coordinates[i]);
  EXPECT_EQ(left_out, GetParam().left_out);
  const SteadySystem relative{&system.dynamics, &derivatives, found->left_out, found->follows};
  const SteadyState steady = solve_steady(relative, point_at(system.dynamics, start), {.damped = 40});
  ASSERT_TRUE(steady.found);
  const State at = state_of(steady.at);
  EXPECT_EQ(linearize({&system.dynamics, &derivatives}, at)->kind, MotionKind::kState) << "nothing new";
  const Result<LinearMotion> motion = linearize(relative, at);
  ASSERT_TRUE(motion.ok()) << render(motion.diagnostics());
  EXPECT_EQ(motion->kind, MotionKind::kSteadyMotion);
  for (const MotionState& state : motion->states) states.push_back(state.name);
  EXPECT_EQ(states, GetParam().states);
  expect_slopes(GetParam().model, *motion, system.dynamics.names().outputs, Flow(system.equations, *motion, {}));
}

INSTANTIATE_TEST_SUITE_P(
    Shipped, RelativeLinearisationOf,
    ::testing::Values(Turning{"rattleback",
                              {{"roll = \"0.5 deg\", pitch = \"0.5 deg\"", "roll = 0, pitch = 0"}},
                              {"roll", "pitch", "yaw'", "roll'", "pitch'"},
                              {"x", "y", "yaw"}},
                      Turning{"rolling-disk", {}, {"lean", "psi'", "lean'", "phi'"}, {"x", "y", "psi", "phi"}},
                      Turning{"whipple-bicycle",
                              {{"lean = 0, rear = 0, steer = 0", "lean = \"3 deg\", rear = 0, steer = \"5 deg\""},
                               {"lean = \"0.5 rad/s\"", "lean = 0"}},
                              {"lean", "steer", "lean'", "steer'", "front'"},
                              {"x", "y", "yaw", "rear", "front"}}),
    [](const auto& tested) {
      return test_name({tested.param.model, "turns", {}});
    });

// Rates of coordinates in which nothing drops out: a linkage, a sleigh whose speed along its blade is no rate.
TEST(RelativeCoordinates, OnlyWhereMoreDropsOut) {
  for (const char* name : {"four-bar", "chaplygin-sleigh-contact", "cartesian-pendulum"}) {
    const System system = shipped(name);
    const EquationDerivatives derivatives(system.equations);
    EXPECT_FALSE(find_relative_coordinates({&system.dynamics, &derivatives}, start_of(system)).has_value()) << name;
  }
}

class AtALimit : public ::testing::TestWithParam<Tried> {};

// Statics: the block is let go with x k = μ_s N, which breaks away; the ladder stands below its angle of friction, tan φ <
// (1 − μ²)/(2μ), and begins to slide; so does the rod, tan(45°) > μ_s.
TEST_P(AtALimit, IsRefusedAndTheFrictionNamed) {
  const System system = modified(GetParam().model, GetParam().changes);
  const Result<FrictionMode> mode = find_friction_mode(system.dynamics, start_of(system));
  ASSERT_FALSE(mode);
  EXPECT_EQ(mode.diagnostics().front().code, "E0273");
  EXPECT_NE(mode.diagnostics().front().message.find(system.dynamics.names().frictions.front()), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Shipped, AtALimit, ::testing::ValuesIn(at_a_limit()),
                         [](const auto& tested) { return test_name(tested.param); });

}  // namespace
}  // namespace dalembert
