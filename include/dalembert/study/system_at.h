// SPDX-License-Identifier: Apache-2.0
// Where a run or a study of a model begins: the consistent start of a model with its errors and warnings, and a model at a
// state on the constraints.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/analyze/constraints.h"
#include "dalembert/base/diagnostic.h"
#include "dalembert/base/source.h"
#include "dalembert/compile/compile.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/integrate/integrate_options.h"
#include "dalembert/integrate/trajectory.h"
#include "dalembert/model/model.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/built_model.h"

namespace dalembert {

/// E0406, with the nearest name, for names that the model does not have. In models with quaternions the velocity name
/// `x'` is replaced by `x`; what is `fixed` goes to `position` and `velocity`.
Diagnostics check_names(Start& start, const Model& model);
/// Checks names of values of a kind, such as "input", against the known `names`.
Diagnostics check_names(const std::vector<Start::Number>& values, const std::vector<std::string>& names,
                        const char* kind);

/// Sets t, positions and velocities in a state; assembly takes care of quasi-velocities (assemble_values). The names must be
/// checked.
void apply(const Start& start, const Model& model, State& state);

/// The names of velocities: coordinates; in models with quaternions also angular velocities.
std::vector<std::string> velocity_names(const Model& model);

struct ModelStart {
  State guess;           ///< as stated in the model
  AssembleOptions held;  ///< what of it is held
  Assembly assembly;
  /// Rank of W at the assembled start, for systems of at most kSmallSystem velocities and rows. It counts nearly
  /// dependent rows as independent; the solver does not: its rank is assembly.rank.
  std::optional<ConstraintRank> decided = {};
  /// The system with its contacts as they are at the start (contacts_at.h); null without contacts. Ranks and freedoms are those of it.
  std::shared_ptr<const BuiltModel> contacts_held = {};

  int rank() const { return decided ? decided->rank : assembly.rank; }  ///< kUnknownRank if the system is too large
  int freedoms() const { return static_cast<int>(assembly.state.v.size()) - rank(); }
};

/// W0104 if the kinetic energy is negative for one coordinate moving alone, unless the model has this warning already.
Diagnostics inertia_warnings(const BuiltModel& system, const State& state);

/// Assembles from the model's initial values, without the ranks of find_model_start(), which a run does not need.
ModelStart assemble_model_start(const BuiltModel& system, AssemblyMemory* memory = nullptr);
/// Adds the contacts and the rank at an assembled start. Error: E0324 where no motion keeps all contacts.
Result<ModelStart> with_ranks(const BuiltModel& system, ModelStart start);
/// Assembles from the model's initial values; `assembly` says whether a consistent state was found. Errors: E0506 if a
/// spline has no samples at the start time, those of with_ranks().
Result<ModelStart> find_model_start(const BuiltModel& system);

/// Fills in `options.tangents`, which have their names, for a run from the model's initial values. A name is that of a parameter ("k"), or of an initial
/// value: of a coordinate ("theta"), its rate ("theta'"), a quasi-velocity ("u") or an angular velocity ("top.omega.x"). An initial value by which the
/// run is differentiated is held. Errors: E0403 for any other name, or if no start exists when the quantity is a little larger or smaller.
Diagnostics find_tangents(const BuiltModel& system, IntegrateOptions& options, const std::vector<Span>& places = {});

/// Fills in `options.gradient_of` and `options.tangents`, for the gradients of these outputs by every parameter and every initial value that the model holds. A
/// parameter that the start does not leave free, as find_tangents() would say, has a derivative that is not a number. Errors: E0440 for a name that is no
/// output, E0441 if the model has no exact derivatives, which the adjoint of a run needs; RunGradients then has another way.
Diagnostics find_gradients(const BuiltModel& system, const std::vector<std::string>& outputs,
                           IntegrateOptions& options);

/// The gradients of numbers of a run from the model's own start, by every parameter and every initial value that the model holds. A number is an output by
/// its name, that is its last value, or a formula as those of studies: "integral(F^2)", "max(abs(lambda(pin))) - final(x)". They come from the adjoint of the
/// run where that is possible. Else a derivative by each quantity is carried along the run: where the model has no exact derivatives (friction, very long
/// equations), and for numbers whose instants move (an extreme at an impact, time(event)).
class RunGradients {
 public:
  /// Errors: E0440 for a name that is no output, E0420 for a formula that is no number of a run, those of expressions. `compile`: as for the system.
  static Result<RunGradients> prepare(const BuiltModel& system, const std::vector<MappedText>& numbers,
                                      const CompileOptions& compile = {});
  /// W0330 if the model has no exact derivatives.
  const Diagnostics& warnings() const;
  /// Asks the run for the gradients that it can find on its way.
  void ask(IntegrateOptions& options) const;
  /// Sets `run.gradients`. `run` was made from the state `start` with these options; further runs are made with them if they are needed. What is unknown is
  /// not a number, and a warning of the verdict says why.
  void finish(const IntegrateOptions& options, const State& start, Trajectory& run) const;

