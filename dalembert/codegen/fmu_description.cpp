// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/fmu_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "dalembert/base/text.h"
#include "dalembert/base/units.h"
#include "dalembert/codegen/identifiers.h"

namespace dalembert {
namespace {

// A text as an attribute of XML: characters that XML does not allow are left out, white space becomes one blank.
std::string attribute(std::string_view text) {
  std::string result;
  bool blank = false;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    const std::string_view one = text.substr(i, std::max<std::size_t>(length, 1));
    i += one.size();
    const unsigned char c = static_cast<unsigned char>(one[0]);
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      blank = !result.empty();
      continue;
    }
    if (length == 0 || c < 0x20 || one == "\xef\xbf\xbe" || one == "\xef\xbf\xbf") continue;
    if (std::exchange(blank, false)) result += ' ';
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else
      result += one;
  }
  return result;
}

// Whether a name is an identifier of FMI's structured names, which may have an index: pin[1].
bool is_structured(std::string_view name) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  if (name.empty() || !letter(name[0])) return false;
  std::size_t at = 1;
  while (at < name.size() && (letter(name[at]) || digit(name[at]))) ++at;
  if (at == name.size()) return name != "der" && name != "time";
  if (name[at] != '[' || name.back() != ']') return false;
  const std::string_view index = name.substr(at + 1, name.size() - at - 2);
  return !index.empty() && index[0] != '0' && std::ranges::all_of(index, digit);
}

struct FmuUnit {
  std::string name;
  std::optional<Dimension> dimension;  // the unit's dimension, if all its exponents are whole numbers
  int radians = 0;
};

// The exponent of rad in a unit: −1 for "N*m/rad".
int count_radians(std::string_view unit) {
  int count = 0, sign = 1;
  for (std::size_t at = 0; at < unit.size(); ++at) {
    if (unit[at] == '/') sign = -1;
    const bool begins = at == 0 || std::isalpha(static_cast<unsigned char>(unit[at - 1])) == 0;
    if (!begins || unit.substr(at, 3) != "rad") continue;
    int power = 1;
    if (at + 4 < unit.size() && unit[at + 3] == '^') power = std::atoi(std::string(unit.substr(at + 4)).c_str());
    count += sign * power;
  }
  return count;
}

FmuUnit unit_named(const std::string& name) {
  FmuUnit unit{name, std::nullopt, count_radians(name)};
  if (name == "1") {
    unit.dimension = Dimension::none();
  } else if (const Result<Unit> parsed = parse_unit(MappedText::of(name, "<unit>")); parsed && parsed->factor == 1) {
    const auto& exponents = parsed->dimension.exponents;
    if (std::ranges::all_of(exponents, [](double e) { return std::abs(e - std::round(e)) < 1e-9; }))
      unit.dimension = parsed->dimension;
  }
  return unit;
}

// Units, and the name of the quantity that is measured in each.
constexpr std::pair<std::string_view, std::string_view> kQuantities[] = {
    {"m", "Length"},
    {"rad", "Angle"},
    {"s", "Time"},
    {"kg", "Mass"},
    {"m/s", "Velocity"},
    {"rad/s", "AngularVelocity"},
    {"m/s^2", "Acceleration"},
    {"rad/s^2", "AngularAcceleration"},
    {"N", "Force"},
    {"N*m", "Torque"},
    {"J", "Energy"},
    {"W", "Power"},
    {"kg*m^2", "MomentOfInertia"},
};

struct FmuVariable {
  std::string name, causality, variability, initial, unit, description;
  std::optional<double> start;
  std::size_t derivative = 0;  // index of the variable whose derivative this one is; 0: none
  bool whole = false;
};

class Description {
 public:
  Description(const CodeModel& code, const FmuFacts& facts)
      : code_(code), facts_(facts), integrals_(as_size(code.layout().integrals)) {
    list_given();
    list_state();
    list_results();
    list_solver();
  }
  std::string write(const std::string& tool) const;

