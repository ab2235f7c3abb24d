// SPDX-License-Identifier: Apache-2.0
// The record of a run: every series by name, and a verdict on how far the run can be trusted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

/// Lengths of accepted steps in s, in the order of travel. In a long run the steps are grouped into stretches of
/// equally many steps, and only the shortest and the longest step of each stretch are kept.
class StepHistory {
 public:
  struct Stretch {
    double from = 0, to = 0;           ///< times of the start and the end of the stretch, s
    double shortest = 0, longest = 0;  ///< lengths of the shortest and the longest step in it, s; > 0
  };
  static constexpr std::size_t kMost = 256;  ///< largest number of stretches

  /// Adds a step from one time to another.
  void add(double from, double to) {
    const double length = to > from ? to - from : from - to;
    if (open_ == 0) {
      if (stretches_.empty()) stretches_.reserve(kMost);  // only once, so that later steps do not allocate
      if (stretches_.size() == kMost) join_pairs();
      stretches_.push_back({from, to, length, length});
    } else {
      Stretch& last = stretches_.back();
      last = {last.from, to, std::min(last.shortest, length), std::max(last.longest, length)};
    }
    if (++open_ == steps_) open_ = 0;
  }
  /// Forgets all steps, but not the memory.
  void clear() {
    stretches_.clear();
    steps_ = 1;
    open_ = 0;
  }
  const std::vector<Stretch>& stretches() const { return stretches_; }
  /// Number of steps in a stretch; the last stretch may have fewer.
  std::int64_t steps_of_stretch() const { return steps_; }

 private:
  void join_pairs() {
    for (std::size_t k = 0; k < kMost / 2; ++k) {
      const Stretch &a = stretches_[2 * k], &b = stretches_[2 * k + 1];
      stretches_[k] = {a.from, b.to, std::min(a.shortest, b.shortest), std::max(a.longest, b.longest)};
    }
    stretches_.resize(kMost / 2);
    steps_ *= 2;
  }

  std::vector<Stretch> stretches_;
  std::int64_t steps_ = 1, open_ = 0;
};

enum class RunStatus {
  kOk,       ///< reached the end
  kStopped,  ///< the progress callback stopped the run
  kFailed,   ///< see `reason`; the rows computed before are kept
};
std::string_view to_text(RunStatus status);

struct ConservedDrift {
  std::string name;
  double drift = 0;  ///< of the quantity c: max |c − c₀| / max |c|, or over a larger size of c from the masses and T
};

/// The error of the final state that a verdict names: |true − computed| of each component is below it.
struct FinalError {
  bool estimated = false;                ///< whether the error was estimated
  std::string method;                    ///< "tangent growth": an estimate; "cross-check": difference to a second run
  double largest = 0;                    ///< largest error of a coordinate, in its SI unit
  double relative = 0;                   ///< max over q and v of error / Verdict::motion; above 0.1 no digit is left
  std::vector<std::string> coordinates;  ///< nq names
  std::vector<std::string> velocities;   ///< nv names: those of the coordinates where v = q̇
  std::vector<double> q, v;              ///< errors of the nq coordinates and nv velocities
  std::size_t worst = 0;                 ///< the coordinate with the largest relative error
  std::string worst_name, worst_unit;
  std::optional<double> lost_at;                ///< s: time since which the error has been of the size of the motion
  std::optional<double> along, relative_along;  ///< largest error of q in any row, with cross_check
};

/// An integral over the run (integral(e) in outputs and events) at its end.
struct IntegralAtEnd {
  std::string name;       ///< "integral(x^2)", cut if it is long
  double value = 0;       ///< SI; not a number where it is unknown
  double size = 0;        ///< the integral of the size of the integrand
  double quadrature = 0;  ///< estimated error of the quadrature alone
  /// |true − computed| is below it: the difference to a second run. Not a number without one.
  double error = std::numeric_limits<double>::quiet_NaN();
};

