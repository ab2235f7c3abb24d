// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/optimize.h"
#if !defined(__wasi__)  // WebAssembly has neither threads nor NLopt here

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/base/wording.h"
#include "dalembert/study/optimize/multipliers.h"
#include "dalembert/study/optimize/nlopt.h"
#include "dalembert/study/optimize/problem.h"
#include "dalembert/study/optimize/search.h"
#include "dalembert/study/sweep/sampling.h"
#include "dalembert/study/threads.h"

namespace dalembert {

using optimizing::Condition;
using optimizing::Evaluator;
using optimizing::Problem;
using optimizing::SearchOutcome;
using optimizing::Trial;

namespace {

constexpr int kMostStarts = 1'000'000;
// A limit is active if its excess is above minus this fraction of its scale, or its quantity so near to a bound, as a fraction of its range.
constexpr double kActive = 1e-6;
// The least weight of an extreme that counts in a corner.
constexpr double kWeight = 1e-6;
// The conditions of first order hold up to this.
constexpr double kStationary = 1e-5;

// The model's own values in the bounds, then points of a Sobol' sequence.
std::vector<std::vector<double>> starts_of(const Problem& problem, const OptimizeOptions& options) {
  std::vector<std::vector<double>> starts;
  const std::size_t n = problem.quantities.size();
  std::vector<double> own = ChangingSystem(*problem.system, problem.quantities).stated_values();
  for (std::size_t k = 0; k < n; ++k) own[k] = std::clamp(own[k], problem.lower[k], problem.upper[k]);
  starts.push_back(std::move(own));
  const sweeping::SampleOf of{
      n <= sweeping::kMostSobol ? sweeping::Sampling::kSobol : sweeping::Sampling::kLatinHypercube, options.seed,
      static_cast<std::uint64_t>(std::max(options.starts, 1))};
  for (int i = 1; i < options.starts; ++i) {
    std::vector<double>& x = starts.emplace_back(n);
    for (std::size_t k = 0; k < n; ++k)
      x[k] = problem.lower[k] +
             sweeping::sample(of, static_cast<std::uint64_t>(i - 1), k) * (problem.upper[k] - problem.lower[k]);
  }
  return starts;
}

struct Searched {
  std::vector<SearchOutcome> found;  // of each start
  std::int64_t runs = 0, gradients = 0;
  std::vector<char> matters;  // for each quantity whether something that was differentiated depends on it
  bool unknown_somewhere = false;
  std::map<std::string, std::int64_t> failures;
  bool interrupted = false;
};

Searched search_all(const Problem& problem, const OptimizeOptions& options) {
  const std::vector<std::vector<double>> starts = starts_of(problem, options);
  const int threads = threads_for(options.threads, static_cast<std::int64_t>(starts.size()));
  Searched searched;
  searched.found.resize(starts.size());
  searched.matters.resize(problem.quantities.size());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    searched.found[i].start.from = starts[i];
    searched.found[i].start.ended = "not begun";
  }
  std::vector<Evaluator> evaluators(static_cast<std::size_t>(threads), Evaluator(problem));
  std::atomic<std::size_t> next = 0;
  std::atomic<std::int64_t> runs = 0;
  {
    Threads working(threads, [&](int thread, const std::atomic<bool>& stopped) {
      Evaluator& evaluator = evaluators[static_cast<std::size_t>(thread)];
      evaluator.keep_on = [&] { return !stopped; };
      for (std::size_t i = next++; i < starts.size() && !stopped; i = next++) {
        const std::int64_t before = evaluator.runs;
        searched.found[i] = search_from(problem, starts[i], options, evaluator);
        runs += evaluator.runs - before;
      }
    });
    searched.interrupted = working.wait([&] { return !options.progress || options.progress(runs); });
  }
  for (const Evaluator& one : evaluators) {
    searched.runs += one.runs;
    searched.gradients += one.gradients;
    searched.unknown_somewhere = searched.unknown_somewhere || one.unknown_somewhere;
    for (std::size_t i = 0; i < one.matters.size(); ++i)
      if (one.matters[i] != 0) searched.matters[i] = 1;
    for (const auto& [reason, count] : one.failures) searched.failures[reason] += count;
  }
  return searched;
}

std::string multiplier_unit(const Problem& problem, const std::optional<Dimension>& limit) {
  const std::optional<Dimension>& objective = problem.measures.dimensions()[0];
  if (!objective || !limit) return "";
  const std::string unit = unit_name(*objective / *limit, Measure::kForce);
  return unit == "1" ? "" : unit;
}

// Gradients of what is active at a point, in the scaled quantities: columns of the conditions of first order.
struct Column {
  std::vector<double> gradient;
  int limit = -1;              // index of the active limit; −1: of the objective
  double sign = 1;             // −1: of an equation that pushes the other way
  std::vector<double> t = {};  // of a piece; empty if it is none
};

class FirstOrder {
 public:
  FirstOrder(const Problem& problem, const SearchOutcome& found, double steepest, Optimum& optimum)
      : problem_(problem), found_(found), point_(*found.best), steepest_(steepest), optimum_(optimum) {}

