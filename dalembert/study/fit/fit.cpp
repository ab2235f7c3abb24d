// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/study/fit/column_svd.h"
#include "dalembert/study/fit/fit_problem.h"
#include "dalembert/study/fit/fit_search.h"
#include "dalembert/study/fit/identify.h"
#include "dalembert/study/fit/least_squares.h"

namespace dalembert {

using fitting::Directions;
using fitting::Evaluation;
using fitting::FitProblem;
using fitting::FitRuns;
using fitting::LeastSquares;
using fitting::LeastSquaresEnd;
using fitting::LeastSquaresOutcome;
using fitting::MeasuredColumn;
using fitting::NoisyJacobian;
using fitting::RunKind;
using fitting::SampleSeries;
using fitting::SearchFrom;
using fitting::Unknown;

namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();
constexpr double kCostTolerance = 1e-12, kStepTolerance = 1e-9;
constexpr double kRoughTolerance = 1e-4;   // where bounds become active
constexpr double kTighter = 0.01;          // of the runs whose derivatives tell the noise of the others
constexpr int kMostRounds = 30;            // of estimated standard deviations
constexpr double kSigmaSettled = 1e-3;     // relative
constexpr double kLeastSigma = 1e-10;      // of the size of a column: what runs know it to
constexpr double kAtBound = 1e-9;          // of the size of an unknown
constexpr double kAtEdge = 1e-6;           // likewise: values whose runs fail are so near to the solution
constexpr double kNoSize = 1e-6;           // of the size of an unknown: what is smaller is taken for 0
constexpr double kOfStandardError = 1e-3;  // so near to the least cost nothing is left to search for

// A fit on its way.
class FitSearch {
 public:
  FitSearch(const FitProblem& problem, const std::vector<FitData>& data, FitRuns& runs,
            fitting::SolveLeastSquares solve, const SearchFrom& from)
      : problem_(problem),
        unknowns_(problem.unknowns.all),
        data_(data),
        from_(from),
        solve_(solve),
        runs_(runs),
        runs_before_(runs.runs()),
        x_(from.x) {
    for (const Unknown& one : unknowns_)
      if (one.prior) ++priors_;
  }

  Result<Fit> find();

 private:
  std::size_t residuals() const { return runs_.samples() + priors_; }
  bool keep_on() {
    if (!interrupted_ && !from_.progress(runs_.runs() - runs_before_, best_cost_)) interrupted_ = true;
    return !interrupted_;
  }
  Evaluation evaluate(const std::vector<double>& x, const RunKind& kind) {
    return runs_.evaluate(x, kind, [this] { return keep_on(); });
  }

  void guess_sigmas();
  bool estimate_sigmas(const std::vector<double>& values, std::size_t determined);
  double sigma_of(const SampleSeries& series, std::size_t k) const {
    return series.sigma.empty() ? sigmas_[series.column] : series.sigma[k];
  }
  std::vector<double> weighted(const std::vector<double>& values) const;
  void write_residuals(const Evaluation& made, const std::vector<double>& x, double* residuals, double* jacobian) const;
  int evaluate_scaled(const double* scaled, double* residuals, double* jacobian);
  LeastSquaresOutcome search(std::vector<std::size_t> searched, bool roughly = false);
  bool is_bounded() const {
    return std::ranges::any_of(unknowns_,
                               [](const Unknown& one) { return std::isfinite(one.lower) || std::isfinite(one.upper); });
  }
  std::optional<std::vector<int>> active_bounds();
  LeastSquaresOutcome search_within_bounds();
  std::string failure_beside() const;
  bool is_least_cost();
  void search_in_rounds();
  void judge(const Evaluation& last);
  void find_errors(const NoisyJacobian& samples, const std::vector<double>& s, double size);
  NoisyJacobian with_priors(const NoisyJacobian& samples, const std::vector<std::size_t>& free) const;
  void record(const Evaluation& last);
  NoisyJacobian noisy_jacobian(const Evaluation& last, const Evaluation& tighter) const;
  void examine(const Evaluation& last, const Evaluation& tighter);
  void warn();
  void describe();

