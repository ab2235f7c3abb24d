// SPDX-License-Identifier: Apache-2.0
// What `linearize` answers: A, B, C, D of the constrained motion at a state (analyze/stability/linearize.h), its
// stability, and the JSON document. Frictions are held in the mode that they have at the state, and coordinates that
// drop out are left out.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/analyze/linear_motion.h"
#include "dalembert/base/source.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/system_at.h"

namespace dalembert {

class EquationDerivatives;
class SteadyAt;

struct LinearizedModel {
  /// The system that was linearised, with its state moved to the point of `motion`.
  std::shared_ptr<const SystemAt> given;
  std::shared_ptr<const EquationDerivatives> derivatives;
  std::shared_ptr<const SteadyAt> steady;
  LinearMotion motion;
  Stability stability;
  /// Warnings of the model; W0309 if the state is not steady; W0310, W0313 if outputs have no row.
  Diagnostics warnings;
};

/// E0904 for a model that is too large for linearize_at(): judged by its coordinates and rows before equations are
/// derived, and afterwards by the size of its expression graph (kMostDifferentiated). derive() stops early if the graph
/// has this limit.
std::optional<Diagnostic> refuse_to_linearize(const Model& model);

/// Linearises at a state. `settle`: first go to the nearest equilibrium or steady motion. Errors: those of linearize(),
/// E0273 if a friction is at a limit, E0324 if contacts have no states there (with_contacts_held()), E0308 if no equilibrium or steady motion was found.
Result<LinearizedModel> linearize_at(SystemAt at, bool settle);

/// The rows of C and D for the model's own outputs, without the series of its quasi-velocities.
struct OutputRows {
  std::vector<std::string> names;
  Matrix C, D;
};
OutputRows own_outputs(const BuiltModel& system, const LinearMotion& motion);
std::vector<std::string> state_names(const LinearMotion& motion);
/// Coordinates that are not states, because the equations of the states do not contain them.
std::vector<std::string> left_out_names(const SystemAt& given);

/// The formulas of stability as text (analyze/stability/stability_formulas.h); if there are none, only the reason
/// found.none.
struct StabilityTexts {
  StabilityFormulas found;
  std::vector<std::vector<std::string>> J;
  std::vector<std::string> characteristic, conditions;
};
StabilityTexts stability_texts(const BuiltModel& system, const LinearMotion& motion);
/// The member "formulas" of the JSON document.
Json formulas_json(const StabilityTexts& formulas);

/// What `linearize --json` prints, without "formulas" and "vary".
Json linearization_json(const SystemAt& given, const LinearMotion& motion, const Stability& stability);

/// What a controller is asked for. Weights are texts: `Q = theta:10, x:1; R = f:0.1`, or numbers in order, `Q = 1, 1, 2, 2; R = 1`, one number: for all.
struct ControlRequest {
  /// Weights of the cost ∫ Σ Q_k y_k² + Σ R_j u_j² dt; y: states, coordinates, velocities, outputs; u: inputs (1 if not named).
  std::optional<MappedText> lqr = {};
  /// Intensities of white noise: Q of inputs and states, R of outputs; those outputs are measured.
  std::optional<MappedText> kalman = {};
  std::optional<double> period = {};  ///< s: inputs are constant between samples, outputs are measured at them
};

/// Gains for the linearised motion, deviations from the point of linearisation.
struct Control {
  std::vector<std::string> states, inputs, measured;
  std::optional<double> period;
  Matrix A, B, C, D;  ///< of the continuous system, or with `period` of z⁺ = A z + B u; rows of C and D: `measured`
  Matrix K;           ///< inputs × states: u = −K z; empty without `lqr`
  Matrix
      L;  ///< states × measured: dẑ/dt = A ẑ + B u + L (y − C ẑ − D u); with `period` ẑ += L (y − C ẑ − D u) at a sample
  Spectrum closed_loop, estimator;  ///< eigenvalues of A − B K, and of the error of the estimate
  std::vector<std::string> unreached,
      unseen;  ///< in words: what inputs cannot move, what the measured outputs do not show
};

/// Finds gains for a linearised motion. Errors: E0427 for weights that name what is not there, and where no gains make it stable, with the mode.
Result<Control> design_control(const LinearizedModel& model, const ControlRequest& request);
/// The gains as C99 that needs nothing else: NAME_feedback(q, v, u), and for an estimator NAME_estimate or NAME_correct and NAME_predict.
std::string control_code(const LinearizedModel& model, const Control& control);
/// The member "control" of the output of `linearize --json`.
Json control_json(const Control& control);

struct Variation {
  std::string name, unit;
  Followed path;
  std::vector<StabilityVerdict> verdict;  ///< verdict on stability at each value
  std::string stopped;                    ///< why the variation stopped before its last value; empty if it did not
  bool interrupted = false;
};

/// Follows the equilibrium or steady motion while `name`, a parameter, coordinate or velocity, takes the `values` (SI,
/// in order). If the equilibrium belongs to a family, its free coordinates stay as they are. Stops when `keep_on`
/// returns false. Errors: E0403 for any other name.
Result<Variation> vary(const std::string& name, const std::vector<double>& values, const LinearizedModel& from,
                       std::function<bool()> keep_on = {});

/// The member "vary" of the output of `linearize --json`.
Json variation_json(const Variation& variation);

}  // namespace dalembert
