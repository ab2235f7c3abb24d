// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/stability.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include "dalembert/analyze/stability/energy_verdict.h"
#include "dalembert/analyze/stability/one_sided.h"
#include "dalembert/analyze/stability/routh.h"
#include "dalembert/analyze/stability/sides.h"
#include "dalembert/analyze/stability/slopes.h"
#include "dalembert/analyze/stability/steady.h"
#include "dalembert/derive/affine.h"
#include "dalembert/derive/null_space.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

using Complex = std::complex<double>;

// A singular value counts as 0, and a real part as on the axis, below these fractions of the largest entry of the balanced matrix, or of the part of
// it that nothing connects with the rest.
constexpr double kSingular = 1e-10;
constexpr double kOnAxis = 1e-9;
// An eigenvalue counts as determined if one more step of Newton's method and round-off change it by less than this part.
constexpr double kSettled = 0.05;
constexpr double kEps = std::numeric_limits<double>::epsilon();

double abs1(const Complex& z) { return std::abs(z.real()) + std::abs(z.imag()); }

// The staircase form A = D Q T Qᵀ D⁻¹, T = (Z X; 0 R), with D diagonal (`balance`), Q orthogonal and Z strictly upper
// triangular by blocks.
struct Staircase {
  std::vector<double> balance;
  Matrix Q, T;
  std::vector<std::size_t> steps;  // dimensions of the null spaces that were split off
  std::size_t zeros = 0;
  double size = 0;
};

Matrix orthonormal_with(const Matrix& first) {
  const Matrix rest = null_space(transposed(first), 1e-8);
  Matrix all(first.rows, first.cols + rest.cols);
  for (std::size_t i = 0; i < all.rows; ++i) {
    for (std::size_t j = 0; j < first.cols; ++j) all(i, j) = first(i, j);
    for (std::size_t j = 0; j < rest.cols; ++j) all(i, first.cols + j) = rest(i, j);
  }
  return all;
}

// Splits off zero eigenvalues. With `most` it splits off this many, whatever the tolerance says.
Staircase split_zeros(const Matrix& A, std::optional<std::size_t> most = {}) {
  Staircase stair;
  const std::size_t n = A.rows;
  stair.balance = balance(A);
  stair.T = scaled(A, stair.balance);
  stair.size = largest(stair.T);
  stair.Q = Matrix(n, n);
  for (std::size_t i = 0; i < n; ++i) stair.Q(i, i) = 1;
  while (stair.zeros < most.value_or(n)) {
    const std::size_t k = stair.zeros, rest = n - k;
    const Matrix inner = block(stair.T, k, k, rest, rest);
    Matrix null = null_space(inner, kSingular, stair.size);
    if (most && null.cols == 0) null = null_space(inner, 1, stair.size);
    if (most && null.cols > *most - k) null = block(null, 0, null.cols - (*most - k), rest, *most - k);
    if (null.cols == 0) break;
    const Matrix turn = orthonormal_with(null);
    if (turn.cols != rest) break;
    Matrix P(n, n);
    for (std::size_t i = 0; i < k; ++i) P(i, i) = 1;
    for (std::size_t i = 0; i < rest; ++i)
      for (std::size_t j = 0; j < rest; ++j) P(k + i, k + j) = turn(i, j);
    stair.T = transposed(P) * stair.T * P;
    stair.Q = stair.Q * P;
    for (std::size_t i = k; i < n; ++i)
      for (std::size_t j = k; j < k + null.cols; ++j) stair.T(i, j) = 0;
    stair.steps.push_back(null.cols);
    stair.zeros += null.cols;
  }
  return stair;
}

void normalize(std::vector<Complex>& shape) {
  Complex most = 0;
  for (const Complex& x : shape)
    if (std::abs(x) > std::abs(most) * (1 + 1e-9)) most = x;
  if (most != 0.0)
    for (Complex& x : shape) x /= most;
}

