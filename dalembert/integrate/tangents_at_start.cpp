// SPDX-License-Identifier: Apache-2.0
// Derivatives by quantities that move the start across a condition: they hold on the side to which the motion goes.
//
// At the start a condition g(q, q̇, t, p) is 0, and the motion leaves with the branch towards which g goes. A start that is displaced so that g has the other
// sign runs with the other branch until g is 0. If the accelerations of the two branches differ there by Δ, that time, −δg/ġ, changes the velocities
// by Δ δg/ġ, so the derivatives of the two sides differ. Without a jump (a kink) the change is of second order, and there is one derivative.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/switching.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/integrate/tangents.h"

namespace dalembert::integration {
namespace {

// Accelerations jump if they differ by more than this part of the larger; less changes a derivative by no more than this part.
constexpr double kJumps = 1e-6;

bool differ(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= kJumps * std::max(std::abs(a[i]), std::abs(b[i])))) return true;
  return false;
}

}  // namespace

// The functions of all conditions at (t, y), with the parameters of own_.
bool Tangents::find_conditions(double t, const double* y, std::vector<double>& values) {
  const Switching& switching = branches_->switching();
  evaluate_inputs(own_, t, of_own_.workspace);
  KernelArguments in = kernel_arguments(own_, t, y, y + nq_, of_own_.workspace);
  std::vector<double> work(switching.work_size()), rates(values.size()), none(index(nv_));
  in.work = work.data();
  in.qdd = none.data();
  switching.watch(in, values.data(), rates.data());
  for (std::size_t k = 0; k < values.size(); ++k)
    if (branches_->is_timed(k))
      values[k] = switching.value(index(branches_->info(k).timed), t, own_.parameters().data(),
                                  of_own_.workspace.u.data(), work.data());
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

// Whether condition k, which is at its limit at the start, chooses between accelerations that differ there; at rest on it, where the motion stays, between
// accelerations whose derivatives along this tangent differ.
bool Tangents::chooses(std::size_t k, double limit, const std::vector<double>& tangent) {
  const std::size_t place = own_.parameters().size() - branches_->levels().size() + k;
  const double held = own_.parameters()[place];
  const bool floor = branches_->is_floor(k), stays = !floor && branches_->level(k) == 0;
  const auto use = [&](double level) {
    own_.set_parameters(place, std::array{level});
    evaluate_constant_inputs(own_, of_own_.workspace);
  };
  std::array<std::vector<double>, 2> slopes, along;
  bool found = true;
  for (const std::size_t side : {0, 1}) {
    use(floor ? limit - 1 + static_cast<double>(side) : side == 0 ? -1 : 1);
    found = found && find_slope(step_.t, step_.y.data(), slopes[side]) &&
            (!stays || find_slope_along(step_.t, step_.y.data(), tangent.data(), 1));
    if (stays) along[side] = result_;
  }
  use(held);
  return !found || differ(slopes[0], slopes[1]) || (stays && differ(along[0], along[1]));
}

// The derivatives of the start as they were asked for; with the adjoint, tangent_ are others.
std::vector<std::vector<double>> Tangents::tangents_of_start() const {
  std::vector<std::vector<double>> tangents;
  for (const Tangent& one : options_.tangents) {
    tangents.push_back(one.q);
    tangents.back().insert(tangents.back().end(), one.v.begin(), one.v.end());
  }
  return tangents;
}

// The names of the quantities that move something: `moves` has the quantity, its place, and its displacement.
std::vector<std::string> Tangents::names_that_move(
    const std::function<bool(const Tangent&, std::size_t, double)>& moves,
    const std::vector<std::vector<double>>& tangents) const {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < tangents.size(); ++j) {
    const Tangent& by = options_.tangents[j];
    if (const double h = displacement(by, tangents[j].data()); h > 0 && moves(by, j, h)) names.push_back(by.name);
  }
  return names;
}

// The quantities that move the start across a condition at which it is, where its sides have other accelerations.
std::vector<std::string> Tangents::names_across_condition(std::size_t condition, double limit,
                                                          const std::vector<std::vector<double>>& tangents) {
  const auto at = [&](double, const double* y, double* values) {
    std::vector<double> all(branches_->levels().size());
    const bool found = find_conditions(step_.t, y, all);
    values[0] = all[condition];
    return found;
  };
  return names_that_move(
      [&](const Tangent& by, std::size_t j, double h) {
        return differentiate(by, h, tangents[j].data(), step_.y.data(), 1, at) &&
               std::abs(result_[0]) * h > branches_->noise(condition) && chooses(condition, limit, tangents[j]);
      },
      tangents);
}

// Frictions, forces of contacts and events at their limits: what sticks at its limit slides on the one side; a contact without a force opens; and an event that is passed
// already, or is not reached, happens on the other side.
void Tangents::warn_of_limits(const std::vector<std::vector<double>>& tangents) {
  for (const std::size_t guard : guards_->limits_at_start()) {
    const std::vector<std::string> names = names_that_move(
        [&](const Tangent& by, std::size_t j, double h) {
          return guards_->moves_at_start(guard, {tangents[j], by.parameters, h});
        },
        tangents);
    if (names.empty()) continue;
    path_.verdict.warnings.push_back(
        fmt::format("derivatives by {} are those of one side: at the start {} is at its limit, and on the other side "
                    "of that a run goes on differently",
                    join_words(names), guards_->description_of(guard)));
  }
}

// A start that is moved off a closed contact, or into it, flies or strikes first; the derivatives are those of starts that stay on it.
void Tangents::warn_of_touching(const std::vector<std::vector<double>>& tangents) {
  for (const std::size_t contact : guards_->closed_contacts()) {
    const std::vector<std::string> names = names_that_move(
        [&](const Tangent& by, std::size_t j, double h) {
          return guards_->leaves_contact_at_start(contact, {tangents[j], by.parameters, h});
        },
        tangents);
    if (names.empty()) continue;
    path_.verdict.warnings.push_back(
        fmt::format("derivatives by {} are those of starts that stay on the contact `{}`, which is closed at the "
                    "start: beside it a run begins with a flight or an impact",
                    join_words(names), guards_->name_of_contact(contact)));
  }
}

void Tangents::warn_of_sides() {
  if (lost_ || branches_ == nullptr) return;
  const std::vector<std::vector<double>> tangents = tangents_of_start();
  std::vector<double> here(branches_->levels().size());
  const bool known = here.empty() || find_conditions(step_.t, step_.y.data(), here);
  for (std::size_t k = 0; known && k < here.size(); ++k) {
    const double limit = branches_->is_floor(k) ? std::round(here[k]) : 0;
    if (!(std::abs(here[k] - limit) <= branches_->noise(k))) continue;
    if (const std::vector<std::string> names = names_across_condition(k, limit, tangents); !names.empty())
      path_.verdict.warnings.push_back(
          fmt::format("derivatives by {} are those of one side: at the start `{}` {}, and on its other side a run "
                      "begins with other "
                      "accelerations",
                      join_words(names), branches_->info(k).text, branches_->is_floor(k) ? "is an integer" : "is 0"));
  }
  evaluate_inputs(own_, step_.t, of_own_.workspace);
  if (guards_ == nullptr) return;
  warn_of_limits(tangents);
  warn_of_touching(tangents);
}

}  // namespace dalembert::integration
