// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/measures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/derive/equations.h"
#include "dalembert/expr/lower.h"
#include "dalembert/expr/visit.h"
#include "dalembert/model/angular_velocity.h"
#include "dalembert/model/formula_unit.h"

namespace dalembert {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Index of the row of the run at a time, or none.
std::optional<std::size_t> row_at(const Trajectory& run, double t) {
  // After a jump there are two rows of one time; the last one has the state after it.
  for (std::size_t row = run.size(); row-- > 0;)
    if (run.time[row] == t) return row;
  return std::nullopt;
}

// How functions of a run are misused: taken of another one, or at a time that is not known before the run.
enum class OfRunMisuse { kNone, kNested, kTime };

void report_misuse(OfRunMisuse misuse, const StudyStatement::Named& one, Diagnostics& problems) {
  if (misuse == OfRunMisuse::kNone) return;
  const bool nested = misuse == OfRunMisuse::kNested;
  const std::string_view what = nested ? "takes a function of a run of another one"
                                       : "asks for a value at a time that is not known before the run";
  problems.push_back(error("E0420", fmt::format("`{}` {}", one.text.text, what), one.text.span()));
  problems.back().help.emplace_back(
      nested ? "take each of what has a value at each time, and compute with their numbers outside: `max(x) - mean(x)`"
             : "the time is made of numbers and parameters: `at(x, 2*T)`");
}

}  // namespace

bool is_happening(const RunEvent& event, const std::string& name) {
  const bool kind = event.kind == RunEventKind::kEvent || event.kind == RunEventKind::kStop ||
                    event.kind == RunEventKind::kImpact || event.kind == RunEventKind::kContact;
  return kind && event.name == name;
}

// The meaning of names in measures: everything that outputs may contain, the outputs themselves, and functions of the run.
class Measures::Names : public Scope {
 public:
  /// `along_run`: the expressions have a value at each time, and `integral(e)` is the integral up to that time.
  Names(Model& model, std::vector<Part>& parts, bool along_run = false)
      : model_(model), parts_(parts), solver_(model.has_units), along_run_(along_run) {
    for (const Parameter& parameter : model.parameters)
      add(parameter.name, parameter.symbol, parameter.dimension, true);
    for (const Coordinate& coordinate : model.coordinates) {
      Meaning& meaning = add(coordinate.name, coordinate.q, coordinate.dimension, false);
      meaning.velocity = coordinate.qd;
      meaning.acceleration = coordinate.qdd;
    }
    for (std::size_t i = 0; i < model.inputs.size(); ++i) {
      const Input& input = model.inputs[i];
      if (input.derivative != 0) continue;
      Meaning& meaning = add(input.name, input.symbol, input.dimension, true);
      meaning.velocity = input.rate;
      if (input.rate) meaning.acceleration = model.inputs[i + 1].rate;  // a spline is followed by its derivatives
    }
    for (const QuasiVelocity& velocity : model.quasi_velocities) {
      Meaning& meaning = add(velocity.name, velocity.definition, velocity.dimension, false);
      meaning.velocity = model.dot(velocity.definition);
    }
    for (const FrameQuaternion& quaternion : model.quaternions)
      for (int axis = 0; axis < 3; ++axis)
        add(fmt::format("{}.omega.{}", quaternion.frame, "xyz"[axis]),
            angular_velocity_by_rates(model, quaternion, axis), Dimension::none() / Dimension::time(), false);
    for (const auto* list : {&model.definitions, &model.outputs})
      for (const Output& output : *list) add(output.name, output.expression, output.dimension, false);
    add("t", model.t, Dimension::time(), false);
    own_outputs_ = model.outputs.size();
  }

  Graph& graph() override { return *model_.graph; }
  DimensionSolver& dimensions() override { return solver_; }
  Meaning name(std::string_view name) override {
    const auto found = known_.find(std::string(name));
    return found == known_.end() ? Meaning{} : found->second;
  }
  bool declares(std::string_view name) override { return known_.contains(std::string(name)); }
  Expr dot(const Expr& expression) override { return model_.dot(expression); }
  bool time_has_its_unit() const override { return true; }