// The eigenvalues that are not zero, with their vectors.
std::vector<Mode> modes_of(const Staircase& stair) {
  const std::size_t n = stair.T.rows, k = stair.zeros;
  const Eigenpairs pairs = eigenpairs(block(stair.T, k, k, n - k, n - k));
  std::vector<Mode> modes;
  for (std::size_t e = 0; e < pairs.value.size(); ++e) {
    Mode& mode = modes.emplace_back(Mode{pairs.value[e], {}});
    std::vector<Complex> x(n);
    for (std::size_t i = k; i < n; ++i) x[i] = pairs.vector[e][i - k];
    for (std::size_t i = k; i-- > 0;) {
      for (std::size_t j = i + 1; j < n; ++j) x[i] += stair.T(i, j) * x[j];
      x[i] /= mode.eigenvalue;
    }
    mode.shape.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) mode.shape[i] += stair.Q(i, j) * x[j];
      mode.shape[i] *= stair.balance[i];
    }
    normalize(mode.shape);
  }
  return modes;
}

// The modes of all parts of A, each with the size of its part, and the number of eigenvalues 0.
struct PartedModes {
  std::vector<Mode> modes;
  std::vector<double> sizes;
  std::size_t zeros = 0;
};
PartedModes split_parts(const Matrix& A) {
  PartedModes split;
  for (const std::vector<std::size_t>& part : independent_parts(A)) {
    const Staircase stair = split_zeros(principal(A, part));
    split.zeros += stair.zeros;
    for (Mode& mode : modes_of(stair)) {
      std::vector<Complex> shape(A.rows);
      for (std::size_t i = 0; i < part.size(); ++i) shape[part[i]] = mode.shape[i];
      split.modes.push_back({mode.eigenvalue, std::move(shape)});
      split.sizes.push_back(stair.size);
    }
  }
  return split;
}

bool before(const Mode& a, const Mode& b) {
  const double scale = 1e-12 * (abs1(a.eigenvalue) + abs1(b.eigenvalue));
  if (std::abs(a.eigenvalue.real() - b.eigenvalue.real()) > scale) return a.eigenvalue.real() > b.eigenvalue.real();
  const double of_a = std::abs(a.eigenvalue.imag()), of_b = std::abs(b.eigenvalue.imag());
  if (std::abs(of_a - of_b) > scale) return of_a < of_b;
  return a.eigenvalue.imag() > b.eigenvalue.imag();
}

// The matrix without the rows and columns `left_out`, which are cyclic coordinates; `kept`: the others.
Matrix without(const Matrix& A, const std::vector<std::size_t>& left_out, std::vector<std::size_t>& kept) {
  kept.clear();
  for (std::size_t i = 0; i < A.rows; ++i)
    if (std::ranges::find(left_out, i) == left_out.end()) kept.push_back(i);
  return principal(A, kept);
}

// Whether the equations hold at a point but for its round-off and theirs. Of x⁷ = 0 at x = 0.01 the 1e-14 that are left are no round-off: no change of x by
// as little brings them about. `rests`: the velocities are 0 exactly.
bool holds_to_roundoff(const SteadySystem& system, const MotionPoint& at, bool rests,
                       const std::vector<double>& left_before) {
  constexpr double kOfLambda = 1e3 * kEps, kOfPoint = 1e-12, kOfOthers = 0.01;
  const Slopes slopes(*system.derivatives, *system.dynamics, at);
  const DerivativeColumns& column = system.derivatives->columns();
  const std::vector<double> left = system.derivatives->values(*system.dynamics, at);
  const std::size_t rows = system.derivatives->rows().k;
  std::vector<double> size(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    size[i] = 100 * std::abs(left_before[i]);
    const auto add = [&](std::size_t first, const std::vector<double>& z) {
      for (std::size_t j = 0; j < z.size(); ++j)
        size[i] += std::abs(slopes.all(i, first + j)) * kOfPoint * std::max(1.0, std::abs(z[j]));
    };
    add(column.q, at.q);
    if (!rests) {
      add(column.v, at.v);
      add(column.vdot, at.vdot);
    }
  }
  // Multipliers have round-off of their own, and that of the rows from which they are found; the least is what is left of forces of size 1.
  double lambda = 1e-15;
  for (std::size_t j = 0; j < at.lambda.size(); ++j) {
    lambda = std::max(lambda, kOfLambda * std::abs(at.lambda[j]));
    for (std::size_t i = 0; i < rows; ++i)
      if (const double W = std::abs(slopes.all(i, column.lambda + j)); W > 0)
        lambda = std::max(lambda, kOfOthers * size[i] / std::max(W, 1e-3));
  }
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < at.lambda.size(); ++j) size[i] += std::abs(slopes.all(i, column.lambda + j)) * lambda;
    if (!(std::abs(left[i]) <= size[i])) return false;
  }
  return true;
}

