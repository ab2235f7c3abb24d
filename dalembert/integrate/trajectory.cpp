// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/trajectory.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "dalembert/base/units.h"
#include "dalembert/dynamics/output_names.h"

namespace dalembert {
namespace {

std::string name_of(const std::vector<std::string>& names, std::size_t i) {
  return i < names.size() ? names[i] : fmt::format("{}", i + 1);
}

std::string unit_of(const std::vector<std::string>& units, std::size_t i) { return i < units.size() ? units[i] : ""; }

// The unit `text` divided by s^power, as the unit names are written.
std::string per_time(const std::string& text, int power) {
  if (text.empty()) return "";
  // A velocity in m/s has a rate in m/s^2.
  const bool rate = text.ends_with("/s");
  const int powers = power + (rate ? 1 : 0);
  return text.substr(0, text.size() - (rate ? 2 : 0)) + (powers == 1 ? "/s" : fmt::format("/s^{}", powers));
}

}  // namespace

std::string_view to_text(RunStatus status) {
  switch (status) {
    case RunStatus::kOk:
      return "ok";
    case RunStatus::kStopped:
      return "stopped";
    case RunStatus::kFailed:
      return "failed";
  }
  return "";
}

std::string_view to_text(RunEventKind kind) {
  switch (kind) {
    case RunEventKind::kStick:
      return "stick";
    case RunEventKind::kSlip:
      return "slip";
    case RunEventKind::kSingular:
      return "singular";
    case RunEventKind::kImpact:
      return "impact";
    case RunEventKind::kContact:
      return "contact";
    case RunEventKind::kRelease:
      return "release";
    case RunEventKind::kRest:
      return "rest";
    case RunEventKind::kEvent:
      return "event";
    case RunEventKind::kStop:
      return "stop";
  }
  return "";
}

std::string title(const RunEvent& event) {
  const bool of_contact = event.kind == RunEventKind::kImpact || event.kind == RunEventKind::kContact ||
                          event.kind == RunEventKind::kRelease || event.kind == RunEventKind::kRest;
  return of_contact ? fmt::format("{} {}", event.name, to_text(event.kind)) : event.name;
}

std::string to_text(const Verdict& verdict) {
  std::string text = verdict.holds ? "verdict: holds\n" : "verdict: does not hold\n";
  for (const std::string& reason : verdict.reasons) text += "  because " + reason + "\n";
  const auto line = [&](std::string_view what, double value, std::string_view rest) {
    text += value == 0 ? fmt::format("  {:<22}{:>9}{}\n", what, 0, rest)
                       : fmt::format("  {:<22}{:>9.1e}{}\n", what, value, rest);
  };
  if (const FinalError& error = verdict.error; error.estimated && !error.q.empty()) {
    const std::string unit = error.worst_unit.empty() || error.worst_unit == "1" ? "" : " " + error.worst_unit;
    line("error of the end", error.q[error.worst],
         fmt::format("{} in {}, {} of the motion ({})", unit, error.worst_name,
                     error.relative == 0 ? "0" : fmt::format("{:.0e}", error.relative),
                     error.method == "cross-check" ? "by a second run" : "an estimate, above the true one"));
    if (error.relative_along) line("error on the way", *error.relative_along, " of the motion (by a second run)");
  }
  for (const IntegralAtEnd& one : verdict.integrals)
    if (std::isfinite(one.error))
      line("error of an integral", one.error, fmt::format(" in {} (by a second run)", one.name));
  if (verdict.rows > 0) {
    line("position residual", verdict.max_position_residual, "");
    line("velocity residual", verdict.max_velocity_residual, "");
  }
  const std::string limit = fmt::format("  (limit {:.0e})", verdict.drift_limit);
  // In a system at rest the whole energy is round-off. A limit close to 1 says nothing and is left out.
  const double open = verdict.drift_limit + verdict.energy_roundoff + verdict.work_error;
  const std::string energy_limit = open < 0.95 ? fmt::format("  (limit {:.0e})", open) : "";
  if (!verdict.conservative) line("power balance", verdict.power_balance_error, energy_limit);
  for (const ConservedDrift& conserved : verdict.conserved)
    line(fmt::format("{} drift", conserved.name), conserved.drift,
         verdict.conservative && &conserved == verdict.conserved.data() ? energy_limit : limit);
  if (verdict.rows > 0)
    text += fmt::format("  {:<22}{:>9}\n", "rank of W", fmt::format("{} of {}", verdict.min_rank, verdict.rows));
  if (verdict.has_contacts) {
    text += fmt::format("  {:<22}{:>9}{}\n", "impacts", verdict.impacts,
                        verdict.impacts > 0 ? fmt::format("  (they took {:.6g} J)", verdict.impact_loss) : "");
    line("penetration", verdict.max_penetration, "");
  }
  for (const std::string& warning : verdict.warnings) text += "  warning: " + warning + "\n";
  return text;
}

namespace {

// Calls `change` for the vector of each series, which has one value for each output row.
template <typename Change>
void for_each_series(Trajectory& run, const Change& change) {
  change(run.rank);
  for (std::vector<double>* one : {&run.time, &run.kinetic, &run.potential, &run.total, &run.work}) change(*one);
  for (auto* group : {&run.q, &run.v, &run.a, &run.lambda, &run.friction, &run.residual, &run.u, &run.outputs,
                      &run.output_rates, &run.conserved, &run.gap, &run.contact})
    for (std::vector<double>& one : *group) change(one);
  for (Sensitivity& by : run.sensitivities)
    for (auto* group : {&by.q, &by.v, &by.a, &by.lambda, &by.friction, &by.outputs})
      for (std::vector<double>& one : *group) change(one);
}

}  // namespace

void Trajectory::forget_rows() {
  if (size() <= 2) return;
  forgotten += size() - 2;
  for_each_series(*this, [](auto& series) {
    if (series.size() <= 2) return;
    series[1] = series.back();
    series.resize(2);
  });
}

void Trajectory::drop_last_row() {
  for_each_series(*this, [](auto& series) {
    if (!series.empty()) series.pop_back();
  });
}

State Trajectory::state(std::size_t row) const {
  State state;
  state.t = time[row];
  for (const std::vector<double>& series : q) state.q.push_back(series[row]);
  for (const std::vector<double>& series : v) state.v.push_back(series[row]);
  return state;
}

std::string Sensitivity::unit_of(const std::string& number) const {
  const auto dimension = [](const std::string& name) -> std::optional<Dimension> {
    if (name.empty()) return std::nullopt;
    if (name == "1") return Dimension::none();
    const Result<Unit> parsed = parse_unit(MappedText::of(name, "<unit>"));
    return parsed ? std::optional(parsed->dimension) : std::nullopt;
  };
  const std::optional<Dimension> above = dimension(number), below = dimension(unit);
  return above && below ? unit_name(*above / *below) : "";
}

namespace {

// Collects the series of a run as columns, with their names and units.
class Naming {
 public:
  using Values = std::vector<std::vector<double>>;
  explicit Naming(const Names& names) : names_(names) {}

