// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/optimize/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "dalembert/study/optimize/nlopt.h"

namespace dalembert::optimizing {
namespace {

// The first step of a search is that along the gradient, whose largest component is this fraction of the range of its quantity.
constexpr double kFirstStep = 0.2;
constexpr int kMostRounds = 12;
// A search without derivatives ends when its steps are this fraction of the ranges.
constexpr double kSmallestStep = 1e-7;
// So near to a bound, as a fraction of its range, a quantity is at the bound.
constexpr double kAtBound = 1e-12;
// Objectives that differ by less than this fraction are one: the first start that has it counts.
constexpr double kSameObjective = 1e-9;
// So many pieces of a row, the largest ones, have windows of their own.
constexpr std::size_t kMostPieces = 64;
// The search begins anew, with other windows, where a window has two pieces that are smaller than the largest one by less than these fractions of their
// range or of its size.
constexpr double kTall = 0.5, kTallPart = 0.2;
// Another round must make the objective smaller by this fraction of its scale.
constexpr double kProgress = 1e-8;
// A search that ends beyond a limit goes on with all limits nearer by this fraction of their scales.
constexpr double kMargin = 2e-9;
// A point that keeps all limits is preferred to one beyond them, within the tolerance, whose objective is better by less than this fraction of itself.
constexpr double kWorthOfLimits = 1e-6;

bool is_as_good(double value, double other) {
  return value <= other + kWorthOfLimits * std::max(std::abs(value), std::abs(other));
}

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
    search(first, most_points);
    keep_to_limits(most_points);
  }

 private:
  void search(const Trial& first, int most_points) {
    if (!first.differentiated) return search_without_derivatives(first.unknown, most_points);
    for (int round = 0; round < kMostRounds; ++round) {
      const double before = merit();
      if (!found_.best->differentiated) take(evaluator_.at(found_.best->x, true));
      const Trial best = *found_.best;
      if (!best.differentiated) break;
      end(minimize_from(best, most_points - static_cast<int>(found_.start.points)));
      const bool helped = merit() < before - kProgress * std::max(std::abs(before), 1.0);
      if ((!helped && !crowded_) || evaluator_.stopped || !unknown_.empty() || found_.start.points >= most_points)
        break;
    }
    if (!unknown_.empty()) search_without_derivatives(std::string(unknown_), most_points);
  }

  // Searches for a point that keeps all limits, from one that is beyond them by what a quadratic program leaves, and takes it unless it is worse.
  void keep_to_limits(int most_points) {
    if (found_.violation > 1) return;
    found_.holds = keeps_limits(*found_.best);
    if (found_.holds || evaluator_.stopped) return;
    const int left = most_points - static_cast<int>(found_.start.points);
    if (const Trial best = *found_.best; best.differentiated && left > 0) {
      margin_ = kMargin;
      minimize_from(best, left);
      margin_ = 0;
    }
    if (!inside_ || !is_as_good(inside_->rows[0].value, found_.best->rows[0].value)) return;
    found_.best = inside_;
    found_.violation = violation(*inside_);
    found_.holds = true;
  }

  // Whether a point keeps all inequalities to the last digit.
  bool keeps_limits(const Trial& point) const {
    for (std::size_t i = 0; i < problem_.conditions.size(); ++i)
      if (!problem_.conditions[i].equation() && point.rows[i + 1].value > 0) return false;
    return true;
  }

  double violation(const Trial& point) const {
    std::vector<double> tolerances = found_.scales;
    for (double& one : tolerances) one *= kFeasible;
    return point.violation(problem_, tolerances);
  }

  void end(std::string why) { found_.start.ended = std::move(why); }
  double width(std::size_t k) const { return problem_.upper[k] - problem_.lower[k]; }
  double merit() const { return found_.best->rows[0].value / scale_ + std::max(found_.violation - 1, 0.0); }

