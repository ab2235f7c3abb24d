// SPDX-License-Identifier: Apache-2.0
// Derivatives of measures (measures.h).
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/numeric.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"
#include "dalembert/study/measures.h"

namespace dalembert {
namespace {

// Instants closer than this, in units of the round-off of the length of the run, are one.
constexpr double kSameInstant = 256;
// Beside an extreme the rates of the output are looked at, at once and twice this fraction of a mean step: they are in proportion to the distance where the
// output is smooth, and alike at a corner.
constexpr double kBeside = 1e-3, kOfCorner = 1.5;
// What changes by less than this fraction of the range of an output, or of its size, over that distance has no corner.
constexpr double kNoCorner = 1e-8;
// A row at the instant of an extreme has its value to this fraction of the range.
constexpr double kSameValue = 1e-6;

double beside(const Trajectory& run, double start) {
  const double length = run.time.empty() ? 0 : std::abs(run.time.back() - start);
  return kBeside * length / static_cast<double>(std::max<std::int64_t>(run.steps, 1));
}

double instant(const Trajectory& run, double start) {
  return kSameInstant * kEps * std::max(std::abs(start), std::abs(run.time.back()));
}

// Whether an expression contains a function that has a corner or a jump just where it is evaluated.
bool at_corner(const Expr& expression, const std::function<double(SymbolId)>& value_of) {
  Graph& graph = expression.graph();
  for (const NodeId id : reachable(std::array{expression})) {
    std::vector<Expr> arguments;
    for (const Graph::Item& item : graph.items(id)) arguments.emplace_back(&graph, item.node);
    const auto value = [&](std::size_t k) { return evaluate(arguments[k], value_of); };
    switch (graph.op(id)) {
      case Op::kAbs:
      case Op::kSign:
        if (value(0) == 0) return true;
        break;
      case Op::kFloor:
        if (value(0) == std::floor(value(0))) return true;
        break;
      case Op::kMin:
      case Op::kMax:
      case Op::kLess:
      case Op::kLessEqual:
      case Op::kEqual:
        if (value(0) == value(1)) return true;
        break;
      default:
        break;
    }
  }
  return false;
}

}  // namespace

// Derivatives of parts by one quantity.
class Measures::Differences {
 public:
  Differences(const Trajectory& first, const Trajectory& second, const Model& model, double start, std::size_t k,
              const Tangent& tangent)
      : first_(first), run_(second), model_(model), start_(start), k_(k), tangent_(tangent) {}

  double of(const Part& part) {
    why_.clear();
    if (part.kind == Part::Kind::kCount) return 0;
    if (part.kind == Part::Kind::kTime) return of_event(part.happening);
    const auto output = static_cast<std::size_t>(part.output);
    if (run_.time.empty()) return unknown("the run has no rows");
    const std::size_t last = run_.size() - 1;
    switch (part.function) {
      case OfRun::kFinal:
      case OfRun::kIntegral:
        return at_row(output, last);
      case OfRun::kMean: {
        const double length = run_.time[last] - start_, mean = run_.outputs[output][last] / length;
        return (at_row(output, last) - mean * of_end()) / length;
      }
      case OfRun::kAt: {
        const double t = model_.value_of(part.time);
        for (std::size_t row = run_.size(); row-- > 0;)
          if (run_.time[row] == t) return at_row(output, row) + run_.output_rates[output][row] * of_time(part.time);
        return unknown("the run has no row there");
      }
      case OfRun::kMax:
      case OfRun::kMin:
        return of_extreme(part, output);
    }
    return unknown("it is none");
  }
  /// Why the last derivative is unknown.
  const std::string& why() const { return why_; }

  /// The derivative of a parameter by the quantity.
  double of_parameter(SymbolId id) const {
    for (const auto& [index, rate] : tangent_.parameters)
      if (model_.parameters[static_cast<std::size_t>(index)].symbol.symbol() == id) return rate;
    return 0;
  }

 private:
  double unknown(std::string why) {
    if (why_.empty()) why_ = std::move(why);
    return std::numeric_limits<double>::quiet_NaN();
  }

  double at_row(std::size_t output, std::size_t row) {
    const double found = run_.sensitivities[k_].outputs[output][row];
    if (std::isfinite(found)) return found;
    const auto told = std::ranges::find_if(run_.verdict.warnings,
                                           [](const std::string& one) { return one.starts_with("the derivatives"); });
    return unknown(told == run_.verdict.warnings.end() ? "the run has no derivative there" : *told);
  }

