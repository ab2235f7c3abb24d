// SPDX-License-Identifier: Apache-2.0
// Reads [prescribed]: coordinates as functions of time.
#include <array>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"
#include "dalembert/model/constraint_kind.h"
#include "dalembert/model/roles.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/modelfile/loader.h"

namespace dalembert::modelfile {

void Loader::read_prescribed() {
  const Node* prescribed = section("prescribed");
  if (!prescribed) return;
  for (const Entry& entry : prescribed->entries) {
    if (names_.name(entry.key).state == Meaning::State::kSilent) continue;
    const int index = model_.coordinate_index(entry.key);
    if (index < 0) {
      Diagnostic problem = error("E0102", fmt::format("unknown coordinate `{}`", entry.key), document_.key_span(entry));
      std::vector<std::string> known;
      for (const Coordinate& coordinate : model_.coordinates) known.push_back(coordinate.name);
      if (const auto similar = nearest(entry.key, known))
        problem.help.push_back(fmt::format("did you mean `{}`?", *similar));
      else
        problem.help.push_back("coordinates are prescribed; forces and other functions of time belong in [inputs]");
      report(std::move(problem));
      continue;
    }
    const Coordinate coordinate = model_.coordinates[static_cast<std::size_t>(index)];
    const DimensionTerm& unit = coordinate_dimensions_[static_cast<std::size_t>(index)];
    prescribe_from(entry, coordinate, unit);
    const std::string force = fmt::format("actuation({})", entry.key);
    if (const Expr symbol = model_.actuation(entry.key))
      names_.add_row(force, symbol, DimensionTerm(Dimension::energy()) / unit);
    else
      names_.add_silent_row(force);
  }
}

void Loader::prescribe_from(const Entry& entry, const Coordinate& coordinate, const DimensionTerm& unit) {
  const std::string what = fmt::format("the prescribed `{}`", entry.key);
  if (const Override* set = override_for(entry.key)) {
    // The value is a quantity ("20 deg") or an expression of t.
    model_.here = set->value.span();
    if (const auto number = parse_quantity(set->value)) {
      if (number->dimension && !names_.dimensions().equate(unit, *number->dimension))
        return report(error(
            "E0203", fmt::format("`{}` cannot be in `{}`", entry.key, unit_name(*number->dimension, Measure::kAngle)),
            set->value.span()));
      return model_.prescribe(coordinate, model_.constant(Rational::from_double(number->value)));
    }
    const Lowered lowered = names_.lower(set->value, Role::kPrescribed);
    if (!lowered.value) return;
    expect_dimension(lowered, unit, what, set->value.span(), names_, diagnostics_, Measure::kAngle);
    return model_.prescribe(coordinate, lowered.value);
  }
  if (entry.node.bad) return;
  if (entry.node.is(Node::Type::kTable)) return prescribe_samples(entry, coordinate, unit);
  const Written text{&entry.node, {}};
  const Lowered lowered = names_.lower(text, Role::kPrescribed);
  if (!lowered.value) return;
  expect(lowered, unit, what, text, Measure::kAngle);
  model_.here = names_.text_span(text);
  model_.prescribe(coordinate, lowered.value);
}

void Loader::prescribe_samples(const Entry& entry, const Coordinate& coordinate, const DimensionTerm& unit) {
  if (const Node* how = entry.node.find("interpolation"); how && how->text.text != "spline") {
    Diagnostic problem =
        error("E0006", "a prescribed coordinate needs samples that are read as a spline", document_.span(*how));
    problem.notes.push_back(
        "its velocity and acceleration are needed, which straight lines between samples do not have");
    problem.help.push_back("leave `interpolation` out");
    return report(std::move(problem));
  }
  auto samples = samples_of(entry);
  if (!samples) return;
  if (samples->dimension) given_inputs_.push_back({coordinate.name, unit, *samples->dimension, samples->place});
  const std::size_t before = model_.inputs.size();
  model_.prescribe(coordinate, std::move(samples->time), std::move(samples->value));
  DimensionTerm dimension = unit;
  for (std::size_t i = before; i < model_.inputs.size(); ++i) {
    input_dimensions_.push_back(dimension);
    dimension = dimension / DimensionTerm(Dimension::time());
  }
}

// Warns of constraints such as `holonomic = "alpha - f(t)"`. They drive a coordinate as well, and the multiplier is the actuation. But each
// counts as a constraint, and a consistent start must be found for it.
void Loader::warn_of_driven_coordinates() {
  if (has_errors(diagnostics_) || has_errors(model_.diagnostics())) return;
  std::vector<Expr> positions;
  for (const Coordinate& coordinate : model_.coordinates) positions.push_back(coordinate.q);
  const Variables q(positions);
  for (const Constraint& constraint : model_.constraints) {
    if (constraint.kind->key != "holonomic" || constraint.unilateral) continue;
    for (const ConstraintRow& row : constraint.rows) {
      const bool moves =
          depends_on(row.expression, std::array{model_.t}) || depends_on_kind(row.expression, SymbolKind::kInput);
      if (!moves) continue;
      const auto slopes = sparse_gradient(row.expression, q);
      if (slopes.size() != 1 || !slopes.front().second.is_constant()) continue;
      const std::string& name = model_.coordinates[static_cast<std::size_t>(slopes.front().first)].name;
      Diagnostic problem = warning(
          "W0221", fmt::format("the constraint `{}` gives the coordinate `{}` as a function of time", row.name, name),
          row.span);
      problem.help.push_back(
          fmt::format("`[prescribed]` with `{} = …` says so directly: its start follows, it is not counted among the "
                      "constraints, and `actuation({})` is the force that it takes",
                      name, name));
      report(std::move(problem));
    }
  }
}

}  // namespace dalembert::modelfile