  // Finds what is active; its multipliers by Σ w ∇f + Σ μ ∇g = 0, Σ w = 1, w >= 0, and μ >= 0 for inequalities, in least squares; and how well that holds.
  void find() {
    add_conditions();
    add_bounds();
    if (!point_.differentiated) return;
    add(point_.rows[0], -1, 1, steepest_);
    const std::size_t n = point_.x.size();
    std::vector<std::vector<double>> matrix;
    for (const Column& column : columns_) {
      std::vector<double>& one = matrix.emplace_back(column.gradient);
      for (double& entry : one) entry /= steepest_ > 0 ? steepest_ : 1;
      one.push_back(column.limit < 0 ? 1 : 0);
    }
    std::vector<double> wanted(n + 1, 0.0);
    wanted[n] = 1;
    std::vector<double> x = optimizing::nonnegative_least_squares(matrix, wanted);
    double weights = 0;
    for (std::size_t j = 0; j < x.size(); ++j)
      if (columns_[j].limit < 0) weights += x[j];
    if (!(weights > 0)) return;
    for (ActiveLimit& limit : optimum_.active) limit.multiplier = 0;
    std::vector<double> rest(n, 0.0);
    for (std::size_t j = 0; j < x.size(); ++j) {
      x[j] /= weights;
      if (columns_[j].limit >= 0)
        optimum_.active[static_cast<std::size_t>(columns_[j].limit)].multiplier += columns_[j].sign * x[j];
      for (std::size_t k = 0; k < n; ++k) rest[k] += x[j] * matrix[j][k];
    }
    optimum_.stationarity = 0;
    for (const double one : rest) optimum_.stationarity = std::max(optimum_.stationarity, std::abs(one));
    note_pieces(x);
  }

 private:
  double width(std::size_t k) const { return problem_.upper[k] - problem_.lower[k]; }

  // The gradient of a row, or of those of its pieces that are as large.
  void add(const optimizing::Row& row, int limit, double sign, double scale) {
    const auto add_one = [&](const std::vector<double>& gradient, const std::vector<double>& t) {
      Column& column = columns_.emplace_back(Column{gradient, limit, sign, t});
      for (std::size_t k = 0; k < column.gradient.size(); ++k) column.gradient[k] *= sign * width(k);
    };
    if (row.gradient.empty()) return;
    bool any = false;
    for (const optimizing::Piece& piece : row.pieces)
      if (piece.value >= row.value - kActive * std::max(scale, row.size)) {
        add_one(piece.gradient, piece.t);
        any = true;
      }
    if (!any) add_one(row.gradient, {});
  }

