// SPDX-License-Identifier: Apache-2.0
// Program text that is the same for every model, or nearly: sections of the files in texts/ (cmake/EmbedText.cmake).
#pragma once

#include <concepts>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dalembert {

/// A placeholder in a text, and the text that replaces it for a model.
struct Filling {
  Filling(std::string_view place, std::string text) : what(place), by(std::move(text)) {}
  Filling(std::string_view place, std::string_view text) : what(place), by(text) {}
  Filling(std::string_view place, const char* text) : what(place), by(text) {}
  Filling(std::string_view place, std::integral auto number) : what(place), by(std::to_string(number)) {}
  /// Keeps a piece of text if `holds`, otherwise removes it.
  static Filling only_if(bool holds, std::string_view text) { return {text, holds ? text : std::string_view()}; }

  std::string_view what;
  std::string by;
};

/// `text` with each placeholder replaced wherever it occurs; if several begin at the same place, the longest is taken.
/// Each placeholder must occur.
std::string filled(std::string_view text, std::span<const Filling> fillings);
std::string filled(std::string_view text, std::initializer_list<Filling> fillings);
/// Like filled(), but placeholders that do not occur are ignored.
std::string filled_where(std::string_view text, std::vector<Filling> fillings);

// --- routines (program.h)

// Some of the following are statements that replace a call in capitals: kGather replaces `call GATHER()`; kByFormulas
// `call BY_FORMULAS()`; kDensely or kGiveUp `call OTHERWISE()`.
extern const std::string_view kTermsRoutine, kEnergyRoutine, kPowerBalance, kInputsRoutine, kOutputsRoutine, kGather,
    kIntegrandsRoutine;
extern const std::string_view kPositionResidual, kVelocityResidual, kNormalize, kCoordinateRates, kDisplace;
extern const std::string_view kAccelerationsDensely, kAccelerationsRoutine, kByFormulas, kDensely, kGiveUp, kJacobian;

/// balance, make_reflection, reflect: scaling by powers of two, and Householder reflections.
extern const std::string_view kReflections;
/// solve_dense: solves M x − Wᵀy = f, W x = c for x and y, with the first `rows` rows of W, as dynamics/kkt.h does on
/// its slow path. Needs kReflections and the constants nv, nr (rows).
extern const std::string_view kSolveDense;
/// position_step and velocity_step: by formulas of the kernel, or densely.
extern const std::string_view kLevelStep, kStepByFormulas, kStepDensely, kPositionStepDensely, kVelocityStepDensely;
/// Statements that compute delta, the least step onto the constraints, by solve_dense: in the mass metric, or in the
/// Euclidean one where the mass matrix gives no metric.
extern const std::string_view kSolveByMass;
/// project_position repeats position_step, project_velocity repeats velocity_step; project calls both.
extern const std::string_view kProjectLevel, kProject;
/// Routines that bring a start onto the constraints while some of it is held; kHold: statements that remove the held
/// coordinates or velocities from M and W.
extern const std::string_view kAssemblePosition, kAssembleVelocity, kAssemble, kHold;
/// advance: the classical Runge–Kutta method of order 4, then project.
extern const std::string_view kAdvance;
/// Statements in it, and in kAdvanceInMode, of models with integrals (integral_code.h).
extern const std::string_view kIntegrate;
/// step: advance with the model's own inputs; step_held: with inputs that stay constant.
extern const std::string_view kStep, kStepHeld;

// Further routines of models with friction, or with other forces that depend on multipliers. They do what
// dynamics/friction.h and friction_modes.cpp do, and need kReflections and the constants nf (frictions) and
// nl = nr + nf.
//
// A mode is an array of 2 nf numbers: the direction of each friction (1, -1; 0 sticks), then the sign of each N. `law`
// holds nf numbers of each of these: v_s, the size of its terms, its rate without forces, N0, mu, mu_s, the viscous
// coefficient, whether N depends on multipliers. `found` holds nf numbers of each of these: N, the size of its terms,
// dv_s/dt, its round-off, whether the constraint rows and the sticking frictions determine how fast the friction
// slides; then for each row the size of the terms that its multiplier balances.

