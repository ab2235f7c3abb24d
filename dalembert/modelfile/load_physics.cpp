// SPDX-License-Identifier: Apache-2.0
// Energies, springs, dampers, constraints, forces, outputs: expressions that become part of the model, each with the
// dimension its place in the theory asks for.
#include <fmt/format.h>

#include "dalembert/base/text.h"
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

// The two ends of a spring, damper or distance: null positions after a report.
struct Loader::Ends {
  const Definition *a = nullptr, *b = nullptr;
  explicit operator bool() const { return a && b; }
};

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

bool Loader::exactly_one(const Instance& instance, std::initializer_list<const char*> keys, std::string_view what) {
  std::vector<std::string> present, all(keys.begin(), keys.end());
  for (const char* key : keys)
    if (has(instance, key)) present.push_back(key);
  if (present.size() == 1) return true;
  Diagnostic problem = error("E0012",
                             present.empty() ? fmt::format("{} says nothing", what)
                                             : fmt::format("{} says two things: {}", what, join_words(present)),
                             present.empty() ? span(instance) : key_span(instance, present[1]));
  problem.help.push_back(fmt::format("write exactly one of {}", join_words(all, "`", "or")));
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

void Loader::read_constraints() {
  for (const Instance& instance : expand("constraint")) {
    const std::string name = name_of(instance);
    const Span place = instance.node->find("name") ? instance.node->find("name")->text.span() : span(instance);
    if (!usable_name(name, place, "constraint")) continue;
    const std::size_t before = model_.constraints.size();
    const bool later = has(instance, "no_skid") || has(instance, "no_slip");
    if (!later && exactly_one(instance, {"holonomic", "pfaffian", "coincide", "distance"},
                              fmt::format("the constraint `{}`", name)))
      read_constraint(instance, name);
    if (model_.constraints.size() == before) {
      names_.add_silent_row(name);
      continue;
    }
    // λ is in J/[h] or W/[η].
    Constraint& made = model_.constraints.back();
    const DimensionTerm whole = made.form == ConstraintForm::kPfaffian ? kWatt : kJoule;
    for (std::size_t i = 0; i < made.rows.size(); ++i) {
      const DimensionTerm row = row_units_.size() == 1 ? row_units_[0] : row_units_[i];
      row_dimensions_.push_back(row);
      names_.add_row(made.rows[i].name, made.rows[i].lambda, whole / row);
    }
  }
}

void Loader::read_constraint(const Instance& instance, const std::string& name) {
  model_.here = span(instance);
  if (const Node* name_node = instance.node->find("name")) model_.here = name_node->text.span();
  row_units_.clear();
  for (const char* form : {"holonomic", "pfaffian"}) {
    const Node* node = instance.node->find(form);
    if (!node) continue;
    const bool holonomic = std::string_view(form) == "holonomic";
    std::vector<Written> texts;
    if (node->is(Node::Type::kArray)) {
      for (const Node& item : node->items) texts.push_back({&item, instance.indices});
    } else {
      texts.push_back({node, instance.indices});
    }
    std::vector<Expr> rows;
    for (const Written& text : texts) {
      const Lowered row = names_.lower(text, holonomic ? Role::kHolonomic : Role::kPfaffian, true);
      if (row.value) rows.push_back(row.value);
      row_units_.push_back(row.dimension);
    }
    if (rows.size() < texts.size()) return;
    model_.here = names_.span(texts[0]);
    const std::size_t before = model_.constraints.size();
    if (holonomic)
      model_.holonomic(name, rows);
    else
      model_.pfaffian(name, rows);
    if (model_.constraints.size() == before) return;
    for (std::size_t i = 0; i < texts.size(); ++i) model_.constraints.back().rows[i].span = names_.text_span(texts[i]);
    model_.constraints.back().span = span(instance);
    return;
  }
  const Node* coincide = instance.node->find("coincide");
  const Node* distance = instance.node->find("distance");
  const Ends ends = ends_of(coincide ? coincide : distance ? distance->find("between") : nullptr, instance.indices);
  const std::size_t before = model_.constraints.size();
  if (coincide && ends) {
    row_units_ = {ends.a->place.dimension};
    model_.coincide(name, ends.a->place.position, ends.b->place.position);
  } else if (distance) {
    const Written value{distance->find("value"), instance.indices};
    const Lowered length = names_.lower(value, Role::kElement);
    if (!ends || !length.value) return;
    expect(length, ends.a->place.dimension, "a distance", value);
    row_units_ = {ends.a->place.dimension};
    model_.distance(name, ends.a->place.position, ends.b->place.position, length.value);
  }
  if (model_.constraints.size() == before) return;
  model_.constraints.back().points = {ends.a->name, ends.b->name};
  model_.constraints.back().span = span(instance);
  for (ConstraintRow& row : model_.constraints.back().rows) row.span = document_.span(coincide ? *coincide : *distance);
}

void Loader::read_forces() {
  for (const Instance& instance : expand("force"))
    if (exactly_one(instance, {"at", "body", "coordinate", "power"}, "the force")) read_force(instance);
}

void Loader::read_force(const Instance& instance) {
  // Each form has its own second key; one that belongs to another form would be ignored, so it is refused.
  struct Form {
    const char *key, *partner;
  };
  static constexpr Form kForms[] = {{"at", "vector"}, {"body", "torque"}, {"coordinate", "value"}, {"power", nullptr}};
  for (const Form& form : kForms) {
    if (!form.partner) continue;
    if (has(instance, form.key) && !has(instance, form.partner))
      return report(error("E0007", fmt::format("the key `{}` is missing", form.partner), key_span(instance, form.key),
                          fmt::format("`{}` needs `{}`", form.key, form.partner)));
    if (!has(instance, form.key) && has(instance, form.partner))
      return report(error("E0012", fmt::format("`{}` goes with `{}` only", form.partner, form.key),
                          key_span(instance, form.partner)));
  }
  model_.here = span(instance);
  if (has(instance, "power")) {
    const Written text = written(instance, "power");
    const Lowered power = names_.lower(text, Role::kForce);
    if (!power.value) return;
    expect(power, kWatt, "the power of a force", text);
    model_.here = names_.text_span(text);
    model_.power(power.value);
  } else if (has(instance, "coordinate")) {
    const Coordinate* coordinate = coordinate_named(instance.node->find("coordinate"), instance.indices);
    const Written text = written(instance, "value");
    const Lowered value = names_.lower(text, Role::kForce);
    if (!coordinate || !value.value) return;
    expect(value, kJoule / dimension_of(*coordinate), fmt::format("a force on `{}`", coordinate->name), text,
           Measure::kForce);
    model_.here = names_.text_span(text);
    model_.generalized_force(*coordinate, value.value);
  } else if (has(instance, "body")) {
    const Written text = written(instance, "torque");
    const Lowered torque = names_.lower(text, Role::kForce);
    expect(torque, kJoule, "a torque", text, Measure::kForce);
    const Expr angle = angle_of_body(instance);
    if (torque.value && angle) model_.torque(angle, torque.value);
  } else {
    const Definition* point = point_named(instance.node->find("at"), instance.indices);
    const std::vector<Written> components = vector_of(instance, "vector");
    const Place vector = names_.lower_vector(components, Role::kForce);
    if (!point || vector.position.empty()) return;
    if (vector.position.size() != point->place.position.size())
      return report(error(
          "E0216",
          fmt::format("{} components where the model has {}", vector.position.size(), point->place.position.size()),
          document_.span(*instance.node->find("vector"))));
    expect_dimension({vector.position[0], vector.dimension, false}, kJoule / point->place.dimension, "a force",
                     names_.text_span(components[0]), names_, diagnostics_, Measure::kForce);
    model_.force(point->place.position, vector.position);
  }
}

Expr Loader::angle_of_body(const Instance& instance) {
  const Node* node = instance.node->find("body");
  const auto name = text_of(node, instance.indices);
  if (!name || failed_bodies_.contains(*name)) return {};
  std::vector<std::string> known;
  for (const Body& body : model_.bodies) {
    known.push_back(body.name);
    if (body.name != *name) continue;
    if (body.angle) return body.angle;
    report(error("E0224", fmt::format("the body `{}` has no angle for a torque to act on", *name), node->text.span()));
    diagnostics_.back().help.push_back("give it `angle` and `inertia`");
    return {};
  }
  if (!reported_entries_.insert(node).second) return {};
  Diagnostic problem = error("E0102", fmt::format("unknown body `{}`", *name), node->text.span());
  if (const auto similar = nearest(*name, known)) problem.help.push_back(fmt::format("did you mean `{}`?", *similar));
  report(std::move(problem));
  return {};
}

void Loader::read_outputs() {
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
