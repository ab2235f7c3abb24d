// SPDX-License-Identifier: Apache-2.0
// Forces that rows and sticking frictions leave undetermined: those that keep each friction as far below its limit as possible.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "dalembert/base/hypotenuse.h"
#include "dalembert/dynamics/friction.h"
#include "dalembert/dynamics/golden_section.h"
#include "dalembert/dynamics/groups.h"

namespace dalembert {
namespace {

// A multiplier counts as determined if the squared length of its projection on the
// undetermined directions is below this.
constexpr double kHardlyOpen = 1e-8;
// Slopes of friction margins, along directions of length 1, below this are round-off.
constexpr double kLevel = 1e-14;
// Entries of the projector on the undetermined directions below this are round-off.
constexpr double kApart = 1e-9;

double squared(double x) { return x * x; }

}  // namespace

// The margin: the smallest reserve μ_s|N| − |f| at multipliers + share · direction, among the sticking frictions that
// `direction` affects. N may have either sign.
double FrictionSolver::margin(const double* multipliers, double share, const double* direction) const {
  const std::size_t m = at(m_);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < at(k_); ++j) {
    if (!sticks(j) || second_[j] != 0) continue;
    double N = N0_[j], change = 0;
    for (std::size_t r = 0; r < m; ++r) {
      N += load_[j * m + r] * (multipliers[r] + share * direction[r]);
      change += load_[j * m + r] * direction[r];
    }
    if (mu_s_[j] * std::abs(change) + size_of(direction + m, j) <= kLevel) continue;
    double force = multipliers[m + j] + share * direction[m + j];
    if (is_plane(j)) force = hypotenuse(force, multipliers[m + j + 1] + share * direction[m + j + 1]);
    least = std::min(least, mu_s_[j] * std::abs(N) - std::abs(force));
  }
  return least;
}

// Sets open_ to the projector on the undetermined directions: changes of the multipliers that do not change the motion.
// Returns the number of these directions.
int FrictionSolver::find_open() {
  const std::size_t m = at(m_), all = m + at(k_);
  open_.assign(all * all, 0.0);
  free_.resize(all);
  const auto add = [&](double factor) {
    for (std::size_t p = 0; p < all; ++p)
      for (std::size_t q = 0; q < all; ++q) open_[p * all + q] += factor * free_[p] * free_[q];
  };
  for (int column = rank_; column < active_; ++column) {
    std::fill(row_.begin(), row_.end(), 0.0);
    row_[at(column)] = 1;
    range_.apply_Q(row_.data());
    std::fill(free_.begin(), free_.end(), 0.0);
    for (std::size_t p = 0; p < rows_.size(); ++p) free_[at(rows_[p])] = rows_[p] < m_ ? row_[p] : -row_[p];
    add(1);
  }
  int directions = active_ - rank_;
  // Remove directions that change a sliding friction or another force that depends on multipliers, since these change
  // the motion.
  const auto keep = [&](const double* of_rows) {
    double part = 0, size = 0;
    for (std::size_t p = 0; p < all; ++p) {
      free_[p] = 0;
      for (std::size_t r = 0; r < m; ++r) free_[p] += open_[p * all + r] * of_rows[r];
      part += squared(free_[p]);
    }
    for (std::size_t r = 0; r < m; ++r) size += squared(of_rows[r]);
    if (!(part > squared(kRankTolerance) * size)) return;
    add(-1 / part);
    --directions;
  };
  for (std::size_t i = 0; i < at(n_) && has_Phi_; ++i) keep(Phi_.data() + i * m);
  for (std::size_t j = 0; j < at(k_); ++j)
    if (mode[j].direction != 0 && idle_[j] == 0) keep(load_.data() + j * m);
  return directions;
}

