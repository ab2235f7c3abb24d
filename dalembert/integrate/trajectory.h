// SPDX-License-Identifier: Apache-2.0
// A run as a record that judges itself: every series by name, and a verdict on how far it can be trusted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/dynamics/dynamics.h"
#include "dalembert/integrate/step_history.h"

namespace dalembert {

enum class RunStatus {
  kOk,       ///< reached the end
  kStopped,  ///< the progress callback asked for it
  kFailed,   ///< see `reason`; what was computed before is kept
};
std::string_view to_text(RunStatus status);

struct ConservedDrift {
  std::string name;
  double drift = 0;  ///< max |c − c₀| / max |c|, or a size of c by the masses and T, where that is larger
};

/// The error of the final state that a verdict vouches for: |true − computed| of each component is below it.
struct FinalError {
  bool made = false;                     ///< else nothing is said
  std::string method;                    ///< "tangent growth": an estimate; "cross-check": difference to a second run
  double largest = 0;                    ///< max of q, in SI units
  double relative = 0;                   ///< max over q and v of error / Verdict::motion; above 0.1 no digit is left
  std::vector<std::string> coordinates;  ///< nq names
  std::vector<std::string> velocities;   ///< nv names: those of the coordinates where v = q̇
  std::vector<double> q, v;              ///< nq, nv
  std::size_t worst = 0;                 ///< the coordinate with the largest relative error
  std::string worst_name, worst_unit;
  std::optional<double> lost_at;                ///< s: since when the error has been of the size of the motion
  std::optional<double> along, relative_along;  ///< where every row was compared: the largest of q in any of them
};

/// What every accepted step and every output row was checked for. `holds` is true when the run is ok and
///   each |residual| ≤ 10·(atol + rtol·Σ|terms| + 100 units of round-off), terms as in dynamics/residual.h (projection
///   leaves far less);
///   energy drift (conservative systems) or power balance error (others), and each conserved quantity's drift,
///   ≤ drift_limit (see quality.cpp), with what round-off and the quadrature of the work leave open;
///   the error of the final state is less than a tenth of the motion.
struct Verdict {
  bool holds = false;
  std::vector<std::string> reasons;  ///< why it does not; empty where it holds or the run did not reach its end
  FinalError error;
  std::vector<double> motion;        ///< of (q, v): how far each q_i goes, max |v_i|; 0: at rest
  double max_position_residual = 0;  ///< max |h_j|, units of the rows
  double max_velocity_residual = 0;  ///< max |(Wq̇ + a)_j|
  double energy_scale = 0;           ///< what moves: max(max T, max V − min V), J; the next four are relative to it
  double energy_drift = 0;           ///< max |E − E₀|: an error only where the system is conservative
  /// max |E − E₀ − ∫(F·q̇ − λᵀa − ∂L/∂t) dt|: an error in every system. Equals energy_drift in a conservative one.
  double power_balance_error = 0;
  double energy_roundoff = 0;  ///< what round-off of T and V leaves open
  double work_error = 0;       ///< what the quadrature of the work leaves open
  bool conservative = false;
  double drift_limit = 0;
  double residual_excess = 0;             ///< max |residual| / (atol + rtol·Σ|terms| + round-off)
  std::vector<ConservedDrift> conserved;  ///< the energy first, where the system is conservative
  int min_rank = 0;                       ///< of W along the way
  int rows = 0;                           ///< m; 0 where no state could be looked at
  std::int64_t switches = 0;              ///< conditions and kinks that changed their branch at the end of a step
  std::vector<std::string> warnings;
};
/// A few lines for people.
std::string to_text(const Verdict& verdict);

enum class RunEventKind {
  kStick,     ///< a friction sticks
  kSlip,      ///< a friction slides, or turns
  kSingular,  ///< a position in which W loses rank was passed
  kEvent,     ///< of the model
  kStop,      ///< of the model; the run ends there
};
/// "stick", "slip", "singular", "event", "stop".
std::string_view to_text(RunEventKind kind);

/// Something that happened at a time.
struct RunEvent {
  RunEventKind kind = RunEventKind::kEvent;
  std::string name;  ///< "corner sticks"; of an event of the model its name
  double t = 0;
};

/// Where one series is smallest and largest.
struct Extremes {
  double min = 0, t_min = 0, max = 0, t_max = 0;
  bool any = false;  ///< it had a value that is a number
};

struct Trajectory {
  RunStatus status = RunStatus::kOk;
  std::string reason;  ///< empty when ok
  Names names;
  std::vector<int> holonomic;  ///< rows with a position level