/// load_parts, load_terms and friction_system compute everything that solve_mode takes. With friction they also contain
/// comments (kOfFriction) and the statements that fill `law` (kLaws).
extern const std::string_view kLoadTerms, kOfFriction, kLaws;
/// accelerations: without friction by solve_mode; with friction by decide, and then there is also friction_states.
/// kSystem, kMode: statements with which these routines begin.
extern const std::string_view kLoadAccelerations, kFrictionAccelerations, kSystem, kMode;
/// Statements in the following, in one way where all rows act and in another where the mode says which do (friction_text()).
extern const std::string_view kAllRows, kActingRows, kSizesOfAll, kSizesOfActing, kTryRows, kContradicted, kOfIdle;
/// turn, factor_rows, fix_rows, eliminate: the factorisation that solve_mode uses; has_negative_inertia.
extern const std::string_view kFactorMode;
/// find_open, relieve: if a mode does not determine its multipliers, they find those that keep each sticking friction
/// furthest from its limit. After it, statements within these routines for friction in a plane, and for contacts.
extern const std::string_view kOpenForces;
extern const std::string_view kJoinedInPlanes, kHeldInPlanes, kChangeInPlanes, kSidesInPlanes, kPulls, kNeverPulls,
    kConesOfContacts;
/// solve_mode: solves for v' and the multipliers while each friction slides or sticks as a mode says. Without frictions
/// it solves the unsymmetric KKT system.
extern const std::string_view kSolveMode;
/// find_rest, is_consistent; find_by_pivots; decide: find the mode in which the motion goes on from a state.
extern const std::string_view kDecideMode, kFindByPivots, kDecide;
/// Routines for models with friction in a plane (contact_friction_code.h): kPlanes: set_along and others; kSolveHeld: solve_held; kDirections:
/// find_directions; kKeepDirections: keep_directions. The names after these are statements within the routines above.
extern const std::string_view kPlanes, kSolveHeld, kDirections, kKeepDirections;
extern const std::string_view kRestInPlanes, kConsistentInPlanes, kStatesInPlanes, kMovesInPlanes, kForcesInPlanes,
    kConcaveMargins, kFindWays, kNextWay, kPivotModes, kTooManyModes, kTurned, kTurnedWithContacts, kKeepUntil,
    kKeepBeginning, kHoldBeginning, kHoldOn, kFollowStiffly, kGuardsInPlanes, kEndAtTurn, kUnitsInPlanes;
/// stop: brings what sticks to rest; advance_in_mode: a step that holds the mode.
extern const std::string_view kStop, kAdvanceInMode;
/// advance, used with these instead of kAdvance: it finds the instant in the step at which a friction leaves the mode.
extern const std::string_view kAdvanceWithFriction;

// Routines of models with contacts, around those for contacts that are held open or closed (contact_code.h). They do what
// dynamics/contact_problem.h and integrate/contact_states.h do, and need kReflections, kSolveDense and the constants nc (contacts) and
// nw = nu + nc.

/// close_all: inputs with all contacts closed. measure_contacts: their gaps; contact_problem, contact_answer: the complementarity problems;
/// decide_contacts: which contacts are closed at a state.
extern const std::string_view kCloseAll, kContactProblem, kDecideContacts;
/// larger: of use to all that follows; lowest, next_place and weigh: to steps that end at guards.
extern const std::string_view kLarger, kSearch;
/// `inputs` that leaves the states of contacts, which follow the inputs in u, as they are; and the public `inputs`.
extern const std::string_view kInputsInMode, kOwnInputs, kContactInputs;
/// settle: impacts, then which contacts stay closed.
/// come_to_rest: of use to both kinds of steps, without friction and with it (kRestWithFriction: statements in it).
extern const std::string_view kContactMotion, kSettleContacts, kTryContacts, kStepWithContacts;
/// advance: a step that ends and goes on where a guard leaves; kTryPlace: statements in it, and in kEventDips.
extern const std::string_view kAdvanceWithGuards, kTryPlace;
/// Statements in these and in others that keep the impulses of the last impacts, for outputs and events that read them (impulse_text()).
extern const std::string_view kKeepImpulses, kImpulsesTo, kImpulsesFrom;
/// Public routines for those who hold contacts, frictions and sides of events and find the instants themselves: FMUs.
extern const std::string_view kHeldGuards, kHeldFrictions;
/// Public routines; kAllInputs: statements with which they begin, inputs with all contacts open.
extern const std::string_view kContactAccelerations, kContactProjection, kContactVelocity, kContactProject, kAllInputs;