  void add(std::string_view group, const std::vector<std::string>& labels, const std::vector<std::string>& units,
           const Values& values, int time_power = 0) {
    add_some(group, labels, units, values, time_power, 0, values.size());
  }
  void add_some(std::string_view group, const std::vector<std::string>& labels, const std::vector<std::string>& units,
                const Values& values, int time_power, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const std::string unit = unit_of(units, i);
      const std::string name = name_of(labels, i);
      add_one(is_series_name(name) ? name : fmt::format("{}/{}", group, name),
              time_power == 0 ? unit : per_time(unit, time_power), values[i]);
    }
  }
  void add_one(const std::string& name, const std::string& unit, std::span<const double> values) {
    if (by_ == nullptr)
      columns.push_back({name, unit, values});
    else
      columns.push_back({fmt::format("sens/{}/{}", by_->name, name), by_->unit_of(unit), values});
  }
  /// The series added from now on are derivatives by this quantity.
  void differentiated(const Sensitivity& by) { by_ = &by; }

  void add_motion(const Values& q, const Values& v, const Values& a) {
    add("q", names_.coordinates, names_.coordinate_units, q);
    const bool own = !names_.velocities.empty();
    add("v", names_.of_motion(), own ? names_.velocity_units : names_.coordinate_units, v, own ? 0 : 1);
    for (std::size_t i = 0; own && i < a.size(); ++i)
      add_some(i < names_.velocities.size() && names_.is_coordinate(names_.velocities[i]) ? "a" : "vdot",
               names_.velocities, names_.velocity_units, a, 1, i, i + 1);
    if (!own) add("a", names_.coordinates, names_.coordinate_units, a, 2);
  }
  void add_forces(const Values& lambda, const Values& friction) {
    const std::size_t rows = rows_of(lambda);
    add_some("lambda", names_.rows, names_.lambda_units, lambda, 0, 0, rows);
    add_some("F", names_.rows, names_.lambda_units, lambda, 0, rows, lambda.size());
    add("friction", names_.frictions, names_.friction_units, friction);
  }
  std::size_t rows_of(const Values& lambda) const {
    return lambda.size() - std::min(static_cast<std::size_t>(names_.actuated), lambda.size());
  }

