// SPDX-License-Identifier: Apache-2.0
// A branch x(μ) of solutions of F(x, μ) = 0, followed from one value of μ to another without a jump to another branch.
//
// A step from μ to μ + h solves at both ends and in the middle, and a little beside each for the slopes dx/dμ. It is taken if the
// cubic through the ends and their slopes has, in the middle, the point and the slope that were found there; else it is halved.
// A step of the least size is taken only if the point moves continuously: where branches meet, as at a pitchfork, x grows like
// sqrt(h), but onto another branch it jumps however small h is. About six solves for a step; 30 halvings where the branch ends.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

struct BranchEnd {
  enum class How {
    kFold,        ///< the branch turns back in μ: the other half of it is there on the near side
    kJump,        ///< what is found beyond is on another branch
    kNothing,     ///< nothing is found beyond
    kUnresolved,  ///< too many steps would be needed
  } how = How::kNothing;
  double value = 0;  ///< the last value of μ that was reached
};

class Branch {
 public:
  /// The solution at a value of μ that Newton's method finds from a guess, if any.
  using Solve = std::function<std::optional<MotionPoint>(double value, const MotionPoint& guess)>;

  /// `range`: how far from `value` the branch will be followed. The least step is 1e-9 of it.
  Branch(double value, MotionPoint at, double range, Solve solve);

  /// The point of the branch at a value; none where the branch ends before.
  std::optional<MotionPoint> reach(double value);
  /// What is found at a value from the nearest point that is known, on this branch or not. For states that their equations do not
  /// determine alone: they are no branch, and what is found depends on the way to it.
  std::optional<MotionPoint> find(double value);
  /// Where the branch ended when reach() last found no point.
  const BranchEnd& end() const { return end_; }

 private:
  // A point of the branch, and a point `gap` in μ beside it, which tells its slope: where branches cross the point alone does not tell them apart.
  struct Known {
    MotionPoint at;
    std::optional<MotionPoint> beside = {};
    double gap = 0;

    MotionPoint predicted(double by) const;
  };
  std::optional<Known> step(double from, const Known& at, double to) const;
  std::optional<Known> least_step(double from, const Known& at, double to) const;
  BranchEnd ended(double last, const MotionPoint& at, double beyond) const;
  bool folds(double last, const MotionPoint& at, double beyond) const;
  std::map<double, Known>::const_iterator nearest(double value) const;
  void add(double value, const Known& point);

  Solve solve_;
  double least_;
  std::map<double, Known> known_;
  double q_size_, v_size_;  // the largest magnitudes on the branch
  BranchEnd end_;
  std::optional<BranchEnd> above_, below_;  // the ends of the branch that are known
};

}  // namespace dalembert
