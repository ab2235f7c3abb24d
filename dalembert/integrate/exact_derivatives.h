// SPDX-License-Identifier: Apache-2.0
// Private to integrate: RunDerivatives (dynamics/linearization.h) at points of a run, and their products with directions.
//
// A direction has an entry for each column of the patterns: changes of q, v, v̇, λ, inputs, the parameters that were asked for, and integrals. The entries for
// inputs are filled in by multiply() from those of the parameters. Of many parameters a direction moves few: what is done with it takes no account of the others.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "dalembert/base/aligned.h"
#include "dalembert/dynamics/linearization.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/integrate/implicit_derivatives.h"

namespace dalembert::integration {

/// The derivative of the normalisation of the unit quaternions in q, a symmetric map: s loses its part along each quaternion.
void project_on_quaternions(const Layout& layout, const double* q, double* s);

/// Belongs to one thread.
class ExactDerivatives {
 public:
  using Part = RunDerivatives::Part;
  static constexpr std::size_t kLanes = RunDerivatives::kLanes;

  /// All arguments must outlive this object.
  ExactDerivatives(const RunDerivatives& functions, const Dynamics& system, Workspace& workspace);

  /// Call it before the first point, and after a change of the system's parameters or held inputs.
  void use_parameters();
  /// About how many find_slopes() are still to come.
  void expect(double calls) { left_ = calls; }
  double calls() const { return calls_; }  ///< find_slopes() so far
  const RunDerivatives::Columns& columns() const { return functions_.columns(); }
  const Pattern& pattern(Part part) const {
    return implicit_ != nullptr && ImplicitDerivatives::has(part) ? implicit_->pattern(part) : functions_.pattern(part);
  }
  bool has(Part part) const { return functions_.has(part) || (implicit_ != nullptr && ImplicitDerivatives::has(part)); }
  /// Number of multipliers, the forces of frictions included.
  std::size_t multipliers() const { return m_; }
  /// Whether steps onto the constraints are those of the run.
  bool projects() const { return implicit_ != nullptr || system_.kernel().projects(); }

  bool inputs_depend() const { return functions_.inputs_depend(); }

  /// Sets the point of a lane, y = (q, v).
  void set_point(std::size_t lane, double t, const double* y);
  /// Computes kAccelerations, and kRates where there are any, at the first `lanes` points. False where pivots cannot be trusted or values are not finite.
  bool find_slopes(std::size_t lanes);
  /// Whether the rows of λ in the last find_slopes() are determined: not where rows are redundant while frictions act.
  bool knows_forces() const { return knows_forces_; }
  /// Computes kIntegrands at the points of the last find_slopes().
  bool find_integrands();
  /// Prepares the steps onto the constraints at a point, which must outlive their use.
  bool find_steps(double t, const double* y);

  /// Computes kOutputs at a point that is that of a lane of the last find_slopes(), with these values of the integrals over the run, or without (null).
  bool find_outputs(std::size_t lane, double t, const double* y, const double* integrals);

  /// v̇ or λ of find_slopes(): entry i of lane l is at [i · kLanes + l].
  const double* qdd() const { return at_rows(0); }
  const double* lambda() const { return at_rows(static_cast<std::size_t>(layout_.nv)); }
  /// The address of entry k of a pattern; lanes lie beside each other.
  const double* entry(Part part, std::size_t k) const;
  /// The parameters that a direction moves, as numbers among those that were asked for: [first, end).
  struct Parameters {
    std::size_t first = 0, end = 0;
  };
  /// result += J x at a lane (0 for parts of one lane); x is a direction that moves these parameters alone, and whose inputs are set.
  void multiply(Part part, std::size_t lane, Parameters moved, double* x, double* result) const;
  /// x += Jᵀ w. The entries of x for inputs are then 0: they are passed on to those for parameters.
  void multiply_transposed(Part part, std::size_t lane, const double* w, double* x) const;
  /// result += the step that removes the residual of a direction, as multiply() takes it, at the point of find_steps(): kPositionStep, that of h [nv], or
  /// kVelocityStep, that of W v + a [nv]. False where it is not finite.
  bool add_step(Part part, Parameters moved, double* x, double* result);
  /// x += the transpose of that map, of w.
  bool add_step_transposed(Part part, const double* w, double* x);
  void pass_inputs_on(Part part, std::size_t lane, double* x) const;
  /// The inputs that depend on these parameters, in ascending order.
  std::vector<std::size_t> inputs_of(Parameters moved) const;
  /// Sets the entries of a direction for inputs that depend on these parameters: ∂u/∂p times those for parameters.
  void set_inputs(Part part, std::size_t lane, Parameters moved, double* x) const;

 private:
  // The entries of a pattern: those in columns of parameters by parameter, and those before and behind them.
  struct Entries {
    std::vector<std::size_t> before, of_parameters, behind;
    std::vector<std::size_t> first_of;  // of each parameter in of_parameters, and the end
    std::span<const std::size_t> of(Parameters some) const {
      return std::span(of_parameters).subspan(first_of[some.first], first_of[some.end] - first_of[some.first]);
    }
  };
  static Entries sorted(const Pattern& pattern, int first_parameter, std::size_t parameters);

  const double* at_rows(std::size_t row) const;
  const double* du(Part part, std::size_t lane) const;
  void find_inputs(double t, double* du);
  bool find_slopes_implicitly(std::size_t lanes);
  bool find(Part part, double t, const double* y, const double* qdd = nullptr, const double* lambda = nullptr);
  bool call(Part part, double t, const double* y, const double* qdd, const double* lambda);
  std::span<double> rows_of(Part step);
  FrictionSystem& solver() const { return own_solver_ != nullptr ? *own_solver_ : *workspace_.friction; }
  KktStatus solve(double t, const double* q, const double* v, double* forces);
  std::size_t stride(Part part) const { return static_cast<std::size_t>(RunDerivatives::lanes(part)); }
  std::vector<double>& values(Part part) { return values_of_one_[static_cast<std::size_t>(part)]; }
  const RunDerivatives& functions_;
  const Dynamics& system_;
  Workspace& workspace_;
  const Layout& layout_;
  const std::size_t nq_, nv_, m_, inputs_, parameters_;
  const std::unique_ptr<ImplicitDerivatives> implicit_;  // null: there is a function of the accelerations
  const std::unique_ptr<FrictionSystem> own_solver_;     // for implicit_ where the workspace has none
  bool knows_forces_ = true;
  double steps_t_ = 0;  // the point of find_steps()
  const double* steps_y_ = nullptr;
  std::vector<double> of_rows_, forces_;  // a number for each row of kRows; right sides of v̇ and λ
  double left_ = 0, calls_ = 0;
  std::vector<double> prepared_, parameter_values_, work_;
  struct Point {
    std::vector<double> q, v, u, forces;
  };
  Point one_;                                // the lane that is solved implicitly
  LineNumbers t_, q_, v_, u_;                // the points
  LineNumbers slopes_, rates_, integrands_;  // results of the parts with lanes
  std::vector<double> values_of_one_[RunDerivatives::kParts];
  Entries entries_[RunDerivatives::kParts];
  Entries of_inputs_;           // of RunDerivatives::pattern_of_inputs()
  std::vector<double> du_;      // by lane: ∂u/∂p, the entries of that pattern
  std::vector<double> du_one_;  // of the last find()
};

}  // namespace dalembert::integration