// The solutions that small steps along directions of the states lead to.
class Beside {
 public:
  Beside(const SteadySystem& system, const LinearMotion& motion)
      : system_(system), motion_(motion), left_(system.derivatives->values(*system.dynamics, motion.at)) {
    const bool at_rest = std::ranges::all_of(motion.at.v, [](double v) { return v == 0; });
    is_exact_ = holds_to_roundoff(system, motion.at, at_rest, std::vector<double>(left_.size()));
  }

  // Whether other solutions lie along each of the directions, to both sides.
  bool extends(const std::vector<double>& direction) const {
    const Matrix along = along_all({direction});
    return along.cols == 1 && leads_on(along, {1.0}) && leads_on(along, {-0.6}) && leads_on(along, {0.3});
  }
  // Whether the solutions along several directions are one family: they also lie along combinations of these.
  bool are_one_family(const std::vector<std::vector<double>>& directions) const {
    if (directions.size() < 2) return true;
    const Matrix along = along_all(directions);
    for (unsigned probe = 0; probe < 5; ++probe) {
      std::vector<double> weights;
      for (std::size_t k = 0; k < directions.size(); ++k) {
        const double part = 0.618034 * static_cast<double>(k + 1) + 0.37 * probe;
        const bool back = probe > 0 && ((k * (probe + 1) >> 1) + k + probe) % 2 != 0;
        weights.push_back((back ? -1 : 1) * (0.4 + 0.6 * (part - std::floor(part))));
      }
      if (!leads_on(along, weights)) return false;
    }
    return true;
  }

 private:
  double value(std::size_t i) const { return i < system_.nq() ? motion_.at.q[i] : motion_.at.v[i - system_.nq()]; }

  // Changes of (q, v) along the directions, a column each, that change no entry by more than 0.01 of max(1, its size).
  Matrix along_all(const std::vector<std::vector<double>>& directions) const {
    Matrix all(system_.nq() + system_.nv(), directions.size());
    for (std::size_t k = 0; k < directions.size(); ++k) {
      double relative = 0;
      for (std::size_t i = 0; i < all.rows; ++i) {
        for (std::size_t j = 0; j < directions[k].size(); ++j) all(i, k) += motion_.tangent(i, j) * directions[k][j];
        relative = std::max(relative, std::abs(all(i, k)) / std::max(1.0, std::abs(value(i))));
      }
      if (!(relative > 0)) return {};
      for (std::size_t i = 0; i < all.rows; ++i) all(i, k) *= 0.01 / relative;
    }
    return all;
  }

  // Whether the point and the directions from it are at rest.
  bool rests(const Matrix& along) const {
    const auto zero = [](double x) { return x == 0; };
    return std::ranges::all_of(motion_.at.v, zero) &&
           std::all_of(along.entries.begin() + static_cast<std::ptrdiff_t>(system_.nq() * along.cols),
                       along.entries.end(), zero);
  }