  const FitProblem& problem_;
  const std::vector<Unknown>& unknowns_;
  const std::vector<FitData>& data_;
  const SearchFrom& from_;
  const fitting::SolveLeastSquares solve_;
  FitRuns& runs_;
  const std::int64_t runs_before_;
  std::vector<double> x_, sigmas_;  // the present values; the standard deviation of each column
  std::size_t priors_ = 0;
  std::vector<std::size_t> searched_;  // the unknowns of the present search; the others are as in x_
  std::vector<double> derivatives_;
  std::vector<double> best_;  // of this search: the values of the least cost
  double best_cost_ = std::numeric_limits<double>::infinity();
  std::vector<std::pair<std::vector<double>, std::string>> failed_;  // of this search: values whose run failed, and why
  std::string beside_;                                               // why runs fail beside the solution, if they do
  bool interrupted_ = false;
  Fit fit_;
};

// Standard deviations to begin with: those of the samples about their mean.
void FitSearch::guess_sigmas() {
  for (std::size_t c = 0; c < problem_.columns.size(); ++c) {
    double count = 0, sum = 0, squares = 0;
    for (const SampleSeries& one : problem_.series)
      if (one.column == c)
        for (const double value : one.values) ++count, sum += value, squares += value * value;
    const double spread = std::sqrt(std::max(0.0, squares / count - (sum / count) * (sum / count)));
    const double guess = spread > 0 ? spread : squares > 0 ? std::sqrt(squares / count) : 1;
    sigmas_.push_back(problem_.columns[c].sigma.value_or(guess));
  }
}

// Standard deviations from residuals. Returns whether they have settled.
bool FitSearch::estimate_sigmas(const std::vector<double>& values, std::size_t determined) {
  const double left = 1 - std::min(1.0, static_cast<double>(determined) / static_cast<double>(runs_.samples()));
  bool settled = true;
  for (std::size_t c = 0; c < problem_.columns.size(); ++c) {
    if (problem_.columns[c].sigma || problem_.columns[c].own_sigma) continue;
    double count = 0, squares = 0, size = 0;
    std::size_t sample = 0;
    for (const SampleSeries& one : problem_.series)
      for (const double value : one.values) {
        const double residual = values[sample++] - value;
        if (one.column != c) continue;
        ++count, squares += residual * residual, size = std::max(size, std::abs(value));
      }
    const double sigma = std::max(std::sqrt(squares / (count * (left > 0 ? left : 1))), kLeastSigma * size);
    settled = settled && std::abs(std::log(sigma / sigmas_[c])) < kSigmaSettled;
    if (sigma > 0) sigmas_[c] = sigma;
  }
  return settled;
}

std::vector<double> FitSearch::weighted(const std::vector<double>& values) const {
  std::vector<double> scaled = values;
  std::size_t sample = 0;
  for (const SampleSeries& one : problem_.series)
    for (std::size_t k = 0; k < one.values.size(); ++k) scaled[sample++] /= sigma_of(one, k);
  return scaled;
}

void FitSearch::write_residuals(const Evaluation& made, const std::vector<double>& x, double* residuals,
                                double* jacobian) const {
  const std::size_t n = unknowns_.size();
  std::size_t at = 0;
  for (const SampleSeries& one : problem_.series)
    for (std::size_t k = 0; k < one.values.size(); ++k, ++at) {
      const double sigma = sigma_of(one, k);
      residuals[at] = (made.values[at] - one.values[k]) / sigma;
      if (jacobian != nullptr)
        for (std::size_t j = 0; j < n; ++j) jacobian[at * n + j] = made.jacobian[at * n + j] / sigma;
    }
  for (std::size_t k = 0; k < n; ++k) {
    if (!unknowns_[k].prior) continue;
    residuals[at] = unknowns_[k].prior->residual(x[k]);
    if (jacobian != nullptr)
      for (std::size_t j = 0; j < n; ++j) jacobian[at * n + j] = j == k ? unknowns_[k].prior->slope(x[k]) : 0;
    ++at;
  }
}

// Unknowns of size 1, for the solver, of those that are searched for.
int FitSearch::evaluate_scaled(const double* scaled, double* residuals, double* jacobian) {
  if (!keep_on()) return 0;
  std::vector<double> x = x_;
  for (std::size_t j = 0; j < searched_.size(); ++j) x[searched_[j]] = scaled[j] * unknowns_[searched_[j]].scale;
  const Evaluation made = evaluate(x, {.derivatives = jacobian != nullptr});
  if (!made.ok) {
    if (!interrupted_) {
      ++fit_.failures[made.why];
      failed_.emplace_back(std::move(x), made.why);
    }
    return 0;
  }
  derivatives_.resize(jacobian != nullptr ? this->residuals() * unknowns_.size() : 0);
  write_residuals(made, x, residuals, jacobian != nullptr ? derivatives_.data() : nullptr);
  double cost = 0;
  for (std::size_t i = 0; i < this->residuals(); ++i) cost += residuals[i] * residuals[i] / 2;
  if (cost < best_cost_) std::tie(best_cost_, best_) = std::pair(cost, x);
  if (jacobian != nullptr)
    for (std::size_t i = 0; i < this->residuals(); ++i)
      for (const std::size_t k : searched_) *jacobian++ = derivatives_[i * unknowns_.size() + k] * unknowns_[k].scale;
  return std::isfinite(cost) ? 1 : 0;
}

// Searches for some of the unknowns from x_, with the present standard deviations.
LeastSquaresOutcome FitSearch::search(std::vector<std::size_t> searched, bool roughly) {
  searched_ = std::move(searched);
  std::vector<double> scaled, lower, upper;
  for (const std::size_t k : searched_) {
    const double scale = unknowns_[k].scale;
    lower.push_back(unknowns_[k].lower / scale);
    upper.push_back(unknowns_[k].upper / scale);
    scaled.push_back(std::clamp(x_[k] / scale, lower.back(), upper.back()));
  }
  best_cost_ = std::numeric_limits<double>::infinity();
  failed_.clear();
  LeastSquares stated{.residuals = static_cast<int>(residuals()),
                      .unknowns = static_cast<int>(searched_.size()),
                      .x = scaled.data(),
                      .lower = lower.data(),
                      .upper = upper.data(),
                      .context = this};
  stated.evaluate = [](void* self, const double* x, double* r, double* J) {
    return static_cast<FitSearch*>(self)->evaluate_scaled(x, r, J);
  };
  stated.iterated = [](void* self, int, double) { return static_cast<FitSearch*>(self)->keep_on() ? 1 : 0; };
  stated.most_iterations = from_.most_iterations;
  stated.cost_tolerance = roughly ? kRoughTolerance : kCostTolerance;
  stated.step_tolerance = roughly ? kRoughTolerance : kStepTolerance;
  LeastSquaresOutcome outcome;
  solve_(&stated, &outcome);
  if (std::isfinite(best_cost_)) x_ = best_;
  for (std::size_t k = 0; k < unknowns_.size(); ++k) x_[k] = std::clamp(x_[k], unknowns_[k].lower, unknowns_[k].upper);
  fit_.iterations += outcome.iterations;
  return outcome;
}

// The bounds at which unknowns are, and beyond which the cost falls: −1, 1, or 0. Nothing if there is no run.
std::optional<std::vector<int>> FitSearch::active_bounds() {
  std::vector<int> active(unknowns_.size(), 0);
  if (!is_bounded()) return active;
  const Evaluation here = evaluate(x_, {.derivatives = true});
  if (!here.ok) return std::nullopt;
  std::vector<double> r(residuals()), J(residuals() * unknowns_.size());
  write_residuals(here, x_, r.data(), J.data());
  for (std::size_t k = 0; k < unknowns_.size(); ++k) {
    double slope = 0;
    for (std::size_t i = 0; i < residuals(); ++i) slope += r[i] * J[i * unknowns_.size() + k];
    const double near = kAtBound * unknowns_[k].scale;
    if (x_[k] <= unknowns_[k].lower + near && slope > 0) active[k] = -1;
    if (x_[k] >= unknowns_[k].upper - near && slope < 0) active[k] = 1;
  }
  return active;
}

// The solver projects its steps onto the bounds, which makes them short, and leaves the unknowns that are free of them short of the least cost. So after a
// rough search those at a bound are held there, the others are searched for alone, and this is repeated until no bound becomes active and none is held that
// the cost would leave.
LeastSquaresOutcome FitSearch::search_within_bounds() {
  std::vector<std::size_t> searched(unknowns_.size());
  std::iota(searched.begin(), searched.end(), 0);
  const bool bounded = is_bounded();
  LeastSquaresOutcome outcome = search(searched, bounded);
  std::optional<std::vector<int>> held;
  for (std::size_t round = 0; bounded && round < 2 * unknowns_.size() + 2; ++round) {
    if (outcome.end != LeastSquaresEnd::kConverged || interrupted_) break;
    const std::optional<std::vector<int>> active = active_bounds();
    if (!active || active == held) break;
    held = active;
    searched.clear();
    for (std::size_t k = 0; k < unknowns_.size(); ++k) {
      const int side = (*held)[k];
      if (side == 0)
        searched.push_back(k);
      else
        x_[k] = side < 0 ? unknowns_[k].lower : unknowns_[k].upper;
    }
    if (searched.empty()) break;
    outcome = search(searched);
  }
  return outcome;
}

// Why runs fail beside the solution, if they do. Steps that they refuse become short, as at a least cost, so the end of the search has shown nothing.
std::string FitSearch::failure_beside() const {
  for (const auto& [x, why] : failed_) {
    bool near = true;
    for (std::size_t k = 0; k < x.size(); ++k)
      near = near && std::abs(x[k] - x_[k]) <= kAtEdge * std::max(std::abs(x_[k]), unknowns_[k].scale);
    if (near) return why;
  }
  return "";
}

// Whether the cost falls no further from the solution, towards values whose runs fail or elsewhere. With r the residuals and J = U S Vᵀ their derivatives by the unknowns that no
// bound holds, its least value to first order is at −V S⁻¹ Uᵀ r from there: along each direction that J determines, that is no step, or no gain.
bool FitSearch::is_least_cost() {
  const std::optional<std::vector<int>> active = active_bounds();
  const Evaluation here = active ? evaluate(x_, {.derivatives = true}) : Evaluation{};
  if (!here.ok) return false;
  const std::size_t rows = residuals(), n = unknowns_.size();
  std::vector<double> r(rows), J(rows * n);
  write_residuals(here, x_, r.data(), J.data());
  // Columns are scaled to length 1; `most`: of a scaled unknown, the change that counts as none.
  std::vector<std::size_t> free;
  std::vector<double> lengths, most;
  for (std::size_t k = 0; k < n; ++k) {
    double squares = 0;
    for (std::size_t i = 0; i < rows; ++i) squares += J[i * n + k] * J[i * n + k];
    if ((*active)[k] != 0 || squares == 0) continue;
    free.push_back(k);
    lengths.push_back(std::sqrt(squares));
    most.push_back(kAtEdge * std::max(std::abs(x_[k]), unknowns_[k].scale) * lengths.back());
  }
  const std::size_t columns = free.size();
  std::vector<double> A(rows * columns), slopes(columns);
  double squares = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    squares += r[i] * r[i];
    for (std::size_t c = 0; c < columns; ++c) {
      A[i * columns + c] = J[i * n + free[c]] / lengths[c];
      slopes[c] += A[i * columns + c] * r[i];
    }
  }
  const fitting::ColumnSvd svd = fitting::column_svd(A, rows, columns);
  for (std::size_t j = 0; j < columns && svd.singular[j] > fitting::kLeastRatio * svd.singular.front(); ++j) {
    double gain = 0;  // uᵀ r
    for (std::size_t c = 0; c < columns; ++c) gain += svd.V[c * columns + j] * slopes[c] / svd.singular[j];
    bool moves = false;
    for (std::size_t c = 0; c < columns; ++c)
      moves = moves || std::abs(svd.V[c * columns + j] * gain / svd.singular[j]) > most[c];
    if (moves && std::abs(gain) > kOfStandardError * std::sqrt(squares / static_cast<double>(rows))) return false;
  }
  return true;
}

