// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/equilibria.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/analyze/stability/lost_inertia.h"
#include "dalembert/analyze/stability/one_sided.h"
#include "dalembert/analyze/stability/rank_loss.h"
#include "dalembert/analyze/stability/slopes.h"
#include "dalembert/analyze/stability/stability.h"
#include "dalembert/analyze/stability/symmetries.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/kinematics.h"

namespace dalembert {
namespace {

// Solutions that differ by less than this, relative to the scale of each coordinate and velocity, are the same.
constexpr double kSame = 1e-6;
// Velocities below this, relative to the scale of velocities, are those of a steady motion only where it holds to round-off of its terms.
constexpr double kStill = 1e-5;
// Where p solutions coincide, a step of Newton's method goes 1/p of the way to them: p is taken to be at most kMostAtOnce. Farther than kMostDoubt
// from them, relative to the same scale, no point counts as theirs.
constexpr double kMostAtOnce = 8, kMostDoubt = 1e-3;

// For the estimate of work: mean numbers of Newton iterations for a start and for a step along a family, and the number
// of multiplications that take as long as one interpreted instruction.
constexpr double kIterationsOfStart = 20, kIterationsOfStep = 4, kOfInstruction = 25;

// Element k of Halton's sequence in dimension d, mapped to −1 … 1.
double scrambled(int k, std::size_t d) {
  static constexpr int kPrimes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
  const int base = kPrimes[d % std::size(kPrimes)];
  double value = 0, part = 1;
  for (int left = k + 7 * static_cast<int>(d / std::size(kPrimes)); left > 0; left /= base) {
    part /= base;
    value += part * (left % base);
  }
  return 2 * value - 1;
}

class EquilibriumSearch {
 public:
  EquilibriumSearch(const SteadySystem& system, const Equations& equations, const State& start,
                    const SearchOptions& options)
      : system_(system), equations_(equations), start_(start), options_(options) {
    find_scales();
    find_periods();
    const double size = static_cast<double>(system_.nq() + system_.nv() + system_.m());
    iteration_ = kOfInstruction * static_cast<double>(system_.derivatives->instructions()) + 2 * size * size * size;
  }

  std::vector<Equilibrium> run() {
    if (!system_.is_autonomous()) return {};
    look(false);
    // Steady motions with velocities other than 0 need a cyclic coordinate, or equations in velocities other than q̇.
    const bool may_move =
        std::ranges::any_of(cyclic_, [](bool c) { return c; }) || !system_.dynamics->layout().v_is_qdot;
    if (may_move) {
      // A system that turns as a whole moves steadily too, so its symmetries are needed.
      if (system_.left_out.empty() && system_.follows.empty())
        symmetries_ = find_symmetries(system_, equations_, start_).value_or(std::vector<Symmetry>());
      if (!symmetries_.empty()) system_.symmetries = &symmetries_;
      look(true);
    }
    return std::move(found_);
  }

 private:
  void find_scales() {
    const Names& names = system_.dynamics->names();
    const Model& model = *equations_.model;
    for (std::size_t i = 0; i < system_.nq(); ++i) {
      cyclic_.push_back(system_.is_cyclic(i));
      const std::string& unit = names.coordinate_units[i];
      double scale = 0;
      for (std::size_t j = 0; j < system_.nq(); ++j)
        if (names.coordinate_units[j] == unit) scale = std::max(scale, std::abs(start_.q[j]));
      for (const Parameter& parameter : model.parameters)
        if (parameter.dimension && unit_name(*parameter.dimension) == unit && !parameter.dimension->dimensionless())
          scale = std::max(scale, std::abs(parameter.value));
      const std::optional<Dimension>& dimension = model.coordinates[i].dimension;
      if (!dimension || dimension->dimensionless()) scale = std::max(scale, std::numbers::pi);
      scale_.push_back(scale > 0 ? scale : 1);
    }
    for (std::size_t i = 0; i < system_.nv(); ++i) speed_ = std::max(speed_, std::abs(start_.v[i]));
    if (speed_ == 0) speed_ = 1;
  }