  std::vector<Trajectory::Column> columns;

 private:
  const Names& names_;
  const Sensitivity* by_ = nullptr;
};

}  // namespace

std::vector<Trajectory::Column> Trajectory::columns() const {
  Naming all(names);
  all.add_one("time", "s", time);
  all.add_motion(q, v, a);
  all.add_forces(lambda, friction);
  for (std::size_t k = 0; k < gap.size(); ++k) {
    const auto row = static_cast<std::size_t>(contact_rows[k]);
    all.add_one(fmt::format("gap/{}", name_of(names.rows, row)), unit_of(names.row_units, row), gap[k]);
    all.add_one(fmt::format("contact/{}", name_of(names.rows, row)), "", contact[k]);
  }
  all.add("u", names.inputs, names.input_units, u);
  all.add_one("energy/total", "J", total);
  all.add_one("energy/kinetic", "J", kinetic);
  all.add_one("energy/potential", "J", potential);
  all.add_some("residual", names.rows, names.row_units, residual, 0, 0, all.rows_of(lambda));
  all.add("output", names.outputs, names.output_units, outputs);
  for (const Sensitivity& by : sensitivities) {
    if (!by.has_rows(size())) continue;
    all.differentiated(by);
    all.add_motion(by.q, by.v, by.a);
    all.add_forces(by.lambda, by.friction);
    all.add("output", names.outputs, names.output_units, by.outputs);
  }
  return std::move(all.columns);
}

std::span<const double> Trajectory::series(std::string_view name) const {
  const std::vector<Column> all = columns();
  std::vector<std::string> labels;
  for (const Column& column : all) labels.push_back(column.name);
  const auto found = find_series(labels, name);
  return found ? all[*found].values : std::span<const double>();
}

std::optional<std::size_t> find_series(std::span<const std::string> names, std::string_view name) {
  const auto full = [&](const std::string& wanted) -> std::optional<std::size_t> {
    const auto it = std::find(names.begin(), names.end(), wanted);
    if (it == names.end()) return std::nullopt;
    return static_cast<std::size_t>(it - names.begin());
  };
  if (const auto found = full(std::string(name))) return found;
  if (const std::size_t dot = name.find('.'); dot != std::string_view::npos) {
    std::string slashed(name);
    slashed[dot] = '/';
    if (const auto found = full(slashed)) return found;
  }
  // Derivatives of a coordinate.
  if (name.ends_with("''")) return full(fmt::format("a/{}", name.substr(0, name.size() - 2)));
  if (name.ends_with("'")) {
    const std::string_view of = name.substr(0, name.size() - 1);
    return full(fmt::format("{}/{}", full(fmt::format("q/{}", of)) ? "v" : "vdot", of));
  }
  if (name.starts_with("dot(") && name.ends_with(")"))
    return full(fmt::format("v/{}", name.substr(4, name.size() - 5)));
  if (name == "t") return full("time");
  // A velocity that has its own name.
  const bool coordinate = full(fmt::format("q/{}", name)).has_value();
  if (!coordinate)
    if (const auto velocity = full(fmt::format("v/{}", name))) return velocity;
  // The series "GROUP/name" of the groups below, if there is exactly one: "total" is energy/total.
  std::optional<std::size_t> found;
  for (std::string_view group : {"q", "lambda", "F", "friction", "u", "energy", "output", "reaction", "param"}) {
    if (coordinate && group == "F") continue;  // the actuation that holds a prescribed coordinate has its name
    const auto here = full(fmt::format("{}/{}", group, name));
    if (here && found) return std::nullopt;
    if (here) found = here;
  }
  return found;
}

}  // namespace dalembert