// Where columns of different kinds or priors share the work, estimated standard deviations change the solution, which changes them: the likelihood's maximum
// by rounds of both. One column alone needs no second round.
void FitSearch::search_in_rounds() {
  const bool estimated =
      std::ranges::any_of(problem_.columns, [](const MeasuredColumn& one) { return !one.sigma && !one.own_sigma; });
  const bool rounds = estimated && (problem_.columns.size() > 1 || priors_ > 0);
  for (int round = 0; round < (rounds ? kMostRounds : 1); ++round) {
    const LeastSquaresOutcome outcome = search_within_bounds();
    fit_.end = outcome.end == LeastSquaresEnd::kConverged ? Fit::End::kConverged : Fit::End::kNotConverged;
    fit_.message = outcome.message;
    beside_ = failure_beside();
    const bool ended = outcome.end == LeastSquaresEnd::kConverged || outcome.end == LeastSquaresEnd::kFailed;
    if (ended && !beside_.empty() && !interrupted_) {
      fit_.end = is_least_cost() ? Fit::End::kConverged : Fit::End::kNotConverged;
      if (fit_.end == Fit::End::kNotConverged)
        fit_.message = "the search ended at values beside which runs fail: " + beside_;
    }
    if (interrupted_) fit_.end = Fit::End::kInterrupted;
    if (fit_.end != Fit::End::kConverged || !rounds) return;
    const Evaluation here = evaluate(x_, {});
    if (!here.ok) return;
    if (estimate_sigmas(here.values, unknowns_.size())) return;
  }
  fit_.end = Fit::End::kNotConverged;
  fit_.message = "the standard deviations of the columns did not settle";
}

