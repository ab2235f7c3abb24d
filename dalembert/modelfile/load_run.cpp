// SPDX-License-Identifier: Apache-2.0
// Inputs and initial values, and the dimensions that the formulas determined.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/expr/visit.h"
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
      model_.set_input(input.name, model_.constant(Rational::from_double(number->value)));
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
    model_.here = set->value.span();
    model_.set_input(input.name, lowered.value);
    return;
  }
  if (entry.node.bad) return;
  if (entry.node.is(Node::Type::kTable)) return read_table(entry, input.name);
  const Written text{&entry.node, {}};
  const Lowered lowered = names_.lower(text, Role::kInput);
  if (!lowered.value) return;
  expect(lowered, unit, fmt::format("the input `{}`", input.name), text, Measure::kForce);
  model_.here = names_.text_span(text);
  model_.set_input(input.name, lowered.value);
}

void Loader::read_table(const Entry& entry, const std::string& name) {
  const Node* file = entry.node.find("file");
  const Node* column = entry.node.find("column");
  if (!file || !column) return;
  if (file->text.text.empty() || file->text.text.find('\0') != std::string::npos)
    return report(error("E0502", "the name of the file is empty", document_.span(*file)));
  const std::string path = (std::filesystem::path(options_.directory) / file->text.text).string();
  auto samples = read_samples(path, column->text.text, file->text.span(), column->text.span(), table_bytes_);
  if (!samples) return report_all(samples.diagnostics());
  model_.here = file->text.span();
  model_.set_samples(name, std::move(samples->time), std::move(samples->value));
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

bool is_range_text(const Node& node) {
  return node.is(Node::Type::kString) && node.text.text.find("..") != std::string::npos;
}

void erase_coordinate(std::vector<InitialValue>& values, int coordinate) {
  std::erase_if(values, [=](const InitialValue& value) { return value.coordinate == coordinate; });
}

}  // namespace

// The tables of a key: one, or an array of them; each may be repeated.
std::vector<Instance> Loader::initial_tables(const Node& node) {
  std::vector<Instance> all;
  if (node.is(Node::Type::kTable)) {
    // In a table by itself `for` may also be a coordinate.
    const Node* repeat = node.find("for");
    return !repeat || is_range_text(*repeat) ? expand(node) : std::vector<Instance>{{&node, {}}};
  }
  for (const Node& item : node.items) std::ranges::move(expand(item), std::back_inserter(all));
  return all;
}

void Loader::read_initial_table(const char* key, std::vector<InitialValue>& position,
                                std::vector<InitialValue>& velocity) {
  const Node* node = section("initial")->find(key);
  if (!node || node->bad) return;
  Given given;
  for (const InitialValue& other : position) given.positions.insert(other.coordinate);
  for (const InitialValue& other : velocity) given.rates.insert(other.coordinate);
  for (const Instance& table : initial_tables(*node)) {
    for (const Entry& entry : table.node->entries) {
      const bool repeats = entry.key == "for" && (node->is(Node::Type::kArray) || is_range_text(entry.node));
      if (!entry.node.bad && !repeats) read_initial_value(key, entry, table.indices, position, velocity, given);
    }
  }
  if (std::string_view(key) == "guess") refuse_held_guesses(position, velocity);
}

// A key with its braces replaced; nothing after a report.
std::optional<std::string> Loader::key_text(const Entry& entry, const Indices& indices) {
  if (entry.key.find('{') == std::string::npos) return entry.key;
  const std::string& text = document_.source->text();
  const bool quoted = text[entry.key_begin] == '"' || text[entry.key_begin] == '\'';
  const auto key =
      MappedText::verbatim(document_.source, entry.key_begin + (quoted ? 1 : 0), entry.key_end - (quoted ? 1 : 0));
  const auto replaced = replace_indices(key, names_, indices);
  if (replaced) return replaced->text;
  if (reported_entries_.insert(&entry.node).second) report_all(replaced.diagnostics());
  return std::nullopt;
}