 private:
  // These add the variables: parameters and inputs; q, v and their rates; results that follow from these; numbers of
  // the solver.
  void list_given();
  void list_state();
  void list_results();
  void list_solver();
  void add(std::string name, FmuVariable variable);
  // Adds a variable that is computed from the others.
  void add_result(std::string name, const char* causality, const char* variability, std::string unit,
                  std::string description);
  // These return the index of the first variable that they add. `states`: that of the variables whose rates are added.
  std::size_t add_states(const std::vector<NamedEntry>& entries, const char* prefix, const char* kind,
                         const std::vector<double>& starts);
  std::size_t add_rates(const std::vector<NamedEntry>& entries, std::size_t states);
  std::string name_of(const NamedEntry& entry, bool with_identifier = true) const;
  std::string head(const std::string& tool) const;
  std::string units() const;
  std::string variables() const;
  std::string structure() const;
  // The attribute `dependencies="…"` of number k of (v̇, λ); empty if it may depend on everything.
  std::string motion_dependencies(std::size_t k) const;

  const CodeModel& code_;
  const FmuFacts& facts_;
  const std::size_t integrals_;  // the last ones of the coordinates
  std::vector<FmuVariable> variables_;
  std::set<std::string> names_;
  // Index (from 1) of the first variable of each group.
  std::size_t parameters_ = 1, inputs_ = 1, q_ = 1, v_ = 1, qdot_ = 1, vdot_ = 1, lambda_ = 1;
};

std::string Description::name_of(const NamedEntry& entry, bool with_identifier) const {
  std::string name = entry.name;
  if (!name.empty() && name.back() == '\'') name.pop_back();
  if (is_structured(name)) return name;
  return with_identifier ? entry.identifier : name;
}

void Description::add(std::string name, FmuVariable variable) {
  const std::string wanted = name;
  for (int k = 2; !names_.insert(name).second; ++k) name = fmt::format("{}_{}", wanted, k);
  variable.name = std::move(name);
  variables_.push_back(std::move(variable));
}

void Description::add_result(std::string name, const char* causality, const char* variability, std::string unit,
                             std::string description) {
  add(std::move(name),
      {{}, causality, variability, "calculated", std::move(unit), std::move(description), std::nullopt});
}

std::string per_second(const std::string& unit) {
  if (unit.empty()) return {};
  if (unit == "1") return "1/s";
  if (unit == "s") return "1";
  if (unit.ends_with("*s")) return unit.substr(0, unit.size() - 2);
  if (unit.ends_with("/s^2")) return unit.substr(0, unit.size() - 1) + "3";
  return unit.ends_with("/s") ? unit + "^2" : unit + "/s";
}

void Description::list_given() {
  parameters_ = variables_.size() + 1;
  for (const NamedEntry& one : code_.parameters) {
    FmuVariable variable{{}, "parameter", "tunable", "exact", one.unit, one.meaning, one.value};
    if (variable.description.empty()) variable.description = "parameter " + one.name;
    add(name_of(one), variable);
  }
  inputs_ = variables_.size() + 1;
  for (std::size_t i = 0; i < code_.inputs.size(); ++i) {
    const NamedEntry& one = code_.inputs[i];
    const std::string& formula = facts_.input_formulas[i];
    add(name_of(one), {{},
                       "input",
                       "continuous",
                       "",
                       one.unit,
                       formula.empty() ? "input " + one.name
                                       : fmt::format("input {}; until it is set it follows {}", one.name, formula),
                       facts_.inputs[i]});
  }
  for (const NamedEntry& one : code_.contacts)
    add_result("contact." + name_of(one), "output", "discrete", "",
               fmt::format("contact {}: 1 while it is closed, 0 while it is open", one.name));
  for (const NamedEntry& one : code_.impulses)
    add_result("impulse." + name_of(one), "output", "discrete", one.unit,
               fmt::format("impulse of the last impact of the contact {}, 0 before the first", one.name));
}

