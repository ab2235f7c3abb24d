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
#include "dalembert/integrate/unknown_derivatives.h"
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
  // k: the quantity, whose tangent this is.
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
        return unknown(fmt::format("the run does not reach t = {} s", t));
      }
      case OfRun::kMax:
      case OfRun::kMin:
        return of_extreme(part, output);
    }
    return unknown("it is none");
  }
  /// Why the last derivative is unknown.
  const std::string& why() const { return why_; }

  /// The instant of a value of the run whose derivative is that of an output at this instant, held fixed; NaN: the end of the run. Nothing if the instant is not
  /// free to be held, or the value is none of an output.
  std::optional<double> held_instant(const Part& part) {
    constexpr double kEnd = std::numeric_limits<double>::quiet_NaN();
    if (part.kind != Part::Kind::kOfRun || first_.time.empty()) return std::nullopt;
    const auto within = [&](double t) { return (t - start_) * (first_.time.back() - t) > 0; };
    switch (part.function) {
      case OfRun::kFinal:
      case OfRun::kIntegral:
        return kEnd;
      case OfRun::kMean:
        return first_.ended_by_event() ? std::nullopt : std::optional(kEnd);
      case OfRun::kAt: {
        const double t = model_.value_of(part.time);
        const bool fixed = symbols_in(std::array{part.time}).empty();
        if (fixed && t == first_.time.back() && !first_.ended_by_event()) return kEnd;
        return fixed && within(t) ? std::optional(t) : std::nullopt;
      }
      case OfRun::kMax:
      case OfRun::kMin: {
        const auto output = static_cast<std::size_t>(part.output);
        const std::optional<Met> met = meet(part, output);
        if (!met || met->change != nullptr) return std::nullopt;
        if (!met->free)
          return met->row + 1 == run_.size() && !run_.ended_by_event() ? std::optional(kEnd) : std::nullopt;
        const double t = run_.time[met->row], shift = zero_of_rate(output, met->row).value_or(0);
        return within(t) ? std::optional(t + shift * beside(first_, start_)) : std::nullopt;
      }
    }
    return std::nullopt;
  }

 private:
  double unknown(std::string why) {
    if (why_.empty()) why_ = std::move(why);
    return std::numeric_limits<double>::quiet_NaN();
  }

  double at_row(std::size_t output, std::size_t row) {
    const std::vector<double>& rows = run_.sensitivities[k_].outputs[output];
    if (row < rows.size() && std::isfinite(rows[row])) return rows[row];
    // Of several warnings the one that names this quantity.
    const std::vector<std::string>& warnings = run_.verdict.warnings;
    const std::string name = fmt::format("`{}`", run_.sensitivities[k_].name);
    auto told = std::ranges::find_if(warnings, [&](const std::string& one) {
      return integration::says_unknown_derivatives(one) && one.find(name) != std::string::npos;
    });
    if (told == warnings.end()) told = std::ranges::find_if(warnings, integration::says_unknown_derivatives);
    return unknown(told == warnings.end() ? "the run has no derivative there" : *told);
  }

  // Of the time at which the run ends.
  double of_end() {
    if (!run_.ended_by_event()) return 0;
    const std::vector<double>& by = run_.events.back().sensitivity;
    return by.empty() || std::isnan(by[k_]) ? unknown("the instant at which the run ends has no derivative") : by[k_];
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
      return event.sensitivity.empty() || std::isnan(event.sensitivity[k_])
                 ? unknown(fmt::format("the instant of `{}` has no derivative", name))
                 : event.sensitivity[k_];
    }
    return unknown(fmt::format("`{}` does not happen", name));
  }

  // Where an extreme is in the run with derivatives: a row, and the change of the motion there, if any. `free`: the instant is within the run, and the rate is 0.
  struct Met {
    std::size_t row = 0;
    const RunChange* change = nullptr;
    bool free = false;
  };

  std::optional<Met> meet(const Part& part, std::size_t output) {
    const auto none = [&](std::string why) -> std::optional<Met> {
      unknown(std::move(why));
      return std::nullopt;
    };
    const Extremes* found = extremes(part, first_);
    if (found == nullptr) return none("the run has no extreme");
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
      return none("the extreme was not met again by the run with derivatives");
    const bool at_end = row + 1 == run_.size();
    if (at_end && run_.ended_by_event()) return Met{row};
    for (const RunChange& change : run_.changes)
      if (std::abs(change.t - t) <= instant(run_, start_)) return Met{row, &change};
    if (at_end || t == start_) return Met{row};
    if (corner(output, row, range, 1) || corner(output, row, range, -1))
      return none(
          fmt::format("the {} value of its output is at a corner, at t = {} s", greatest ? "largest" : "smallest", t));
    return Met{row, nullptr, true};
  }

  double of_extreme(const Part& part, std::size_t output) {
    const std::optional<Met> met = meet(part, output);
    if (!met) return std::numeric_limits<double>::quiet_NaN();
    if (met->free) return at_zero_of_rate(output, met->row);
    if (met->change == nullptr) return at_row(output, met->row);
    if (met->change->sensitivity.empty() || std::isnan(met->change->sensitivity[k_]))
      return unknown("the instant of the extreme has no derivative");
    return at_row(output, met->row) + run_.output_rates[output][met->row] * met->change->sensitivity[k_];
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

  // The run finds extremes to round-off of the value, that is, to half the digits of their instant. The distance to where the rate is 0, in units of the
  // distance of the rows beside it; nothing if it is not found.
  std::optional<double> zero_of_rate(std::size_t output, std::size_t row) const {
    const double step = beside(first_, start_);
    const auto before = row_beside(row, -step), after = row_beside(row, step);
    if (!before || !after) return std::nullopt;
    const std::vector<double>& rates = run_.output_rates[output];
    const double bend = rates[*after] - rates[*before];
    const double shift = bend != 0 ? -2 * rates[row] / bend : 0;
    return std::abs(shift) < 1 ? std::optional(shift) : std::nullopt;
  }

  // The derivative is interpolated to there.
  double at_zero_of_rate(std::size_t output, std::size_t row) {
    const double step = beside(first_, start_), middle = at_row(output, row);
    const std::optional<double> shift = zero_of_rate(output, row);
    if (!shift) return middle;
    return middle + *shift * (at_row(output, *row_beside(row, step)) - at_row(output, *row_beside(row, -step))) / 2;
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
    const Extremes* found = part.is_extreme() ? extremes(part, first) : nullptr;
    if (found == nullptr) continue;
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
      if (part == parts_.end() || !part->is_extreme()) continue;
      const auto index = static_cast<std::size_t>(part - parts_.begin());
      if (std::ranges::find(found, index) == found.end()) found.push_back(index);
    }
  return found;
}

