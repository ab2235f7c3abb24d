// SPDX-License-Identifier: Apache-2.0
// What `linearize` answers: A, B, C, D of the constrained motion at a state (analyze/linearize.h), with frictions held at
// what they do there and without what drops out, whether it is stable, and what it is as a document.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dalembert/analyze/linearize.h"
#include "dalembert/analyze/stability.h"
#include "dalembert/analyze/stability_formulas.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/system_at.h"

namespace dalembert {

struct LinearizedModel {
  std::shared_ptr<const SystemAt> given;  ///< what it is a linearisation of: its states are those of this system
  std::shared_ptr<const EquationDerivatives> derivatives;
  std::shared_ptr<const SteadyAt> steady;
  LinearMotion motion;
  Stability stability;
  Diagnostics warnings;  ///< of the model, W0309 where it is not steady, W0310 and W0313 of outputs without a row
};

/// E0904 for what linearize_at refuses of a model's size: of its coordinates and rows before equations are derived, of
/// their parts once the graph has more than kMostDifferentiated. derive() stops there where the graph is limited to them.
std::optional<Diagnostic> refuse_to_linearize(const Model& model);

/// `settle`: from the nearest equilibrium or steady motion. Errors: those of linearize(), E0273 where a friction is at a
/// limit, E0308 where there is nothing to settle at.
Result<LinearizedModel> linearize_at(SystemAt at, bool settle);

/// Rows of C and D that the model asks for: its own outputs, and no series of its quasi-velocities.
struct OutputRows {
  std::vector<std::string> names;
  Matrix C, D;
};
OutputRows own_outputs(const BuiltModel& system, const LinearMotion& motion);
std::vector<std::string> state_names(const LinearMotion& motion);
/// Coordinates that are no states, since what counts does not contain them.
std::vector<std::string> left_out_names(const SystemAt& given);

/// Formulas as text (analyze/stability_formulas.h); empty, and why, where there are none.
struct StabilityTexts {
  StabilityFormulas found;
  std::vector<std::vector<std::string>> J;
  std::vector<std::string> characteristic, conditions;
};
StabilityTexts stability_texts(const BuiltModel& system, const LinearMotion& motion);
/// The member "formulas".
Json formulas_json(const StabilityTexts& formulas);

/// What `linearize --json` prints, without "formulas" and "vary".
Json linearization_json(const SystemAt& given, const LinearMotion& motion, const Stability& stability);

}  // namespace dalembert
