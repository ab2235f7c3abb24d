// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/dead_ends.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/motion_branches.h"

namespace dalembert::integration {
namespace {

// A motion may end where the independence of the rows (independence.h) is below this.
constexpr double kDeadEnd = 1e-2;
// A run that fails within this number of steps has not left its start.
constexpr std::int64_t kFirstSteps = 10;
// How far ahead the constraints are tested, relative to the time since the start.
constexpr double kSlopeAhead = 0.01;
// A drive leads into a singular position if three conditions hold. The independence of the rows is at most kSingular.
// The speed is kOutrun times the fastest one while the independence was above kFarFromSingular. And speed times
// independence is at least kKeepsAsking of the largest speed that the drives asked for: they have not stopped.
constexpr double kSingular = 1e-5, kFarFromSingular = 0.1, kOutrun = 100, kKeepsAsking = 0.01;

}  // namespace

// Describes the drives that cannot be followed beyond here: their names, the position, and the coordinates whose speed
// grows without bound.
std::string DeadEnds::describe_drives(const std::vector<int>& rows, const std::string& depend) const {
  const Names& names = dynamics_.names();
  std::vector<std::string> drives, shape, fast;
  for (const int r : rows)
    if (std::abs(motion_.workspace.a[index(r)]) > 0) drives.push_back(name_of(names.rows, r, "row"));
  for (std::size_t r = names.constraint_rows(); r < names.rows.size(); ++r)
    if (const auto at = std::ranges::find(names.coordinates, names.rows[r]); at != names.coordinates.end()) {
      const auto i = static_cast<std::size_t>(at - names.coordinates.begin());
      const std::string& unit = names.coordinate_units[i];
      shape.push_back(
          fmt::format("{} = {}{}", *at, to_text(step_.y[i], 6), unit.empty() || unit == "1" ? "" : " " + unit));
    }
  const double* v = step_.y.data() + nq_;
  double most = 0;
  for (int i = 0; i < nv_; ++i) most = std::max(most, independence_.part_of_speed(v, i));
  for (int i = 0; i < nv_; ++i)
    if (independence_.part_of_speed(v, i) > 0.1 * most) fast.push_back(name_of(names.coordinates, i, "coordinate"));
  if (drives.empty()) return {};
  std::string text = fmt::format("{} cannot be followed beyond t = {} s", join_words(drives), to_text(step_.t, 8));
  if (!shape.empty()) text += fmt::format(" ({})", fmt::join(shape, ", "));
  text += ": " + depend;
  if (!shape.empty() && !fast.empty())
    text += fmt::format(", and the speed of {} grows beyond all bounds", join_words(fast));
  return text;
}

bool DeadEnds::move_on() {
  if (!is_singular_drive()) return true;
  const std::string why = describe();
  return why.empty() || fail(why);
}

// Whether a drive leads into a singular position. Speeds grow there like the inverse of the rows' independence, so that
// steps become ever shorter and never reach the position.
bool DeadEnds::is_singular_drive() {
  if (!independence_.possible() || manifold_.rows().empty()) return false;
  asked_ = std::max(asked_, independence_.asked_speed());
  if (asked_ == 0) return false;
  const double speed = independence_.speed(step_.y.data() + nq_);
  const double sine = motion_.workspace.kkt.independence();
  if (sine > kFarFromSingular) fastest_ = std::max(fastest_, speed);
  if (sine > kDeadEnd || !(speed > kOutrun * fastest_)) return false;
  const int rank = manifold_.rank();
  const double independence = independence_.at(step_.t, step_.y.data(), rank);
  return !(independence > kSingular) && !(speed * independence < kKeepsAsking * asked_);
}

std::string DeadEnds::describe() {
  const int rank = manifold_.rank();
  if (!independence_.possible()) return {};
  // Independence measures rows relative to their size along the run. A row that vanishes at the start has no size yet,
  // so the start needs its own test.
  if ((rank < m_ || path_.steps < kFirstSteps) && path_.size() > 0) {
    const MotionBranches branches = find_motion_branches(dynamics_, path_.state(0));
    if (!branches.regular()) {
      std::vector<std::string> depend;
      for (const int r : branches.rows) depend.push_back(name_of(dynamics_.names().rows, r, "row"));
      return fmt::format("the run does not leave the singular position that it starts from, where {} {}{}",
                         join_words(depend), depend.size() == 1 ? "vanishes" : "depend on each other",
                         branches.alone ? ": no position was found nearby"
                         : branches.directions.size() == 2
                             ? " and two motions are possible: start near it, on the intended motion"
                             : ": start near it, on the intended motion");
    }
  }
  if (rank == 0) return {};
  const double independence = independence_.at(step_.t, step_.y.data(), rank);
  if (!(independence < kDeadEnd)) return {};
  std::vector<int> rows;
  independence_.rank_of_workspace(std::clamp(20 * independence, kRankTolerance, 0.1), &rows);
  if (rows.empty()) return {};

  // Rows that depend on time (a ≠ 0) are drives.
  const Names& names = dynamics_.names();
  std::vector<std::string> tied, drives;
  for (const int r : rows) {
    tied.push_back(name_of(names.rows, r, "row"));
    if (std::abs(motion_.workspace.a[index(r)]) > 0) drives.push_back(tied.back());
  }
  const std::string depend =
      fmt::format("{} {} there", join_words(tied), tied.size() == 1 ? "vanishes" : "become dependent on each other");
  if (drives.empty())
    return fmt::format(
        "the run does not get past a singular position {}: {}; whether the motion goes on is not decided (with other "
        "tolerances, or without a row that follows from the others, a run may get past)",
        when(step_.t), depend);

  // Find out how well the constraints can be satisfied a little later.
  std::string left;
  const double gone = path_.time.empty() ? 0 : std::abs(step_.t - path_.time.front());
  const double ahead = kSlopeAhead * std::max(gone, 1e-3);
  State later{step_.t + maker_.direction * std::min(ahead, std::abs(options_.until - step_.t)), {}, {}};
  later.q.assign(step_.y.begin(), step_.y.begin() + nq_);
  later.v.assign(step_.y.begin() + nq_, step_.y.begin() + ny_);
  const Assembly nearest = assemble(dynamics_, later);
  if (nearest.status == AssemblyStatus::kNoPosition) {
    const std::string& unit =
        index(nearest.worst_row) < names.row_units.size() ? names.row_units[index(nearest.worst_row)] : "";
    left = fmt::format("; {} the constraints can be met to {}{} at best (`{}`)", when(later.t),
                       to_text(std::abs(nearest.worst_residual), 3), unit.empty() || unit == "1" ? "" : " " + unit,
                       name_of(names.rows, nearest.worst_row, "row"));
  }
  return describe_drives(rows, depend) + left;
}

}  // namespace dalembert::integration