  double steepest(const Row& row) const {
    double largest = 0;
    for (std::size_t k = 0; k < row.gradient.size(); ++k)
      largest = std::max(largest, std::abs(row.gradient[k]) * width(k));
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
    const double violation = this->violation(point);
    if (violation <= 1 && keeps_limits(point)) {
      const bool again = inside_ && inside_->x == point.x && !inside_->differentiated;
      if (!inside_ || again || point.rows[0].value < inside_->rows[0].value) inside_ = point;
    }
    const bool same = found_.best && found_.best->x == point.x;
    if (same && (found_.best->differentiated || !point.differentiated)) return;
    if (found_.best && !same) {
      const bool feasible = violation <= 1, was = found_.violation <= 1;
      if (feasible == was
              ? (feasible ? point.rows[0].value >= found_.best->rows[0].value : violation >= found_.violation)
              : was)
        return;
    }
    found_.best = point;
    found_.violation = violation;
  }

  std::vector<double> values(std::span<const double> u) const {
    std::vector<double> x(n_);
    for (std::size_t k = 0; k < n_; ++k)
      x[k] = u[k] < kAtBound       ? problem_.lower[k]
             : u[k] > 1 - kAtBound ? problem_.upper[k]
                                   : problem_.lower[k] + u[k] * width(k);
    return x;
  }

  const Trial& evaluate(std::span<const double> z, bool gradient) {
    const Trial& point = evaluator_.at(values(z), gradient || !windows_.empty());
    if (point.counts) take(point);
    if (point.differentiated && found_.best->x == point.x && is_crowded(point)) crowded_ = true;
    return point;
  }

  // Whether a window has two tall pieces, so that what it bounds has a corner where they are equal, and other windows would tell them apart.
  bool is_crowded(const Trial& point) const {
    for (const auto& [row, ends] : windows_) {
      const std::vector<Piece>& pieces = point.rows[row].pieces;
      if (pieces.empty() || count_of(ends) >= kMostPieces) continue;
      const auto [least, largest] = std::ranges::minmax(pieces, {}, &Piece::value);
      const double bound =
          largest.value - std::max(kTall * (largest.value - least.value), kTallPart * point.rows[row].size);
      // Two pieces of one instant are on both sides of a jump, which no window divides.
      std::vector<const std::vector<double>*> tall(count_of(ends), nullptr);
      for (const Piece& one : pieces) {
        if (one.value < bound) continue;
        const std::vector<double>*& t = tall[window_of(ends, one.t)];
        if (t != nullptr && *t != one.t) return true;
        t = &one.t;
      }
    }
    return false;
  }

  // The objective is the row itself, or where that is the largest of pieces the last unknown, which bounds them. An infinite one makes the search halve
  // its step.
  double objective(std::span<const double> z, std::span<double> gradient) {
    const bool again = std::ranges::equal(last_, z), split = windows_.contains(0);
    if (!again) ++found_.start.points;
    const Trial& point = evaluate(z, !gradient.empty());
    if (!point.counts) return std::numeric_limits<double>::infinity();
    if ((!gradient.empty() || !windows_.empty()) && !point.differentiated) {
      // A point without derivatives is no step; if the search has taken it already, it ends.
      if (again) unknown_ = point.unknown;
      return std::numeric_limits<double>::infinity();
    }
    last_.assign(z.begin(), z.end());
    std::ranges::fill(gradient, 0.0);
    if (split && !gradient.empty()) gradient[n_] = 1;
    for (std::size_t k = 0; k < n_ && !split && !gradient.empty(); ++k)
      gradient[k] = point.rows[0].gradient[k] * width(k) / scale_;
    return split ? z[n_] : point.rows[0].value / scale_;
  }

