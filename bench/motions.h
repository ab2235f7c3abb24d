// SPDX-License-Identifier: Apache-2.0
// The runs that are measured, and what is known about their ends.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "bench/reference/reference.h"
#include "bench/states.h"

namespace dalembert::bench {

struct Motion {
  std::string row, model;
  std::vector<std::string> set;  ///< as after --set
  double until = 0;
  double tolerance = 0;  ///< relative and absolute alike; 0: what reaches `goal`
  double goal = 0;
  std::size_t coordinate = 0;  ///< the one whose value at the end is known
  double end = 0;
  std::vector<double> (*start)() = nullptr;  ///< q, then v
  reference::Dop853Counts (*by_hand)(const reference::Dop853&, reference::Trigonometry, double*,
                                     const reference::Dop853Run&) = nullptr;
};

inline std::vector<double> slider_crank_motion_start() {
  std::vector<double> y(6);
  slider_crank_state(kPi / 4, 10, y.data(), y.data() + 3);
  return y;
}
inline std::vector<double> andrews_motion_start() {
  std::vector<double> y = andrews_start();
  y.resize(14);
  return y;
}

/// Truths: slider-crank by a reference integration with 16 digits; Andrews by integration in 26-digit arithmetic, which
/// agrees with Hairer & Wanner, Solving ODEs II, VII.7 as far as that goes.
inline std::vector<Motion> motions() {
  Motion crank;
  crank.row = "motion.slider_crank";
  crank.model = "slider-crank";
  crank.set = {"theta=0.78539816339744830961566", "theta'=10"};
  crank.until = 10;
  crank.tolerance = 1e-9;
  crank.end = 132.93240949566545;
  crank.start = slider_crank_motion_start;
  crank.by_hand = reference::slider_crank_run;

  Motion andrews;
  andrews.row = "motion.andrews.2e-8";
  andrews.model = "andrews-squeezer";
  andrews.until = 0.03;
  andrews.goal = 2e-8;
  andrews.end = 15.81077119515370896575;
  andrews.start = andrews_motion_start;
  andrews.by_hand = reference::andrews_run;
  Motion closer = andrews;
  closer.row = "motion.andrews.2e-12";
  closer.goal = 2e-12;
  return {crank, andrews, closer};
}

/// The motion's tolerance; or, of 10^(−k/4), the loosest that ends within the goal together with the next two, so that
/// no luck is measured. error_at(tolerance) makes one run, NaN where it fails. 0 where the goal is not reached.
template <class Run>
double tolerance_of(const Motion& motion, Run&& error_at) {
  if (motion.tolerance > 0) return motion.tolerance;
  int within = 0;
  for (int k = 16; k <= 58; ++k) {
    within = error_at(std::pow(10, -k / 4.0)) <= motion.goal ? within + 1 : 0;
    if (within == 3) return std::pow(10, -(k - 2) / 4.0);
  }
  return 0;
}

}  // namespace dalembert::bench
