// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/one_sided.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "dalembert/analyze/stability/energy_verdict.h"
#include "dalembert/analyze/stability/sides.h"
#include "dalembert/analyze/stability/slopes.h"
#include "dalembert/base/text.h"
#include "dalembert/derive/jumps.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr double kSamePiece = Sides::kSamePiece;
// Only beyond this relative margin is a direction inside a piece, and an eigenvalue positive.
constexpr double kInside = 1e-6;

// The equations of one piece at the point.
struct SmoothPiece {
  std::vector<int> side;
  EquationDerivatives derivatives;
  Slopes slopes;
  std::vector<double> values;  // values of the piece's equations at rest, with v̇ = 0 and λ = 0

  SmoothPiece(const Sides::Held& held, const Dynamics& dynamics, const MotionPoint& at)
      : side(held.side),
        derivatives(held.equations),
        slopes(derivatives, dynamics, at),
        values(derivatives.values(dynamics, at)) {}
};

class OneSidedJudge {
 public:
  OneSidedJudge(const SteadySystem& system, const Equations& equations, const LinearMotion& motion)
      : system_(system),
        equations_(equations),
        motion_(motion),
        sides_(std::make_shared<const Sides>(system, equations, motion.at)) {}

  std::optional<OneSided> run() {
    if (sides_->guards().empty() && sides_->obstacle().empty()) return std::nullopt;
    OneSided result;
    for (const ActiveGuard& guard : sides_->guards()) result.guards.push_back(to_text(guard.free));
    if (!sides_->obstacle().empty()) return undecided(std::move(result), sides_->obstacle());
    if (sides_->pieces().size() > Sides::kMostPieces)
      return undecided(std::move(result), "too many branches meet here");
    at_ = motion_.at;
    std::ranges::fill(at_.vdot, 0.0);
    for (const Sides::Held& held : sides_->pieces()) {
      pieces_.emplace_back(held, *system_.dynamics, at_);
      if (!std::isfinite(largest(determining(pieces_.back().slopes.all))))
        return undecided(std::move(result), "a derivative of one side is not finite");
    }
    if (agree()) {
      // Where the derivative of the force is 0 on all pieces, terms of higher order may differ.
      if (motion_.kind == MotionKind::kEquilibrium && system_.nq() == 1 && system_.m() == 0 &&
          std::abs(pieces_.front().slopes.all(row().r, column().q)) <= 1e-12)
        if (const std::optional<StabilityVerdict> verdict = one_freedom_by_orders())
          return decided_by_orders(std::move(result), *verdict);
      result.sides = sides_;
      if (!differs_from_all()) {
        result.linear = motion_;
        return result;
      }
      // The equations exactly at the limit have another derivative than all pieces, as with sign(0) = 0.
      const SteadySystem of_piece{system_.dynamics, &pieces_.front().derivatives, system_.left_out, system_.follows};
      Result<LinearMotion> linear = linearize(of_piece, state_of(motion_.at));
      if (!linear || linear->kind != motion_.kind) return undecided(std::move(result), "at the limit itself only");
      result.linear = std::move(linear).value();
      result.derivatives = std::make_shared<const EquationDerivatives>(pieces_.front().derivatives);
      return result;
    }
    if (motion_.kind != MotionKind::kEquilibrium)
      return undecided(std::move(result), "and the linearisation here is that of one side only");
    if (constraints_differ()) return undecided(std::move(result), "in a constraint");
    if (!system_.left_out.empty() || !system_.follows.empty() || !system_.dynamics->layout().v_is_qdot)
      return undecided(std::move(result), "in equations whose velocities are not rates of coordinates");
    if (accelerates_away())
      return decided(std::move(result), StabilityVerdict::kUnstable, "a force on one side leads away");
    if (grows_inside())
      return decided(std::move(result), StabilityVerdict::kUnstable, "on one side it leads away exponentially");
    if (drifts_off())
      return decided(std::move(result), StabilityVerdict::kUnstable,
                     "on one side there is no force, and it drifts off at constant speed");
    if (const std::optional<StabilityVerdict> verdict = one_freedom_by_orders())
      return decided(std::move(result), *verdict, of_orders(*verdict));
    if (one_freedom_falls())
      return decided(std::move(result), StabilityVerdict::kAsymptoticallyStable,
                     "on every side it is pulled back and damped");
    if (potential_is_least())
      return decided(std::move(result), StabilityVerdict::kStable,
                     equations_.conservative ? "the energy is least on every side"
                                             : "the energy is least on every side, and no force adds to it");
    return undecided(std::move(result), "and the equations on its sides do not decide");
  }

