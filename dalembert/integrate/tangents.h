// SPDX-License-Identifier: Apache-2.0
// Private to integrate: derivatives of a run by quantities that its start and parameters depend on (IntegrateOptions::tangents).
//
// The derivative s of the state y = (q, v) by a quantity p obeys the linearised motion along the run,
//   s' = ∂f/∂y s + ∂f/∂p,      W s_q = −∂h/∂p on the constraints                                              (1)
// After each step of the run, whatever its method, one step of collocation integrates (1) over the same interval. The state y within the step comes
// from the method's continuous extension. Where one collocation step is too coarse for s, which may oscillate while y is steady, the interval is
// divided; where no row needs s at the end of each step, one collocation step passes several steps of the run, as its error allows.
// At the end of the step s is projected onto the tangent space of the constraints. Where branches change or the state jumps, jumps.cpp
// carries s through the change. The derivative of an integral over the run (integrals.h) is the integral of the derivative of its integrand, at the
// same nodes, and where the instant of a change moves by δt, (e⁻ − e⁺) δt with the integrand before and after it. Derivatives use a workspace of their own, so
// the run has the same bits as without them. With IntegrateOptions::gradient_of no tangents are carried: the maps that carry them are recorded (adjoint.h).
// Source: Hairer, Nørsett & Wanner, Solving ODEs I, 2nd ed., I.14; Serban & Hindmarsh (CVODES).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/dynamics/derivative_along.h"
#include "dalembert/dynamics/least_norm.h"
#include "dalembert/integrate/adjoint.h"
#include "dalembert/integrate/collocation.h"
#include "dalembert/integrate/exact_derivatives.h"
#include "dalembert/integrate/guards.h"
#include "dalembert/integrate/observer.h"
#include "dalembert/integrate/run_for.h"

namespace dalembert::integration {

class Tangents final : public Observer {
 public:
  /// `guards`, `branches` and `integrals` are null where the system has none; all arguments must outlive this object.
  /// `rest`: with IntegrateOptions::gradient_of, the weights at the end of this run; null: those of the outputs.
  Tangents(StepMaker& maker, Trajectory& path, Guards* guards, Branches* branches, Integrals* integrals, RunFor purpose,
           const AdjointRest* rest = nullptr);

  /// Records the derivatives of the start; call it after the start itself is recorded. `moved`: a jump at the start has replaced the state that
  /// IntegrateOptions::tangents describes.
  void begin(bool moved);
  bool look_within() override;
  bool arrive() override;
  /// Records what only the end of the run has: with IntegrateOptions::sensitivities_at_end its derivatives, with gradient_of Trajectory::gradients, from its last
  /// row (gradients.cpp). What it returns is left to a run that ends earlier.
  std::optional<AdjointRest> finish();

