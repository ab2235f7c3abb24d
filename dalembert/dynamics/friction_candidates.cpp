// SPDX-License-Identifier: Apache-2.0
// Leaves out modes that cannot be consistent, before any mode is solved for: branch and bound over the states of contacts and frictions.
//
// With M⁻¹ all rates of gaps and all rates of sliding speeds are affine in x, the multipliers of the rows and the friction forces. A state of a
// contact or friction gives a few linear inequalities for x. A contact or friction whose state is not chosen yet gives the inequalities that all its
// states share: λ >= 0 and ḧ >= 0, |f| <= μ N. If the inequalities of some chosen states have no common point, no mode with these states is consistent.
// The inequalities are loosened by kLoose, far above the round-off by which FrictionSolver::is_consistent() judges, so no consistent mode is lost.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>

#include "dalembert/base/hypotenuse.h"
#include "dalembert/dynamics/friction.h"
#include "dalembert/dynamics/halfspaces.h"

namespace dalembert {
namespace {

// Inequalities with a normal of length 1 are loosened by this, where the largest acceleration without the multipliers is 1.
constexpr double kLoose = 1e-6;
// A motion with a pivot of M below this fraction of its row has no inertia.
constexpr double kNoMass = 1e-12;
// A search that comes to more parts of modes than this is given up.
constexpr int kMostParts = 20'000;

}  // namespace

class FrictionSolver::ModeSearch {
 public:
  ModeSearch(const FrictionSolver& solver, const std::vector<int>& rest, const std::vector<char>& at_rest)
      : s_(solver), rest_(rest), at_rest_(at_rest), in_rest_(at(solver.m_), 0) {
    for (const int row : rest) in_rest_[at(row)] = 1;
  }
  /// False where there is no M⁻¹, or where there are too many parts.
  bool run(std::vector<ModeCandidate>& found);

 private:
  // A number that is affine in x.
  struct Affine {
    std::vector<double> slope;
    double value = 0;
  };
  struct Option {
    FrictionState state;  // of a friction; of a contact `direction` is 1 where it is closed, 0 where it is open
    int ordinal = 0;      // its place in the list of options
    std::vector<std::size_t> inequalities;
  };
  struct Choice {
    int contact = -1, friction = -1;  // the place in `rest`, or the number of the friction; −1: it is the other
    std::vector<Option> options;
    Option idle;  // of a friction that nothing presses
  };

  bool find_rates();
  bool scale();
  std::size_t require(const Affine& not_negative);
  Affine sum(const Affine& a, double factor, const Affine& b) const;
  void require_zero(const Affine& zero, std::vector<std::size_t>& list);
  void add_contact(std::size_t place);
  void add_friction(std::size_t place);
  void add_plane(std::size_t place);
  void add_choices();
  bool never_pulls(std::size_t j) const;
  bool is_idle(std::size_t j, std::uint64_t closed) const;
  bool descend(std::size_t depth, Halfspaces space, ModeCandidate& part, std::vector<ModeCandidate>& found);

  const FrictionSolver& s_;
  const std::vector<int>& rest_;
  const std::vector<char>& at_rest_;
  std::vector<char> in_rest_;                     // for each row
  std::vector<int> variable_of_;                  // of each row; −1: it does not act
  std::vector<std::size_t> frictions_;            // frictions that may exert a force (is_pressed)
  std::size_t rows_ = 0, variables_ = 0;          // the variables are rows_ rows, then frictions_
  std::vector<Affine> rate_;                      // of the gap or sliding speed that belongs to each variable
  std::vector<double> terms_;                     // sizes of their terms without the multipliers
  std::vector<Affine> force_, normal_, viscous_;  // of each of frictions_: f, N, and what of f does not depend on N
  std::vector<double> normals_, offsets_;         // all inequalities
  std::vector<std::size_t> common_;               // those of all modes
  std::vector<Choice> choices_;
  int parts_ = 0;
};

// The rates of the rows and of the sliding speeds as functions of the forces.
bool FrictionSolver::ModeSearch::find_rates() {
  const std::size_t n = at(s_.n_), m = at(s_.m_);
  SmallLu mass;
  mass.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) mass(i, j) = s_.M_[i * n + j];
  if (!mass.factor(kNoMass)) return false;
  variable_of_.assign(m, -1);
  std::vector<std::vector<double>> response;  // v̇ by a unit of each variable
  std::vector<const double*> gradient;
  std::vector<double> known;
  for (std::size_t r = 0; r < m; ++r) {
    if (s_.acts[r] == 0 && in_rest_[r] == 0) continue;
    variable_of_[r] = static_cast<int>(rows_++);
    std::vector<double>& column = response.emplace_back(n);
    for (std::size_t i = 0; i < n; ++i) column[i] = s_.W_[r * n + i] + s_.Phi_[i * m + r];
    gradient.push_back(s_.W_.data() + r * n);
    known.push_back(s_.gamma_[r]);
  }
  for (std::size_t j = 0; j < at(s_.k_); ++j) {
    if (!s_.is_pressed(j, [this](std::size_t r) { return variable_of_[r] >= 0; })) continue;
    frictions_.push_back(j);
    std::vector<double>& column = response.emplace_back(n);
    for (std::size_t i = 0; i < n; ++i) column[i] = -s_.C_[j * n + i];
    gradient.push_back(s_.C_.data() + j * n);
    known.push_back(s_.speed_rate_[j]);
  }
  variables_ = response.size();
  for (std::vector<double>& column : response) mass.solve(column.data());
  std::vector<double> free = s_.f_;
  mass.solve(free.data());
  for (std::size_t p = 0; p < variables_; ++p) {
    Affine& rate = rate_.emplace_back(Affine{std::vector<double>(variables_), known[p]});
    terms_.push_back(std::abs(known[p]));
    for (std::size_t i = 0; i < n; ++i) {
      const double term = gradient[p][i] * free[i];
      rate.value += term;
      terms_[p] += std::abs(term);
      for (std::size_t q = 0; q < variables_; ++q) rate.slope[q] += gradient[p][i] * response[q][i];
    }
  }
  return true;
}

