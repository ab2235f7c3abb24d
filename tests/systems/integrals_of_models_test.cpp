// SPDX-License-Identifier: Apache-2.0
// Integrals over the runs of every shipped model, by every method: they change no bit of the run, and those of the rates are the changes of what the
// rates belong to.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dalembert/analyze/run_options.h"
#include "dalembert/compile/compile.h"
#include "systems/run_ways.h"
#include "systems/shipped_model.h"
#include "tape/model_files.h"

namespace dalembert {
namespace {

// The run of a model with other outputs. Interpreted: bits of machine code are those of the processor it is made for.
Trajectory run_of(const Equations& equations, const RunWay& way) {
  const Dynamics dynamics = compile(equations, {.machine_code = false});
  Assembly start = assemble_start(equations, dynamics);
  Trajectory none;
  none.status = RunStatus::kFailed;
  if (!start.ok() || !project(dynamics, start.state).ok) return none;
  IntegrateOptions options = value_of(run_options(*equations.model));
  if (way.method) options.method = *way.method;
  if (way.formulation == Formulation::kReduced) {
    options.formulation = way.formulation;
    options.quasi_velocities = compile_quasi_velocities(equations);
  }
  options.until = start.state.t + std::min(options.until - start.state.t, 2.0);
  options.output_step = (options.until - start.state.t) / 37;
  options.max_steps = 5'000;
  return integrate(dynamics, start.state, options);
}

Equations with_integrals(const std::string& file, bool integrals) {
  Model model = value_of(load_model_file(file));
  model.outputs.clear();
  if (integrals) {
    for (const Coordinate& one : model.coordinates) {
      model.output("way" + one.name, model.integral(one.qd));
      model.output("speed" + one.name, model.integral(one.qdd));
    }
    model.output("action", model.integral(model.energy("kinetic")));
    for (const ConstraintRow* row : model.rows()) model.output("push" + row->name, model.integral(row->lambda));
  }
  EXPECT_TRUE(model.diagnostics().empty()) << render(model.diagnostics());
  return value_of(derive(std::make_shared<const Model>(std::move(model))));
}

// Whether an event sets a coordinate, or a velocity.
bool sets(const Equations& equations, bool velocity) {
  return std::ranges::any_of(equations.model->events, [&](const Event& event) {
    return std::ranges::any_of(event.set, [&](const auto& one) { return one.velocity == velocity; });
  });
}

class IntegralsOf : public ::testing::TestWithParam<std::string> {};

// Oracle: the run without integrals.
TEST_P(IntegralsOf, ChangeNoBitOfTheRun) {
  const Equations plain = with_integrals(GetParam(), false), with = with_integrals(GetParam(), true);
  for (const RunWay& way : kRunWays) {
    const Trajectory one = run_of(plain, way), two = run_of(with, way);
    ASSERT_EQ(one.status, two.status) << way.name << two.reason;
    EXPECT_EQ(one.steps, two.steps) << way.name;
    EXPECT_EQ(one.rejected, two.rejected) << way.name;
    EXPECT_EQ(one.evaluations, two.evaluations) << way.name;
    EXPECT_EQ(one.verdict.error.q, two.verdict.error.q) << way.name;
    EXPECT_EQ(one.verdict.power_balance_error, two.verdict.power_balance_error) << way.name;
    for (const Trajectory::Column& column : one.columns()) {
      if (column.name.starts_with("output/")) continue;
      const auto series = two.series(column.name);
      ASSERT_EQ(series.size(), column.values.size()) << column.name;
      EXPECT_TRUE(std::equal(series.begin(), series.end(), column.values.begin())) << way.name << " " << column.name;
    }
  }
}

// Truth: the fundamental theorem of calculus, in rows at the ends of steps and within them; within the errors of these runs (1e-7 of a chain that whips).
TEST_P(IntegralsOf, RatesAreTheirChanges) {
  const Equations equations = with_integrals(GetParam(), true);
  const bool moves = sets(equations, false), strikes = sets(equations, true) || !equations.unilateral.empty();
  for (const RunWay& way : kRunWays) {
    const Trajectory run = run_of(equations, way);
    for (const Coordinate& one : equations.model->coordinates) {
      const auto follow = [&](const std::string& integral, const std::string& of) {
        const auto added = run.series("output/" + integral + one.name), series = run.series(of + one.name);
        if (series.empty()) return;
        double most = 0, size = 0;
        for (std::size_t k = 0; k < series.size(); ++k) {
          most = std::max(most, std::abs(added[k] - (series[k] - series[0])));
          size = std::max(size, std::abs(series[k]));
        }
        EXPECT_LE(most, 1e-6 * size + 1e-8) << way.name << " " << of << one.name;
      };
      if (!moves) follow("way", "q/");
      if (!strikes) follow("speed", "v/");
    }
    for (const std::string& warning : run.verdict.warnings)
      EXPECT_EQ(warning.find("integral("), std::string::npos) << way.name << " " << warning;
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, IntegralsOf, ::testing::ValuesIn(model_files()), name_of_file);

}  // namespace
}  // namespace dalembert
