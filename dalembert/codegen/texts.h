// SPDX-License-Identifier: Apache-2.0
// Program text that is the same for every model, or nearly: sections of the files in texts/ (cmake/EmbedText.cmake).
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace dalembert {

/// What stands in a text for something that depends on the model, and what that is.
struct Filling {
  Filling(std::string_view place, std::string text) : what(place), by(std::move(text)) {}
  Filling(std::string_view place, std::string_view text) : what(place), by(text) {}
  Filling(std::string_view place, const char* text) : what(place), by(text) {}
  Filling(std::string_view place, std::integral auto number) : what(place), by(std::to_string(number)) {}
  /// The text itself, or nothing.
  static Filling only_if(bool holds, std::string_view text) { return {text, holds ? text : std::string_view()}; }

  std::string_view what;
  std::string by;
};

/// `text` with what it is to be filled with, wherever it stands; the longest where several begin at one place. Each of them is in it.
std::string filled(std::string_view text, std::initializer_list<Filling> fillings);

// --- routines (program.h)

// Some of the following are statements that take the place of a call in capitals: kGather of `call GATHER()`; kByFormulas of
// `call BY_FORMULAS()`; kDensely or kGiveUp of `call OTHERWISE()`.
extern const std::string_view kTermsRoutine, kEnergyRoutine, kPowerBalance, kInputsRoutine, kOutputsRoutine, kGather;
extern const std::string_view kPositionResidual, kVelocityResidual, kNormalize, kCoordinateRates, kDisplace;
extern const std::string_view kAccelerationsDensely, kAccelerationsRoutine, kByFormulas, kDensely, kGiveUp, kJacobian;

/// balance, make_reflection, reflect: powers of two as scales, and Householder's reflections.
extern const std::string_view kReflections;
/// solve_dense: x and y of M x − Wᵀy = f, W x = c, the first `rows` rows of W, as dynamics/kkt.h does on its slow path. Needs
/// kReflections and the constants nv, nr (rows).
extern const std::string_view kSolveDense;
/// position_step and velocity_step: by formulas of the kernel, or densely.
extern const std::string_view kLevelStep, kStepByFormulas, kStepDensely, kPositionStepDensely, kVelocityStepDensely;
/// Statements: delta by solve_dense in the mass metric, or in the plain one where that is none.
extern const std::string_view kSolveByMass;
/// project_position of position_step, project_velocity of velocity_step; project of both.
extern const std::string_view kProjectLevel, kProject;
/// A start of which something is held, onto the constraints; kHold: statements that take what is held out of M and W.
extern const std::string_view kAssemblePosition, kAssembleVelocity, kAssemble, kHold;
/// advance: the classical Runge–Kutta method of order 4, then project.
extern const std::string_view kAdvance;
/// step: advance with the model's own inputs; step_held: with inputs that stay as they are.
extern const std::string_view kStep, kStepHeld;

// Routines that models with friction, and with other forces that depend on multipliers, have besides: what dynamics/friction.h and
// friction_modes.cpp do. They need kReflections and the constants nf (frictions) and nl = nr + nf.
//
// A mode is an array of 2 nf numbers: of each friction its direction (1, -1; 0 sticks), then the sign of N of each. `law`
// holds, nf numbers each: v_s, the size of its terms, its rate without forces, N0, mu, mu_s, the viscous coefficient, and
// whether N depends on multipliers. `found` holds, nf numbers each: N, the size of its terms, dv_s/dt, its round-off, whether
// rows and what sticks say how fast the friction slides; then of each row the size of what its multiplier balances.

/// load_parts, load_terms and friction_system: everything that solve_mode takes. In them, where there is friction: comments, and the
/// statements that fill `law`.
extern const std::string_view kLoadTerms, kOfFriction, kLaws;
/// accelerations, without friction by solve_mode, with friction by decide, and then friction_states; statements by which they begin.
extern const std::string_view kLoadAccelerations, kFrictionAccelerations, kSystem, kMode;
/// turn, factor_rows, fix_rows, eliminate: what solve_mode takes a system apart by.
extern const std::string_view kFactorMode;
/// find_open, relieve: where the multipliers of a mode are open, those that leave each friction at rest the most of its limit.
extern const std::string_view kOpenForces;
/// solve_mode: v' and the multipliers while frictions do what a mode says. Without frictions: the unsymmetric system.
extern const std::string_view kSolveMode;
/// find_rest, is_consistent, decide: the mode that a state goes on with.
extern const std::string_view kDecideMode;
/// advance, in place of kAdvance: the mode is held, and what leaves it is found within the step.
extern const std::string_view kAdvanceWithFriction;

// --- C and C++, in which `$` stands for the model's identifier

extern const std::string_view kSineCosine;
/// What self-tests compare with; copy and fill where there is something to be copied or filled.
extern const std::string_view kCSelftest, kCCopy, kCFill;
/// NAME.hpp: until the constants, the class System, its start, its end. GUARD: the identifier in capitals; NQ, NV.
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

// --- other languages, in which MODEL stands for the model's identifier

/// Functions that return where Python raises; the classes Unsolved and Model.
extern const std::string_view kPythonFunctions, kPythonModel;
extern const std::string_view kPythonSelftest;
extern const std::string_view kJsErf, kJsModel, kJsSelftest;
/// Functions that stay real.
extern const std::string_view kMatlabFunctions;
extern const std::string_view kMatlabSelftest;

}  // namespace dalembert
