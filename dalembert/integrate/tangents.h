// SPDX-License-Identifier: Apache-2.0
// Private to integrate: derivatives of a run by quantities that its start and parameters depend on (IntegrateOptions::tangents).
//
// The derivative s of the state y = (q, v) by a quantity p obeys the linearised motion along the run,
//   s' = ∂f/∂y s + ∂f/∂p,      W s_q = −∂h/∂p on the constraints                                              (1)
// Each step of the run, whatever its method, is one step of collocation for (1), with the state between from the continuous extension of the
// step. Where that is too coarse for s, which may oscillate where y is steady, it is made in parts. Then s is projected onto the tangent space. Where branches change or the state jumps, s passes as jumps.cpp says. The run itself is the
// same, to the last bit, as without derivatives: they have memory of their own.
// Source: Hairer, Nørsett & Wanner, Solving ODEs I, 2nd ed., I.14; Serban & Hindmarsh (CVODES).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dalembert/dynamics/derivative_along.h"
#include "dalembert/integrate/collocation.h"
#include "dalembert/integrate/guards.h"
#include "dalembert/integrate/observer.h"

namespace dalembert::integration {

class Tangents final : public Observer {
 public:
  /// `guards` and `branches` are null where the system has none; all arguments must outlive this object.
  Tangents(StepMaker& maker, Trajectory& path, Guards* guards, Branches* branches);

  /// Records the derivatives of the start, after the start itself is recorded. `moved`: the start is not that of the options, but one after a jump.
  void begin(bool moved);
  bool look_within() override;
  bool arrive() override;

 private:
  void lose(std::string why);
  bool use_mode();
  void measure();
  double amount(std::size_t k) const;
  double displacement(std::size_t k) const;
  void displace(std::size_t k, double epsilon);
  template <class At>
  bool differentiate(std::size_t k, double t, const double* y, std::size_t count, const At& at);
  bool linearize(std::size_t node, double t, const double* y);
  double find_reach(double t, const double* y);
  bool find_slope(double t, const double* y, std::vector<double>& slope);
  bool find_products(std::size_t node, const double* x, double* product);
  bool linearize_parameters(Collocation& use, std::size_t node, double t, const double* y);
  bool linearize_exactly(Collocation& use, std::size_t node, double t, const double* y);
  bool linearize_rates(Collocation& use, std::size_t node, double t, const double* y);
  bool carry_to(double t);
  double error_of_step(const Collocation& made, double h) const;
  bool project(double t, const double* y);
  bool pass_change();
  void record_rows();
  void record(std::size_t row);

  Guards* const guards_;
  Branches* const branches_;
  // A system with the branches and modes of the run, and memory of its own.
  Dynamics own_;
  Motion of_own_;
  const std::size_t n_;
  std::vector<double> parameters_;            // those of the run
  std::vector<std::vector<double>> tangent_;  // s of each quantity
  std::vector<double> delay_;                 // by which each quantity shifts the instant of the present change
  std::vector<double> size_, low_, high_;     // sizes of the components of y, for displacements
  Collocation collocation_, stiff_;
  // The nodes of the present part of a step, where A is known by its products alone; else empty.
  struct Node {
    double t = 0;
    std::vector<double> y;
    double reach = 1;
  };
  std::vector<Node> nodes_;
  double reach_ = 1;                // factor of displacements at the present node
  std::vector<int> parameters_by_;  // all parameters that tangents name, ascending
  std::vector<double> work_, derivatives_;
  DerivativeAlong difference_;
  std::vector<double> point_, displaced_, slope_, result_, slope_before_, y_before_;
  double at_ = 0;             // time of the tangents
  double length_ = 0;         // of the last part of a step that was accurate; 0: whole steps are
  std::size_t recorded_ = 0;  // rows of the run
  std::size_t events_ = 0;    // events of the run whose shift is known
  bool projected_ = false, lost_ = false;
  std::int64_t calls_ = 0;  // of the derivatives
};

}  // namespace dalembert::integration
