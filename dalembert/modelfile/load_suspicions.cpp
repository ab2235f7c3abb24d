// SPDX-License-Identifier: Apache-2.0
// Warnings about values that are valid but probably not intended: W0102, W0103, W0104, W0106, W0328, W0331.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/missing_unit.h"
#include "dalembert/base/text.h"
#include "dalembert/expr/visit.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/modelfile/loader.h"

namespace dalembert::modelfile {
// `--set r=50` means 50 m, even if the file gives the parameter r in mm.
void Loader::warn_of_missing_unit(const Override& set, const Node& written, const Quantity& quantity) {
  // Numbers of a state file are in SI by definition.
  if (!quantity.dimension || !set.value.source || set.value.source->name() != "--set") return;
  const std::string si = unit_name(*quantity.dimension, Measure::kAngle);
  const Result<Quantity> stated = parse_quantity(written.text);
  const std::string unit = stated ? unit_text(written.text.text) : si;
  const std::string before = fmt::format("--set \"{}=", set.name);
  const double in_file = stated ? stated->value : 0;
  if (auto doubt = missing_unit({set.name, set.value, unit, si, in_file, before, "\""})) report(*std::move(doubt));
}

// `theta = 60` means 60 rad, which is nearly ten turns.
void Loader::warn_of_large_angles() {
  for (const auto* values : {&model_.initial.position, &model_.initial.position_guess}) {
    for (const InitialValue& value : *values) {
      const Coordinate& coordinate = model_.coordinates[static_cast<std::size_t>(value.coordinate)];
      const bool angle = coordinate.dimension && coordinate.dimension->dimensionless();
      if (!angle || std::abs(value.value) <= 2 * std::numbers::pi || !value.span) continue;
      const std::string text = value.span.source->text().substr(value.span.begin, value.span.end - value.span.begin);
      if (!unit_text(text).empty()) continue;
      Diagnostic problem =
          warning("W0102", fmt::format("`{}` starts at {} rad, more than a turn", coordinate.name, text), value.span,
                  "a number without a unit is in rad");
      problem.help.push_back(fmt::format("write \"{} deg\", or \"{} rad\" if that is meant", text, text));
      report(std::move(problem));
    }
  }
}

// Nothing states the unit of an output, nor of a definition that outputs alone use: `x*3 L` fits as three litres and as 3*L.
void Loader::warn_of_doubtful_quantities() {
  const auto compared = names_.compared();
  for (const Definition* one : names_.all(Definition::Kind::kDefine))
    if (one->state == Definition::State::kDone && !compared.contains(one)) report_all(names_.doubts(one->value));
  if (const Node* outputs = section("outputs"))
    for (const Entry& entry : outputs->entries) report_all(names_.doubts(Written{&entry.node, {}}));
}

// The place where the parameter's value is written.
Span Loader::place_of(const Parameter& parameter) {
  const Node* written = section("parameters");
  if (const Override* set = override_for(parameter.name)) return set->value.span();
  const Node* node = written ? written->find(parameter.name) : nullptr;
  return node ? value_of_parameter(*node).text.span() : parameter.span;
}

void Loader::warn_of_masses() {
  std::vector<Expr> blamed;  // parameters that got a warning; their bodies get none
  for (const Parameter& parameter : model_.parameters) {
    if (!(parameter.value < 0) || !parameter.dimension || !(*parameter.dimension == Dimension::mass())) continue;
    Diagnostic problem =
        warning("W0104", fmt::format("the mass `{}` is negative: {} kg", parameter.name, to_text(parameter.value, 6)),
                place_of(parameter));
    problem.notes.push_back("the energy then does not bound the motion, and speeds may grow without limit");
    report(std::move(problem));
    blamed.push_back(parameter.symbol);
  }
  for (const Body& body : model_.bodies) {
    if (!blamed.empty() && depends_on(body.mass, blamed)) continue;
    const double mass = value_of(body.mass), inertia = body.inertia ? value_of(body.inertia) : 0;
    const bool nothing = mass == 0 && inertia == 0;
    if (!(mass < 0) && !(inertia < 0) && !nothing) continue;
    Diagnostic problem =
        nothing    ? warning("W0104", fmt::format("the body `{}` has no mass and no inertia", body.name), body.span)
        : mass < 0 ? warning("W0104", fmt::format("the mass of `{}` is negative: {} kg", body.name, to_text(mass, 6)),
                             body.span)
                   : warning("W0104",
                             fmt::format("the inertia of `{}` is negative: {} kg*m^2", body.name, to_text(inertia, 6)),
                             body.span);
    report(std::move(problem));
  }
}

// Warns of subnormal numbers, because kernels of large models replace them by 0 (tape/subnormals.h).
void Loader::warn_of_subnormals() {
  const auto is_subnormal = [](double value) { return std::fpclassify(value) == FP_SUBNORMAL; };
  const auto warn = [&](const std::string& what, double value, const Span& place) {
    Diagnostic problem =
        warning("W0106", fmt::format("{} is {}, a subnormal number: below 2.2e-308", what, to_text(value, 3)), place);
    problem.notes.push_back(
        "such a number has fewer digits than others, and large models are computed as if it were 0");
    report(std::move(problem));
  };
  for (const Parameter& parameter : model_.parameters)
    if (is_subnormal(parameter.value)) warn(fmt::format("`{}`", parameter.name), parameter.value, place_of(parameter));
  const Initial& initial = model_.initial;
  for (const auto& [values, rate] : {std::pair(&initial.position, ""), std::pair(&initial.position_guess, ""),
                                     std::pair(&initial.velocity, "'"), std::pair(&initial.velocity_guess, "'")})
    for (const InitialValue& value : *values)
      if (is_subnormal(value.value)) {
        const Coordinate& coordinate = model_.coordinates[static_cast<std::size_t>(value.coordinate)];
        warn(fmt::format("the initial value of `{}{}`", coordinate.name, rate), value.value, value.span);
      }
}

// Gravity acts on bodies, and a force moves the point that it acts at.
void Loader::warn_of_idle_statements() {
  const Node* gravity = section("gravity");
  if (gravity && document_.root.find("body") == nullptr) {
    Diagnostic problem = warning("W0331", "`gravity` acts on bodies, and this model has none: it does nothing",
                                 document_.span(*gravity));
    problem.help.push_back("state a `[[body]]` with mass and position, or its weight in `potential = \"m*g*y\"`");
    report(std::move(problem));
  }
  std::vector<Expr> moving;
  for (const Coordinate& coordinate : model_.coordinates) moving.insert(moving.end(), {coordinate.q, coordinate.qd});
  for (const Force& force : model_.forces)
    if (!force.parts.empty() && std::ranges::none_of(force.parts, [&](const Contribution& part) {
          return part.rate || !part.factor || depends_on(part.along, moving);
        }))
      report(warning("W0331", "this force acts where nothing moves: it does nothing", force.span));
}

}  // namespace dalembert::modelfile