// The verdict of the run that is to be trusted least: one that does not hold, else the one with the largest error.
void FitSearch::judge(const Evaluation& last) {
  for (std::size_t f = 0; f < last.runs.size(); ++f) {
    const Verdict& verdict = last.runs[f].verdict;
    const bool worse = (fit_.verdict.holds && !verdict.holds) ||
                       (fit_.verdict.holds == verdict.holds && verdict.error.relative > fit_.verdict.error.relative);
    if (f > 0 && !worse) continue;
    fit_.verdict = verdict;
    fit_.verdict_of = data_[f].name;
  }
}

NoisyJacobian FitSearch::with_priors(const NoisyJacobian& samples, const std::vector<std::size_t>& free) const {
  NoisyJacobian all = samples;
  for (const std::size_t k : free) {
    if (!unknowns_[k].prior) continue;
    std::vector<double> row(unknowns_.size(), 0.0);
    row[k] = unknowns_[k].prior->slope(x_[k]);
    all.at.insert(all.at.end(), row.begin(), row.end());
    all.tighter.insert(all.tighter.end(), row.begin(), row.end());
    ++all.rows;
  }
  return all;
}

// Standard errors and correlations: the inverse of JᵀJ where J determines it, of the unknowns that no bound holds.
void FitSearch::find_errors(const NoisyJacobian& samples, const std::vector<double>& s, double size) {
  const std::size_t n = unknowns_.size();
  std::vector<std::size_t> free;
  for (std::size_t k = 0; k < n; ++k)
    if (fit_.parameters[k].at_bound == 0) free.push_back(k);
  const Directions directions = find_directions(with_priors(samples, free), s, free, size);
  fit_.freedoms = static_cast<std::int64_t>(residuals()) - static_cast<std::int64_t>(directions.rank);
  fit_.correlation.assign(n, std::vector<double>(n, kNotKnown));
  std::vector<std::size_t> alive;
  for (std::size_t c = 0; c < free.size(); ++c)
    if (!directions.dead[c]) alive.push_back(c);
  const std::size_t count = directions.singular.size();
  const bool known =
      std::ranges::all_of(problem_.columns, [](const MeasuredColumn& one) { return one.sigma || one.own_sigma; });
  const auto covariance = [&](std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t j = 0; j < directions.rank; ++j)
      sum +=
          directions.V[a * count + j] * directions.V[b * count + j] / (directions.singular[j] * directions.singular[j]);
    return sum;
  };
  for (std::size_t c = 0; c < free.size(); ++c) fit_.parameters[free[c]].determined = !directions.dead[c];
  for (std::size_t a = 0; a < alive.size(); ++a) {
    double hidden = 0;
    for (std::size_t j = directions.rank; j < count; ++j)
      hidden = std::max(hidden, std::abs(directions.V[a * count + j]));
    Fit::Parameter& parameter = fit_.parameters[free[alive[a]]];
    parameter.determined = hidden < 1e-6;
    if (parameter.determined && (known || fit_.freedoms > 0))
      parameter.sigma = std::sqrt(covariance(a, a)) * s[free[alive[a]]] / directions.lengths[alive[a]];
  }
  for (std::size_t a = 0; a < alive.size(); ++a)
    for (std::size_t b = 0; b < alive.size(); ++b) {
      const std::size_t i = free[alive[a]], j = free[alive[b]];
      if (std::isnan(fit_.parameters[i].sigma) || std::isnan(fit_.parameters[j].sigma)) continue;
      fit_.correlation[i][j] = i == j ? 1 : covariance(a, b) / std::sqrt(covariance(a, a) * covariance(b, b));
    }
}