void Loader::read_initial_value(std::string_view table, const Entry& entry, const Indices& indices,
                                std::vector<InitialValue>& position, std::vector<InitialValue>& velocity,
                                Given& given) {
  const Span place = document_.key_span(entry);
  const auto key = key_text(entry, indices);
  if (!key) return;
  const RateName name = rate_name(*key);
  if (names_.name(name.coordinate).state == Meaning::State::kSilent) return;
  const int index = model_.coordinate_index(name.coordinate);
  if (index < 0) {
    if (!reported_entries_.insert(&entry.node).second) return;
    Diagnostic problem = error("E0102", fmt::format("unknown coordinate `{}`", name.coordinate), place);
    std::vector<std::string> known;
    for (const Coordinate& coordinate : model_.coordinates) known.push_back(coordinate.name);
    if (const auto similar = nearest(name.coordinate, known))
      problem.help.push_back(fmt::format("did you mean `{}`?", *similar));
    return report(std::move(problem));
  }
  if (table == "position" && name.rate) {
    Diagnostic problem = error("E0012", "a velocity among the positions", place);
    problem.help.push_back(fmt::format("write `velocity = {{{} = …}}`", name.coordinate));
    return report(std::move(problem));
  }
  const bool rate = table == "velocity" || name.rate;
  const auto value = initial_value(entry, *key, indices, index, rate);
  if (!value) return;
  if (!(rate ? given.rates : given.positions).insert(index).second)
    report(error("E0008", fmt::format("`{}` has two initial values", *key), place));
  (rate ? velocity : position).push_back({index, *value, entry.node.text.span()});
}

namespace {

// What cannot be meant as a number with a unit, but for its mistakes.
bool looks_like_formula(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t+-");
  if (first == std::string_view::npos) return false;
  return text.find('{') != std::string_view::npos || text[first] == '(' || is_identifier(text.substr(first, 1));
}

}  // namespace

// A number with a unit, or an expression of numbers and parameters: "0.1*{i}", "-L/2".
std::optional<double> Loader::initial_value(const Entry& entry, const std::string& key, const Indices& indices,
                                            int coordinate, bool rate) {
  const MappedText& text = entry.node.text;
  const DimensionTerm& own = coordinate_dimensions_[static_cast<std::size_t>(coordinate)];
  if (looks_like_formula(text.text) ||
      (!parse_quantity(text) && text.text.find_first_of("*/^(") != std::string::npos)) {
    const Written written{&entry.node, indices};
    const Lowered lowered = names_.lower(written, Role::kInitial);
    if (!lowered.value) return std::nullopt;
    expect(lowered, rate ? own / DimensionTerm(Dimension::time()) : own, fmt::format("`{}`", key), written,
           Measure::kAngle);
    const double value = value_of(lowered.value);
    if (std::isfinite(value)) return value;
    report(error("E0108", fmt::format("`{}` is not a finite number", key), text.span()));
    return std::nullopt;
  }
  const auto& unit = model_.coordinates[static_cast<std::size_t>(coordinate)].dimension;
  const std::optional<Dimension> wanted = unit && rate ? std::optional(*unit / Dimension::time()) : unit;
  const auto value = quantity(text, wanted, key, Measure::kAngle);
  if (!value) return std::nullopt;
  // A coordinate without a unit of its own takes it from here.
  if (value->dimension && !wanted &&
      !names_.dimensions().equate(own, rate ? *value->dimension * Dimension::time() : *value->dimension))
    report(error("E0203", fmt::format("`{}` cannot be in `{}`", key, unit_name(*value->dimension, Measure::kAngle)),
                 text.span()));
  return value->value;
}

// Of an expression of numbers and parameters.
double Loader::value_of(const Expr& constant) {
  if (parameter_values_.empty())
    for (const Parameter& parameter : model_.parameters)
      parameter_values_.emplace(parameter.symbol.symbol(), parameter.value);
  return evaluate(constant, [&](SymbolId s) {
    const auto found = parameter_values_.find(s);
    return found == parameter_values_.end() ? std::nan("") : found->second;
  });
}

void Loader::refuse_held_guesses(const std::vector<InitialValue>& position, const std::vector<InitialValue>& velocity) {
  // A value cannot be kept and free at once.
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
