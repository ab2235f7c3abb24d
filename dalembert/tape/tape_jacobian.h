// SPDX-License-Identifier: Apache-2.0
// Exact derivatives of a tape, as a tape.
//
// The tape is a graph whose edges have the partial derivatives of single instructions, ∂(value)/∂(operand). A value
// between the arguments and the outputs is eliminated by giving each pair of an edge i → j and an edge j → k the edge
// i → k, with (∂j/∂i)(∂k/∂j) added to it; the edges that are left when all such values are gone are the Jacobian. The
// value with the fewest such pairs is eliminated first (Markowitz). On accelerations of the shipped models this takes up
// to a quarter fewer instructions than forward accumulation, and two to five times fewer than backward.
// Source: Griewank & Walther, Evaluating Derivatives, 2nd ed. (2008), chapters 9 and 10.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "dalembert/tape/tape.h"

namespace dalembert {

/// Entry `index` of an argument array.
struct ArgumentEntry {
  TapeArray array = TapeArray::kCoordinate;
  int index = 0;
};

struct TapeJacobian {
  Tape tape;  ///< output k is ∂(output JacobianRows::first + row[k])/∂(by[col[k]]); in single-assignment form
  std::vector<int> row, col;  ///< row and column of each entry that is not zero by structure, row by row
  bool too_long = false;      ///< the Jacobian takes more instructions than allowed; all else is empty then
};

/// The outputs that are differentiated: `count` of them from `first` on.
struct JacobianRows {
  JacobianRows(std::size_t number) : count(number) {}
  JacobianRows(std::size_t begin, std::size_t number, std::size_t by) : first(begin), count(number), through(by) {}
  std::size_t first = 0, count = 0;
  /// If not 0: the outputs count as functions of the first `through` outputs alone, and these as functions of `by`. What else depends on `by` counts as
  /// constant. So a step −G(y) r(y) that removes a residual r has the derivative −G ∂r/∂y, which is exact where r = 0.
  std::size_t through = 0;
  static constexpr std::size_t kNoValues = std::numeric_limits<std::size_t>::max();
  std::size_t values_from = kNoValues;  ///< the outputs of the tape from this one on follow the derivatives
  /// Entries of arguments that stand for outputs of the tape: they have their values, and count as constant.
  struct Held {
    ArgumentEntry argument;
    std::size_t output = 0;
  };
  std::vector<Held> held = {};
};

/// The Jacobian of outputs of a tape without loops in single-assignment form (before finish(),
/// tape_passes.h), with respect to the entries `by`, each named once. Prepared values (TapeArray::kPrepared) count as
/// constant, so split_preparation() must come later where parameters are among `by`. Conventions where a function has
/// no derivative are those of expr/differentiate.h: sign and comparisons are constant, abs' = sign, min and max follow
/// the argument they take. Time and instructions O(pairs of edges that eliminations join); it is given up beyond `most`
/// instructions, including those that no output turns out to need.
TapeJacobian make_jacobian(const Tape& tape, std::span<const ArgumentEntry> by, const JacobianRows& rows,
                           std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace dalembert
