// SPDX-License-Identifier: Apache-2.0
// Finds the consistent modes: which frictions stick and which slide, in which direction.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

#include "dalembert/base/hypotenuse.h"
#include "dalembert/dynamics/friction.h"

namespace dalembert {
namespace {

// A normal force below this fraction of its terms counts as zero.
constexpr double kNoLoad = 1e-9;
// Two solutions whose relative difference is below this are the same.
constexpr double kSameSolution = 1e-8;
// Accelerations where what sticks is at its limit differ by more than this fraction of their terms, or are the same.
constexpr double kLimitNoise = 1e-7;
// find_by_pivots() makes at most kPivots · (k + 1) changes for k frictions.
constexpr int kPivots = 40;

int sign(double x) { return x < 0 ? -1 : 1; }

// Advances to the next combination of states, like a counter. False after the last one.
bool go_on(std::vector<std::size_t>& choice, const std::vector<std::vector<FrictionState>>& states) {
  for (std::size_t j = 0; j < choice.size(); ++j) {
    if (++choice[j] < states[j].size()) return true;
    choice[j] = 0;
  }
  return false;
}

}  // namespace

// The states that each friction may take, sticking first. The sign of N of a sticking friction is found by the solve.
// The second directions of frictions in a plane have one, which stands for that of the first.
std::vector<std::vector<FrictionState>> FrictionSolver::states_of(const std::vector<char>& at_rest) const {
  std::vector<std::vector<FrictionState>> states(mode.size());
  for (std::size_t j = 0; j < mode.size(); ++j) {
    if (idle_[j] != 0 || second_[j] != 0) {
      states[j].push_back({1, 1});
      continue;
    }
    if (at_rest[j] != 0) states[j].push_back({0, mode[j].load});
    for (const int direction : {1, -1}) {
      if (is_plane(j) ? direction < 0 : at_rest[j] == 0 && direction != sign(speed_[j])) continue;
      for (const int load : {1, -1})
        if (has_load_[j] != 0 || load == sign(N0_[j])) states[j].push_back({direction, load});
    }
  }
  return states;
}

void FrictionSolver::find_at_rest(double speed, std::vector<char>& at_rest) {
  rest_.assign(at(k_), speed);
  begin_.assign(at(k_), 0);
  at_rest.resize(at(k_));
  for (std::size_t j = 0; j < at(k_); ++j)
    at_rest[j] = size_of(speed_.data(), j) <= std::max(speed, 16 * 2.3e-16 * size_of(speed_size_.data(), j)) ? 1 : 0;
  for (const int j : planes_) at_rest[at(j + 1)] = at_rest[at(j)];
}

// Whether all forces balance, up to their round-off.
bool FrictionSolver::balances(const FrictionSolution& solution) const {
  double size = 0, terms = 0;
  for (std::size_t i = 0; i < solution.qdd.size(); ++i) {
    size = std::max(size, std::abs(solution.qdd[i]));
    terms = std::max(terms, size_of_terms(i, solution.qdd.data()));
  }
  return size <= kSignNoise * terms;
}

// Whether two solutions have the same accelerations. Where all forces balance, accelerations are round-off of their terms.
bool FrictionSolver::same_motion(const FrictionSolution& a, const FrictionSolution& b, double noise) const {
  double size = 0, terms = 0, difference = 0;
  for (std::size_t i = 0; i < a.qdd.size(); ++i) {
    size = std::max({size, std::abs(a.qdd[i]), std::abs(b.qdd[i])});
    terms = std::max(terms, size_of_terms(i, a.qdd.data()));
    difference = std::max(difference, std::abs(a.qdd[i] - b.qdd[i]));
  }
  return difference <= std::max(kSameSolution * size, noise * terms);
}

bool FrictionSolver::same(const FrictionSolution& a, const FrictionSolution& b) const {
  if (!same_motion(a, b, kSignNoise)) return false;
  for (std::size_t i = 0; i < a.multipliers.size(); ++i) {
    const double x = a.multipliers[i], y = b.multipliers[i];
    const double of = i < at(m_) ? lambda_size_[i] : load_size_[i - at(m_)];
    if (!(std::abs(x - y) <= kSameSolution * std::max({std::abs(x), std::abs(y), of}))) return false;
  }
  return true;
}

bool FrictionSolver::sticks() const {
  for (std::size_t j = 0; j < at(k_); ++j)
    if (sticks(j)) return true;
  return false;
}

bool FrictionSolver::slides_with_load() const {
  for (std::size_t j = 0; j < at(k_); ++j)
    if (mode[j].direction != 0 && has_load_[j] != 0 && idle_[j] == 0) return true;
  return false;
}

bool FrictionSolver::is_consistent(const std::vector<char>& at_rest, const double* multipliers,
                                   const FrictionExit& exit) {
  for (std::size_t j = 0; j < at(k_); ++j) {
    if (idle_[j] != 0 || second_[j] != 0) continue;
    const FrictionState& state = mode[j];
    const double N = normal_[j], noise = kSignNoise * load_size_[j];
    if (state.direction == 0) {
      const double f = size_of(multipliers + m_, j);
      if (!(f <= mu_s_[j] * std::abs(N) + mu_s_[j] * noise + kSignNoise * f)) return false;
      continue;
    }
    const bool leaves = exit.friction == static_cast<int>(j);
    const bool load_is_zero = leaves && exit.what == FrictionExit::kLoad && state.load != exit.from.load;
    if (!load_is_zero && !(state.load * N >= -noise)) return false;
    const bool rate_is_zero = leaves && exit.what == FrictionExit::kStick && state.direction == exit.towards;
    if (at_rest[j] == 0) continue;
    if (is_plane(j)) {
      const double rest = turn_noise(j);
      if (!is_aligned(j) || !(rate_along(j) >= -rest)) return false;
      if (hypotenuse(rate_[j], rate_[j + 1]) <= rest && is_locked(j) && is_locked(j + 1)) return false;
      continue;
    }
    if (!rate_is_zero && !(state.direction * rate_[j] >= -rate_noise_[j])) return false;
    // A friction that the other rows keep at rest does not begin to slide.
    if (std::abs(rate_[j]) <= rate_noise_[j] && is_locked(j)) return false;
  }
  return true;
}

// Whether a friction that has left the state in `exit` may now take `state`.
bool FrictionSolver::follows(const FrictionState& state, const FrictionExit& exit) const {
  switch (exit.what) {
    case FrictionExit::kStick:
      return state.direction != 0;
    case FrictionExit::kDirection:
      return state.direction != exit.from.direction || is_plane(at(exit.friction));  // in a plane it may turn
    case FrictionExit::kLoad:
      return state.direction == 0 || state.load != exit.from.load;
  }
  return true;
}

// Whether friction j sticks with a negligible force: it may go on sticking when N changes its sign.
bool FrictionSolver::stays_stuck(std::size_t j, const FrictionSolution& solution) const {
  return std::abs(normal_[j]) <= kNoLoad * load_size_[j] &&
         size_of(solution.multipliers.data() + m_, j) <= kNoLoad * load_size_[j];
}

// Whether the friction that has left sticking stays at rest without a force, as its contact is open: others stick in its place.
bool FrictionSolver::rests_idle(const FrictionExit& exit) const {
  const std::size_t j = at(exit.friction);
  if (exit.what != FrictionExit::kStick || idle_[j] == 0) return false;
  return is_plane(j) ? hypotenuse(rate_[j], rate_[j + 1]) <= turn_noise(j) : std::abs(rate_[j]) <= rate_noise_[j];
}

// Gives a solution the mode, with the signs of N of what sticks.
void FrictionSolver::note_mode(const FrictionExit& exit, FrictionSolution& solution) const {
  solution.mode = mode;
  for (std::size_t j = 0; j < at(k_); ++j) {
    if (!sticks(j)) continue;
    solution.mode[j].load = sign(normal_[j]);
    if (exit.friction == static_cast<int>(j) && exit.what == FrictionExit::kStick && stays_stuck(j, solution))
      solution.mode[j].load = -exit.from.load;
  }
}

// Solves the mode for each set of directions in which its frictions in a plane may begin to slide; `at_limit`: also without acceleration.
template <typename Visit>
void FrictionSolver::solve_directions(const RowBasis& basis, const std::vector<char>& at_rest, bool at_limit,
                                      FrictionSolution& tried, const Visit& visit) {
  align_with_speeds(at_rest);
  const std::vector<std::size_t> turning = find_turning(at_rest);
  const auto solve_now = [&](bool balances_too = false) {
    if (solve(basis, tried.qdd.data(), tried.multipliers.data()) != KktStatus::kOk) return;
    if (!balances_too || balances(tried)) visit();
  };
  if (turning.size() == 1) {
    for (const double angle : list_directions(basis, turning.front(), tried)) {
      set_angle(turning.front(), angle);
      solve_now();
    }
  } else if (turning.empty() || find_directions(basis, turning, tried)) {
    solve_now();
  } else if (at_limit && find_directions_at_limit(basis, turning, tried)) {
    solve_now(true);
  }
}

FrictionAnswer FrictionSolver::decide(const RowBasis& basis, const std::vector<char>& at_rest, const FrictionExit& exit,
                                      const std::vector<int>* contacts, const std::vector<FrictionMode>* candidates) {
  const FrictionMode kept = mode;
  const std::size_t count = at(k_);
  find_idle();
  const std::vector<std::vector<FrictionState>> options = states_of(at_rest);
  from_rest_ = true;
  std::int64_t modes = 1;
  for (const std::vector<FrictionState>& states : options)
    modes = std::min<std::int64_t>(modes * static_cast<std::int64_t>(states.size()), 2 * kMostModes);
  FrictionAnswer answer;
  FrictionSolution tried{mode, std::vector<double>(at(n_)), std::vector<double>(at(m_) + count)};
  std::vector<FrictionMode> found;
  if (candidates == nullptr && contacts == nullptr && basis.all && static_cast<double>(modes) > few_modes)
    if (std::vector<ModeCandidate> some; find_candidates({}, at_rest, some)) {
      for (ModeCandidate& candidate : some) found.push_back(std::move(candidate.mode));
      candidates = &found;
    }
  if (modes > kMostModes && candidates == nullptr) {
    answer.complete = false;
    if (find_by_pivots(basis, at_rest, exit, tried)) answer.solutions.push_back(std::move(tried));
    mode = kept;
    from_rest_ = false;
    return answer;
  }
  // First try the modes without the state that was just left; if none is consistent, try all.
  for (const bool again : {false, true}) {
    if (!answer.solutions.empty() || (again && exit.friction < 0)) break;
    std::size_t most_stuck = 0;
    std::vector<std::size_t> choice(count, 0);
    std::size_t next = 0;
    for (bool more = candidates == nullptr || !candidates->empty(); more;) {
      std::size_t stuck = 0;
      for (std::size_t j = 0; j < count; ++j) {
        mode[j] = candidates == nullptr ? options[j][choice[j]] : (*candidates)[next][j];
        stuck += sticks(j) && second_[j] == 0 ? 1 : 0;
      }
      const auto take = [&] {
        if (!is_consistent(at_rest, tried.multipliers.data(), exit)) return;
        if (contacts != nullptr && first_wrong(*contacts, tried) >= 0) return;
        note_mode(exit, tried);
        const bool left = exit.friction >= 0 && !again && !follows(mode[at(exit.friction)], exit) &&
                          !(exit.what == FrictionExit::kStick && stays_stuck(at(exit.friction), tried));
        if (left || (exit.friction >= 0 && !again && rests_idle(exit))) return;
        if (stuck > most_stuck) answer.solutions.clear();
        most_stuck = stuck;
        const bool known =
            std::ranges::any_of(answer.solutions, [&](const FrictionSolution& other) { return same(other, tried); });
        if (!known) answer.solutions.push_back(tried);
      };
      const bool at_limit = exit.friction >= 0 && exit.what == FrictionExit::kStick && !again;
      if (stuck >= most_stuck) solve_directions(basis, at_rest, at_limit, tried, take);
      more = candidates == nullptr ? go_on(choice, options) : ++next < candidates->size();
    }
  }
  // Whether there are directions of sliding that the search along the circle has missed is not known.
  if (answer.solutions.empty() && !planes_.empty()) answer.complete = false;
  mode = kept;
  from_rest_ = false;
  return answer;
}

FrictionAnswer FrictionSolver::find_loads(const RowBasis& basis) {
  const FrictionMode kept = mode;
  FrictionAnswer answer;
  std::vector<std::size_t> loaded;
  for (std::size_t j = 0; j < at(k_); ++j)
    if (kept[j].direction != 0 && has_load_[j] != 0 && idle_[j] == 0 && second_[j] == 0) loaded.push_back(j);
  answer.complete = loaded.size() <= kMostLoads;
  if (!answer.complete) return answer;
  FrictionSolution tried{mode, std::vector<double>(at(n_)), std::vector<double>(at(m_) + at(k_))};
  for (std::size_t flips = 0; flips < std::size_t{1} << loaded.size(); ++flips) {
    for (std::size_t i = 0; i < loaded.size(); ++i) {
      const std::size_t j = loaded[i];
      mode[j].load = (flips >> i & 1) != 0 ? -kept[j].load : kept[j].load;
      if (is_plane(j)) mode[j + 1].load = mode[j].load;
    }
    // The solutions for all signs of N have the same sticking frictions. The run watches the limits of these frictions.
    if (solve(basis, tried.qdd.data(), tried.multipliers.data()) != KktStatus::kOk) continue;
    const bool bears_out =
        std::ranges::all_of(loaded,
                            [&](std::size_t j) { return mode[j].load * normal_[j] >= -kSignNoise * load_size_[j]; }) &&
        presses(tried);
    const bool known =
        std::ranges::any_of(answer.solutions, [&](const FrictionSolution& other) { return same(other, tried); });
    tried.mode = mode;
    if (bears_out && !known) answer.solutions.push_back(tried);
  }
  mode = kept;
  return answer;
}

// Whether no closed contact pulls.
bool FrictionSolver::presses(const FrictionSolution& solution) const {
  for (std::size_t r = 0; r < at(m_); ++r)
    if (pulls(r, solution.multipliers.data())) return false;
  return true;
}

// The first of the contacts `rest` whose state contradicts the solution: closed, but it pulls; or open, but it sinks. −1: none does.
int FrictionSolver::first_wrong(const std::vector<int>& rest, const FrictionSolution& solution) {
  const std::size_t n = at(n_);
  measure(solution.qdd.data(), solution.multipliers.data());  // x_: the size of each acceleration's terms
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const std::size_t r = at(rest[i]);
    if (acts[r] != 0) {
      if (!(solution.multipliers[r] >= -kSignNoise * lambda_size_[r])) return static_cast<int>(i);
      continue;
    }
    double rate = gamma_[r], size = std::abs(gamma_[r]);
    for (std::size_t k = 0; k < n; ++k) {
      rate += W_[r * n + k] * solution.qdd[k];
      size += std::abs(W_[r * n + k]) * x_[k];
    }
    if (!(rate >= -kSignNoise * size)) return static_cast<int>(i);
  }
  return -1;
}

