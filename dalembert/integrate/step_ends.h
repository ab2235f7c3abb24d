// SPDX-License-Identifier: Apache-2.0
// Private to integrate: the times at which a step has to end.
//
// A Runge–Kutta step has its order only where the right-hand side is smooth. A table input has corners, so a step ends
// at each and never crosses one. Steps of fixed size end at start + k·h besides (counted, not summed up, so that the
// last one is no sliver of round-off), and every run ends at its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

class StepEnds {
 public:
  /// `fixed_step` > 0: the grid as well. Of more than `most` kinks only the largest are kept, the error control has to
  /// find the others: a table of very many samples must not cost more than the run itself.
  StepEnds(double start, double until, double fixed_step, std::vector<Kink> kinks, std::size_t most);

  /// The nearest one that was not yet reached.
  double next() const { return next_; }
  /// Whether an input has a corner there.
  bool next_is_corner() const { return ends_corner_; }
  /// next() was reached.
  void advance();

  std::size_t kept() const { return corners_.size(); }  ///< kinks
  std::size_t left_out() const { return left_out_; }

 private:
  void find_next();

  double start_, until_, direction_, fixed_step_;
  std::vector<double> corners_;  // in the order of travel
  std::size_t left_out_ = 0, corner_ = 0;
  std::int64_t count_ = 0;  // points of the grid that were passed
  double next_ = 0;
  bool ends_corner_ = false, ends_grid_ = false;  // what next_ is
};

}  // namespace dalembert
