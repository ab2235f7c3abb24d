// SPDX-License-Identifier: Apache-2.0
// A model as a program (program.h) that computes it, with the names of everything: what code in a language, or a unit
// for a system simulator, is made of.
#pragma once

#include <memory>
#include <string>
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
  std::string meaning = {};  ///< of parameters, may be empty
  double value = 0;          ///< of parameters
};

/// A tape without loops whose routine, of that name, has no statements: whoever writes it finds its instructions here.
struct TabledTape {
  std::string routine;
  Tape tape;
};

/// What there is to be of a model, beyond what steps and accelerations need.
struct CodeShape {
  bool has_terms = true;  ///< the routine `terms`
  /// Instructions of all tapes that become statements. Where there are more, long tapes without loops are tabled: of C
  /// alone.
  std::size_t most_statements = ~std::size_t{0};
  std::size_t shortest_table = 1000;  ///< instructions of a tape that is worth a table, at least
};

struct CodeModel {
  std::string name, identifier;
  Program program = {};
  Dynamics dynamics;  ///< the same by the interpreter: reference values
  std::vector<NamedEntry> coordinates = {}, velocities = {}, rows = {}, levels = {}, parameters = {}, inputs = {},
                          outputs = {}, energies = {}, frictions = {};
  std::vector<std::string> samples = {};  ///< in words: which inputs are given as samples, and what they are outside
  std::string description = {};           ///< of the model, may be empty
  bool solves_exactly = true;             ///< the KKT solve is written out, and watched
  bool solves_any_rank =
      true;              ///< and where it is not to be trusted, a solver for matrices of any rank takes its place
  bool is_long = false;  ///< some of its formulas take subnormal numbers for zeros in the library (tape/subnormals.h)
  bool has_jacobian = false;  ///< of accelerations and multipliers by q, v, u
  Pattern jacobian = {};      ///< what of it is not zero by structure
  std::vector<TabledTape> tabled = {};
  std::size_t prepared = 0;  ///< numbers that parameters alone determine

  const Layout& layout() const { return dynamics.layout(); }
};

/// Systems with more velocities and rows than this have no solver for matrices of any rank in generated code.
inline constexpr int kLargestDenseCode = 120;
/// And no Jacobian beyond these.
inline constexpr int kLargestJacobianCode = 40;
inline constexpr std::size_t kMostJacobianInstructions = 20'000;

/// Errors: E0532 of systems that are too large for dense matrices where nothing else solves them.
Result<CodeModel> make_code_model(const Equations& equations, const CodeShape& shape = {});

}  // namespace dalembert