  // One value for each output row.
  std::vector<double> time;
  std::vector<std::vector<double>> q, v, a;   ///< [coordinate or velocity][output row]; a: v̇
  std::vector<std::vector<double>> lambda;    ///< [constraint row][output row]
  std::vector<std::vector<double>> friction;  ///< [friction][output row]: its force
  std::vector<std::vector<double>>
      residual;                        ///< [constraint row]: h_j where the row has a position level, else (Wq̇ + a)_j
  std::vector<std::vector<double>> u;  ///< [input]
  std::vector<std::vector<double>> outputs;       ///< [output]
  std::vector<std::vector<double>> conserved;     ///< [conserved quantity]
  std::vector<double> kinetic, potential, total;  ///< J
  std::vector<double> work;  ///< J, ∫(F·q̇ − λᵀa − ∂L/∂t) dt; zero in conservative systems
  std::vector<int> rank;     ///< of W

  std::vector<RunEvent> events;  ///< in the order of travel

  /// Of each row of `lambda`, each friction and each output, in this order, between the output rows too; empty without
  /// IntegrateOptions::find_peaks.
  std::vector<Extremes> peaks;

  std::string computed_by;    ///< Kernel::computed_by() when it came to its end
  std::string method;         ///< that was asked for: "dop853"; empty: nothing was integrated
  double rtol = 0, atol = 0;  ///< as IntegrateOptions has them; 0: fixed steps
  StepHistory step_lengths;   ///< of accepted steps
  std::int64_t steps = 0;     ///< accepted
  std::int64_t rejected = 0;
  std::int64_t evaluations = 0;  ///< of (q̈, λ)
  double wall_seconds = 0;
  Verdict verdict;

  /// Rows that were between the first and the second one and were given away (IntegrateOptions::take_rows). Row r > 0
  /// is row r + forgotten of the run.
  std::size_t forgotten = 0;

  std::size_t size() const { return time.size(); }
  std::size_t rows_of_run() const { return size() + forgotten; }
  /// Whether an event of the model ended it, before the time that was asked for.
  bool ended_by_event() const { return !events.empty() && events.back().kind == RunEventKind::kStop; }
  /// All rows but the first and the last.
  void forget_rows();
  State state(std::size_t row) const;
  State final_state() const { return state(size() - 1); }

  struct Column {
    std::string name;  ///< "time", "q/theta", "v/theta", "a/theta", "lambda/pin[1]", "u/tau", "energy/total", …;
                       ///< "v/u", "vdot/u" of velocities with names of their own
    std::string unit;  ///< SI; empty where the model gives none
    std::span<const double> values;
  };
  /// All series in file order, `time` first. The spans live as long as the trajectory.
  std::vector<Column> columns() const;
  /// By full or short name (see find_series); empty span when there is none.
  std::span<const double> series(std::string_view name) const;
};

/// Index of the series meant by `name`: a full name ("q/theta"; "lambda.pin[1]" with a dot as well), or a short one
/// where it is unique: "theta" is q/theta, "theta'" and "dot(theta)" v/theta, "theta''" a/theta; "pin[1]" is
/// lambda/pin[1], "tau" u/tau, "total" energy/total, "reach" output/reach. Nothing when unknown or ambiguous.
std::optional<std::size_t> find_series(std::span<const std::string> names, std::string_view name);

}  // namespace dalembert
