// SPDX-License-Identifier: Apache-2.0
// Private to integrate: a run in the making. The mathematics and its sources stand in integrate.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/dynamics/friction.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/integrate/branches.h"
#include "dalembert/integrate/error_growth.h"
#include "dalembert/integrate/independence.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/integrate/motion.h"
#include "dalembert/integrate/names.h"
#include "dalembert/integrate/peak_search.h"
#include "dalembert/integrate/quality.h"
#include "dalembert/integrate/radau.h"
#include "dalembert/integrate/recorder.h"
#include "dalembert/integrate/reduced_method.h"
#include "dalembert/integrate/runge_kutta.h"
#include "dalembert/integrate/schedule.h"
#include "dalembert/integrate/shifted_solver.h"
#include "dalembert/integrate/step_control.h"
#include "dalembert/integrate/step_ends.h"

namespace dalembert::integration {

/// Empty where the state has the sizes of the system.
std::string why_no_start(const Dynamics& dynamics, const State& start);

/// By the structure of the equations where the kernel says their derivatives, else by differences.
std::unique_ptr<ShiftedSolver> make_newton(const Dynamics& dynamics, Motion& motion);

// Losses of the KKT solve (KktReport) above this are near a singular position.
constexpr double kNearLoss = 10;

// One call of integrate(). Its parts stand in the files that the sections below name.
class Run {
 public:
  /// `dynamics` and `options` must outlive this. `inputs_may_be_held`: hold_input() may be called.
  Run(const Dynamics& dynamics, const State& start, const IntegrateOptions& options, bool inputs_may_be_held = false);

  /// What comes before the first step. False where the run cannot begin; the reason is in path().
  bool begin();
  bool loop();
  bool step();
  /// step() ends here at the latest.
  void stop_at(double t) { stop_ = t; }
  void stop();
  bool at_end() const { return !(direction_ * (options_.until - t_) > 0); }
  /// The input has this value from here on. False, with path() failed, where the equations cannot be evaluated with it.
  bool hold_input(int input, double value);
  /// The rows and the verdict; nothing may follow.
  Trajectory finish();

  double time() const { return t_; }
  const std::vector<double>& y() const { return y_; }
  const double* qdd() { return method_->first_slope() + nq_; }
  const std::vector<double>& lambda() const { return lambda_; }
  std::span<const double> inputs() const { return motion_.workspace.u; }
  const Trajectory& path() const { return path_; }

 private:
  bool fail(std::string reason) {
    path_.status = RunStatus::kFailed;
    path_.reason = std::move(reason);
    return false;
  }

  // start.cpp: what can be refused at once, the first slope, the first step.
  bool start();
  double first_step();

  // steps.cpp: one step after the other, each back on the manifold, each as long as its error allows.
  bool may_go_on();
  void look_for_code();
  bool try_step(double t1, double step, double& error);
  bool evaluate_on_manifold(double t, const double* y, double* slope);
  bool evaluate_end(double t1);
  double work_step_error(double step, double of_motion);
  bool accept_step(double t1, double step, double error);
  bool project_state(double t, double* y);
  double displacement_error() const;
  void keep_rows();
  void use_rows(double t, const double* y);
  std::string why_step_failed(double h) const;
  std::string why_velocities_are_lost() const;

  // method_choice.cpp: which method makes the next step.
  void choose_method();
  void use(OneStepMethod& method);
  bool is_implicit() const { return implicit_ != nullptr && method_ == &implicit_->method; }
  void watch_stiffness(double h);
  bool leaves_stiffness(double h);

  // leap.cpp: over a singular position in one step.
  bool should_leap(bool made, double step, double error);
  bool leap(double& t1, double& step, double& error, bool step_made);
  void set_manifold_tolerance();
  bool make_leap(double t1, double step, double& error);
  void forget_place();
  bool has_grown_since(double loss, double lambda) const;
  bool looks_near() const;
  void foresee(double s);
  double foreseen_independence(double s);
  bool find_place(double ahead);
  double noise_of_velocities(double seconds, double speed) const;
  double noise_here(double speed) const;
  bool is_noisy(double step);
  void note_step_end();
  bool replace_noise(double t, double h, double correction);