// Scales rates and forces so that each rate responds by 1 to its own force, and the largest of those without forces is 1.
bool FrictionSolver::ModeSearch::scale() {
  std::vector<double> unit(variables_);  // the force of each variable is unit · x, with the scale of accelerations
  double size = 0;
  for (std::size_t p = 0; p < variables_; ++p) {
    const double own = p < rows_ ? rate_[p].slope[p] : -rate_[p].slope[p];
    if (!(own > 0) || !std::isfinite(own)) return false;
    unit[p] = 1 / std::sqrt(own);
    size = std::max(size, terms_[p] * unit[p]);
  }
  for (std::size_t a = 0; a < frictions_.size(); ++a) {
    const std::size_t j = frictions_[a];
    size = std::max(size, (std::abs(s_.N0_[j]) + std::abs(s_.viscous_[j] * s_.speed_[j])) / unit[rows_ + a]);
  }
  if (!std::isfinite(size)) return false;
  if (size == 0) size = 1;
  for (std::size_t p = 0; p < variables_; ++p) {
    rate_[p].value *= unit[p] / size;
    for (std::size_t q = 0; q < variables_; ++q) rate_[p].slope[q] *= unit[p] * unit[q];
  }
  for (std::size_t a = 0; a < frictions_.size(); ++a) {
    const std::size_t j = frictions_[a];
    const double own = unit[rows_ + a];
    force_.push_back({std::vector<double>(variables_), 0});
    force_[a].slope[rows_ + a] = 1;
    viscous_.push_back({std::vector<double>(variables_), s_.viscous_[j] * s_.speed_[j] / (own * size)});
    normal_.push_back({std::vector<double>(variables_), s_.N0_[j] / (own * size)});
    for (std::size_t r = 0; r < at(s_.m_); ++r)
      if (const int p = variable_of_[r]; p >= 0)
        normal_[a].slope[at(p)] = s_.load_[j * at(s_.m_) + r] * unit[at(p)] / own;
  }
  return true;
}

FrictionSolver::ModeSearch::Affine FrictionSolver::ModeSearch::sum(const Affine& a, double factor,
                                                                   const Affine& b) const {
  Affine all = a;
  for (std::size_t p = 0; p < variables_; ++p) all.slope[p] += factor * b.slope[p];
  all.value += factor * b.value;
  return all;
}

// The inequality `not_negative` >= 0; one without a slope, which round-off may decide, says nothing.
std::size_t FrictionSolver::ModeSearch::require(const Affine& not_negative) {
  double length = 0;
  for (const double slope : not_negative.slope) length += slope * slope;
  length = std::sqrt(length);
  const double inverse = length > 0 ? 1 / length : 0;
  for (const double slope : not_negative.slope) normals_.push_back(slope * inverse);
  offsets_.push_back(length > 0 ? -not_negative.value * inverse - kLoose : -1);
  return offsets_.size() - 1;
}

void FrictionSolver::ModeSearch::require_zero(const Affine& zero, std::vector<std::size_t>& list) {
  list.push_back(require(zero));
  list.push_back(require(sum(zero, -2, zero)));
}

void FrictionSolver::ModeSearch::add_contact(std::size_t place) {
  const std::size_t p = at(variable_of_[at(rest_[place])]);
  Affine force{std::vector<double>(variables_), 0};
  force.slope[p] = 1;
  common_.push_back(require(force));
  common_.push_back(require(rate_[p]));
  Choice choice;
  choice.contact = static_cast<int>(place);
  choice.options = {{{1, 1}, 0, {require(sum(rate_[p], -2, rate_[p]))}}, {{0, 1}, 1, {require(sum(force, -2, force))}}};
  choices_.push_back(std::move(choice));
}

