// SPDX-License-Identifier: Apache-2.0
// Reads texts, integers, parameters and coordinates: everything that is not an expression.
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "dalembert/base/constant.h"
#include "dalembert/base/text.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/modelfile/loader.h"
#include "dalembert/modelfile/schema.h"

namespace dalembert::modelfile {

void Loader::read_texts() {
  if (const Node* node = section("name")) model_.name = node->text.text;
  if (const Node* node = section("description")) model_.description = node->text.text;
  if (const Node* node = section("reference")) model_.reference = node->text.text;
}

// An unknown section is an error already, so names that it declares get no further errors.
void Loader::silence_unknown_sections() {
  for (const Entry& entry : document_.root.entries)
    if (!find_section(entry.key))
      for (const Entry& inner : entry.node.entries) names_.add_silent(inner.key);
}

void Loader::read_structure() {
  const Node* structure = section("structure");
  if (!structure) return;
  for (const Entry& entry : structure->entries) {
    if (!usable_name(entry.key, document_.key_span(entry), "integer")) continue;
    if (entry.node.bad) {
      names_.add_silent(entry.key);
      continue;
    }
    std::int64_t value = entry.node.integer;
    if (const Override* set = override_for(entry.key)) {
      const auto number = Rational::parse(set->value.text);
      const auto integer = number ? number->as_int() : std::nullopt;
      if (integer)
        value = *integer;
      else
        report(error("E0006", fmt::format("`{}` should be an integer", entry.key), set->value.span()));
    }
    names_.add_integer(entry.key, value);
  }
}

std::optional<Quantity> Loader::quantity(const MappedText& text, const std::optional<Dimension>& wanted,
                                         std::string_view what, Measure measure) {
  const auto parsed = parse_constant(text);
  if (!parsed) {
    Diagnostics problems = parsed.diagnostics();
    // A parameter that is a formula of others, which has no dimension that it must have.
    const bool formula = !wanted && text.text.find_first_of("*/+-^(") != std::string::npos &&
                         std::isalpha(static_cast<unsigned char>(text.text.front())) != 0;
    if (formula && problems.size() == 1 && problems.front().help.empty())
      problems.front().help.push_back(
          fmt::format("a formula of parameters belongs in [define]: {} = \"{}\"", what, text.text));
    report_all(std::move(problems));
    return std::nullopt;
  }
  if (!std::isfinite(parsed->value)) {
    report(error("E0108", fmt::format("`{}` is out of range", what), text.span()));
    return std::nullopt;
  }
  if (wanted && parsed->dimension && !(*wanted == *parsed->dimension)) {
    const std::string other = unit_name(*wanted, measure), mine = unit_name(*parsed->dimension, Measure::kAngle);
    report(error("E0203",
                 fmt::format("`{}` must be {}, not in `{}`", what,
                             other == "1" ? std::string("a pure number") : "in `" + other + "`", mine),
                 text.span()));
    return std::nullopt;
  }
  return *parsed;
}

namespace {

// The text at a key of a table; "" if there is none.
std::string text_in(const Node& table, std::string_view key) {
  const Node* node = table.is(Node::Type::kTable) ? table.find(key) : nullptr;
  return node && !node->bad ? node->text.text : std::string();
}

}  // namespace

const Node& value_of_parameter(const Node& node) {
  const Node* value = node.is(Node::Type::kTable) ? node.find("value") : nullptr;
  return value ? *value : node;
}

void Loader::read_parameters() {
  const Node* parameters = section("parameters");
  struct Read {
    const Entry* entry;
    Quantity value;
    std::string latex, meaning, unit;
  };
  std::vector<Read> read;
  if (parameters) {
    for (const Entry& entry : parameters->entries) {
      const Span place = document_.key_span(entry);
      if (!usable_name(entry.key, place, "parameter")) continue;
      const Node& written = value_of_parameter(entry.node);
      auto value = entry.node.bad || written.is(Node::Type::kTable) ? std::nullopt
                                                                    : quantity(written.text, std::nullopt, entry.key);
      if (const Override* set = override_for(entry.key)) {
        const auto other = quantity(set->value, value ? value->dimension : std::nullopt, entry.key);
        if (other && value && !other->dimension) warn_of_missing_unit(*set, written, *value);
        if (other && value) value->value = other->value;
        if (other && value && !value->dimension) value->dimension = other->dimension;
      }
      if (value)
        read.push_back({&entry, *value, text_in(entry.node, "latex"), text_in(entry.node, "meaning"),
                        parse_quantity(written.text) ? unit_text(written.text.text) : ""});
      else
        names_.add_silent(entry.key);
    }
  }
  // If any parameter or coordinate has a unit, dimensions are compared in the whole model.
  bool units = false;
  for (const Read& item : read) units = units || item.value.dimension;
  if (const Node* coordinates = section("coordinates"))
    for (const Node& item : coordinates->items) units = units || item.find_entry("unit");
  model_.has_units = units;
  names_.use_dimensions(units);

  for (const Read& item : read) {
    model_.here = document_.key_span(*item.entry);
    const std::size_t before = model_.parameters.size();
    const Expr symbol = model_.parameter(item.entry->key, item.value.value, {}, item.latex);
    if (model_.parameters.size() == before) continue;
    model_.parameters.back().meaning = item.meaning;
    model_.parameters.back().dimension = item.value.dimension;
    model_.parameters.back().plain = !item.value.dimension;
    model_.parameters.back().unit = item.unit;
    const DimensionTerm dimension =
        item.value.dimension ? DimensionTerm(*item.value.dimension) : names_.dimensions().fresh();
    parameter_dimensions_.push_back(dimension);
    names_.add_known(item.entry->key, Meaning::known(symbol, dimension, true), model_.here);
  }
}

// The dimension of a coordinate's unit, which must be an SI unit; nothing if an error was reported.
std::optional<Dimension> Loader::read_coordinate_unit(const Node& node) {
  const auto unit = parse_unit(node.text);
  if (!unit) {
    report_all(unit.diagnostics());
  } else if (std::abs(unit->factor - 1) > 1e-12) {
    Diagnostic problem =
        error("E0217", fmt::format("a coordinate cannot be in `{}`", node.text.text), node.text.span());
    problem.help.push_back(fmt::format("coordinates are in SI: write `{}`; values may carry any unit (`\"30 deg\"`)",
                                       unit->dimension.dimensionless() ? "rad" : unit_name(unit->dimension)));
    report(std::move(problem));
  } else {
    return unit->dimension;
  }
  return std::nullopt;
}

// Reads a coordinate: a name, or a table for one value of its index.
void Loader::read_coordinate(const Node& item, const Instance& instance) {
  const bool plain = item.is(Node::Type::kString);
  const Node* name_node = plain ? &item : item.find("name");
  const auto name = text_of(name_node, instance.indices);
  if (!name) return;
  const Span place = name_node->text.span();
  if (!usable_name(*name, place, "coordinate")) {
    names_.add_silent(*name);
    return;
  }
  const Node* latex = plain ? nullptr : item.find("latex");
  const Node* unit = plain ? nullptr : item.find("unit");
  const std::optional<Dimension> dimension = unit ? read_coordinate_unit(*unit) : std::nullopt;
  if (names_.integer(*name)) {
    report(error("E0008", fmt::format("the name `{}` is used twice", *name), place, "also in [structure]"));
    return;
  }
  model_.here = place;
  const std::size_t before = model_.coordinates.size();
  const Coordinate made = model_.coordinate(*name, {}, latex ? text_of(latex, instance.indices).value_or("") : "");
  if (model_.coordinates.size() == before) return;
  model_.coordinates.back().dimension = dimension;
  const DimensionTerm term = dimension ? DimensionTerm(*dimension) : names_.dimensions().fresh();
  coordinate_dimensions_.push_back(term);
  Meaning meaning = Meaning::known(made.q, term);
  meaning.velocity = made.qd;
  meaning.acceleration = made.qdd;
  names_.add_known(*name, meaning, plain ? place : Span{document_.source, item.begin, item.begin});
}

void Loader::read_coordinates() {
  const Node* coordinates = section("coordinates");
  const Entry* entry = document_.root.find_entry("coordinates");
  if (!entry || (coordinates && coordinates->items.empty())) {
    Diagnostic problem = error("E0004", "the model has no coordinates",
                               entry ? document_.span(entry->node) : Span{document_.source, 0, 0});
    problem.help.push_back("write `coordinates = [{name = \"theta\", unit = \"rad\"}]` at the top of the file");
    report(std::move(problem));
    return;
  }
  if (!coordinates) return;
  for (const Node& item : coordinates->items) {
    if (item.bad) {
      // The name of a coordinate with an error is still declared, so that its uses give no further errors.
      if (const Node* name = item.find("name")) names_.add_silent(name->text.text);
      continue;
    }
    if (item.is(Node::Type::kString))
      read_coordinate(item, {&item, {}});
    else
      for (const Instance& instance : expand(item)) read_coordinate(item, instance);
  }
  if (model_.coordinates.empty() && !has_errors(diagnostics_) && !has_errors(model_.diagnostics()))
    report(error("E0004", "the model has no coordinates", document_.span(*coordinates), "this list is empty"));
}

void Loader::declare_inputs() {
  const Node* inputs = section("inputs");
  if (!inputs) return;
  for (const Entry& entry : inputs->entries) {
    model_.here = document_.key_span(entry);
    if (!usable_name(entry.key, model_.here, "input")) continue;
    const std::size_t before = model_.inputs.size();
    const bool table = entry.node.is(Node::Type::kTable);
    const Expr symbol = table && is_spline(entry.node) ? model_.spline_input(entry.key) : model_.input(entry.key);
    if (model_.inputs.size() == before) continue;
    DimensionTerm dimension = names_.dimensions().fresh();
    Meaning meaning = Meaning::known(symbol, dimension, true);
    meaning.velocity = model_.inputs[before].rate;
    if (meaning.velocity) meaning.acceleration = model_.inputs[before + 1].rate;
    names_.add_known(entry.key, meaning, model_.here);
    model_.inputs[before].table = table;
    for (std::size_t i = before; i < model_.inputs.size(); ++i) {
      input_dimensions_.push_back(dimension);
      dimension = dimension / DimensionTerm(Dimension::time());
    }
  }
}

bool Loader::is_spline(const Node& table) {
  const Node* key = table.find("interpolation");
  if (!key || key->text.text == "linear") return false;
  if (key->text.text == "spline") return true;
  Diagnostic problem =
      error("E0006", fmt::format("`interpolation` should be `linear` or `spline`, not `{}`", key->text.text),
            document_.span(*key));
  problem.help.push_back("`linear` joins the samples by straight lines; `spline` draws a smooth curve through them");
  report(std::move(problem));
  return false;
}

void Loader::read_simulation() {
  const Node* simulation = section("simulation");
  if (!simulation) return;
  for (const Entry& entry : simulation->entries) model_.simulation.places[entry.key] = document_.span(entry.node);
  for (const Setting& setting : kSettings) {
    const Node* node = simulation->find(setting.key);
    if (!node) continue;
    if (setting.name) {
      model_.simulation.*setting.name = node->text.text;
      continue;
    }
    const auto read = quantity(node->text, setting.dimension(), setting.key);
    if (!read) continue;
    if (setting.positive && read->value <= 0)
      report(error("E0006", fmt::format("`{}` should be above zero", setting.key), document_.span(*node)));
    else
      model_.simulation.*setting.number = read->value;
  }
}

// What [study] says is kept as text: names and units are looked up when a study is made.
void Loader::read_study() {
  const Node* study = section("study");
  if (!study) return;
  StudyStatement& stated = model_.study;
  const auto texts = [&](const char* key, std::vector<StudyStatement::Named>& into) {
    const Node* table = study->find(key);
    if (table && !table->bad)
      for (const Entry& entry : table->entries)
        if (!entry.node.bad) into.push_back({entry.key, entry.node.text, document_.key_span(entry)});
  };
  texts("vary", stated.vary);
  texts("sample", stated.sample);
  texts("measure", stated.measure);
  if (const Node* runs = study->find("runs"); runs && !runs->bad) stated.runs = runs->integer;
  if (const Node* seed = study->find("seed"); seed && !seed->bad) stated.seed = seed->integer;
  if (const Node* sampling = study->find("sampling"); sampling && !sampling->bad) stated.sampling = sampling->text.text;
  for (const Entry& entry : study->entries) stated.places[entry.key] = document_.span(entry.node);
}

}  // namespace dalembert::modelfile
