// SPDX-License-Identifier: Apache-2.0
// A fit by searches from several starts: the best of what they find, and which minima there are (docs/decisions/0065).
#if !defined(__wasi__)  // WebAssembly has neither threads nor Ceres Solver here
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/study/fit.h"
#include "dalembert/study/fit/fit_problem.h"
#include "dalembert/study/fit/fit_search.h"
#include "dalembert/study/sweep/sampling.h"
#include "dalembert/study/threads.h"

namespace dalembert {

using fitting::FitProblem;
using fitting::FitRuns;
using fitting::MeasuredColumn;
using fitting::SearchFrom;
using fitting::Unknown;

namespace {

constexpr int kMostFitStarts = 100'000;
constexpr const char* kNotBegun = "not begun";
// Two ends are one minimum if their unknowns differ by less than this fraction of their size, or of their standard error, and the logarithms of their
// likelihoods by less than kSameLikelihood.
constexpr double kSameUnknown = 1e-5, kOfError = 0.1, kSameLikelihood = 0.01;

// The place of an unknown for a number between 0 and 1: evenly between its bounds, or as its prior has it. Nothing if neither says where it may be.
std::optional<double> place_of(const Unknown& one, double share) {
  if (std::isfinite(one.lower) && std::isfinite(one.upper)) return one.lower + share * (one.upper - one.lower);
  if (!one.prior) return std::nullopt;
  const double away = one.prior->sigma * sweeping::normal_quantile(share);
  return std::clamp(one.prior->logarithmic ? one.prior->mean * std::exp(away) : one.prior->mean + away, one.lower,
                    one.upper);
}

Result<std::vector<std::vector<double>>> starts_of(const std::vector<Unknown>& unknowns, const FitRequest& request) {
  if (request.starts < 1 || request.starts > kMostFitStarts)
    return error("E0430", fmt::format("there cannot be {} starts", request.starts));
  std::vector<std::vector<double>> starts(static_cast<std::size_t>(request.starts));
  const std::size_t n = unknowns.size();
  const sweeping::SampleOf of{
      n <= sweeping::kMostSobol ? sweeping::Sampling::kSobol : sweeping::Sampling::kLatinHypercube, request.seed,
      static_cast<std::uint64_t>(request.starts)};
  for (std::size_t i = 0; i < starts.size(); ++i)
    for (std::size_t k = 0; k < n; ++k) {
      if (i == 0) {
        starts[i].push_back(unknowns[k].start);
        continue;
      }
      // Where an offset may be is known from the data alone.
      const std::optional<double> place = place_of(unknowns[k], sweeping::sample(of, i - 1, k));
      if (!place && unknowns[k].quantity >= 0) {
        Diagnostic problem =
            error("E0430", fmt::format("nothing says where other starts may have `{}`", unknowns[k].name));
        problem.help.push_back(fmt::format("`--bounds \"{}=FROM:TO\"`, with both sides, or a prior", unknowns[k].name));
        return problem;
      }
      starts[i].push_back(place.value_or(unknowns[k].start));
    }
  return starts;
}

// −ln of the likelihood, but for a constant: the standard deviations that were estimated are part of it.
double unlikeliness(const Fit& fit) {
  if (fit.columns.empty()) return std::numeric_limits<double>::quiet_NaN();
  double sum = fit.cost;
  for (const Fit::Column& column : fit.columns)
    if (!column.sigma_given) sum += static_cast<double>(column.samples) * std::log(column.sigma);
  return sum;
}

// What a search has found, as far as all are kept.
struct FoundMinimum {
  Fit::Start start;
  double unlikeliness = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> sigma;
  std::vector<bool> determined;
};

class FitStarts {
 public:
  FitStarts(const FitProblem& problem, const std::vector<FitData>& data, const FitRequest& request,
            fitting::SolveLeastSquares solve, std::vector<std::vector<double>> starts)
      : problem_(problem), data_(data), request_(request), solve_(solve), starts_(std::move(starts)) {
    found_.resize(starts_.size());
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      found_[i].start.from = starts_[i];
      found_[i].start.message = kNotBegun;
    }
  }