std::size_t Description::add_states(const std::vector<NamedEntry>& entries, const char* prefix, const char* kind,
                                    const std::vector<double>& starts) {
  const std::size_t first = variables_.size() + 1;
  const std::string initial = facts_.has_projection ? "approx" : "exact";
  for (std::size_t i = 0; i < entries.size(); ++i)
    add(prefix + name_of(entries[i]),
        {{}, "output", "continuous", initial, entries[i].unit, kind + entries[i].name, starts[i]});
  return first;
}

std::size_t Description::add_rates(const std::vector<NamedEntry>& entries, std::size_t states) {
  const std::size_t first = variables_.size() + 1;
  for (std::size_t i = 0; i < entries.size(); ++i)
    add(fmt::format("der({})", variables_[states - 1 + i].name), {{},
                                                                  "local",
                                                                  "continuous",
                                                                  "calculated",
                                                                  per_second(entries[i].unit),
                                                                  "rate of " + entries[i].name,
                                                                  std::nullopt,
                                                                  states + i});
  return first;
}

void Description::list_state() {
  q_ = add_states(code_.coordinates, "", "coordinate ", facts_.start.state.q);
  for (std::size_t i = code_.coordinates.size() - integrals_; i < code_.coordinates.size(); ++i)
    variables_[q_ - 1 + i].description = code_.coordinates[i].name + " over the time of the run";
  v_ = add_states(code_.velocities, "velocity.", "velocity ", facts_.start.state.v);
  qdot_ = add_rates(code_.coordinates, q_);
  vdot_ = add_rates(code_.velocities, v_);
}

void Description::list_results() {
  lambda_ = variables_.size() + 1;
  const Names& names = code_.dynamics.names();
  for (std::size_t i = 0; i < code_.rows.size(); ++i) {
    const NamedEntry& row = code_.rows[i];
    const bool driven = i >= names.constraint_rows();
    add_result((driven ? "actuation." : "lambda.") + name_of(row), "output", "continuous", row.unit,
               driven ? fmt::format("generalized force that makes {} follow its function of time", row.name)
                      : "multiplier of the constraint " + row.name);
  }
  for (std::size_t i = 0; i < code_.energies.size(); ++i) {
    const NamedEntry& one = code_.energies[i];
    constexpr std::string_view kMeanings[] = {
        "kinetic energy", "potential energy", "energy: velocities times dL/d(velocity) - L",
        "partial derivative of L with respect to time", "power of the applied forces"};
    const bool energy = i < std::size(kMeanings);
    add_result((energy ? "energy." : "conserved.") + name_of(one), "output", "continuous", one.unit,
               energy ? std::string(kMeanings[i]) : fmt::format("conserved quantity {}", one.name));
  }
  for (const NamedEntry& one : code_.outputs)
    add_result(name_of(one), "output", "continuous", one.unit, "output " + one.name);
  for (const NamedEntry& one : code_.frictions)
    add_result("friction." + name_of(one), "output", "continuous", one.unit, "force of the friction " + one.name);
  for (const NamedEntry& one : code_.events)
    add_result("event." + name_of(one), "output", "discrete", "", "how often the event " + one.name + " has happened");
}

void Description::list_solver() {
  add("solver.drift", {{},
                       "parameter",
                       "tunable",
                       "exact",
                       "",
                       "model exchange: how far a state may drift from the constraints before it is brought back, in "
                       "units of the tolerance",
                       1.0});
  add_result("solver.position_residual", "local", "continuous", "", "largest residual of the position constraints");
  add_result("solver.velocity_residual", "local", "continuous", "", "largest residual of the velocity constraints");
  add_result("solver.steps", "local", "discrete", "", "internal steps of co-simulation so far");
  variables_.back().whole = true;
}