// The undetermined directions, orthonormal, in sets that no friction and no row connects.
std::vector<FrictionSolver::Open> FrictionSolver::list_open() {
  const std::size_t m = at(m_), all = m + at(k_);
  Groups groups(all);
  for (std::size_t p = 0; p < all; ++p)
    for (std::size_t q = 0; q < p; ++q)
      if (std::abs(open_[p * all + q]) > kApart) groups.join(p, q);
  for (std::size_t j = 0; j < at(k_); ++j) {
    if (!sticks(j) || second_[j] != 0) continue;
    if (is_plane(j)) groups.join(m + j, m + j + 1);
    for (std::size_t r = 0; r < m; ++r)
      if (load_[j * m + r] != 0) groups.join(m + j, r);
  }
  std::vector<Open> sets;
  for (std::size_t lead = 0; lead < all; ++lead) {
    if (groups.find(lead) != lead) continue;
    Open open;
    for (;;) {
      std::size_t widest = all;
      for (std::size_t p = 0; p < all; ++p)
        if (groups.find(p) == lead && (widest == all || open_[p * (all + 1)] > open_[widest * (all + 1)])) widest = p;
      const double part = open_[widest * (all + 1)];  // squared length of the projection
      if (!(part > kHardlyOpen)) break;
      std::vector<double>& direction = open.emplace_back(all);
      for (std::size_t p = 0; p < all; ++p)
        if (groups.find(p) == lead) direction[p] = open_[widest * all + p] / std::sqrt(part);
      for (std::size_t p = 0; p < all; ++p)
        for (std::size_t q = 0; q < all; ++q) open_[p * all + q] -= direction[p] * direction[q];
    }
    if (!open.empty()) sets.push_back(std::move(open));
  }
  return sets;
}

// Chooses the undetermined forces. Along a single direction those with the largest margin, of several directions the roomiest (roomiest.h): a search along
// one after the other would stop at corners of the margin.
void FrictionSolver::relieve(double* multipliers) {
  if (!sticks() || find_open() <= 0) return;
  for (const Open& open : list_open()) {
    if (open.size() == 1) maximise_margin(open.front(), multipliers);
    if (open.size() > 1 || !holds(open.front(), multipliers)) find_roomiest(open, multipliers);
  }
}

// Maximises the margin along a direction. It is piecewise linear: its maximum is at a corner of one friction or where two frictions are equal.
void FrictionSolver::maximise_margin(const std::vector<double>& direction, double* multipliers) const {
  const std::size_t m = at(m_), all = m + at(k_);
  // The lines ±μ_s N ± f of each friction, as (value, slope); corners are where two lines meet.
  std::vector<std::pair<double, double>> lines;
  for (std::size_t j = 0; j < at(k_); ++j) {
    if (!sticks(j)) continue;
    const double N = normal_by(j, multipliers), slope = normal_along(j, direction.data());
    for (const double load : {1.0, -1.0})
      for (const double side : {1.0, -1.0})
        lines.emplace_back(load * mu_s_[j] * N + side * multipliers[m + j],
                           load * mu_s_[j] * slope + side * direction[m + j]);
  }
  const auto margin_at = [&](double share) { return margin(multipliers, share, direction.data()); };
  double best = 0, most = margin_at(0), low = 0, high = 0;
  for (std::size_t a = 0; a < lines.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const double turn = lines[a].second - lines[b].second;
      if (!(std::abs(turn) > kLevel)) continue;
      const double share = (lines[b].first - lines[a].first) / turn, here = margin_at(share);
      if (here > most) most = here, best = share;
      low = std::min(low, share), high = std::max(high, share);
    }
  if (!planes_.empty()) {  // in planes the margin is concave, but not linear in pieces
    const double top = find_least([&](double share) { return -margin_at(share); }, low, high, 80);
    if (margin_at(top) > most) best = top;
  }
  for (std::size_t i = 0; i < all; ++i) multipliers[i] += best * direction[i];
}

