// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/language.h"

#include <fmt/format.h>

#include <cmath>

#include "dalembert/base/text.h"
#include "dalembert/codegen/writer.h"

namespace dalembert {
namespace {

// A comment abridges a list of more entries to the first three and the last: the others are in the order of the model.
constexpr std::size_t kLongestList = 60;

void describe(std::vector<std::string>& lines, const std::string& title, const std::string& array, int first,
              const std::vector<NamedEntry>& entries) {
  if (entries.empty()) return;
  lines.push_back(title);
  std::size_t widest = 0;
  for (const NamedEntry& entry : entries) widest = std::max(widest, entry.name.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries.size() > kLongestList && i == 3) {
      lines.push_back("  ... as in the model ...");
      i = entries.size() - 1;
    }
    const NamedEntry& entry = entries[i];
    std::string line = fmt::format("  {}[{}]  {:<{}}", array, i + static_cast<std::size_t>(first), entry.name, widest);
    if (!entry.unit.empty()) line += "  " + entry.unit;
    if (entry.identifier != entry.name && entry.identifier + "'" != entry.name)
      line += fmt::format("  (here: {})", entry.identifier);
    if (!entry.meaning.empty()) line += "  " + entry.meaning;
    while (!line.empty() && line.back() == ' ') line.pop_back();
    lines.push_back(std::move(line));
  }
}

void describe_coordinates(const CodeModel& model, std::vector<std::string>& lines, int first) {
  describe(lines, "Coordinates:", "q", first, model.coordinates);
  if (model.layout().integrals > 0)
    lines.emplace_back(
        fmt::format("The last {} of q: integrals over the time of the run, 0 where it begins. Steps add to them, "
                    "impacts and events "
                    "leave them.",
                    model.layout().integrals));
}

void explain_contacts(const CodeModel& model, std::vector<std::string>& lines) {
  if (!model.contacts.empty())
    lines.insert(lines.end(), {"The rows of contacts are those of closed ones: h and W v + a are the gap and its rate. "
                               "accelerations and steps "
                               "decide which contacts",
                               "are closed at a state; lambda of an open contact is 0."});
}

}  // namespace

std::vector<std::string> describe_model(const CodeModel& model, int first) {
  std::vector<std::string> lines;
  lines.push_back("The model " + model.name + ", exported by dalembert. This file needs nothing else.");
  lines.push_back("SPDX-License-Identifier: Apache-2.0");
  lines.push_back(
      "The licence is that of the routines that every model has; what is of this model alone is its author's.");
  std::string line;
  for (const char c : model.description + "\n") {
    if (c != '\n') {
      line += c;
    } else if (!line.empty()) {
      lines.push_back(line);
      line.clear();
    }
  }
  lines.push_back("");
  const bool loads = model.layout().load_dependent(), slides = model.layout().frictions > 0;
  lines.push_back(fmt::format("  M v' + B + G = F + {} lambda{}      W v + a = 0      W v' + gamma = 0",
                              loads ? "(W' + Phi)" : "W'", slides ? " - C' friction" : ""));
  lines.push_back("");
  lines.push_back(
      "Everything is in SI units, angles are in rad. lambda > 0 pushes towards larger constraint functions.");
  describe_coordinates(model, lines, first);
  describe(lines,
           model.layout().v_is_qdot ? "Velocities, the rates of the coordinates:"
                                    : "Velocities (coordinate_rates gives those of the coordinates):",
           "v", first, model.velocities);
  describe(lines, "Constraint rows, with the units of their multipliers:", "lambda", first, model.rows);
  describe(lines, "Rows with a position level h(q, t):", "h", first, model.levels);
  describe(lines, "Contacts, rows with h >= 0 and lambda >= 0, with the units of their gaps h:", "gap", first,
           model.contacts);
  describe(lines, "Impulses of the last impacts of the contacts, 0 before the first; steps return them:", "impulse",
           first, model.impulses);
  describe(lines, "Events:", "happened", first, model.events);
  describe(lines, "Parameters:", "p", first, model.parameters);
  describe(lines, "Inputs:", "u", first, model.inputs);
  describe(lines, "Outputs:", "y", first, model.outputs);
  describe(lines, "Forces of friction, against the speeds of sliding:", "friction", first, model.frictions);
  describe(lines, "Energies, d/dt total = power - lambda' a - partial_t:", "e", first, model.energies);
  lines.push_back("");
  lines.insert(lines.end(), model.samples.begin(), model.samples.end());
  if (loads)
    lines.push_back("The linear system is not symmetric; it is solved densely, rows first, each time.");
  else if (!model.has_kkt_formulas)
    lines.push_back("The linear system is solved by a method for matrices of any rank each time.");
  else if (model.solves_any_rank)
    lines.push_back(
        "The linear system is solved by formulas whose pivots are watched; where these cannot be trusted, by a slower "
        "method "
        "for matrices of any rank.");
  else
    lines.push_back(
        "The linear system is solved by formulas whose pivots are watched; where these cannot be trusted, the status "
        "is 4: "
        "the system is too large for the method for matrices of any rank.");
  explain_contacts(model, lines);
  if (!model.has_jacobian)
    lines.push_back("There is no function `jacobian`: it would be too long, or the system has no solve in formulas.");
  return lines;
}