  // Whether there is a solution at these multiples of the changes, not nearer to the point and not elsewhere; where the family is curved, at a tenth of them.
  bool leads_on(const Matrix& along, std::vector<double> weights) const {
    if (is_solved_at(along, weights)) return true;
    for (double& weight : weights) weight /= 10;
    return is_solved_at(along, weights);
  }
  bool is_solved_at(const Matrix& along, const std::vector<double>& weights) const {
    const std::size_t nq = system_.nq();
    MotionPoint guess = motion_.at;
    for (std::size_t i = 0; i < along.rows; ++i)
      for (std::size_t k = 0; k < along.cols; ++k) (i < nq ? guess.q[i] : guess.v[i - nq]) += weights[k] * along(i, k);
    // The guess gets multipliers of its own: with the old ones, steps of least norm would lead back rather than change them.
    guess = point_at(*system_.dynamics, state_of(guess));
    const SteadyState other = solve_steady(system_, guess);
    if (!other.found) return false;
    MotionPoint there = step_on(system_, other.at);
    const bool at_rest = rests(along);
    if (at_rest) std::ranges::fill(there.v, 0.0);
    if (is_exact_ && !holds_to_roundoff(system_, there, at_rest, left_)) {
      // Newton's method leaves round-off of its steps in multipliers; those of the motion from rest are 0 where no force acts.
      there.lambda = point_at(*system_.dynamics, state_of(there)).lambda;
      if (!at_rest || !holds_to_roundoff(system_, there, at_rest, left_)) return false;
    }
    Matrix went(along.rows, 1);
    for (std::size_t i = 0; i < along.rows; ++i) went(i, 0) = (i < nq ? there.q[i] : there.v[i - nq]) - value(i);
    const Matrix reached = solve_least(along, went);
    // Where it is the nearest of families that cross, one of the multiples is 0 or nearly so.
    const double within = along.cols == 1 ? 0.7 : 0.2;
    for (std::size_t k = 0; k < along.cols; ++k)
      if (!(std::abs(reached(k, 0) - weights[k]) < within * std::abs(weights[k]))) return false;
    return true;
  }

  const SteadySystem& system_;
  const LinearMotion& motion_;
  const std::vector<double> left_;  // of the equations at the point: round-off
  bool is_exact_ = true;  // else Newton's method ended beside the point, and solutions nearby need be no better
};

struct Families {
  std::vector<std::string> along;     // names of states for directions in which there are other solutions
  std::vector<std::string> in_doubt;  // names of states for directions that only the linearisation allows
  Matrix directions;                  // a column for each of `along`
  bool one = true;                    // whether all of `along` are one family; else families cross here
};