// The number of modes with these contacts open or closed, at most.
double FrictionSolver::count_modes(const std::vector<int>& rest, const std::vector<char>& at_rest) const {
  double modes = std::exp2(static_cast<double>(rest.size()));
  for (std::size_t j = 0; j < at(k_); ++j) {
    const bool pressed = is_pressed(
        j, [&](std::size_t r) { return acts[r] != 0 || std::ranges::find(rest, static_cast<int>(r)) != rest.end(); });
    const int ways = at_rest[j] == 0 ? 1 : is_plane(j) ? 2 : 3;
    if (pressed && second_[j] == 0) modes *= ways * (has_load_[j] != 0 ? 2 : 1);
  }
  return modes;
}

// Whether the acting rows of a solution follow from each other, and frictions slide whose N depends on them.
bool FrictionSolver::has_open_loads(const FrictionSolution& solution) {
  acts = solution.acts;
  const FrictionMode kept = std::exchange(mode, solution.mode);
  choose_rows(RowBasis());
  const bool slides = slides_with_load();
  std::erase_if(rows_, [this](int row) { return row >= m_; });
  active_ = static_cast<int>(rows_.size());
  factor_rows();
  mode = kept;
  return slides && rank_ < active_;
}

FrictionAnswer FrictionSolver::decide_with_contacts(const std::vector<int>& rest, int released,
                                                    const std::vector<char>& at_rest, const FrictionExit& exit) {
  const std::vector<char> kept = acts;
  FrictionAnswer answer;
  // Where what sticks is at its limit, directions in which it begins to slide are not more exact than the limit.
  const double noise = exit.friction >= 0 && exit.what == FrictionExit::kStick ? kLimitNoise : kSignNoise;
  const auto take = [&](FrictionAnswer found) {
    answer.complete = answer.complete && found.complete;
    for (FrictionSolution& solution : found.solutions) {
      solution.acts = acts;
      const bool known = std::ranges::any_of(
          answer.solutions, [&](const FrictionSolution& other) { return same_motion(other, solution, noise); });
      if (!known) answer.solutions.push_back(std::move(solution));
    }
  };
  std::vector<ModeCandidate> candidates;
  const bool searched = count_modes(rest, at_rest) > few_modes && find_candidates(rest, at_rest, candidates);
  if (searched || rest.size() <= kMostContacts) {
    // All sets of closed contacts that may be consistent, those with the most contacts first.
    std::vector<std::uint64_t> sets;
    for (const ModeCandidate& candidate : candidates)
      if (sets.empty() || sets.back() != candidate.closed) sets.push_back(candidate.closed);
    for (std::uint64_t set = 0; !searched && set < std::uint64_t{1} << rest.size(); ++set) sets.push_back(set);
    std::ranges::stable_sort(sets,
                             [](std::uint64_t a, std::uint64_t b) { return std::popcount(a) > std::popcount(b); });
    for (const bool again : {false, true}) {
      if (!answer.solutions.empty() || (again && released < 0)) break;
      for (const std::uint64_t set : sets) {
        bool left = false;
        for (std::size_t i = 0; i < rest.size(); ++i) {
          acts[at(rest[i])] = (set >> i & 1U) != 0 ? 1 : 0;
          left = left || (rest[i] == released && acts[at(rest[i])] != 0);
        }
        std::vector<FrictionMode> modes;
        for (const ModeCandidate& candidate : candidates)
          if (candidate.closed == set) modes.push_back(candidate.mode);
        if (!left || again) take(decide(RowBasis(), at_rest, exit, &rest, searched ? &modes : nullptr));
      }
    }
  } else {
    // Starts with all contacts closed. In each step the first wrong one takes the other state.
    answer.complete = false;
    for (const int row : rest) acts[at(row)] = row == released ? 0 : 1;
    for (std::size_t pivot = 0; pivot < kPivots * (rest.size() + 1); ++pivot) {
      FrictionAnswer found = decide(RowBasis(), at_rest, exit);
      if (found.solutions.empty()) break;
      const int wrong = first_wrong(rest, found.solutions.front());
      if (wrong < 0) {
        found.solutions.front().acts = acts;
        answer.solutions.push_back(std::move(found.solutions.front()));
        break;
      }
      char& state = acts[at(rest[at(wrong)])];
      state = state != 0 ? 0 : 1;
    }
  }
  answer.loads_are_open = answer.solutions.size() > 1 && has_open_loads(answer.solutions.front());
  acts = kept;
  return answer;
}

