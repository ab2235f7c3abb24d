// SPDX-License-Identifier: Apache-2.0
// Finds the singular positions that the motion passes, each with its time. A step may pass one without any trouble: the
// independence of the rows (independence.h) is proportional to the time from the position, and is zero at none of the
// stages. The numbers that a step leaves show a passage by one of these signs:
//   a row that vanishes comes back with the other sign, so it has turned by 180 degrees;
//   where rows become parallel, the loss of the KKT solve has grown at stages near the position, like 1/(t − t*)²;
//   multipliers have grown there, too, like 1/(t − t*), and have changed their signs;
//   in steps without multipliers, rows and quasi-velocities together have determined the velocities less well.
// An even number of passages may show none of these signs; then the path of W must be long enough for rows to return to
// their old values. A step that shows a sign, or has such a path, is examined in its continuous extension.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/golden_section.h"
#include "dalembert/integrate/passages.h"

namespace dalembert::integration {
namespace {

// Signs of a passage. A row has reversed or turned far. The loss has grown by kLossGrown, the multipliers by
// kLambdaGrown (kLambdaGrownAtMany for dop853), or the grip has fallen by kGripLost, compared with the ends of the
// step. Multipliers that change their sign are a sign where the loss is always above kMasks. In a step in which rows
// turn far they may turn by 360 degrees. After a step in which the independence had two low points, rows may turn by
// 360 degrees in the next step, too, if it is longer than kAsLong times that step.
constexpr double kAsLong = 0.5, kLossGrown = 2, kLambdaGrown = 2, kLambdaGrownAtMany = 3, kGripLost = 2, kMasks = 30;
// The speed of W is first measured over this fraction of the first step.
constexpr double kFirstParts = 64;
// Safety factors for the path of W: kStraight because it is not straight, kNoFarther because it may be longer than the
// bound from earlier steps. kDepth limits the halvings of a step that try to exclude a passage.
constexpr double kStraight = 3, kNoFarther = 1.25;
constexpr int kDepth = 5;
// Number of parts into which a step is divided for the first look at its independence: kParts; kManyParts if rows turn
// far; kPartsOfWay · (path of a row / size of the row), up to kPartsAtMost, if a row may have vanished twice.
constexpr std::size_t kParts = 12, kManyParts = 96, kPartsAtMost = 2000;
constexpr double kPartsOfWay = 16;
// A position is singular if the independence is below kNothingLeft of its largest value in the step. With a coarse
// tolerance the limit is kOfTolerance · rtol, but at most kMostLeft of the largest value.
constexpr double kNothingLeft = 1e-6, kOfTolerance = 10, kMostLeft = 1e-2;
// Two singular positions closer than kSamePlace, or kSameOfTolerance · rtol, of a step are the same. One that is closer
// than kAtEnd of a step to the start or the end of the run is not passed.
constexpr double kSamePlace = 1e-3, kSameOfTolerance = 100, kAtEnd = 1e-6;
// Largest number of passages whose times the warning lists.
constexpr std::size_t kMostTold = 8;

}  // namespace

Passages::Passages(StepMaker& maker, Trajectory& path, Independence& independence, Judge& judge, RunFor purpose)
    : Observer(maker, path),
      independence_(independence),
      judge_(judge),
      looks_(purpose == RunFor::kVerdict),
      started_at_(maker.step.t) {
  for (std::vector<double>* x : {&multipliers_, &earlier_}) x->resize(index(m_));
}

void Passages::begin(double first_step) {
  if (!independence_.measures()) return;
  const double dt = dynamics_.layout().v_is_qdot ? maker_.direction * first_step / kFirstParts : 0;
  const double* v = step_.y.data() + nq_;
  std::copy_n(step_.y.begin(), nq_, step_.out.begin());
  for (int i = 0; i < nq_ && dt != 0; ++i) step_.out[index(i)] += dt * v[i];
  const auto note = [&](double seconds) {
    if (looks_)
      independence_.turn_of_rows(v, seconds);
    else
      independence_.note_sizes();
  };
  evaluate_velocity(dynamics_, step_.t + dt, step_.out.data(), motion_.workspace);
  note(0);
  evaluate_velocity(dynamics_, step_.t, step_.y.data(), motion_.workspace);
  note(dt);
  manifold_.forget_residuals();
}

void Passages::note_end() { may_ = may_have_passed(); }

// Whether the step shows a sign of a passage. The last evaluation and projection must have been at its end. Keeps the
// values with which the next step is compared.
bool Passages::may_have_passed() {
  const double t1 = step_.t1;
  if (!independence_.measures()) return false;
  if (!manifold_.has_residuals()) evaluate_velocity(dynamics_, t1, step_.y1.data(), motion_.workspace);
  if (!looks_) {
    independence_.note_sizes();  // for those who look where the motion goes
    return false;
  }
  const Independence::Turn turn = independence_.turn_of_rows(step_.y1.data() + nq_, t1 - step_.t);
  const double length = std::abs(t1 - step_.t);
  turns_ = turn.far || (turns_ && length > kAsLong * length_);
  row_way_ = turn.row_way;
  way_squared_ = turn.way_squared;
  moved_squared_ = turn.moved_squared;
  length_ = length;
  const double loss = std::min(loss_, motion_.workspace.loss);
  const double lambda = step_.largest_lambda, smaller = std::min(lambda_, lambda);
  // The stages of dop853 are close to each other, so multipliers grow more at the stage nearest to a singular
  // position.
  const double lambda_grown = options_.method == Method::kDop853 ? kLambdaGrownAtMany : kLambdaGrown;
  marked_ = step_.near_singular || turn.flipped || turns_ || motion_.largest_loss > kLossGrown * loss ||
            motion_.least_grip < motion_.largest_grip / kGripLost;
  bool may = marked_ || motion_.largest_lambda > lambda_grown * smaller;
  if (!may && loss > kMasks)
    for (std::size_t r = 0; r < index(m_) && !may; ++r) {
      // A multiplier that changes sign at a pole grows before it. One that passes through 0 falls before.
      const double last = multipliers_[r], grown = last - earlier_[r];
      may = motion_.lambda()[r] * last < 0 && last * grown > 0;
    }
  note_start();
  grown_ = may;
  return may || turn.row_way > 0;
}

void Passages::note_start() {
  loss_ = motion_.workspace.loss;
  lambda_ = step_.largest_lambda;
  earlier_.swap(multipliers_);
  std::copy_n(motion_.lambda().begin(), m_, multipliers_.begin());
}

// Independence at the fraction θ of the step, at the position of the Hermite polynomial through both ends.
double Passages::hermite_independence(double theta) {
  const double h = step_.t1 - step_.t, rest = 1 - theta;
  const double *before = method().first_slope(), *behind = method().last_slope();
  for (std::size_t i = 0; i < index(nq_); ++i)
    step_.out[i] = rest * rest * ((1 + 2 * theta) * step_.y[i] + theta * h * before[i]) +
                   theta * theta * ((1 + 2 * rest) * step_.y1[i] - rest * h * behind[i]);
  manifold_.forget_residuals();
  return independence_.at(step_.t + theta * h, step_.out.data(), manifold_.rank());
}

// Whether the independence, with the values at_a and at_b at the points a and b of the step, may vanish in between:
// whether the path of W there may be long enough.
bool Passages::may_vanish(double a, double at_a, double b, double at_b, int depth) {
  if (at_a + at_b > kNoFarther * (b - a) * std::sqrt(way_squared_)) return false;
  if (depth == 0) return true;
  const double middle = (a + b) / 2, between = hermite_independence(middle);
  return may_vanish(a, at_a, middle, between, depth - 1) || may_vanish(middle, between, b, at_b, depth - 1);
}

bool Passages::look_within() {
  if (may_) look();
  return true;
}

// Searches the accepted step, whose continuous extension can still be computed, for passages.
void Passages::look() {
  const double t1 = step_.t1, h = t1 - step_.t;
  const int here = manifold_.rank();
  if (here == 0) return;
  const auto independence = [&](double theta) {
    if (theta <= 0 || theta >= 1)
      return independence_.at(theta <= 0 ? step_.t : t1, theta <= 0 ? step_.y.data() : step_.y1.data(), here);
    method().interpolate(theta, step_.y.data(), step_.out.data());
    return independence_.at(step_.t + theta * h, step_.out.data(), here);
  };
  manifold_.forget_residuals();
  // A path of W to a singular matrix and back is at least as long as the sum of the independences at both ends. This
  // excludes steps in which multipliers grew for other reasons.
  bool far = row_way_ > 0;
  if (!marked_ || far) {
    const double before = independence(0), behind = independence(1);
    const bool may = may_vanish(0, before, 1, behind, kDepth);
    const bool may_by_chord = before + behind <= kStraight * std::sqrt(moved_squared_);
    if (!marked_ && !may && !(grown_ && may_by_chord)) return;
    far = far && may;
  }
  // In a step over several singular positions, accelerations off the manifold are amplified from stage to stage and
  // would hide these positions.
  const auto make_dense = [&](bool on_manifold) {
    motion_.on_manifold = on_manifold;
    return method().make_dense(motion_, step_.t, step_.y.data(), step_.y1.data(), h);
  };
  std::size_t parts = turns_ || far ? kManyParts : kParts;
  if (far) parts = static_cast<std::size_t>(std::clamp<double>(row_way_ * kPartsOfWay, kManyParts, kPartsAtMost));
  const bool over_several = parts > kParts && independence_.possible();
  if (over_several) maker_.set_manifold_tolerance();
  if (!(over_several && make_dense(true)) && !make_dense(step_.leaps)) return;
  const auto part = [&](std::size_t k) { return static_cast<double>(k) / static_cast<double>(parts); };
  std::vector<double>& known = known_;
  double most = 0;
  // If the independence vanishes between two points, it is below half of its largest value at one of them.
  const auto is_low = [&](std::size_t k) {
    const double before = known[k > 0 ? k - 1 : 0], behind = known[std::min(k + 1, parts)];
    return known[k] <= 0.5 * most && known[k] <= before && known[k] <= behind && !(k > 0 && known[k] == before);
  };
  std::vector<std::size_t>& low = low_;
  const auto look_at_parts = [&] {
    most = 0;
    known.resize(parts + 1);
    for (std::size_t k = 0; k <= parts; ++k) most = std::max(most, known[k] = independence(part(k)));
    low.clear();
    for (std::size_t k = 0; k <= parts; ++k)
      if (is_low(k)) low.push_back(k);
  };
  look_at_parts();
  if (low.size() > 1 && parts < kManyParts) {
    parts = kManyParts;
    look_at_parts();
  }
  turns_ = low.size() > 1;
  const double nothing =
      std::max(kNothingLeft * most, std::min(kMostLeft * most, kOfTolerance * (options_.adaptive ? options_.rtol : 0)));
  for (const std::size_t k : low) {
    const double theta = find_least(independence, part(k > 0 ? k - 1 : 0), part(std::min(k + 1, parts)), 50);
    const double place = step_.t + theta * h;
    if (!(independence(theta) <= nothing)) continue;
    const auto is_near = [&](double t, double part, double length) { return std::abs(place - t) < part * length; };
    // A singular start was chosen by the user, and a singular end is not passed.
    if (is_near(started_at_, kAtEnd, std::abs(h)) || is_near(options_.until, kAtEnd, std::abs(h))) continue;
    // A singular position near the end of one step may be found again at the beginning of the next.
    const double same = std::max(kSamePlace, kSameOfTolerance * (options_.adaptive ? options_.rtol : 0));
    if (passed_ > 0 && is_near(last_, same, std::max(std::abs(h), last_step_))) continue;
    const int rank = independence_.rank_of_workspace(std::sqrt(nothing * most), passed_ == 0 ? &rows_ : nullptr);
    if (rank >= here) continue;
    note_passage(place, rank);
    last_step_ = std::abs(h);
  }
}

void Passages::note_passage(double place, int rank) {
  const Names& names = dynamics_.names();
  last_ = place;
  if (++passed_ <= static_cast<int>(kMostTold)) times_.push_back(place);
  lost_ = std::max(lost_, manifold_.rank() - rank);
  error_ = std::max(
      error_, step_.error * (options_.atol + options_.rtol * largest_magnitude(step_.y.data() + nq_, index(nv_))));
  judge_.quality.note_rank_of_passage(rank);
  path_.events.push_back(
      {RunEventKind::kSingular,
       fmt::format("singular position: rank {} of {}", std::max(0, rank - names.actuated), m_ - names.actuated),
       place});
}

void Passages::finish() {
  if (passed_ > 0) path_.verdict.warnings.push_back(describe());
}

std::string Passages::describe() const {
  std::vector<std::string> rows, more;
  for (const int r : rows_) rows.push_back(name_of(dynamics_.names().rows, r, "row"));
  for (std::size_t k = 1; k < times_.size(); ++k) more.push_back(to_text(times_[k], 4) + " s");
  const auto untold = static_cast<std::size_t>(passed_) - times_.size();
  if (untold > 0) more.push_back(fmt::format("{} more times, the last at {} s", untold, to_text(last_, 4)));
  const auto rank = manifold_.rank() - lost_;
  return fmt::format(
      "passed a singular position near t = {} s{}: the constraints have rank {} of {} there ({} {}), and the system "
      "could leave its branch; the motion was continued straight on, error there about {}",
      to_text(times_.front(), 4), more.empty() ? "" : fmt::format(" (again near {})", join_words(more, "", "and")),
      rank, m_, join_words(rows), rows.size() == 1 ? "vanishes" : "depend on each other", to_text(error_, 2));
}

}  // namespace dalembert::integration