void FitSearch::describe() {
  for (std::size_t k = 0; k < unknowns_.size(); ++k) {
    const Unknown& one = unknowns_[k];
    fit_.parameters.push_back({.name = one.name,
                               .unit = one.unit == "1" ? "" : one.unit,
                               .start = from_.x[k],
                               .value = x_[k],
                               .lower = one.lower,
                               .upper = one.upper});
  }
  fit_.warnings = problem_.system.warnings;
}

// Residuals, columns and series at the solution.
void FitSearch::record(const Evaluation& last) {
  fit_.residuals.resize(residuals());
  fit_.jacobian.resize(residuals() * unknowns_.size());
  write_residuals(last, x_, fit_.residuals.data(), fit_.jacobian.data());
  for (const double r : fit_.residuals) fit_.cost += r * r / 2;
  for (const MeasuredColumn& column : problem_.columns)
    fit_.columns.push_back({.name = column.name, .unit = column.unit, .sigma_given = column.sigma || column.own_sigma});
  std::size_t sample = 0;
  for (const SampleSeries& one : problem_.series) {
    Fit::Column& column = fit_.columns[one.column];
    Fit::Series& series = fit_.series.emplace_back();
    series = {data_[one.file].name, column.name, column.unit, {}, one.values, {}};
    for (std::size_t k = 0; k < one.values.size(); ++k, ++sample) {
      const double residual = last.values[sample] - one.values[k];
      series.time.push_back(data_[one.file].time[one.rows[k]]);
      series.computed.push_back(last.values[sample]);
      column.rms += residual * residual;
      ++column.samples;
    }
  }
  for (std::size_t c = 0; c < fit_.columns.size(); ++c) {
    fit_.columns[c].rms = std::sqrt(fit_.columns[c].rms / static_cast<double>(fit_.columns[c].samples));
    fit_.columns[c].sigma = problem_.columns[c].own_sigma ? kNotKnown : sigmas_[c];
  }
}