  // Finds the coordinates whose full turn changes nothing.
  void find_periods() {
    MotionPoint point = point_at(*system_.dynamics, start_);
    for (std::size_t i = 0; i < point.v.size(); ++i) point.v[i] += 0.37 * static_cast<double>(i + 1);
    const std::vector<double> before = system_.derivatives->values(*system_.dynamics, point);
    const std::size_t end = system_.derivatives->rows().y;
    for (std::size_t i = 0; i < system_.nq(); ++i) {
      MotionPoint turned = point;
      turned.q[i] += 2 * std::numbers::pi;
      const std::vector<double> after = system_.derivatives->values(*system_.dynamics, turned);
      double size = 0, change = 0;
      for (std::size_t k = 0; k < end; ++k) {
        size = std::max(size, std::abs(before[k]));
        if (!(std::abs(after[k] - before[k]) <= change)) change = std::abs(after[k] - before[k]);
      }
      periodic_.push_back(change <= 1e-9 * std::max(1.0, size));
    }
  }

  void look(bool moving) {
    for (int k = 0; k < options_.starts && found_.size() < options_.most; ++k) {
      if (work_ > options_.most_work) {
        if (options_.tried != nullptr) *options_.tried = k;
        return;
      }
      work_ += kIterationsOfStart * iteration_;
      State guess = start_;
      for (std::size_t i = 0; k > 0 && i < guess.q.size(); ++i)
        if (!cyclic_[i]) guess.q[i] = 1.3 * scale_[i] * scrambled(k, i);
      for (std::size_t i = 0; i < guess.v.size(); ++i)
        guess.v[i] = moving ? (k == 0 ? start_.v[i] : 1.5 * speed_ * scrambled(k, guess.q.size() + i)) : 0.0;
      normalize_quaternions(system_.dynamics->layout(), guess.q.data());
      const Assembly assembly = assemble(*system_.dynamics, guess, {.max_iterations = 40, .restarts = 0});
      if (!assembly.ok()) continue;
      State begin = assembly.state;
      clear_roundoff(begin.v);
      // Rows W v + a = 0 with a ≠ 0 gave velocities to the start, but an equilibrium rests: it lies where a = 0.
      if (!moving && std::ranges::any_of(begin.v, [](double v) { return v != 0; })) {
        work_ += kIterationsOfStart * iteration_;
        State resting = begin;
        std::ranges::fill(resting.v, 0.0);
        solve_and_take(resting, false);
      }
      solve_and_take(begin, moving);
    }
  }

  void solve_and_take(const State& begin, bool moving) {
    SteadyOptions steady;
    if (system_.dynamics->layout().v_is_qdot || !moving) steady.hold_position = cyclic_;
    if (!moving) steady.hold_velocity.assign(begin.v.size(), true);
    if (!system_.left_out.empty()) steady.damped = 40;
    const SteadyState solved = solve_steady(system_, point_at(*system_.dynamics, begin), steady);
    if (solved.found) take(solved.at, moving);
  }

  void clear_roundoff(std::vector<double>& velocities) const {
    for (double& v : velocities)
      if (std::abs(v) < 1e-13 * speed_) v = 0;
  }

  // e and −e are one attitude: gives each quaternion the sign with which it is nearer to `to`.
  void turn_nearest(MotionPoint& at, const std::vector<double>& to) const {
    for (const int first : system_.dynamics->layout().quaternions) {
      const std::size_t from = as_size(first);
      double product = 0;
      for (std::size_t k = from; k < from + 4; ++k) product += at.q[k] * to[k];
      for (std::size_t k = from; product < 0 && k < from + 4; ++k) at.q[k] = -at.q[k];
    }
  }

