// SPDX-License-Identifier: Apache-2.0
// Inputs and initial values, and the dimensions that the formulas determined.
#include <filesystem>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/modelfile/csv.h"
#include "dalembert/modelfile/loader.h"

namespace dalembert::modelfile {

void Loader::read_inputs() {
  const Node* inputs = section("inputs");
  if (!inputs) return;
  std::unordered_map<std::string_view, Input*> by_name;
  for (Input& input : model_.inputs) by_name.emplace(input.name, &input);
  for (const Entry& entry : inputs->entries)
    if (const auto input = by_name.find(entry.key); input != by_name.end()) read_input(entry, *input->second);
}

void Loader::read_input(const Entry& entry, Input& input) {
  const DimensionTerm& unit = input_dimensions_[static_cast<std::size_t>(&input - model_.inputs.data())];
  if (const Override* set = override_for(input.name)) {
    // A quantity ("0.3 N*m") or an expression of t.
    const auto number = parse_quantity(set->value);
    if (number) {
      input.value = model_.constant(Rational::from_double(number->value));
      if (number->dimension && !names_.dimensions().equate(unit, *number->dimension))
        report(error("E0203",
                     fmt::format("`{}` cannot be in `{}`", input.name, unit_name(*number->dimension, Measure::kForce)),
                     set->value.span()));
      return;
    }
    const Lowered lowered = names_.lower(set->value, Role::kInput);
    if (!lowered.value) return;
    expect_dimension(lowered, unit, fmt::format("the input `{}`", input.name), set->value.span(), names_, diagnostics_,
                     Measure::kForce);
    input.value = lowered.value;
    return;
  }
  if (entry.node.bad) return;
  if (entry.node.is(Node::Type::kTable)) return read_table(entry, input);
  const Written text{&entry.node, {}};
  const Lowered lowered = names_.lower(text, Role::kInput);
  if (!lowered.value) return;
  expect(lowered, unit, fmt::format("the input `{}`", input.name), text, Measure::kForce);
  model_.here = names_.text_span(text);
  model_.set_input(input.name, lowered.value);
}

void Loader::read_table(const Entry& entry, Input& input) {
  const Node* file = entry.node.find("file");
  const Node* column = entry.node.find("column");
  if (!file || !column) return;
  if (file->text.text.empty() || file->text.text.find('\0') != std::string::npos)
    return report(error("E0502", "the name of the file is empty", document_.span(*file)));
  const std::string path = (std::filesystem::path(options_.directory) / file->text.text).string();
  auto samples = read_samples(path, column->text.text, file->text.span(), column->text.span(), table_bytes_);
  if (!samples) return report_all(samples.diagnostics());
  input.value = {};
  input.time = std::move(samples->time);
  input.sample = std::move(samples->value);
}

void Loader::read_initial() {
  const Node* initial = section("initial");
  if (initial) {
    read_initial_table("position", model_.initial.position, model_.initial.velocity);
    read_initial_table("velocity", model_.initial.velocity, model_.initial.velocity);
    read_initial_table("guess", model_.initial.position_guess, model_.initial.velocity_guess);
    if (const Node* time = initial->find("time"))
      if (const auto value = quantity(time->text, Dimension::time(), "time")) model_.initial.t = value->value;
  }
  apply_initial_overrides();
}

namespace {

struct RateName {
  std::string coordinate;
  bool rate = false;
};

// `theta'` and `dot(theta)` name a velocity.
RateName rate_name(std::string_view key) {
  if (key.ends_with("'")) return {std::string(key.substr(0, key.size() - 1)), true};
  if (key.starts_with("dot(") && key.ends_with(")")) return {std::string(key.substr(4, key.size() - 5)), true};
  return {std::string(key), false};
}

void erase_coordinate(std::vector<InitialValue>& values, int coordinate) {
  std::erase_if(values, [=](const InitialValue& value) { return value.coordinate == coordinate; });
}

}  // namespace

void Loader::read_initial_table(const char* key, std::vector<InitialValue>& position,
                                std::vector<InitialValue>& velocity) {
  const Node* table = section("initial")->find(key);
  if (!table) return;
  const bool velocities = std::string_view(key) == "velocity", positions = std::string_view(key) == "position";
  std::unordered_set<int> positions_given, rates_given;
  for (const InitialValue& other : position) positions_given.insert(other.coordinate);
  for (const InitialValue& other : velocity) rates_given.insert(other.coordinate);
  for (const Entry& entry : table->entries) {
    if (entry.node.bad) continue;
    const Span place = document_.key_span(entry);
    RateName name = rate_name(entry.key);
    if (names_.name(name.coordinate).state == Meaning::State::kSilent) continue;
    const int index = model_.coordinate_index(name.coordinate);
    if (index < 0) {
      Diagnostic problem = error("E0102", fmt::format("unknown coordinate `{}`", name.coordinate), place);
      std::vector<std::string> known;
      for (const Coordinate& coordinate : model_.coordinates) known.push_back(coordinate.name);
      if (const auto similar = nearest(name.coordinate, known))
        problem.help.push_back(fmt::format("did you mean `{}`?", *similar));
      report(std::move(problem));
      continue;
    }
    if (positions && name.rate) {
      Diagnostic problem = error("E0012", "a velocity stands among the positions", place);
      problem.help.push_back(fmt::format("write `velocity = {{{} = …}}`", name.coordinate));
      report(std::move(problem));
      continue;
    }
    const bool rate = velocities || name.rate;
    const auto& unit = model_.coordinates[static_cast<std::size_t>(index)].dimension;
    const std::optional<Dimension> wanted = unit && rate ? std::optional(*unit / Dimension::time()) : unit;
    const auto value = quantity(entry.node.text, wanted, entry.key, Measure::kAngle);
    if (!value) continue;
    if (value->dimension && !wanted) {
      // A coordinate without a unit of its own takes it from here.
      const DimensionTerm& own = coordinate_dimensions_[static_cast<std::size_t>(index)];
      if (!names_.dimensions().equate(own, rate ? *value->dimension * Dimension::time() : *value->dimension))
        report(error("E0203",
                     fmt::format("`{}` cannot be in `{}`", entry.key, unit_name(*value->dimension, Measure::kAngle)),
                     entry.node.text.span()));
    }
    auto& values = rate ? velocity : position;
    if (!(rate ? rates_given : positions_given).insert(index).second)
      report(error("E0008", fmt::format("`{}` has two initial values", entry.key), place));
    values.push_back({index, value->value, entry.node.text.span()});
  }
  // A value cannot be kept and free at once.
  if (std::string_view(key) != "guess") return;
  for (const auto& [held, free] :
       {std::pair(&model_.initial.position, &position), std::pair(&model_.initial.velocity, &velocity)}) {
    std::unordered_map<int, const InitialValue*> kept;
    for (const InitialValue& other : *held) kept.emplace(other.coordinate, &other);
    for (const InitialValue& guess : *free) {
      const auto other = kept.find(guess.coordinate);
      if (other == kept.end()) continue;
      Diagnostic problem = error("E0008",
                                 fmt::format("`{}` is held and guessed at once",
                                             model_.coordinates[static_cast<std::size_t>(guess.coordinate)].name),
                                 guess.span);
      problem.secondary.push_back({other->second->span, "held here"});
      report(std::move(problem));
    }
  }
}

void Loader::apply_initial_overrides() {
  for (const Override& set : options_.overrides) {
    if (used_overrides_.contains(set.name)) continue;
    const RateName name = rate_name(set.name);
    const int index = model_.coordinate_index(name.coordinate);
    if (index < 0) continue;
    used_overrides_.insert(set.name);
    const Override& last = *override_for(set.name);
    const auto& unit = model_.coordinates[static_cast<std::size_t>(index)].dimension;
    const auto value = quantity(last.value, unit && name.rate ? std::optional(*unit / Dimension::time()) : unit,
                                set.name, Measure::kAngle);
    if (!value) continue;
    erase_coordinate(name.rate ? model_.initial.velocity : model_.initial.position, index);
    erase_coordinate(name.rate ? model_.initial.velocity_guess : model_.initial.position_guess, index);
    (name.rate ? model_.initial.velocity : model_.initial.position).push_back({index, value->value, last.value.span()});
  }
}

// What was not written, and could be told from the formulas.
void Loader::fill_dimensions() {
  const DimensionSolver& solver = names_.dimensions();
  if (!solver.on()) return;
  for (std::size_t i = 0; i < model_.coordinates.size(); ++i)
    model_.coordinates[i].dimension = solver.value(coordinate_dimensions_[i]);
  for (std::size_t i = 0; i < model_.parameters.size(); ++i)
    model_.parameters[i].dimension = solver.value(parameter_dimensions_[i]);
  for (std::size_t i = 0; i < model_.inputs.size(); ++i)
    model_.inputs[i].dimension = solver.value(input_dimensions_[i]);
  for (std::size_t i = 0; i < model_.outputs.size(); ++i)
    model_.outputs[i].dimension = solver.value(output_dimensions_[i]);
  std::size_t at = 0;
  for (Constraint& constraint : model_.constraints)
    for (ConstraintRow& row : constraint.rows) row.dimension = solver.value(row_dimensions_[at++]);
}

}  // namespace dalembert::modelfile
