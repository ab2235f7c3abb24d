// SPDX-License-Identifier: Apache-2.0
// Singular positions that the motion passes, told of each with its time. A step may go over one without any trouble: the
// independence of the rows (independence.h), which falls and rises in proportion to the time from there, is nothing at none
// of its stages. What shows it in the numbers that a step leaves behind:
//   a row that vanishes comes back with the other sign, so it has turned by 180 degrees;
//   where rows become parallel the condition of the KKT solve has grown at the stages beside the place, like 1/(t − t*)²;
//   multipliers have grown likewise, like 1/(t − t*), and have changed their signs;
//   without multipliers, rows and quasi-velocities have determined the velocities worse there.
// A step that shows one of these is looked at in its continuous extension.
#include <algorithm>
#include <array>
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

// A row that comes back with the other sign, one that has turned farther than this (cosine), a loss or a multiplier that has
// grown so many times beyond what it is at the ends are worth a look; so are multipliers that change their signs where the
// loss is always larger than that. Steps in which rows turn so far may turn them about whole; after one that came near a
// place twice so may the next, as long as it is not shorter by this part.
constexpr double kTurned = 0.7, kAsLong = 0.5, kLossGrown = 2, kLambdaGrown = 2, kLambdaGrownAtMany = 3, kGripLost = 2,
                 kMasks = 30;
// What is allowed for W going not straight.
constexpr double kStraight = 3;
// Parts of a step between which a place is looked for first; of one in which rows turn far.
constexpr std::size_t kParts = 12, kManyParts = 96;
// A place is singular where the independence has fallen to this part of what it is in the step; where the tolerance is
// coarse, to so many times what it leaves of W, at most to the other part.
constexpr double kNothingLeft = 1e-6, kOfTolerance = 10, kMostLeft = 1e-2;
// Places that are this part of a step apart are one, and so far from the start or the end of the run they are in between.
constexpr double kSamePlace = 1e-3, kAtEnd = 1e-6;
// Times that are told of in words.
constexpr std::size_t kMostTold = 8;

}  // namespace

// After a step to t1, whose last evaluation and projection were there: whether it may have passed a singular position.
// Keeps what the next step is compared with.
bool Run::may_have_passed(double t1) {
  if (!independence_.measures()) return false;
  if (!measured_) evaluate_velocity(dynamics_, t1, y1_.data(), motion_.workspace);
  const auto [turned, flipped, moved] = independence_.turn_of_rows();
  const double loss = std::min(passages_.loss, motion_.workspace.loss);
  const double lambda = largest_magnitude(motion_.lambda().data(), index(m_)),
               smaller = std::min(passages_.lambda, lambda);
  const double length = std::abs(t1 - t_);
  passages_.turns = turned < kTurned || (passages_.turns && length > kAsLong * passages_.length);
  passages_.length = length;
  // The stages of dop853 lie so near to each other.
  const double lambda_grown = options_.method == Method::kDop853 ? kLambdaGrownAtMany : kLambdaGrown;
  passages_.moved = moved;
  passages_.marked = leaps_.near || flipped || passages_.turns || motion_.largest_loss > kLossGrown * loss ||
                     motion_.least_grip < motion_.largest_grip / kGripLost;
  bool may = passages_.marked || motion_.largest_lambda > lambda_grown * smaller;
  if (!may && loss > kMasks)
    for (std::size_t r = 0; r < index(m_) && !may; ++r) {
      // Before a pole a multiplier grows; one that goes through 0 falls.
      const double before = passages_.multipliers[r], grown = before - passages_.earlier[r];
      may = motion_.lambda()[r] * before < 0 && before * grown > 0;
    }
  note_passage_start();
  return may;
}

// Of the point that was evaluated last.
void Run::note_passage_start() {
  passages_.loss = motion_.workspace.loss;
  passages_.earlier.swap(passages_.multipliers);
  passages_.multipliers.assign(motion_.lambda().begin(), motion_.lambda().begin() + m_);
  passages_.earlier.resize(index(m_));
  passages_.lambda = largest_magnitude(passages_.multipliers);
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
  if (!passages_.marked && independence(0) + independence(1) > kStraight * passages_.moved) return;
  if (!method_->make_dense(motion_, t_, y_.data(), y1_.data(), h)) return;
  std::size_t parts = passages_.turns ? kManyParts : kParts;
  const auto part = [&](std::size_t k) { return static_cast<double>(k) / static_cast<double>(parts); };
  std::array<double, kManyParts + 1> known{};
  double most = 0;
  // What falls to nothing in between is less than half as large at the next of the points.
  const auto is_low = [&](std::size_t k) {
    const double before = known[k > 0 ? k - 1 : 0], behind = known[std::min(k + 1, parts)];
    return known[k] <= 0.5 * most && known[k] <= before && known[k] <= behind && !(k > 0 && known[k] == before);
  };
  std::array<std::size_t, kManyParts + 1> low{};
  std::size_t count = 0;
  const auto look = [&] {
    most = 0;
    for (std::size_t k = 0; k <= parts; ++k) most = std::max(most, known[k] = independence(part(k)));
    count = 0;
    for (std::size_t k = 0; k <= parts; ++k)
      if (is_low(k)) low[count++] = k;
  };
  look();
  if (count > 1 && parts < kManyParts) {
    parts = kManyParts;
    look();
  }
  passages_.turns = count > 1;
  const double nothing =
      std::max(kNothingLeft * most, std::min(kMostLeft * most, kOfTolerance * (options_.adaptive ? options_.rtol : 0)));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t k = low[i];
    const double theta = find_least(independence, part(k > 0 ? k - 1 : 0), part(std::min(k + 1, parts)), 50);
    const double place = t_ + theta * h;
    if (!(independence(theta) <= nothing)) continue;
    const auto is_near = [&](double t, double part_of_step) {
      return std::abs(place - t) < part_of_step * std::abs(h);
    };
    // The start is where it was put, and the end is not passed.
    if (is_near(started_at_, kAtEnd) || is_near(options_.until, kAtEnd)) continue;
    if (passages_.passed > 0 && is_near(passages_.last, kSamePlace)) continue;
    const int rank =
        independence_.rank_of_workspace(std::sqrt(nothing * most), passages_.passed == 0 ? &passages_.rows : nullptr);
    if (rank >= here) continue;
    note_passage(place, rank, error);
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
