// SPDX-License-Identifier: Apache-2.0
// Private to integrate: how long the next step may be, and whether the motion is stiff.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "dalembert/integrate/one_step_method.h"
#include "dalembert/integrate/step_size.h"

namespace dalembert::integration {

// Explicit methods: PI control (Hairer & Wanner, Solving ODEs II, IV.2), the last error tempers the growth. Implicit
// ones: the change of the error from step to step is continued (Gustafsson's predictive control, IV.8).
class StepControl {
 public:
  /// What follows has little to do with the errors before.
  void restart() { *this = {}; }

  /// The factor for the step after one of length `h` with this error, in units of what is allowed.
  double after_step(const MethodFacts& method, double h, double error) {
    double factor = 0;
    if (method.implicit) {
      const double exponent = 1.0 / (method.error_order + 1);
      factor = kSafety * rough_power(std::max(error, 1e-10), -exponent);
      if (length_before_ > 0)
        factor = std::min(factor,
                          kSafety * h / length_before_ *
                              rough_power(error_before_ / (std::max(error, 1e-10) * std::max(error, 1e-10)), exponent));
      error_before_ = std::max(error, 1e-2);
      length_before_ = h;
    } else {
      factor = kSafety * rough_power(std::max(error, 1e-10), 0.75 * method.beta - 1.0 / (method.error_order + 1));
      if (method.beta != 0) factor *= rough_power(error_before_, method.beta);
      error_before_ = std::max(error, 1e-4);
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
  static constexpr double kSafety = 0.9, kCautious = 2;
  double error_before_ = 1e-4, length_before_ = 0;
  bool rejected_ = false, grows_most_ = false;
  int cautious_ = 0;
};

// What is known of h·|eigenvalue|.
struct Stiffness {
  int hits = 0, misses = 0;  // of an explicit method, lately
  bool warned = false;
  bool found = false;             // the implicit method is to make the next steps
  int gentle = 0, wait = 20;      // steps of the implicit method that an explicit one could make; how many it takes
  std::vector<double> direction;  // of the largest eigenvalue, about; y + a small multiple of it
  std::vector<double> shifted, slope;
};

}  // namespace dalembert::integration
