// SPDX-License-Identifier: Apache-2.0
// States that are projected in lanes are those that are projected one by one: every number that a run reads afterwards, bit for bit.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/compile/compile.h"
#include "dalembert/compile/lane_code.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/integrate/branches.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/integrate/lane_projection.h"
#include "systems/shipped_model.h"
#include "tape/model_files.h"

namespace dalembert {
namespace {

using integration::kLanes;
using integration::LaneProjection;

// Systems of one kernel, each with parameters, a state near its manifold and memory of its own.
class ProjectedStates {
 public:
  explicit ProjectedStates(const Equations& equations) {
    const Dynamics dynamics = compile(equations);
    dynamics.kernel().expect_many_calls();
    if (integration::may_switch(dynamics) || !dynamics.layout().v_is_qdot) return;
    code_ = make_lane_code(dynamics);
    start_ = assemble_start(equations, dynamics).state;
    if (code_ == nullptr || start_.q.empty()) return;
    // At a start at rest the terms of many rows are 0, and no residual of them is round-off.
    IntegrateOptions shortly;
    shortly.until = start_.t + 0.2;
    const Trajectory run = integrate(dynamics, start_, shortly);
    start_.t = run.time.back();
    for (std::size_t i = 0; i < start_.q.size(); ++i) start_.q[i] = run.q[i].back();
    for (std::size_t i = 0; i < start_.v.size(); ++i) start_.v[i] = run.v[i].back();
    // No two lanes have the same parameters or time.
    for (std::size_t l = 0; l < kLanes; ++l) {
      std::vector<double> parameters(dynamics.parameters().begin(), dynamics.parameters().end());
      for (double& value : parameters) value *= 1 + 1e-10 * static_cast<double>(l);
      systems_.push_back(dynamics.with_parameters(parameters));
    }
    projection_ = std::make_unique<LaneProjection>(code_, systems_.front());
  }

  /// Whether such states are projected in lanes at all.
  bool can() const {
    if (systems_.empty()) return false;
    Workspace workspace(systems_.front());
    workspace.find_code(systems_.front().kernel());
    return projection_->takes(systems_.front(), workspace);
  }

  /// Projects states that are moved off the manifold by up to off[l], relative to their numbers and to 1. Returns the bits of those done in lanes, after
  /// comparing them.
  std::uint64_t project(const std::array<double, kLanes>& off, std::mt19937& random) {
    const Layout& layout = systems_.front().layout();
    const std::size_t n = static_cast<std::size_t>(layout.nv);
    std::uniform_real_distribution<double> part(-1, 1);
    std::vector<std::vector<double>> states;
    std::vector<Workspace> workspaces;
    for (std::size_t l = 0; l < kLanes; ++l) {
      std::vector<double> y = start_.q;
      y.insert(y.end(), start_.v.begin(), start_.v.end());
      for (double& value : y) value += off[l] * part(random) * (1 + std::abs(value));
      states.push_back(y);
      workspaces.emplace_back(systems_[l]).find_code(systems_[l].kernel());
      evaluate_inputs(systems_[l], time_of(l), workspaces.back());
    }
    const auto lanes = [](std::size_t count, const auto& value) {
      LineNumbers all(count * kLanes);
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t l = 0; l < kLanes; ++l) all[i * kLanes + l] = value(l, i);
      return all;
    };
    const LineNumbers t = lanes(1, [&](std::size_t l, std::size_t) { return time_of(l); }),
                      p = lanes(systems_.front().parameters().size(),
                                [&](std::size_t l, std::size_t i) { return systems_[l].parameters()[i]; }),
                      u = lanes(workspaces.front().u.size(),
                                [&](std::size_t l, std::size_t i) { return workspaces[l].u[i]; }),
                      prepared = lanes(layout.prepared,
                                       [&](std::size_t l, std::size_t i) { return systems_[l].prepared()[i]; });
    LineNumbers y = lanes(2 * n, [&](std::size_t l, std::size_t i) { return states[l][i]; }), work(code_->work);
    const double* const arguments[] = {t.data(), p.data(), u.data(),       y.data(), y.data() + n * kLanes,
                                       nullptr,  nullptr,  prepared.data()};
    const std::uint64_t done = projection_->project(arguments, work.data(), y.data());
    std::vector<Workspace> left;
    for (const Dynamics& system : systems_) left.emplace_back(system);
    std::array<Workspace*, kLanes> of_done{};
    for (std::size_t l = 0; l < kLanes; ++l) of_done[l] = (done >> l & 1) != 0 ? &left[l] : nullptr;
    projection_->hand_back(of_done);
    for (std::size_t l = 0; l < kLanes; ++l) {
      if (of_done[l] == nullptr) continue;
      std::vector<double> own(2 * n);
      for (std::size_t i = 0; i < 2 * n; ++i) own[i] = y[i * kLanes + l];
      compare(l, own, projection_->of(l), left[l], states[l], workspaces[l]);
    }
    return done;
  }

