// SPDX-License-Identifier: Apache-2.0
// Private to integrate: chooses the length of the next step by the errors of the last ones.
#pragma once

#include <algorithm>
#include <cmath>

#include "dalembert/integrate/one_step_method.h"
#include "dalembert/integrate/step_size.h"

namespace dalembert::integration {

// The coefficient φ = error/h^k, with k = error_order + 1, is assumed to change in the next step by the same
// factor as in the last one. Then the length of the next step may be (Gustafsson's predictive control, Hairer &
// Wanner, Solving ODEs II, IV.8)
//   h · (h/h_before) · (error_before/error²)^(1/k)                                                               (1)
// Implicit methods take this length, or less. For explicit methods a rejected step costs as much as one
// that is kept. They take the geometric mean of (1) and the present length, which damps errors that jump up and down (a
// digital filter with the exponents (1, −1/2; −1/2), Söderlind, ACM Trans. Math. Softw. 29 (2003) 1-26).
class StepControl {
 public:
  /// Forgets the errors so far, because the following ones have little to do with them.
  void restart() { *this = {}; }

  /// The factor from the length `h` of a step to that of the next one. `error` is relative to the allowed error.
  /// `meant` is the length that the step would have had if something else had not shortened it.
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
      // The error of a step that was shortened says little about the next ones.
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
    // Keeping the factored matrix saves more than a slightly longer step would.
    if (method.implicit && factor >= 1 && factor <= 1.2) factor = 1;
    return factor;
  }
  /// Whether the last factor was the largest that the method allows.
  bool grows_most() const { return grows_most_; }

  /// The factor for the next try after a rejected one. `judged`: the step could be
  /// computed, but its error was too large.
  double after_rejection(const MethodFacts& method, double error, bool judged) {
    rejected_ = true;
    // A step that could not be computed does not tell how long a step may be. So the next steps grow slowly.
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