  // Writes a row, or its largest piece in a window, as a constraint of the program.
  void condition(const Row& row, std::size_t index, std::optional<std::size_t> window, std::span<const double> z,
                 double& value, std::span<double> gradient) const {
    const double scale = index == 0 ? scale_ : found_.scales[index - 1];
    const Piece* piece = nullptr;
    double least = row.value;
    for (const Piece& one : row.pieces) {
      least = std::min(least, one.value);
      if (window && window_of(windows_.at(index), one.t) == *window && (piece == nullptr || one.value > piece->value))
        piece = &one;
    }
    // A window without an extreme bounds nothing. Where pieces are unknown, the row stands for each.
    const bool idle = window && !row.pieces.empty() && piece == nullptr;
    value = (idle ? least : piece != nullptr ? piece->value : row.value) / scale;
    if (index == 0) value -= z[n_];
    if (index > 0 && !problem_.conditions[index - 1].equation()) value += margin_;
    if (gradient.empty()) return;
    std::ranges::fill(gradient, 0.0);
    const std::vector<double>& of = piece != nullptr ? piece->gradient : row.gradient;
    for (std::size_t k = 0; k < n_ && !idle && !of.empty(); ++k) gradient[k] = of[k] * width(k) / scale;
    if (index == 0) gradient[n_] = -1;
  }

  void conditions(bool equations, std::span<const double> z, std::span<double> values, std::span<double> jacobian) {
    const Trial& point = evaluate(z, !jacobian.empty());
    std::size_t at = 0;
    const auto add = [&](std::size_t row, std::optional<std::size_t> window) {
      condition(point.rows[row], row, window, z, values[at],
                jacobian.empty() ? jacobian : jacobian.subspan(at * z.size(), z.size()));
      ++at;
    };
    for (std::size_t row = 0; row < problem_.rows(); ++row) {
      if ((row > 0 && problem_.conditions[row - 1].equation()) != equations) continue;
      const auto split = windows_.find(row);
      if (split == windows_.end() && row > 0) add(row, {});
      for (std::size_t w = 0; split != windows_.end() && w < count_of(split->second); ++w) add(row, w);
    }
  }

  // Windows of a row: for each extreme in it the instants that divide the run, and a window for each choice of one part for each extreme.
  using Windows = std::vector<std::vector<double>>;
  static std::size_t count_of(const Windows& windows) {
    std::size_t count = 1;
    for (const std::vector<double>& ends : windows) count *= ends.size() + 1;
    return count;
  }
  static std::size_t window_of(const Windows& windows, const std::vector<double>& t) {
    std::size_t window = 0;
    for (std::size_t e = windows.size(); e-- > 0;)
      window = window * (windows[e].size() + 1) +
               static_cast<std::size_t>(std::ranges::upper_bound(windows[e], t[e]) - windows[e].begin());
    return window;
  }

  // Divides the run between the largest pieces of each row, so that a window has one of them as long as they do not move far.
  void set_windows(const Trial& point) {
    windows_.clear();
    for (std::size_t row = 0; row < point.rows.size(); ++row) {
      const std::vector<Piece>& pieces = point.rows[row].pieces;
      if (pieces.empty()) continue;
      Windows& windows = windows_[row];
      for (std::size_t e = 0; e < pieces.front().t.size(); ++e) {
        // The largest piece of each instant; of one extreme alone all pieces are such. Those of several are few (Problem).
        std::map<double, double> largest;
        for (const Piece& one : pieces) {
          const auto [at, is_new] = largest.try_emplace(one.t[e], one.value);
          if (!is_new) at->second = std::max(at->second, one.value);
        }
        std::vector<std::pair<double, double>> tall(largest.begin(), largest.end());
        std::ranges::stable_sort(tall, std::ranges::greater{}, &std::pair<double, double>::second);
        tall.resize(std::min(tall.size(), kMostPieces));
        std::ranges::sort(tall);
        std::vector<double>& ends = windows.emplace_back();
        for (std::size_t i = 1; i < tall.size(); ++i) ends.push_back((tall[i - 1].first + tall[i].first) / 2);
      }
    }
  }