 private:
  static std::string of_orders(StabilityVerdict verdict) {
    return verdict == StabilityVerdict::kStable ? "the energy rises on every side"
                                                : "the energy does not rise on every side";
  }
  static OneSided undecided(OneSided result, const std::string& why) {
    result.because = "the equations have no derivative here (" + join_words(result.guards) + "), " + why;
    if (result.guards.empty()) result.because = "the equations have no derivative here: " + why;
    return result;
  }
  static OneSided decided(OneSided result, StabilityVerdict verdict, const std::string& why) {
    result.verdict = verdict;
    result.because = "the equations have no derivative here (" + join_words(result.guards) + "): " + why;
    return result;
  }

  // Where the first derivatives of all pieces agree.
  OneSided decided_by_orders(OneSided result, StabilityVerdict verdict) const {
    result.differentiable = !differs_from_all();
    if (!result.differentiable) return decided(std::move(result), verdict, of_orders(verdict));
    result.verdict = verdict;
    result.because = "the first derivatives on all sides agree here (" + join_words(result.guards) +
                     "), and terms of higher order decide: " + of_orders(verdict);
    return result;
  }

  const DerivativeRows& row() const { return system_.derivatives->rows(); }
  const DerivativeColumns& column() const { return system_.derivatives->columns(); }
  Matrix determining(const Matrix& all) const { return block(all, 0, 0, row().y, all.cols); }

  double same_within() const { return kSamePiece + sides_->offset(); }

  // Whether equation i of two pieces is the same to first order, but for round-off. Each equation, and in it the derivatives by positions, velocities
  // and so on, have units of their own: what is large in one says nothing of what is small in another.
  bool same_row(std::size_t i, const Slopes& a, const std::vector<double>& a_values, const Slopes& b,
                const std::vector<double>& b_values) const {
    constexpr double kRoundoff = 1e-14;  // of the largest derivative in the row
    const DerivativeColumns& at = column();
    const auto size = [&](std::size_t j) {
      return j < at.v ? a.q_size[j] : j < at.lambda ? a.v_size[j - (j < at.vdot ? at.v : at.vdot)] : 1;
    };
    double all = 0, value = std::max(std::abs(a_values[i]), std::abs(b_values[i]));
    std::array<double, 6> most{}, differ{};
    const std::array<std::size_t, 7> group{at.q, at.v, at.vdot, at.lambda, at.u, at.t, at.end};
    for (std::size_t g = 0; g < most.size(); ++g) {
      for (std::size_t j = group[g]; j < group[g + 1]; ++j) {
        most[g] = std::max(most[g], size(j) * std::max(std::abs(a.all(i, j)), std::abs(b.all(i, j))));
        differ[g] = std::max(differ[g], size(j) * std::abs(a.all(i, j) - b.all(i, j)));
      }
      all = std::max(all, most[g]);
    }
    for (std::size_t g = 0; g < most.size(); ++g)
      if (differ[g] > std::max(same_within() * most[g], kRoundoff * all)) return false;
    return std::abs(a_values[i] - b_values[i]) <= same_within() * std::max(value, most[0]);
  }

  // Whether the pieces agree to first order.
  bool agree() const {
    const SmoothPiece& first = pieces_.front();
    for (const SmoothPiece& piece : pieces_)
      for (std::size_t i = 0; i < row().y; ++i)
        if (!same_row(i, piece.slopes, piece.values, first.slopes, first.values)) return false;
    return true;
  }
  bool differs_from_all() const {
    const Slopes here(*system_.derivatives, *system_.dynamics, at_);
    const std::vector<double> values = system_.derivatives->values(*system_.dynamics, at_);
    const SmoothPiece& first = pieces_.front();
    for (std::size_t i = 0; i < row().y; ++i)
      if (!same_row(i, here, values, first.slopes, first.values)) return true;
    return false;
  }

