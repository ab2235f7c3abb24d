// SPDX-License-Identifier: Apache-2.0
// Options of a run (integrate.h).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dalembert/integrate/trajectory.h"

namespace dalembert {

class RunDerivatives;

enum class Method {
  kDop853,  ///< Dormand–Prince 8(5,3): for accuracy, the default
  kDopri5,  ///< Dormand–Prince 5(4): for rough answers and rough right-hand sides
  kRadau,   ///< Radau IIA of order 5: implicit, for stiff systems
  kAuto,    ///< dop853, but radau while the motion is stiff
};
inline constexpr std::array kMethods{Method::kDop853, Method::kDopri5, Method::kRadau, Method::kAuto};

std::string_view to_text(Method method);
std::optional<Method> parse_method(std::string_view name);
/// Names that parse_method knows.
std::vector<std::string> method_names();

/// The equations that methods integrate. Motion along a condition's limit, and stiff parts where auto changes to radau, always use kIndex1.
enum class Formulation {
  kIndex1,   ///< (q, v): accelerations and multipliers from the KKT system
  kReduced,  ///< (q, w): velocities that the constraints leave free, without multipliers (theory §4)
};

/// The present state of a run. For a callback, the spans are valid during the call.
struct RunPoint {
  double t = 0;
  std::span<const double> q, v, qdd, lambda;  ///< nq, nv, nv, m
  std::int64_t steps = 0;                     ///< number of accepted steps so far
};

/// A quantity by which a run is differentiated: how the start and the parameters change with it.
struct Tangent {
  std::string name;                                     ///< "k", "theta", "theta'"; empty: warnings do not name it
  std::string unit = {};                                ///< in SI; empty if unknown
  std::vector<double> q = {}, v = {};                   ///< nq and nv numbers: derivatives of the start
  std::vector<std::pair<int, double>> parameters = {};  ///< index of a parameter, its derivative
  std::string unknown = {};  ///< why the run has no derivatives by it; empty: it may have them
};

struct IntegrateOptions {
  double until = 1;     ///< end time, s; if before start.t, the run goes backwards in time
  double rtol = 1e-9;   ///< allowed error in each step, relative to |q_i|, |q̇_i|; 1e-15 <= rtol < 1
  double atol = 1e-12;  ///< allowed absolute error in each step, in the coordinate's unit; > 0
  Method method = Method::kDop853;
  Formulation formulation = Formulation::kIndex1;
  /// For kReduced: a system of the same coordinates whose rows are the velocities w (compile_quasi_velocities()). Null:
  /// the best conditioned velocities are picked, and picked anew along the way.
  std::shared_ptr<const Dynamics> quasi_velocities = {};
  /// Largest number of tries of a step, accepted or not. At most max_steps / 10 corners of tables, the sharpest ones,
  /// end a step; a warning says when there were more.
  std::int64_t max_steps = 1'000'000;
  double initial_step = 0;  ///< s; 0: chosen automatically
  double max_step = 0;      ///< s; 0: no limit
  /// false: steps end at start.t + k·initial_step and at the corners of tables, whatever the error.
  bool adaptive = true;
  double output_step = 0;  ///< s between output rows from start.t on, and one at the end; 0: every accepted step
  /// Times of output rows, instead of output_step, in the order of integration; start and end are not added.
  std::vector<double> output_times = {};
  /// Also integrate the power of non-conservative systems (one more kernel call in each stage).
  bool power_balance = true;
  bool error_estimate = true;  ///< estimate the error of the final state: one more evaluation every few steps
  /// If the run was little work, estimate the error of the final state by a second run at a hundredth of the
  /// tolerances. (A second run is made even if this is false, when the estimate says that no digit is left: it decides
  /// before the verdict says so.) Trajectory::evaluations counts the first run only.
  bool second_run = false;
  /// Always make a second run, at a tenth of the tolerances, and compare every row.
  bool cross_check = false;
  /// The run ends right after this event of the model, or after an impact of this contact, by index; −1: no such end.
  int stop_event = -1, stop_contact = -1;
  /// Quantities by which the run is differentiated while it is made (Trajectory::sensitivities). find_tangents() (study/system_at.h) fills in tangents
  /// that have only a name.
  std::vector<Tangent> tangents = {};
  /// Trajectory::sensitivities hold one row, the last one of the run: the fastest way to derivatives of its end.
  bool sensitivities_at_end = false;
  /// Used for tangents: derivatives of what the run computes, by the state and by all parameters that tangents name, in the order in which they name them.
  /// Null: finite differences are used instead.
  std::shared_ptr<const RunDerivatives> derivatives = {};
  /// Outputs, by index, whose last values are differentiated by all tangents at once, by the adjoint of the run (Trajectory::gradients); then the run has no
  /// sensitivities. Needs `derivatives`.
  std::vector<int> gradient_of = {};
  /// Bytes that the adjoint may keep of the run, at least 1 MB. Parts of the run that do not fit are made again.
  std::size_t gradient_memory = std::size_t{1} << 28;
  bool output_rates = false;  ///< with tangents: fill Trajectory::output_rates
  bool find_peaks = false;    ///< fill Trajectory::peaks: some more evaluations in steps that may contain an extremum
  /// With find_peaks, the extremes that are needed; empty: all. Other outputs have none (Extremes::any). Where one of the two is needed, the other one is that of the
  /// points that were looked at, the ends of steps above all.
  struct PeakOf {
    int output = 0;
    bool min = true, max = true;
  };
  std::vector<PeakOf> peaks_of = {};
  /// The start is refused if a residual exceeds this, relative to the size of the row's terms or to 1.
  double start_tolerance = 1e-8;
  /// Called every `progress_every` tries of a step; returning false stops the run. Must not throw.
  std::function<bool(const RunPoint&)> progress = {};
  /// Called just before `progress` with all rows so far, so that a run can be saved while it runs. Must not throw.
  std::function<void(const Trajectory&)> recorded = {};
  /// Called after `recorded`, for runs with more rows than memory should hold. If it returns true, the run forgets all
  /// rows but the first and the last (Trajectory::forgotten). Not with cross_check. Must not throw.
  std::function<bool(const Trajectory&)> take_rows = {};
  int progress_every = 100;
};

}  // namespace dalembert
