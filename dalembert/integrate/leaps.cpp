// SPDX-License-Identifier: Apache-2.0
// Steps over a singular position of W, where the motion goes on but arithmetic fails. At a distance θ from it,
// round-off in h moves the branch of the motion by eps/θ, its velocities by eps/θ² and its accelerations by eps/θ³. The
// accelerations of a stage that is off the manifold by d are wrong by d/θ². Small steps that creep up to the position
// only gather this noise. So the run passes it in one step, from a distance at which the noise does not matter:
//   the equations are evaluated at the projections of the stages, where they are smooth along the branch;
//   the length of the step puts the position into a gap between the stages;
//   only the part of the error along the constraints counts: noise is normal to the branch in the mass metric, and the
//   projection at the end of the step removes it.
// Some steps begin within the noise: before a singular position, after it, or where the motion only comes near one.
// They are made in the same way, as long as possible, with an allowed error of the size of the noise in their initial
// velocities. In this file a "place" is a singular position, or the time at which the motion reaches it.
#include "dalembert/integrate/leaps.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "dalembert/dynamics/golden_section.h"
#include "dalembert/dynamics/numbers.h"
#include "dalembert/integrate/step_size.h"

namespace dalembert::integration {
namespace {

// Reasons to search for a singular position: multipliers have grown by kGrowth, or the KKT loss by its square, or the
// error is kFarOff times the allowed one. A position counts as singular if the independence of the rows falls there
// below 1/kNearer of its present value.
constexpr double kGrowth = 4, kFarOff = 100, kNearer = 10;
// Largest number of steps that approach a singular position before the best possible leap is taken.
constexpr int kApproaches = 8;
// Largest error from round-off that is accepted at a singular position, relative to the largest velocity.
constexpr double kMostNoise = 1e-7;
// Errors of multipliers of redundant rows near a singular position, relative to the multipliers: kNoiseOfShares eps/θ⁴ was measured on a
// parallelogram of three cranks; above kMostNoiseOfShares they are no peaks.
constexpr double kNoiseOfShares = 10, kMostNoiseOfShares = 1e-3;
// An error that is noise is accepted at once up to this multiple of the allowed error, or of the estimated noise.
constexpr double kLittle = 10;
// kOutwards: number of tries to leave the noise, each half as long as the one before. The rate at which the independence
// of the rows changes is measured once it has changed by the fraction kChange.
constexpr int kOutwards = 12;
constexpr double kChange = 1e-3;
// A loss of the KKT solve (KktReport) above this hints at a singular position nearby.
constexpr double kNearLoss = 10;
// An error is stubborn if a step shortened by a factor s < 1 still has more than kStubborn · s times the error: it does
// not fall as the order of the method requires.
constexpr double kStubborn = 0.5;
// A singular position is searched for within kLonger times the step that was tried, or kMuchLonger times if the error
// of the step is stubborn and thus noise.
constexpr double kLonger = 8, kMuchLonger = 100;
// The search for a singular position looks first at 1/kNearestLook of the way, then each time twice as far. If the
// independence falls at 1/kSteeper or more of the rate at which it would vanish by the next look, its minimum is
// located, up to kBeyond times that look. The motion is extrapolated only as far as it stays on the manifold up to
// kMostOff of its way; kHalvings shortenings find how far.
constexpr double kNearestLook = 64, kSteeper = 2, kBeyond = 4, kMostOff = 0.1;
constexpr int kHalvings = 5;
// Another reason to search for a singular position: more than kMany recent rejections, where each accepted step
// multiplies the count by kFade. After a search that found nothing, the next kIdle rejections are ignored.
constexpr double kMany = 1.5, kFade = 0.7;
constexpr int kIdle = 4;
// Another reason to search: steps have become shorter by kShorter without a rejection while multipliers grew. The steps
// may creep up to a singular position, which is searched for up to kCreeping steps ahead. If multipliers did not grow,
// round-off may have shortened the steps.
constexpr double kShorter = 8, kCreeping = 16;
// The projection at the end of a leap may move the state by at most this fraction of the leap's length.
constexpr double kMostCorrection = 1e-2;
// Narrowest gap between stages, as a fraction of the step, that a singular position may fall into.
constexpr double kLeastGap = 0.1;

// The middles of the gaps between the stages of a method, the widest gap first. A gap at
// the end of the step is left out.
std::vector<double> find_gaps(const Tableau& tableau) {
  std::vector<double> c(tableau.c.begin(), tableau.c.begin() + tableau.stages);
  std::sort(c.begin(), c.end());
  std::vector<std::pair<double, double>> gaps;  // (−width, middle) of each gap
  for (std::size_t i = 1; i < c.size(); ++i)
    if (c[i] - c[i - 1] > kLeastGap && c[i] < 0.95) gaps.emplace_back(c[i - 1] - c[i], (c[i - 1] + c[i]) / 2);
  std::sort(gaps.begin(), gaps.end());
  std::vector<double> middles;
  for (const auto& gap : gaps) middles.push_back(gap.second);
  return middles;
}

// Removes from an error in (q, v) the part that is normal to the manifold in the mass
// metric, with the factors of `dense`.
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
    // A run leaps only where v = q̇, so both parts have nv entries.
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

void Leaps::note_end() {
  step_.loss = motion_.workspace.loss;
  step_.largest_lambda = largest_magnitude(motion_.lambda().data(), index(m_));
  rejected_ = 0;
  rejections_ *= kFade;
}

// Whether the multipliers, or the loss of the KKT solve, have grown as they do near a singular position.
bool Leaps::has_grown_since(double loss, double lambda) const {
  return motion_.largest_loss > kGrowth * kGrowth * std::max(loss, kNearLoss) ||
         motion_.largest_lambda > kGrowth * lambda;
}
bool Leaps::looks_near() const { return has_grown_since(step_.loss, step_.largest_lambda); }

// Extrapolates the position to s seconds ahead, with the present accelerations, into step_.out.
void Leaps::foresee(double s) {
  const double *v = step_.y.data() + nq_, *a = qdd();
  for (int i = 0; i < nv_; ++i) step_.out[index(i)] = step_.y[index(i)] + s * (v[i] + s / 2 * a[i]);
}

double Leaps::foreseen_independence(double s) {
  foresee(s);
  manifold_.forget_residuals();
  return independence_.at(step_.t + s, step_.out.data(), manifold_.rank());
}

// Searches for a singular position that the motion reaches within `ahead` seconds: the minimum of the
// independence of the rows, which is proportional to the time from there. The motion is extrapolated as far
// as it stays near the manifold.
bool Leaps::find_place(double ahead) {
  const auto independence = [&](double s) { return foreseen_independence(s); };
  const auto is_foreseen = [&](double s) {
    foresee(s);
    return independence_.off_manifold(step_.t + s, step_.out.data()) <
           kMostOff * independence_.distance(step_.out.data(), step_.y.data());
  };
  for (int k = 0; k < kHalvings && !is_foreseen(ahead); ++k) ahead /= 2;
  independence_here_ = independence(0);
  double before = independence_here_, s_before = 0;
  // A first look, very close, only measures the slope. Without it, an independence that vanishes before the next look,
  // and has risen again there, would be missed.
  double s = ahead / kNearestLook / kNearestLook, reach = ahead / kNearestLook;
  for (; std::abs(s) <= std::abs(ahead); s_before = s, s = s < reach ? reach : 2 * s, reach = s) {
    const double value = independence(s), slope = (value - before) / (s - s_before);
    // Will the independence vanish soon, or has it fallen already?
    const bool falls = value < -kSteeper * slope * reach || value < independence_here_ / 2;
    before = value;
    if (!falls) continue;
    double farthest = kBeyond * reach;
    if (std::abs(farthest) > std::abs(ahead) && !is_foreseen(farthest)) farthest = ahead;
    const double least = find_least(independence, s_before, farthest, 30, independence_here_ / kNearer);
    if (!(independence(least) * kNearer < independence_here_)) continue;
    place_ = step_.t + least;
    return step_.near_singular = true;
  }
  return false;
}

// Round-off moves accelerations by eps/θ³, and rows that are only θ from dependent balance them by forces 1/θ times as large.
bool Leaps::shares_are_noise(double t, const double* q) {
  if (!independence_.measures()) return false;
  const double theta = independence_.at(t, q, manifold_.rank());
  return kNoiseOfShares * kEps > kMostNoiseOfShares * std::pow(theta, 4);
}

// Round-off of the velocities at a distance of `seconds` from the singular position.
double Leaps::noise_of_velocities(double seconds, double speed) const {
  const double there = independence_here_ * seconds / std::abs(place_ - step_.t);
  return kEps * speed / std::max(there * there, kEps * kEps);
}

// Round-off of the velocities at the start of the step.
double Leaps::noise_here(double speed) const {
  return kEps * speed / std::max(independence_here_ * independence_here_, kEps * kEps);
}

// Whether round-off alone may make the steps short here. If so, a singular position may lie many steps ahead: this
// function searches for it there.
bool Leaps::is_noisy(double step) {
  independence_here_ = foreseen_independence(0);
  const double speed = largest_magnitude(step_.y.data() + nq_, index(nv_));
  if (noise_here(speed) * kLittle <= options_.atol + options_.rtol * speed) return false;
  // Measure the rate of the independence from a change that is larger than round-off.
  const double left = std::abs(options_.until - step_.t);
  double s = step, change = 0;
  for (; std::abs(s) < left; s *= 2) {
    change = foreseen_independence(s) - independence_here_;
    if (std::abs(change) > kChange * independence_here_) break;
  }
  rises_ = change / std::abs(s);
  if (change < 0) find_place(maker_.direction * std::min(2 * independence_here_ / -rises_, left));
  return true;
}

Tried Leaps::after_try(Tried tried) {
  if (!options_.adaptive || tried > Tried::kMade) return tried;
  const bool made = tried == Tried::kMade;
  if (!should_leap(made)) return tried;
  return leap(made) ? Tried::kMade : Tried::kRejected;
}

// Whether to leap after a try: it ends in noise, it failed near a singular position, or its error does not
// fall with the length of the step.
bool Leaps::should_leap(bool made) {
  const double step = step_.length, error = step_.error;
  if (!independence_.possible()) return false;
  if (made) {
    const double h = std::abs(step);
    const auto note_longest = [&] {
      longest_ = h;
      loss_there_ = step_.loss;
      lambda_there_ = step_.largest_lambda;
    };
    if (h >= longest_) note_longest();
    quiet_ = std::max(quiet_, h);
    if (h * kShorter < quiet_) {
      quiet_ = h;
      if (is_noisy(step)) return true;
    }
    const bool creeps = h * kShorter < longest_ && has_grown_since(loss_there_, lambda_there_);
    if (!creeps && !looks_near()) return false;
    if (!find_place((creeps ? kCreeping : 2) * step)) {
      note_longest();
      return false;
    }
    const double speed = largest_magnitude(step_.y1.data() + nq_, index(nv_));
    const double left = std::abs(step_.t + step - place_);
    return left < std::abs(place_ - step_.t) &&
           noise_of_velocities(left, speed) > options_.atol + options_.rtol * speed;
  }
  rejections_ += 1;
  const double h = std::abs(step);
  const bool stubborn = rejected_ > 0 && error > kStubborn * rejected_ * h / rejected_step_;
  const bool stays = rejected_ > 0 && error > rejected_ * std::sqrt(h / rejected_step_);
  const bool many = rejected_ > 0 || rejections_ > kMany || error > kFarOff;
  rejected_ = std::isfinite(error) && error > 0 ? error : 1;
  rejected_step_ = h;
  if (!looks_near() && !stays && (!many || idle_-- > 0)) return false;
  if (find_place((stubborn ? kMuchLonger : kLonger) * step)) return true;
  if (stays && is_noisy(step)) return true;
  idle_ = kIdle;
  return false;
}

bool Leaps::replace_noise(double t, double h, double correction) {
  const double away = std::max(std::abs(t - place_), kEps * std::abs(h));
  const double noise = noise_of_velocities(away, largest_magnitude(step_.out.data() + nq_, index(nv_)));
  const bool velocities = noise > correction;
  // The noise of the accelerations is that of the velocities divided by `away`, the time to the singular position. The
  // derivative of the continuous extension has up to degree²/h times the error of the extension itself.
  const int degree = method().facts().dense_order;
  const bool accelerations = noise / away > correction * degree * degree / std::abs(h);
  if (!velocities && !accelerations) return false;
  step_.before = step_.out;
  method().interpolate((t - step_.t) / h, step_.y.data(), step_.out.data(), step_.slope.data());
  for (std::size_t i = 0; i < index(motion_.size()); ++i) step_.slope[i] /= h;
  if (!velocities) std::copy(step_.before.begin() + nq_, step_.before.begin() + ny_, step_.out.begin() + nq_);
  std::copy(step_.before.begin(), step_.before.begin() + nq_, step_.out.begin());
  manifold_.forget_residuals();
  return true;
}

// Makes a step as try_step() does, but with stages on the manifold. Only the error along the manifold counts. The part
// that the projection at the end removes counts in proportion to the turn of the velocity, since it may turn into an
// error along the manifold. False when the step fails; the caller judges the error.
bool Leaps::make_leap(double t1) {
  ++step_.tries;
  step_.t1 = t1;
  step_.length = t1 - step_.t;
  Workspace& workspace = motion_.workspace;
  DenseWorkspace* dense = workspace.dense(dynamics_);
  if (dense == nullptr) return false;
  step_.failure = KktStatus::kOk;
  step_.projection_failed = false;
  motion_.on_manifold = true;
  maker_.set_manifold_tolerance();
  const bool advanced = maker_.explicit_pair().advance(motion_, step_.t, step_.y.data(), step_.length, step_.y1.data());
  motion_.on_manifold = false;
  if (!advanced) {
    step_.failure = motion_.status;
    return false;
  }
  step_.before = step_.y1;
  if (!manifold_.project(t1, step_.y1.data())) {
    step_.projection_failed = true;
    if (manifold_.status() == KktStatus::kTooLarge) step_.failure = manifold_.status();
    return false;
  }
  // Beyond the end of a motion the projection finds an unrelated position.
  double corrected = 0, travelled = 0;
  for (int i = 0; i < nq_; ++i) {
    corrected = std::hypot(corrected, step_.y1[index(i)] - step_.before[index(i)]);
    travelled = std::hypot(travelled, step_.y1[index(i)] - step_.y[index(i)]);
  }
  if (!(corrected <= kMostCorrection * travelled)) {
    step_.projection_failed = true;
    return false;
  }
  if (!maker_.evaluate_end()) return false;
  const double* v = step_.y1.data() + nq_;
  evaluate_mass(dynamics_, t1, step_.y1.data(), v, workspace);
  evaluate_velocity(dynamics_, t1, step_.y1.data(), workspace);
  dense->spread_M(workspace.M);
  dense->spread_W(workspace.W);
  TangentPart tangent(dynamics_, workspace, *dense);
  if (!tangent.factor()) return false;
  manifold_.forget_residuals();
  step_.error = maker_.explicit_pair().error(step_.y.data(), step_.y1.data(), step_.length, ny_, options_.rtol,
                                             options_.atol, &tangent);
  double turn = 0, speed = 0;
  for (int i = 0; i < nv_; ++i) {
    turn = std::hypot(turn, v[i] - step_.y[index(nq_ + i)]);
    speed = std::hypot(speed, v[i]);
  }
  const double displacement = manifold_.displacement(step_.y.data(), step_.y1.data(), step_.before.data());
  step_.error = std::hypot(step_.error, displacement * (turn < speed ? turn / speed : 1));
  return std::isfinite(step_.error);
}

// Replaces a step that failed, or should not be made, by one of another length that leaps over the
// singular position.
bool Leaps::leap(bool step_made) {
  RungeKutta& pair = maker_.explicit_pair();
  if (gaps_.empty()) gaps_ = find_gaps(pair.tableau());
  if (gaps_.empty()) return false;
  OneStepMethod& method = maker_.method();
  maker_.use(pair);
  const double last = step_.latest, tried = std::abs(step_.length), t1_tried = step_.t1, error_tried = step_.error;
  const KktStatus failure = step_.failure;
  const bool projection_failed = step_.projection_failed;
  const double away = step_.near_singular ? std::abs(place_ - step_.t) : 0, left = std::abs(last - step_.t);
  const double speed = largest_magnitude(step_.y.data() + nq_, index(nv_));
  const double unit = options_.atol + options_.rtol * speed;
  // The error need not be smaller than the noise in the initial velocities.
  const double enough = std::max(1.0, kLittle * std::min(noise_here(speed), kMostNoise * speed) / unit);

  constexpr double kNothing = std::numeric_limits<double>::infinity();
  double best = kNothing, best_length = 0;
  const auto attempt = [&](double length, double allowed = 1) {
    const bool made = make_leap(left <= length * (1 + 1e-12) ? last : step_.t + maker_.direction * length);
    if (made && step_.error < best) {
      best = step_.error;
      best_length = length;
    }
    return made && step_.error <= allowed;
  };
  const auto leapt = [&] {
    if (std::abs(step_.t1 - step_.t) > away) approaches_ = 0;
    step_.leaps = motion_.on_manifold = true;  // for the output rows of this step
    return true;
  };

  if (!step_.near_singular) {
    // Leave the noise: go far if the singular position lies in the past, half way if one may lie ahead. A longer step
    // with an error as small proves that the short steps were due to noise, not to a faster motion.
    const double away_from = std::abs(independence_here_ / rises_);
    double length = rises_ > 0 ? kBeyond * away_from : away_from / 2;
    length = std::isfinite(length) ? std::max(tried, length) : tried;
    for (int k = 0; k < kOutwards && (!step_made || length > kBeyond * tried); ++k, length /= 2)
      if (attempt(length, enough)) {
        step_.next_length = 2 * std::abs(step_.length);
        return leapt();
      }
    best = kNothing;
  } else {
    for (const double gap : gaps_)
      if (away / gap <= left * (1 + 1e-12) && attempt(away / gap)) return leapt();
  }

  if (best < kNothing) {
    // Unavoidable error: noise of the accelerations at the stage nearest to the singular position.
    double nearest = 1;
    for (int i = 0; i < pair.tableau().stages; ++i)
      nearest = std::min(nearest, std::abs(pair.tableau().c[index(i)] - away / best_length));
    nearest *= best_length;
    const double noise = noise_of_velocities(nearest, speed) * best_length / nearest;
    // Alternatively approach first: to the distance from which a step of allowed length puts the singular position into
    // the widest gap between stages.
    const double allowed = 0.85 * best_length * rough_power(best, -1.0 / (pair.tableau().error_order + 1));
    const double nearer = std::min(away - gaps_.front() * allowed, allowed);
    const bool may_approach = approaches_ < kApproaches && nearer > 0.05 * away;
    if (best <= enough || (best * unit <= std::min(noise, kMostNoise * speed) && (best <= kLittle || !may_approach))) {
      attempt(best_length);
      return leapt();
    }
    if (may_approach && attempt(nearer, enough)) {
      ++approaches_;
      step_.next_length = allowed;
      return leapt();
    }
  }
  // Restore the step that was tried.
  maker_.use(method);
  if (step_made) return maker_.try_step(t1_tried, maker_.direction * tried);
  step_.t1 = t1_tried;
  step_.length = maker_.direction * tried;
  step_.error = error_tried;
  step_.failure = failure;
  step_.projection_failed = projection_failed;
  return false;
}

}  // namespace dalembert::integration