  bool constraints_differ() const {
    const SmoothPiece& first = pieces_.front();
    for (const SmoothPiece& piece : pieces_)
      for (std::size_t i = row().c; i < row().y; ++i)
        if (!same_row(i, piece.slopes, piece.values, first.slopes, first.values)) return true;
    return false;
  }

  // Whether x, a change of coordinates and velocities, leads into the piece: s_k ∇g_k·x > 0 for all guards.
  bool is_inside(const SmoothPiece& piece, const std::vector<double>& x) const {
    double length = 0;
    for (const double entry : x) length = std::hypot(length, entry);
    for (std::size_t k = 0; k < piece.side.size(); ++k) {
      if (piece.side[k] == 0) continue;
      double along = 0, size = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        along += sides_->guards()[k].slope[i] * x[i];
        size = std::hypot(size, sides_->guards()[k].slope[i]);
      }
      if (!(piece.side[k] * along > kInside * size * length)) return false;
    }
    return length > 0;
  }

  // The acceleration v̇ of the piece from rest; exactly 0 where it is round-off.
  std::vector<double> acceleration(const SmoothPiece& piece) const {
    const std::size_t nv = system_.nv(), size = nv + system_.m();
    const Matrix K = block(piece.slopes.all, row().r, column().vdot, size, size);
    Matrix right(size, 1);
    MotionPoint free = at_;
    std::ranges::fill(free.lambda, 0.0);
    const std::vector<double> values = piece.derivatives.values(*system_.dynamics, free);
    for (std::size_t i = 0; i < size; ++i) right(i, 0) = -values[row().r + i];
    const Matrix solved = solve_least(K, right, 1e-13);
    std::vector<double> vdot(nv);
    // The acceleration counts as 0 if round-off of balanced forces, or an error of the position, can explain it.
    double most = 0, none = 0;
    for (std::size_t i = 0; i < nv; ++i) {
      vdot[i] = solved(i, 0);
      most = std::max(most, std::abs(vdot[i]) / piece.slopes.v_size[i]);
      double terms = kSamePiece * std::abs(right(i, 0));
      for (std::size_t j = 0; j < at_.q.size(); ++j)
        terms += sides_->offset() * std::abs(piece.slopes.all(row().r + i, column().q + j)) *
                 std::max(1.0, std::abs(at_.q[j]));
      none = std::max(none, terms * piece.slopes.v_size[i]);
    }
    if (most <= none) std::ranges::fill(vdot, 0.0);
    return vdot;
  }
  bool rests(const SmoothPiece& piece) const {
    return std::ranges::all_of(acceleration(piece), [](double x) { return x == 0; });
  }

  bool accelerates_away() const {
    for (const SmoothPiece& piece : pieces_) {
      const std::vector<double> vdot = acceleration(piece);
      // After a short time v = v̇ t and q = v̇ t²/2.
      std::vector<double> x(system_.nq() + system_.nv());
      const bool of_position = std::ranges::all_of(sides_->guards(), &ActiveGuard::of_position);
      for (std::size_t i = 0; i < vdot.size(); ++i) x[of_position ? i : system_.nq() + i] = vdot[i];
      if (is_inside(piece, x)) return true;
    }
    return false;
  }

  std::optional<LinearMotion> linearized(const SmoothPiece& piece) const {
    if (!rests(piece)) return std::nullopt;
    const SteadySystem of_piece{system_.dynamics, &piece.derivatives};
    Result<LinearMotion> motion = linearize(of_piece, state_of(motion_.at));
    if (!motion || motion->kind != MotionKind::kEquilibrium) return std::nullopt;
    for (std::size_t i = 0; i < at_.q.size(); ++i)
      if (std::abs(motion->at.q[i] - at_.q[i]) > 1e-7 * std::max(1.0, std::abs(at_.q[i]))) return std::nullopt;
    return std::move(motion).value();
  }

  bool grows_inside() const {
    for (const SmoothPiece& piece : pieces_) {
      const std::optional<LinearMotion> motion = linearized(piece);
      if (!motion) continue;
      const Eigenpairs pairs = eigenpairs(motion->A);
      for (std::size_t e = 0; e < pairs.value.size(); ++e) {
        const double size = std::max(1e-300, largest(motion->A));
        if (!(pairs.value[e].real() > kInside * size) || std::abs(pairs.value[e].imag()) > kSamePiece * size) continue;
        for (const double half : {1.0, -1.0}) {
          std::vector<double> x(motion->tangent.rows);
          for (std::size_t i = 0; i < x.size(); ++i)
            for (std::size_t k = 0; k < pairs.vector[e].size(); ++k)
              x[i] += half * motion->tangent(i, k) * pairs.vector[e][k].real();
          if (is_inside(piece, x)) return true;
        }
      }
    }
    return false;
  }

  // Whether a piece has a coordinate on which its equations do not depend, along which it can drift off without resistance.
  bool drifts_off() const {
    for (const SmoothPiece& piece : pieces_) {
      if (!rests(piece)) continue;
      for (std::size_t i = 0; i < system_.nq(); ++i) {
        if (piece.derivatives.motion_depends_on(column().q + i)) continue;
        for (const double half : {1.0, -1.0}) {
          std::vector<double> x(system_.nq() + system_.nv());
          x[i] = half;
          const bool straight = std::ranges::all_of(
              sides_->guards(), [](const ActiveGuard& guard) { return guard.straight && guard.of_position; });
          if (!straight || !is_inside(piece, x)) continue;
          if (goes_on(piece, i, half)) return true;
        }
      }
    }
    return false;
  }

  // Whether no force arises at several speeds, large and small, along coordinate i.
  bool goes_on(const SmoothPiece& piece, std::size_t i, double direction) const {
    for (const double speed : {1.0, 0.37, 1e-3}) {
      MotionPoint moving = at_;
      moving.v[i] = direction * speed;
      const std::vector<double> values = piece.derivatives.values(*system_.dynamics, moving);
      for (std::size_t k = 0; k < row().k; ++k)
        if (std::abs(values[k] - piece.values[k]) > 1e-14 * (1 + std::abs(piece.values[k]))) return false;
    }
    return true;
  }

  // The verdict for one coordinate and a conserved energy. On each side the first derivative of the energy that is not 0 tells
  // whether the energy rises, whatever the order. Where it falls or is flat, a motion that starts at rest, or with a push, goes on.
  std::optional<StabilityVerdict> one_freedom_by_orders() const {
    if (system_.nq() != 1 || system_.m() != 0 || !keeps_energy()) return std::nullopt;
    bool rises = true;
    for (const Sides::Held& piece : sides_->pieces()) {
      double half = 0;  // the side of 0 that lies in the piece: 1 or -1; 0: none, 2: both
      for (const double x : {1.0, -1.0}) {
        bool inside = true;
        for (std::size_t k = 0; k < piece.side.size(); ++k)
          inside = inside && (piece.side[k] == 0 || piece.side[k] * sides_->guards()[k].slope[0] * x > 0);
        if (inside) half = half == 0 ? x : 2;
      }
      if (half != 1 && half != -1) return std::nullopt;
      const std::optional<Sides::Leading> leading = sides_->leading_force(piece);
      if (!leading) return std::nullopt;
      rises = rises && !leading->flat && leading->value * std::pow(half, leading->order + 1) > 0;
    }
    return rises ? StabilityVerdict::kStable : StabilityVerdict::kUnstable;
  }

  bool keeps_energy() const { return equations_.conservative && has_continuous_energy(); }

  bool has_continuous_energy() const {
    if (equations_.holonomic.size() != equations_.rows.size()) return false;
    for (const ActiveGuard& guard : sides_->guards())
      if (!guard.of_position) return false;
    for (const Expr& energy : {equations_.V, equations_.T})
      if (!find_jumps(energy, *equations_.model).empty()) return false;
    return true;
  }

  bool potential_is_least() const {
    if (!has_continuous_energy() || !never_gains_energy(equations_, *system_.dynamics, at_)) return false;
    return std::ranges::all_of(pieces_, [&](const SmoothPiece& piece) { return is_least(piece); });
  }

  bool is_least(const SmoothPiece& piece) const {
    const std::size_t n = system_.nv(), m = system_.m(), guards = piece.side.size();
    MotionPoint free = at_;
    std::ranges::fill(free.lambda, 0.0);
    const std::vector<double> values = piece.derivatives.values(*system_.dynamics, free);
    // Solves ∇V = Wᵀλ + Σ μ_k s_k ∇g_k for λ and μ, with the potential V and the signs s_k of the guards g_k in this
    // piece. Guards whose gradients are 0 contribute nothing.
    Matrix A(n, m + guards), right(n, 1);
    double size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double unit = piece.slopes.v_size[i];
      right(i, 0) = values[row().r + i] * unit;
      size = std::max(size, std::abs(right(i, 0)));
      for (std::size_t j = 0; j < m; ++j) A(i, j) = -piece.slopes.all(row().r + i, column().lambda + j) * unit;
      for (std::size_t k = 0; k < guards; ++k) A(i, m + k) = piece.side[k] * sides_->guards()[k].slope[i] * unit;
    }
    const Matrix solved = solve_least(A, right);
    const Matrix left = A * solved;
    for (std::size_t i = 0; i < n; ++i)
      if (std::abs(left(i, 0) - right(i, 0)) > kSamePiece * std::max(size, 1e-12)) return false;
    MotionPoint at = at_;
    for (std::size_t j = 0; j < m; ++j) at.lambda[j] = solved(j, 0);
    std::vector<std::size_t> pressing;
    for (std::size_t k = 0; k < guards; ++k) {
      double slope = 0;
      for (std::size_t i = 0; i < n; ++i) slope = std::max(slope, std::abs(A(i, m + k)));
      const double force = solved(m + k, 0) * slope;
      if (force < -kSamePiece * size) return false;
      if (force > kInside * size && size > 0) pressing.push_back(k);
    }
    // The Hessian of V − λ·h − Σ μ_k s_k g_k (potential, constraints, guards) must be positive on the directions that
    // remain.
    const Slopes slopes(piece.derivatives, *system_.dynamics, at);
    Matrix H = block(slopes.all, row().r, column().q, n, n), rows(m + pressing.size(), n);
    for (const std::size_t k : pressing)
      for (std::size_t i = 0; i < H.entries.size(); ++i)
        H.entries[i] -= solved(m + k, 0) * piece.side[k] * sides_->guards()[k].curvature.entries[i];
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) H(i, j) *= slopes.v_size[i] * slopes.v_size[j];
      for (std::size_t j = 0; j < m; ++j) rows(j, i) = A(i, j);
      for (std::size_t p = 0; p < pressing.size(); ++p) rows(m + p, i) = A(i, m + pressing[p]);
    }
    for (std::size_t r = 0; r < rows.rows; ++r) {
      double norm = 0;
      for (std::size_t i = 0; i < n; ++i) norm = std::hypot(norm, rows(r, i));
      for (std::size_t i = 0; i < n && norm > 0; ++i) rows(r, i) /= norm;
    }
    const Matrix along = null_space(rows, 1e-9, 1);
    if (along.cols == 0) return true;
    Matrix K = transposed(along) * H * along;
    for (std::size_t i = 0; i < K.rows; ++i)
      for (std::size_t j = 0; j < i; ++j) K(i, j) = K(j, i) = (K(i, j) + K(j, i)) / 2;
    const double scale = std::max(largest(K), 1e-300);
    return std::ranges::all_of(eigenpairs(K).value,
                               [&](const std::complex<double>& value) { return value.real() > kInside * scale; });
  }

  bool one_freedom_falls() const {
    for (const ActiveGuard& guard : sides_->guards())
      if (!guard.of_position) return false;
    for (const SmoothPiece& piece : pieces_) {
      const std::optional<LinearMotion> motion = linearized(piece);
      if (!motion || motion->A.rows != 2 || !motion->states[1].velocity || motion->states[0].velocity) return false;
      const double k = -motion->A(1, 0), c = -motion->A(1, 1), unit = std::max(std::sqrt(std::abs(k)), std::abs(c));
      if (!(k > kInside * unit * unit) || !(c > kInside * unit) || std::abs(motion->A(0, 0)) > 0 ||
          motion->A(0, 1) != 1)
        return false;
    }
    return true;
  }

  const SteadySystem& system_;
  const Equations& equations_;
  const LinearMotion& motion_;
  std::shared_ptr<const Sides> sides_;
  MotionPoint at_;
  std::vector<SmoothPiece> pieces_;
};

}  // namespace

std::optional<OneSided> judge_one_sided(const SteadySystem& system, const Equations& equations,
                                        const LinearMotion& motion) {
  if (!Sides::has_choices(equations)) return std::nullopt;
  return OneSidedJudge(system, equations, motion).run();
}

}  // namespace dalembert