  void take(MotionPoint at, bool moving) {
    turn_nearest(at, start_.q);
    for (std::size_t i = 0; i < at.q.size(); ++i) {
      if (periodic_[i] && !cyclic_[i]) at.q[i] = std::remainder(at.q[i], 2 * std::numbers::pi);
      // An angle of −π is given as π.
      if (periodic_[i] && at.q[i] < -std::numbers::pi + 1e-9) at.q[i] += 2 * std::numbers::pi;
    }
    // Values that are 0 up to round-off become 0 if the state stays steady.
    MotionPoint rounded = at;
    for (std::size_t i = 0; i < at.q.size(); ++i)
      if (std::abs(at.q[i]) < 1e-10 * scale_[i]) rounded.q[i] = 0;
    if (steady_distance(system_, rounded) <= 1e-10) at = std::move(rounded);
    clear_roundoff(at.v);
    at = with_zeros(system_, at, scale_, speed_);
    // Velocities that are small for no other reason than that their product with something is below round-off are no steady motion.
    if (std::ranges::any_of(at.v, [&](double v) { return v != 0 && std::abs(v) < kStill * speed_; }) &&
        !holds_by_its_terms(system_, at))
      return;
    for (const Equilibrium& known : found_)
      if (distance(known.motion.at, turned_towards(symmetries_, at, known.motion.at)) <= kSame) return;
    if (options_.accept && !options_.accept({at.t, at.q, at.v})) return;
    Result<LinearMotion> motion =
        linearize(system_, {at.t, at.q, at.v},
                  {.prefer_position = options_.prefer_position, .prefer_velocity = options_.prefer_velocity});
    if (!motion && !moving) {
      if (const std::optional<int> lost = find_lost_inertia(system_, {at.t, at.q, at.v}))
        take_singular({at.t, at.q, at.v}, at.lambda,
                      describe_lost_inertia(system_.dynamics->names().velocity(as_size(*lost))));
      else if (const RankLoss loss = find_rank_loss(system_, {at.t, at.q, at.v}); loss.lost && loss.balanced)
        take_singular(loss.at, std::vector<double>(at.lambda.size(), std::numeric_limits<double>::quiet_NaN()),
                      describe(loss));
      else if (motion.diagnostics().front().code == "E0303")
        take_singular({at.t, at.q, at.v}, at.lambda, motion.diagnostics().front().message);
    }
    if (!motion || motion->kind == MotionKind::kState) return;
    if (std::optional<OneSided> sided = judge_one_sided(system_, equations_, *motion); sided && sided->linear)
      *motion = std::move(*sided->linear);
    Stability stability = judge_stability(system_, equations_, *motion);
    if (is_known(*motion, stability)) return;
    for (const Equilibrium& known : found_)
      if (known.stability.verdict == stability.verdict && known.motion.kind == motion->kind &&
          ((!stability.family.empty() && !known.stability.family.empty()) ||
           (motion->nearly_dependent && known.motion.nearly_dependent)) &&
          follows_from(known.motion.at, turned_towards(symmetries_, motion->at, known.motion.at)))
        return;
    found_.push_back({std::move(motion).value(), std::move(stability)});
  }

  // How far the solution may be from the point at which Newton's method ended: some units of round-off, but much where solutions coincide
  // (x = 0 of x³ = 0). There the next step is long, from the point itself or, where round-off made all forces 0, from points beside it.
  double doubt(const MotionPoint& at) const {
    constexpr double kEps = std::numeric_limits<double>::epsilon();
    double longest = 0;
    for (double change : {0.0, 8 * kEps, -24 * kEps, 40 * kEps, -72 * kEps}) {
      MotionPoint beside = at;
      for (double& q : beside.q) q *= 1 + (change = -change);
      longest = std::max(longest, distance(at, step_on(system_, beside)));
    }
    return std::min(kMostAtOnce * longest, kMostDoubt);
  }

