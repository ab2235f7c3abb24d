// SPDX-License-Identifier: Apache-2.0
// Private to integrate: integrals over the time of a run, which outputs and events read (Layout::integrals).
//
// An integral adds up over the steps of the run. Over a step it is that of the integrand along the method's continuous extension, with an error
// control of its own (quadrature.h), while branches, contacts and frictions keep what they do in the step. So corners of integrands where the state passes
// 0 (abs, min, max) need no steps of their own; where a jump, a time or a narrow pulse of time could be missed within a step, steps end (compile/switching.cpp). Otherwise the run
// has the same bits as without integrals. Impacts add nothing: the integral of a multiplier is the impulse of its finite
// forces. The tolerance of a step is rtol times the larger of ∫|e| over it and its share of ∫|e| so far, by time, and its share of atol.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dalembert/integrate/observer.h"
#include "dalembert/integrate/quadrature.h"

namespace dalembert::integration {

class Integrals final : public Observer {
 public:
  /// Only for systems with integrals. Both arguments must outlive this object.
  Integrals(StepMaker& maker, Trajectory& path);

  /// Number of integrals.
  std::size_t count() const { return value_.size(); }
  /// The value of integral i at a time in the present step or the one that is tried; beyond its ends it goes on in a straight line.
  double value_at(std::size_t i, double t);
  /// ∫|e| of integral i so far: a size for its errors.
  double size(std::size_t i) const { return size_[i]; }
  /// The name of an integral for messages, where it is cut if it is long: "integral(x')".
  std::string name(std::size_t i) const;
  /// The parameters of the system, with the values of the integrals at that time. Valid until the next call.
  const double* parameters_at(double t);

  bool look_within() override;
  bool move_on() override;
  /// Fills in Verdict::integrals, and warns of integrals whose error is not small against the tolerance.
  void finish();

 private:
  bool integrate_step();
  /// Where the forces of integrands come from: those that the equations have at the point; the same, unless they differ from the continuous extension;
  /// accelerations of the extension, with the multipliers of the equations at the projected point.
  enum class Forces { kSolved, kCompared, kSmooth };
  bool find_integrands(double t, const double* y, double* values, Forces forces);
  bool find_within(double t, double* values, Forces forces);
  bool differ_from_extension() const;
  void find_noise();
  void lose(std::size_t i, const char* why);

  Motion own_;  // evaluates points within the step, so that those of the run stay as they are
  std::vector<double> value_, size_, error_;  // where the step begins
  Quadrature quadrature_;                     // of the present step
  std::int64_t integrated_ = -1, left_ = 0;   // Step::tries of the step in quadrature_; of the last step of the run
  double from_;                               // where the step begins
  const double length_of_run_;
  std::vector<double> noise_, last_noise_;  // round-off of the integrands: the larger of two steps; of the last step
  std::vector<double> projected_, slope_;   // of a point within the step
  std::vector<double> least_, beside_, point_, qdd_, multipliers_, slopes_, parameters_;
  std::vector<char> lost_;
  bool known_slopes_ = false;  // whether slopes_ has the integrands where the step begins
};

}  // namespace dalembert::integration
