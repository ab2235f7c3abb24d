// SPDX-License-Identifier: Apache-2.0
// Private to integrate: the times at which a step must end.
//
// A Runge–Kutta step has its order only where the right-hand side is smooth. A table input has corners, so a step ends
// at each and never crosses one. Steps of fixed size also end at start + k·h (multiples, not sums, so that round-off
// leaves no tiny last step). Every run ends at its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

class StepEnds {
 public:
  /// `fixed_step` > 0 adds the grid of fixed steps. Of more than `most` kinks only the largest are kept, and error
  /// control has to cope with the others: a table of very many samples must not cost more than the run itself.
  StepEnds(double start, double until, double fixed_step, std::vector<Kink> kinks, std::size_t most);

  /// The next time at which a step must end.
  double next() const { return next_; }
  /// Whether an input has a corner at next().
  bool next_is_corner() const { return ends_corner_; }
  /// To be called when next() is reached.
  void advance();

  std::size_t kept() const { return corners_.size(); }  ///< number of kinks at which steps end
  std::size_t left_out() const { return left_out_; }

 private:
  void find_next();

  double start_, until_, direction_, fixed_step_;
  std::vector<double> corners_;  // in the order of travel
  std::size_t left_out_ = 0, corner_ = 0;
  std::int64_t count_ = 0;  // number of grid points that were passed
  double next_ = 0;
  bool ends_corner_ = false, ends_grid_ = false;  // whether next_ is a corner; a grid point
};

}  // namespace dalembert
