// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/friction_system.h"

#include <algorithm>
#include <utility>

#include "dalembert/base/hypotenuse.h"
#include "dalembert/base/numeric.h"

namespace dalembert {

FrictionSystem::Part::Part(FrictionPart given)
    : where(std::move(given)),
      solver(where.layout),
      change(where.velocities.size(), where.rows.size(), where.frictions.size()) {
  basis.all = false;
  basis.rows.reserve(where.rows.size());
  qdd.resize(where.velocities.size());
  multipliers.resize(where.rows.size() + where.frictions.size());
}

FrictionSystem::FrictionSystem(const Layout& layout)
    : mode(as_size(layout.frictions)),
      acts(as_size(layout.m), 1),
      n_(layout.nv),
      m_(layout.m),
      place_(as_size(layout.frictions)),
      place_of_row_(as_size(layout.m)),
      one_sided_(as_size(layout.m), 0) {
  for (FrictionPart& part : find_friction_parts(layout)) {
    const std::size_t number = parts_.size();
    for (std::size_t j = 0; j < part.frictions.size(); ++j)
      place_[at(part.frictions[j])] = {number, static_cast<int>(j)};
    for (std::size_t r = 0; r < part.rows.size(); ++r) place_of_row_[at(part.rows[r])] = {number, static_cast<int>(r)};
    parts_.push_back(std::make_unique<Part>(std::move(part)));
  }
}

// Passes the mode and the acting rows on to a part.
void FrictionSystem::pass_on(Part& part) const {
  for (std::size_t j = 0; j < part.where.frictions.size(); ++j) part.solver.mode[j] = mode[at(part.where.frictions[j])];
  for (std::size_t r = 0; r < part.where.rows.size(); ++r) part.solver.acts[r] = acts[at(part.where.rows[r])];
}

// The rows of a basis that belong to a part.
const RowBasis& FrictionSystem::own_basis(const RowBasis& basis, Part& part) const {
  if (basis.all || parts_.size() == 1) return basis;
  part.basis.rows.clear();
  for (std::size_t r = 0; r < part.where.rows.size(); ++r)
    if (std::ranges::binary_search(basis.rows, part.where.rows[r])) part.basis.rows.push_back(static_cast<int>(r));
  return part.basis;
}

// Takes a part's accelerations and multipliers out of those of the system.
void FrictionSystem::take(const double* qdd, const double* multipliers, Part& part) const {
  const std::size_t m = part.where.rows.size();
  for (std::size_t i = 0; i < part.qdd.size(); ++i) part.qdd[i] = qdd[part.where.velocities[i]];
  for (std::size_t r = 0; r < m; ++r) part.multipliers[r] = multipliers[part.where.rows[r]];
  for (std::size_t j = 0; j < part.where.frictions.size(); ++j)
    part.multipliers[m + j] = multipliers[m_ + part.where.frictions[j]];
}

// Puts a part's accelerations and multipliers into those of the system.
void FrictionSystem::give(const double* part_qdd, const double* part_multipliers, const Part& part, double* qdd,
                          double* multipliers) const {
  const std::size_t m = part.where.rows.size();
  for (std::size_t i = 0; i < part.where.velocities.size(); ++i) qdd[part.where.velocities[i]] = part_qdd[i];
  for (std::size_t r = 0; r < m; ++r) multipliers[part.where.rows[r]] = part_multipliers[r];
  for (std::size_t j = 0; j < part.where.frictions.size(); ++j)
    multipliers[m_ + part.where.frictions[j]] = part_multipliers[m + j];
}

KktStatus FrictionSystem::solve(const RowBasis& basis, double* qdd, double* multipliers) {
  if (parts_.size() == 1) {
    pass_on(*parts_.front());
    return parts_.front()->solver.solve(basis, qdd, multipliers);
  }
  // The graver status counts: in this order.
  constexpr KktStatus kGrave[] = {KktStatus::kOk, KktStatus::kInconsistent, KktStatus::kSingular,
                                  KktStatus::kNotFinite};
  const KktStatus* worst = kGrave;
  for (const std::unique_ptr<Part>& part : parts_) {
    pass_on(*part);
    const KktStatus status = part->solver.solve(own_basis(basis, *part), part->qdd.data(), part->multipliers.data());
    worst = std::max(worst, std::ranges::find(kGrave, status));
    give(part->qdd.data(), part->multipliers.data(), *part, qdd, multipliers);
  }
  if (*worst == KktStatus::kSingular || *worst == KktStatus::kNotFinite) {
    std::fill_n(qdd, n_, 0.0);
    std::fill_n(multipliers, m_ + count(), 0.0);
  }
  return *worst;
}

bool FrictionSystem::find_stop(const RowBasis& basis, double* change) {
  bool stops = false;
  std::fill_n(change, n_, 0.0);
  for (const std::unique_ptr<Part>& part : parts_) {
    pass_on(*part);
    if (!part->solver.find_stop(own_basis(basis, *part), part->qdd.data())) continue;
    stops = true;
    for (std::size_t i = 0; i < part->qdd.size(); ++i) change[part->where.velocities[i]] = part->qdd[i];
  }
  return stops;
}

void FrictionSystem::measure(const double* qdd, const double* multipliers) {
  for (const std::unique_ptr<Part>& part : parts_) {
    pass_on(*part);
    take(qdd, multipliers, *part);
    part->solver.measure(part->qdd.data(), part->multipliers.data());
  }
}

void FrictionSystem::let_act(const std::vector<char>& rows) {
  acts = rows;
  for (const std::unique_ptr<Part>& part : parts_) {
    pass_on(*part);
    part->solver.let_act(std::vector<char>(part->solver.acts));
  }
}

void FrictionSystem::keep_forces() {
  for (const std::unique_ptr<Part>& part : parts_) part->kept_force = part->solver.largest_force();
}

void FrictionSystem::meet_forces() {
  for (const std::unique_ptr<Part>& part : parts_) part->solver.meet_forces(part->kept_force);
}

bool FrictionSystem::has_negative_inertia() const {
  return std::ranges::any_of(parts_,
                             [](const std::unique_ptr<Part>& part) { return part->solver.has_negative_inertia(); });
}

bool FrictionSystem::sticks() const {
  for (int j = 0; j < count(); ++j)
    if (mode[at(j)].direction == 0 && !is_idle(j)) return true;
  return false;
}

bool FrictionSystem::slides_with_load() const {
  for (int j = 0; j < count(); ++j)
    if (mode[at(j)].direction != 0 && has_load(j) && !is_idle(j)) return true;
  return false;
}

int FrictionSystem::rank() const {
  int sum = 0;
  for (const std::unique_ptr<Part>& part : parts_) sum += part->solver.rank();
  return sum;
}

int FrictionSystem::active() const {
  int sum = 0;
  for (const std::unique_ptr<Part>& part : parts_) sum += part->solver.active();
  return sum;
}

double FrictionSystem::independence() const {
  double least = 1;
  for (const std::unique_ptr<Part>& part : parts_) least = std::min(least, part->solver.independence());
  return least;
}

void FrictionSystem::find_at_rest(double speed, std::vector<char>& at_rest) const {
  at_rest.resize(place_.size());
  std::vector<char> of_part;
  for (const std::unique_ptr<Part>& part : parts_) {
    part->solver.find_at_rest(speed, of_part);
    for (std::size_t j = 0; j < of_part.size(); ++j) at_rest[at(part->where.frictions[j])] = of_part[j];
  }
}

void FrictionSystem::follow(const FrictionSystem& of_run) {
  mode = of_run.mode;
  held = of_run.held;
  for (std::size_t k = 0; k < parts_.size(); ++k) parts_[k]->solver.keep_as(of_run.parts_[k]->solver);
}

void FrictionSystem::add_hold(std::vector<double>& numbers) const {
  for (int j = 0; j < count(); ++j) {
    const FrictionState& state = mode[at(j)];
    numbers.insert(numbers.end(), {static_cast<double>(state.direction), static_cast<double>(state.load), state.along,
                                   of(j).kept_along(own(j)), of(j).begun_along(own(j))});
  }
}

void FrictionSystem::hold(std::span<const double> numbers) {
  for (int j = 0; j < count(); ++j) {
    const double* state = numbers.data() + 5 * at(j);
    mode[at(j)] = {static_cast<int>(state[0]), static_cast<int>(state[1]), state[2]};
    keep_along(j, state[3]);
    begin_along(j, state[4]);
  }
}

void FrictionSystem::keep_along(int j, double speed) { parts_[place_[at(j)].part]->solver.keep_along(own(j), speed); }

void FrictionSystem::begin_along(int j, double speed) { parts_[place_[at(j)].part]->solver.begin_along(own(j), speed); }

void FrictionSystem::turn_along(int j, double x, double y) {
  const double size = hypotenuse(x, y);
  mode[at(j)].along = x / size;
  mode[at(j + 1)].along = y / size;
}

// Joins one solution of each part.
FrictionSolution FrictionSystem::join(const std::vector<FrictionAnswer>& answers,
                                      const std::vector<std::size_t>& choice) const {
  FrictionSolution all{mode, std::vector<double>(at(n_)), std::vector<double>(at(m_) + place_.size())};
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const FrictionPart& where = parts_[p]->where;
    const FrictionSolution& one = answers[p].solutions[choice[p]];
    give(one.qdd.data(), one.multipliers.data(), *parts_[p], all.qdd.data(), all.multipliers.data());
    for (std::size_t j = 0; j < where.frictions.size(); ++j) all.mode[at(where.frictions[j])] = one.mode[j];
    if (one.acts.empty()) continue;
    all.acts.resize(at(m_));
    for (std::size_t r = 0; r < where.rows.size(); ++r) all.acts[at(where.rows[r])] = one.acts[r];
  }
  return all;
}