  // Of the time at which the run ends.
  double of_end() {
    if (!run_.ended_by_event()) return 0;
    const std::vector<double>& by = run_.events.back().sensitivity;
    return by.empty() ? unknown("the instant at which the run ends has no derivative") : by[k_];
  }

  double of_time(const Expr& time) const {
    double sum = 0;
    for (const auto& [index, rate] : tangent_.parameters) {
      const std::array by{model_.parameters[static_cast<std::size_t>(index)].symbol};
      if (depends_on(time, by)) sum += model_.value_of(gradient(time, by).front()) * rate;
    }
    return sum;
  }

  double of_event(const std::string& name) {
    for (const RunEvent& event : run_.events) {
      if (!is_happening(event, name)) continue;
      return event.sensitivity.empty() ? unknown(fmt::format("the instant of `{}` has no derivative", name))
                                       : event.sensitivity[k_];
    }
    return unknown(fmt::format("`{}` does not happen", name));
  }

  double of_extreme(const Part& part, std::size_t output) {
    const Extremes* found = extremes(part, first_);
    if (found == nullptr) return unknown("the run has no extreme");
    const bool greatest = part.function == OfRun::kMax;
    const double t = greatest ? found->t_max : found->t_min, value = greatest ? found->max : found->min;
    // Of the two rows at a jump, the one that has the extreme.
    const std::vector<double>& values = run_.outputs[output];
    std::size_t row = run_.size();
    for (std::size_t r = 0; r < run_.size(); ++r)
      if (std::abs(run_.time[r] - t) <= instant(run_, start_) &&
          (row == run_.size() || std::abs(values[r] - value) < std::abs(values[row] - value)))
        row = r;
    const double range = std::max(found->max - found->min, kSameValue * std::abs(value));
    if (row == run_.size() || !(std::abs(values[row] - value) <= kSameValue * range + 64 * kEps * std::abs(value)))
      return unknown("the extreme was not met again by the run with derivatives");
    const bool at_end = row + 1 == run_.size();
    if (at_end && run_.ended_by_event()) return at_row(output, row);
    for (const RunChange& change : run_.changes) {
      if (std::abs(change.t - t) > instant(run_, start_)) continue;
      if (change.sensitivity.empty()) return unknown("the instant of the extreme has no derivative");
      return at_row(output, row) + run_.output_rates[output][row] * change.sensitivity[k_];
    }
    if (at_end || t == start_) return at_row(output, row);
    if (corner(output, row, range, 1) || corner(output, row, range, -1))
      return unknown(
          fmt::format("the {} value of its output is at a corner, at t = {} s", greatest ? "largest" : "smallest", t));
    return at_zero_of_rate(output, row);
  }

  // The row at a time beside that of a row; nothing if there is none, or a change between them.
  std::optional<std::size_t> row_beside(std::size_t row, double by) const {
    const double t = run_.time[row];
    for (const RunChange& change : run_.changes)
      if (std::abs(change.t - t) <= std::abs(by) * (1 + kNoCorner)) return std::nullopt;
    for (std::size_t r = 0; r < run_.size(); ++r)
      if (std::abs(run_.time[r] - (t + by)) <= instant(run_, start_)) return r;
    return std::nullopt;
  }

  // The run finds extremes to round-off of the value, that is, to half the digits of their instant. The derivative is interpolated to where the rate is 0.
  double at_zero_of_rate(std::size_t output, std::size_t row) {
    const double step = beside(first_, start_);
    const auto before = row_beside(row, -step), after = row_beside(row, step);
    const double middle = at_row(output, row);
    if (!before || !after) return middle;
    const std::vector<double>& rates = run_.output_rates[output];
    const double bend = rates[*after] - rates[*before];
    const double shift = bend != 0 ? -2 * rates[row] / bend : 0;  // in steps
    if (!(std::abs(shift) < 1)) return middle;
    return middle + shift * (at_row(output, *after) - at_row(output, *before)) / 2;
  }

  // Whether the output has a corner at a row, by the rates at two rows beside it; `side`: 1 after it, −1 before it.
  bool corner(std::size_t output, std::size_t row, double range, int side) const {
    const double step = beside(first_, start_);
    const auto near = row_beside(row, side * step), far = row_beside(row, side * 2 * step);
    if (!near || !far) return false;
    const double rate = std::abs(run_.output_rates[output][*near]);
    return rate * step > kNoCorner * range && std::abs(run_.output_rates[output][*far]) < kOfCorner * rate;
  }