  Meaning component(std::string_view point, int axis) override {
    const auto found = std::ranges::find(model_.points, point, &Point::name);
    if (found == model_.points.end() || static_cast<std::size_t>(axis) >= found->position.size()) return {};
    return measured(found->position[static_cast<std::size_t>(axis)]);
  }

  // Of a row, friction, drive or energy: `pin[1]`, `gap(ground)`, `energy(total)`; time(tip) and count(tip) of an event or contact.
  Meaning multiplier(std::string_view row) override {
    const std::size_t open = row.find('(');
    const std::string_view word = row.substr(0, open);
    const std::string of(open == std::string_view::npos ? "" : row.substr(open + 1, row.size() - open - 2));
    if (word == "energy") {
      const Expr energy = model_.energy(of);
      return energy ? Meaning::known(energy, Dimension::energy()) : Meaning{};
    }
    if (word != "time" && word != "count") return measured(model_.lambda(std::string(row)), row);
    const std::vector<std::string> known = candidates(Candidates::kHappenings);
    if (std::ranges::find(known, of) == known.end()) return {};
    const bool instant = word == "time";
    Part made;
    made.kind = instant ? Part::Kind::kTime : Part::Kind::kCount;
    made.happening = of;
    return part(std::move(made), instant ? DimensionTerm(Dimension::time()) : DimensionTerm());
  }

  Meaning of_run(OfRun function, const Meaning& expression, const Expr& time) override {
    if (reads_part(expression.value)) misuse_ = OfRunMisuse::kNested;
    if (function == OfRun::kAt && (kinds().of(time) & ~KindMasks::bit(SymbolKind::kParameter)) != 0)
      misuse_ = OfRunMisuse::kTime;
    if (misuse_ != OfRunMisuse::kNone) return Meaning::silent();
    DimensionTerm dimension = expression.dimension, of_output = dimension;
    Expr measured = expression.value;
    if (function == OfRun::kIntegral || function == OfRun::kMean) {
      measured = model_.integral(measured);
      if (!measured) return Meaning::silent();
      of_output = dimension * Dimension::time();
      if (along_run_ && function == OfRun::kIntegral) return Meaning::known(measured, of_output);
      if (function == OfRun::kIntegral) dimension = of_output;
    }
    Part made;
    made.function = function;
    made.output = output(measured, of_output);
    made.time = time;
    return part(std::move(made), dimension);
  }

  std::vector<std::string> candidates(Candidates which) override {
    std::vector<std::string> found;
    if (which == Candidates::kNames)
      for (const auto& [name, meaning] : known_) found.push_back(name);
    if (which == Candidates::kPoints)
      for (const Point& point : model_.points) found.push_back(point.name);
    if (which == Candidates::kRows)
      for (const ConstraintRow* row : model_.rows()) found.push_back(row->name);
    if (which == Candidates::kHappenings) {
      for (const Event& event : model_.events) found.push_back(event.name);
      for (const Constraint& constraint : model_.constraints)
        for (const ConstraintRow& row : constraint.rows)
          if (constraint.unilateral) found.push_back(row.name);
    }
    std::ranges::sort(found);
    return found;
  }

  // The misuse of functions of a run since the last call.
  OfRunMisuse misuse() { return std::exchange(misuse_, OfRunMisuse::kNone); }

  // Index of the output with this expression, which is added if there is none.
  int output(const Expr& expression, const DimensionTerm& dimension) {
    const auto same =
        std::ranges::find_if(model_.outputs, [&](const Output& one) { return one.expression.id() == expression.id(); });
    const auto index = static_cast<int>(same - model_.outputs.begin());
    if (same == model_.outputs.end())
      model_.outputs.push_back({fmt::format("measured {}", model_.outputs.size() - own_outputs_ + 1),
                                expression,
                                solver_.value(dimension),
                                {}});
    return index;
  }