// The combinations of the solutions of the parts.
FrictionAnswer FrictionSystem::combine(const std::vector<FrictionAnswer>& answers) const {
  FrictionAnswer all;
  bool none = false;
  for (const FrictionAnswer& answer : answers) {
    // A part that has no consistent mode leaves the system none, whatever the others do.
    if (answer.solutions.empty() && answer.complete) return {};
    none = none || answer.solutions.empty();
    all.complete = all.complete && answer.complete;
    all.loads_are_open = all.loads_are_open || answer.loads_are_open;
  }
  if (none) return all;
  std::vector<std::size_t> choice(answers.size(), 0);
  for (bool more = true; more;) {
    if (all.solutions.size() == kMostSolutions) {
      all.complete = false;
      break;
    }
    all.solutions.push_back(join(answers, choice));
    more = false;
    for (std::size_t p = 0; p < choice.size() && !more; ++p) {
      more = ++choice[p] < answers[p].solutions.size();
      if (!more) choice[p] = 0;
    }
  }
  return all;
}

// Decides each part alone: decide(part, its number).
template <class Decide>
FrictionAnswer FrictionSystem::decide_parts(Decide decide) {
  std::vector<FrictionAnswer> answers;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    pass_on(*parts_[p]);
    answers.push_back(decide(*parts_[p], p));
  }
  return parts_.size() == 1 ? std::move(answers.front()) : combine(answers);
}