  Result<Fit> find() {
    FitRuns runs(problem_.system, problem_.unknowns, data_, problem_.series, outputs(&MeasuredColumn::output),
                 outputs(&MeasuredColumn::rate), problem_.options);
    if (starts_.size() == 1)
      one_by_one(runs);
    else
      at_once(runs);
    if (!best_) return *refused_;
    return answer();
  }

 private:
  std::vector<int> outputs(int MeasuredColumn::*member) const {
    std::vector<int> indices;
    for (const MeasuredColumn& column : problem_.columns) indices.push_back(column.*member);
    return indices;
  }
  bool told(std::int64_t runs, double cost) const { return !request_.progress || request_.progress(runs, cost); }

  // One search, whose files share the threads.
  void one_by_one(FitRuns& runs) {
    runs.use_threads(request_.threads);
    search(0, runs, [this](std::int64_t made, double cost) { return told(made, cost); });
  }

  // Several searches, each by one thread.
  void at_once(const FitRuns& runs) {
    const int threads = threads_for(request_.threads, static_cast<std::int64_t>(starts_.size()));
    std::vector<std::atomic<std::int64_t>> made(static_cast<std::size_t>(threads));
    std::atomic<std::size_t> next = 0;
    Threads working(threads, [&](int thread, const std::atomic<bool>& stopped) {
      FitRuns own = runs;
      std::atomic<std::int64_t>& count = made[static_cast<std::size_t>(thread)];
      // The first search begins in any case, so that there is an answer.
      for (std::size_t i = next++; i < starts_.size() && (i == 0 || !stopped); i = next++) {
        const std::int64_t before = own.runs();
        search(i, own, [&](std::int64_t of_search, double) {
          count = before + of_search;
          return !stopped;
        });
      }
    });
    working.wait([&] {
      std::int64_t all = 0;
      for (const auto& one : made) all += one;
      const std::lock_guard lock(mutex_);
      return told(all, best_ ? best_->cost : std::numeric_limits<double>::infinity());
    });
  }

  void search(std::size_t i, FitRuns& runs, std::function<bool(std::int64_t, double)> progress) {
    const std::int64_t before = runs.runs();
    Result<Fit> fit =
        fitting::fit_from(problem_, data_, runs, solve_, {starts_[i], request_.most_iterations, std::move(progress)});
    const std::lock_guard lock(mutex_);
    FoundMinimum& found = found_[i];
    found.start.runs = runs.runs() - before;
    runs_ += found.start.runs;
    if (!fit) {
      found.start.message = fit.diagnostics().front().message;
      if (i == 0 || !refused_) refused_ = fit.diagnostics();
      return;
    }
    note(*fit, found);
    for (const auto& [reason, count] : fit->failures) failures_[reason] += count;
    iterations_ += fit->iterations;
    if (best_ && !is_better(i, best_start_)) return;
    best_ = *std::move(fit);
    best_start_ = i;
  }

  static void note(const Fit& fit, FoundMinimum& found) {
    found.start.end = fit.end;
    found.start.message = fit.message;
    found.start.holds = !fit.columns.empty() && fit.verdict.holds;
    found.start.iterations = fit.iterations;
    found.unlikeliness = unlikeliness(fit);
    for (const Fit::Parameter& one : fit.parameters) {
      found.start.to.push_back(one.value);
      found.sigma.push_back(one.sigma);
      found.determined.push_back(one.determined);
    }
  }

  // Whether what was found from start a is a better answer than that from b: one that converged, then one that holds, then the likelier one, then the first.
  bool is_better(std::size_t a, std::size_t b) const {
    const FoundMinimum &one = found_[a], &other = found_[b];
    const auto converged = [](const FoundMinimum& found) { return found.start.end == Fit::End::kConverged; };
    if (converged(one) != converged(other)) return converged(one);
    if (one.start.holds != other.start.holds) return one.start.holds;
    if (std::isnan(one.unlikeliness) != std::isnan(other.unlikeliness)) return !std::isnan(one.unlikeliness);
    return one.unlikeliness != other.unlikeliness && !std::isnan(one.unlikeliness)
               ? one.unlikeliness < other.unlikeliness
               : a < b;
  }

