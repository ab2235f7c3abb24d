// SPDX-License-Identifier: Apache-2.0
// Steps of exported C against a run of the library, which ends its steps at the same instants.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "codegen/loaded.h"
#include "dalembert/compile/compile.h"
#include "dalembert/integrate/integrate.h"

namespace dalembert::testing {

inline double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// Errors at the end: with 1,000 steps at most `coarse`; with 2,000 by the factor `gain` less, or what the run itself is off by.
struct StepErrors {
  double coarse = 0, gain = 0, of_the_run = 0;
};

/// `events`: how many the run has at least. The run is one at 1e-12.
inline void expect_steps_end_where_the_run_does(const std::string& text, double until, std::size_t events,
                                                const StepErrors& allowed) {
  const Equations equations = equations_of_text(text);
  const Dynamics dynamics = compile(equations);
  const Assembly start = assemble_start(equations, dynamics);
  ASSERT_TRUE(start.ok());
  const Trajectory path = integrate(dynamics, start.state, {.until = until, .rtol = 1e-12});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_GE(path.events.size(), events);
  const State end = path.state(path.size() - 1);
  Loaded loaded(equations);
  const auto step = loaded.call<Loaded::Step>("step");
  const auto error = [&](int steps) {
    std::vector<double> q = start.state.q, v = start.state.v;
    for (int k = 0; k < steps; ++k)
      EXPECT_EQ(step(loaded.state(), k * end.t / steps, end.t / steps, q.data(), v.data()), 0) << k;
    return std::max(difference(q, end.q), difference(v, end.v));
  };
  const double coarse = error(1000), fine = error(2000);
  EXPECT_LT(coarse, allowed.coarse);
  EXPECT_LT(fine, std::max(coarse / allowed.gain, allowed.of_the_run));
}

}  // namespace dalembert::testing
