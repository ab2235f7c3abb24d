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
#include <numeric>
#include <string>
#include <utility>
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
// A motion that is still at its limit after this part of the run stays there; others begin to leave it at the start.
constexpr double kStays = 1e-3;

// Whether a component of `a` and `b` differs by more than a part of the larger, and of `floor`.
bool jumps(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& floor) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= kJumps * std::max({std::abs(a[i]), std::abs(b[i]), floor[i]}))) return true;
  return false;
}

}  // namespace

// The functions of all conditions at (t, y), with the parameters of own_, and their rates; some of them may not be finite. False where there is no motion.
bool Tangents::find_conditions(double t, const double* y, std::vector<double>& values, std::vector<double>& rates) {
  const Switching& switching = branches_->switching();
  std::vector<double> slope;
  if (!find_slope(t, y, slope)) return false;
  evaluate_inputs(own_, t, of_own_.workspace);
  KernelArguments in = kernel_arguments(own_, t, y, y + nq_, of_own_.workspace);
  std::vector<double> work(switching.work_size());
  in.work = work.data();
  in.qdd = slope.data() + nq_;
  switching.watch(in, values.data(), rates.data());
  for (std::size_t k = 0; k < values.size(); ++k)
    if (branches_->is_timed(k))
      values[k] = switching.value(index(branches_->info(k).timed), t, own_.parameters().data(),
                                  of_own_.workspace.u.data(), work.data());
  return true;
}