Families find_families(const SteadySystem& system, const LinearMotion& motion, const Matrix& rest,
                       const std::vector<std::size_t>& kept) {
  Families families;
  std::vector<std::vector<double>> directions, found;
  for (const std::vector<std::size_t>& part : independent_parts(rest)) {
    const Matrix of_part = principal(rest, part);
    const std::vector<double> scale = balance(of_part);
    const Matrix balanced = scaled(of_part, scale);
    const Matrix null = null_space(balanced, kSingular, largest(balanced));
    for (std::size_t k = 0; k < null.cols; ++k) {
      directions.emplace_back(rest.rows);
      for (std::size_t i = 0; i < part.size(); ++i) directions.back()[part[i]] = null(i, k) * scale[i];
    }
  }
  reduce(directions);
  const Beside beside(system, motion);
  for (const std::vector<double>& direction : directions) {
    std::vector<double> all(motion.states.size());
    std::size_t named = 0;
    for (std::size_t i = direction.size(); i-- > 0;) {
      all[kept[i]] = direction[i];
      if (std::abs(direction[i]) > 1e-8) named = kept[i];  // the first nonzero entry; other directions are 0 there
    }
    const bool there = beside.extends(all);
    (there ? families.along : families.in_doubt).push_back(motion.states[named].name);
    if (there) found.push_back(std::move(all));
  }
  families.one = beside.are_one_family(found);
  families.directions = Matrix(motion.states.size(), found.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    for (std::size_t i = 0; i < motion.states.size(); ++i) families.directions(i, k) = found[k][i];
  return families;
}

// Names of families of relative equilibria (SteadySystem::relative) that are not `known`. Empty where relative
// equilibria do not explain all `zeros`.
std::vector<std::string> relative_families(const SteadySystem& system, const Equations& equations,
                                           const LinearMotion& motion, std::size_t zeros,
                                           const std::vector<std::string>& known) {
  const Result<LinearMotion> relative = linearize(*system.relative, state_of(motion.at));
  if (!relative || relative->kind == MotionKind::kState) return {};
  const Stability judged = judge_stability(*system.relative, equations, *relative);
  // Each coordinate that drops out of the relative system contributes a zero eigenvalue.
  std::size_t dropped = 0;
  for (std::size_t k = 0; k < motion.states.size(); ++k)
    if (!motion.states[k].velocity && system.relative->leaves_out(motion.states[k].index) &&
        std::ranges::find(motion.cyclic, k) == motion.cyclic.end())
      ++dropped;
  if (judged.unexplained > 0 || zeros != dropped + judged.zeros) return {};
  std::vector<std::string> families;
  for (const std::string& name : judged.family)
    if (std::ranges::find(known, name) == known.end()) families.push_back(name);
  return families;
}

std::string solutions(const LinearMotion& motion) {
  return motion.kind == MotionKind::kEquilibrium ? "equilibria" : "steady motions";
}

// Numbers of zero eigenvalues that do not come from cyclic coordinates: explained by families of solutions, by a drift
// along a family, or unexplained.
struct LeftZeros {
  std::size_t families = 0, drift = 0, unexplained = 0;
};

// The number of independent rows.
std::size_t rank_of(const Matrix& rows) { return rows.entries.empty() ? 0 : pivot_columns(transposed(rows)).size(); }

// Names of conserved momenta that are a drift's, as many as there are combinations of them that are constant along all families: each is the zero eigenvalue of a
// motion that is in no family. A momentum that changes along a family, as p[z] along steady motions with z', is that family's.
std::vector<std::string> momenta_of_drifts(const SteadySystem& system, const Equations& equations,
                                           const LinearMotion& motion, const Matrix& families) {
  const Equations eq = on_overlay(equations);
  std::vector<Expr> state = eq.q;
  state.insert(state.end(), eq.velocities().begin(), eq.velocities().end());
  const std::unordered_map<SymbolId, double> values = values_at(eq, *system.dynamics, motion.at);
  // Those with few velocities first: the momentum along x, then that about the origin.
  std::vector<std::pair<std::size_t, std::size_t>> order;
  std::vector<std::vector<double>> slopes;
  for (std::size_t k = 0; k < eq.momenta.size(); ++k) {
    slopes.push_back(numbers_of(gradient(eq.momenta[k].expression, state), values));
    order.emplace_back(std::ranges::count_if(slopes[k], [](double slope) { return slope != 0; }), k);
  }
  std::ranges::sort(order);
  std::vector<std::string> names;
  Matrix all(0, motion.states.size()), along(0, families.cols);
  const auto add = [](Matrix& rows, const Matrix& row) {
    Matrix more(rows.rows + 1, row.cols);
    std::ranges::copy(rows.entries, more.entries.begin());
    std::ranges::copy(row.entries, more.entries.end() - std::ssize(row.entries));
    if (rank_of(more) <= rank_of(rows)) return false;
    rows = std::move(more);
    return true;
  };
  for (const auto& [count, k] : order) {
    Matrix slope(1, state.size());
    slope.entries = slopes[k];
    slope = slope * motion.tangent;
    const double size = largest(slope);
    if (size == 0) continue;
    for (double& entry : slope.entries) entry /= size;
    if (!add(all, slope)) continue;
    Matrix changes = slope * families;
    for (double& entry : changes.entries)
      if (std::abs(entry) <= 1e-9 * largest(families)) entry = 0;
    if (!add(along, changes)) names.push_back(eq.momenta[k].name);
  }
  return names;
}

// Explains each of `count` zero eigenvalues by a family of solutions or by a drift along a family; the others stay
// unexplained.
LeftZeros explain_zeros(const SteadySystem& system, const Equations& equations, const LinearMotion& motion,
                        std::size_t count, Families families, Stability& stability) {
  stability.family = families.along;
  for (const std::string& name : families.along)
    stability.because.push_back(fmt::format("{}: along it there is a family of {}", name,
                                            name.ends_with('\'') ? "steady motions" : solutions(motion)));
  if (!families.one)
    stability.because.push_back("these families cross here: what happens between them, terms of higher order decide");
  std::size_t left = count - std::min(count, families.along.size() + families.in_doubt.size());
  if (system.relative != nullptr && left + families.in_doubt.size() > 0) {
    const std::vector<std::string> more = relative_families(system, equations, motion, count, families.along);
    for (const std::string& name : more) {
      stability.family.push_back(name);
      stability.because.push_back(
          fmt::format("{}: along it there is a family of relative equilibria, steady apart from the rotation", name));
    }
    if (!more.empty()) {
      left = 0;
      families.in_doubt.clear();
    }
  }
  const std::vector<std::string> conserved =
      left > 0 ? momenta_of_drifts(system, equations, motion, families.directions) : std::vector<std::string>{};
  const std::size_t drift = std::min(left, conserved.size());
  for (std::size_t k = 0; k < drift; ++k)
    stability.because.push_back(fmt::format("a drift at a constant rate, as {} is conserved", conserved[k]));
  left -= drift;
  std::string doubt;
  for (const std::string& name : families.in_doubt) doubt += (doubt.empty() ? "" : ", ") + name;
  if (!doubt.empty()) stability.because.push_back(fmt::format("{}: no family, so terms of higher order decide", doubt));
  if (left > 0)
    stability.because.push_back(fmt::format("{} more that no family explains: terms of higher order decide", left));
  return {families.along.size(), drift, left + families.in_doubt.size() + (families.one ? 0 : 1)};
}

// The point after one more step towards the solution, with all numbers changed by some units of round-off.
State beside(const SteadySystem& system, const MotionPoint& at, double round_off) {
  State state = state_of(step_on(system, at));
  double sign = round_off;
  for (auto* list : {&state.q, &state.v})
    for (double& x : *list) x *= 1 + (sign = -sign);
  return state;
}

// Marks modes whose eigenvalues are another number beside the point. They are round-off: of A, or of a solution at which derivatives vanish, such
// as x = 0 of the potential x⁴, beside which Newton's method ends.
std::vector<bool> find_roundoff(const SteadySystem& system, const LinearMotion& motion,
                                const std::vector<Mode>& modes) {
  std::vector<bool> roundoff(modes.size());
  for (const double change : {8 * kEps, -24 * kEps}) {
    const Result<LinearMotion> other = linearize(system, beside(system, motion.at, change));
    if (!other || other->kind != motion.kind || other->A.rows != motion.A.rows) return roundoff;
    const std::vector<Mode> others = split_parts(other->A).modes;
    for (std::size_t i = 0; i < modes.size(); ++i) {
      const Complex value = modes[i].eigenvalue;
      double least = abs1(value);  // from 0, to which it may have come
      for (const Mode& one : others) least = std::min(least, abs1(one.eigenvalue - value));
      if (least > kSettled * abs1(value)) roundoff[i] = true;
    }
    if (std::ranges::find(roundoff, true) == roundoff.end()) break;
  }
  return roundoff;
}

// Whether the equations are linear in coordinates and velocities, with constant coefficients, as they are written.
bool are_linear(const Equations& equations) {
  if (!equations.v_is_qdot() || equations.load_dependent() || !equations.unilateral.empty()) return false;
  std::vector<Expr> state = equations.q;
  state.insert(state.end(), equations.qd.begin(), equations.qd.end());
  const Variables variables(state);
  const auto constant = [&](const Expr& e) { return variables.in(e).empty(); };
  const auto affine = [&](const Expr& e) { return !not_affine_in(e, variables); };
  return std::ranges::all_of(equations.M.value, constant) && std::ranges::all_of(equations.W.value, constant) &&
         std::ranges::all_of(equations.B, affine) && std::ranges::all_of(equations.G, affine) &&
         std::ranges::all_of(equations.F, affine) && std::ranges::all_of(equations.h, affine);
}

// Whether modes with one eigenvalue have as many independent shapes.
bool are_independent(const std::vector<Mode>& modes) {
  for (const Mode& one : modes) {
    std::vector<const Mode*> same;
    for (const Mode& other : modes)
      if (std::abs(other.eigenvalue - one.eigenvalue) <= 1e-6 * std::abs(one.eigenvalue)) same.push_back(&other);
    const std::size_t n = one.shape.size();
    Matrix shapes(2 * n, 2 * same.size());
    for (std::size_t k = 0; k < same.size(); ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        const Complex entry = same[k]->shape[i];
        shapes(i, k) = shapes(n + i, same.size() + k) = entry.real();
        shapes(n + i, k) = entry.imag();
        shapes(i, same.size() + k) = -entry.imag();
      }
    }
    if (null_space(shapes, 1e-6).cols > 0) return false;
  }
  return true;
}