 private:
  struct Parts;
  std::shared_ptr<const Parts> parts_;
};

/// E0301, E0302, E0303 or E0321 for a start that failed, with the constraint and the held values marked in the model.
Diagnostic explain_start(const BuiltModel& system, const ModelStart& start);

/// E0321 if the constraints and the coordinates prescribed earlier already determine a prescribed coordinate at the
/// start: its actuation is not unique then.
Diagnostics overdetermined(const BuiltModel& system, const ModelStart& start);

/// Names the constraint that takes the last freedom: "nothing can move: `extra` takes the last freedom".
std::string why_nothing_moves(const BuiltModel& system, const ModelStart& start);
/// W0205 if rows of W are dependent at the start, with these rows and the multipliers that are not unique.
Diagnostics redundancy_warnings(const BuiltModel& system, const ModelStart& start);

/// W0209 for rows that are nearly dependent.
Diagnostics near_redundancy_warnings(const BuiltModel& system, const ModelStart& start);

/// W0333 for these rows, the constraints whose derivative is 0 wherever they hold (analyze/audit/squared_rows.h).
Diagnostics squared_row_warnings(const BuiltModel& system, const std::vector<int>& rows);

/// The freedoms as text, such as "3 velocities - rank 2 = 1 freedom".
std::string describe_freedoms(const BuiltModel& system, const ModelStart& start);
/// Number of freedoms; null if unknown.
Json freedoms_json(const BuiltModel& system, const ModelStart& start);
/// The held coordinates and velocities: {"q": [names], "qd": [names]}.
Json held_json(const BuiltModel& system, const ModelStart& start);

struct RelativeCoordinates;

/// Assembles the guess while what `held` says and the quasi-velocities of `start` are held.
Assembly assemble_values(const BuiltModel& system, const Start& start, const State& guess, const AssembleOptions& held);

/// A system as it was before its frictions were held in their modes.
struct Unheld {
  BuiltModel system;
  FrictionMode mode;  ///< the mode in which the frictions are held
};

/// A system as it was before its contacts were held, and the same with the closed ones as constraints and the open ones left out.
struct UnheldContacts {
  BuiltModel system, held;
};

struct SystemAt {
  BuiltModel system;
  State state;                       ///< a state that satisfies the constraints
  std::vector<bool> held_q, held_v;  ///< coordinates and velocities that the user or the model gave
  /// How the state was assembled; of system_at(). What a state that is given leaves out is a guess.
  std::shared_ptr<const ModelStart> start = {};
  bool given = false;               ///< the state is given, not the model's own start
  std::vector<bool> left_out = {};  ///< coordinates that are not states (SteadySystem::left_out)
  std::vector<bool> follows = {};   ///< velocities that follow from the others (SteadySystem::follows)
  /// If set: coordinates in which further motions are steady (find_relative_coordinates), not applied to this system
  /// yet.
  std::shared_ptr<const RelativeCoordinates> relative = {};
  std::vector<std::string> lost_outputs = {};    ///< outputs that need left-out coordinates
  std::vector<std::string> velocity_units = {};  ///< by velocity: its unit; filled by closed_system() only
  /// The system before its frictions were held; null if none are held (friction_at.h).
  std::shared_ptr<const Unheld> unheld = {};
  /// The system before its contacts were held; null without contacts (contacts_at.h).
  std::shared_ptr<const UnheldContacts> contacts = {};
};

/// The system in the quasi-velocities that the model states, if their equations do not depend on the coordinates. It
/// has no constraints, all coordinates are `left_out`, and outputs that need them are lost. Nothing if the equations
/// depend on coordinates.
std::optional<SystemAt> closed_system(const SystemAt& given);
/// The system with its constraints eliminated, without the coordinates that drop out by this (closed_equations.h).
/// Nothing if no more coordinates drop out than before the elimination.
std::optional<SystemAt> relative_system(const SystemAt& given);

/// The system in the coordinates of `relative`, without those that drop out.
SystemAt without_what_drops_out(const SystemAt& given);

/// The system at the state that `start` gives, or at the model's start if null. Values that `start` does not name are guesses, taken from the model.
/// Errors: E0301, E0302, E0303 or E0321 if no consistent state was found, E0406 if contradictory velocities are given, E0506 if a spline has no
/// samples.
Result<SystemAt> system_at(BuiltModel system, const Start* start = nullptr);

/// The system whose contacts keep the states that they have at the given state: closed ones are constraints, open ones
/// none. Without contacts, what is given. Error: E0324 where no motion keeps all contacts.
Result<SystemAt> with_contacts_held(SystemAt given);

}  // namespace dalembert