 private:
  void lose(std::string why) { lose(std::move(why), step_.t); }
  void lose(std::string why, double from);
  void lose_these(const std::vector<std::size_t>& which, const std::string& why, double from);
  void lose_unknown();
  void tell_unknown(const std::vector<std::string>& names, const std::string& why, double from);
  bool lose_without_rates(Collocation& made);
  std::vector<double> without_gone(std::vector<double> of_quantities) const;
  std::string why_not_displaced() const;
  void set_sensitivities();
  void set_units();
  void record_projection(double t, const double* y);
  void record_maps();
  void carry_to_rest();
  void carry();
  void note_delay(RunEvent& event) const;
  void record_change();
  bool outputs_depend_on_time(double t, const double* y);
  void set_gradients();
  bool use_mode();
  void measure();
  double amount(const Tangent& by) const;
  double amount(std::size_t k) const { return amount(quantities_[k]); }
  double displacement(std::size_t k) const { return displacement(k, tangent_[k].data()); }
  double displacement(std::size_t k, const double* tangent) const { return displacement(quantities_[k], tangent); }
  double displacement(const Tangent& by, const double* tangent) const;
  void displace(const Tangent& by, double epsilon);
  /// Writes to result_ the derivative along a tangent of a quantity, including its parameters, of the `count` numbers that `at(ε, y, values)` computes at the
  /// state displaced by ε times the tangent. h: from displacement().
  template <class At>
  bool differentiate(const Tangent& by, double h, const double* tangent, const double* y, std::size_t count,
                     const At& at);
  template <class At>
  bool differentiate(std::size_t k, double h, const double* tangent, const double* y, std::size_t count, const At& at) {
    return differentiate(quantities_[k], h, tangent, y, count, at);
  }
  bool linearize(Collocation& use, std::size_t node, double t, const double* y);
  double find_reach(double t, const double* y);
  bool comes_to_rest();
  bool ends_at_rest();
  bool find_across(int j, double t, const double* y, std::vector<double>& across);
  bool rest_across(double t, const double* y);
  bool find_slope(double t, const double* y, std::vector<double>& slope);
  bool find_slope_along(double t, const double* y, const double* x, double reach);
  bool linearize_parameters(Collocation& use, std::size_t node, double t, const double* y);
  bool linearize_nodes(Collocation& use, double h, const double* end);
  /// `end`: the state at t if it is known and tangents at t will be recorded; else null.
  bool carry_to(double t, const double* end = nullptr);
  // By exact derivatives (tangents_exactly.cpp).
  void prepare_exactly();
  void expect_calls();
  Collocation& collocation_within();
  Collocation& ready(Collocation& use);
  bool is_exact_within() const;
  bool is_exact_at_ends() const;
  /// Whether outputs or integrands may read impulses, which are parameters of no exact derivative.
  bool reads_impulses() const { return guards_ != nullptr && guards_->keeps_impulses(); }
  bool linearize_exactly(Collocation& use, double h, const double* end);
  bool postpone();
  bool steps_are_rows() const;
  double steps_until(double t) const;
  bool catch_up(double t, const double* y);
  void find_state(double t, double* y) const;
  void set_direction(std::size_t k, const double* tangent);
  bool project_exactly(double t, const double* y);
  void differentiate_integrands(const Collocation& made, std::size_t k, std::size_t node);
  bool record_exactly(double t, const double* y, std::size_t outputs);
  double error_of_step(const Collocation& made, double h) const;
  bool project(double t, const double* y);
  bool project_by_differences(double t, const double* y);
  bool is_tangent(std::size_t k, double h, double t, const double* y);
  double apart(const std::vector<double>& one, const std::vector<double>& other) const;
  // tangents_at_start.cpp
  void warn_of_sides();
  void warn_of_unknown_condition(std::size_t k);
  std::vector<std::vector<double>> tangents_of_start() const;
  using Moves = Guards::Moves;
  /// The names of quantities that move something at the start, and of those of which that is not known.
  struct MovedBy {
    std::vector<std::string> by, perhaps_by;
  };
  MovedBy what_moves(const std::function<Moves(const Tangent&, std::size_t, double)>& moves,
                     const std::vector<std::vector<double>>& tangents) const;
  void warn_of_side(const MovedBy& moved, const std::string& where, const std::string& beyond);
  bool find_conditions(double t, const double* y, std::vector<double>& values, std::vector<double>& rates);
  enum class Sides { kAlike, kJump, kBend, kBendOfNeither, kUnknown };
  Sides compare_sides(std::size_t k, double limit, const Tangent& by, double h, const std::vector<double>& tangent);
  void warn_of_condition(std::size_t k, double limit, double rate, const std::vector<std::vector<double>>& tangents);
  void warn_of_stays(bool at_end);
  void warn_of_limits(const std::vector<std::vector<double>>& tangents);
  void warn_of_staying(const std::vector<std::vector<double>>& tangents);
  // tangents_at_changes.cpp
  bool has_modes() const;
  bool may_change_modes() const;
  bool part_ways(double a, double b, std::size_t k) const;
  bool part_ways(const std::vector<double>& a, const std::vector<double>& b) const;
  std::vector<std::size_t> parting(const std::vector<double>& a, const std::vector<double>& b) const;
  bool find_delay(std::size_t guard, std::size_t k, double t, const double* y, const double* slope, double& delay);
  bool find_delay(std::size_t guard, std::size_t k, double& delay);
  std::vector<std::size_t> find_all_delays(std::size_t guard, std::vector<double>& delay);
  void find_delays();
  void find_delays_together();
  bool find_slope_with(const std::vector<double>& levels, double t, const double* y, std::vector<double>& slope);
  std::vector<double> levels_before() const;
  /// A change of a tangent, and the sizes of its terms.
  struct InOrder {
    std::vector<double> by, sizes;
  };
  InOrder in_order(const std::vector<std::vector<double>>& slopes, const std::vector<double>& delays) const;
  bool are_apart(const InOrder& a, const InOrder& b, double allowed) const;
  /// Of two changes, for one quantity. kUnknown: the other order was not followed.
  enum class Order { kAlike, kUnknown, kMatters };
  std::string pass_switches();
  void find_moved_past(const std::vector<std::vector<double>>& levels, const std::vector<std::vector<double>>& slopes,
                       const std::vector<double>& first, std::vector<Order>& apart);
  void warn_of_order(const std::vector<Order>& apart, const std::vector<std::string>& changes, double t);
  std::vector<std::string> names_of_changes() const;
  // tangents_of_jumps.cpp
  /// Jumps whose instants move alike.
  struct JumpAtOnce {
    std::vector<std::size_t> guards;
    std::vector<double> delay;  ///< the derivatives of their instant
  };
  /// A point between jumps that come one after another.
  struct Between {
    std::vector<char> jumped;  ///< by Guards::jumping()
    Guards::Mode mode;
    std::vector<double> y, slope, integrands;
    std::vector<Guards::Place> places;
    std::vector<std::vector<double>> tangents, integrals;  ///< by quantity; of integrals the changes at this instant
  };
  std::string tell_jumps(const char* why) const;
  bool find_between(Between& at);
  bool is_same_state(const std::vector<double>& a, const std::vector<double>& b) const;
  bool is_same_slope(const std::vector<double>& a, const std::vector<double>& b) const;
  const char* jump_along(Guards::Jump& alone, const Between& from, std::size_t j, std::size_t k, const Between& to,
                         InOrder& way);
  const char* jump_in_every_order(std::vector<Between>& at);
  const char* jump_from(const Between& from, std::size_t j, Between& to);
  std::string pass_jumps();
  std::vector<std::size_t> moved_apart() const;
  // tangents_at_changes.cpp
  /// A change of the motion, as far as its order with the next one is looked at.
  struct LastChange {
    std::vector<std::string> names;  ///< what passes 0
    bool in_time = false;            ///< at a known time
    double t = 0;
    std::vector<double> delay;                  ///< the derivatives of its instant
    std::vector<double> levels;                 ///< of the branches, before it
    std::vector<std::vector<double>> tangents;  ///< before it; none where its order is not followed
    std::size_t crossing = 0;                   ///< the guard that passes 0, unless in_time
    bool follows_levels = false;                ///< whether it changes levels of branches alone
  };
  void warn_of_near_changes(double t, const double* y);
  Order order_of(const LastChange& last, const LastChange& now, std::size_t k, const double* y);
  void move_integrals(const std::vector<double>& before, const std::vector<double>& after,
                      const std::vector<double>& delay);
  bool move_back();
  void keep_impulses(std::size_t k, const std::vector<std::pair<int, double>>& rates);
  bool pass_change();
  bool jump_at_once();
  bool changes_at_start() const;
  std::string pass_change_at_start();
  void begin_integrals();
  bool find_integrands(double t, const double* y, std::vector<double>& values);
  double integrate_over(const Collocation& made, double h, bool good);
  bool differentiate_integrands_at(const Collocation& made, std::size_t k, std::size_t node);
  double share_of_integrals(std::size_t k) const;
  void record_rows();
  bool find_results(std::size_t k, double t, double epsilon, const double* y, double* values);
  bool find_output_rates(double t, const std::vector<double>& y, std::vector<double>& rates);
  using Results = std::function<bool(double epsilon, double* at, double* values)>;
  void settle_outputs(std::size_t k, double h, const double* y, std::size_t row, const Results& results);
  void record(std::size_t row);
  bool record_by_differences(std::size_t k, double t, const double* y, std::size_t row);

