// SPDX-License-Identifier: Apache-2.0
// A model as a program (program.h) that computes its motion, with the names and units of everything. Code in a language
// and units for system simulators (FMUs) are written from it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/codegen/program.h"
#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/tape/tape.h"

namespace dalembert {

/// An entry of an array: its name in the model and as an identifier, its unit ("" where there is none).
struct NamedEntry {
  std::string name, identifier, unit;
  std::string meaning = {};  ///< description of a parameter, may be empty
  double value = 0;          ///< value of a parameter
};

/// A tape without loops that is written as a table (tape_table.h). The program's routine of that name has no
/// statements; its instructions are here.
struct TabledTape {
  std::string routine;
  Tape tape;
};

/// Which routines a program has beyond those of steps and accelerations, and which tapes become tables.
struct CodeShape {
  bool single = false;           ///< whether real numbers are of single precision
  bool has_terms = true;         ///< whether there is the routine `terms`
  bool has_derivatives = false;  ///< whether there are routines of derivatives by everything (derivative_code.h)
  bool has_assembly =
      false;  ///< whether there is the routine `assemble`, of models with constraints that are solved at any rank
  /// Of a model with contacts, frictions or events: these are held as the caller says, contacts by numbers after the inputs in every
  /// u, and there are settle_held and guards_held in place of steps.
  bool holds_guards = false;
  /// Largest number of instructions of all tapes that are written as statements. Where there are more, long tapes
  /// without loops become tables, which can be written in C only.
  std::size_t most_statements = ~std::size_t{0};
  std::size_t shortest_table = 1000;  ///< least number of instructions of a tape that becomes a table
};

struct CodeModel {
  std::string name, identifier;
  Program program = {};
  Dynamics dynamics;  ///< the same system by the interpreter, for reference values
  /// coordinates: the entries of q, at the end the integrals over the run that outputs and events read (Layout::integrals).
  std::vector<NamedEntry> coordinates = {}, velocities = {}, rows = {}, levels = {}, parameters = {}, inputs = {},
                          outputs = {}, energies = {}, frictions = {},
                          contacts = {},  ///< contacts: the rows of levels that are one-sided
      impulses = {},  ///< of the last impact of each contact, with their units; none if nothing reads them
      events = {};
  std::vector<std::string> samples = {};  ///< sentences: which inputs are sampled, their values beyond the samples
  std::string description = {};           ///< description of the model, may be empty
  bool has_kkt_formulas = true;           ///< the KKT solve is written out, with its pivots watched
  bool solves_any_rank = true;  ///< there is a solver for matrices of any rank, used where pivots are not trusted
  /// Whether the library takes subnormal numbers for zeros in some of the formulas (tape/subnormals.h).
  bool takes_subnormals_for_zeros = false;
  bool has_jacobian = false;  ///< there is a Jacobian of accelerations and multipliers by q, v, u
  Pattern jacobian = {};      ///< entries of that Jacobian that are not zero by structure
  /// Of each routine with a routine of derivatives: results as rows, arguments and then parameters as columns.
  std::vector<std::pair<std::string, Pattern>> derivatives = {};
  std::vector<TabledTape> tabled = {};
  std::size_t prepared = 0;  ///< how many numbers depend on parameters alone

  const Layout& layout() const { return dynamics.layout(); }
};

/// Largest number of velocities and rows together for which generated code has the solver for matrices of any rank,
/// which works on dense matrices.
inline constexpr int kLargestDenseCode = 120;
/// Largest number of velocities and rows together, and largest number of the Jacobian's instructions, for which
/// generated code has a Jacobian.
inline constexpr int kLargestJacobianCode = 40;
inline constexpr std::size_t kMostJacobianInstructions = 20'000;

/// Makes the program of a model. Errors: E0532 for a system that only the dense solver can solve and that is larger
/// than kLargestDenseCode.
Result<CodeModel> make_code_model(const Equations& equations, const CodeShape& shape = {});

}  // namespace dalembert