 private:
  double time_of(std::size_t lane) const { return start_.t + 1e-10 * static_cast<double>(lane); }

  static std::vector<std::uint64_t> bits(const std::vector<double>& x) {
    std::vector<std::uint64_t> all;
    for (const double value : x) all.push_back(std::bit_cast<std::uint64_t>(value));
    return all;
  }

  void compare(std::size_t l, const std::vector<double>& own, const Projection& made, const Workspace& left,
               std::vector<double> state, Workspace& workspace) {
    const std::size_t n = own.size() / 2;
    const Projection alone = dalembert::project(systems_[l], time_of(l), state.data(), state.data() + n, workspace);
    EXPECT_EQ(bits(own), bits(state)) << l;
    EXPECT_TRUE(alone.ok && made.ok && alone.measured && made.measured && made.status == alone.status) << l;
    EXPECT_EQ(made.iterations, alone.iterations) << l;
    const auto sizes = [](const Projection& of) {
      return std::vector<double>{of.position_residual, of.velocity_residual,        of.position_roundoff,
                                 of.velocity_roundoff, of.position_roundoff_before, of.velocity_roundoff_before};
    };
    EXPECT_EQ(bits(sizes(made)), bits(sizes(alone))) << l;
    EXPECT_EQ(bits(left.W), bits(workspace.W)) << l;
    EXPECT_EQ(bits(left.a), bits(workspace.a)) << l;
    EXPECT_EQ(bits(left.h), bits(workspace.h)) << l;
    EXPECT_EQ(bits(left.residual), bits(workspace.residual)) << l;
    for (std::size_t r = 0; r < left.row_sizes.size(); ++r) {
      const Workspace::RowSize &one = left.row_sizes[r], &other = workspace.row_sizes[r];
      EXPECT_EQ(bits({one.position, one.velocity, one.squared}), bits({other.position, other.velocity, other.squared}))
          << l << " row " << r;
    }
  }

  std::shared_ptr<const LaneCode> code_;
  State start_;
  std::vector<Dynamics> systems_;
  std::unique_ptr<LaneProjection> projection_;
};

class LaneProjectionOf : public ::testing::TestWithParam<std::string> {};

// Oracle: project(), state by state. Some states are on the manifold, some near it, some far away, and one is none. Of those near it, some have been moved
// in lanes, so that steps are compared.
TEST_P(LaneProjectionOf, HasTheBitsOfProjectionsAlone) {
  ProjectedStates states(equations_of(GetParam()));
  if (!states.can()) GTEST_SKIP() << "not in lanes";
  std::mt19937 random(5);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  int near = 0;
  for (int round = 0; round < 20; ++round) {
    const std::uint64_t done = states.project({0, 1e-15, 1e-12, 1e-9, kNone, 1e-6, 1e-3, 1}, random);
    EXPECT_EQ(done >> 4 & 1, 0);
    near += std::popcount(done & 0b1100);
  }
  EXPECT_GT(near, 0);
}

INSTANTIATE_TEST_SUITE_P(Shipped, LaneProjectionOf, ::testing::ValuesIn(model_files()), name_of_file);

// A state as far away as an accurate step leaves it is not left to its run.
TEST(LaneProjection, MakesTheProjectionsOfAccurateSteps) {
  ProjectedStates states(derive_shipped("slider-crank"));
  if (!states.can()) GTEST_SKIP() << "no machine code here";
  std::mt19937 random(6);
  int alone = 0;
  for (int round = 0; round < 20; ++round)
    alone += static_cast<int>(kLanes) -
             std::popcount(states.project({0, 1e-14, 1e-12, 1e-11, 1e-10, 1e-10, 1e-9, 1e-9}, random) & 0xff);
  EXPECT_LE(alone, 3);
}

}  // namespace
}  // namespace dalembert
