// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/compile.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "dalembert/compile/machine_kernel.h"
#include "dalembert/compile/switching.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

std::string unit_of(const std::optional<Dimension>& dimension, Measure measure) {
  return dimension ? unit_name(*dimension, measure) : std::string();
}

// What an output measures: an angle where it is a sum of coordinates, a force where multipliers or inputs are in it
// and no coordinate makes a work of them.
Measure measure_of(const Expr& output) {
  const Graph& graph = output.graph();
  const auto is_coordinate = [&](NodeId id) {
    if (graph.op(id) != Op::kSymbol) return false;
    const SymbolKind kind = graph.symbol_info(graph.symbol_of(id)).kind;
    return kind == SymbolKind::kCoordinate || kind == SymbolKind::kVelocity || kind == SymbolKind::kAcceleration;
  };
  const auto items = graph.items(output.id());
  const bool sum = output.op() == Op::kSum || (output.op() == Op::kProduct && items.size() == 1);
  const auto any = [&] {
    return std::ranges::any_of(items, [&](const auto& item) { return is_coordinate(item.node); });
  };
  if (is_coordinate(output.id()) || (sum && any())) return Measure::kAngle;
  const bool force = std::ranges::any_of(symbols_in(std::array{output}), [&](SymbolId s) {
    const SymbolKind kind = graph.symbol_info(s).kind;
    return kind == SymbolKind::kMultiplier || kind == SymbolKind::kInput;
  });
  return force && !any() ? Measure::kForce : Measure::kAny;
}

void name_rows(const Model& model, Names& names) {
  for (const Constraint& constraint : model.constraints) {
    for (const ConstraintRow& row : constraint.rows) {
      names.rows.push_back(row.name);
      names.row_units.push_back(unit_of(row.dimension, Measure::kAngle));
      names.lambda_units.push_back(unit_of(lambda_dimension(model, constraint, row), Measure::kForce));
    }
  }
}

Names names_of(const Equations& equations) {
  const Model& model = *equations.model;
  Names names;
  names.model = model.name;
  for (const Coordinate& coordinate : model.coordinates) {
    names.coordinates.push_back(coordinate.name);
    names.coordinate_units.push_back(unit_of(coordinate.dimension, Measure::kAngle));
  }
  name_rows(model, names);
  for (const Parameter& parameter : model.parameters) names.parameters.push_back(parameter.name);
  for (const Input& input : model.inputs) {
    names.inputs.push_back(input.name);
    names.input_units.push_back(unit_of(input.dimension, Measure::kForce));
  }
  for (const Output& output : model.outputs) {
    names.outputs.push_back(output.name);
    names.output_units.push_back(unit_of(output.dimension, measure_of(output.expression)));
  }
  for (const ConservedQuantity& quantity : equations.momenta) names.conserved.push_back(quantity.name);
  return names;
}

std::vector<double> parameter_values(const Model& model) {
  std::vector<double> values;
  for (const Parameter& parameter : model.parameters) values.push_back(parameter.value);
  return values;
}

std::vector<TableInput> tables_of(const Model& model) {
  std::vector<TableInput> tables;
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    const Input& input = model.inputs[i];
    if (!input.value && !input.time.empty() && input.interpolation == Interpolation::kLinear)
      tables.push_back({static_cast<int>(i), input.time, input.sample});
  }
  return tables;
}

std::vector<SplineInput> splines_of(const Equations& equations) {
  const Model& model = *equations.model;
  std::vector<SplineInput> splines;
  std::vector<SymbolId> read;  // by accelerations
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    const Input& input = model.inputs[i];
    if (input.value || input.time.empty() || input.interpolation != Interpolation::kSpline) continue;
    if (read.empty()) read = symbols_in(kernel_expressions(equations, KernelFunction::kRates));
    SplineInput spline;
    spline.highest = 0;
    for (int k = 0; k < 3; ++k) {
      const auto at = i + static_cast<std::size_t>(k);
      spline.input[static_cast<std::size_t>(k)] = static_cast<int>(at);
      if (std::ranges::binary_search(read, model.inputs[at].symbol.symbol())) spline.highest = k;
    }
    spline.spline = std::make_shared<const CubicSpline>(input.time, input.sample);
    splines.push_back(std::move(spline));
  }
  return splines;
}

void set(const std::vector<InitialValue>& values, std::vector<double>& target) {
  for (const InitialValue& value : values) target[static_cast<std::size_t>(value.coordinate)] = value.value;
}

std::vector<bool> held(const std::vector<InitialValue>& values, std::size_t n) {
  std::vector<bool> hold(n);
  for (const InitialValue& value : values) hold[static_cast<std::size_t>(value.coordinate)] = true;
  return hold;
}

}  // namespace

Dynamics compile(const Equations& given, const CompileOptions& options) {
  const Equations equations = on_overlay(given);
  const Model& model = *equations.model;
  auto tapes = std::make_shared<const TapeKernel>(equations);
  std::shared_ptr<const Kernel> kernel = tapes;
  if (options.machine_code) kernel = std::make_shared<const MachineKernel>(std::move(tapes));
  return {std::move(kernel),
          names_of(equations),
          parameter_values(model),
          tables_of(model),
          find_switching(equations, options),
          splines_of(equations)};
}

InitialState initial_state(const Model& model) {
  const std::size_t n = model.coordinates.size();
  const Initial& initial = model.initial;
  InitialState start;
  start.state = {initial.t, std::vector<double>(n), std::vector<double>(n)};
  // What is held stands over a guess of the same coordinate.
  set(initial.position_guess, start.state.q);
  set(initial.velocity_guess, start.state.v);
  set(initial.position, start.state.q);
  set(initial.velocity, start.state.v);
  start.hold_position = held(initial.position, n);
  start.hold_velocity = held(initial.velocity, n);
  return start;
}

}  // namespace dalembert