/// The result of the checks of every accepted step and every output row. `holds` is true when the run is ok and
///   each |residual| ≤ 10·(atol + rtol·Σ|terms| + 100 units of round-off), terms as in dynamics/residual.h (projection
///   leaves far less);
///   energy drift (conservative systems) or power balance error (others), and each conserved quantity's drift,
///   ≤ drift_limit (see quality.cpp), plus the uncertainty from round-off and from the quadrature of the work;
///   the error of the final state is less than a tenth of the motion.
struct Verdict {
  bool holds = false;
  /// Why the verdict does not hold; empty if it holds, or if the run did not reach its end.
  std::vector<std::string> reasons;
  FinalError error;
  std::vector<IntegralAtEnd> integrals;
  std::vector<double> motion;        ///< for (q, v): max q_i − min q_i, then max |v_i|; 0: at rest
  double max_position_residual = 0;  ///< max |h_j|, units of the rows
  double max_velocity_residual = 0;  ///< max |(Wq̇ + a)_j|
  /// Energy that moves: max(max T, max V − min V), J; the largest energy where none moves beyond round-off. The next four are relative to it.
  double energy_scale = 0;
  double energy_drift = 0;  ///< max |E − E₀|: an error only where the system is conservative
  /// max |E − E₀ − ∫(F·q̇ − λᵀa − ∂L/∂t) dt|: an error in every system. Equals energy_drift in a conservative one.
  double power_balance_error = 0;
  double energy_roundoff = 0;  ///< uncertainty from the round-off of T and V
  double work_error = 0;       ///< uncertainty from the quadrature of the work
  bool conservative = false;
  double drift_limit = 0;
  double residual_excess = 0;             ///< max |residual| / (atol + rtol·Σ|terms| + round-off)
  std::vector<ConservedDrift> conserved;  ///< the energy comes first if the system is conservative
  int min_rank = 0;                       ///< smallest rank of W along the run
  int rows = 0;                           ///< number of constraint rows; 0 if no state could be evaluated
  std::int64_t switches = 0;              ///< number of changes of a branch, each at the end of a step
  bool has_contacts = false;              ///< whether the model has one-sided constraints; the next three are of these
  std::int64_t impacts = 0;               ///< number of impacts
  double impact_loss = 0;                 ///< kinetic energy that impacts have taken, J
  double max_penetration = 0;             ///< largest −h of an open contact at the end of a step, in the unit of h
  std::vector<std::string> warnings;
};
/// The verdict as a few lines of text.
std::string to_text(const Verdict& verdict);

enum class RunEventKind {
  kStick,     ///< a friction sticks
  kSlip,      ///< a friction slides, or turns
  kSingular,  ///< a position in which W loses rank was passed
  kImpact,    ///< a contact closes with a speed
  kContact,   ///< a contact becomes closed
  kRelease,   ///< a closed contact opens
  kRest,      ///< a sequence of ever shorter bounces of a contact ends
  kEvent,     ///< an event of the model
  kStop,      ///< an event of the model that ends the run
};
/// "stick", "slip", "singular", "impact", "contact", "release", "rest", "event", "stop".
std::string_view to_text(RunEventKind kind);

/// What an impact does to a contact. Where several contacts are struck at once, each has an event of its own, and the impulses of other
/// constraints are in the first.
struct RunImpact {
  /// Impulse of each row, by the row's index, in the unit of λ times s. The impulses of frictions follow those of all rows.
  std::vector<std::pair<int, double>> impulses;
  double rate_before = 0, rate_after = 0;  ///< of the gap: ḣ⁻, ḣ⁺
};

/// An event at a time, such as "corner sticks".
struct RunEvent {
  RunEventKind kind = RunEventKind::kEvent;
  std::string name;  ///< "corner sticks"; of a contact the name of its row, of an event of the model its name
  double t = 0;
  std::optional<RunImpact> impact = {};
  std::vector<double> sensitivity =
      {};  ///< derivative of t by each of Trajectory::sensitivities; empty if there are none or it is unknown
};
/// "ground impact" for what happens to a contact; for others, the name alone.
std::string title(const RunEvent& event);

/// Smallest and largest value of a series, with their times in s.
struct Extremes {
  double min = 0, t_min = 0, max = 0, t_max = 0;
  bool any = false;  ///< whether a value of the series was finite
  /// Of the multiplier of a bilateral row that looks like a contact or a rope: about when it changes its sign first. NaN: it does not.
  double t_turn = std::numeric_limits<double>::quiet_NaN();
};

/// Derivatives of a run by one quantity (IntegrateOptions::tangents), for each output row as in Trajectory, or for the last one alone
/// (IntegrateOptions::sensitivities_at_end). They hold t fixed; of the two rows at an
/// instant where the state jumps, one has the derivatives before the jump, the other those after it. Once derivatives become unknown they are NaN, and
/// a warning in the verdict says why.
struct Sensitivity {
  std::string name, unit;
  std::vector<std::vector<double>> q, v, a, lambda, friction, outputs;
  /// Whether there are derivatives for each of so many output rows.
  bool has_rows(std::size_t rows) const { return !q.empty() && q.front().size() == rows; }
  /// The unit of the derivative of a number in this unit; empty where one of the two is unknown.
  std::string unit_of(const std::string& number) const;
  /// Relative error of the derivatives in the last row, estimated by a second run; NaN without one. It is the larger of two numbers, for q and for v:
  /// the largest error divided by the largest derivative, or by 0.001·(size of the motion)/(size of the quantity) if that is larger.
  double error = std::numeric_limits<double>::quiet_NaN();
};

/// An instant at which the equations or the state of a run change, with derivatives as in RunEvent::sensitivity.
struct RunChange {
  double t = 0;
  std::vector<double> sensitivity;
};

