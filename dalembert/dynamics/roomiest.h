// SPDX-License-Identifier: Apache-2.0
// A point well within several cones: of all z with
//
//   l_j(z) > |s_j(z)|  for each cone j,
//
// where the limit l_j and the sides s_j (up to two components; none: l_j > 0) are affine in z, the one at which
//
//   Σ_j log (l_j² − |s_j|²) − |z|²/(2 a²)        (log l_j of a cone without sides)
//
// is largest: the analytic centre of the cones, drawn towards 0 where they are wide. a² is the mean square of the values at z = 0. The point is unique and
// as smooth as the cones are, and tends to the last common point where they part. Where they have none, the point is given at which the least reserve,
// l_j − |s_j|, is largest.
// Frictions that stick are such cones, μ_s N >= |f|, and contacts that are closed, λ >= 0.
//
// Newton's method, from a point that a barrier method finds: it follows the largest points of κ t + Σ_j log ((l_j − t)² − |s_j|²) as κ grows, until t > 0
// or the gap K/κ shows that no t > 0 exists. O(K d² + d³) for each of some ten steps, of forty where the cones hardly meet.
// Sources: Nesterov & Nemirovskii, §5.4; Boyd & Vandenberghe, §11.
#pragma once

#include <cstddef>
#include <vector>

#include "dalembert/dynamics/small_lu.h"

namespace dalembert {

class Roomiest {
 public:
  /// Forgets all cones; z has `unknowns` numbers.
  void begin(std::size_t unknowns);
  /// Adds a cone. Returns 1 + sides rows of 1 + unknowns numbers, to be filled before the next call: the limit, then the sides; of each its value at
  /// z = 0, then its slopes.
  double* add(std::size_t sides);
  /// Finds z. False where a number is not finite; z is 0 then.
  bool solve(double* z);

 private:
  struct Cone {
    std::size_t first = 0, rows = 0;  // its place in table_
  };
  bool measure();
  double reserve();
  void find_slope(double growth);
  void find_bend();
  double step(double growth);
  bool find_inside();

  std::size_t d_ = 0, n_ = 0;  // unknowns: z, and where n_ is d_ + 1, t
  std::vector<Cone> cones_;
  std::vector<double> table_;           // rows of 1 + d numbers
  std::vector<double> value_, inside_;  // of each row; of each cone (l − t)² − |s|², or l − t
  std::vector<double> at_, start_, slope_, change_, along_;  // (z, t), d + 1 numbers
  SmallLu bend_;
  double scale_ = 1;
};

}  // namespace dalembert
