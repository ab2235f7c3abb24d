// SPDX-License-Identifier: Apache-2.0
// A point at which two formulas differ, in the form that is shown to the user.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dalembert/expr/print.h"

namespace dalembert {

struct Difference;

/// The values of the symbols at a point where a claim fails, and the values of the claim and the right formula there.
struct CounterExample {
  std::vector<std::pair<std::string, Rational>> at;  ///< values by printed name ("theta'"), in the order of the model
  /// Another symbol of the claim, whose value follows from `at` by the conditions or the equations.
  struct Follower {
    std::string name;
    double value = 0;
    std::string digits;  ///< the digits of its value that are certain, ten at most
  };
  std::vector<Follower> follows;
  double correct = 0, claimed = 0, difference = 0;
  std::string correct_digits, claimed_digits;  ///< enough digits to tell the two apart
  std::string difference_digits;
};

/// The counterexample for a difference that compare.h found, in the order of a state: coordinates, velocities, …, parameters.
CounterExample counter_example(Graph& graph, const Difference& found, Notation notation);

}  // namespace dalembert