std::string Description::head(const std::string& tool) const {
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription\n  fmiVersion=\"2.0\"\n  modelName=\"{}\"\n"
      "  guid=\"@GUID@\"\n",
      attribute(code_.name));
  if (const std::string description = attribute(code_.description); !description.empty())
    text += fmt::format("  description=\"{}\"\n", description);
  text += fmt::format(
      "  generationTool=\"{}\"\n  variableNamingConvention=\"structured\"\n  numberOfEventIndicators=\"{}\">\n",
      attribute(tool), code_.contacts.size() + 2 * code_.frictions.size() + code_.events.size());
  std::string sources = "    <SourceFiles>\n";
  for (const std::string& file : facts_.sources) sources += fmt::format("      <File name=\"{}\"/>\n", file);
  sources += "    </SourceFiles>\n";
  text += fmt::format(
      "  <ModelExchange modelIdentifier=\"{}\" canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" "
      "providesDirectionalDerivative=\"true\" completedIntegratorStepNotNeeded=\"{}\">\n{}  </ModelExchange>\n",
      code_.identifier, facts_.has_projection ? "false" : "true", sources);
  text += fmt::format(
      "  <CoSimulation modelIdentifier=\"{}\" canHandleVariableCommunicationStepSize=\"true\" "
      "canInterpolateInputs=\"true\" maxOutputDerivativeOrder=\"0\" canGetAndSetFMUstate=\"true\" "
      "canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"true\">\n{}  </CoSimulation>\n",
      code_.identifier, sources);
  return text;
}

std::string Description::units() const {
  std::set<std::string> used;
  for (const FmuVariable& one : variables_)
    if (!one.unit.empty()) used.insert(one.unit);
  if (used.empty()) return {};
  constexpr const char* kBase[] = {"kg", "m", "s", "A", "K", "mol", "cd"};
  std::string text = "  <UnitDefinitions>\n", types;
  for (const std::string& name : used) {
    const FmuUnit unit = unit_named(name);
    std::string inside;
    if (unit.dimension) {
      inside = "      <BaseUnit";
      for (std::size_t i = 0; i < std::size(kBase); ++i)
        if (const long power = std::lround(unit.dimension->exponents[i]); power != 0)
          inside += fmt::format(" {}=\"{}\"", kBase[i], power);
      if (unit.radians != 0) inside += fmt::format(" rad=\"{}\"", unit.radians);
      inside += "/>\n";
    }
    if (name.starts_with("rad"))
      inside += fmt::format("      <DisplayUnit name=\"deg{}\" factor=\"57.29577951308232\"/>\n", name.substr(3));
    text += inside.empty() ? fmt::format("    <Unit name=\"{}\"/>\n", attribute(name))
                           : fmt::format("    <Unit name=\"{}\">\n{}    </Unit>\n", attribute(name), inside);
    for (const auto& [of, quantity] : kQuantities)
      if (of == name)
        types += fmt::format(
            "    <SimpleType name=\"dalembert.{0}\">\n      <Real quantity=\"{0}\" unit=\"{1}\"/>\n    </SimpleType>\n",
            quantity, name);
  }
  text += "  </UnitDefinitions>\n";
  if (!types.empty()) text += "  <TypeDefinitions>\n" + types + "  </TypeDefinitions>\n";
  return text;
}

std::string Description::variables() const {
  std::string text = "  <ModelVariables>\n";
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const FmuVariable& one = variables_[i];
    text += fmt::format(
        "    <!-- {} -->\n    <ScalarVariable name=\"{}\" valueReference=\"{}\" description=\"{}\" "
        "causality=\"{}\" variability=\"{}\"",
        i + 1, attribute(one.name), i, attribute(one.description), one.causality, one.variability);
    if (!one.initial.empty()) text += fmt::format(" initial=\"{}\"", one.initial);
    text += one.whole ? ">\n      <Integer" : ">\n      <Real";
    const auto quantity =
        std::ranges::find(kQuantities, one.unit, [](const auto& pair) { return std::string(pair.first); });
    if (quantity != std::end(kQuantities)) text += fmt::format(" declaredType=\"dalembert.{}\"", quantity->second);
    if (!one.unit.empty()) text += fmt::format(" unit=\"{}\"", attribute(one.unit));
    if (one.derivative != 0) text += fmt::format(" derivative=\"{}\"", one.derivative);
    if (one.start) text += fmt::format(" start=\"{}\"", to_text(*one.start));
    // A state is moved onto the constraints at events.
    if (facts_.has_projection && i + 1 >= q_ && i + 1 < qdot_) text += " reinit=\"true\"";
    text += "/>\n    </ScalarVariable>\n";
  }
  return text + "  </ModelVariables>\n";
}

