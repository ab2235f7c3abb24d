// SPDX-License-Identifier: Apache-2.0
// Reads energies, springs, dampers and outputs: expressions that become part of the model, each with the dimension that the theory requires.
#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/model/roles.h"
#include "dalembert/modelfile/loader.h"

namespace dalembert::modelfile {
namespace {
const DimensionTerm kJoule(Dimension::energy());
const DimensionTerm kWatt(Dimension::power_unit());
}  // namespace

void Loader::read_energy() {
  const Node* energy = section("energy");
  if (!energy) return;
  struct Part {
    const char* key;
    Role role;
    DimensionTerm unit;
    const char* what;
    void (Model::*add)(const Expr&);
    Span Model::*place;
  };
  const Part parts[] = {
      {"kinetic", Role::kKinetic, kJoule, "kinetic energy", &Model::kinetic, &Model::T_span},
      {"potential", Role::kPotential, kJoule, "potential energy", &Model::potential, &Model::V_span},
      {"dissipation", Role::kDissipation, kWatt, "the dissipation function", &Model::dissipation, &Model::R_span},
      {"lagrangian", Role::kLagrangian, kJoule, "the Lagrangian", &Model::lagrangian, &Model::L_span}};
  for (const Part& part : parts) {
    const Written text{energy->find(part.key), {}};
    const Lowered lowered = names_.lower(text, part.role);
    if (!lowered.value) continue;
    expect(lowered, part.unit, part.what, text);
    model_.here = names_.text_span(text);
    model_.*part.place = model_.here;
    (model_.*part.add)(lowered.value);
  }
}

Loader::Ends Loader::ends_of(const Node* between, const Indices& indices) {
  if (!between) return {};
  Ends ends{point_named(&between->items[0], indices), point_named(&between->items[1], indices)};
  if (!ends) return {};
  if (ends.a->place.position.size() != ends.b->place.position.size()) {
    report(error("E0216",
                 fmt::format("`{}` has {} components and `{}` has {}", ends.a->name, ends.a->place.position.size(),
                             ends.b->name, ends.b->place.position.size()),
                 document_.span(*between)));
    return {};
  }
  expect_dimension({ends.b->place.position[0], ends.b->place.dimension, false}, ends.a->place.dimension,
                   fmt::format("the point `{}`", ends.b->name), between->items[1].text.span(), names_, diagnostics_);
  return ends;
}

bool Loader::exactly_one(const Instance& instance, const std::vector<std::string>& keys, std::string_view what) {
  std::vector<std::string> present;
  for (const std::string& key : keys)
    if (has(instance, key)) present.push_back(key);
  if (present.size() == 1) return true;
  Diagnostic problem = error("E0012",
                             present.empty() ? fmt::format("{} says nothing", what)
                                             : fmt::format("{} says two things: {}", what, join_words(present)),
                             present.empty() ? span(instance) : key_span(instance, present[1]));
  problem.help.push_back(fmt::format("write exactly one of {}", join_words(keys, "`", "or")));
  report(std::move(problem));
  return false;
}

void Loader::read_springs() {
  for (const Instance& instance : expand("spring")) {
    if (!exactly_one(instance, {"between", "coordinate"}, "the spring")) continue;
    const Written stiffness = written(instance, "stiffness"), rest = written(instance, "rest");
    const Lowered k = names_.lower(stiffness, Role::kElement), l = names_.lower(rest, Role::kElement);
    const bool sound = k.value && (!has(instance, "rest") || l.value);
    model_.here = span(instance);
    if (const Node* between = instance.node->find("between")) {
      const Ends ends = ends_of(between, instance.indices);
      if (!ends || !sound) continue;
      const DimensionTerm length = ends.a->place.dimension;
      expect(k, kJoule / length.power(2), "a stiffness", stiffness, Measure::kForce);
      if (l.value) expect(l, length, "a rest length", rest);
      model_.spring(ends.a->place.position, ends.b->place.position, k.value, l.value);
    } else if (const Coordinate* coordinate = coordinate_named(instance.node->find("coordinate"), instance.indices);
               coordinate && sound) {
      const DimensionTerm unit = dimension_of(*coordinate);
      expect(k, kJoule / unit.power(2), "a stiffness", stiffness, Measure::kForce);
      if (l.value) expect(l, unit, "a rest value", rest);
      model_.spring(*coordinate, k.value, l.value);
    }
  }
}

void Loader::read_dampers() {
  for (const Instance& instance : expand("damper")) {
    if (!exactly_one(instance, {"between", "coordinate"}, "the damper")) continue;
    const Written damping = written(instance, "damping");
    const Lowered c = names_.lower(damping, Role::kElement);
    model_.here = span(instance);
    if (const Node* between = instance.node->find("between")) {
      const Ends ends = ends_of(between, instance.indices);
      if (!ends || !c.value) continue;
      expect(c, kWatt / (ends.a->place.dimension / Dimension::time()).power(2), "a damping", damping);
      model_.damper(ends.a->place.position, ends.b->place.position, c.value);
    } else if (const Coordinate* coordinate = coordinate_named(instance.node->find("coordinate"), instance.indices);
               coordinate && c.value) {
      expect(c, kWatt / (dimension_of(*coordinate) / Dimension::time()).power(2), "a damping", damping);
      model_.damper(*coordinate, c.value);
    }
  }
}

// Quasi-velocities were read as definitions before; now they are read with the restrictions of their role.
void Loader::read_quasi_velocities() {
  const Node* section_node = section("quasi_velocities");
  if (!section_node) return;
  for (const Entry& entry : section_node->entries) {
    const Definition* known = names_.find(Definition::Kind::kDefine, entry.key);
    if (!known || !known->quasi_velocity || known->state != Definition::State::kDone) continue;
    const Lowered lowered = names_.lower(Written{&entry.node, {}}, Role::kQuasiVelocity);
    if (!lowered.value) continue;
    model_.here = entry.node.text.span();
    const std::size_t before = model_.quasi_velocities.size();
    model_.quasi_velocity(entry.key, lowered.value);
    if (model_.quasi_velocities.size() > before) quasi_velocity_dimensions_.push_back(lowered.dimension);
  }
}

void Loader::read_outputs() {
  for (const Definition* one : names_.all(Definition::Kind::kDefine))
    if (one->state == Definition::State::kDone && !one->quasi_velocity)
      model_.definitions.push_back({one->name, one->result.value, std::nullopt, one->span});
  const Node* outputs = section("outputs");
  if (!outputs) return;
  for (const Entry& entry : outputs->entries) {
    const Span place = document_.key_span(entry);
    if (!is_identifier(entry.key)) {
      usable_name(entry.key, place, "output");
      continue;
    }
    const Lowered lowered = names_.lower(Written{&entry.node, {}}, Role::kOutput);
    if (!lowered.value) continue;
    model_.here = entry.node.text.span();
    model_.output(entry.key, lowered.value);
    output_dimensions_.push_back(lowered.dimension);
  }
}

}  // namespace dalembert::modelfile
