// SPDX-License-Identifier: Apache-2.0
// Private to integrate: how long the next step may be.
#pragma once

#include <algorithm>
#include <cmath>

#include "dalembert/integrate/one_step_method.h"
#include "dalembert/integrate/step_size.h"

namespace dalembert::integration {

// The change of the error from step to step is continued: with k = error_order + 1 and φ = error/h^k, the next step has
// φ·φ/φ_before and may be (Gustafsson's predictive control, Hairer & Wanner, Solving ODEs II, IV.8)
//   h · (h/h_before) · (error_before/error²)^(1/k)                                                               (1)
// long. Implicit methods take that, or less. Explicit ones pay for a rejected step as much as for one that is kept, and
// take the geometric mean of (1) and the length they had: errors that jump up and down are damped (a digital filter
// with the exponents (1, −1/2; −1/2), Söderlind, ACM Trans. Math. Softw. 29 (2003) 1-26).
class StepControl {
 public:
  /// What follows has little to do with the errors before.
  void restart() { *this = {}; }

  /// The factor for the step after one of length `h` with this error, in units of what is allowed. `meant`: how long it
  /// would have been, had something else not cut it short.
  double after_step(const MethodFacts& method, double h, double error, double meant) {
    double factor = 0;
    error = std::max(error, 1e-10);
    if (method.implicit) {
      const double exponent = 1.0 / (method.error_order + 1);
      factor = kSafety * rough_power(error, -exponent);
      if (length_before_ > 0)
        factor =
            std::min(factor, kSafety * h / length_before_ * rough_power(error_before_ / (error * error), exponent));
      error_before_ = std::max(error, 1e-2);
      length_before_ = h;
    } else {
      const double ratio = length_before_ > 0 ? meant / length_before_ : 1;
      factor =
          kExplicitSafety * std::sqrt(ratio) * rough_root(std::sqrt(error_before_) / error, method.error_order + 1);
      // The error of a step that was cut short says little about those that follow.
      if (h > meant / 2) {
        error_before_ = error;
        length_before_ = h;
      }
    }
    factor = std::clamp(factor, method.smallest_factor, method.largest_factor);
    grows_most_ = factor >= method.largest_factor;
    if (rejected_) factor = std::min(factor, 1.0);
    if (cautious_ > 0) factor = std::min(factor, kCautious);
    cautious_ = std::max(0, cautious_ - 1);
    rejected_ = false;
    // A matrix that is factored is worth more than a slightly longer step.
    if (method.implicit && factor >= 1 && factor <= 1.2) factor = 1;
    return factor;
  }
  /// Whether the last factor was the largest that the method allows.
  bool grows_most() const { return grows_most_; }

  /// The factor for another try. `judged`: the step could be made, and its error was too large.
  double after_rejection(const MethodFacts& method, double error, bool judged) {
    rejected_ = true;
    // An error says how long a step may be, what could not be computed at all does not: no leap back to that length.
    if (method.implicit && !judged) cautious_ = 5;
    return judged ? std::max(method.smallest_factor, kSafety * rough_power(error, -1.0 / (method.error_order + 1)))
                  : 0.25;
  }

 private:
  static constexpr double kSafety = 0.9, kExplicitSafety = 0.87, kCautious = 2;
  double error_before_ = 1, length_before_ = 0;
  bool rejected_ = false, grows_most_ = false;
  int cautious_ = 0;
};

}  // namespace dalembert::integration
