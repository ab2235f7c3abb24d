// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/friction_parts.h"

#include <cstddef>

#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/groups.h"
#include "dalembert/dynamics/kkt_solver.h"

namespace dalembert {
namespace {

// The velocities, rows and frictions of a system, one after the other, in sets that the patterns couple. Rows and frictions that no pattern
// couples to a velocity go with the first velocity.
Groups couple(const Layout& layout) {
  const std::size_t n = as_size(layout.nv), m = as_size(layout.m), all = n + m + as_size(layout.frictions);
  Groups groups(all);
  const auto join = [&](const Pattern& pattern, std::size_t first_row, std::size_t first_column) {
    for (std::size_t k = 0; k < pattern.row.size(); ++k)
      groups.join(first_row + as_size(pattern.row[k]), first_column + as_size(pattern.col[k]));
  };
  join(layout.M, 0, 0);
  join(layout.W, n, 0);
  join(layout.Phi, 0, n);
  join(layout.C, n + m, 0);
  join(layout.load, n + m, n);
  for (const int first : layout.planes) groups.join(n + m + as_size(first), n + m + as_size(first) + 1);
  std::vector<char> moves(all, 0);
  for (std::size_t i = 0; i < n; ++i) moves[groups.find(i)] = 1;
  for (std::size_t i = n; i < all; ++i)
    if (n > 0 && moves[groups.find(i)] == 0) groups.join(i, 0);
  return groups;
}

}  // namespace

std::vector<FrictionPart> find_friction_parts(const Layout& layout) {
  Groups groups = couple(layout);
  const std::size_t n = as_size(layout.nv), m = as_size(layout.m), all = n + m + as_size(layout.frictions);
  std::vector<FrictionPart> parts;
  std::vector<int> part_of_set(all, -1), part_of(all), own(all);
  for (std::size_t i = 0; i < all; ++i) {
    int& part = part_of_set[groups.find(i)];
    // Without velocities everything is one part.
    if (part < 0 && (n > 0 || parts.empty())) part = static_cast<int>(parts.size()), parts.emplace_back();
    if (n == 0) part = 0;
    FrictionPart& to = parts[as_size(part)];
    std::vector<int>& list = i < n ? to.velocities : i < n + m ? to.rows : to.frictions;
    part_of[i] = part;
    own[i] = static_cast<int>(list.size());
    list.push_back(static_cast<int>(i < n ? i : i < n + m ? i - n : i - n - m));
  }
  if (parts.empty()) parts.emplace_back();
  for (FrictionPart& part : parts) {
    part.layout.set_coordinates(static_cast<int>(part.velocities.size()));
    part.layout.m = static_cast<int>(part.rows.size());
    part.layout.frictions = static_cast<int>(part.frictions.size());
  }
  for (const int first : layout.planes) {
    const std::size_t place = n + m + as_size(first);
    parts[as_size(part_of[place])].layout.planes.push_back(own[place]);
  }
  const auto split = [&](Pattern Layout::*which, std::vector<int> FrictionPart::*places, std::size_t first_row,
                         std::size_t first_column) {
    const Pattern& pattern = layout.*which;
    for (std::size_t k = 0; k < pattern.row.size(); ++k) {
      const std::size_t row = first_row + as_size(pattern.row[k]), column = first_column + as_size(pattern.col[k]);
      FrictionPart& part = parts[as_size(part_of[row])];
      (part.layout.*which).row.push_back(own[row]);
      (part.layout.*which).col.push_back(own[column]);
      (part.*places).push_back(static_cast<int>(k));
    }
  };
  split(&Layout::M, &FrictionPart::M, 0, 0);
  split(&Layout::W, &FrictionPart::W, n, 0);
  split(&Layout::Phi, &FrictionPart::Phi, 0, n);
  split(&Layout::C, &FrictionPart::C, n + m, 0);
  split(&Layout::load, &FrictionPart::load, n + m, n);
  for (FrictionPart& part : parts) {
    part.layout.M.cols = part.layout.W.cols = part.layout.C.cols = part.layout.nv;
    part.layout.Phi.cols = part.layout.load.cols = part.layout.m;
  }
  return parts;
}

double friction_work(const Layout& layout) {
  double work = 0;
  for (const FrictionPart& part : find_friction_parts(layout))
    work += dense_work(part.layout.nv, part.layout.multipliers());
  return work;
}

}  // namespace dalembert