Sought Measures::sought(std::size_t part) const {
  return {static_cast<std::size_t>(parts_[part].output), parts_[part].function == OfRun::kMax};
}

// The derivatives of the measures by those of their parts: `of(part, k, why)` is the derivative of a part by quantity k, or NaN, and says why.
MeasureDerivatives Measures::combine(const std::vector<double>& parts, const Model& model,
                                     std::span<const Tangent> tangents, const OfPart& of) const {
  MeasureDerivatives found;
  found.by.assign(values_.size(), std::vector<double>(tangents.size(), 0.0));
  found.unknown.resize(values_.size());
  const std::function<double(SymbolId)> value = [&](SymbolId id) { return value_of(id, parts, model); };
  const auto of_parameter = [&](SymbolId id, const Tangent& tangent) {
    for (const auto& [index, rate] : tangent.parameters)
      if (model.parameters[static_cast<std::size_t>(index)].symbol.symbol() == id) return rate;
    return 0.0;
  };
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const bool cornered = at_corner(values_[i], value);
    if (cornered) found.unknown[i] = "abs, sign, floor, min, max or a condition in it is at its corner";
    for (std::size_t k = 0; k < tangents.size(); ++k) {
      double& sum = found.by[i][k];
      std::string why;
      for (const auto& [symbol, derivative] : gradients_[i]) {
        const double rate = evaluate(derivative, value);
        if (rate == 0) continue;
        const auto part = std::ranges::find(parts_, symbol, [](const Part& one) { return one.symbol.symbol(); });
        std::string why_part;
        sum += rate * (part == parts_.end() ? of_parameter(symbol, tangents[k])
                                            : of(static_cast<std::size_t>(part - parts_.begin()), k, why_part));
        if (why.empty()) why = why_part;
      }
      if (why.empty() && !std::isfinite(sum)) why = "it is not finite";
      if (cornered || !why.empty()) sum = std::numeric_limits<double>::quiet_NaN();
      if (found.unknown[i].empty()) found.unknown[i] = why;
    }
  }
  return found;
}

MeasureDerivatives Measures::derivatives(const Trajectory& first, const Trajectory& second, const Model& model,
                                         double start, std::span<const Tangent> tangents,
                                         std::span<const OtherExtreme> instead) const {
  const auto of = [&](std::size_t part, std::size_t k, std::string& why) {
    if (const auto other = std::ranges::find(instead, part, &OtherExtreme::part); other != instead.end())
      return other->by[k];
    Differences differences(first, second, model, start, k, tangents[k]);
    const double found = differences.of(parts_[part]);
    why = differences.why();
    return found;
  };
  return combine(part_values(first, model, start, instead), model, tangents, of);
}

bool Measures::have_extremes() const { return std::ranges::any_of(parts_, &Part::is_extreme); }

std::vector<int> Measures::outputs_at_end() const {
  std::vector<int> outputs;
  for (const Part& part : parts_)
    if (part.kind == Part::Kind::kOfRun && !part.is_extreme() && part.function != OfRun::kAt &&
        std::ranges::find(outputs, part.output) == outputs.end())
      outputs.push_back(part.output);
  return outputs;
}

std::optional<std::vector<HeldValue>> Measures::held_values(const Trajectory& first, const Trajectory& beside,
                                                            const Model& model, double start) const {
  std::vector<HeldValue> values;
  const Tangent none;
  for (const Part& part : parts_) {
    Differences differences(first, beside, model, start, 0, none);
    const std::optional<double> t = differences.held_instant(part);
    if (!t) return std::nullopt;
    values.push_back({part.output, *t});
  }
  return values;
}

MeasureDerivatives Measures::derivatives_of_held(const Trajectory& first, const Model& model, double start,
                                                 std::span<const Tangent> tangents,
                                                 const std::vector<std::vector<double>>& by) const {
  const auto of = [&](std::size_t part, std::size_t k, std::string& why) {
    const bool mean = parts_[part].kind == Part::Kind::kOfRun && parts_[part].function == OfRun::kMean;
    const double found = by[part][k] / (mean ? first.time.back() - start : 1);
    if (!std::isfinite(found)) why = "the output that it reads has no derivative";
    return found;
  };
  return combine(part_values(first, model, start, {}), model, tangents, of);
}

}  // namespace dalembert