// Derivatives of the samples, divided by their standard deviations.
NoisyJacobian FitSearch::noisy_jacobian(const Evaluation& last, const Evaluation& tighter) const {
  const std::size_t n = unknowns_.size();
  NoisyJacobian J{.at = {}, .tighter = {}, .rows = runs_.samples(), .unknowns = n};
  for (const auto& [from, to] : {std::pair(&last, &J.at), std::pair(&tighter, &J.tighter)}) {
    std::vector<double> r(residuals()), derivatives(residuals() * n);
    write_residuals(*from, x_, r.data(), derivatives.data());
    to->assign(derivatives.begin(), derivatives.begin() + static_cast<std::ptrdiff_t>(J.rows * n));
  }
  return J;
}

// What the data determine, and how well. Both evaluations are at the solution, with derivatives.
void FitSearch::examine(const Evaluation& last, const Evaluation& tighter) {
  std::vector<double> s;
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < unknowns_.size(); ++k) {
    const double size = std::abs(x_[k]);
    s.push_back(size > kNoSize * unknowns_[k].scale ? size : unknowns_[k].scale);
    all.push_back(k);
  }
  const auto size = [&] {
    double sum = 0;
    for (const double value : weighted(last.values)) sum += value * value;
    return std::sqrt(sum);
  };
  // Standard deviations are estimated from residuals, of which as many are lost as combinations are determined.
  const NoisyJacobian before = noisy_jacobian(last, tighter);
  estimate_sigmas(last.values, find_directions(with_priors(before, all), s, all, size()).rank);
  record(last);
  if (const auto active = active_bounds())
    for (std::size_t k = 0; k < active->size(); ++k) fit_.parameters[k].at_bound = (*active)[k];
  const NoisyJacobian J = noisy_jacobian(last, tighter);
  find_errors(J, s, size());
  fit_.unidentifiable = describe_undetermined(find_directions(J, s, all, size()), unknowns_, x_, s, size(),
                                              [&](const std::vector<double>& x) {
                                                const Evaluation there = evaluate(x, {.tighter = kTighter});
                                                return there.ok ? weighted(there.values) : std::vector<double>{};
                                              });
}