  const Trajectory &first_, &run_;
  const Model& model_;
  const double start_;
  const std::size_t k_;
  const Tangent& tangent_;
  std::string why_;
};

void Measures::differentiate(const Model& model) {
  gradients_.clear();
  for (const Expr& value : values_) {
    std::vector<Expr> by;
    for (const SymbolId id : symbols_in(std::array{value})) by.push_back(model.graph->symbol(id));
    const std::vector<Expr> derivatives = gradient(value, by);
    auto& pairs = gradients_.emplace_back();
    for (std::size_t k = 0; k < by.size(); ++k) pairs.emplace_back(by[k].symbol(), derivatives[k]);
  }
}

void Measures::ask_derivatives(const Trajectory& first, const Model& model, double start,
                               IntegrateOptions& options) const {
  ask(model, start, true, options);
  options.find_peaks = false;
  options.output_rates = true;
  options.output_step = 0;
  std::vector<double>& times = options.output_times;
  const double ahead = options.until >= start ? 1 : -1, step = beside(first, start);
  const auto add = [&](double t) {
    if (ahead * (t - start) >= 0 && ahead * (options.until - t) > 0) times.push_back(t);
  };
  for (const Part& part : parts_) {
    const Extremes* found = part.kind == Part::Kind::kOfRun ? extremes(part, first) : nullptr;
    if (found == nullptr || (part.function != OfRun::kMax && part.function != OfRun::kMin)) continue;
    const double t = part.function == OfRun::kMax ? found->t_max : found->t_min;
    for (const int k : {-2, -1, 0, 1, 2}) add(t + k * step);
  }
  times.push_back(options.until);
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  if (ahead < 0) std::ranges::reverse(times);
}

std::vector<std::size_t> Measures::extremes_in(std::span<const std::size_t> measures) const {
  std::vector<std::size_t> found;
  for (const std::size_t i : measures)
    for (const SymbolId symbol : symbols_in(std::array{values_[i]})) {
      const auto part = std::ranges::find(parts_, symbol, [](const Part& one) { return one.symbol.symbol(); });
      if (part == parts_.end() || part->kind != Part::Kind::kOfRun ||
          (part->function != OfRun::kMax && part->function != OfRun::kMin))
        continue;
      const auto index = static_cast<std::size_t>(part - parts_.begin());
      if (std::ranges::find(found, index) == found.end()) found.push_back(index);
    }
  return found;
}

Sought Measures::sought(std::size_t part) const {
  return {static_cast<std::size_t>(parts_[part].output), parts_[part].function == OfRun::kMax};
}

MeasureDerivatives Measures::derivatives(const Trajectory& first, const Trajectory& second, const Model& model,
                                         double start, std::span<const Tangent> tangents,
                                         std::span<const OtherExtreme> instead) const {
  MeasureDerivatives found;
  found.by.assign(values_.size(), std::vector<double>(tangents.size(), 0.0));
  found.unknown.resize(values_.size());
  const std::vector<double> parts = part_values(first, model, start, instead);
  const std::function<double(SymbolId)> value = [&](SymbolId id) { return value_of(id, parts, model); };
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (at_corner(values_[i], value))
      found.unknown[i] = "abs, sign, floor, min, max or a condition in it is at its corner";
    for (std::size_t k = 0; k < tangents.size(); ++k) {
      Differences differences(first, second, model, start, k, tangents[k]);
      double& sum = found.by[i][k];
      for (const auto& [symbol, derivative] : gradients_[i]) {
        const double rate = evaluate(derivative, value);
        if (rate == 0) continue;
        const auto part = std::ranges::find(parts_, symbol, [](const Part& one) { return one.symbol.symbol(); });
        const auto other =
            std::ranges::find(instead, static_cast<std::size_t>(part - parts_.begin()), &OtherExtreme::part);
        sum += rate * (part == parts_.end()     ? differences.of_parameter(symbol)
                       : other != instead.end() ? other->by[k]
                                                : differences.of(*part));
        if (found.unknown[i].empty()) found.unknown[i] = differences.why();
      }
      if (!found.unknown[i].empty())
        sum = std::numeric_limits<double>::quiet_NaN();
      else if (!std::isfinite(sum))
        found.unknown[i] = "it is not finite";
    }
  }
  return found;
}

}  // namespace dalembert
