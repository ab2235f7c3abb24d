// SPDX-License-Identifier: Apache-2.0
// Over a singular position of W, where the motion goes on but arithmetic does not. At a distance θ from it round-off in
// h moves the branch that the motion is on by eps/θ, its velocities by eps/θ² and its accelerations by eps/θ³; stages
// that are off the manifold by d meet accelerations that are wrong by d/θ². Small steps that creep up to the place only
// gather this noise. So it is passed in one step, from a distance at which the noise does not matter:
//   the equations are evaluated at the projections of the stages, where they are smooth along the branch;
//   the length of the step puts the place into a gap between the stages;
//   of the error only the part counts that the constraints allow: noise is normal to the branch in the mass metric, and
//   the projection at the end of the step takes it out again.
// Where steps begin in the noise nevertheless, before a place, behind it or where the motion only comes near, they are made
// like that too, as long as they can be, and are allowed an error of the size that their velocities have from the start.
#include "dalembert/integrate/run.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "dalembert/dynamics/numbers.h"
#include "dalembert/integrate/golden_section.h"
#include "dalembert/integrate/step_size.h"

namespace dalembert::integration {
namespace {

// Multipliers that have grown so many times, or their sensitivity, are a reason to look for a singular position; so is
// an error so many times the allowed one. It is one where the independence of the rows falls to a part of what it is.
constexpr double kGrowth = 4, kFarOff = 100, kNearer = 10;
// Tries at different distances, before what cannot be made better is taken.
constexpr int kApproaches = 8;
// What may be lost to round-off at a singular position, relative to the largest velocity.
constexpr double kMostNoise = 1e-7;
// So many times the error that is allowed is taken at once where it is noise.
constexpr double kLittle = 10;
// Tries, each half as long as the one before, to get out of noise; how far from it is told from such a change.
constexpr int kOutwards = 12;
constexpr double kChange = 1e-3;
// The error of a step that is h times as long is at least this times h as large: it does not fall as it should.
constexpr double kStubborn = 0.5;
// Places are looked for within so many times the step that was tried; where its error is noise already, much farther.
constexpr double kLonger = 8, kMuchLonger = 100;
// The first look is at that part of the way, each of the next twice as far. What falls less than so many times too
// slowly to vanish by the next look is looked for, up to so many times as far. The motion is not foreseen where it
// would leave the manifold by that part of its way.
constexpr double kNearestLook = 64, kSteeper = 2, kBeyond = 4, kMostOff = 0.1;
constexpr int kHalvings = 5;
// Rejections, those before the last steps counting less and less, that are a reason as well; but not the next few times
// after nothing was found.
constexpr double kMany = 1.5, kFade = 0.7;
constexpr int kIdle = 4;
// So are steps that have become so many times shorter without any rejection, while multipliers grew: they may creep up to
// a place that is so many of them ahead. Others so short may be of round-off.
constexpr double kShorter = 8, kCreeping = 16;
// The projection at the end of a leap moves by at most this part of its way.
constexpr double kMostCorrection = 1e-2;
// Narrower gaps between stages are no room for a singular position, and at the end it must not be.
constexpr double kLeastGap = 0.1;

// The middles of the widest gaps between the stages of a method, the widest first.
std::vector<double> find_gaps(const Tableau& tableau) {
  std::vector<double> c(tableau.c.begin(), tableau.c.begin() + tableau.stages);
  std::sort(c.begin(), c.end());
  std::vector<std::pair<double, double>> gaps;  // −width, middle
  for (std::size_t i = 1; i < c.size(); ++i)
    if (c[i] - c[i - 1] > kLeastGap && c[i] < 0.95) gaps.emplace_back(c[i - 1] - c[i], (c[i - 1] + c[i]) / 2);
  std::sort(gaps.begin(), gaps.end());
  std::vector<double> middles;
  for (const auto& gap : gaps) middles.push_back(gap.second);
  return middles;
}

// Takes out of an error in (q, v) what is normal to the manifold in the mass metric, with the factors at hand.
class TangentPart final : public ErrorFilter {
 public:
  TangentPart(const Dynamics& dynamics, Workspace& workspace, DenseWorkspace& dense)
      : nq_(index(dynamics.nq())),
        nv_(index(dynamics.nv())),
        m_(index(dynamics.m())),
        workspace_(workspace),
        dense_(dense) {}