void FitSearch::warn() {
  if (fit_.end == Fit::End::kConverged && !beside_.empty()) {
    Diagnostic doubt = warning("W0332", "the solution is at an edge, beyond which runs fail: " + beside_);
    doubt.help.emplace_back(
        "standard errors are those of a sum of squares that goes on beyond the edge as it does before it");
    fit_.warnings.push_back(std::move(doubt));
  }
  std::vector<std::string> said;
  for (const Fit::Combination& one : fit_.unidentifiable) {
    if (std::ranges::find(said, one.text) != said.end()) continue;
    said.push_back(one.text);
    // What priors or bounds decide needs no more data.
    if (std::ranges::none_of(fit_.parameters, [&](const Fit::Parameter& parameter) {
          return !parameter.determined &&
                 std::ranges::any_of(one.parts, [&](const auto& part) { return part.first == parameter.name; });
        }))
      continue;
    Diagnostic doubt = warning("W0308", "the data do not determine " + one.text);
    doubt.help.emplace_back(
        "leave one of them out of the free quantities, say what is known of it (a prior), or measure more");
    fit_.warnings.push_back(std::move(doubt));
  }
}

Result<Fit> FitSearch::find() {
  guess_sigmas();
  const Evaluation first = evaluate(x_, {.derivatives = true});
  if (!first.ok && !interrupted_) {
    Diagnostic problem = error("E0432", "the search cannot begin at the first values: " + first.why);
    problem.help.emplace_back("the search begins at the values of the model: `--set NAME=VALUE` gives others");
    return problem;
  }
  if (!interrupted_) search_in_rounds();
  describe();
  const Evaluation last = interrupted_ ? Evaluation{} : evaluate(x_, {.derivatives = true, .judged = true});
  const Evaluation tighter = last.ok ? evaluate(x_, {.derivatives = true, .tighter = kTighter}) : Evaluation{};
  if (tighter.ok) {
    judge(last);
    examine(last, tighter);
    warn();
  } else if (fit_.end == Fit::End::kConverged) {
    fit_.end = Fit::End::kNotConverged;
    fit_.message = "the run at the solution failed: " + (last.ok ? tighter.why : last.why);
  }
  if (interrupted_) {
    fit_.end = Fit::End::kInterrupted;
    fit_.message = "interrupted: the values are the best so far";
  }
  fit_.runs = runs_.runs() - runs_before_;
  return std::move(fit_);
}

}  // namespace

namespace fitting {

Result<Fit> fit_from(const FitProblem& problem, const std::vector<FitData>& data, FitRuns& runs,
                     SolveLeastSquares solve, const SearchFrom& from) {
  return FitSearch(problem, data, runs, solve, from).find();
}

}  // namespace fitting
}  // namespace dalembert