  // passages.cpp: singular positions that steps go over.
  void begin_passages();
  void note_passage_start();
  bool may_have_passed(double t1);
  double hermite_independence(double t1, double theta);
  bool may_vanish(double t1, double a, double at_a, double b, double at_b, int depth);
  void look_for_passages(double t1, double error);
  void note_passage(double place, int rank, double error);
  std::string describe_singular_positions() const;

  // dead_end.cpp: why no step leads on.
  std::string describe_dead_end();
  std::string describe_singular_drive();
  std::string describe_drives(const std::vector<int>& rows, const std::string& depend) const;
  // guards.cpp: steps end where a guard leaves its level, and go on with the branches beyond.
  enum class Guarded { kClear, kCrossed, kAgain, kFailed, kStuck };
  struct Crossing {
    std::size_t guard = 0;
    bool upwards = false;
  };
  void look_at_branches();
  bool choose_branches();
  bool take_switches(double t);
  void hold_branches();
  void watch(double t, const double* y, const double* qdd, bool with_rates = true);
  bool settle_branches(double t, double* y, double* slope);
  bool comes_near(std::size_t k, double step);
  void look_between(double step);
  bool resolves_guards(double step);
  double room_at(double theta, double step, const std::vector<std::size_t>& guards, std::size_t* first);
  double first_crossing(double step, const std::vector<std::size_t>& guards, std::size_t& which);
  Guarded end_at_guard(double& t1, double& step, double& error);
  Guarded change_here(std::size_t k, bool upwards);
  bool pass_guards(double t1, bool& changed);

  // sliding.cpp: motion along the limit of a guard that both sides lead to.
  bool stay_if_pushed_back(std::size_t k, bool upwards, double t, double* y, double* slope);
  double share_error() const;
  bool leaves_slide_within(double step, double& a, double& b);
  bool end_of_slide(double& t1, double& step, double& error);

  // stick_slip.cpp: frictions that stick and slide.
  void begin_frictions();
  FrictionSolver& friction() { return *motion_.workspace.friction; }
  void watch_frictions(double t, const double* y, bool with_rates);
  void find_friction_guards();
  void set_friction_guards();
  FrictionExit exit_through(std::size_t k);
  bool decide_modes(double t, double* y, const FrictionExit& exit);
  bool frictions_have_left() const;
  Guarded end_where_ambiguous(double& t1, double& step, double& error);

  // record.cpp: output rows and their checks, the end.
  bool check(double t, const double* y);
  bool record(double t, const double* y, const double* qdd, const double* lambda, int rank, double loss);
  bool record_between(double t1, double h);
  const std::vector<double>& values_with_peaks(double t, const double* y, const double* qdd, const double* lambda);
  std::vector<double> values_about_middle(double h);
  void look_for_peaks(double t1, double h, bool dense);

  Trajectory path_;
  Schedule schedule_;
  std::unique_ptr<Branches> branches_;  // null where the system has no guards
  const Dynamics& dynamics_;            // with the branches held
  const IntegrateOptions& options_;
  const int nq_, nv_, ny_, m_;  // ny: of (q, v)
  const bool with_power_;
  Motion motion_;
  const int size_;
  Independence independence_;
  RungeKutta explicit_;
  // Made when first needed.
  struct Implicit {
    Implicit(const Dynamics& dynamics, Motion& motion, int size, const IntegrateOptions& options)
        : newton(make_newton(dynamics, motion)),
          method(*newton, size, of(options, options.rtol), of(options, options.atol), motion.room()) {}
    // Fixed steps have no tolerance but round-off.
    static double of(const IntegrateOptions& options, double tolerance) {
      return options.adaptive ? tolerance : std::min(tolerance, 1e-14);
    }
    std::unique_ptr<ShiftedSolver> newton;
    Radau method;
  };
  std::unique_ptr<Implicit> implicit_;
  std::unique_ptr<ReducedMethod> reduced_;
  OneStepMethod* method_;  // the one at work
  StepControl control_;
  double t_;
  double next_length_ = 0;  // of the next step
  double stop_;
  std::int64_t tries_ = 0;
  const double started_at_;
  const double direction_;
  StepEnds ends_;
  std::vector<double> y_, y1_, before_, out_, slope_, lambda_, refined_, out_qdd_;

