// SPDX-License-Identifier: Apache-2.0
// Runs in lanes are the runs one by one: every number of the record, bit for bit, whoever shares the lanes.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/analyze/run_options.h"
#include "dalembert/base/kernel_code.h"
#include "dalembert/compile/compile.h"
#include "dalembert/compile/lane_code.h"
#include "dalembert/dynamics/assembly_memory.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/integrate/branches.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/integrate/lane_runs.h"
#include "dalembert/integrate/method.h"
#include "dalembert/integrate/spare_parts.h"
#include "systems/shipped_model.h"
#include "tape/model_files.h"

namespace dalembert {
namespace {

using integration::Integration;
using integration::kLanes;

// A system with other parameters, a start and options.
struct OneOfMany {
  Dynamics dynamics;
  State start;
  IntegrateOptions options;
};

// Runs of a model whose parameters differ by some per cent, and whose lengths and tolerances differ much.
std::vector<OneOfMany> many_runs(const Equations& equations, std::size_t count, const IntegrateOptions& usual) {
  const Dynamics dynamics = compile(equations);
  dynamics.kernel().expect_many_calls();
  std::mt19937 random(3);
  std::uniform_real_distribution<double> about(0.97, 1.03), part(0.05, 1);
  std::vector<OneOfMany> runs;
  for (std::size_t tries = 0; runs.size() < count && tries < 10 * count; ++tries) {
    std::vector<double> parameters(dynamics.parameters().begin(), dynamics.parameters().end());
    for (std::size_t k = 0; k < equations.model->parameters.size(); ++k) parameters[k] *= about(random);
    OneOfMany one{dynamics.with_parameters(parameters), {}, usual};
    const Assembly start = assemble_start(equations, one.dynamics);
    if (!start.ok()) continue;
    one.start = start.state;
    one.options.until = one.start.t + part(random) * (usual.until - one.start.t);
    one.options.rtol = one.options.atol = std::pow(10.0, -5 - static_cast<double>(tries % 6));
    one.options.second_run = true;
    one.options.find_peaks = tries % 3 == 0;
    one.options.max_steps = 3000;
    runs.push_back(std::move(one));
  }
  return runs;
}

std::vector<Trajectory> in_lanes(const std::vector<OneOfMany>& runs, const std::shared_ptr<const LaneCode>& code) {
  integration::LaneSteps steps(code, runs.front().dynamics, explicit_tableau(runs.front().options.method));
  std::vector<std::optional<Integration>> works(runs.size());
  std::vector<Trajectory> made(runs.size());
  std::array<std::size_t, kLanes> which{};
  std::size_t next = 0;
  const auto end = [&](std::size_t lane) {
    made[which[lane]] = std::move(*works[which[lane]]->take());
    works[which[lane]].reset();
  };
  const auto begin = [&](std::size_t lane) -> Integration* {
    while (next < runs.size()) {
      const std::size_t k = which[lane] = next++;
      if (works[k].emplace(runs[k].dynamics, runs[k].start, runs[k].options).run() != nullptr) return &*works[k];
      end(lane);
    }
    return nullptr;
  };
  run_in_lanes(steps, begin, end);
  return made;
}

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
bool same_bits(const std::vector<double>& a, const std::vector<double>& b) { return std::ranges::equal(a, b, same); }

// Expects the same record.
void expect_same(const Trajectory& lanes, const Trajectory& alone, const std::string& which) {
  EXPECT_EQ(lanes.status, alone.status) << which;
  EXPECT_EQ(lanes.reason, alone.reason) << which;
  EXPECT_EQ(lanes.steps, alone.steps) << which;
  EXPECT_EQ(lanes.rejected, alone.rejected) << which;
  EXPECT_EQ(lanes.evaluations, alone.evaluations) << which;
  EXPECT_EQ(lanes.verdict.reasons, alone.verdict.reasons) << which;
  EXPECT_EQ(lanes.verdict.warnings, alone.verdict.warnings) << which;
  EXPECT_TRUE(same(lanes.verdict.error.relative, alone.verdict.error.relative)) << which;
  EXPECT_TRUE(same(lanes.verdict.energy_drift, alone.verdict.energy_drift)) << which;
  EXPECT_TRUE(same(lanes.verdict.power_balance_error, alone.verdict.power_balance_error)) << which;
  EXPECT_TRUE(same(lanes.verdict.residual_excess, alone.verdict.residual_excess)) << which;
  ASSERT_EQ(lanes.size(), alone.size()) << which;
  const auto a = lanes.columns(), b = alone.columns();
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(lanes.rank, alone.rank) << which;
  EXPECT_EQ(lanes.step_lengths.stretches().size(), alone.step_lengths.stretches().size()) << which;
  EXPECT_EQ(lanes.step_lengths.steps_of_stretch(), alone.step_lengths.steps_of_stretch()) << which;
  for (std::size_t k = 0; k < a.size(); ++k) {
    ASSERT_EQ(a[k].name, b[k].name) << which;
    ASSERT_EQ(a[k].values.size(), b[k].values.size()) << which << " " << a[k].name;
  }
  for (std::size_t k = 0; k < a.size(); ++k)
    for (std::size_t row = 0; row < a[k].values.size(); ++row)
      ASSERT_TRUE(same(a[k].values[row], b[k].values[row])) << which << " " << a[k].name << " row " << row;
  ASSERT_EQ(lanes.peaks.size(), alone.peaks.size()) << which;
  for (std::size_t k = 0; k < lanes.peaks.size(); ++k)
    EXPECT_TRUE(same(lanes.peaks[k].min, alone.peaks[k].min) && same(lanes.peaks[k].t_max, alone.peaks[k].t_max))
        << which << " peak " << k;
}

void expect_all_same(const std::vector<OneOfMany>& runs, const std::shared_ptr<const LaneCode>& code) {
  const std::vector<Trajectory> made = in_lanes(runs, code);
  for (std::size_t k = 0; k < runs.size(); ++k)
    expect_same(made[k], integrate(runs[k].dynamics, runs[k].start, runs[k].options), "run " + std::to_string(k));
}

// Systems of which runs can be made in lanes, with code for it; nothing for others, and where no code is made.
std::shared_ptr<const LaneCode> lanes_of(const Dynamics& dynamics) {
  if (integration::may_switch(dynamics) || !dynamics.layout().v_is_qdot) return nullptr;
  return make_lane_code(dynamics);
}

class LaneRunsOf : public ::testing::TestWithParam<std::string> {};

// Oracle: integrate(), run by run. Twenty runs take eight lanes, so lanes are refilled, and the last runs have empty ones beside them.
TEST_P(LaneRunsOf, HaveTheBitsOfRunsAlone) {
  const Equations equations = equations_of(GetParam());
  IntegrateOptions usual = value_of(run_options(*equations.model));
  usual.method = explicit_tableau(usual.method).name == "dopri5" ? Method::kDopri5 : Method::kDop853;
  const std::vector<OneOfMany> runs = many_runs(equations, 20, usual);
  if (runs.empty()) GTEST_SKIP() << "no start";
  const auto code = lanes_of(runs.front().dynamics);
  if (code == nullptr) GTEST_SKIP() << "not in lanes";
  expect_all_same(runs, code);
}

// Oracle: integrate(), which makes all memory anew. Each run takes the parts of the one before, whatever that was, as does a run of another system; one of
// them ends early, and one takes another method.
TEST_P(LaneRunsOf, LeaveNoTraceInTheirParts) {
  const Equations equations = equations_of(GetParam());
  IntegrateOptions usual = value_of(run_options(*equations.model));
  usual.until = std::min(usual.until, 1.0);
  std::vector<OneOfMany> runs = many_runs(equations, 6, usual);
  if (runs.empty()) GTEST_SKIP() << "no start";
  if (runs.size() > 2) runs[1].options.max_steps = 3;
  if (runs.size() > 4) runs[3].options.method = Method::kDopri5;
  static const Dynamics other = compile(derive_shipped("rolling-disk"));
  static const State start = assemble_start(derive_shipped("rolling-disk"), other).state;
  IntegrateOptions few;
  few.until = 0.01;
  integration::SpareParts spare;
  const auto make = [&](const Dynamics& dynamics, const State& from, const IntegrateOptions& options) {
    Integration all(dynamics, from, options, &spare);
    for (; all.run() != nullptr; all.next()) all.run()->loop();
    return std::move(*all.take());
  };
  for (std::size_t k = 0; k < runs.size(); ++k) {
    if (k == 2) {
      Trajectory made = make(other, start, few);
      expect_same(made, integrate(other, start, few), "other system");
      spare.leave(integration::RunFor::kVerdict, std::make_unique<Trajectory>(std::move(made)));
    }
    const OneOfMany& one = runs[k];
    Trajectory made = make(one.dynamics, one.start, one.options);
    expect_same(made, integrate(one.dynamics, one.start, one.options), "run " + std::to_string(k));
    if (k != 4) spare.leave(integration::RunFor::kVerdict, std::make_unique<Trajectory>(std::move(made)));
  }
}

// Oracle: assemble(), which makes all memory anew. In between another system takes the memory, other coordinates are held, and a start has no finite numbers.
TEST_P(LaneRunsOf, StartsLeaveNoTraceInTheirMemory) {
  const Equations equations = equations_of(GetParam());
  const std::vector<OneOfMany> runs = many_runs(equations, 6, value_of(run_options(*equations.model)));
  if (runs.empty()) GTEST_SKIP() << "no start";
  static const Equations of_other = derive_shipped("rolling-disk");
  static const Dynamics other = compile(of_other);
  AssemblyMemory memory;
  const auto expect_same_start = [&](const Dynamics& dynamics, const State& guess, const AssembleOptions& held,
                                     const std::string& which) {
    const Assembly made = assemble(dynamics, guess, held, &memory), anew = assemble(dynamics, guess, held);
    EXPECT_EQ(made.status, anew.status) << which;
    EXPECT_TRUE(same_bits(made.state.q, anew.state.q) && same_bits(made.state.v, anew.state.v)) << which;
    EXPECT_TRUE(same_bits(made.moved_q, anew.moved_q) && same_bits(made.moved_v, anew.moved_v)) << which;
    EXPECT_TRUE(same(made.position_residual, anew.position_residual)) << which;
    EXPECT_TRUE(same(made.velocity_residual, anew.velocity_residual)) << which;
    EXPECT_EQ(made.worst_row, anew.worst_row) << which;
    EXPECT_EQ(made.rank, anew.rank) << which;
    EXPECT_EQ(made.iterations, anew.iterations) << which;
    EXPECT_EQ(made.attempts, anew.attempts) << which;
  };
  const State guess = initial_state(*equations.model);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    if (k == 2) expect_same_start(other, initial_state(*of_other.model), held_values(*of_other.model), "other system");
    AssembleOptions held = held_values(*equations.model);
    if (k % 3 == 1) held.hold_position = held.hold_velocity = {};
    if (k == 3) {
      State nowhere = guess;
      nowhere.q.back() = std::numeric_limits<double>::quiet_NaN();
      expect_same_start(runs[k].dynamics, nowhere, held, "nowhere");
    }
    expect_same_start(runs[k].dynamics, guess, held, "start " + std::to_string(k));
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, LaneRunsOf, ::testing::ValuesIn(model_files()), name_of_file);

class LaneRuns : public ::testing::Test {
 protected:
  void SetUp() override {
    equations_ = derive_shipped("slider-crank");
    usual_.until = 1;
    runs_ = many_runs(equations_, 40, usual_);
    code_ = lanes_of(runs_.front().dynamics);
    if (code_ == nullptr) GTEST_SKIP() << "no machine code here";
  }
  Equations equations_;
  IntegrateOptions usual_;
  std::vector<OneOfMany> runs_;
  std::shared_ptr<const LaneCode> code_;
};

template <class Code>
DALEMBERT_CALLS_CODE std::uint64_t called(Code* code, const double* const* arguments, double* work, double* out) {
  return code(arguments, work, out);
}

// Oracle: the code of one system. Random states, times and parameters, some beyond what code computes with: bit by bit, function by function.
TEST_F(LaneRuns, CodeHasTheBitsOfOneSystem) {
  const Dynamics& dynamics = runs_.front().dynamics;
  std::mt19937 random(11);
  std::normal_distribution<double> any(0, 3);
  const Layout& layout = dynamics.layout();
  const auto fill = [&](std::size_t count) {
    std::vector<double> x(count * kLanes);
    for (double& value : x) value = any(random);
    return x;
  };
  const auto lane = [](const std::vector<double>& x, std::size_t l) {
    std::vector<double> own;
    for (std::size_t i = l; i < x.size(); i += kLanes) own.push_back(x[i]);
    return own;
  };
  int compared = 0;
  for (int f = 0; f < kKernelFunctions; ++f) {
    const auto function = static_cast<KernelFunction>(f);
    if (code_->of(function) == nullptr) continue;
    for (int round = 0; round < 20; ++round) {
      std::vector<double> t = fill(1), p = fill(dynamics.parameters().size()), u = fill(index(layout.inputs)),
                          q = fill(index(layout.nq)), v = fill(index(layout.nv)), lambda = fill(index(layout.m)),
                          prepared(layout.prepared * kLanes);
      if (round == 7) q[3] = 5e9;
      std::vector<Dynamics> systems;
      for (std::size_t l = 0; l < kLanes; ++l) {
        systems.push_back(dynamics.with_parameters(lane(p, l)));
        for (std::size_t i = 0; i < layout.prepared; ++i) prepared[i * kLanes + l] = systems[l].prepared()[i];
      }
      std::vector<double> out(output_size(layout, function) * kLanes), work(code_->work);
      const double* const arguments[] = {t.data(), p.data(), u.data(),      q.data(),
                                         v.data(), nullptr,  lambda.data(), prepared.data()};
      const std::uint64_t refused = called(code_->of(function), arguments, work.data(), out.data());
      for (std::size_t l = 0; l < kLanes; ++l) {
        const std::vector<double> own_t = lane(t, l), own_u = lane(u, l), own_q = lane(q, l), own_v = lane(v, l),
                                  own_lambda = lane(lambda, l);
        const double* const own[] = {
            own_t.data(),      systems[l].parameters().data(), own_u.data(), own_q.data(), own_v.data(), nullptr,
            own_lambda.data(), systems[l].prepared()};
        std::vector<double> alone(output_size(layout, function)), own_work(layout.work);
        EXPECT_EQ(called(dynamics.kernel().code(function), own, own_work.data(), alone.data()), refused >> l & 1);
        if ((refused >> l & 1) != 0) continue;
        for (std::size_t i = 0; i < alone.size(); ++i, ++compared)
          EXPECT_TRUE(same(out[i * kLanes + l], alone[i]) || (std::isnan(alone[i]) && std::isnan(out[i * kLanes + l])))
              << f << " " << i;
      }
    }
  }
  EXPECT_GT(compared, 1000);
}

// Oracle: the run alone. Who shares the lanes, and in which lane a run is, changes no bit.
TEST_F(LaneRuns, DoNotDependOnWhoSharesTheLanes) {
  const std::vector<Trajectory> made = in_lanes(runs_, code_);
  std::vector<OneOfMany> turned(runs_.rbegin(), runs_.rend());
  turned.erase(turned.begin() + 5, turned.begin() + 9);
  const std::vector<Trajectory> again = in_lanes(turned, code_);
  for (std::size_t k = 0; k < turned.size(); ++k)
    expect_same(again[k], made[runs_.size() - 1 - (k < 5 ? k : k + 4)], "run " + std::to_string(k));
  expect_all_same({runs_.front()}, code_);
}

// Oracle: the run alone. A run that reaches the limit of steps, one whose start violates the constraints, one of another method, one in fixed steps, one that its
// progress stops, one backwards in time and one of no length end as they end alone; so do their neighbours.
TEST_F(LaneRuns, EndAloneWhereTheyEnd) {
  runs_[1].options.max_steps = 5;
  runs_[2].start.q[0] += 0.1;
  runs_[3].options.method = Method::kRadau;
  runs_[4].options.adaptive = false;
  runs_[4].options.initial_step = 1e-3;
  runs_[5].options.progress = [](const RunPoint& at) { return at.t < 0.02; };
  runs_[5].options.progress_every = 1;
  runs_[6].options.until = runs_[6].start.t - 0.3;
  runs_[7].options.until = runs_[7].start.t;
  runs_[8].options.method = Method::kDopri5;
  runs_[9].options.cross_check = true;
  runs_[10].options.rtol = 1e-15;
  runs_[11].start.v[0] *= 1e300;
  runs_[12].options.output_step = 0.01;
  const std::vector<Trajectory> made = in_lanes(runs_, code_);
  EXPECT_EQ(made[1].status, RunStatus::kFailed);
  EXPECT_EQ(made[2].status, RunStatus::kFailed);
  EXPECT_EQ(made[5].status, RunStatus::kStopped);
  for (std::size_t k = 0; k < runs_.size(); ++k)
    expect_same(made[k], integrate(runs_[k].dynamics, runs_[k].start, runs_[k].options), "run " + std::to_string(k));
}

// Oracle: the run alone. A crank and a rod of one length come to a position in which W has a lower rank.
TEST_F(LaneRuns, PassSingularPositions) {
  for (std::size_t k = 0; k < runs_.size(); k += 3) {
    std::vector<double> parameters(runs_[k].dynamics.parameters().begin(), runs_[k].dynamics.parameters().end());
    parameters[2] = parameters[1];  // L2 = L1
    runs_[k].dynamics = runs_[k].dynamics.with_parameters(parameters);
    const Assembly start = assemble_start(equations_, runs_[k].dynamics);
    ASSERT_TRUE(start.ok());
    runs_[k].start = start.state;
    runs_[k].options.until = 1;
  }
  expect_all_same(runs_, code_);
}

}  // namespace
}  // namespace dalembert