  // Goes on from the best point where derivatives are unknown: by linear models of values at n + 1 points (COBYLA), which cost many more points.
  void search_without_derivatives(const std::string& why, int most_points) {
    windows_.clear();
    unknown_.clear();
    crowded_ = false;
    NonlinearProgram program;
    program.lower.assign(n_, 0.0);
    program.upper.assign(n_, 1.0);
    program.by_gradients = false;
    program.first_step = kFirstStep;
    program.tolerance = kSmallestStep;
    for (const Condition& condition : problem_.conditions)
      ++(condition.equation() ? program.equations : program.inequalities);
    const Trial best = *found_.best;
    double worst = best.rows[0].value / scale_;
    program.objective = [&](std::span<const double> z, std::span<double> none) {
      // Where no run counts there is a step upwards, so that the models remain finite.
      const double value = objective(z, none);
      if (!std::isfinite(value)) return worst + 1;
      worst = std::max(worst, value);
      return value;
    };
    const auto values_of = [&](bool equations, std::span<const double> z, std::span<double> values) {
      if (evaluate(z, false).counts)
        conditions(equations, z, values, {});
      else
        std::ranges::fill(values, 1.0);
    };
    program.g = [&](auto z, auto values, auto) { values_of(false, z, values); };
    program.h = [&](auto z, auto values, auto) { values_of(true, z, values); };
    program.keep_on = [this] { return !evaluator_.stopped; };
    program.max_points = std::max(most_points - static_cast<int>(found_.start.points), 1);
    std::vector<double> z(n_);
    for (std::size_t k = 0; k < n_; ++k) z[k] = (best.x[k] - problem_.lower[k]) / width(k);
    last_.clear();
    const std::string ended = minimize(program, z);
    found_.start.without_derivatives = why;
    end(fmt::format("without derivatives: {}", ended));
  }

  std::string minimize_from(const Trial& from, int most_points) {
    set_windows(from);
    const bool split = windows_.contains(0);
    NonlinearProgram program;
    program.lower.assign(n_, 0.0);
    program.upper.assign(n_, 1.0);
    for (std::size_t row = 0; row < problem_.rows(); ++row) {
      const auto windows = windows_.find(row);
      if (row > 0 && problem_.conditions[row - 1].equation())
        ++program.equations;
      else if (windows != windows_.end())
        program.inequalities += count_of(windows->second);
      else if (row > 0)
        ++program.inequalities;
    }
    program.objective = [this](std::span<const double> z, std::span<double> gradient) {
      return objective(z, gradient);
    };
    program.g = [this](auto z, auto values, auto jacobian) { conditions(false, z, values, jacobian); };
    program.h = [this](auto z, auto values, auto jacobian) { conditions(true, z, values, jacobian); };
    program.keep_on = [this] { return !evaluator_.stopped && unknown_.empty() && !crowded_; };
    crowded_ = false;
    program.max_points = std::max(most_points, 1);
    std::vector<double> z(n_);
    for (std::size_t k = 0; k < n_; ++k) z[k] = (from.x[k] - problem_.lower[k]) / width(k);
    if (split) {
      z.push_back(from.rows[0].value / scale_);
      program.lower.push_back(-std::numeric_limits<double>::infinity());
      program.upper.push_back(std::numeric_limits<double>::infinity());
    }
    last_.clear();
    return minimize(program, z);
  }

  const Problem& problem_;
  Evaluator& evaluator_;
  SearchOutcome& found_;
  const std::size_t n_;
  double scale_ = 1;
  std::map<std::size_t, Windows> windows_;  // of rows with pieces
  std::vector<double> last_;                // the last point with a finite objective
  std::optional<Trial> inside_;             // the best feasible point that keeps_limits()
  double margin_ = 0;                       // by which limits are nearer, as a fraction of their scales
  bool crowded_ = false;                    // the present windows do not tell the pieces apart
  std::string unknown_;                     // why derivatives are unknown at a point that the search has taken
};

}  // namespace

SearchOutcome search_from(const Problem& problem, const std::vector<double>& from, const OptimizeOptions& options,
                          Evaluator& evaluator) {
  SearchOutcome found;
  found.start.from = from;
  evaluator.forget();
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
  if (!feasible) return a.violation < b.violation;
  const double mine = a.best->rows[0].value, theirs = b.best->rows[0].value;
  if (a.holds != b.holds && is_as_good(mine, theirs) && is_as_good(theirs, mine)) return a.holds;
  return mine < theirs - kSameObjective * std::max(std::abs(mine), std::abs(theirs));
}

}  // namespace dalembert::optimizing
