// SPDX-License-Identifier: Apache-2.0
// [[friction]]: dry friction that depends on a normal force (theory §8).
#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/model/limit_words.h"
#include "dalembert/model/roles.h"
#include "dalembert/modelfile/loader.h"

namespace dalembert::modelfile {

void Loader::read_frictions() {
  for (const Instance& instance : expand("friction")) {
    const std::string name = name_of(instance);
    const Span place = instance.node->find("name") ? instance.node->find("name")->text.span() : span(instance);
    if (!usable_name(name, place, "friction")) continue;
    const std::size_t before = model_.frictions.size();
    read_friction(instance, name);
    if (model_.frictions.size() == before) names_.add_silent_row("friction(" + name + ")");
  }
}

bool Loader::is_possible(double coefficient, const std::string& friction, const Written& written) {
  std::string why = refuse_coefficient(friction, coefficient);
  if (why.empty()) return true;
  Diagnostic problem = error("E0274", std::move(why), names_.text_span(written));
  problem.help.emplace_back("friction opposes the motion: state its coefficient as a number that is not negative");
  report(std::move(problem));
  return false;
}

// Checks coefficients that are made of numbers and parameters only; all others have values only during a motion.
bool Loader::has_possible_coefficients(const Instance& instance, const std::string& name, const Expr& sliding,
                                       const Expr& sticking) {
  const double mu = value_of(sliding), mu_s = value_of(sticking);
  if (!is_possible(mu, name, written(instance, "coefficient"))) return false;
  std::string why = refuse_static(name, mu_s, mu);
  if (why.empty()) return true;
  Diagnostic problem = error("E0274", std::move(why), names_.text_span(written(instance, "static")));
  problem.help.push_back(
      fmt::format("`static` is not below `coefficient`: give it at least {}, or leave it out where both are the same",
                  to_text(mu, 6)));
  report(std::move(problem));
  return false;
}

void Loader::read_friction(const Instance& instance, const std::string& name) {
  for (const char* key : {"normal", "velocity", "coefficient"})
    if (!has(instance, key)) return;
  const Lowered normal = names_.lower(written(instance, "normal"), Role::kNormalForce);
  const std::vector<Written> speeds = vector_of(instance, "velocity");
  if (speeds.empty() || speeds.size() > 2)
    return report(error("E0271", fmt::format("the friction `{}` has {} sliding speeds", name, speeds.size()),
                        key_span(instance, "velocity"), "state one, or two in perpendicular directions"));
  std::vector<Lowered> velocity;
  for (const Written& speed : speeds) velocity.push_back(names_.lower(speed, Role::kPfaffian));
  const Lowered coefficient = names_.lower(written(instance, "coefficient"), Role::kForce);
  const bool has_static = has(instance, "static"), has_viscous = has(instance, "viscous");
  Lowered at_rest, viscous;
  if (has_static) at_rest = names_.lower(written(instance, "static"), Role::kForce);
  if (has_viscous) viscous = names_.lower(written(instance, "viscous"), Role::kForce);
  const bool good = normal.value && velocity.front().value && velocity.back().value && coefficient.value &&
                    (!has_static || at_rest.value) && (!has_viscous || viscous.value);
  if (!good) return;
  // Units follow from: f v_s is a power, f = mu N, and f = c v_s.
  const DimensionTerm speed = velocity.front().dimension, force = DimensionTerm(Dimension::power_unit()) / speed;
  if (speeds.size() == 2)
    expect(velocity[1], speed, fmt::format("the second sliding speed of the friction `{}`", name), speeds[1]);
  expect(coefficient, Dimension::none(), fmt::format("the coefficient of the friction `{}`", name),
         written(instance, "coefficient"));
  if (has_static)
    expect(at_rest, Dimension::none(), fmt::format("the static coefficient of the friction `{}`", name),
           written(instance, "static"));
  expect(normal, force, fmt::format("the normal force of the friction `{}`", name), written(instance, "normal"),
         Measure::kForce);
  if (has_viscous)
    expect(viscous, force / speed, fmt::format("the viscous coefficient of the friction `{}`", name),
           written(instance, "viscous"));
  if (!has_possible_coefficients(instance, name, coefficient.value, has_static ? at_rest.value : coefficient.value))
    return;
  model_.here = instance.node->find("name")->text.span();
  FrictionDescription description{normal.value, velocity.front().value, coefficient.value};
  if (speeds.size() == 2) description.velocity = Vector{velocity[0].value, velocity[1].value};
  if (has_static) description.static_coefficient = at_rest.value;
  if (has_viscous) description.viscous = viscous.value;
  const std::size_t before = model_.frictions.size();
  add_friction(name, description, force);
  for (std::size_t i = before; i < model_.frictions.size(); ++i) {
    Friction& made = model_.frictions[i];
    made.span = span(instance);
    made.normal_span = names_.text_span(written(instance, "normal"));
    made.velocity_span = names_.text_span(speeds[i - before]);
  }
}

void Loader::add_friction(const std::string& name, const FrictionDescription& description, const DimensionTerm& force) {
  const std::size_t before = model_.frictions.size();
  model_.friction(name, description);
  for (std::size_t i = before; i < model_.frictions.size(); ++i) {
    friction_dimensions_.push_back(force);
    names_.add_row("friction(" + model_.frictions[i].name + ")", model_.frictions[i].force, force);
  }
}

// `friction = "mu"` beside a contact: a friction with the contact's name, normal force and sliding speed.
void Loader::read_contact_friction(const Instance& instance, const std::string& name) {
  const Written coefficient = written(instance, "friction");
  const Lowered mu = names_.lower(coefficient, Role::kForce);
  if (!mu.value) return;
  expect(mu, Dimension::none(), fmt::format("the coefficient of the friction `{}`", name), coefficient);
  if (!is_possible(value_of(mu.value), name, coefficient)) return;
  model_.here = key_span(instance, "friction");
  const Vector speed = model_.sliding_speed(name);
  if (speed.empty()) return;
  const DimensionTerm length = row_dimensions_.back();
  add_friction(name, {model_.constraints.back().rows.front().lambda, speed, mu.value},
               DimensionTerm(Dimension::energy()) / length);
}

}  // namespace dalembert::modelfile