std::string with_reasons(const CodeModel& model, std::string_view text, std::string_view after,
                         std::string_view separator) {
  std::string result(text);
  if (!model.events.empty())
    result.insert(result.find(after) + after.size(),
                  fmt::format("{0}9: \"an event ends the motion: step_events comes to it\"{0}10: \"two events set one "
                              "quantity to two values\"{0}11: \"what an event sets contradicts the constraints\"",
                              separator));
  if (!model.events.empty() && model.contacts.empty() && model.frictions.empty())
    result.insert(result.find(after) + after.size(),
                  fmt::format("{0}6: \"a step goes forwards only\"{0}8: \"events happen again and again\"", separator));
  if (!model.contacts.empty())
    result.insert(
        result.find(after) + after.size(),
        fmt::format("{0}6: \"no motion keeps the contacts and the other constraints\"{0}8: \"contacts change again "
                    "and again\"",
                    separator));
  if (model.frictions.empty()) return result;
  result.insert(
      result.find(after) + after.size(),
      fmt::format("{0}6: \"no state of the friction is consistent\"{0}7: \"several states of the friction are "
                  "consistent\"{0}8: \"the friction changes again and again\"",
                  separator));
  return result;
}

std::vector<NameList> name_lists(const CodeModel& model) {
  std::vector<NameList> lists;
  const auto list = [&](const char* title, const std::vector<NamedEntry>& entries,
                        std::string NamedEntry::*name = &NamedEntry::name) {
    lists.push_back({title, {}});
    for (const NamedEntry& entry : entries) lists.back().names.push_back(entry.*name);
  };
  list("COORDINATES", model.coordinates);
  list("VELOCITIES", model.velocities);
  list("ROWS", model.rows);
  list("PARAMETERS", model.parameters, &NamedEntry::identifier);
  list("INPUTS", model.inputs);
  list("OUTPUTS", model.outputs);
  list("ENERGIES", model.energies);
  if (!model.frictions.empty()) list("FRICTIONS", model.frictions);
  if (!model.events.empty()) list("EVENTS", model.events);
  return lists;
}

std::vector<double> default_parameters(const CodeModel& model) {
  std::vector<double> values;
  for (const NamedEntry& parameter : model.parameters) values.push_back(parameter.value);
  return values;
}

std::string argument_list(const Routine& routine, const ReferenceCall& call, const Literals& literals,
                          std::string_view last) {
  std::vector<std::string> items;
  std::string at_the_end;
  for (const Variable& variable : routine.parameters) {
    if (variable.passing == Variable::kOut) continue;
    const std::vector<double>& value = call.value(variable.name);
    std::string literal = !variable.array                    ? number_literal(value.at(0), literals.nan, literals.inf)
                          : value.size() > kLongestReference ? fmt::format("fill({})", value.size())
                                                             : literals.array(value);
    if (variable.name == last)
      at_the_end = std::move(literal);
    else
      items.push_back(std::move(literal));
  }
  if (!at_the_end.empty()) items.push_back(std::move(at_the_end));
  return fmt::format("{}", fmt::join(items, ", "));
}

std::size_t place_of_result(const Routine& routine, const std::string& array) {
  std::size_t place = 0;
  for (const Variable& variable : routine.parameters) {
    if (variable.name == array) return place;
    if (variable.passing != Variable::kIn) ++place;
  }
  return array.empty() ? 0 : place;
}

std::string in_quotes(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string number_literal(double value, std::string_view nan, std::string_view inf) {
  if (std::isnan(value)) return std::string(nan);
  if (std::isinf(value)) return (value < 0 ? "-" : "") + std::string(inf);
  std::string text = to_text(value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string number_list(const std::vector<double>& values, const std::string& indent) {
  std::vector<std::string> items;
  for (const double value : values) items.push_back(number_literal(value));
  return in_lines(items, indent);
}

std::size_t columns_of(const CodeModel& model, std::string_view array) {
  const Layout& layout = model.layout();
  if (array == "M" || array == "W" || array == "C") return as_size(layout.nv);
  if (array == "Phi" || array == "dN") return as_size(layout.m);
  if (array == "J") return model.coordinates.size() + as_size(layout.nv + layout.inputs);
  return 0;
}

}  // namespace dalembert