// Whether the forces that a direction changes keep to their limits, and no contact among them pulls.
bool FrictionSolver::holds(const std::vector<double>& direction, const double* multipliers) const {
  for (std::size_t r = 0; r < at(m_); ++r)
    if (std::abs(direction[r]) > kLevel && pulls(r, multipliers)) return false;
  for (std::size_t j = 0; j < at(k_); ++j) {
    if (!sticks(j) || second_[j] != 0 || !moves(j, direction)) continue;
    double size = std::abs(N0_[j]);
    for (std::size_t r = 0; r < at(m_); ++r) size += std::abs(load_[j * at(m_) + r]) * lambda_size_[r];
    const double N = normal_by(j, multipliers), f = size_of(multipliers + m_, j);
    if (!(f <= mu_s_[j] * (std::abs(N) + kSignNoise * size) + kSignNoise * f)) return false;
  }
  return true;
}

// Whether a direction changes friction j, or its normal force.
bool FrictionSolver::moves(std::size_t j, const std::vector<double>& direction) const {
  double change = size_of(direction.data() + m_, j);
  for (std::size_t r = 0; r < at(m_); ++r) change += std::abs(load_[j * at(m_) + r] * direction[r]);
  return change > kLevel;
}

// Whether nothing but contacts that press load friction j: then N >= 0. `limited` receives a contact that alone does, and whose λ friction j keeps positive.
bool FrictionSolver::never_pulls(std::size_t j, std::vector<char>& limited) const {
  const std::size_t m = at(m_);
  if (N0_[j] < 0) return false;
  std::size_t loads = 0, last = 0;
  for (std::size_t r = 0; r < m; ++r) {
    const double load = load_[j * m + r];
    if (load == 0 || acts[r] == 0) continue;
    if (load < 0 || !is_closed(r)) return false;
    ++loads;
    last = r;
  }
  if (loads == 1 && N0_[j] == 0 && mu_s_[j] > 0) limited[last] = 1;
  return true;
}

// Finds the roomiest of the forces that the directions change: within the limits of the frictions, and with λ >= 0 of contacts. A normal force that may
// have either sign keeps the one that it has.
void FrictionSolver::find_roomiest(const Open& open, double* multipliers) {
  const std::size_t m = at(m_), all = m + at(k_), count = open.size();
  roomiest_.begin(count);
  std::vector<char> limited(m, 0);
  for (std::size_t j = 0; j < at(k_); ++j) {
    if (!sticks(j) || second_[j] != 0) continue;
    const bool presses = never_pulls(j, limited);
    if (std::ranges::none_of(open, [&](const std::vector<double>& direction) { return moves(j, direction); })) continue;
    const double N = normal_by(j, multipliers), most = presses || N >= 0 ? mu_s_[j] : -mu_s_[j];
    const std::size_t sides = is_plane(j) ? 2 : 1;
    double* numbers = roomiest_.add(sides);
    numbers[0] = most * N;
    for (std::size_t k = 0; k < sides; ++k) numbers[(1 + k) * (1 + count)] = multipliers[m + j + k];
    for (std::size_t i = 0; i < count; ++i) {
      numbers[1 + i] = most * normal_along(j, open[i].data());
      for (std::size_t k = 0; k < sides; ++k) numbers[(1 + k) * (1 + count) + 1 + i] = open[i][m + j + k];
    }
  }
  for (std::size_t r = 0; r < m; ++r) {
    const auto changes = [&](const std::vector<double>& direction) { return std::abs(direction[r]) > kLevel; };
    if (!is_closed(r) || limited[r] != 0 || std::ranges::none_of(open, changes)) continue;
    double* numbers = roomiest_.add(0);
    numbers[0] = multipliers[r];
    for (std::size_t i = 0; i < count; ++i) numbers[1 + i] = open[i][r];
  }
  std::vector<double> share(count);
  if (!roomiest_.solve(share.data())) return;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t p = 0; p < all; ++p) multipliers[p] += share[i] * open[i][p];
}

}  // namespace dalembert