  // What looks on: how errors grow, what the verdict is made of, the rows.
  ErrorGrowth growth_;
  Quality quality_;
  Recorder recorder_;
  std::unique_ptr<PeakSearch> peaks_;  // null where they are not asked for
  std::vector<double> peak_values_;

  std::vector<int> independent_;  // rows of W, at the last point on the manifold
  bool deficient_ = false;        // whether they are fewer than m
  int since_progress_ = 0;
  Stiffness stiffness_;
  std::int64_t next_look_ = 0, told_ = 0;  // evaluations: when to look_for_code() again, those that the kernel knows of
  KktStatus failure_ = KktStatus::kOk;     // of a stage, in the last rejected try
  bool projection_failed_ = false;
  bool position_corrected_ = false, velocity_corrected_ = false;  // by more than round-off, in the last projection
  double last_error_ = 0;
  double last_work_error_ = 0;                              // J, of the last try
  std::int64_t steps_for_work_ = 0, steps_for_motion_ = 0;  // whose error decided
  bool measured_ = false;  // whether the workspace holds the residuals of the point that check() comes to next

  // Singular positions, see leap.cpp.
  struct Leaps {
    double loss = 1, lambda = 0;              // of the KKT solve and max |λ| at t_, y_
    double rejected = 0, rejected_step = 0;   // error and length of the last try, if it was rejected
    bool near = false;                        // the motion comes to a singular position,
    double place = 0, independence = 1;       // at this time; at t_ the rows are so independent,
    double rises = 0;                         // 1/s, which changes so fast ahead, where it is noisy
    std::vector<double> gaps;                 // between the stages, relative to the step
    int approaches = 0;                       // to the place that is near
    double next = 0;                          // length of the next step; 0: as the error allows
    double rejections = 0;                    // lately
    double longest = 0;                       // step since a place was last looked for in vain,
    double loss_there = 1, lambda_there = 0;  // and these when it was made
    double quiet = 0;                         // longest step since round-off was last looked for
    int idle = 0;                             // times not to look for a place
    bool leaping = false;                     // the step that is being accepted is a leap

  } leaps_;
  // Singular positions passed, see passages.cpp.
  struct Passages {
    int passed = 0, lost = 0;                   // how many; the rank lost
    std::vector<double> times;                  // of the first ones
    double last = 0, error = 0;                 // when; of these steps
    double last_step = 0;                       // how long that step was
    std::vector<int> rows;                      // that depend there
    double loss = 1, lambda = 0;                // at the end of the last step: of the KKT solve, max |λ|
    std::vector<double> multipliers, earlier;   // and λ; at the end of the step before
    double moved_squared = 0, way_squared = 0;  // of W in the last step, at least and at most
    double row_way = 0;                         // of a row that may have vanished twice
    bool grown = false;                         // multipliers have grown, or it shows more:
    bool marked = false;                        // it shows more than that
    double length = 0;                          // of the last step,
    bool turns = false;                         // in which rows may have turned about whole
    std::vector<double> known;                  // independence between the parts,
    std::vector<std::size_t> low;               // and where it is low
  } passages_;
  double asked_ = 0, fastest_ = 0;  // by what moves; of the motion where the rows are far from dependent
  // Guards.
  std::vector<double> guard_before_, rate_before_;                   // where the step begins
  std::vector<double> guard_between_, rate_between_, room_between_;  // and in it
  std::vector<std::size_t> near_, out_guards_, slid_;
  std::vector<double> looks_, rooms_;  // points of the step, in parts of it
  std::optional<Crossing> crossing_;   // at the end of the step
  std::size_t next_switch_ = 0, changes_ = 0;
  double changed_at_ = std::numeric_limits<double>::quiet_NaN();
  double same_time_ = 0;
  bool energy_jumped_ = false;
  // Frictions.
  struct Frictions {
    bool started = false;  // their states are those of the run
    std::vector<char> at_rest;
    std::vector<double> y, qdd, multipliers, guards, sizes, ahead;
    double look_ahead = 0;     // s, of the differences that guards' rates are
    double largest_force = 0;  // at the point of the manifold that was evaluated last
    bool ambiguous = false;    // the step that is being accepted ends where more than one state is consistent
    std::string problem = {};  // why the motion ends
  } frictions_;
};

}  // namespace dalembert::integration