// Which velocities are not 0 along the families of solutions.
std::vector<bool> velocities_along(const SteadySystem& system, const LinearMotion& motion, const Matrix& families) {
  std::vector<bool> moving(system.nv());
  const Matrix all = motion.tangent * families;
  for (std::size_t i = 0; i < moving.size(); ++i) {
    moving[i] = motion.at.v[i] != 0;
    for (std::size_t k = 0; k < all.cols; ++k)
      moving[i] = moving[i] || std::abs(all(system.nq() + i, k)) > 1e-10 * largest(all);
  }
  return moving;
}

// Returns the directions of the families of solutions, a column of states for each that is not one of relative equilibria.
Matrix judge_by_eigenvalues(const SteadySystem& system, const Equations& equations, const LinearMotion& motion,
                            bool kinked, Stability& stability) {
  if (motion.states.empty()) {
    if (motion.kind != MotionKind::kState) stability.verdict = StabilityVerdict::kStable;
    stability.because.push_back("the constraints leave no motion here");
    return {};
  }
  const PartedModes all = split_parts(motion.A);
  stability.modes = all.modes;
  stability.zeros = all.zeros;
  double growth = 0;
  bool degenerate = false;
  std::vector<Mode> on_axis;
  const std::vector<bool> roundoff = motion.kind == MotionKind::kState ? std::vector<bool>(stability.modes.size())
                                                                       : find_roundoff(system, motion, stability.modes);
  for (std::size_t i = 0; i < stability.modes.size(); ++i) {
    const double real = stability.modes[i].eigenvalue.real();
    if (roundoff[i])
      degenerate = true;
    else if (std::abs(real) <= kOnAxis * all.sizes[i])
      on_axis.push_back(stability.modes[i]);
    else
      growth = growth == 0 ? real : std::max(growth, real);
  }
  stability.modes.insert(stability.modes.end(), all.zeros, Mode{});
  std::ranges::stable_sort(stability.modes, before);

  const std::vector<std::size_t>& cyclic = motion.cyclic;
  for (const std::size_t state : cyclic)
    stability.because.push_back(fmt::format("{}: nothing depends on it", motion.states[state].name));
  if (motion.kind == MotionKind::kState) {
    if (stability.zeros > cyclic.size())
      stability.because.push_back(
          fmt::format("{} more: this is no equilibrium, so a zero eigenvalue proves nothing about stability",
                      stability.zeros - cyclic.size()));
    return {};
  }
  std::vector<std::size_t> kept;
  const Matrix rest = without(motion.A, cyclic, kept);
  const Families families = find_families(system, motion, rest, kept);
  const LeftZeros zeros = explain_zeros(system, equations, motion, split_parts(rest).zeros, families, stability);
  stability.unexplained = zeros.unexplained;
  const bool higher_order = degenerate || stability.unexplained > 0;
  if (growth > 0) {
    stability.verdict = StabilityVerdict::kUnstable;
  } else if (higher_order || !on_axis.empty() || zeros.drift > 0) {
    const std::optional<EnergyVerdict> judged = judge_by_energy(
        system, equations, motion, {cyclic.size() + zeros.families, zeros.drift, on_axis, higher_order, kinked});
    stability.verdict = judged ? judged->verdict : StabilityVerdict::kMarginal;
    if (!higher_order && !kinked && is_stable_by_momenta(system, equations, motion)) {
      stability.verdict = StabilityVerdict::kStable;
      stability.because.push_back("the energy is least or greatest here among motions with the same momenta");
    } else if (!judged && !higher_order && zeros.drift == 0 && !kinked && motion.turning.empty() &&
               are_linear(equations) && are_independent(on_axis)) {
      stability.verdict = StabilityVerdict::kStable;
      stability.because.push_back("the equations are linear, so that eigenvalues decide");
    }
    if (judged && !judged->because.empty()) stability.because.push_back(judged->because);
    if (!judged && degenerate)
      stability.undecided = "small eigenvalues are round-off here: terms of higher order decide";
    if (judged) stability.unexplained = 0;
  } else {
    stability.verdict = stability.zeros == 0 ? StabilityVerdict::kAsymptoticallyStable : StabilityVerdict::kStable;
  }
  return families.directions;
}

}  // namespace