  // Whether a solution is one of those found, as far as both are determined. The better determined of the two is kept.
  bool is_known(LinearMotion& motion, const Stability& stability) {
    for (Equilibrium& known : found_) {
      if (known.stability.verdict != stability.verdict || known.motion.kind != motion.kind) continue;
      const double apart = distance(known.motion.at, turned_towards(symmetries_, motion.at, known.motion.at));
      if (apart > 2 * kMostDoubt) continue;
      const double of_known = doubt(known.motion.at), of_this = doubt(motion.at);
      if (apart > of_known + of_this) continue;
      if (2 * of_this < of_known) known = {std::move(motion), stability};
      return true;
    }
    return false;
  }

  // Takes an equilibrium at which the equations cannot be linearised; its stability stays undecided. Multipliers that are not unique are no numbers.
  void take_singular(const State& at, std::vector<double> lambda, std::string why) {
    Equilibrium singular;
    singular.motion.kind = MotionKind::kEquilibrium;
    singular.motion.at = point_at(*system_.dynamics, at);
    std::ranges::fill(singular.motion.at.v, 0.0);
    singular.motion.at.lambda = std::move(lambda);
    for (std::size_t i = 0; i < start_.q.size(); ++i) {
      double& q = singular.motion.at.q[i];
      if (periodic_[i] && !cyclic_[i]) q = std::remainder(q, 2 * std::numbers::pi);
    }
    for (const Equilibrium& known : found_)
      if (distance(known.motion.at, singular.motion.at) <= kSame) return;
    if (options_.accept && !options_.accept(state_of(singular.motion.at))) return;
    singular.stability.verdict = StabilityVerdict::kMarginal;
    singular.stability.undecided = std::move(why);
    found_.push_back(std::move(singular));
  }

  double difference(std::size_t i, double from, double to) const {
    const double by = to - from;
    return periodic_[i] ? std::remainder(by, 2 * std::numbers::pi) : by;
  }
  double distance(const MotionPoint& a, const MotionPoint& b) const {
    double most = 0;
    for (std::size_t i = 0; i < a.q.size(); ++i)
      if (!cyclic_[i]) most = std::max(most, std::abs(difference(i, a.q[i], b.q[i])) / scale_[i]);
    for (std::size_t i = 0; i < a.v.size(); ++i)
      most = std::max(most, std::abs(b.v[i] - a.v[i]) / std::max(speed_, std::abs(a.v[i])));
    return most;
  }

  // Whether a path of solutions leads from a to b. The straight line is followed in short steps, each corrected to a solution.
  bool follows_from(const MotionPoint& a, MotionPoint b) {
    MotionPoint here = a;
    turn_nearest(b, a.q);
    constexpr int kSteps = 24;
    for (int k = 0; k < kSteps; ++k) {
      if ((work_ += kIterationsOfStep * iteration_) > options_.most_work) return false;
      MotionPoint guess = here;
      const double part = 1.0 / (kSteps - k);
      for (std::size_t i = 0; i < here.q.size(); ++i) guess.q[i] += part * difference(i, here.q[i], b.q[i]);
      for (std::size_t i = 0; i < here.v.size(); ++i) guess.v[i] += part * (b.v[i] - here.v[i]);
      const double step = distance(here, guess);
      guess = point_at(*system_.dynamics, state_of(guess));
      SteadyOptions options;
      options.hold_position = cyclic_;
      const SteadyState next = solve_steady(system_, guess, options);
      // A jump to another solution is not a step along this path.
      if (!next.found || distance(here, next.at) > 3 * step + kSame) return false;
      here = next.at;
    }
    return distance(here, b) <= 1e-3;
  }

  SteadySystem system_;
  const Equations& equations_;
  const State& start_;
  const SearchOptions& options_;
  std::vector<Symmetry> symmetries_;
  std::vector<double> scale_;
  std::vector<bool> cyclic_, periodic_;
  double speed_ = 0;
  double iteration_ = 0, work_ = 0;  // multiplications of one Newton iteration, and of all so far
  std::vector<Equilibrium> found_;
};

}  // namespace

std::vector<Equilibrium> find_equilibria(const SteadySystem& system, const Equations& equations, const State& start,
                                         const SearchOptions& options) {
  return EquilibriumSearch(system, equations, start, options).run();
}

}  // namespace dalembert
