// SPDX-License-Identifier: Apache-2.0
// The module dalembert-ceres.so: least squares by Ceres Solver, a trust region within bounds (Levenberg and Marquardt). It is opened by
// fit/least_squares.cpp. Source: Agarwal, Mierle & others, Ceres Solver, http://ceres-solver.org, version 2.1.
#include <ceres/ceres.h>
#include <glog/logging.h>

#include <cmath>
#include <cstdio>
#include <exception>

#include "dalembert/study/fit/least_squares.h"

namespace dalembert::fitting {
namespace {

// Trial points at which there are no residuals, one after the other, before the search gives up. Each makes the next step shorter, to a half, a
// quarter of that, …: twelve make it 1e-20 times as long.
constexpr int kMostRefused = 12;

class Residuals final : public ceres::CostFunction {
 public:
  explicit Residuals(const LeastSquares& problem) : problem_(problem) {
    set_num_residuals(problem.residuals);
    mutable_parameter_block_sizes()->push_back(problem.unknowns);
  }
  bool Evaluate(const double* const* x, double* residuals, double** jacobians) const override {
    return problem_.evaluate(problem_.context, x[0], residuals, jacobians == nullptr ? nullptr : jacobians[0]) != 0;
  }

 private:
  const LeastSquares& problem_;
};

class Iterations final : public ceres::IterationCallback {
 public:
  explicit Iterations(const LeastSquares& problem) : problem_(problem) {}
  ceres::CallbackReturnType operator()(const ceres::IterationSummary& summary) override {
    return problem_.iterated(problem_.context, summary.iteration, summary.cost) != 0 ? ceres::SOLVER_CONTINUE
                                                                                     : ceres::SOLVER_ABORT;
  }

 private:
  const LeastSquares& problem_;
};

ceres::Solver::Options options_of(const LeastSquares& problem) {
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.max_num_iterations = problem.most_iterations;
  options.function_tolerance = problem.cost_tolerance;
  options.parameter_tolerance = problem.step_tolerance;
  options.gradient_tolerance = 0;  // it is absolute, and residuals have any size
  options.max_num_consecutive_invalid_steps = kMostRefused;
  options.logging_type = ceres::SILENT;
  options.num_threads = 1;
  return options;
}

LeastSquaresEnd end_of(ceres::TerminationType type) {
  switch (type) {
    case ceres::CONVERGENCE:
      return LeastSquaresEnd::kConverged;
    case ceres::NO_CONVERGENCE:
      return LeastSquaresEnd::kIterations;
    case ceres::USER_SUCCESS:
    case ceres::USER_FAILURE:
      return LeastSquaresEnd::kStopped;
    case ceres::FAILURE:
      break;
  }
  return LeastSquaresEnd::kFailed;
}

void solve(const LeastSquares& stated, LeastSquaresOutcome& outcome) {
  // What fails is in the outcome, and not on standard error. Several threads may solve at once.
  [[maybe_unused]] static const bool kQuiet = [] {
    FLAGS_minloglevel = google::GLOG_FATAL;
    return true;
  }();
  ceres::Problem problem;
  problem.AddResidualBlock(new Residuals(stated), nullptr, stated.x);
  for (int k = 0; k < stated.unknowns; ++k) {
    if (std::isfinite(stated.lower[k])) problem.SetParameterLowerBound(stated.x, k, stated.lower[k]);
    if (std::isfinite(stated.upper[k])) problem.SetParameterUpperBound(stated.x, k, stated.upper[k]);
  }
  Iterations iterations(stated);
  ceres::Solver::Options options = options_of(stated);
  options.callbacks.push_back(&iterations);
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  outcome.end = end_of(summary.termination_type);
  outcome.iterations = static_cast<int>(summary.iterations.empty() ? 0 : summary.iterations.size() - 1);
  std::snprintf(outcome.message, sizeof outcome.message, "%s", summary.message.c_str());
}

}  // namespace
}  // namespace dalembert::fitting

extern "C" __attribute__((visibility("default"))) void dalembert_solve_least_squares_1(
    const dalembert::fitting::LeastSquares* problem, dalembert::fitting::LeastSquaresOutcome* outcome) {
  try {
    dalembert::fitting::solve(*problem, *outcome);
  } catch (const std::exception& failure) {
    outcome->end = dalembert::fitting::LeastSquaresEnd::kFailed;
    std::snprintf(outcome->message, sizeof outcome->message, "%s", failure.what());
  }
}