std::vector<Complex> eigenvalues_of(const LinearMotion& motion, std::size_t zeros) {
  const Staircase stair = split_zeros(motion.A, zeros);
  std::vector<Mode> modes;
  for (const Complex& value :
       eigenpairs(block(stair.T, stair.zeros, stair.zeros, stair.T.rows - stair.zeros, stair.T.rows - stair.zeros))
           .value)
    modes.push_back({value, {}});
  modes.insert(modes.end(), stair.zeros, Mode{});
  std::ranges::stable_sort(modes, before);
  std::vector<Complex> values;
  for (const Mode& mode : modes) values.push_back(mode.eigenvalue);
  return values;
}

Stability judge_stability(const SteadySystem& system, const Equations& equations, const LinearMotion& motion) {
  Stability stability;
  if (motion.kind != MotionKind::kState && motion.nearly_dependent) {
    stability.verdict = StabilityVerdict::kMarginal;
    stability.undecided = "rows of the constraints are nearly dependent here: the free motions depend on round-off";
    return stability;
  }
  const std::optional<OneSided> sided = judge_one_sided(system, equations, motion);
  if (sided && sided->linear) {
    SteadySystem of_piece = system;
    if (sided->derivatives) of_piece.derivatives = sided->derivatives.get();
    const Matrix families = judge_by_eigenvalues(of_piece, equations, *sided->linear, true, stability);
    if (!stability.family.empty() && (families.cols < stability.family.size() ||
                                      !sided->sides->agree_while(velocities_along(system, *sided->linear, families)))) {
      // A family of solutions on one side need not continue across the limit.
      stability.family.clear();
      if (stability.verdict != StabilityVerdict::kUnstable) stability.verdict = StabilityVerdict::kMarginal;
      if (stability.verdict == StabilityVerdict::kMarginal)
        stability.undecided =
            "the equations have a derivative here, but not nearby: the families found hold on one side only";
    }
    return stability;
  }
  if (sided && motion.kind == MotionKind::kState) {
    // The state is not steady: its eigenvalues are those of one side of the limit, as the remark says.
    stability.undecided = sided->because;
  } else if (sided) {
    stability.verdict = sided->verdict.value_or(StabilityVerdict::kMarginal);
    stability.because.push_back(sided->because);
    if (!sided->verdict) stability.undecided = sided->because;
    return stability;
  }
  judge_by_eigenvalues(system, equations, motion, false, stability);
  return stability;
}

}  // namespace dalembert