  static bool is_less_likely(const FoundMinimum& a, const FoundMinimum& b) {
    return a.unlikeliness > b.unlikeliness + kSameLikelihood;
  }

  // Of two searches that converged, the later one not less likely.
  bool is_same_minimum(const FoundMinimum& a, const FoundMinimum& b) const {
    for (std::size_t k = 0; k < a.start.to.size(); ++k) {
      if (!a.determined[k] || !b.determined[k]) continue;
      const double size = std::max(problem_.unknowns.all[k].scale, std::abs(a.start.to[k]));
      const double allowed = std::max(kSameUnknown * size, std::isnan(a.sigma[k]) ? 0 : kOfError * a.sigma[k]);
      if (!(std::abs(a.start.to[k] - b.start.to[k]) <= allowed)) return false;
    }
    return true;
  }

  // Numbers the minima: that of the answer, then the others from the likeliest one on.
  void number_minima() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < found_.size(); ++i)
      if (found_[i].start.end == Fit::End::kConverged) order.push_back(i);
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return is_better(a, b); });
    std::vector<std::size_t> minima;
    for (const std::size_t i : order) {
      // They come in the order of their likelihoods, so only the last ones may be the same.
      std::size_t same = minima.size();
      for (std::size_t k = minima.size(); k-- > 0 && same == minima.size();) {
        const FoundMinimum& other = found_[minima[k]];
        if (other.start.holds != found_[i].start.holds || is_less_likely(found_[i], other)) break;
        if (is_same_minimum(other, found_[i])) same = k;
      }
      found_[i].start.minimum = static_cast<std::int64_t>(same);
      if (same == minima.size()) minima.push_back(i);
    }
  }

  Fit answer() {
    number_minima();
    Fit fit = *std::move(best_);
    fit.best = best_start_;
    fit.runs = runs_;
    fit.iterations = iterations_;
    fit.failures = std::move(failures_);
    for (FoundMinimum& found : found_) {
      found.start.worse_by = found.unlikeliness - found_[best_start_].unlikeliness;
      if (found.start.end == Fit::End::kInterrupted) fit.end = Fit::End::kInterrupted;
      fit.starts.push_back(std::move(found.start));
    }
    const bool all = std::ranges::none_of(fit.starts, [](const Fit::Start& one) { return one.message == kNotBegun; });
    if (!all) fit.end = Fit::End::kInterrupted;
    if (fit.end == Fit::End::kInterrupted) fit.message = "interrupted: the values are the best so far";
    return fit;
  }

  const FitProblem& problem_;
  const std::vector<FitData>& data_;
  const FitRequest& request_;
  const fitting::SolveLeastSquares solve_;
  const std::vector<std::vector<double>> starts_;
  std::mutex mutex_;  // of the following
  std::vector<FoundMinimum> found_;
  std::optional<Fit> best_;
  std::size_t best_start_ = 0;
  std::optional<Diagnostics> refused_;  // where there is no run at a start
  std::map<std::string, std::int64_t> failures_;
  std::int64_t runs_ = 0;
  int iterations_ = 0;
};

}  // namespace

Result<Fit> fit(const Model& model, const std::vector<FitData>& data, const FitRequest& request) {
  const Result<FitProblem> problem = fitting::prepare_fit(model, data, request);
  if (!problem) return problem.diagnostics();
  Result<std::vector<std::vector<double>>> starts = starts_of(problem->unknowns.all, request);
  if (!starts) return starts.diagnostics();
  const Result<fitting::SolveLeastSquares> solve = fitting::find_least_squares();
  if (!solve) return solve.diagnostics();
  return FitStarts(*problem, data, request, *solve, *std::move(starts)).find();
}

}  // namespace dalembert

#endif