  bool factor() { return dense_.kkt.factor(dense_.M.data(), dense_.W.data()) == KktStatus::kOk; }
  void apply(double* error) override {
    // Only where v = q̇ does a run leap.
    for (double* part : {error, error + nq_}) {
      for (std::size_t r = 0; r < m_; ++r)
        workspace_.residual[r] = workspace_.W_rows.dot(static_cast<int>(r), workspace_.W, part);
      dense_.kkt.solve(workspace_.zero.data(), workspace_.residual.data(), workspace_.step.data(),
                       workspace_.multipliers.data());
      for (std::size_t i = 0; i < nv_; ++i) part[i] += workspace_.step[i];
    }
  }

 private:
  const std::size_t nq_, nv_, m_;
  Workspace& workspace_;
  DenseWorkspace& dense_;
};

}  // namespace

// At the end of a step.
void Run::note_step_end() {
  leaps_.loss = motion_.workspace.loss;
  leaps_.lambda = largest_magnitude(motion_.lambda().data(), index(m_));
  leaps_.rejected = 0;
  leaps_.rejections *= kFade;
}

// Before a try.
void Run::forget_place() {
  leaps_.near = leaps_.leaping = motion_.on_manifold = false;
  motion_.largest_loss = motion_.largest_lambda = motion_.largest_grip = 0;
  motion_.least_grip = std::numeric_limits<double>::infinity();
}

// Whether multipliers or their condition have grown as they do next to a singular position.
bool Run::has_grown_since(double loss, double lambda) const {
  return motion_.largest_loss > kGrowth * kGrowth * std::max(loss, kNearLoss) ||
         motion_.largest_lambda > kGrowth * lambda;
}
bool Run::looks_near() const { return has_grown_since(leaps_.loss, leaps_.lambda); }

// Into out_: the position s seconds from t_, foreseen by the accelerations there.
void Run::foresee(double s) {
  const double *v = y_.data() + nq_, *qdd = method_->first_slope() + nq_;
  for (int i = 0; i < nv_; ++i) out_[index(i)] = y_[index(i)] + s * (v[i] + s / 2 * qdd[i]);
}

double Run::foreseen_independence(double s) {
  foresee(s);
  measured_ = false;
  return independence_.at(t_ + s, out_.data(), static_cast<int>(independent_.size()));
}

// The singular position that the motion comes to within `ahead` seconds, if there is one: where the independence of the
// rows, which falls and rises in proportion to the time from there, is least. The motion is foreseen as far as that stays
// near the manifold.
bool Run::find_place(double ahead) {
  const auto independence = [&](double s) { return foreseen_independence(s); };
  const auto is_foreseen = [&](double s) {
    foresee(s);
    return independence_.off_manifold(t_ + s, out_.data()) < kMostOff * independence_.distance(out_.data(), y_.data());
  };
  for (int k = 0; k < kHalvings && !is_foreseen(ahead); ++k) ahead /= 2;
  leaps_.independence = independence(0);
  double before = leaps_.independence, s_before = 0;
  // Before the first look there is one that tells only how fast it falls: what vanishes in between has risen again then.
  double s = ahead / kNearestLook / kNearestLook, reach = ahead / kNearestLook;
  for (; std::abs(s) <= std::abs(ahead); s_before = s, s = s < reach ? reach : 2 * s, reach = s) {
    const double value = independence(s), slope = (value - before) / (s - s_before);
    // On the way to nothing soon, or there already?
    const bool falls = value < -kSteeper * slope * reach || value < leaps_.independence / 2;
    before = value;
    if (!falls) continue;
    double farthest = kBeyond * reach;
    if (std::abs(farthest) > std::abs(ahead) && !is_foreseen(farthest)) farthest = ahead;
    const double least = find_least(independence, s_before, farthest, 30, leaps_.independence / kNearer);
    if (!(independence(least) * kNearer < leaps_.independence)) continue;
    leaps_.place = t_ + least;
    return leaps_.near = true;
  }
  return false;
}

// Round-off of velocities `seconds` away from the place.
double Run::noise_of_velocities(double seconds, double speed) const {
  const double there = leaps_.independence * seconds / std::abs(leaps_.place - t_);
  return kEps * speed / std::max(there * there, kEps * kEps);
}

// The same at t_, y_.
double Run::noise_here(double speed) const {
  return kEps * speed / std::max(leaps_.independence * leaps_.independence, kEps * kEps);
}

// Whether round-off at t_, y_ alone may be what makes steps short. Then a place may lie much farther ahead than they say,
// and is looked for.
bool Run::is_noisy(double step) {
  leaps_.independence = foreseen_independence(0);
  const double speed = largest_magnitude(y_.data() + nq_, index(nv_));
  if (noise_here(speed) * kLittle <= options_.atol + options_.rtol * speed) return false;
  // How fast the independence changes, from a change that is more than round-off.
  const double left = std::abs(options_.until - t_);
  double s = step, change = 0;
  for (; std::abs(s) < left; s *= 2) {
    change = foreseen_independence(s) - leaps_.independence;
    if (std::abs(change) > kChange * leaps_.independence) break;
  }
  leaps_.rises = change / std::abs(s);
  if (change < 0) find_place(direction_ * std::min(2 * leaps_.independence / -leaps_.rises, left));
  return true;
}

// After a try: where it ends in noise, where it failed near a singular position, where the error does not fall with the
// step.
bool Run::should_leap(bool made, double step, double error) {
  if (!independence_.possible()) return false;
  if (made) {
    const double h = std::abs(step);
    const auto note_longest = [&] {
      leaps_.longest = h;
      leaps_.loss_there = leaps_.loss;
      leaps_.lambda_there = leaps_.lambda;
    };
    if (h >= leaps_.longest) note_longest();
    leaps_.quiet = std::max(leaps_.quiet, h);
    if (h * kShorter < leaps_.quiet) {
      leaps_.quiet = h;
      if (is_noisy(step)) return true;
    }
    const bool creeps = h * kShorter < leaps_.longest && has_grown_since(leaps_.loss_there, leaps_.lambda_there);
    if (!creeps && !looks_near()) return false;
    if (!find_place((creeps ? kCreeping : 2) * step)) {
      note_longest();
      return false;
    }
    const double speed = largest_magnitude(y1_.data() + nq_, index(nv_));
    const double left = std::abs(t_ + step - leaps_.place);
    return left < std::abs(leaps_.place - t_) &&
           noise_of_velocities(left, speed) > options_.atol + options_.rtol * speed;
  }
  leaps_.rejections += 1;
  const double h = std::abs(step);
  const bool stubborn = leaps_.rejected > 0 && error > kStubborn * leaps_.rejected * h / leaps_.rejected_step;
  const bool stays = leaps_.rejected > 0 && error > leaps_.rejected * std::sqrt(h / leaps_.rejected_step);
  const bool many = leaps_.rejected > 0 || leaps_.rejections > kMany || error > kFarOff;
  leaps_.rejected = std::isfinite(error) && error > 0 ? error : 1;
  leaps_.rejected_step = h;
  if (!looks_near() && !stays && (!many || leaps_.idle-- > 0)) return false;
  if (find_place((stubborn ? kMuchLonger : kLonger) * step)) return true;
  if (stays && is_noisy(step)) return true;
  leaps_.idle = kIdle;
  return false;
}

// An output row of a step that passes a singular position: out_ is the projection, whose velocities were corrected by
// up to `correction`, and has been evaluated. What round-off makes of it there may be more than what the continuous
// extension is off; then that one is taken, and true is returned.
bool Run::replace_noise(double t, double h, double correction) {
  const double away = std::max(std::abs(t - leaps_.place), kEps * std::abs(h));
  const double noise = noise_of_velocities(away, largest_magnitude(out_.data() + nq_, index(nv_)));
  const bool velocities = noise > correction;
  // That of accelerations is larger as the independence changes in its own size, that of the extension as a polynomial
  // of its degree may change over the step.
  const int degree = method_->facts().dense_order;
  const bool accelerations = noise / away > correction * degree * degree / std::abs(h);
  if (!velocities && !accelerations) return false;
  before_ = out_;
  method_->interpolate((t - t_) / h, y_.data(), out_.data(), slope_.data());
  for (std::size_t i = 0; i < index(size_); ++i) slope_[i] /= h;
  if (!velocities) std::copy(before_.begin() + nq_, before_.begin() + ny_, out_.begin() + nq_);
  std::copy(before_.begin(), before_.begin() + nq_, out_.begin());
  measured_ = false;
  return true;
}

void Run::set_manifold_tolerance() {
  double size = 1;
  for (int i = 0; i < nq_; ++i) size = std::max(size, std::abs(y_[index(i)]));
  motion_.manifold_tolerance = options_.atol + options_.rtol * size;
}

// As try_step(), with stages on the manifold. The error counts along the manifold, and what the projection at the end
// takes out as far as it may turn into that: in proportion to the turn of the velocity. False when that is impossible;
// the error is for the caller to judge.
bool Run::make_leap(double t1, double step, double& error) {
  Workspace& workspace = motion_.workspace;
  DenseWorkspace* dense = workspace.dense(dynamics_);
  if (dense == nullptr) return false;
  failure_ = KktStatus::kOk;
  projection_failed_ = false;
  motion_.on_manifold = true;
  set_manifold_tolerance();
  const bool advanced = explicit_.advance(motion_, t_, y_.data(), step, y1_.data());
  motion_.on_manifold = false;
  if (!advanced) {
    failure_ = motion_.status;
    return false;
  }
  before_ = y1_;
  if (!project_state(t1, y1_.data())) {
    projection_failed_ = true;
    return false;
  }
  // Beyond the end of a motion the projection finds some other place.
  double corrected = 0, travelled = 0;
  for (int i = 0; i < nq_; ++i) {
    corrected = std::hypot(corrected, y1_[index(i)] - before_[index(i)]);
    travelled = std::hypot(travelled, y1_[index(i)] - y_[index(i)]);
  }
  if (!(corrected <= kMostCorrection * travelled)) {
    projection_failed_ = true;
    return false;
  }
  if (!evaluate_end(t1)) return false;
  const double* v = y1_.data() + nq_;
  evaluate_mass(dynamics_, t1, y1_.data(), v, workspace);
  evaluate_velocity(dynamics_, t1, y1_.data(), workspace);
  dense->spread_M(workspace.M);
  dense->spread_W(workspace.W);
  TangentPart tangent(dynamics_, workspace, *dense);
  if (!tangent.factor()) return false;
  measured_ = false;
  error = explicit_.error(y_.data(), y1_.data(), step, ny_, options_.rtol, options_.atol, &tangent);
  double turn = 0, speed = 0;
  for (int i = 0; i < nv_; ++i) {
    turn = std::hypot(turn, v[i] - y_[index(nq_ + i)]);
    speed = std::hypot(speed, v[i]);
  }
  error = std::hypot(error, displacement_error() * (turn < speed ? turn / speed : 1));
  return std::isfinite(error);
}

// After a step to t1 that was not to be made or should not be: another length, over the place.
bool Run::leap(double& t1, double& step, double& error, bool step_made) {
  if (leaps_.gaps.empty()) leaps_.gaps = find_gaps(explicit_.tableau());
  if (leaps_.gaps.empty()) return false;
  OneStepMethod& method = *method_;
  use(explicit_);
  const double last = ends_.next(), tried = std::abs(step), t1_tried = t1, error_tried = error;
  const KktStatus failure = failure_;
  const bool projection_failed = projection_failed_;
  const double away = leaps_.near ? std::abs(leaps_.place - t_) : 0, left = std::abs(last - t_);
  const double speed = largest_magnitude(y_.data() + nq_, index(nv_));
  const double unit = options_.atol + options_.rtol * speed;
  // Velocities that are uncertain from the start deserve no smaller error.
  const double enough = std::max(1.0, kLittle * std::min(noise_here(speed), kMostNoise * speed) / unit);

  constexpr double kNothing = std::numeric_limits<double>::infinity();
  double best = kNothing, best_length = 0;
  const auto attempt = [&](double length, double allowed = 1) {
    t1 = left <= length * (1 + 1e-12) ? last : t_ + direction_ * length;
    step = t1 - t_;
    const bool made = make_leap(t1, step, error);
    if (made && error < best) {
      best = error;
      best_length = length;
    }
    return made && error <= allowed;
  };
  const auto leapt = [&] {
    if (std::abs(t1 - t_) > away) leaps_.approaches = 0;
    leaps_.leaping = motion_.on_manifold = true;  // for the output rows of this step
    return true;
  };

  if (!leaps_.near) {
    // Out of the noise: far from a place that lies behind, half of the way to what may lie ahead. That it is noise, and
    // not a motion that has become faster, shows where the error is as small in a longer step.
    const double away_from = std::abs(leaps_.independence / leaps_.rises);
    double length = leaps_.rises > 0 ? kBeyond * away_from : away_from / 2;
    length = std::isfinite(length) ? std::max(tried, length) : tried;
    for (int k = 0; k < kOutwards && (!step_made || length > kBeyond * tried); ++k, length /= 2)
      if (attempt(length, enough)) {
        leaps_.next = 2 * std::abs(step);
        return leapt();
      }
    best = kNothing;
  } else {
    for (const double gap : leaps_.gaps)
      if (away / gap <= left * (1 + 1e-12) && attempt(away / gap)) return leapt();
  }

  if (best < kNothing) {
    // What cannot be helped: noise of the accelerations at the stage that comes nearest.
    double nearest = 1;
    for (int i = 0; i < explicit_.tableau().stages; ++i)
      nearest = std::min(nearest, std::abs(explicit_.tableau().c[index(i)] - away / best_length));
    nearest *= best_length;
    const double noise = noise_of_velocities(nearest, speed) * best_length / nearest;
    // First to the distance from which a step that the error allows puts the place into the widest gap.
    const double allowed = 0.85 * best_length * rough_power(best, -1.0 / (explicit_.tableau().error_order + 1));
    const double nearer = std::min(away - leaps_.gaps.front() * allowed, allowed);
    const bool may_approach = leaps_.approaches < kApproaches && nearer > 0.05 * away;
    if (best <= enough || (best * unit <= std::min(noise, kMostNoise * speed) && (best <= kLittle || !may_approach))) {
      attempt(best_length);
      return leapt();
    }
    if (may_approach && attempt(nearer, enough)) {
      ++leaps_.approaches;
      leaps_.next = allowed;
      return leapt();
    }
  }
  // Back to the step that was tried.
  use(method);
  t1 = t1_tried;
  step = direction_ * tried;
  if (step_made) return try_step(t1, step, error);
  error = error_tried;
  failure_ = failure;
  projection_failed_ = projection_failed;
  return false;
}

}  // namespace dalembert::integration