FrictionAnswer FrictionSolver::strike(const std::vector<int>& hit, const std::vector<double>& rates,
                                      const FrictionSolution* like) {
  std::ranges::fill(f_, 0.0);
  std::ranges::fill(gamma_, 0.0);
  std::ranges::fill(N0_, 0.0);
  std::ranges::fill(viscous_, 0.0);
  for (std::size_t r = 0; r < one_sided_.size(); ++r)
    if (one_sided_[r] != 0) acts[r] = 0;
  for (std::size_t i = 0; i < hit.size(); ++i) gamma_[at(hit[i])] = rates[i];
  // A friction sticks in an impact if it slides no more after it. The largest force of the run says nothing about impulses.
  speed_rate_ = speed_;
  const double forces = std::exchange(largest_met_, 0.0);
  const std::vector<char> at_rest(at(k_), 1);
  FrictionAnswer answer;
  if (like != nullptr) {
    FrictionSolution found;
    if (solve_like(*like, at_rest, found)) answer.solutions.push_back(std::move(found));
  }
  if (answer.solutions.empty()) answer = decide_with_contacts(hit, -1, at_rest);
  largest_met_ = forces;
  return answer;
}

// Solves in the mode of another solution, whose signs may not come out. Frictions in a plane begin in directions of their own.
bool FrictionSolver::solve_like(const FrictionSolution& like, const std::vector<char>& at_rest,
                                FrictionSolution& found) {
  found = {{}, std::vector<double>(at(n_)), std::vector<double>(at(m_ + k_)), like.acts};
  const std::vector<char> kept_acts = std::exchange(acts, like.acts);
  const FrictionMode kept = std::exchange(mode, like.mode);
  find_idle();
  from_rest_ = true;
  const std::vector<std::size_t> turning = find_turning(at_rest);
  bool solved = turning.empty() || refine_directions(RowBasis(), turning, found);
  if (solved) {
    const KktStatus status = solve(RowBasis(), found.qdd.data(), found.multipliers.data());
    solved = status == KktStatus::kOk || status == KktStatus::kInconsistent;
  }
  from_rest_ = false;
  found.mode = std::exchange(mode, kept);
  acts = kept_acts;
  return solved;
}

