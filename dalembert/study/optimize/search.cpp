// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/optimize/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "dalembert/study/optimize/nlopt.h"

namespace dalembert::optimizing {
namespace {

// The first step of a search is that along the gradient, whose largest component is this fraction of the range of its quantity.
constexpr double kFirstStep = 0.2;
constexpr int kMostRounds = 5;
// Another round must make the objective smaller by this fraction of its scale.
constexpr double kProgress = 1e-8;

class ByQuadraticPrograms {
 public:
  ByQuadraticPrograms(const Problem& problem, Evaluator& evaluator, SearchOutcome& found)
      : problem_(problem), evaluator_(evaluator), found_(found), n_(problem.quantities.size()) {}

  void run(const std::vector<double>& from, int most_points) {
    const Trial first = evaluator_.at(from, true);
    ++found_.start.points;
    if (!first.counts) return end(fmt::format("no run that counts: {}", first.reason));
    set_scales(first);
    take(first);
    if (!first.differentiated) return end(fmt::format("derivatives are unknown: {}", first.unknown));
    for (int round = 0; round < kMostRounds; ++round) {
      const double before = merit();
      end(minimize_from(found_.best->x, most_points - static_cast<int>(found_.start.points)));
      const bool helped = merit() < before - kProgress * std::max(std::abs(before), 1.0);
      if (!helped || evaluator_.stopped || !unknown_.empty() || found_.start.points >= most_points) break;
    }
    if (!unknown_.empty()) end(fmt::format("derivatives are unknown: {}", unknown_));
  }

 private:
  void end(std::string why) { found_.start.ended = std::move(why); }
  double width(std::size_t k) const { return problem_.upper[k] - problem_.lower[k]; }
  double merit() const { return found_.best->rows[0].value / scale_ + std::max(found_.violation - 1, 0.0); }

  double steepest(const Row& row) const {
    double largest = 0;
    for (std::size_t k = 0; k < row.gradient.size(); ++k) largest = std::max(largest, std::abs(row.gradient[k]) * width(k));
    return largest;
  }

  void set_scales(const Trial& first) {
    found_.steepest = steepest(first.rows[0]);
    scale_ = found_.steepest > 0 ? found_.steepest / kFirstStep : std::max(std::abs(first.rows[0].value), 1e-300);
    for (std::size_t i = 1; i < first.rows.size(); ++i) {
      const double scale = std::max(steepest(first.rows[i]), first.rows[i].size);
      found_.scales.push_back(scale > 0 ? scale : 1);
    }
  }

  // Keeps the point if it is the best one so far.
  void take(const Trial& point) {
    std::vector<double> tolerances = found_.scales;
    for (double& one : tolerances) one *= kFeasible;
    const double violation = point.violation(problem_, tolerances);
    if (found_.best) {
      const bool feasible = violation <= 1, was = found_.violation <= 1;
      if (feasible == was ? (feasible ? point.rows[0].value >= found_.best->rows[0].value : violation >= found_.violation)
                          : was)
        return;
    }
    found_.best = point;
    found_.violation = violation;
  }

  std::vector<double> values(std::span<const double> u) const {
    std::vector<double> x(n_);
    for (std::size_t k = 0; k < n_; ++k)
      x[k] = u[k] >= 1 ? problem_.upper[k] : problem_.lower[k] + std::max(u[k], 0.0) * width(k);
    return x;
  }

  const Trial* evaluate(std::span<const double> u, bool gradient) {
    const std::vector<double> x = values(u);
    const Trial& point = evaluator_.at(x, gradient);
    if (point.counts) take(point);
    return &point;
  }

  // An infinite objective makes the search halve its step.
  double objective(std::span<const double> u, std::span<double> gradient) {
    const bool again = last_ == std::vector<double>(u.begin(), u.end());
    if (!again) ++found_.start.points;
    const Trial& point = *evaluate(u, !gradient.empty());
    if (!point.counts) return std::numeric_limits<double>::infinity();
    if (!gradient.empty() && !point.differentiated) {
      // A point without derivatives is no step; if the search has taken it already, it ends.
      if (again) unknown_ = point.unknown;
      return std::numeric_limits<double>::infinity();
    }
    last_.assign(u.begin(), u.end());
    for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] = point.rows[0].gradient[k] * width(k) / scale_;
    return point.rows[0].value / scale_;
  }

  void conditions(bool equations, std::span<const double> u, std::span<double> values, std::span<double> jacobian) {
    const Trial& point = *evaluate(u, !jacobian.empty());
    std::size_t at = 0;
    for (std::size_t i = 0; i < problem_.conditions.size(); ++i) {
      if (problem_.conditions[i].equation() != equations) continue;
      const Row& row = point.rows[i + 1];
      values[at] = row.value / found_.scales[i];
      for (std::size_t k = 0; k < n_ && !jacobian.empty(); ++k)
        jacobian[at * n_ + k] = row.gradient.empty() ? 0 : row.gradient[k] * width(k) / found_.scales[i];
      ++at;
    }
  }

  std::string minimize_from(const std::vector<double>& from, int most_points) {
    NonlinearProgram program;
    program.lower.assign(n_, 0.0);
    program.upper.assign(n_, 1.0);
    for (const Condition& condition : problem_.conditions)
      ++(condition.equation() ? program.equations : program.inequalities);
    program.objective = [this](std::span<const double> u, std::span<double> gradient) { return objective(u, gradient); };
    program.g = [this](auto u, auto values, auto jacobian) { conditions(false, u, values, jacobian); };
    program.h = [this](auto u, auto values, auto jacobian) { conditions(true, u, values, jacobian); };
    program.keep_on = [this] { return !evaluator_.stopped && unknown_.empty(); };
    program.max_points = std::max(most_points, 1);
    std::vector<double> u(n_);
    for (std::size_t k = 0; k < n_; ++k) u[k] = (from[k] - problem_.lower[k]) / width(k);
    return minimize(program, u);
  }

  const Problem& problem_;
  Evaluator& evaluator_;
  SearchOutcome& found_;
  const std::size_t n_;
  double scale_ = 1;
  std::vector<double> last_;  // the last point with a finite objective
  std::string unknown_;       // why derivatives are unknown at a point that the search has taken
};

}  // namespace

SearchOutcome search_from(const Problem& problem, const std::vector<double>& from, const OptimizeOptions& options,
                  Evaluator& evaluator) {
  SearchOutcome found;
  found.start.from = from;
  ByQuadraticPrograms(problem, evaluator, found).run(from, options.max_points);
  if (!found.best) return found;
  if (!found.best->differentiated && !evaluator.stopped) found.best = evaluator.at(found.best->x, true);
  found.start.to = found.best->x;
  found.start.feasible = found.violation <= 1;
  found.start.objective = problem.sign() * found.best->rows[0].value;
  return found;
}

bool is_better(const SearchOutcome& a, const SearchOutcome& b) {
  if (!a.best || !b.best) return a.best.has_value();
  const bool feasible = a.violation <= 1, other = b.violation <= 1;
  if (feasible != other) return feasible;
  return feasible ? a.best->rows[0].value < b.best->rows[0].value : a.violation < b.violation;
}

}  // namespace dalembert::optimizing