namespace {

std::vector<char> pick_places(const std::vector<char>& from, const std::vector<int>& places) {
  std::vector<char> picked(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) picked[i] = from[as_size(places[i])];
  return picked;
}

// The number in the part of a friction or row of the system; -1 where it is not one of the part's.
int own_number(int of_system, const std::vector<int>& part) {
  const auto found = std::ranges::lower_bound(part, of_system);
  return found == part.end() || *found != of_system ? -1 : static_cast<int>(found - part.begin());
}

// `exit` with the number that its friction has in the part; -1 where the friction is not one of the part's.
FrictionExit own_exit(FrictionExit exit, const std::vector<int>& part) {
  exit.friction = own_number(exit.friction, part);
  return exit;
}

}  // namespace

FrictionAnswer FrictionSystem::decide(const RowBasis& basis, const std::vector<char>& at_rest,
                                      const FrictionExit& exit) {
  return decide_parts([&](Part& part, std::size_t) {
    const std::vector<int>& frictions = part.where.frictions;
    return part.solver.decide(own_basis(basis, part), pick_places(at_rest, frictions), own_exit(exit, frictions));
  });
}

FrictionAnswer FrictionSystem::decide_with_contacts(const std::vector<int>& rest, int released,
                                                    const std::vector<char>& at_rest, const FrictionExit& exit) {
  std::vector<std::vector<int>> rest_of(parts_.size());
  for (const int row : rest) rest_of[place_of_row_[at(row)].part].push_back(place_of_row_[at(row)].own);
  return decide_parts([&](Part& part, std::size_t p) {
    const std::vector<int>& frictions = part.where.frictions;
    return part.solver.decide_with_contacts(rest_of[p], own_number(released, part.where.rows),
                                            pick_places(at_rest, frictions), own_exit(exit, frictions));
  });
}

// The mode of a part, and which of its rows act.
FrictionSolution FrictionSystem::own_solution(const FrictionSolution& whole, const FrictionPart& where) const {
  FrictionSolution own;
  for (const int j : where.frictions) own.mode.push_back(whole.mode[at(j)]);
  for (const int r : where.rows) own.acts.push_back(whole.acts[at(r)]);
  return own;
}

FrictionAnswer FrictionSystem::strike(const std::vector<int>& hit, const std::vector<double>& rates,
                                      const FrictionSolution* like) {
  std::vector<std::vector<int>> hit_of(parts_.size());
  std::vector<std::vector<double>> rates_of(parts_.size());
  for (std::size_t i = 0; i < hit.size(); ++i) {
    const Place place = place_of_row_[at(hit[i])];
    hit_of[place.part].push_back(place.own);
    rates_of[place.part].push_back(rates[i]);
  }
  return decide_parts([&](Part& part, std::size_t p) {
    if (!hit_of[p].empty()) {
      if (like == nullptr || like->acts.empty()) return part.solver.strike(hit_of[p], rates_of[p]);
      const FrictionSolution own = own_solution(*like, part.where);
      return part.solver.strike(hit_of[p], rates_of[p], &own);
    }
    // Nothing strikes this part: it goes on with its velocities.
    FrictionAnswer unchanged;
    unchanged.solutions.push_back(
        {part.solver.mode, std::vector<double>(part.qdd.size()), std::vector<double>(part.multipliers.size())});
    return unchanged;
  });
}

FrictionAnswer FrictionSystem::find_loads(const RowBasis& basis) {
  return decide_parts([&](Part& part, std::size_t) { return part.solver.find_loads(own_basis(basis, part)); });
}

}  // namespace dalembert