// Whether only contacts in question press friction j, so that N >= 0.
bool FrictionSolver::ModeSearch::never_pulls(std::size_t j) const {
  if (s_.has_load_[j] == 0 || s_.N0_[j] < 0) return false;
  for (std::size_t r = 0; r < at(s_.m_); ++r) {
    const double load = s_.load_[j * at(s_.m_) + r];
    if (load < 0 || (load > 0 && variable_of_[r] >= 0 && in_rest_[r] == 0)) return false;
  }
  return true;
}

// The states in the order of states_of() in friction_modes.cpp. Where N >= 0 is certain, those with N < 0 are left out.
void FrictionSolver::ModeSearch::add_friction(std::size_t place) {
  const std::size_t j = frictions_[place];
  if (s_.second_[j] != 0) return;
  if (s_.is_plane(j)) return add_plane(place);
  const Affine &f = force_[place], &N = normal_[place], &rate = rate_[rows_ + place], &own = viscous_[place];
  const bool loaded = s_.has_load_[j] != 0, presses = never_pulls(j), rests = at_rest_[j] != 0;
  const double most = std::max(s_.mu_[j], s_.mu_s_[j]);
  const int sign = loaded && !presses ? 0 : s_.N0_[j] < 0 ? -1 : 1;  // of N; 0: it is not known
  Choice choice;
  choice.friction = static_cast<int>(j);
  choice.idle.state = {1, 1};
  require_zero(f, choice.idle.inequalities);
  if (presses) common_.push_back(require(N));
  if (rests && sign != 0)
    for (const double side : {1.0, -1.0}) {
      // side · (f − c v_s) <= μ |N|, or side · f <= μ_s |N|
      const Affine within = sum(Affine{std::vector<double>(variables_), 0}, most * sign, N);
      Affine left = sum(within, -side, f);
      left.value += std::abs(own.value);
      common_.push_back(require(left));
    }
  int ordinal = 0;
  if (rests) {
    Option sticks{{0, s_.mode[j].load}, ordinal++, {}};
    require_zero(rate, sticks.inequalities);
    for (const double side : {1.0, -1.0})
      if (sign != 0)
        sticks.inequalities.push_back(
            require(sum(sum(Affine{std::vector<double>(variables_), 0}, s_.mu_s_[j] * sign, N), side, f)));
    choice.options.push_back(std::move(sticks));
  }
  for (const int direction : {1, -1}) {
    if (!rests && direction != (s_.speed_[j] < 0 ? -1 : 1)) continue;
    for (const int load : {1, -1}) {
      ++ordinal;
      if (sign != 0 && load != sign) continue;
      Option slides{{direction, load}, ordinal, {}};
      slides.inequalities.push_back(require(sum(Affine{std::vector<double>(variables_), 0}, load, N)));
      require_zero(sum(sum(f, -1, own), -direction * load * s_.mu_[j], N), slides.inequalities);
      if (rests)
        slides.inequalities.push_back(require(sum(Affine{std::vector<double>(variables_), 0}, direction, rate)));
      choice.options.push_back(std::move(slides));
    }
  }
  choices_.push_back(std::move(choice));
}

// Adds the choices for a friction in a plane, whose directions are at `place` and the place after it. The inequality for sticking is a box around the
// circle |f| <= μ N. If the friction already slides, its direction is known.
void FrictionSolver::ModeSearch::add_plane(std::size_t place) {
  const std::size_t j = frictions_[place];
  const Affine& N = normal_[place];
  const bool loaded = s_.has_load_[j] != 0, presses = never_pulls(j), rests = at_rest_[j] != 0;
  const int sign = loaded && !presses ? 0 : s_.N0_[j] < 0 ? -1 : 1;
  const Affine zero{std::vector<double>(variables_), 0};
  const double speed = hypotenuse(s_.speed_[j], s_.speed_[j + 1]);
  Choice choice;
  choice.friction = static_cast<int>(j);
  choice.idle.state = {1, 1};
  if (presses) common_.push_back(require(N));
  int ordinal = 0;
  if (rests) choice.options.push_back({{0, s_.mode[j].load}, ordinal++, {}});
  for (const int load : {1, -1}) {
    ++ordinal;
    if (sign == 0 || load == sign) choice.options.push_back({{1, load}, ordinal, {require(sum(zero, load, N))}});
  }
  for (std::size_t which = 0; which < 2; ++which) {
    const Affine &f = force_[place + which], &own = viscous_[place + which];
    require_zero(f, choice.idle.inequalities);
    for (Option& option : choice.options) {
      const bool sticks = option.state.direction == 0;
      const double most = option.state.load * (sticks ? s_.mu_s_[j] : s_.mu_[j]);
      if (sticks) require_zero(rate_[rows_ + place + which], option.inequalities);
      if (!sticks && !rests)
        require_zero(sum(sum(f, -1, own), -most * s_.speed_[j + which] / speed, N), option.inequalities);
      else if (!sticks || sign != 0)
        for (const double side : {1.0, -1.0})
          option.inequalities.push_back(
              require(sum(sum(sum(zero, sticks ? s_.mu_s_[j] * sign : most, N), side, f), sticks ? 0 : -side, own)));
    }
  }
  choices_.push_back(std::move(choice));
}

