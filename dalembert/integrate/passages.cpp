// SPDX-License-Identifier: Apache-2.0
// Singular positions that the motion passes, told of each with its time. A step may go over one without any trouble: the
// independence of the rows (independence.h), which falls and rises in proportion to the time from there, is nothing at none
// of its stages. What shows it in the numbers that a step leaves behind:
//   a row that vanishes comes back with the other sign, so it has turned by 180 degrees;
//   where rows become parallel the condition of the KKT solve has grown at the stages beside the place, like 1/(t − t*)²;
//   multipliers have grown likewise, like 1/(t − t*), and have changed their signs;
//   without multipliers, rows and quasi-velocities have determined the velocities worse there.
// An even number of passages may show none of these; it takes a way on which rows may come back to where they were.
// A step that shows one of these is looked at in its continuous extension.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/integrate/golden_section.h"
#include "dalembert/integrate/run.h"

namespace dalembert::integration {
namespace {

// A row that comes back with the other sign, one that has turned far, a loss or a multiplier that has grown so many times
// beyond what it is at the ends are worth a look; so are multipliers that change their signs where the loss is always larger
// than that. Steps in which rows turn far may turn them about whole; after one that came near a place twice so may the
// next, as long as it is not shorter by this part.
constexpr double kAsLong = 0.5, kLossGrown = 2, kLambdaGrown = 2, kLambdaGrownAtMany = 3, kGripLost = 2, kMasks = 30;
// How far W may go is learnt first from such a part of the first step.
constexpr double kFirstParts = 64;
// What is allowed for W going not straight, and for its going farther than on the way that it is known to go at most;
// halvings of a step until nothing is known to be in between.
constexpr double kStraight = 3, kNoFarther = 1.25;
constexpr int kDepth = 5;
// Parts of a step between which a place is looked for first; of one in which rows turn far; so many for each time that
// a row goes as far as it is long.
constexpr std::size_t kParts = 12, kManyParts = 96, kPartsAtMost = 2000;
constexpr double kPartsOfWay = 16;
// A place is singular where the independence has fallen to this part of what it is in the step; where the tolerance is
// coarse, to so many times what it leaves of W, at most to the other part.
constexpr double kNothingLeft = 1e-6, kOfTolerance = 10, kMostLeft = 1e-2;
// Places that are this part of a step apart, or so many tolerances of it, are one; so far from the start or the end of the
// run they are in between.
constexpr double kSamePlace = 1e-3, kSameOfTolerance = 100, kAtEnd = 1e-6;
// Times that are told of in words.
constexpr std::size_t kMostTold = 8;

}  // namespace

// At the start, before the first step: it may be so long that W comes back to where it was.
void Run::begin_passages() {
  if (!independence_.measures()) return;
  const double dt = dynamics_.layout().v_is_qdot ? direction_ * next_length_ / kFirstParts : 0;
  const double* v = y_.data() + nq_;
  std::copy_n(y_.begin(), nq_, out_.begin());
  for (int i = 0; i < nq_ && dt != 0; ++i) out_[index(i)] += dt * v[i];
  evaluate_velocity(dynamics_, t_ + dt, out_.data(), motion_.workspace);
  independence_.turn_of_rows(v, 0);
  evaluate_velocity(dynamics_, t_, y_.data(), motion_.workspace);
  independence_.turn_of_rows(v, dt);
  measured_ = false;
}

// After a step to t1, whose last evaluation and projection were there: whether it may have passed a singular position.
// Keeps what the next step is compared with.
bool Run::may_have_passed(double t1) {
  if (!independence_.measures()) return false;
  if (!measured_) evaluate_velocity(dynamics_, t1, y1_.data(), motion_.workspace);
  const Independence::Turn turn = independence_.turn_of_rows(y1_.data() + nq_, t1 - t_);
  const double length = std::abs(t1 - t_);
  passages_.turns = turn.far || (passages_.turns && length > kAsLong * passages_.length);
  passages_.row_way = turn.row_way;
  passages_.way_squared = turn.way_squared;
  passages_.moved_squared = turn.moved_squared;
  passages_.length = length;
  const double loss = std::min(passages_.loss, motion_.workspace.loss);
  const double lambda = leaps_.lambda, smaller = std::min(passages_.lambda, lambda);
  // The stages of dop853 lie so near to each other.
  const double lambda_grown = options_.method == Method::kDop853 ? kLambdaGrownAtMany : kLambdaGrown;
  passages_.marked = leaps_.near || turn.flipped || passages_.turns || motion_.largest_loss > kLossGrown * loss ||
                     motion_.least_grip < motion_.largest_grip / kGripLost;
  bool may = passages_.marked || motion_.largest_lambda > lambda_grown * smaller;
  if (!may && loss > kMasks)
    for (std::size_t r = 0; r < index(m_) && !may; ++r) {
      // Before a pole a multiplier grows; one that goes through 0 falls.
      const double last = passages_.multipliers[r], grown = last - passages_.earlier[r];
      may = motion_.lambda()[r] * last < 0 && last * grown > 0;
    }
  note_passage_start();
  passages_.grown = may;
  return may || turn.row_way > 0;
}

// Of the point that was evaluated last.
void Run::note_passage_start() {
  passages_.loss = motion_.workspace.loss;
  passages_.lambda = leaps_.lambda;
  passages_.earlier.swap(passages_.multipliers);
  std::copy_n(motion_.lambda().begin(), m_, passages_.multipliers.begin());
}

// In the step from t_ to t1, at a position between by Hermite's polynomial.
double Run::hermite_independence(double t1, double theta) {
  const double h = t1 - t_, rest = 1 - theta;
  const double *before = method_->first_slope(), *behind = method_->last_slope();
  for (std::size_t i = 0; i < index(nq_); ++i)
    out_[i] = rest * rest * ((1 + 2 * theta) * y_[i] + theta * h * before[i]) +
              theta * theta * ((1 + 2 * rest) * y1_[i] - rest * h * behind[i]);
  measured_ = false;
  return independence_.at(t_ + theta * h, out_.data(), static_cast<int>(independent_.size()));
}

// Whether the independence, which has these values at two points of the step, may be nothing in between: where W may go so
// far there and back.
bool Run::may_vanish(double t1, double a, double at_a, double b, double at_b, int depth) {
  if (at_a + at_b > kNoFarther * (b - a) * std::sqrt(passages_.way_squared)) return false;
  if (depth == 0) return true;
  const double middle = (a + b) / 2, between = hermite_independence(t1, middle);
  return may_vanish(t1, a, at_a, middle, between, depth - 1) || may_vanish(t1, middle, between, b, at_b, depth - 1);
}

// In the accepted step from t_ to t1, whose continuous extension can still be made.
void Run::look_for_passages(double t1, double error) {
  const double h = t1 - t_;
  const int here = static_cast<int>(independent_.size());
  if (here == 0) return;
  const auto independence = [&](double theta) {
    if (theta <= 0 || theta >= 1)
      return independence_.at(theta <= 0 ? t_ : t1, theta <= 0 ? y_.data() : y1_.data(), here);
    method_->interpolate(theta, y_.data(), out_.data());
    return independence_.at(t_ + theta * h, out_.data(), here);
  };
  measured_ = false;
  // To nothing and back W has gone at least as far as both ends are from there; multipliers grow for other reasons, too.
  bool far = passages_.row_way > 0;
  if (!passages_.marked || far) {
    const double before = independence(0), behind = independence(1);
    const bool may = may_vanish(t1, 0, before, 1, behind, kDepth);
    const bool may_by_chord = before + behind <= kStraight * std::sqrt(passages_.moved_squared);
    if (!passages_.marked && !may && !(passages_.grown && may_by_chord)) return;
    far = far && may;
  }
  // In steps that go over several places accelerations off the manifold, amplified from stage to stage, hide them.
  const auto make_dense = [&](bool on_manifold) {
    motion_.on_manifold = on_manifold;
    return method_->make_dense(motion_, t_, y_.data(), y1_.data(), h);
  };
  std::size_t parts = passages_.turns || far ? kManyParts : kParts;
  if (far)
    parts = static_cast<std::size_t>(std::clamp<double>(passages_.row_way * kPartsOfWay, kManyParts, kPartsAtMost));
  const bool over_several = parts > kParts && independence_.possible();
  if (over_several) set_manifold_tolerance();
  if (!(over_several && make_dense(true)) && !make_dense(leaps_.leaping)) return;
  const auto part = [&](std::size_t k) { return static_cast<double>(k) / static_cast<double>(parts); };
  std::vector<double>& known = passages_.known;
  double most = 0;
  // What falls to nothing in between is less than half as large at the next of the points.
  const auto is_low = [&](std::size_t k) {
    const double before = known[k > 0 ? k - 1 : 0], behind = known[std::min(k + 1, parts)];
    return known[k] <= 0.5 * most && known[k] <= before && known[k] <= behind && !(k > 0 && known[k] == before);
  };
  std::vector<std::size_t>& low = passages_.low;
  const auto look = [&] {
    most = 0;
    known.resize(parts + 1);
    for (std::size_t k = 0; k <= parts; ++k) most = std::max(most, known[k] = independence(part(k)));
    low.clear();
    for (std::size_t k = 0; k <= parts; ++k)
      if (is_low(k)) low.push_back(k);
  };
  look();
  if (low.size() > 1 && parts < kManyParts) {
    parts = kManyParts;
    look();
  }
  passages_.turns = low.size() > 1;
  const double nothing =
      std::max(kNothingLeft * most, std::min(kMostLeft * most, kOfTolerance * (options_.adaptive ? options_.rtol : 0)));
  for (const std::size_t k : low) {
    const double theta = find_least(independence, part(k > 0 ? k - 1 : 0), part(std::min(k + 1, parts)), 50);
    const double place = t_ + theta * h;
    if (!(independence(theta) <= nothing)) continue;
    const auto is_near = [&](double t, double part, double length) { return std::abs(place - t) < part * length; };
    // The start is where it was put, and the end is not passed.
    if (is_near(started_at_, kAtEnd, std::abs(h)) || is_near(options_.until, kAtEnd, std::abs(h))) continue;
    // What ends in one step may begin in the next.
    const double same = std::max(kSamePlace, kSameOfTolerance * (options_.adaptive ? options_.rtol : 0));
    if (passages_.passed > 0 && is_near(passages_.last, same, std::max(std::abs(h), passages_.last_step))) continue;
    const int rank =
        independence_.rank_of_workspace(std::sqrt(nothing * most), passages_.passed == 0 ? &passages_.rows : nullptr);
    if (rank >= here) continue;
    note_passage(place, rank, error);
    passages_.last_step = std::abs(h);
  }
}

void Run::note_passage(double place, int rank, double error) {
  const Names& names = dynamics_.names();
  passages_.last = place;
  if (++passages_.passed <= static_cast<int>(kMostTold)) passages_.times.push_back(place);
  passages_.lost = std::max(passages_.lost, static_cast<int>(independent_.size()) - rank);
  passages_.error = std::max(passages_.error,
                             error * (options_.atol + options_.rtol * largest_magnitude(y_.data() + nq_, index(nv_))));
  quality_.note_rank_of_passage(rank);
  path_.events.push_back(
      {fmt::format("singular position: rank {} of {}", std::max(0, rank - names.actuated), m_ - names.actuated),
       place});
}

// For the verdict.
std::string Run::describe_singular_positions() const {
  std::vector<std::string> rows, more;
  for (const int r : passages_.rows) rows.push_back(name_of(dynamics_.names().rows, r, "row"));
  for (std::size_t k = 1; k < passages_.times.size(); ++k) more.push_back(to_text(passages_.times[k], 4) + " s");
  const auto untold = static_cast<std::size_t>(passages_.passed) - passages_.times.size();
  if (untold > 0) more.push_back(fmt::format("{} more times, the last at {} s", untold, to_text(passages_.last, 4)));
  const auto rank = static_cast<int>(independent_.size()) - passages_.lost;
  return fmt::format(
      "passed a singular position near t = {} s{}: the constraints have rank {} of {} there ({} {}), and the system "
      "could leave its branch; the motion was continued straight on, error there about {}",
      to_text(passages_.times.front(), 4),
      more.empty() ? "" : fmt::format(" (again near {})", join_words(more, "", "and")), rank, m_, join_words(rows),
      rows.size() == 1 ? "vanishes" : "depend on each other", to_text(passages_.error, 2));
}

}  // namespace dalembert::integration