 private:
  Meaning& add(const std::string& name, const Expr& value, const std::optional<Dimension>& dimension, bool anchored) {
    const DimensionTerm term = dimension ? DimensionTerm(*dimension) : solver_.fresh();
    return known_.insert_or_assign(name, Meaning::known(value, term, anchored)).first->second;
  }

  Meaning measured(const Expr& value, std::string_view row = {}) {
    if (!value) return {};
    std::optional<Dimension> dimension = model_.dimension_of(value);
    for (const Constraint& constraint : model_.constraints)
      for (const ConstraintRow& one : constraint.rows)
        if (!row.empty() && one.name == row) dimension = lambda_dimension(model_, constraint, one);
    return Meaning::known(value, dimension ? DimensionTerm(*dimension) : solver_.fresh());
  }

  bool reads_part(const Expr& e) {
    return std::ranges::any_of(symbols_in(std::array{e}), [&](SymbolId id) {
      return std::ranges::any_of(parts_, [&](const Part& one) { return one.symbol.symbol() == id; });
    });
  }

  Meaning part(Part made, DimensionTerm dimension) {
    made.symbol = graph().add_symbol(
        {fmt::format("part {}", parts_.size() + 1), SymbolKind::kShorthand, static_cast<int>(parts_.size()), {}});
    parts_.push_back(std::move(made));
    return Meaning::known(parts_.back().symbol, std::move(dimension), true);
  }

  Model& model_;
  std::vector<Part>& parts_;
  DimensionSolver solver_;
  const bool along_run_;
  std::unordered_map<std::string, Meaning> known_;
  std::size_t own_outputs_ = 0;
  OfRunMisuse misuse_ = OfRunMisuse::kNone;
};

Result<Measures> Measures::read(Model& model, const std::vector<StudyStatement::Named>& texts) {
  Measures measures;
  Diagnostics problems;
  Names names(model, measures.parts_);
  for (const StudyStatement::Named& one : texts) {
    if (!is_identifier(one.name)) {
      problems.push_back(error("E0420", fmt::format("`{}` is no name for a measure", one.name), one.place));
      problems.back().help.emplace_back("letters, digits and `_`, the first a letter: `peak = \"max(x)\"`");
      continue;
    }
    if (std::ranges::find(measures.names_, one.name) != measures.names_.end()) {
      problems.push_back(error("E0420", fmt::format("there are two measures `{}`", one.name), one.place));
      continue;
    }
    const Result<Ast> ast = parse_ast(one.text);
    if (!ast) {
      problems.insert(problems.end(), ast.diagnostics().begin(), ast.diagnostics().end());
      continue;
    }
    const Lowered lowered = lower(*ast, names, {}, problems);
    report_misuse(names.misuse(), one, problems);
    if (!lowered.value) continue;
    const bool of_run = std::ranges::all_of(symbols_in(std::array{lowered.value}), [&](SymbolId id) {
      const SymbolKind kind = names.graph().symbol_info(id).kind;
      return kind == SymbolKind::kParameter || kind == SymbolKind::kShorthand;
    });
    if (!of_run) {
      problems.push_back(error("E0420",
                               fmt::format("`{}` has a value at each time, and not one for a run", one.text.text),
                               one.text.span()));
      problems.back().help.push_back(
          fmt::format("say which: `final({0})`, `max({0})`, `min({0})`, `mean({0})`, `integral({0})`, `at({0}, 1 s)`",
                      one.text.text));
      continue;
    }
    measures.names_.push_back(one.name);
    measures.places_.push_back(one.text.span());
    measures.dimensions_.push_back(model.has_units ? names.dimensions().value(lowered.dimension) : std::nullopt);
    measures.values_.push_back(lowered.value);
  }
  if (!problems.empty()) return problems;
  return measures;
}

