// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/symbol_table.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dalembert/algebra/print_form.h"
#include "dalembert/base/text.h"
#include "dalembert/base/units.h"
#include "dalembert/expr/visit.h"
#include "dalembert/report/equation_layout.h"

namespace dalembert {
namespace {

constexpr std::size_t kLongestValue = 300;  // largest number of characters of a formula in the table

// The comment at the end of the line of `span`: the text after a # outside quotes.
std::string comment_after(const Span& span) {
  if (!span || span.end > span.source->text().size()) return {};
  const std::string& text = span.source->text();
  const std::size_t end = std::min(text.find('\n', span.end), text.size());
  std::string_view rest = std::string_view(text).substr(span.end, end - span.end);
  bool quoted = false;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '"' || rest[i] == '\'') quoted = !quoted;
    if (rest[i] != '#' || quoted) continue;
    rest.remove_prefix(i + 1);
    const std::size_t first = rest.find_first_not_of(" \t\r"), last = rest.find_last_not_of(" \t\r");
    return first == std::string_view::npos ? std::string() : std::string(rest.substr(first, last + 1 - first));
  }
  return {};
}

// A number as LaTeX: 9.81, 2.4 \cdot 10^{-5}.
std::string latex_number(double value) {
  std::string text = to_text(value, 6);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  const std::string factor = text.substr(0, e) == "1" ? "" : text.substr(0, e) + " \\cdot ";
  return fmt::format("{}10^{{{}}}", factor, std::stoi(text.substr(e + 1)));
}

std::string in_table(const Expr& value) {
  if (written_size(value) > kLongestValue) return "\\ldots";
  const std::string formula = to_latex(value);
  return formula.size() <= kLongestValue ? formula : "\\ldots";
}

std::string unit_in_table(const std::string& unit) {
  return unit.empty() || unit == "1" ? "" : "$" + latex_unit(unit) + "$";
}
std::string unit_in_table(const std::optional<Dimension>& dimension) {
  return unit_in_table(dimension ? unit_name(*dimension, Measure::kAngle) : "");
}

}  // namespace

std::string unit_of_value(const std::optional<Dimension>& dimension) {
  if (!dimension) return "";
  const std::string unit = unit_name(*dimension, Measure::kAngle);
  return unit == "J" ? unit_name(*dimension, Measure::kForce) : unit;
}

std::string unit_of_value(const Parameter& parameter) {
  return parameter.plain && parameter.dimension && parameter.dimension->dimensionless()
             ? unit_name(*parameter.dimension)
             : unit_of_value(parameter.dimension);
}

bool is_of_attitude(const Equations& equations, std::size_t i) {
  return std::ranges::any_of(equations.quaternions, [&](int first) {
    return static_cast<int>(i) >= first && static_cast<int>(i) < first + 4;
  });
}

std::string meaning_of(const Model& model, const Parameter& parameter) {
  if (!parameter.meaning.empty()) return parameter.meaning;
  if (std::string said = comment_after(parameter.span); !said.empty()) return said;
  std::vector<std::string> masses, inertias;
  const auto is = [&](const Expr& e) { return e && e.same(parameter.symbol); };
  for (const Body& body : model.bodies) {
    if (is(body.mass)) masses.push_back(body.name);
    if (is(body.inertia) || std::ranges::any_of(body.tensor, is)) inertias.push_back(body.name);
  }
  const auto of = [](const char* what, const std::vector<std::string>& bodies) {
    constexpr std::size_t kFew = 3;
    return bodies.size() > kFew ? fmt::format("{} of {} bodies", what, bodies.size())
                                : fmt::format("{} of {}", what, join_words(bodies, ""));
  };
  if (!masses.empty()) return of("mass", masses);
  if (!inertias.empty()) return of("moment of inertia", inertias);
  // A component of gravity may be g or −g; comparing symbols avoids building expressions in the model's graph.
  for (const Expr& component : model.gravity_field)
    if (symbols_in(std::array{component}) == std::vector{parameter.symbol.symbol()}) return "gravity";
  return {};
}

std::vector<EquationSheet::Symbol> symbol_rows(const Equations& equations, EquationPrinter& printer) {
  const Model& model = *equations.model;
  std::vector<EquationSheet::Symbol> rows;
  for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
    const Coordinate& one = model.coordinates[i];
    const bool attitude = is_of_attitude(equations, i);
    rows.push_back({printer.symbol(equations.q[i]), "", attitude ? "" : unit_in_table(one.dimension),
                    attitude ? "coordinate, of a unit quaternion" : "coordinate"});
  }
  for (const QuasiVelocity& one : model.quasi_velocities)
    rows.push_back({to_latex(one.v), "", unit_in_table(one.dimension), "quasi-velocity"});
  for (const Parameter& one : model.parameters)
    rows.push_back({to_latex(one.symbol), "$" + latex_number(one.value) + "$", unit_in_table(unit_of_value(one)),
                    latex_prose(meaning_of(model, one))});
  for (const Input& one : model.inputs) {
    if (one.derivative != 0) continue;
    const std::string value = one.value ? "$" + in_table(one.value) + "$" : std::string("samples");
    rows.push_back({to_latex(one.symbol), value, unit_in_table(unit_of_value(one.dimension)), "input"});
  }
  return rows;
}

}  // namespace dalembert
