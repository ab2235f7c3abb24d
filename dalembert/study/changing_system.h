// SPDX-License-Identifier: Apache-2.0
// Runs of one system with other values of its quantities, and the derivatives of these runs by them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/dynamics/assembly_memory.h"
#include "dalembert/integrate/integrate_options.h"
#include "dalembert/study/built_model.h"
#include "dalembert/study/quantities.h"

namespace dalembert {

/// A copy of a system whose quantities change from run to run; nothing is derived or compiled again. It belongs to one thread; copies,
/// for other threads, share the code.
class ChangingSystem {
 public:
  ChangingSystem(const BuiltModel& system, std::vector<StudyQuantity> quantities);
  ChangingSystem(const ChangingSystem& other);
  ChangingSystem& operator=(const ChangingSystem&) = delete;

  const std::vector<StudyQuantity>& quantities() const { return quantities_; }
  const BuiltModel& system() const { return system_; }
  const Model& model() const { return *model_; }

  /// The values that the model states, SI; for an initial value that it does not state, the one at its assembled start.
  std::vector<double> stated_values() const;
  /// Gives the quantities these values, SI. Initial values among them are held; initial values that are formulas of parameters follow.
  void set(std::span<const double> values);
  /// The start at the present values. Nothing if there is none, or if no model may have these values; `why` says why.
  std::optional<State> start(std::string& why);
  /// What is doubtful about the present values: a negative mass. Empty if nothing is.
  std::string doubt(const State& start);
  /// doubt() at the start of the present values; empty if there is no start.
  std::string doubt();

  /// Fills in the derivatives of the start by quantity k: finite differences of starts that are each assembled. `size` is the size of the
  /// quantity; displacements are small compared with it. False if no start exists with the quantity a little larger or smaller.
  bool differentiate_start(std::size_t k, double size, const State& start, Tangent& tangent);
  /// Compiles the exact derivatives that differentiated runs use, all of them by one code, so that digits do not depend on the runs before, or on threads.
  /// Without them they use finite differences.
  void compile_derivatives();
  /// A run with the present values. If `sizes` is not empty, it has the size of each quantity, and the run is differentiated by all of
  /// them, in their order (Trajectory::sensitivities). A run that has no start, or none beside it, is a failed one without rows, and says why.
  Trajectory run(IntegrateOptions options, std::span<const double> sizes = {});

 private:
  std::vector<StudyQuantity> quantities_;
  std::shared_ptr<Model> model_;
  BuiltModel system_;
  Initial stated_;
  std::vector<double> parameters_, values_;  // of the model; of the quantities, as they are set
  std::shared_ptr<const RunDerivatives> derivatives_;
  AssemblyMemory memory_;
};

}  // namespace dalembert
