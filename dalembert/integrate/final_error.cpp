// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/final_error.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dalembert/base/numeric.h"
#include "dalembert/base/text.h"
#include "dalembert/integrate/names.h"

namespace dalembert::integration {
namespace {

// A component rests if it moves by less than kRoundoff · eps of its values, or than kOfAtol · atol.
constexpr double kRoundoff = 1e4, kOfAtol = 1e-3;

std::string unit_of(const std::vector<std::string>& units, std::size_t i) { return i < units.size() ? units[i] : ""; }

double larger_of(double tolerance, double size) { return std::isfinite(size) ? std::max(tolerance, size) : tolerance; }

}  // namespace

void summarize_errors(const Names& names, std::size_t n, const std::vector<double>& sizes,
                      const std::vector<double>& errors, const std::vector<double>& order, FinalError& error) {
  error.q.assign(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(n));
  error.v.assign(errors.begin() + static_cast<std::ptrdiff_t>(n), errors.end());
  error.coordinates.reserve(n);
  for (std::size_t i = 0; i < n; ++i)
    error.coordinates.push_back(name_of(names.coordinates, static_cast<int>(i), "coordinate"));
  error.velocities = names.velocities.empty() ? error.coordinates : names.velocities;
  error.largest = error.relative = 0;
  std::size_t worst = 0;
  double worst_share = -1;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (i < n) error.largest = std::max(error.largest, errors[i]);
    if (sizes[i] > 0) error.relative = std::max(error.relative, errors[i] / sizes[i]);
    const double share = sizes[i] > 0 ? order[i] / sizes[i] : 0;
    if (i < n && share > worst_share) {
      worst_share = share;
      worst = i;
    }
  }
  if (n > 0) {
    error.worst = worst;
    error.worst_name = error.coordinates[worst];
    error.worst_unit = unit_of(names.coordinate_units, worst);
  }
}

std::vector<double> motion_sizes(const ErrorGrowth& growth, double atol) {
  const std::span<const double> range = growth.range(), size = growth.size();
  const std::size_t all = range.size();
  std::vector<double> sizes(range.begin(), range.end());
  struct Largest {
    double range = 0, size = 0;
  };
  std::vector<Largest> largest(all);  // in each group
  for (std::size_t i = 0; i < all; ++i) {
    Largest& group = largest[growth.groups()[i]];
    group.range = larger_of(group.range, range[i]);
    group.size = larger_of(group.size, size[i]);
  }
  for (std::size_t i = 0; i < all; ++i) {
    const Largest& group = largest[growth.groups()[i]];
    sizes[i] = larger_of(kMinorMotion * group.range, range[i]);
    if (sizes[i] <= kRoundoff * kEps * group.size || sizes[i] <= kOfAtol * atol) sizes[i] = 0;
  }
  return sizes;
}

FinalError error_by_growth(const Names& names, const ErrorGrowth& growth, const std::vector<double>& sizes, double time,
                           double energy_error) {
  FinalError error;
  if (!growth.enabled()) return error;
  error.estimated = true;
  error.method = "tangent growth";
  std::vector<double> errors(growth.error().begin(), growth.error().end());
  double relative = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (!std::isfinite(errors[i])) errors[i] = std::numeric_limits<double>::infinity();
    if (sizes[i] > 0) relative = std::max(relative, errors[i] / sizes[i]);
  }
  double late = 0;
  const std::size_t n = growth.coordinates();
  for (std::size_t i = 0; n + i < errors.size(); ++i) {
    const double size = growth.over_moved(sizes, static_cast<int>(i));
    if (size > 0) late = std::max(late, growth.range()[n + i] * time * energy_error / 2 / size);
  }
  late = std::min(late, kDigitsLost / 2);  // limited, so that the timing error alone does not make the verdict fail
  // The direction of an error is less certain than its size, so each component gets at
  // least a tenth of the worst error.
  for (std::size_t i = 0; i < errors.size(); ++i)
    errors[i] =
        kOverestimate * std::max({errors[i], 0.1 * relative * sizes[i], kEps * growth.size()[i]}) + late * sizes[i];
  summarize_errors(names, n, sizes, errors, errors, error);
  if (error.relative > kDigitsLost) error.lost_at = growth.lost_at();
  return error;
}

void judge_error(Verdict& verdict) {
  const FinalError& error = verdict.error;
  if (!error.estimated || error.relative <= kDigitsLost) return;
  verdict.holds = false;
  verdict.reasons.push_back(
      fmt::format("digits lost: errors grow to the size of the motion{}; the final state is not to be trusted",
                  error.lost_at ? fmt::format(" by t = {} s", to_text(*error.lost_at, 4)) : ""));
}

}  // namespace dalembert::integration