// What the sides of condition k, which is at its limit at the start, are to a quantity that moves the start across it. They have accelerations that differ there; or,
// where the motion stays at the limit, accelerations whose derivatives by the quantity differ.
Tangents::Sides Tangents::compare_sides(std::size_t k, double limit, const Tangent& by, double h,
                                        const std::vector<double>& tangent) {
  const std::size_t place = own_.parameters().size() - branches_->levels().size() + k;
  const double held = own_.parameters()[place];
  const bool floor = branches_->is_floor(k);
  const auto use = [&](double level) {
    own_.set_parameters(place, std::array{level});
    evaluate_constant_inputs(own_, of_own_.workspace);
  };
  const auto slope_at = [&](double, const double* y, double* values) {
    std::vector<double> slope;
    if (!find_slope(step_.t, y, slope)) return false;
    std::ranges::copy(slope, values);
    return true;
  };
  // Of either side, and with the level that is held: the slopes, their derivatives by the quantity, and those by the displacement that these have soon made of it.
  std::array<std::vector<double>, 3> slopes, along, later, integrands;
  bool found = true;
  for (const std::size_t side : {2, 0, 1}) {
    use(side == 2 ? held : floor ? limit - 1 + static_cast<double>(side) : side == 0 ? -1 : 1);
    found = found && find_slope(step_.t, step_.y.data(), slopes[side]) &&
            differentiate(by, h, tangent.data(), step_.y.data(), n_, slope_at);
    along[side] = result_;
    found = found && find_slope_along(step_.t, step_.y.data(), along[2].data(), 1);
    later[side] = result_;
    if (integrals_ != nullptr) found = found && find_integrands(step_.t, step_.y.data(), integrands[side]);
  }
  use(held);
  if (!found) return Sides::kUnknown;
  // What accelerations change along the displacement of a difference is no jump.
  std::vector<double> change(n_);
  for (std::size_t i = 0; i < n_; ++i) change[i] = h * std::max(std::abs(along[0][i]), std::abs(along[1][i]));
  if (jumps(slopes[0], slopes[1], change) ||
      jumps(integrands[0], integrands[1], std::vector<double>(integrands[0].size())))
    return Sides::kJump;
  if (floor || branches_->level(k) != 0) return Sides::kAlike;
  for (const auto* of : {&along, &later}) {
    const auto most = [](double a, double b) { return std::max(a, std::abs(b)); };
    const std::vector<double>&one = (*of)[0], &other = (*of)[1], &here = (*of)[2];
    const std::vector<double> largest(
        n_, std::accumulate(one.begin() + nq_, one.end(), std::accumulate(other.begin() + nq_, other.end(), 0.0, most),
                            most));
    if (jumps(one, other, largest))
      return jumps(here, one, largest) && jumps(here, other, largest) ? Sides::kBendOfNeither : Sides::kBend;
  }
  return Sides::kAlike;
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

// What is moved at the start by quantities: `moves` has the quantity, its place, and its displacement.
Tangents::MovedBy Tangents::what_moves(const std::function<Moves(const Tangent&, std::size_t, double)>& moves,
                                       const std::vector<std::vector<double>>& tangents) const {
  MovedBy moved;
  for (std::size_t j = 0; j < tangents.size(); ++j) {
    const Tangent& by = options_.tangents[j];
    const double h = by.unknown.empty() ? displacement(by, tangents[j].data()) : 0;
    const Moves found = h > 0 ? moves(by, j, h) : Moves::kNo;
    if (found != Moves::kNo) (found == Moves::kYes ? moved.by : moved.perhaps_by).push_back(by.name);
  }
  return moved;
}

// Says of which quantities derivatives hold on one side, and of which that is not known. `where`: what is at its limit at the start; `beyond`: what is on its other
// side.
void Tangents::warn_of_side(const MovedBy& moved, const std::string& where, const std::string& beyond) {
  if (!moved.by.empty())
    path_.verdict.warnings.push_back(fmt::format("derivatives by {} are those of one side: at the start {}, and {}",
                                                 join_some(moved.by), where, beyond));
  if (!moved.perhaps_by.empty())
    path_.verdict.warnings.push_back(
        fmt::format("derivatives by {} may be those of one side: at the start {}, and beside the start that cannot be "
                    "evaluated",
                    join_some(moved.perhaps_by), where));
}

// Looks for the quantities that move the start across a condition at which it is. At rest on it, those that change its rate do so too.
void Tangents::warn_of_condition(std::size_t k, double limit, double rate,
                                 const std::vector<std::vector<double>>& tangents) {
  const auto at = [&](double, const double* y, double* found) {
    std::vector<double> values(branches_->levels().size()), rates = values;
    if (!find_conditions(step_.t, y, values, rates)) return false;
    found[0] = values[k];
    found[1] = branches_->is_timed(k) ? 0 : rates[k];
    return std::isfinite(found[0]) && std::isfinite(found[1]);
  };
  const double noise = branches_->noise(k);
  const bool rests = std::abs(rate) <= noise;
  Stay stays{k, {}, {}};
  const MovedBy moved = what_moves(
      [&](const Tangent& by, std::size_t j, double h) {
        if (!differentiate(by, h, tangents[j].data(), step_.y.data(), 2, at)) return Moves::kUnknown;
        if (!(std::abs(result_[0]) * h > noise || (rests && std::abs(result_[1]) * h > noise))) return Moves::kNo;
        switch (compare_sides(k, limit, by, h, tangents[j])) {
          case Sides::kAlike:
            return Moves::kNo;
          case Sides::kBend:
            stays.of_one_side.push_back(by.name);
            return Moves::kNo;
          case Sides::kBendOfNeither:
            stays.of_neither.push_back(by.name);
            return Moves::kNo;
          case Sides::kJump:
            return Moves::kYes;
          case Sides::kUnknown:
            break;
        }
        return Moves::kUnknown;
      },
      tangents);
  warn_of_side(moved,
               fmt::format("`{}` {}", branches_->info(k).text, branches_->is_floor(k) ? "is an integer" : "is 0"),
               integrals_ == nullptr ? "on its other side a run begins with other accelerations"
                                     : "on its other side a run begins with other accelerations or integrands");
  if (!stays.of_one_side.empty() || !stays.of_neither.empty()) stays_.push_back(std::move(stays));
}

// Accelerations that bend where a condition is 0 are of one derivative where the motion leaves it at once, and of two where it stays: the run tells.
void Tangents::warn_of_stays(bool at_end) {
  std::erase_if(stays_, [&](const Stay& one) {
    const bool is_there = branches_->level(one.condition) == 0;
    if (is_there && !at_end) return false;
    const bool stayed = is_there || std::abs(step_.t1 - began_) > kStays * std::abs(options_.until - began_);
    for (const auto& [names, side] : {std::pair(&one.of_one_side, "one side"), std::pair(&one.of_neither, "no side")})
      if (stayed && !lost_ && !names->empty())
        path_.verdict.warnings.push_back(
            fmt::format("derivatives by {} are those of {}: the run begins at rest where `{}` is 0, and stays there, "
                        "and on its two sides accelerations change at different rates",
                        join_some(*names), side, branches_->info(one.condition).text));
    return true;
  });
}

// Frictions, forces of contacts and events at their limits: what sticks at its limit slides on the one side; a contact without a force opens; and an event that is passed
// already, or is not reached, happens on the other side.
void Tangents::warn_of_limits(const std::vector<std::vector<double>>& tangents) {
  for (const std::size_t guard : guards_->limits_at_start()) {
    const MovedBy moved = what_moves(
        [&](const Tangent& by, std::size_t j, double h) {
          return guards_->moves_at_start(guard, {tangents[j], by.parameters, h});
        },
        tangents);
    warn_of_side(moved, guards_->description_of(guard) + " is at its limit",
                 "on the other side of that a run goes on differently");
  }
}

// A start that is moved off a closed contact, or into it, flies or strikes first, and one at which a friction that sticks is given a speed slides first; the derivatives are
// those of starts that stay as they are.
void Tangents::warn_of_staying(const std::vector<std::vector<double>>& tangents) {
  const auto warn = [&](const MovedBy& moved, const std::string& stay, const char* beside, const char* what) {
    for (const auto& [names, are] : {std::pair(&moved.by, "are"), std::pair(&moved.perhaps_by, "may be")})
      if (!names->empty())
        path_.verdict.warnings.push_back(
            fmt::format("derivatives by {} {} those of starts {}: {}", join_some(*names), are, stay,
                        names == &moved.by ? beside : fmt::format("beside the start {} cannot be evaluated", what)));
  };
  for (const std::size_t contact : guards_->closed_contacts()) {
    const MovedBy moved = what_moves(
        [&](const Tangent& by, std::size_t j, double h) {
          return guards_->leaves_contact_at_start(contact, {tangents[j], by.parameters, h});
        },
        tangents);
    warn(moved,
         fmt::format("that stay on the contact `{}`, which is closed at the start", guards_->name_of_contact(contact)),
         "beside it a run begins with a flight or an impact", "its gap");
  }
  const std::vector<std::size_t> sticking = guards_->sticking_frictions();
  if (sticking.empty()) return;
  std::vector<Moves> slide(sticking.size(), Moves::kNo);  // by any of the quantities
  const MovedBy moved = what_moves(
      [&](const Tangent& by, std::size_t j, double h) {
        const std::vector<Moves> found = guards_->slide_at_start(sticking, {tangents[j], by.parameters, h});
        for (std::size_t f = 0; f < found.size(); ++f) slide[f] = std::max(slide[f], found[f]);
        return *std::ranges::max_element(found);
      },
      tangents);
  std::vector<std::string> names;
  for (std::size_t f = 0; f < sticking.size(); ++f)
    if (slide[f] != Moves::kNo) names.push_back(guards_->name_of_friction(sticking[f]));
  warn(moved,
       names.size() == 1 ? fmt::format("at which the friction {} sticks, as it does at this one", join_some(names))
                         : fmt::format("at which the frictions {} stick, as they do at this one", join_some(names)),
       "beside it a run begins with a slide", "a sliding speed");
}

// What cannot be evaluated at the start may be at a limit there.
void Tangents::warn_of_unknown_condition(std::size_t k) {
  std::vector<std::string> names;
  for (const Tangent& by : options_.tangents) names.push_back(by.name);
  path_.verdict.warnings.push_back(
      fmt::format("derivatives by {} may be those of one side: at the start `{}` or its rate cannot be evaluated, so "
                  "whether that is at its limit is not known",
                  join_some(names), branches_->info(k).text));
}

void Tangents::warn_of_sides() {
  if (lost_ || branches_ == nullptr) return;
  const std::vector<std::vector<double>> tangents = tangents_of_start();
  std::vector<double> here(branches_->levels().size()), rates = here;
  const bool known = here.empty() || find_conditions(step_.t, step_.y.data(), here, rates);
  for (std::size_t k = 0; k < here.size(); ++k) {
    if (!known || !std::isfinite(here[k]) || (!branches_->is_timed(k) && !std::isfinite(rates[k]))) {
      warn_of_unknown_condition(k);
      continue;
    }
    const double limit = branches_->is_floor(k) ? std::round(here[k]) : 0;
    if (std::abs(here[k] - limit) <= branches_->noise(k))
      warn_of_condition(k, limit, branches_->is_timed(k) ? 1 : rates[k], tangents);
  }
  evaluate_inputs(own_, step_.t, of_own_.workspace);
  if (guards_ == nullptr) return;
  warn_of_limits(tangents);
  warn_of_staying(tangents);
}

}  // namespace dalembert::integration
