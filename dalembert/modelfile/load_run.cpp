// SPDX-License-Identifier: Apache-2.0
// Reads inputs and initial values, and fills in the dimensions that the formulas determine.
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "dalembert/base/constant.h"
#include "dalembert/base/text.h"
#include "dalembert/expr/lexer.h"
#include "dalembert/expr/visit.h"
#include "dalembert/model/initial_values.h"
#include "dalembert/model/roles.h"
#include "dalembert/modelfile/csv.h"
#include "dalembert/modelfile/load.h"
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

// Units of inputs that `--set` or the header of a table gives, after the forces: what the model says of a unit comes first, so that the other
// one is blamed.
void Loader::check_given_inputs() {
  for (const GivenInput& one : given_inputs_)
    if (!names_.dimensions().equate(one.unit, one.given))
      report(error("E0203", fmt::format("`{}` cannot be in `{}`", one.name, unit_name(one.given, Measure::kForce)),
                   one.place));
}

void Loader::read_input(const Entry& entry, Input& input) {
  const DimensionTerm& unit = input_dimensions_[static_cast<std::size_t>(&input - model_.inputs.data())];
  if (const Override* set = override_for(input.name)) {
    // The value is a quantity ("0.3 N*m") or an expression of t.
    const auto number = parse_constant(set->value);
    if (number) {
      model_.set_input(input.name, model_.constant(Rational::from_double(number->value)));
      if (number->dimension) given_inputs_.push_back({input.name, unit, *number->dimension, set->value.span()});
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
  if (entry.node.is(Node::Type::kTable)) {
    if (auto samples = samples_of(entry)) {
      if (samples->dimension) given_inputs_.push_back({input.name, unit, *samples->dimension, samples->place});
      model_.set_samples(input.name, std::move(samples->time), std::move(samples->value));
    }
    return;
  }
  const Written text{&entry.node, {}};
  const Lowered lowered = names_.lower(text, Role::kInput);
  if (!lowered.value) return;
  expect(lowered, unit, fmt::format("the input `{}`", input.name), text, Measure::kForce);
  model_.here = names_.text_span(text);
  model_.set_input(input.name, lowered.value);
}

// Whether a regular file lies outside of a folder, after symbolic links are resolved. False if there is no such file.
#if defined(__wasi__)
bool is_outside(const std::string& /*file*/, const std::string& /*folder*/) {
  return false;  // under WASI the host opens only files in the folders that it grants
}
#else
bool is_outside(const std::string& file, const std::string& folder) {
  using Text = std::unique_ptr<char, void (*)(void*)>;
  const Text real(::realpath(file.c_str(), nullptr), std::free);
  const Text root(::realpath(folder.empty() ? "." : folder.c_str(), nullptr), std::free);
  struct stat about {};
  if (!real || !root || ::stat(real.get(), &about) != 0 || !S_ISREG(about.st_mode))
    return false;  // the error is reported by SampleFiles::read()
  const std::filesystem::path inner(real.get()), outer(root.get());
  return std::ranges::mismatch(outer, inner).in1 != outer.end();
}
#endif

// The samples of `{file = …, column = …}`; nothing if they cannot be read, which is reported.
std::optional<Samples> Loader::samples_of(const Entry& entry) {
  const Node* file = entry.node.find("file");
  const Node* column = entry.node.find("column");
  if (!file || !column) return std::nullopt;
  if (file->text.text.empty() || file->text.text.find('\0') != std::string::npos) {
    Diagnostic problem = error("E0502", "the name of the file is empty", document_.span(*file));
    problem.help.push_back("name a CSV file beside the model: `file = \"samples.csv\"`");
    report(std::move(problem));
    return std::nullopt;
  }
  const std::string path = (std::filesystem::path(options_.directory) / file->text.text).string();
  if (!options_.allow_files && is_outside(path, options_.directory)) {
    Diagnostic problem =
        error("E0509", fmt::format("`{}` lies outside of the model's folder", dalembert::shown(file->text.text)),
              file->text.span());
    problem.help.push_back(
        "copy it beside the model; `--allow-files` (in Python `allow_files=True`) trusts the model with any file");
    report(std::move(problem));
    return std::nullopt;
  }
  auto samples = sample_files_.read(path, column->text.text, file->text.span(), column->text.span());
  if (!samples) {
    report_all(samples.diagnostics());
    return std::nullopt;
  }
  model_.here = file->text.span();
  return std::move(samples).value();
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
  check_quaternions();
}

// Reads `"top.omega.x" = "3 rad/s"` in a table of velocities or guesses. False: the key is not an angular velocity.
bool Loader::read_angular_velocity(std::string_view table, const Entry& entry, const std::string& key,
                                   const Indices& indices) {
  const std::vector<VelocityPlace> places = model_.velocity_places();
  const auto found = std::ranges::find_if(
      places, [&](const VelocityPlace& place) { return place.quaternion >= 0 && model_.velocity_name(place) == key; });
  if (found == places.end()) return false;
  const Span place = document_.key_span(entry);
  if (table == "position") {
    report(error("E0012", "a velocity belongs in `velocity`, not in `position`", place));
    diagnostics_.back().help.push_back(fmt::format("write `velocity = {{\"{}\" = …}}`", key));
    return true;
  }
  const Dimension per_time = Dimension::none() / Dimension::time();
  const auto value = initial_value(entry, key, indices, per_time, per_time);
  if (!value) return true;
  auto& values = table == "velocity" ? model_.initial.angular : model_.initial.angular_guess;
  const int index = 3 * found->quaternion + found->axis;
  if (std::ranges::find(values, index, &InitialValue::coordinate) != values.end())
    report(error("E0008", fmt::format("`{}` has two initial values", key), place));
  values.push_back({index, value->value, entry.node.text.span(), value->formula});
  return true;
}

// Reports an error for rates of a quaternion's coordinates, because they are not velocities of the motion.
bool Loader::refuse_rate_of_quaternion(int coordinate, const Span& place) {
  for (const FrameQuaternion& quaternion : model_.quaternions) {
    if (coordinate < quaternion.first || coordinate >= quaternion.first + 4) continue;
    report(error("E0251", fmt::format("the velocities of `{}` are components of an angular velocity", quaternion.frame),
                 place));
    diagnostics_.back().help.push_back(fmt::format(
        "write `velocity = {{\"{0}.omega.x\" = …, \"{0}.omega.y\" = …, \"{0}.omega.z\" = …}}`, along the axes of `{0}`",
        quaternion.frame));
    return true;
  }
  return false;
}

// Warns of initial quaternions whose norm is not 1: initial_state() scales them, as their components may be formulas of parameters that change. A norm of 0 is an error.
void Loader::check_quaternions() {
  for (const FrameQuaternion& quaternion : model_.quaternions) {
    double squares = 0;
    std::vector<InitialValue*> given;
    for (auto* values : {&model_.initial.position_guess, &model_.initial.position})
      for (InitialValue& value : *values)
        if (value.coordinate >= quaternion.first && value.coordinate < quaternion.first + 4) given.push_back(&value);
    if (given.empty()) continue;
    for (const InitialValue* value : given) squares += value->value * value->value;
    const double norm = std::sqrt(squares);
    const Span place = given.front()->span;
    if (!(norm > 0)) {
      report(error("E0251", fmt::format("the quaternion of `{}` has initial norm 0", quaternion.frame), place));
      diagnostics_.back().help.push_back("the unrotated attitude is (1, 0, 0, 0)");
      continue;
    }
    constexpr double kRounded = 1e-12;
    if (std::abs(norm - 1) > kRounded)
      report(warning("W0105",
                     fmt::format("the quaternion of `{}` has initial norm {}: it is normalised", quaternion.frame,
                                 to_text(norm, std::abs(norm - 1) < 1e-5 ? 13 : 6)),
                     place));
    // Components that are not given are 0, including the scalar part. Must be last, because `given` points into the list.
    const bool scalar =
        std::ranges::any_of(given, [&](const InitialValue* v) { return v->coordinate == quaternion.first; });
    if (!scalar) model_.initial.position.push_back({quaternion.first, 0, place});
  }
}

namespace {

bool is_range_text(const Node& node) {
  return node.is(Node::Type::kString) && node.text.text.find("..") != std::string::npos;
}

}  // namespace

// The tables of initial values under a key: one table or an array of tables, each of which `for` may repeat.
std::vector<Instance> Loader::initial_tables(const Node& node) {
  std::vector<Instance> all;
  if (node.is(Node::Type::kTable)) {
    // In a single table `for` may also be the name of a coordinate.
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

// The key with its `{…}` replaced; nothing if an error was reported.
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
  if (read_angular_velocity(table, entry, *key, indices)) return;
  const RateName name = rate_name(*key);
  if (names_.name(name.coordinate).state == Meaning::State::kSilent) return;
  const int index = model_.coordinate_index(name.coordinate);
  if (index >= 0 && (table == "velocity" || name.rate) && refuse_rate_of_quaternion(index, place)) return;
  if (index < 0 && read_initial_quasi_velocity(table, entry, *key, indices, given)) return;
  if (index < 0) {
    if (!reported_entries_.insert(&entry.node).second) return;
    Diagnostic problem = error("E0102", fmt::format("unknown coordinate `{}`", name.coordinate), place);
    std::vector<std::string> known;
    for (const Coordinate& coordinate : model_.coordinates) known.push_back(coordinate.name);
    const std::string rate =
        rate_meant(name.coordinate, [&](const std::string& one) { return model_.coordinate_index(one) >= 0; });
    if (rate.ends_with("''"))
      problem.help.push_back("an initial value is a position or a velocity: accelerations follow from the equations");
    else if (!rate.empty())
      problem.help.push_back(
          fmt::format("write `velocity = {{{} = …}}` for its rate", rate.substr(0, rate.size() - 1)));
    else if (const auto similar = nearest(name.coordinate, known))
      problem.help.push_back(fmt::format("did you mean `{}`?", *similar));
    else if (known.size() <= kMostNamed)
      problem.help.push_back(
          fmt::format("the coordinates are {}; in `velocity` they stand for their rates", join_words(known)));
    return report(std::move(problem));
  }
  if (table == "position" && name.rate) {
    Diagnostic problem = error("E0012", "a velocity belongs in `velocity`, not in `position`", place);
    problem.help.push_back(fmt::format("write `velocity = {{{} = …}}`", name.coordinate));
    return report(std::move(problem));
  }
  const bool rate = table == "velocity" || name.rate;
  const DimensionTerm& own = coordinate_dimensions_[static_cast<std::size_t>(index)];
  const auto& unit = model_.coordinates[static_cast<std::size_t>(index)].dimension;
  const auto value = initial_value(entry, *key, indices, rate ? own / DimensionTerm(Dimension::time()) : own,
                                   unit && rate ? std::optional(*unit / Dimension::time()) : unit);
  if (!value) return;
  if (!(rate ? given.rates : given.positions).insert(index).second)
    report(error("E0008", fmt::format("`{}` has two initial values", *key), place));
  (rate ? velocity : position).push_back({index, value->value, entry.node.text.span(), value->formula});
}

namespace {

// Whether the text is certainly not a number with a unit, not even one with a typing error.
bool looks_like_formula(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t+-");
  if (first == std::string_view::npos) return false;
  return text.find('{') != std::string_view::npos || text[first] == '(' || is_identifier(text.substr(first, 1));
}

// Whether there is an operator behind the first number: "1000 + h", "2*pi".
bool has_operator(std::string_view text) {
  const auto is_one_of = [](const Token& token, std::string_view signs) {
    return token.kind == TokenKind::kSign && signs.find(token.sign) != std::string_view::npos;
  };
  Token token = next_token(text, 0);
  while (is_one_of(token, "+-")) token = next_token(text, token.end);
  for (; token.kind != TokenKind::kEnd; token = next_token(text, token.end))
    if (is_one_of(token, "+-*/^(")) return true;
  return false;
}

}  // namespace

// An initial value: a number with a unit, or an expression of numbers and parameters ("0.1*{i}", "-L/2").
std::optional<Loader::InitialNumber> Loader::initial_value(const Entry& entry, const std::string& key,
                                                           const Indices& indices, const DimensionTerm& own,
                                                           const std::optional<Dimension>& wanted) {
  const MappedText& text = entry.node.text;
  if (looks_like_formula(text.text) || (!parse_quantity(text) && has_operator(text.text))) {
    const Written written{&entry.node, indices};
    const Lowered lowered = names_.lower(written, Role::kInitial);
    if (!lowered.value) return std::nullopt;
    expect(lowered, own, fmt::format("`{}`", key), written, Measure::kAngle);
    const double value = value_of(lowered.value);
    if (std::isfinite(value)) return InitialNumber{value, lowered.value};
    report(error("E0108", fmt::format("`{}` is not a finite number", key), text.span()));
    return std::nullopt;
  }
  const auto value = quantity(text, wanted, key, Measure::kAngle);
  if (!value) return std::nullopt;
  // A coordinate without a unit takes the unit of its initial value.
  if (value->dimension && !wanted && !names_.dimensions().equate(own, *value->dimension))
    report(error("E0203", fmt::format("`{}` cannot be in `{}`", key, unit_name(*value->dimension, Measure::kAngle)),
                 text.span()));
  return InitialNumber{value->value, {}};
}

// The value of an expression of numbers and parameters.
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
  // A value cannot be both held and free.
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

// Reads `u = "0.3 m/s"` in a table of velocities, where u is one of [quasi_velocities]. False: no quasi-velocity has this name.
bool Loader::read_initial_quasi_velocity(std::string_view table, const Entry& entry, const std::string& key,
                                         const Indices& indices, Given& given) {
  const auto& all = model_.quasi_velocities;
  const auto found = std::ranges::find(all, key, &QuasiVelocity::name);
  if (found == all.end()) return false;
  const Span place = document_.key_span(entry);
  if (table != "velocity") {
    Diagnostic problem = error("E0012", "a quasi-velocity belongs in `velocity`", place);
    problem.help.push_back(fmt::format("write `velocity = {{{} = …}}`", key));
    report(std::move(problem));
    return true;
  }
  const int index = static_cast<int>(found - all.begin());
  const DimensionTerm& own = quasi_velocity_dimensions_[static_cast<std::size_t>(index)];
  const auto value = initial_value(entry, key, indices, own, names_.dimensions().value(own));
  if (!value) return true;
  if (!given.quasi_velocities.insert(index).second)
    report(error("E0008", fmt::format("`{}` has two initial values", key), place));
  model_.initial.quasi_velocity.push_back({index, value->value, entry.node.text.span(), value->formula});
  return true;
}

// Applies `--set` of positions and velocities, which are held then.
void Loader::apply_initial_overrides() {
  for (const Override& set : options_.overrides) {
    if (used_overrides_.contains(set.name)) continue;
    std::optional<InitialPlace> place = find_initial(model_, set.name);
    if (!place) continue;
    const Override& last = *override_for(set.name);
    if (place->kind == InitialPlace::Kind::kQuasiVelocity)
      place->dimension = names_.dimensions().value(quasi_velocity_dimensions_[static_cast<std::size_t>(place->index)]);
    if (const auto value = quantity(last.value, place->dimension, set.name, Measure::kAngle))
      hold(model_.initial, *place, value->value, last.value.span());
  }
}

// Fills in dimensions that were not stated but follow from the formulas.
void Loader::fill_dimensions() {
  const DimensionSolver& solver = names_.dimensions();
  if (!solver.on()) return;
  for (std::size_t i = 0; i < model_.coordinates.size(); ++i)
    model_.coordinates[i].dimension = solver.value(coordinate_dimensions_[i]);
  for (std::size_t i = 0; i < model_.parameters.size(); ++i)
    model_.parameters[i].dimension = solver.value(parameter_dimensions_[i]);
  for (std::size_t i = 0; i < model_.inputs.size(); ++i)
    model_.inputs[i].dimension = solver.value(input_dimensions_[i]);
  for (std::size_t i = 0; i < model_.quasi_velocities.size(); ++i)
    model_.quasi_velocities[i].dimension = solver.value(quasi_velocity_dimensions_[i]);
  for (std::size_t i = 0; i < model_.outputs.size(); ++i)
    model_.outputs[i].dimension = solver.value(output_dimensions_[i]);
  for (Output& definition : model_.definitions)
    definition.dimension = solver.value(names_.find(Definition::Kind::kDefine, definition.name)->result.dimension);
  for (std::size_t i = 0; i < model_.integrals.size(); ++i)
    model_.integrals[i].dimension = solver.value(names_.dimension_of_integral(i));
  std::size_t at = 0;
  for (Constraint& constraint : model_.constraints)
    for (ConstraintRow& row : constraint.rows) row.dimension = solver.value(row_dimensions_[at++]);
  for (std::size_t i = 0; i < model_.frictions.size(); ++i)
    model_.frictions[i].force_dimension = solver.value(friction_dimensions_[i]);
}

}  // namespace dalembert::modelfile