// Starts with all frictions sticking that may. In each step the first inconsistent friction takes the state that its
// result asks for.
bool FrictionSolver::find_by_pivots(const RowBasis& basis, const std::vector<char>& at_rest, const FrictionExit& exit,
                                    FrictionSolution& found) {
  const std::size_t count = at(k_), m = at(m_);
  for (std::size_t j = 0; j < count; ++j) {
    if (at_rest[j] == 0) mode[j].direction = is_plane(j) ? 1 : sign(speed_[j]);
    if (at_rest[j] != 0 && static_cast<int>(j) != exit.friction) mode[j].direction = 0;
    if (has_load_[j] == 0) mode[j].load = sign(N0_[j]);
  }
  for (int pivot = 0; pivot < kPivots * (k_ + 1); ++pivot) {
    align_with_speeds(at_rest);
    const std::vector<std::size_t> turning = find_turning(at_rest);
    if (!turning.empty() && !refine_directions(basis, turning, found) && !find_directions(basis, turning, found))
      return false;
    const KktStatus status = solve(basis, found.qdd.data(), found.multipliers.data());
    if (status != KktStatus::kOk) return false;
    bool changed = false;
    for (std::size_t j = 0; j < count && !changed; ++j) {
      if (idle_[j] != 0 || second_[j] != 0) continue;
      FrictionState& state = mode[j];
      const double N = normal_[j],
                   f = is_plane(j) ? size_of(found.multipliers.data() + m, j) : found.multipliers[m + j],
                   noise = kSignNoise * load_size_[j];
      const bool leaves = exit.friction == static_cast<int>(j);
      if (state.direction == 0) {
        const bool holds = std::abs(f) <= mu_s_[j] * (std::abs(N) + noise) + kSignNoise * std::abs(f);
        changed = !holds || (leaves && exit.what == FrictionExit::kStick && pivot == 0);
        if (changed) state = {sign(f), sign(N)};
        if (changed && is_plane(j)) set_along(j, found.multipliers[m + j], found.multipliers[m + j + 1]);
      } else if (has_load_[j] != 0 && !(state.load * N >= -noise)) {
        state.load = -state.load;
        changed = true;
      } else if (at_rest[j] != 0 && !is_plane(j) && !(state.direction * rate_[j] >= -rate_noise_[j])) {
        state.direction = leaves && exit.what == FrictionExit::kStick ? -state.direction : 0;
        changed = true;
      }
    }
    if (changed) continue;
    found.mode = mode;
    for (std::size_t j = 0; j < count; ++j)
      if (mode[j].direction == 0) found.mode[j].load = sign(normal_[j]);
    return true;
  }
  return false;
}

}  // namespace dalembert
