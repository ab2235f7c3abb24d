// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/compile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "dalembert/compile/contacts.h"
#include "dalembert/compile/events.h"
#include "dalembert/compile/integrals.h"
#include "dalembert/compile/kernel_expressions.h"
#include "dalembert/compile/machine_kernel.h"
#include "dalembert/compile/switching.h"
#include "dalembert/derive/quasi_velocities.h"
#include "dalembert/dynamics/cubic_spline.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/model/formula_unit.h"

namespace dalembert {
namespace {

void name_rows(const Model& model, Names& names) {
  for (const Constraint& constraint : model.constraints) {
    for (const ConstraintRow& row : constraint.rows) {
      names.rows.push_back(row.name);
      names.row_units.push_back(unit_of(row.dimension, Measure::kAngle));
      names.lambda_units.push_back(unit_of(lambda_dimension(model, constraint, row), Measure::kForce));
    }
  }
  names.actuated = static_cast<int>(model.prescribed.size());
  for (const Prescribed& one : model.prescribed) {
    const Coordinate& coordinate = model.coordinates[static_cast<std::size_t>(one.coordinate)];
    names.rows.push_back(coordinate.name);
    names.row_units.push_back(unit_of(coordinate.dimension, Measure::kAngle));
    const auto force = coordinate.dimension ? std::optional(Dimension::energy() / *coordinate.dimension) : std::nullopt;
    names.lambda_units.push_back(unit_of(force, Measure::kForce));
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
  for (const Expr& v : equations.v) {
    names.velocities.push_back(equations.graph->symbol_info(v.symbol()).name);
    names.velocity_units.emplace_back();
  }
  for (const FrameQuaternion& quaternion : model.quaternions)
    for (int k = 0; k < 4; ++k) names.coordinate_units[static_cast<std::size_t>(quaternion.first + k)].clear();
  // A model with quaternions needs units of the angular velocities, and names and units of the other velocities.
  const std::vector<VelocityPlace> places = model.velocity_places();
  for (std::size_t j = 0; !model.quaternions.empty() && places.size() == names.velocities.size() && j < places.size();
       ++j) {
    const Coordinate& coordinate = model.coordinates[static_cast<std::size_t>(places[j].coordinate)];
    if (places[j].quaternion >= 0)
      names.velocity_units[j] = model.has_units ? "rad/s" : "";
    else
      names.velocities[j] = coordinate.name;
    if (places[j].quaternion < 0 && coordinate.dimension)
      names.velocity_units[j] = unit_name(*coordinate.dimension / Dimension::time(), Measure::kAngle);
  }
  name_rows(model, names);
  for (const Parameter& parameter : model.parameters) names.parameters.push_back(parameter.name);
  for (const Input& input : model.inputs) {
    names.inputs.push_back(input.name);
    names.input_units.push_back(unit_of(input.dimension, Measure::kForce));
  }
  for (const Output& output : model.outputs) {
    names.outputs.push_back(output.name);
    names.output_units.push_back(unit_of(output.dimension, measure_of(model, output.expression, output.dimension)));
  }
  for (const QuasiVelocity& velocity : model.quasi_velocities)
    for (const char* group : {"v/", "vdot/"}) {
      names.outputs.push_back(group + velocity.name);
      std::optional<Dimension> dimension = velocity.dimension;
      if (dimension && group[1] != '/') dimension = *dimension / Dimension::time();
      names.output_units.push_back(unit_of(dimension, Measure::kAngle));
    }
  for (std::size_t j = 0; j < equations.frictions.size(); ++j) {
    names.frictions.push_back(equations.frictions[j].name);
    names.friction_units.push_back(unit_of(model.frictions[j].force_dimension, Measure::kForce));
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
  std::vector<SymbolId> read;  // symbols that the accelerations read
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

// Value at time t of an input that is an expression, a spline or a derivative of a spline; NaN for other tables.
double input_value(const Model& model, std::size_t index, double t) {
  const Input& input = model.inputs[index];
  if (input.value)
    return evaluate(input.value, [&](SymbolId s) {
      const Symbol& symbol = input.value.graph().symbol_info(s);
      if (symbol.kind == SymbolKind::kTime) return t;
      return symbol.kind == SymbolKind::kParameter ? model.parameters[static_cast<std::size_t>(symbol.index)].value
                                                   : std::nan("");
    });
  const Input& first = model.inputs[index - static_cast<std::size_t>(input.derivative)];
  if (first.interpolation != Interpolation::kSpline || first.time.empty()) return std::nan("");
  return CubicSpline(first.time, first.sample).evaluate(t)[static_cast<std::size_t>(input.derivative)];
}

void set(const std::vector<InitialValue>& values, std::vector<double>& target) {
  for (const InitialValue& value : values) target[static_cast<std::size_t>(value.coordinate)] = value.value;
}

std::vector<bool> held(const std::vector<InitialValue>& values, std::size_t n) {
  std::vector<bool> hold(n);
  for (const InitialValue& value : values) hold[static_cast<std::size_t>(value.coordinate)] = true;
  return hold;
}

// The velocities of the motion in place of the rates of coordinates: for frames with quaternions what is said of their angular velocities,
// for other velocities what `of_rate` says of the coordinate's rate.
template <class Value, class OfAngular>
std::vector<Value> of_velocities(const Model& model, const std::vector<Value>& of_rate, OfAngular of_angular) {
  if (model.quaternions.empty()) return of_rate;
  std::vector<Value> v;
  for (const VelocityPlace& place : model.velocity_places()) {
    if (place.quaternion < 0) {
      v.push_back(of_rate[as_size(place.coordinate)]);
      continue;
    }
    v.emplace_back();
    for (const bool held : {false, true})
      for (const InitialValue& value : held ? model.initial.angular : model.initial.angular_guess)
        if (value.coordinate == 3 * place.quaternion + place.axis) v.back() = of_angular(value, held);
  }
  return v;
}

}  // namespace

Dynamics compile(const Equations& given, const CompileOptions& options) {
  const Equations equations = with_contact_switches(with_integral_parameters(with_prescribed_rows(on_overlay(given))));
  const Model& model = *equations.model;
  auto tapes = std::make_shared<const TapeKernel>(equations);
  std::shared_ptr<const Kernel> kernel = tapes;
  if (options.machine_code) kernel = std::make_shared<const MachineKernel>(std::move(tapes));
  return {std::move(kernel),
          names_of(equations),
          parameter_values(model),
          tables_of(model),
          find_switching(equations, options.machine_code),
          splines_of(equations),
          compile_events(equations),
          compile_contacts(equations)};
}

std::shared_ptr<const Dynamics> compile_quasi_velocities(const Equations& given) {
  if (given.model->quasi_velocities.empty()) return nullptr;
  const Equations equations = quasi_velocity_equations(given);
  const Model& model = *equations.model;
  Names names = names_of(equations);
  names.rows = equations.rows;
  names.row_units.assign(equations.rows.size(), "");
  names.lambda_units = names.row_units;
  return std::make_shared<const Dynamics>(std::make_shared<const TapeKernel>(equations), std::move(names),
                                          parameter_values(model), tables_of(model), nullptr, splines_of(equations));
}

std::array<double, 3> prescribed_motion(const Model& model, std::size_t k, double t) {
  // New nodes go into an overlay graph: other threads may share the model's graph by now.
  Graph graph(model.graph, model.graph->size());
  std::unordered_map<SymbolId, Expr> in_time;
  for (const auto& [symbol, rate] : model.time_rates()) in_time.emplace(symbol, graph.adopt(rate));
  std::array<double, 3> motion{};
  Expr level = graph.adopt(model.prescribed[k].value);
  for (double& value : motion) {
    value = evaluate(level, [&](SymbolId s) {
      const Symbol& symbol = graph.symbol_info(s);
      const auto index = static_cast<std::size_t>(symbol.index);
      if (symbol.kind == SymbolKind::kTime) return t;
      if (symbol.kind == SymbolKind::kParameter) return model.parameters[index].value;
      if (symbol.kind != SymbolKind::kInput) return std::nan("");
      return input_value(model, index, t);
    });
    level = directional_derivative(std::array{level}, in_time).front();
  }
  return motion;
}

State initial_state(const Model& model) { return initial_state(model, model.initial.t); }

State initial_state(const Model& model, double t) {
  const std::size_t n = model.coordinates.size();
  const Initial& initial = model.initial;
  State start{t, std::vector<double>(n), std::vector<double>(n)};
  // The attitude of a frame without initial values is the identity quaternion (1, 0, 0, 0).
  for (const FrameQuaternion& quaternion : model.quaternions) start.q[as_size(quaternion.first)] = 1;
  // Prescribed values replace guesses, and held values replace both.
  set(initial.position_guess, start.q);
  set(initial.velocity_guess, start.v);
  for (std::size_t k = 0; k < model.prescribed.size(); ++k) {
    const auto i = static_cast<std::size_t>(model.prescribed[k].coordinate);
    const std::array<double, 3> motion = prescribed_motion(model, k, t);
    start.q[i] = motion[0];
    start.v[i] = motion[1];
  }
  set(initial.position, start.q);
  for (const FrameQuaternion& quaternion : model.quaternions) normalize_quaternion(start.q.data() + quaternion.first);
  set(initial.velocity, start.v);
  start.v = of_velocities(model, start.v, [](const InitialValue& value, bool) { return value.value; });
  return start;
}

AssembleOptions held_values(const Model& model) {
  const std::size_t n = model.coordinates.size();
  AssembleOptions options;
  options.hold_position = held(model.initial.position, n);
  options.hold_velocity = held(model.initial.velocity, n);
  for (const Prescribed& one : model.prescribed)
    options.hold_position[as_size(one.coordinate)] = options.hold_velocity[as_size(one.coordinate)] = true;
  options.hold_velocity =
      of_velocities(model, options.hold_velocity, [](const InitialValue&, bool held) { return held; });
  return options;
}

Assembly assemble_start(const Equations& equations, const Dynamics& dynamics) {
  return assemble_start(equations, dynamics, initial_state(*equations.model), held_values(*equations.model));
}

Assembly assemble_start(const Equations& equations, const Dynamics& dynamics, const State& guess,
                        const AssembleOptions& options, AssemblyMemory* memory) {
  if (equations.model->initial.quasi_velocity.empty()) return assemble(dynamics, guess, options, memory);
  const Equations held = with_initial_quasi_velocities(equations);
  Names names = names_of(held);
  names.rows = held.rows;
  names.row_units.resize(held.rows.size());
  names.lambda_units.resize(held.rows.size());
  const Dynamics system(std::make_shared<const TapeKernel>(held), std::move(names), parameter_values(*held.model),
                        tables_of(*held.model), nullptr, splines_of(held));
  Assembly assembly = assemble(system, guess, options);
  // Only constraints count for the rank, not held quasi-velocities.
  if (assembly.ok()) assembly.rank = assemble(dynamics, assembly.state, options).rank;
  return assembly;
}

}  // namespace dalembert
