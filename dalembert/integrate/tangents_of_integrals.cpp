// SPDX-License-Identifier: Apache-2.0
// Derivatives of integrals over a run (tangents.h).
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "dalembert/dynamics/events.h"
#include "dalembert/integrate/tangents.h"
#include "dalembert/integrate/unknown_derivatives.h"

namespace dalembert::integration {
namespace {

// Errors of derivatives are relative to the derivative, or to this fraction of (∫|e|)/(size of the quantity) where that is larger. At the start of a run, where
// derivatives may grow from 0, they would otherwise be relative to round-off.
constexpr double kLeastPartOfIntegral = 1e-3;

}  // namespace

// The derivative of an integrand with corners or jumps of its own would need their instants, which the run does not locate.
void Tangents::begin_integrals() {
  of_integrals_.assign(tangent_.size(), std::vector<double>(integrals_->count(), 0.0));
  changes_of_integrals_ = most_of_integrals_ = of_integrals_;
  at_nodes_.resize(Collocation::kNodes);
  for (std::size_t i = 0; i < integrals_->count(); ++i) {
    if (own_.layout().integral_bends[i] == 0) continue;
    for (std::vector<double>& of : of_integrals_) of[i] = std::numeric_limits<double>::quiet_NaN();
    path_.verdict.warnings.push_back(
        fmt::format("{} of outputs that read `{}` are unknown: its integrand may have corners or jumps "
                    "(abs, min, if …)",
                    kOfDerivatives, integrals_->name(i)));
  }
  if (own_.events() != nullptr && std::ranges::any_of(own_.events()->events, &Events::Event::reads_integrals))
    lose("an event depends on an integral over the run");
}

bool Tangents::find_integrands(double t, const double* y, std::vector<double>& values) {
  values.assign(integrals_->count(), 0.0);
  double *qdd = slope_.data(), *multipliers = qdd + nv_;
  Workspace& workspace = of_own_.workspace;
  if (own_.layout().integrals_read_forces) {
    const bool all = std::exchange(workspace.basis.all, true);
    const bool found = of_own_.find_forces(t, y, qdd, multipliers);
    workspace.basis.all = all;
    if (!found) return false;
  }
  evaluate_inputs(own_, t, workspace);
  KernelArguments in = kernel_arguments(own_, t, y, y + nq_, workspace);
  in.qdd = qdd;
  in.lambda = multipliers;
  own_.kernel().call(KernelFunction::kIntegrands, in, values.data());
  return true;
}

// The same as differentiate_integrands(), by differences. False where they cannot be computed.
bool Tangents::differentiate_integrands_at(const Collocation& made, std::size_t k, std::size_t node) {
  const Node& at = at_nodes_[node];
  std::vector<double> tangent(n_);
  for (std::size_t i = 0; i < n_; ++i) tangent[i] = made.state(k, i, node);
  const auto integrands = [&](double, double* displaced, double* values) {
    const bool found = find_integrands(at.t, displaced, integrands_);
    std::ranges::copy(integrands_, values);
    return found;
  };
  return differentiate(k, displacement(k, tangent.data()), tangent.data(), at.y.data(), integrals_->count(),
                       integrands);
}

// Integrates the derivatives of the integrands over a collocation step of length h, and estimates the error relative to the tolerance; NaN where they
// cannot be computed. `good`: whether the tangents are accurate over h. A derivative that begins as a power of time has the same relative error over any h, so errors
// are also compared with the most that accurate tangents have given over a longer one.
double Tangents::integrate_over(const Collocation& made, double h, bool good) {
  const std::size_t count = integrals_->count();
  double error = 0;
  integrands_.resize(count);
  std::vector<double> doubt(count), steepest(count), largest(count);
  const bool exact = by_exact_ && !reads_impulses() && exact_->find_integrands();
  for (std::size_t k = 0; k < tangent_.size(); ++k) {
    std::vector<double>& change = changes_of_integrals_[k];
    for (std::vector<double>* x : {&change, &doubt, &steepest, &largest}) std::ranges::fill(*x, 0.0);
    for (std::size_t node = 0; node < Collocation::kNodes; ++node) {
      if (exact)
        differentiate_integrands(made, k, node);
      else if (!differentiate_integrands_at(made, k, node))
        return std::numeric_limits<double>::quiet_NaN();
      for (std::size_t i = 0; i < count; ++i) {
        change[i] += h * made.weight(node) * result_[i];
        doubt[i] += h * made.doubt_weight(node) * result_[i];
        steepest[i] = std::max(steepest[i], std::abs(result_[i]));
        largest[i] = std::max(largest[i], std::abs(integrands_[i]));
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (std::isnan(of_integrals_[k][i])) continue;
      double& most = most_of_integrals_[k][i];
      if (good && std::isfinite(steepest[i])) most = std::max(most, std::abs(h) * steepest[i]);
      const double size =
          std::max({std::abs(of_integrals_[k][i]), std::abs(h) * steepest[i], most,
                    kLeastPartOfIntegral * (integrals_->size(i) + std::abs(h) * largest[i]) / amount(k)});
      if (size > 0) error = std::max(error, made.error_of(doubt[i] / size));
    }
  }
  return error / options_.rtol;
}

// The largest derivative of an integral by quantity k, relative to the size of the integral.
double Tangents::share_of_integrals(std::size_t k) const {
  double share = 0;
  for (std::size_t i = 0; i < integrals_->count(); ++i)
    if (std::isfinite(of_integrals_[k][i]) && integrals_->size(i) > 0)
      share = std::max(share, std::abs(of_integrals_[k][i]) / integrals_->size(i));
  return share;
}

}  // namespace dalembert::integration