Result<std::vector<int>> Measures::read_outputs(Model& model, const std::vector<StudyStatement::Named>& texts) {
  Diagnostics problems;
  std::vector<Part> parts;
  std::vector<int> outputs;
  Names names(model, parts, true);
  for (const StudyStatement::Named& one : texts) {
    const Result<Ast> ast = parse_ast(one.text);
    if (!ast) {
      problems.insert(problems.end(), ast.diagnostics().begin(), ast.diagnostics().end());
      continue;
    }
    const std::size_t before = parts.size();
    const Lowered lowered = lower(*ast, names, {}, problems);
    if (names.misuse() != OfRunMisuse::kNone || parts.size() > before) {
      problems.push_back(
          error("E0420", fmt::format("`{}` is a number of a whole run", one.text.text), one.text.span()));
      problems.back().help.emplace_back("an expression with a value at each time is wanted here, such as `theta`");
    } else if (lowered.value) {
      outputs.push_back(names.output(lowered.value, lowered.dimension));
    }
  }
  if (!problems.empty()) return problems;
  return outputs;
}

Diagnostics Measures::doubt_times(const Model& model, double start, double until, std::span<const int> changed) const {
  Diagnostics warnings;
  const auto changes = [&](SymbolId id) {
    return std::ranges::any_of(
        changed, [&](int k) { return model.parameters[static_cast<std::size_t>(k)].symbol.symbol() == id; });
  };
  for (const Part& part : parts_) {
    if (part.kind != Part::Kind::kOfRun || part.function != OfRun::kAt) continue;
    if (std::ranges::any_of(symbols_in(std::array{part.time}), changes)) continue;
    const double t = model.value_of(part.time);
    if (t >= std::min(start, until) && t <= std::max(start, until)) continue;
    for (std::size_t k = 0; k < values_.size(); ++k) {
      if (!std::ranges::binary_search(symbols_in(std::array{values_[k]}), part.symbol.symbol())) continue;
      warnings.push_back(
          warning("W0327",
                  fmt::format("`{}` has a value in no run: it reads one at t = {} s, and runs go from {} s "
                              "to {} s",
                              names_[k], to_text(t), to_text(start), to_text(until)),
                  places_[k]));
      warnings.back().help.push_back("`--until` says when runs end; `final(…)` is the last value");
    }
  }
  return warnings;
}

std::vector<std::string> Measures::units(const Model& model) const {
  std::vector<SymbolId> angles, forces;
  for (const Part& part : parts_) {
    if (part.kind != Part::Kind::kOfRun) continue;
    // An integral measures what its integrand does, so a mean does too.
    const Output& output = model.outputs[static_cast<std::size_t>(part.output)];
    const Measure measure = measure_of(model, output.expression, output.dimension);
    if (measure == Measure::kAngle) angles.push_back(part.symbol.symbol());
    if (measure == Measure::kForce) forces.push_back(part.symbol.symbol());
  }
  std::vector<std::string> units;
  for (std::size_t k = 0; k < names_.size(); ++k) {
    Measure measure = measure_of(model, values_[k], dimensions_[k], angles);
    const bool force = std::ranges::any_of(symbols_in(std::array{values_[k]}),
                                           [&](SymbolId id) { return std::ranges::find(forces, id) != forces.end(); });
    if (measure == Measure::kAny && force) measure = Measure::kForce;
    units.push_back(unit_of(dimensions_[k], measure));
  }
  return units;
}

