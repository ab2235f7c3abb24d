// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/quantities.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/constant.h"
#include "dalembert/base/missing_unit.h"
#include "dalembert/base/text.h"
#include "dalembert/report/symbol_table.h"

namespace dalembert {

namespace {

// What the model file states of a quantity: the value in SI, 0 if there is none, and the unit, empty if there is none.
struct InFile {
  double value = 0;
  std::string unit;
};

InFile in_file(const Model& model, const StudyQuantity& quantity) {
  if (quantity.parameter >= 0) {
    const Parameter& parameter = model.parameters[static_cast<std::size_t>(quantity.parameter)];
    return {parameter.value, parameter.unit};
  }
  const InitialValue* stated = held_at(model.initial, quantity.place);
  if (stated == nullptr) return {};
  if (!stated->span) return {stated->value, ""};
  const Span& span = stated->span;
  const std::string text = span.source->text().substr(span.begin, span.end - span.begin);
  return {stated->value, parse_quantity(MappedText::of(text)) ? unit_text(text) : ""};
}

}  // namespace

std::optional<StudyQuantity> quantity_of(const Model& model, const std::string& name) {
  StudyQuantity found;
  const auto parameter = std::ranges::find(model.parameters, name, &Parameter::name);
  if (parameter != model.parameters.end()) {
    found.parameter = static_cast<int>(parameter - model.parameters.begin());
    found.dimension = parameter->dimension;
    found.unit = unit_of_value(*parameter);
  } else if (const std::optional<InitialPlace> place = find_initial(model, name)) {
    found.place = *place;
    found.dimension = place->dimension;
    found.unit = found.dimension ? unit_name(*found.dimension, Measure::kAngle) : "";
  } else {
    return std::nullopt;
  }
  found.name = name;
  return found;
}

std::vector<std::string> quantity_names(const Model& model) {
  std::vector<std::string> names;
  for (const Parameter& one : model.parameters) names.push_back(one.name);
  for (const Coordinate& one : model.coordinates) {
    names.push_back(one.name);
    names.push_back(one.name + "'");
  }
  for (const QuasiVelocity& one : model.quasi_velocities) names.push_back(one.name);
  for (const VelocityPlace& place : model.velocity_places())
    if (place.quaternion >= 0) names.push_back(model.velocity_name(place));
  return names;
}

Result<StudyQuantity> find_quantity(const Model& model, const std::string& name, const Span& span) {
  if (std::optional<StudyQuantity> found = quantity_of(model, name)) {
    const bool attitude = found->parameter < 0 && found->place.kind == InitialPlace::Kind::kPosition &&
                          std::ranges::any_of(model.quaternions, [&](const FrameQuaternion& of) {
                            return found->place.index >= of.first && found->place.index < of.first + 4;
                          });
    if (!attitude) return *std::move(found);
    Diagnostic problem = error(
        "E0421", fmt::format("`{}` is one of the four numbers of an attitude, which do not change one by one", name),
        span);
    problem.help.emplace_back("make the angle of a turn a parameter: [initial] takes formulas of parameters");
    return problem;
  }
  const bool input = std::ranges::find(model.inputs, name, &Input::name) != model.inputs.end();
  Diagnostic problem =
      error("E0421",
            fmt::format("`{}` is {}", name,
                        input ? "an input, a function of time" : "neither a parameter nor an initial value"),
            span);
  if (const auto near = nearest(name, quantity_names(model)); near && !input)
    problem.help.push_back(fmt::format("did you mean `{}`?", *near));
  else
    problem.help.push_back(
        input ? fmt::format("state it by a parameter, `{0} = \"{0}0\"` in [inputs], and vary that", name)
              : "a study changes parameters, `theta` and `theta'`; integers of [structure] change the equations: "
                "`--set`");
  return problem;
}

Result<double> read_value(const MappedText& text, const StudyQuantity& quantity, bool pure) {
  const Result<Quantity> read = parse_constant(text);
  if (!read) return read.diagnostics();
  const std::optional<Dimension> wanted = pure ? Dimension::none() : quantity.dimension;
  if (wanted && read->dimension && !(*wanted == *read->dimension))
    return error("E0203",
                 fmt::format("`{}` must be {}, not in `{}`", pure ? text.text : quantity.name,
                             pure || quantity.unit == "1" ? "a pure number" : "in `" + quantity.unit + "`",
                             unit_name(*read->dimension, Measure::kAngle)),
                 text.span());
  if (!std::isfinite(read->value)) return error("E0108", fmt::format("`{}` is out of range", text.text), text.span());
  return read->value;
}

void UnitDoubts::look_at(const Model& model, const StudyQuantity& quantity, const MappedText& text) {
  if (!text.source || (!text.source->name().starts_with("--") && text.source != model.source)) return;
  const InFile stated = in_file(model, quantity);
  if (is_si_unit(stated.unit)) return;
  auto doubt = missing_unit({quantity.name, text, stated.unit, quantity.unit, stated.value, {}, {}});
  if (doubt && names_.insert(quantity.name).second) all_.push_back(*std::move(doubt));
}

}  // namespace dalembert
