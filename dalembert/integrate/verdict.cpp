// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/run.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "dalembert/base/text.h"

namespace dalembert::integration {
namespace {

// Rows of W nearer to dependence than this are worth a warning.
constexpr double kNearlySingular = 1e-5;

}  // namespace

void Run::finish() {
  // What was reached is kept, also when the run broke off between output rows.
  const bool broken_off = started_ && path_.status != RunStatus::kOk;
  if (broken_off && (path_.time.empty() || path_.time.back() != t_) &&
      (motion_.workspace.basis.all = true, motion_.evaluate(t_, y_.data(), slope_.data())))
    record(t_, y_.data(), slope_.data() + n_, motion_.lambda().data(), motion_.workspace.kkt.rank());

  Verdict& verdict = path_.verdict;
  const Names& names = dynamics_.names();
  verdict.conservative = dynamics_.layout().conservative;
  verdict.rows = m_;
  verdict.min_rank = min_rank_;
  verdict.residual_excess = residual_excess_;
  // Where nothing moves and the energy is zero, atol joules stand in for a scale.
  verdict.energy_scale = std::max({std::abs(energy_start_), largest_kinetic_, options_.atol});
  const double scale = verdict.energy_scale;
  verdict.energy_drift = energy_deviation_ / scale;
  verdict.power_balance_error = with_power_ || verdict.conservative ? balance_deviation_ / scale : 0;
  verdict.drift_limit = std::max(1e-12, options_.rtol * std::clamp(static_cast<double>(path_.steps), 100.0, 1e6));
  bool holds = path_.status == RunStatus::kOk && started_ && residual_excess_ <= 10;
  holds = holds && (verdict.conservative ? verdict.energy_drift : verdict.power_balance_error) <= verdict.drift_limit;
  if (verdict.conservative) verdict.conserved.push_back({"energy", verdict.energy_drift});
  for (std::size_t i = 0; i < conserved_.size(); ++i) {
    const double size = std::max(conserved_largest_[i], options_.atol / options_.rtol);
    verdict.conserved.push_back(
        {name_of(names.conserved, static_cast<int>(i), "quantity"), conserved_drift_[i] / size});
    holds = holds && verdict.conserved.back().drift <= verdict.drift_limit;
  }
  verdict.holds = holds;

  std::vector<std::string> rows;
  for (int r = 0; r < m_; ++r)
    if (ambiguous_[index(r)]) rows.push_back(name_of(names.rows, r, "row"));
  if (!rows.empty())
    verdict.warnings.push_back(
        fmt::format("lambda of {} {} not unique: the constraints are redundant there (rank {} of {}); the least-norm "
                    "values are given",
                    join_words(rows), rows.size() == 1 ? "is" : "are", min_rank_, m_));
  if (least_independence_ < kNearlySingular)
    verdict.warnings.push_back(
        fmt::format("nearly singular configuration {}: a constraint row is within {} of following from the others "
                    "(sine of the angle between "
                    "them), so lambda is badly determined there",
                    when(least_independent_at_), to_text(least_independence_, 2)));
  if (leaps_.passed > 0) verdict.warnings.push_back(describe_singular_positions());
  if (moved_at_start_ > 1e3 * options_.atol)
    verdict.warnings.push_back(
        fmt::format("the start was off the constraints and was moved by up to {}", to_text(moved_at_start_, 3)));
}

}  // namespace dalembert::integration