void Measures::ask(const Model& model, double start, bool each_step, IntegrateOptions& options) const {
  std::vector<double>& times = options.output_times;
  times.clear();
  // A run that finds all peaks anyway finds these, too.
  const bool all = options.find_peaks && options.peaks_of.empty();
  options.peaks_of.clear();
  for (const Part& part : parts_) {
    if (part.kind != Part::Kind::kOfRun) continue;
    if (part.is_extreme()) {
      options.find_peaks = true;
      if (!all)
        options.peaks_of.push_back(
            {.output = part.output, .min = part.function == OfRun::kMin, .max = part.function == OfRun::kMax});
    }
    if (part.function != OfRun::kAt) continue;
    const double t = model.value_of(part.time), ahead = options.until >= start ? 1 : -1;
    if (ahead * (t - start) >= 0 && ahead * (options.until - t) > 0) times.push_back(t);
  }
  if (each_step && times.empty()) return;
  // The measures read no other rows; what a failed run says of its end looks at the first one.
  times.insert(times.end(), {start, options.until});
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  if (options.until < start) std::ranges::reverse(times);
}

double Measures::value(const Part& part, const Trajectory& run, const Model& model, double start) const {
  if (part.kind == Part::Kind::kCount)
    return static_cast<double>(
        std::ranges::count_if(run.events, [&](const RunEvent& event) { return is_happening(event, part.happening); }));
  if (part.kind == Part::Kind::kTime) {
    const auto first =
        std::ranges::find_if(run.events, [&](const RunEvent& event) { return is_happening(event, part.happening); });
    return first == run.events.end() ? kNone : first->t;
  }
  const auto output = static_cast<std::size_t>(part.output);
  const std::vector<double>& values = run.outputs[output];
  switch (part.function) {
    case OfRun::kFinal:
    case OfRun::kIntegral:
      return values.empty() ? kNone : values.back();
    case OfRun::kMean:
      return values.empty() ? kNone : values.back() / (run.time.back() - start);
    case OfRun::kAt: {
      const auto row = row_at(run, model.value_of(part.time));
      return row ? values[*row] : kNone;
    }
    case OfRun::kMax:
    case OfRun::kMin: {
      const Extremes* found = extremes(part, run);
      if (found == nullptr) return kNone;
      return part.function == OfRun::kMax ? found->max : found->min;
    }
  }
  return kNone;
}

std::string Measures::why_none(const Trajectory& run, const Model& model, double start) const {
  for (const Part& part : parts_) {
    if (std::isfinite(value(part, run, model, start))) continue;
    if (part.kind == Part::Kind::kTime) return fmt::format("`{}` does not happen", part.happening);
    if (part.function == OfRun::kAt)
      return fmt::format("the run ends before t = {} s", to_text(model.value_of(part.time)));
  }
  return "the objective or a constraint has no value";
}

const Extremes* Measures::extremes(const Part& part, const Trajectory& run) {
  const std::size_t place = run.lambda.size() + run.friction.size() + static_cast<std::size_t>(part.output);
  return place < run.peaks.size() && run.peaks[place].any ? &run.peaks[place] : nullptr;
}

std::vector<double> Measures::part_values(const Trajectory& run, const Model& model, double start,
                                          std::span<const OtherExtreme> instead) const {
  std::vector<double> values;
  for (const Part& part : parts_)
    values.push_back(run.outputs.empty() && part.kind == Part::Kind::kOfRun ? kNone : value(part, run, model, start));
  for (const OtherExtreme& one : instead) values[one.part] = one.value;
  return values;
}

// The value of a symbol in a measure: a part or a parameter.
double Measures::value_of(SymbolId id, const std::vector<double>& of_parts, const Model& model) const {
  for (std::size_t k = 0; k < parts_.size(); ++k)
    if (parts_[k].symbol.symbol() == id) return of_parts[k];
  const auto parameter =
      std::ranges::find_if(model.parameters, [&](const Parameter& p) { return p.symbol.symbol() == id; });
  return parameter == model.parameters.end() ? kNone : parameter->value;
}

std::vector<double> Measures::of(const Trajectory& run, const Model& model, double start,
                                 std::span<const OtherExtreme> instead) const {
  const std::vector<double> parts = part_values(run, model, start, instead);
  return evaluate(values_, [&](SymbolId id) { return value_of(id, parts, model); });
}

}  // namespace dalembert