  void add_conditions() {
    for (std::size_t i = 0; i < problem_.conditions.size(); ++i) {
      const Condition& condition = problem_.conditions[i];
      const optimizing::Row& row = point_.rows[i + 1];
      if (!condition.equation() && row.value < -kActive * found_.scales[i]) continue;
      const std::optional<Dimension>& dimension =
          condition.left.dimension ? condition.left.dimension : condition.right.dimension;
      optimum_.active.push_back({.index = i, .text = condition.text, .unit = multiplier_unit(problem_, dimension)});
      const int limit = static_cast<int>(optimum_.active.size()) - 1;
      add(row, limit, 1, found_.scales[i]);
      if (condition.equation()) add(row, limit, -1, found_.scales[i]);
    }
  }

  void add_bounds() {
    for (std::size_t k = 0; k < point_.x.size(); ++k)
      for (const bool upper : {false, true}) {
        const double bound = upper ? problem_.upper[k] : problem_.lower[k];
        if (std::abs(point_.x[k] - bound) > kActive * width(k)) continue;
        const StudyQuantity& quantity = problem_.quantities[k];
        const std::string unit = quantity.unit.empty() || quantity.unit == "1" ? "" : " " + quantity.unit;
        optimum_.active.push_back(
            {.kind = upper ? ActiveLimit::Kind::kUpper : ActiveLimit::Kind::kLower,
             .index = k,
             .text = fmt::format("{} {} {}{}", quantity.name, upper ? "<=" : ">=", to_text(bound), unit),
             .unit = multiplier_unit(problem_, quantity.dimension)});
        Column& column = columns_.emplace_back(
            Column{std::vector<double>(point_.x.size(), 0.0), static_cast<int>(optimum_.active.size()) - 1});
        column.gradient[k] = (upper ? 1 : -1) * width(k);
      }
  }

  // Says where the objective has a corner: at extremes that only together cannot be improved.
  void note_pieces(const std::vector<double>& x) {
    std::vector<double> instants;
    std::size_t pieces = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (columns_[j].t.empty() || columns_[j].limit >= 0 || !(x[j] > kWeight)) continue;
      ++pieces;
      instants.insert(instants.end(), columns_[j].t.begin(), columns_[j].t.end());
    }
    std::ranges::sort(instants);
    std::vector<std::string> times;
    for (const double t : instants)
      if (std::string text = to_text(t, 6) + " s"; times.empty() || times.back() != text)
        times.push_back(std::move(text));
    if (pieces > 1)
      optimum_.notes.push_back(
          fmt::format("the objective has a corner there: its extremes at t = {} are equal, and none of "
                      "them can be improved without the others",
                      join_words(times, "")));
  }

  const Problem& problem_;
  const SearchOutcome& found_;
  const Trial& point_;
  const double steepest_;
  Optimum& optimum_;
  std::vector<Column> columns_;
};

std::string message_of(const Optimum& optimum, const Trial* best) {
  switch (optimum.status) {
    case Optimum::Status::kFound:
      return fmt::format("the best point of {}; the conditions of first order for a local optimum hold to {:.0e}",
                         counted(static_cast<int>(optimum.starts.size()), "start", "starts"),
                         std::max(optimum.stationarity, 1e-16));
    case Optimum::Status::kNotProved:
      if (best != nullptr && !best->differentiated)
        return fmt::format(
            "the best point that was found, without derivatives: whether it is an optimum is not known, as there are "
            "none: {}",
            best->unknown.empty() ? "the search was stopped" : best->unknown);
      return fmt::format(
          "the best point that was found; it is not shown to be an optimum: the conditions of first order "
          "hold to {:.0e} only",
          optimum.stationarity);
    case Optimum::Status::kInfeasible:
      return "no point that was tried satisfies the constraints; this one comes nearest";
    case Optimum::Status::kNothing:
      return "no point that was tried counts: each needs a run that reaches its end, a verdict that holds and a value "
             "of each measure";
    case Optimum::Status::kInterrupted:
      return "interrupted: the best point so far";
  }
  return "";
}