std::string Description::motion_dependencies(std::size_t k) const {
  if (facts_.jacobian.row.empty()) return {};
  const std::size_t states = code_.coordinates.size() + code_.velocities.size();
  std::set<std::size_t> indices;
  for (std::size_t e = 0; e < facts_.jacobian.row.size(); ++e) {
    if (facts_.jacobian.row[e] != static_cast<int>(k)) continue;
    const std::size_t column = as_size(facts_.jacobian.col[e]);
    if (column >= states + code_.inputs.size()) continue;  // the state of a contact
    indices.insert(column < states ? q_ + column : inputs_ + (column - states));
  }
  return fmt::format(" dependencies=\"{}\"", fmt::join(indices, " "));
}

std::string Description::structure() const {
  const std::size_t outputs_of_rows = lambda_ + code_.rows.size();
  std::string outputs, derivatives, unknowns;
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const FmuVariable& one = variables_[i];
    const std::size_t index = i + 1;
    std::string dependencies;
    if (index >= q_ && index < qdot_)
      dependencies = fmt::format(" dependencies=\"{0}\" dependenciesKind=\"constant\"", index);
    else if (index >= qdot_ && index < vdot_ - integrals_ && code_.layout().v_is_qdot)
      dependencies = fmt::format(" dependencies=\"{0}\" dependenciesKind=\"constant\"", v_ + (index - qdot_));
    else if (index >= vdot_ && index < outputs_of_rows)
      dependencies = motion_dependencies(index - vdot_);
    const std::string unknown = fmt::format("      <Unknown index=\"{}\"", index);
    if (one.causality == "output") outputs += unknown + dependencies + "/>\n";
    if (one.derivative != 0) derivatives += unknown + dependencies + "/>\n";
    // A consistent start depends on everything that is given.
    if ((one.causality == "output" && one.initial != "exact") || one.derivative != 0) {
      std::string at_start;
      if (!facts_.has_projection && index >= qdot_ && index < vdot_ - integrals_ && code_.layout().v_is_qdot)
        at_start = dependencies;
      unknowns += unknown + at_start + "/>\n";
    }
  }
  return "  <ModelStructure>\n    <Outputs>\n" + outputs + "    </Outputs>\n    <Derivatives>\n" + derivatives +
         "    </Derivatives>\n    <InitialUnknowns>\n" + unknowns + "    </InitialUnknowns>\n  </ModelStructure>\n";
}

std::string Description::write(const std::string& tool) const {
  constexpr std::pair<const char*, const char*> kCategories[] = {
      {"logStatusWarning", "warnings about doubtful calls"},
      {"logStatusDiscard", "steps and values that could not be computed"},
      {"logStatusError", "errors; always reported"},
      {"logEvents", "states that were brought back onto the constraints"},
      {"logAll", "all of these"}};
  std::string text = head(tool) + units() + "  <LogCategories>\n";
  for (const auto& [name, description] : kCategories)
    text += fmt::format("    <Category name=\"{}\" description=\"{}\"/>\n", name, description);
  text += fmt::format(
      "  </LogCategories>\n  <DefaultExperiment startTime=\"{}\" stopTime=\"{}\" tolerance=\"{}\" stepSize=\"{}\"/>\n",
      to_text(facts_.start_time), to_text(facts_.stop_time), to_text(facts_.tolerance), to_text(facts_.step));
  return text + variables() + structure() + "</fmiModelDescription>\n";
}

}  // namespace

std::string fmu_description(const CodeModel& code, const FmuFacts& facts, const std::string& tool) {
  return Description(code, facts).write(tool);
}

}  // namespace dalembert
