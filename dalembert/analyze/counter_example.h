// SPDX-License-Identifier: Apache-2.0
// A point at which two formulas differ, as a person reads it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dalembert/expr/print.h"

namespace dalembert {

struct Difference;

/// Values of the symbols at which a claim fails, and what it and the right formula are there.
struct CounterExample {
  std::vector<std::pair<std::string, Rational>> at;  ///< by printed name: "theta'", in the order of the model
  /// What the claim has besides: numbers that the conditions or the equations make of those.
  struct Follower {
    std::string name;
    double value = 0;
    std::string digits;  ///< those that are certain, ten at most
  };
  std::vector<Follower> follows;
  double correct = 0, claimed = 0, difference = 0;
  std::string correct_digits, claimed_digits;  ///< so many that the two can be told apart
  std::string difference_digits;
};

/// Of what compare.h found. In the order of a state: coordinates, velocities, …, then parameters.
CounterExample counter_example(Graph& graph, const Difference& found, Notation notation);

}  // namespace dalembert