// For models with contacts and friction, these routines replace some of the above. The routines of friction are then adapted so that the rows of open
// contacts do not act (contact_friction_code.h).

/// leave_idle: frictions of open contacts; decide_modes, decide_contacts: which contacts are closed and what frictions do.
extern const std::string_view kLeaveIdle, kContactModes;
/// strike; settle and contact_guards, in which kStrikeFirst are statements; try_step; kFrictionLocals, kFrictionLeft: statements in
/// kAdvanceWithGuards.
extern const std::string_view kStrikeWithFriction, kSettleWithFriction, kStrikeFirst;
extern const std::string_view kTryWithFriction, kFrictionLocals, kFrictionLeft, kRestWithFriction;
extern const std::string_view kContactFrictionPublic;

// Events, with contacts or without (event_code.h).

/// watch_events, event_conditions, set_events: what they are at a state; guards_at, find_passing, happen: for kAdvanceWithGuards.
extern const std::string_view kWatchEvents, kOntoContacts, kSetEvents, kEventSteps;
/// Statements in kAdvanceWithGuards.
extern const std::string_view kEventLocals, kEventBegin, kEventDips, kEventsHappen;
/// Public routines; kStepThere, kStepEvents: statements in them.
extern const std::string_view kStepWithEvents, kStepHeldWithEvents, kStepThere, kStepEvents, kEventStates, kApplyEvents;

// --- C and C++, in which `$` stands for the model's identifier

extern const std::string_view kSineCosine, kSineCosineSingle;
/// Functions by which self-tests compare results; copy and fill, for self-tests that use them.
extern const std::string_view kCSelftest, kCCopy, kCFill;
/// Parts of NAME.hpp: up to the constants, the class System, its function start, the end. Placeholders besides `$`:
/// GUARD, the identifier in capitals; NQ, NV.
extern const std::string_view kCppHead, kCppClass, kCppStart, kCppEnd;
extern const std::string_view kCppSelftest;

/// NAME_fmi2.h: types and functions of FMI 2.0.
extern const std::string_view kFmiDeclarations;
/// After the generated constants of NAME_fmi2.c: an instance, its values, its start, its messages.
extern const std::string_view kFmuInstance;
/// Internal steps of co-simulation.
extern const std::string_view kFmuSteps;
/// The functions of the interface: those of both kinds, and those of model exchange or co-simulation alone.
extern const std::string_view kFmuCommon, kFmuKinds;
/// What FMUs of models with contacts, friction or events have besides, and in place of some of these (fmu_guards.cpp).
extern const std::string_view kFmuGuardState, kFmuFrictionMotion, kFmuOtherMotion, kFmuHappen, kFmuNothingHappens,
    kFmuGuardStart, kFmuGuardChanges, kFmuGuardEvents;

// --- other languages, in which MODEL stands for the model's identifier

/// Functions that return NaN or infinity where those of Python raise; the classes Unsolved and Model.
extern const std::string_view kPythonFunctions, kPythonModel;
extern const std::string_view kPythonSelftest;
extern const std::string_view kJsErf, kJsModel, kJsSelftest;
/// Functions that return NaN where those of MATLAB return complex numbers.
extern const std::string_view kMatlabFunctions;
extern const std::string_view kMatlabSelftest;

}  // namespace dalembert