/// The gradient of the last value of an output (IntegrateOptions::gradient_of). NaN where it is unknown; a warning in the verdict says why.
struct Gradient {
  std::string output;
  struct By {
    std::string name, unit;  ///< of the quantity
    double value = 0;
  };
  std::vector<By> by;
  /// Error of the gradient, estimated by a second run: the largest, relative to the largest derivative, each multiplied by the size of its quantity; NaN
  /// without one.
  double error = std::numeric_limits<double>::quiet_NaN();
};

struct Trajectory {
  RunStatus status = RunStatus::kOk;
  std::string reason;  ///< empty when ok
  Names names;
  std::vector<int> holonomic;  ///< indices of the rows with a position level

  // One value for each output row.
  std::vector<double> time;
  std::vector<std::vector<double>> q, v, a;   ///< [coordinate or velocity][output row]; a: v̇
  std::vector<std::vector<double>> lambda;    ///< [constraint row][output row]
  std::vector<std::vector<double>> friction;  ///< [friction][output row]: its force
  /// [constraint row][output row]: h_j if the row has a position level, else (Wq̇ + a)_j.
  std::vector<std::vector<double>> residual;
  std::vector<std::vector<double>> u;             ///< [input][output row]
  std::vector<std::vector<double>> outputs;       ///< [output][output row]
  std::vector<std::vector<double>> conserved;     ///< [conserved quantity][output row]
  std::vector<double> kinetic, potential, total;  ///< J
  /// J, ∫(F·q̇ − λᵀa − ∂L/∂t) dt, not computed in conservative systems, and the energy that events of the model have given.
  std::vector<double> work;
  std::vector<int> rank;  ///< rank of W
  /// [contact][output row]: the gap h of a one-sided row; 1 while it is closed, else 0.
  std::vector<std::vector<double>> gap, contact;
  std::vector<int> contact_rows;  ///< the row of each contact
  std::vector<RunEvent> events;   ///< events of the run, in the order of travel
  std::vector<Sensitivity> sensitivities;
  std::vector<RunChange> changes;  ///< in the order of travel; only with sensitivities
  /// [output][output row]: rates of the outputs along the motion, only with IntegrateOptions::output_rates. As for sensitivities, the first of two rows
  /// at an instant of a jump is before it.
  std::vector<std::vector<double>> output_rates;
  std::vector<Gradient> gradients;

  /// Extremes of each row of `lambda`, each friction and each output, in this order, also between the output rows.
  /// Empty without IntegrateOptions::find_peaks.
  std::vector<Extremes> peaks;

  std::string computed_by;    ///< Kernel::computed_by() at the end of the run
  std::string method;         ///< the requested method, such as "dop853"; empty: nothing was integrated
  double rtol = 0, atol = 0;  ///< those of IntegrateOptions; 0 for fixed steps
  StepHistory step_lengths;   ///< lengths of the accepted steps
  std::int64_t steps = 0;     ///< number of accepted steps
  std::int64_t rejected = 0;
  std::int64_t evaluations = 0;  ///< number of evaluations of (q̈, λ)
  double wall_seconds = 0;
  Verdict verdict;

  /// Number of rows after the first one that the run has forgotten (IntegrateOptions::take_rows). Row r > 0 is row
  /// r + forgotten of the run.
  std::size_t forgotten = 0;

  std::size_t size() const { return time.size(); }
  std::size_t rows_of_run() const { return size() + forgotten; }
  /// Whether an event of the model ended the run before the time that was asked for.
  bool ended_by_event() const { return !events.empty() && events.back().kind == RunEventKind::kStop; }
  /// Forgets all rows but the first and the last.
  void forget_rows();
  void drop_last_row();
  State state(std::size_t row) const;
  State final_state() const { return state(size() - 1); }

  struct Column {
    std::string name;  ///< "time", "q/theta", "v/theta", "a/theta", "lambda/pin[1]", "u/tau", "energy/total", …;
                       ///< "v/u", "vdot/u" of velocities with names of their own; "sens/k/q/theta" of derivatives by k
    std::string unit;  ///< SI; empty where the model gives none
    std::span<const double> values;
  };
  /// All series in file order, `time` first. The spans live as long as the trajectory.
  std::vector<Column> columns() const;
  /// A series by its full or short name (see find_series); an empty span if there is none.
  std::span<const double> series(std::string_view name) const;
};

/// Index of the series meant by `name`: a full name ("q/theta"; "lambda.pin[1]" with a dot as well), or a short one
/// where it is unique: "theta" is q/theta (also beside F/theta, which holds it), "theta'" and "dot(theta)" v/theta, "theta''" a/theta; "pin[1]" is
/// lambda/pin[1], "tau" u/tau, "total" energy/total, "reach" output/reach. Nothing when unknown or ambiguous.
std::optional<std::size_t> find_series(std::span<const std::string> names, std::string_view name);

}  // namespace dalembert