// Says by how much the answer is beyond its limits.
void note_excesses(const Problem& problem, const SearchOutcome& best, Optimum& optimum) {
  for (std::size_t i = 0; i < problem.conditions.size(); ++i) {
    const Condition& condition = problem.conditions[i];
    const double excess = best.best->rows[i + 1].value, allowed = optimizing::kFeasible * best.scales[i];
    if (condition.equation() || !(excess > 0)) continue;
    optimum.notes.push_back(
        fmt::format("`{}` is missed by {} in SI units{}", condition.text, to_text(excess, 3),
                    excess <= allowed
                        ? fmt::format(", within the tolerance of {}: no point that holds it was found that is as good",
                                      to_text(allowed, 3))
                        : ""));
  }
}

// Says of which quantities nothing that is sought depends: every value of theirs is as good.
void note_idle(const Problem& problem, const Searched& searched, Optimum& optimum) {
  if (searched.gradients == 0 || searched.unknown_somewhere) return;
  for (std::size_t i = 0; i < problem.quantities.size(); ++i)
    if (searched.matters[i] == 0)
      optimum.notes.push_back(
          fmt::format("neither the objective nor a constraint has changed with `{}` where derivatives were taken: "
                      "nothing says what "
                      "its best value is",
                      problem.quantities[i].name));
}

// What the searches found, as the answer.
Optimum answer(const Problem& problem, Searched searched) {
  Optimum optimum;
  for (const StudyQuantity& quantity : problem.quantities) {
    optimum.names.push_back(quantity.name);
    optimum.units.push_back(quantity.unit == "1" ? "" : quantity.unit);
  }
  optimum.lower = problem.lower;
  optimum.upper = problem.upper;
  optimum.objective_unit = problem.objective_unit;
  for (const Condition& condition : problem.conditions) optimum.constraints.push_back(condition.text);
  optimum.runs = searched.runs;
  optimum.gradients = searched.gradients;
  optimum.failures.assign(searched.failures.begin(), searched.failures.end());
  std::ranges::stable_sort(optimum.failures, std::ranges::greater{}, &std::pair<std::string, std::int64_t>::second);
  double steepest = 0;
  for (std::size_t i = 0; i < searched.found.size(); ++i) {
    const SearchOutcome& found = searched.found[i];
    if (is_better(found, searched.found[optimum.best])) optimum.best = i;
    steepest = std::max(steepest, found.steepest);
    optimum.starts.push_back(found.start);
  }
  SearchOutcome& best = searched.found[optimum.best];
  if (best.best) {
    optimum.values = best.best->x;
    optimum.objective = best.start.objective;
    for (std::size_t i = 0; i < problem.conditions.size(); ++i)
      optimum.differences.push_back(problem.conditions[i].sign() * best.best->rows[i + 1].value);
    if (best.violation <= 1) FirstOrder(problem, best, steepest, optimum).find();
    note_excesses(problem, best, optimum);
    note_idle(problem, searched, optimum);
    optimum.run = std::move(best.best->run);
  }
  using Status = Optimum::Status;
  optimum.status = searched.interrupted                  ? Status::kInterrupted
                   : !best.best                          ? Status::kNothing
                   : best.violation > 1                  ? Status::kInfeasible
                   : optimum.stationarity <= kStationary ? Status::kFound
                                                         : Status::kNotProved;
  optimum.message = message_of(optimum, best.best ? &*best.best : nullptr);
  return optimum;
}

}  // namespace

Result<Optimum> optimize(const Model& model, const OptimizationStatement& statement, const IntegrateOptions& run,
                         const OptimizeOptions& options, const CompileOptions& compile) {
  UnitDoubts doubts;
  const Result<Problem> problem = Problem::read(model, statement, run, compile, doubts);
  if (!problem) return problem.diagnostics();
  if (options.starts < 1 || options.starts > kMostStarts)
    return error("E0435", fmt::format("there cannot be {} starts", options.starts));
  if (Diagnostics missing = optimizing::require_nlopt(); !missing.empty()) return missing;
  Optimum optimum = answer(*problem, search_all(*problem, options));
  optimum.warnings = doubts.all();
  return optimum;
}

}  // namespace dalembert

#endif