// Each friction follows the last of the contacts that press it.
void FrictionSolver::ModeSearch::add_choices() {
  const std::size_t m = at(s_.m_);
  std::vector<char> decided(m, 0), added(frictions_.size(), 0);
  for (std::size_t r = 0; r < m; ++r) {
    decided[r] = in_rest_[r] == 0;
    const int p = variable_of_[r];
    if (p >= 0 && in_rest_[r] == 0) require_zero(rate_[at(p)], common_);
  }
  const auto add_decided = [&] {
    for (std::size_t a = 0; a < added.size(); ++a) {
      bool all = added[a] == 0;
      for (std::size_t r = 0; r < m && all; ++r) all = decided[r] != 0 || s_.load_[frictions_[a] * m + r] == 0;
      if (!all) continue;
      added[a] = 1;
      add_friction(a);
    }
  };
  add_decided();
  for (std::size_t place = 0; place < rest_.size(); ++place) {
    add_contact(place);
    decided[at(rest_[place])] = 1;
    add_decided();
  }
}

bool FrictionSolver::ModeSearch::is_idle(std::size_t j, std::uint64_t closed) const {
  return !s_.is_pressed(j, [&](std::size_t r) {
    if (in_rest_[r] == 0) return s_.acts[r] != 0;
    const auto place = std::ranges::find(rest_, static_cast<int>(r)) - rest_.begin();
    return (closed >> place & 1U) != 0;
  });
}

// Adds all modes that begin with the states in `part` and may be consistent. False where there are too many parts.
bool FrictionSolver::ModeSearch::descend(std::size_t depth, Halfspaces space, ModeCandidate& part,
                                         std::vector<ModeCandidate>& found) {
  if (++parts_ > kMostParts) return false;
  if (!space.may_meet()) return true;
  if (depth == choices_.size()) {
    found.push_back(part);
    return true;
  }
  const Choice& choice = choices_[depth];
  const auto take = [&](const Option& option) {
    Halfspaces narrower = space;
    for (const std::size_t inequality : option.inequalities) narrower.add(inequality);
    if (choice.friction < 0) {
      const std::uint64_t bit = std::uint64_t{1} << choice.contact;
      part.closed = option.state.direction != 0 ? part.closed | bit : part.closed & ~bit;
    } else {
      part.mode[at(choice.friction)] = option.state;
      if (s_.is_plane(at(choice.friction))) part.mode[at(choice.friction) + 1] = option.state;
      part.ordinal[at(choice.friction)] = option.ordinal;
    }
    return descend(depth + 1, std::move(narrower), part, found);
  };
  if (choice.friction >= 0 && is_idle(at(choice.friction), part.closed)) return take(choice.idle);
  return std::ranges::all_of(choice.options, take);
}

bool FrictionSolver::ModeSearch::run(std::vector<ModeCandidate>& found) {
  if (rest_.size() > 64 || !find_rates() || !scale()) return false;
  add_choices();
  Halfspaces space(variables_, normals_, offsets_);
  for (const std::size_t inequality : common_) space.add(inequality);
  ModeCandidate part;
  part.mode.assign(at(s_.k_), FrictionState{1, 1});
  part.ordinal.assign(at(s_.k_), 0);
  if (!descend(0, std::move(space), part, found)) return false;
  // In the order in which all modes would be tried: those with the most closed contacts first, then like a counter.
  std::ranges::sort(found, [](const ModeCandidate& a, const ModeCandidate& b) {
    if (a.closed != b.closed)
      return std::make_tuple(-std::popcount(a.closed), a.closed) < std::make_tuple(-std::popcount(b.closed), b.closed);
    return std::lexicographical_compare(a.ordinal.rbegin(), a.ordinal.rend(), b.ordinal.rbegin(), b.ordinal.rend());
  });
  return true;
}

bool FrictionSolver::find_candidates(const std::vector<int>& rest, const std::vector<char>& at_rest,
                                     std::vector<ModeCandidate>& found) const {
  found.clear();
  return ModeSearch(*this, rest, at_rest).run(found);
}

}  // namespace dalembert