  Guards* const guards_;
  Branches* const branches_;
  Integrals* const integrals_;
  // A copy of the system that holds the same branches and modes as the run; the parameters of the copy are displaced.
  Dynamics own_;
  Motion of_own_;
  const std::size_t n_;
  std::vector<double> parameters_;  // parameter values of the run
  std::vector<Tangent>
      quantities_;  // IntegrateOptions::tangents; for the adjoint unit vectors of the state, then single parameters
  std::vector<std::vector<double>> tangent_;       // s of each quantity
  std::vector<std::vector<double>> of_integrals_;  // derivative of each integral by each quantity
  // Of each quantity: changes of these over the collocation step. The integrands at the end of the step, before changes; parameters with displaced integrals.
  std::vector<std::vector<double>> changes_of_integrals_;
  // The most that one of these derivatives changes over a collocation step since the last point to which tangents were carried.
  std::vector<std::vector<double>> most_of_integrals_;
  std::vector<double> integrands_before_, integrands_, with_integrals_;
  std::vector<double> delay_;  // derivative of the instant of the present change by each quantity
  // What changes at the end of the step: at known times, with the derivatives of the instants, then by the motion; whether some of these instants move apart.
  struct SwitchInTime {
    std::size_t guard = 0;
    double level = 0;
    std::vector<double> delay;
  };
  std::vector<SwitchInTime> switches_;
  std::optional<std::size_t> crossing_;
  std::vector<std::pair<std::string, std::vector<double>>>
      of_noted_;                   // events that are noted there, with these derivatives
  std::vector<JumpAtOnce> jumps_;  // those at the end of the step; more than one: their instants move apart
  Guards::Mode mode_before_;       // before them
  // Conditions that are 0 at a start at rest, and the names of quantities whose derivatives would be of one side, or of none, if the motion stayed there.
  struct Stay {
    std::size_t condition = 0;
    std::vector<std::string> of_one_side, of_neither;
  };
  std::vector<Stay> stays_;
  int told_ = 0;  // of warnings of the order of changes
  bool are_apart_ = false;
  std::vector<LastChange>
      last_;                    // those of the last instant, where another may follow so soon that their order is open
  std::vector<double> of_end_;  // where an event has ended the run, derivative of its time; else 0
  bool end_moves_ = false;      // whether one of them is not 0
  std::vector<double> size_, low_, high_;   // by component of y: the unit of its displacements; extremes so far
  std::vector<char> of_angle_;              // by coordinate: whether it is an angle
  Collocation collocation_, stiff_, fine_;  // fine_: of high order, where derivatives are exact
  // The nodes of the present collocation step, if A is never formed and only products A x are computed; else empty.
  struct Node {
    double t = 0;
    std::vector<double> y;
    double reach = 1;
  };
  std::vector<Node> nodes_;
  std::vector<Node> at_nodes_;                     // for integrals: the nodes of the present collocation step
  double reach_ = 1;                               // find_reach() at the present node
  std::unique_ptr<ExactDerivatives> exact_;        // null: there are none
  std::vector<Collocation::Entry> exact_entries_;  // entries of A
  std::vector<std::vector<Collocation::Entry>>
      moving_entries_;  // of each quantity: entries of b in columns of its parameters and of inputs that depend on them
  std::vector<ExactDerivatives::Parameters> moved_;  // of each quantity: its parameters among those of exact_
  std::vector<double> direction_;                    // of one quantity at a time, for exact_
  ExactDerivatives::Parameters of_direction_;        // the parameters that direction_ moves
  bool by_exact_ = false;                            // whether the present collocation step has exact derivatives
  double known_t_ = std::numeric_limits<double>::quiet_NaN();  // the point of the lane known_lane_ of exact_
  std::size_t known_lane_ = 0;
  std::vector<double> known_y_, results_;
  DerivativeAlong difference_;
  LeastNorm least_norm_;
  std::vector<double> point_, displaced_, row_, slope_, result_, slope_before_, y_before_;
  double recorded_at_ = 0;                                        // the time of the row that is recorded
  double at_ = 0;                                                 // the time to which tangents are carried
  double began_ = 0;                                              // the time of the start
  double changed_at_ = std::numeric_limits<double>::quiet_NaN();  // the time of the last change
  // Steps of the run that tangents have not passed yet: one step of collocation will pass them with a later one.
  struct Postponed {
    double t = 0, length = 0;
    std::vector<double> dense;  // OneStepMethod::keep_dense()
  };
  std::vector<Postponed> postponed_;  // the first of_postponed_ are in use
  std::size_t of_postponed_ = 0;
  double last_error_ = 0,
         last_steps_ = 0;  // of the last step of collocation; last_steps_: its length in steps of the run
  const RunFor purpose_;
  const double tolerance_;    // of a collocation step, relative
  double length_ = 0;         // length proposed for the next collocation step, s; 0: the whole step of the run
  std::size_t recorded_ = 0;  // number of rows that have derivatives
  std::size_t events_ = 0;    // number of events that were looked at for their shift
  bool at_change_ = true;     // whether something may change at the end of the step, or at the start of the run
  std::vector<int>
      resting_;  // comes_to_rest(): frictions in a plane that keep their direction until the end of the step
  bool projected_ = false, lost_ = false;
  std::vector<char>
      gone_;  // of each quantity: whether its derivatives are unknown from now on, while others go on; its tangent is 0, and moves nothing
  std::unique_ptr<Adjoint>
      adjoint_;  // null without IntegrateOptions::gradient_of; then tangent_ are the columns of the present change
  const AdjointRest* const rest_;
  bool changes_ = false;  // whether tangent_ differ from the units
};

template <class At>
bool Tangents::differentiate(const Tangent& by, double h, const double* tangent, const double* y, std::size_t count,
                             const At& at) {
  result_.assign(count, 0.0);
  if (h == 0) return true;
  const bool found = difference_.find(
      h,
      [&](double epsilon, std::vector<double>& values) {
        values.resize(count);
        displaced_.assign(y, y + of_own_.size());
        for (std::size_t i = 0; i < n_; ++i) displaced_[i] += epsilon * tangent[i];
        displace(by, epsilon);
        return at(epsilon, displaced_.data(), values.data());
      },
      result_);
  displace(by, 0);
  return found;
}

}  // namespace dalembert::integration
